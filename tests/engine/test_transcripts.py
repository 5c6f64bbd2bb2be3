"""Agents' transcripts: what holds for all of them, whatever is in the file, and which files are taken for transcripts."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.transcripts import lines as lines_module
from memtree.engine.transcripts.agents import AGENTS, kind_of_transcript, read_transcript
from memtree.engine.transcripts.finding import memory_files, transcript_files
from memtree.engine.transcripts.lines import Lines, UnreadableTranscript
from memtree.engine.transcripts.reading import Transcript
from memtree.engine.writers.turn_plan import prepared
from memtree.tree.agent_turn import LONGEST, AgentTurn
from memtree.tree.redactor import Redactor
from support.agent_transcripts import ClaudeTranscript, CodexRollout, OpenClawSession, Tool

Talk = ClaudeTranscript | CodexRollout | OpenClawSession
MADE: dict[str, Callable[[], Talk]] = {"claude-code": ClaudeTranscript, "codex": CodexRollout, "openclaw": OpenClawSession}


def read_bytes(agent: str, data: bytes) -> Transcript:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "some-session.jsonl")
        path.write_bytes(data)
        kind_of_transcript(path)
        first = read_transcript(agent, path)
        assert read_transcript(agent, path) == first
        return first


# -- laws
_TEXT = st.text(max_size=30) | st.sampled_from(
    ["Which port?", "8443.", "<system-reminder>x</system-reminder>", "\ud800", "\u2028", "a\r\nb"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_TOOL = st.builds(Tool, _TEXT, st.dictionaries(_TEXT, _JSON, max_size=2), st.none() | _TEXT, st.booleans())
_STEP = st.one_of(
    st.tuples(st.just("prompt"), _TEXT),
    st.tuples(st.just("assistant"), _TEXT, st.lists(_TOOL, max_size=3)),
    st.tuples(st.sampled_from(["machine", "attachment", "system", "compact", "sidechain", "noise", "queued"])),
)


@st.composite
def talks(draw: st.DrawFn) -> tuple[str, Talk]:
    """A conversation in which nobody took anything back."""
    agent = draw(st.sampled_from(AGENTS))
    talk = MADE[agent]()
    for name, *given_ in draw(st.lists(_STEP, max_size=12)):
        if name == "prompt":
            talk.prompt(given_[0] or "Well?")
        elif name == "assistant":
            talk.assistant(given_[0], "And more.", tools=given_[1])
        elif isinstance(talk, ClaudeTranscript):
            _claude_step(talk, name)
        elif isinstance(talk, CodexRollout):
            (talk.compacted if name == "compact" else talk.injected)("INJECTED")
        else:
            talk.entry("compaction" if name == "compact" else "custom", summary="INJECTED")
    return agent, talk


def _claude_step(talk: ClaudeTranscript, name: str) -> None:
    match name:
        case "machine":
            talk.machine("<task-notification>x</task-notification>", isMeta=True)
        case "queued":
            talk.queued("Mind this too.")
        case _:
            getattr(talk, name)()


def grew(short: AgentTurn, long: AgentTurn) -> bool:
    """Whether a turn may be what another one was while it was still being written."""
    same = ("session", "user", "timestamp", "prompt_uuid", "source")
    calls = zip(short.tool_calls, long.tool_calls, strict=False)
    return (
        all(getattr(short, name) == getattr(long, name) for name in same)
        and long.assistant.startswith(short.assistant)
        and len(short.tool_calls) <= len(long.tool_calls)
        and all((one.name, repr(one.input)) == (other.name, repr(other.input)) for one, other in calls)
        and (repr(short) == repr(long) or short.uuid != long.uuid)
    )


@settings(max_examples=50)
@given(talks(), st.floats(0, 1))
def test_a_file_cut_anywhere_gives_the_turns_so_far(made: tuple[str, Talk], part: float) -> None:
    agent, talk = made
    whole = read_bytes(agent, talk.data)
    assert whole.complete_last
    assert whole.problems == ()
    at = int(len(talk.data) * part)
    cut = read_bytes(agent, talk.data[:at])
    assert len(cut.turns) <= len(whole.turns)
    assert repr(cut.turns[:-1]) == repr(whole.turns[: len(cut.turns[:-1])])
    assert all(grew(cut.turns[-1], whole.turns[len(cut.turns) - 1]) for _ in cut.turns[-1:])
    assert cut.problems == ()
    started = talk.data[:at].rpartition(b"\n")[2]
    assert cut.complete_last == (not started or (started.endswith(b"}") and talk.data[at : at + 1] == b"\n"))


def test_a_file_cut_at_every_line_gives_the_turns_so_far() -> None:
    tools = [Tool("Bash", {"command": "a"}, "no", failed=True), Tool("Read", {"path": "b"}), Tool("Grep", {}, None)]
    talk = (
        ClaudeTranscript().attachment().prompt("One?").assistant("First.", "Second.", tools=tools, thinking="x").system().compact()
    )
    talk.attachment().prompt("Two?").noise().assistant("Third.", tools=tools).machine("<task-notification>x").assistant("Fourth.")
    whole = read_bytes("claude-code", talk.data).turns
    assert len(whole) == 2
    for count in range(len(talk.lines)):
        cut = read_bytes("claude-code", b"".join(talk.lines[:count])).turns
        assert cut[:-1] == whole[: len(cut[:-1])]
        assert all(grew(turn, whole[len(cut) - 1]) for turn in cut[-1:])


_ANYTHING: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, 1e308, float("nan"), [], {}, "", "\ud800", "x" * 600, "user", "text", "tool_use"),
    *([None, 1, "x", [[]], {"type": 7}], [{"type": "text", "text": 5}], {"type": "text", "text": None}, {"kind": 3}, [[[[{}]]]]),
    *("compact_boundary", "assistant", "1", "9" * 25, "2026-01-05", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"),
)


def _rich(agent: str) -> Talk:
    tools = [Tool("Bash", {"command": "a"}, "no", failed=True), Tool("Read", {"path": ["b"]})]
    talk = MADE[agent]().prompt("One?").assistant("First.", "Second.", tools=tools).prompt("Two?")
    if isinstance(talk, ClaudeTranscript):
        talk.queued("Mind this.").assistant("Third.").compact().sidechain().machine("<task-notification>x")
    if isinstance(talk, CodexRollout):
        talk.custom("apply_patch", "x", "y", exit_code=1).line("event_msg", {"type": "thread_rolled_back", "num_turns": 1})
    return talk.assistant("Fourth.").prompt("Three?").assistant("Fifth.")


@settings(max_examples=150)
@given(st.sampled_from(AGENTS), st.integers(0, 2**32))
def test_fields_of_any_type_are_survived_and_what_is_read_can_be_stored(agent: str, seed: int) -> None:
    rng = random.Random(seed)
    values = [json.loads(line) for line in _rich(agent).lines]
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(values))
        values[at] = _changed(rng, values[at])
    text = "".join(json.dumps(value) + "\n" for value in values)
    for turn in read_bytes(agent, text.encode()).turns:
        for episode in turn.safe(Redactor()).episodes(1):
            assert episode.render()


def _changed(rng: random.Random, value: Any) -> Any:
    """A JSON value with one part of it, however deep, gone or replaced by anything."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(sorted(value))
        if rng.random() < 0.1:
            return {name: inner for name, inner in value.items() if name != key}
        return {**value, key: _changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], _changed(rng, value[at]), *value[at + 1 :]]
    return rng.choice(_ANYTHING)


