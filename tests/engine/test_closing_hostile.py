"""Files that another machine pushed: whatever they say, closing writes nowhere else, ends, and closes the other sessions."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.closing.closer import Closer, everything
from memtree.engine.closing.later import Later
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.recap_view import RecapView
from memtree.tree.episode import Episode, session_folder
from memtree.tree.paths import RepoPath
from memtree.tree.recap import Recap, Status, closed_to, read_recap, rewritten
from support.conversations import CONTENT, PLAIN, T0, TALK, below, by_hand, close, lonely, recaps, record, said, spans, untold
from support.machines import Machine, Machines

WORDS = "We decided to buy a new kettle for the kitchen on the second floor."
LONG_ID = "x" * 300


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    """One session is closed, another is open."""
    machine = lonely(machines, PLAIN)
    record(machine, [*said("victim", TALK), *said("open", TALK)])
    close(machine, "victim")
    return machine


def turn(session: str, seq: int, text: str = WORDS, role: str = "user") -> bytes:
    return Episode(session, seq, text, T0, role).render()


def header(lines: str) -> bytes:
    return f"---\n{lines}\n---\n{WORDS}\n".encode()


def close_all(machine: Machine) -> list[str]:
    """Close everything, twice; the folders in which that made recaps. No other folder of content was touched."""
    before = machine.committed()
    report = Closer(machine.workspace).close(Sessions.of(machine.workspace).open_folders(), whole=everything)
    after = machine.committed()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path.removeprefix(f"{CONTENT}/").partition("/")[0] for path in changed} <= {"recap", "chat", "profile"}
    assert {path for path in changed if path in before and "/profile/" not in path} == set()
    tip = machine.tip
    Closer(machine.workspace).close(Sessions.of(machine.workspace).open_folders(), whole=everything)
    assert machine.tip == tip
    assert Later(machine.workspace).run().closed.closed == []
    assert spans(machine, "victim")[0] == (1, 6)
    return sorted({one.recap.split("/")[-2] for one in report.closed})


@pytest.mark.parametrize(
    ("files", "closed"),
    [
        ({f"{session_folder(LONG_ID)}/000001.md": turn("victim", 1)}, session_folder(LONG_ID)),
        ({"Daily Log/000001.md": turn("victim", 1)}, "Daily Log"),
        ({"Daily Log/000001.md": turn("Daily Log", 1)}, "Daily Log"),
        ({"s/000001.md": header('session_id: "victim\\n---"\nseq: 1\nrole: user')}, "s"),
        ({"s/000001.md": header('session_id: "../../../etc"\nseq: 1\nrole: user')}, "s"),
        ({"s/000001.md": header("session_id: s\nseq: 7\nrole: user")}, "s"),
        ({"s/000001.md": header("session_id: s\nseq: -1\nrole: user")}, None),
        ({"s/000001.md": header("session_id: s\nseq: 999999999999999999\nrole: user")}, None),
        ({"s/000001.md": header("session_id: s\nseq: 1\nrole: user\ntimestamp: 9999-12-31T23:59:59.999Z")}, "s"),
        ({"s/000001.md": header("session_id: s\nseq: 1\nrole: user\ntimestamp: 0001-01-01T00:00:00+14:00")}, "s"),
        ({"s/000001.md": WORDS.encode()}, "s"),
        ({"s/999999999999999.md": turn("s", 999_999_999_999_999)}, "s"),
        ({f"s/{n:06}.md": turn("s", n) for n in (0, 7, 500_000, 10**14)}, "s"),
        ({"s/000001.md": turn("s", 1, "x" * 9_000_000)}, None),
        ({"s/000001.md": os.urandom(10_000)}, None),
        ({"s/000001.md/000001.md": turn("s", 1)}, None),
        ({"s/1.md": turn("s", 1), "s/notes.md": b"# Mine\n"}, None),
    ],
    ids=[
        "long id",
        "other session",
        "no id's folder",
        "line end",
        "path",
        "other number",
        "negative",
        "huge number",
        "year 9999",
        "year 1",
        "no header",
        "last number",
        "gaps",
        "large",
        "binary",
        "folder",
        "no numbers",
    ],
)
def test_turns(machine: Machine, files: dict[str, bytes], closed: str | None) -> None:
    by_hand(machine, {f"{CONTENT}/episodic/{path}": data for path, data in files.items()})
    before = below(machine, "recap/victim")
    found = close_all(machine)
    assert set(found) - {"s"} == {"open", closed or "open"} - {"s"}
    assert closed is None or closed in found
    assert below(machine, "recap/victim") == before
    assert all(recap.path.startswith(f"{CONTENT}/recap/") for recap in recaps(machine))


def _gitlink(machine: Machine) -> None:
    machine.git("update-index", "--add", "--cacheinfo", f"160000,{machine.tip},{CONTENT}/recap/open")
    machine.git("commit", "-q", "-m", "a submodule")


def _repository(machine: Machine) -> None:
    """Somebody else's, in the place of a recap: nothing is moved out of it, and nothing written into it."""
    path = machine.full(f"{CONTENT}/recap/open/000001-000006.md")
    os.makedirs(path)
    machine.git("-C", path, "init", "-q")


