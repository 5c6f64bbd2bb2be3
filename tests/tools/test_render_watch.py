"""The live view and what it tells of changes, on made states: nothing is too wide or steers a terminal, every trouble is shown."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.hooks.daemon.standing import RemoteState
from memtree.hooks.daemon.state import CommitLine, HeldLine, IndexLine, ServiceState, Trouble
from memtree.tools.render import Line, width
from memtree.tools.render_happenings import happening_line, happenings, log_line
from memtree.tools.render_watch import moment, remote_words, standing_lines, watch_lines, wrapped

NOW = 1_767_603_600  # 2026-01-05 09:00 UTC
SOUND = RemoteState("origin", "both", NOW - 60, None, "", "", alarm=False, offline=False, running=False, next_try=290.0)
COMMITS = tuple(
    CommitLine(f"{number:040x}", NOW - number * 3600, writer, "laptop-91c0", f"save note{number}.md", number)
    for number, writer in enumerate(["editor", "cli", "sync", "git", "archivist", "editor", "editor", "editor"], 1)
)
STATE = ServiceState(
    root="/home/ada/notes",
    pid=4711,
    version="0.1.0",
    started=NOW - 600,
    revision=7,
    folders=214,
    head="a" * 40,
    commits=COMMITS,
    index=IndexLine("a" * 40, 0),
    vectors=IndexLine("a" * 40, 0),
    remotes=(SOUND,),
)
HELD = HeldLine("journal/2026-03-09.md", "held: a secret on line 2 (github-token)")
TROUBLE = Trouble("not committed: your merge is unfinished; finish it, or git merge --abort", NOW - 120)


def texts(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in line).rstrip() for line in lines]


def shown(state: ServiceState, columns: int = 80, rows: int = 24, **more: Any) -> list[str]:
    return texts(watch_lines(state, columns=columns, rows=rows, now=NOW, zone=UTC, **more))


def test_a_sound_workspace() -> None:
    assert shown(replace(STATE, commits=COMMITS[:3]), how="Ctrl-C ends it.") == [
        "/home/ada/notes",
        "",
        "08:00  editor      save note1.md  (1 file)",
        "07:00  cli         save note2.md  (2 files)",
        "06:00  sync        save note3.md  (3 files)",
        "",
        "changes    watched in 214 folders",
        "index      up to date",
        "vectors    up to date",
        "origin     synced 08:59; next in 4 min",
        "",
        "Ctrl-C ends it.",
    ]


FAILING = replace(SOUND, failing_since=NOW - 300.0, next_try=20.0)
TOLD: list[tuple[dict[str, Any], str]] = [
    ({"troubles": (TROUBLE,)}, "trouble    08:58 not committed: your merge is unfinished; finish it, or git merge --abort"),
    (
        {"unwatched": "out of watches; raise them"},
        "changes    not watched, looked for from time to time: out of watches; raise them",
    ),
    ({"waiting": 3, "doing": "indexing"}, "changes    watched in 214 folders; 3 edits will be saved soon; indexing now"),
    ({"index": IndexLine("b" * 40, 3)}, "index      3 commits behind"),
    ({"index": IndexLine("b" * 40, None)}, "index      behind"),
    ({"index": IndexLine(None, None, "it was never built")}, "index      not built yet"),
    ({"index": IndexLine(None, None, "the disk is full")}, "index      not in use: the disk is full"),
    ({"remotes": ()}, "remote     none"),
    ({"remotes": (replace(SOUND, running=True, next_try=None),)}, "origin     synced 08:59; syncing now"),
    ({"remotes": (replace(SOUND, next_try=None),)}, "origin     synced 08:59; next by memtree sync"),
    ({"remotes": (replace(SOUND, succeeded=None, direction="pull"),)}, "origin     pull-only; not synced yet; next in 4 min"),
    (
        {"remotes": (replace(FAILING, error="remote origin cannot be reached", offline=True),)},
        "origin     synced 08:59; offline since 08:55: cannot be reached; next try within a minute",
    ),
    (
        {
            "remotes": (
                replace(FAILING, error="it lost history", hint="memtree sync --accept-rewritten", alarm=True, next_try=None),
            )
        },
        "origin     synced 08:59; stopped since 08:55: it lost history (memtree sync --accept-rewritten)",
    ),
    ({"conflicts": 2}, "conflicts  2 open: memtree conflicts"),
    ({"held": (HELD,)}, "held       journal/2026-03-09.md (held: a secret on line 2 (github-token))"),
    ({"held": (HELD,) * 9}, "held       4 more: memtree secrets list"),
    ({"commits": ()}, "one moment"),
]


@pytest.mark.parametrize(("change", "line"), TOLD)
def test_what_is_to_be_known_stands_there(change: dict[str, Any], line: str) -> None:
    assert line in shown(replace(STATE, **change), columns=140, rows=40)


@pytest.mark.parametrize("rows", [1, 5, 12, 24])
@pytest.mark.parametrize("columns", [40, 20, 80])
def test_a_small_terminal_shows_what_matters_first(columns: int, rows: int) -> None:
    lines = shown(replace(STATE, troubles=(TROUBLE,), held=(HELD,) * 9), columns=columns, rows=rows, how="Ctrl-C ends it.")
    assert len(lines) <= rows
    assert all(width(line) <= columns for line in lines)
    assert lines[0] == "/home/ada/notes"
    if rows >= 12:
        assert any(line.startswith("trouble") for line in lines)


def test_what_is_too_long_goes_on_below_or_is_cut() -> None:
    subject = "a very long subject that nobody would like to read in one line of a narrow terminal"
    state = replace(STATE, commits=(replace(COMMITS[0], subject=subject),), troubles=(TROUBLE,))
    lines = shown(state, columns=40)
    assert lines[2] == "08:00  editor      a very long subject …"
    start = lines.index("trouble    08:58 not committed: your")
    assert lines[start : start + 3] == [
        "trouble    08:58 not committed: your",
        "           merge is unfinished; finish",
        "           it, or git merge --abort",
    ]


ANY = st.text(st.characters(codec=None), max_size=50)


@given(ANY, ANY, ANY, st.integers(20, 90), st.integers(1, 40), st.integers(-(2**40), 2**60))
def test_no_text_steers_the_terminal_or_breaks_the_view(
    path: str, subject: str, what: str, columns: int, rows: int, time: int
) -> None:
    state = replace(
        STATE,
        root=path,
        commits=(CommitLine("1" * 40, time, what, path, subject, 1),),
        held=(HeldLine(path, what),),
        troubles=(Trouble(what, time),),
        unwatched=subject,
        doing=what,
        remotes=(replace(FAILING, name=path, error=what, hint=subject),),
    )
    lines = [*shown(state, columns, rows), *texts(list(standing_lines(state, columns, NOW, UTC)))]
    for line in lines:
        assert width(line) <= columns
        assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in line if letter != "\t")


@given(ANY, st.integers(4, 40))
def test_wrapping_loses_nothing(text: str, columns: int) -> None:
    pieces = wrapped(text, columns)
    assert all(width(piece) <= columns for piece in pieces)
    assert "".join(pieces).replace(" ", "") == "".join(wrapped(text, 10_000)).replace(" ", "")


def test_a_moment_is_a_time_of_today_or_a_day() -> None:
    assert [moment(time, NOW, UTC) for time in (NOW - 60, NOW - 86_400, 1e30, float("nan"))] == ["08:59", "2026-01-04", "?", "?"]


# -- what has happened


def told(before: ServiceState | None, after: ServiceState) -> list[str]:
    return [f"{one.kind}: {one.text}" for one in happenings(before, after, NOW, NOW - 2 * 3600)]


NEWEST = ["commit: cli: save note2.md (2 files)", "commit: editor: save note1.md (1 file)"]  # since somebody looks


def test_nothing_happened() -> None:
    assert told(STATE, replace(STATE, revision=8, doing="indexing", waiting=2, memory=10)) == []


def test_at_first_it_is_told_how_it_stands() -> None:
    state = replace(STATE, held=(HELD,), troubles=(TROUBLE,), unwatched="out of watches", conflicts=1)
    assert told(None, state) == [
        "serving: /home/ada/notes (process 4711)",
        *NEWEST,
        "changes: not watched: out of watches",
        "conflicts: 1 open",
        f"held: {HELD.path} ({HELD.reason})",
        f"trouble: {TROUBLE.what}",
    ]


def test_commits_are_told_once_oldest_first() -> None:
    begun = replace(STATE, head=None, commits=())
    assert told(begun, STATE) == NEWEST  # the others were there before
    assert told(replace(STATE, commits=COMMITS[2:]), STATE) == NEWEST
    assert told(STATE, replace(STATE, commits=COMMITS[2:])) == []


OFFLINE = replace(FAILING, error="remote origin cannot be reached", offline=True)
CHANGES: list[tuple[dict[str, Any], str, str]] = [
    ({"unwatched": "out of watches"}, "changes: not watched: out of watches", "changes: watched again"),
    ({"conflicts": 2}, "conflicts: 2 open", "conflicts: 0 open"),
    ({"held": (HELD,)}, f"held: {HELD.path} ({HELD.reason})", f"held: {HELD.path} is not held any more"),
    ({"troubles": (TROUBLE,)}, f"trouble: {TROUBLE.what}", f"over: {TROUBLE.what}"),
]


@pytest.mark.parametrize(("change", "begins", "ends"), CHANGES)
def test_what_begins_and_ends_is_told(change: dict[str, Any], begins: str, ends: str) -> None:
    changed = replace(STATE, **change)
    assert told(STATE, changed) == [begins]
    assert told(changed, STATE) == [ends]
    assert told(changed, changed) == []


def test_syncs_are_told() -> None:
    offline = replace(STATE, remotes=(OFFLINE,))
    assert told(STATE, offline) == [f"sync: origin: {remote_words(OFFLINE, NOW)}"]
    assert told(offline, replace(STATE, remotes=(replace(OFFLINE, next_try=1.0, running=True),))) == []
    assert told(offline, replace(STATE, remotes=(replace(SOUND, succeeded=NOW),))) == ["sync: origin: synced"]


def test_an_index_that_is_out_of_use_is_told() -> None:
    broken = replace(STATE, index=IndexLine(None, None, "the disk is full"))
    assert told(STATE, broken) == ["index: the disk is full"]
    assert told(broken, broken) == []
    assert told(STATE, replace(STATE, index=IndexLine(None, None, "it was never built"))) == []


def test_a_line_for_a_list() -> None:
    (happening,) = happenings(STATE, replace(STATE, troubles=(TROUBLE,)), NOW, NOW)
    assert texts([happening_line(happening, UTC)]) == [f"2026-01-05 08:58:00  trouble       {TROUBLE.what}"]


def test_an_event_of_the_log() -> None:
    event = {"at": "2026-01-05T09:00:00.250Z", "event": "commit", "files": 3, "again": False, "remote": None, "of": ["a", "b"]}
    assert texts([log_line(event, UTC)]) == ["2026-01-05 09:00:00  commit        files 3  again no  remote -  of a, b"]
    assert texts([log_line({"at": "soon", "event": "odd", "some": {"x": 1}}, UTC)]) == ["soon  odd           some x 1"]