@settings(max_examples=60)
@given(st.sampled_from(AGENTS), st.binary(max_size=200), st.data())
def test_any_bytes_are_survived(agent: str, noise: bytes, data: st.DataObject) -> None:
    talk = MADE[agent]().prompt("One?").assistant("First.", tools=[Tool("x")]).prompt("Two?")
    at = data.draw(st.integers(0, len(talk.data)))
    read_bytes(agent, talk.data[:at] + noise + talk.data[at:])
    read_bytes(agent, noise)


# -- lines
@pytest.mark.parametrize("agent", AGENTS)
def test_marks_line_ends_gaps_and_broken_text_do_no_harm(agent: str) -> None:
    talk = MADE[agent]().prompt("One?").assistant("First.")
    plain = read_bytes(agent, talk.data)
    assert len(plain.turns) == 1
    assert read_bytes(agent, b"\xef\xbb\xbf" + talk.data.replace(b"\n", b"\r\n")) == plain
    assert read_bytes(agent, talk.data.removesuffix(b"\n")) == plain
    holes = b"\0" * 1_000 + talk.lines[0] + b"\0" * 1_000 + b"\n" + b"\0" * 100 + b"".join(talk.lines[1:]) + b"\0" * 1_000
    assert read_bytes(agent, holes).turns[0].user == "One?"
    (broken,) = read_bytes(agent, talk.data.replace(b"First.", b"Fi\xff\\ud800\0st.")).turns
    assert broken.assistant == "Fi\ufffd?\0st."