def _link(machine: Machine) -> None:
    os.symlink("../episodic/victim", machine.full(f"{CONTENT}/recap/open"))
    by_hand(machine, {})


def _link_of_turn(machine: Machine) -> None:
    os.makedirs(machine.full(f"{CONTENT}/episodic/s"))
    os.symlink("../../../../memtree.toml", machine.full(f"{CONTENT}/episodic/s/000001.md"))
    by_hand(machine, {})


def _file(machine: Machine) -> None:
    by_hand(machine, {f"{CONTENT}/recap/open": b"in the way\n"})


def _chat(machine: Machine) -> None:
    shutil.rmtree(machine.full(f"{CONTENT}/chat"))
    by_hand(machine, {f"{CONTENT}/chat/conversations-agent": b"in the way\n"})


@pytest.mark.parametrize("way", [_repository, _gitlink, _link, _link_of_turn, _file, _chat])
def test_what_stands_in_the_way_of_one_session_keeps_no_other_open(machine: Machine, way: Callable[[Machine], None]) -> None:
    record(machine, said("third", TALK))
    way(machine)
    config = machine.committed()["memtree.toml"]
    turns = below(machine, "episodic")
    report = Closer(machine.workspace).close(["open", "s", "third"], whole=everything)
    assert spans(machine, "third") == [(1, 6)]
    assert report.left == (["open"] if way is _repository else [])
    assert bool(report.notes) == bool(report.left)
    assert machine.committed()["memtree.toml"] == config
    assert below(machine, "episodic") == turns


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("000001-000006.md", b""),
        ("000001-000006.md", os.urandom(5000)),
        (
            "000001-000006.md",
            b"---\nsession_id: victim\nsegment: x\nrefresh: true\nturns: 99999999999999999999\n---\n" + b"## Events\n" * 9,
        ),
        ("000009-000001.md", b"backwards\n"),
        ("000007-999999999999999.md", b"---\nsession_id: victim\n---\n\nAll is told.\n"),
        ("000001-000006.md", b"---\nsession_id: victim\ngenerator: extractive\nrefresh: true\n---\n" + b"- fact: x\n" * 300_000),
        ("../victim/000001-000006-0a.md", b"---\nsession_id: [victim]\n---\n\nHm.\n"),
    ],
    ids=["empty", "binary", "odd", "backwards", "all", "large", "second"],
)
def test_recaps(machine: Machine, name: str, data: bytes) -> None:
    by_hand(machine, {os.path.normpath(f"{CONTENT}/recap/victim/{name}"): data})
    assert "open" in close_all(machine)
    RecapView.look(machine.workspace, f"{machine.workspace.places.folder}/closing/view.json")
    record(machine, said("victim", TALK, start=3))
    close(machine, "victim")
    assert below(machine, "episodic/victim")


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=()), max_size=60),
    st.text(max_size=200),
    st.lists(st.text(max_size=40), max_size=3),
    st.sampled_from([*Status]),
)
def test_a_recap_is_read_as_it_was_written_whatever_it_holds(session: str, prose: str, events: list[str], status: Status) -> None:
    recap = Recap(session or "s", "seg-0", 1, 2, 1, "session_end", status, prose=prose, events=tuple(events))
    path = recap.path("s")
    read = read_recap(path, recap.render())
    assert read is None or (read.first, read.last, read.path) == (1, 2, path)
    if read is not None:
        assert read.segment == "seg-0"
        read_recap(path, rewritten(recap.render(), prose, "a-model", importance="high"))


@given(st.binary(max_size=300), st.text(max_size=30))
def test_no_bytes_and_no_name_upset_who_reads_a_recap(data: bytes, name: str) -> None:
    closed_to([name])
    for content in (data, b"---\n" + data + b"\n---\n" + data, b"---\nsession_id: s\n" + data):
        found = read_recap(RepoPath("recap/s/000001-000002.md"), content)
        assert found is None or found.says_something in (True, False)
        assert found is None or isinstance(found.events, tuple)


def test_numbers_that_meet_stand_in_one_segment(machines: Machines) -> None:
    """Two machines gave one number: no segment ends between the two."""
    machine = lonely(machines, PLAIN + b"[segments]\nmax_turns_per_segment = 1\n")
    record(machine, said("s-1", TALK))
    by_hand(machine, {f"{CONTENT}/episodic/s-1/000003-0a1b2c3d.md": turn("s-1", 3)})
    close(machine, whole=lambda _: False)
    close(machine)
    assert spans(machine) == [(1, 2), (3, 4), (5, 6)]
    assert untold(machine) == {}
    chat = b"".join(below(machine, "chat").values())
    assert all(text.encode() in chat for text in (WORDS, TALK[1][0], TALK[1][1]))