def test_lines_that_are_no_objects_are_counted_and_passed_over() -> None:
    talk = ClaudeTranscript().prompt("One?")
    deep, long = b'{"parentUuid":' + b"[" * 100_000, b'{"parentUuid":' + b"9" * 10_000 + b"}"
    data = b"[1]\n\n" + talk.data + b'nonsense\n{"parentUuid":\n' + deep + b"\n" + long + b"\n" + b'"x"\n' * 20
    transcript = read_bytes("claude-code", data)
    assert [turn.user for turn in transcript.turns] == ["One?"]
    assert transcript.problems == ("25 lines are no JSON objects: 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, …",)
    assert transcript.complete_last


def test_an_endless_line_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "LIMIT", 2_000)
    talk = ClaudeTranscript().prompt("One?").assistant("First.").attachment("x" * 9_000).prompt("Two?").assistant("Second.")
    transcript = read_bytes("claude-code", talk.data)
    assert [(turn.user, turn.assistant) for turn in transcript.turns] == [("One?", "First."), ("Two?", "Second.")]
    assert [problem.split(" than ")[0] for problem in transcript.problems] == ["1 line is longer"]
    assert not read_bytes("claude-code", talk.data + b"y" * 9_000).complete_last
    assert not read_bytes("claude-code", talk.data + b"y" * 2_000).complete_last


def test_numbers_of_lines_count_every_line(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a":1}\n\n{"skip":1}\nbad\n{"a":NaN,"b":1e999,"c":1.5}\n{"a":')
    lines = Lines(str(path), lambda line: b"skip" not in line)
    assert list(lines) == [(0, {"a": 1}), (4, {"a": None, "b": None, "c": 1.5})]
    assert lines.problems == ("1 line is no JSON object: 4",)
    assert not lines.complete


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_no_readable_file_is_refused_and_holds_nobody_up(tmp_path: Path, agent: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "pipe", ".", "a\0b"):
        with pytest.raises(UnreadableTranscript):
            read_transcript(agent, str(tmp_path / name))


# -- whose a file is
@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_is_known_by_what_stands_in_it(tmp_path: Path, agent: str) -> None:
    path = MADE[agent]().prompt("One?").write(tmp_path / "x.jsonl")
    assert kind_of_transcript(path) == agent
    path.write_bytes(b"nonsense\n\n" + path.read_bytes())
    assert kind_of_transcript(path) == agent


@pytest.mark.parametrize(
    "text", ["", "# A note\n", '{"role":"user","content":"hi"}\n', '{"type":"message","text":"x"}\n', "[]\n", '{"a']
)
def test_other_files_are_nobodys(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    assert kind_of_transcript(tmp_path / "x") == ""


# -- which files there are
def _made(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def _found(find: Callable[..., tuple[str, ...]], agent: str, root: Path) -> list[str]:
    return [os.path.relpath(path, root) for path in find(agent, root)]


def test_claude_codes_files(tmp_path: Path) -> None:
    home = tmp_path / ".claude"
    _made(home, "history.jsonl", "projects/-w-b/2.jsonl", "projects/-w-a/1.jsonl", "projects/-w-a/1/subagents/agent-x.jsonl")
    _made(home, "projects/-w-a/memory/MEMORY.md", "projects/-w-a/memory/ports.md", "projects/-w-a/notes.md", "CLAUDE.md")
    assert _found(transcript_files, "claude-code", home) == ["projects/-w-a/1.jsonl", "projects/-w-b/2.jsonl"]
    assert _found(transcript_files, "claude-code", home / "projects") == ["-w-a/1.jsonl", "-w-b/2.jsonl"]
    assert _found(transcript_files, "claude-code", home / "projects/-w-a") == ["1.jsonl"]
    assert _found(memory_files, "claude-code", home) == ["projects/-w-a/memory/MEMORY.md", "projects/-w-a/memory/ports.md"]
    assert _found(memory_files, "claude-code", home / "projects/-w-a") == ["memory/MEMORY.md", "memory/ports.md"]
    assert _found(memory_files, "claude-code", home / "projects/-w-a/memory") == ["MEMORY.md", "ports.md"]


def test_codexs_files(tmp_path: Path) -> None:
    home = tmp_path / ".codex"
    _made(
        home,
        "history.jsonl",
        "sessions/2026/01/06/rollout-2026-01-06T09-b.jsonl",
        "sessions/2026/01/05/rollout-2026-01-05T09-c.jsonl",
    )
    _made(home, "archived_sessions/rollout-2025-12-31T09-a.jsonl", "sessions/other.jsonl")
    _made(home, "memories_v2/memory_summary.md", "memories_v2/rollout_summaries/a.md", "memories_v2/.git/x.md", "AGENTS.md")
    assert _found(transcript_files, "codex", home) == [
        "archived_sessions/rollout-2025-12-31T09-a.jsonl",
        "sessions/2026/01/05/rollout-2026-01-05T09-c.jsonl",
        "sessions/2026/01/06/rollout-2026-01-06T09-b.jsonl",
    ]
    assert _found(transcript_files, "codex", home / "sessions/2026/01/05") == ["rollout-2026-01-05T09-c.jsonl"]
    assert _found(memory_files, "codex", home) == ["memories_v2/memory_summary.md", "memories_v2/rollout_summaries/a.md"]
    assert _found(memory_files, "codex", home / "memories_v2") == ["memory_summary.md", "rollout_summaries/a.md"]


def test_openclaws_files(tmp_path: Path) -> None:
    home = tmp_path / ".openclaw"
    _made(home, "agents/main/sessions/b.jsonl", "agents/main/sessions/a.jsonl", "sessions/c.jsonl", "agents/main/other.jsonl")
    _made(home, *(f"workspace/{name}.md" for name in ("MEMORY", "USER", "SOUL", "AGENTS", "DREAMS", "notes/MEMORY")))
    _made(home, "workspace/memory/2026-01-05.md", "workspace/memory/2026-01-05-ports.md", "workspace/memory/other.md")
    assert _found(transcript_files, "openclaw", home) == [
        "agents/main/sessions/a.jsonl",
        "agents/main/sessions/b.jsonl",
        "sessions/c.jsonl",
    ]
    assert _found(transcript_files, "openclaw", home / "agents/main/sessions") == ["a.jsonl", "b.jsonl"]
    expected = ["DREAMS.md", "MEMORY.md", "USER.md", "memory/2026-01-05-ports.md", "memory/2026-01-05.md"]
    assert _found(memory_files, "openclaw", home / "workspace") == expected
    assert _found(memory_files, "openclaw", home) == [f"workspace/{name}" for name in expected]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("find", [transcript_files, memory_files])
def test_a_file_is_taken_by_its_name_and_links_are_not_followed(
    tmp_path: Path, find: Callable[..., tuple[str, ...]], agent: str
) -> None:
    _made(tmp_path, "away/rollout-1.jsonl", "away/MEMORY.md")
    home = tmp_path / "memory"
    home.mkdir()
    (home / "link").symlink_to(tmp_path / "away")
    for name in ("rollout-1.jsonl", "MEMORY.md"):
        (home / name).symlink_to(tmp_path / "away" / name)
    for name in ("projects", "sessions", "memories_v2", "workspace"):
        (home / name).symlink_to(tmp_path / "away")
    told: list[str] = []
    assert find(agent, home, lambda path, _reason: told.append(path)) == ()
    assert told
    assert find(agent, tmp_path / "away/MEMORY.md") == (str(tmp_path / "away/MEMORY.md"),)
    with pytest.raises(UnreadableTranscript):
        find(agent, tmp_path / "nothing")


@pytest.mark.parametrize(("agent", "kind"), [("claude-code", "key"), ("codex", "words"), ("openclaw", "one")])
def test_a_text_too_long_for_a_turn_costs_neither_the_turn_nor_half_a_key(agent: str, kind: str) -> None:
    line = "MIIEpAIBAAKCAQEA" + "a1B2c3D4" * 6
    text = {
        "words": "a1B2c3D4 " * 500_000,
        "key": "x\n" * (LONGEST // 2 - 500) + "-----BEGIN RSA PRIVATE KEY-----\n" + f"{line}\n" * 1_000,
        "one": "first " + "x" * 5_000_000,
    }[kind]
    talk = MADE[agent]()
    talk.prompt(text)
    talk.assistant("Too long to read.")
    (turn,) = read_bytes(agent, talk.data).turns
    safe = prepared(turn, Redactor(), 0)
    assert safe.assistant == "Too long to read."
    kept, _, told = safe.user.rpartition("\n…")
    assert "more characters" in told
    assert line not in kept
    if kind != "key":
        assert text.startswith(f"{kept} ")  # up to the end of a word
