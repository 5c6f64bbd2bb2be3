"""`memtree hook`: turns from scripts, what waits, what status and doctor say of it, and which words call an agent's hook."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from memtree.hooks.connect.agent_hooks import AGENTS as CONNECTED
from memtree.hooks.connect.command_line import call_words
from memtree.hooks.generic import SCHEMA
from memtree.tools.agent_hook import HookWords, hook_words
from support.cli import memtree
from support.hooked import Hooked

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w")


def test_nothing_is_waited_for_from_a_terminal(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = os.openpty()
    with open(slave, encoding="utf-8") as terminal:
        monkeypatch.setattr("sys.stdin", terminal)
        assert "nothing is given" in memtree("hook", "turn", cwd=hooked.root, code=2).err
    os.close(master)


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


# -- turns


def test_a_turn_from_options(hooked: Hooked, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("It is 8443.\n\nSure.", encoding="utf-8")
    words = ("--session", "s1", "--user", "Which port?", "--assistant-file", str(tmp_path / "answer.txt"), "--uuid", "t1")
    more = ("--timestamp", "1767603600.25", "--model", "m", "--cost", "0.5", "--tool", "Read", "--failed-tool", "Bash")
    done = memtree("hook", "turn", *words, *more, "--json", cwd=hooked.root).json
    assert done["outcome"] == "stored"
    assert done["paths"] == [f"memory_tree/content/episodic/s1/00000{number}.md" for number in (1, 2)]
    user, answer = hooked.episodes()
    assert (user.text, user.timestamp, user.source) == ("Which port?", 1_767_603_600_250, "cli")
    assert answer.text == "It is 8443.\n\nSure."
    for word in ("uuid: t1", "model: m", "cost: 0.5", "Tools that failed in this turn: Bash", "Read"):
        assert word in answer.extra
    again = memtree("hook", "turn", *words, cwd=hooked.root)
    assert again.out == "This turn is recorded already.\n"


def test_a_turn_from_standard_input(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    turn: dict[str, Any] = {"session_id": "s1", "agent": "bot", "user": f"Use {SECRET}", "assistant": "Done."}
    stdin(monkeypatch, json.dumps(turn).encode())
    assert memtree("hook", "turn", cwd=hooked.root).out.startswith("Recorded: memory_tree/content/episodic/s1/000001.md, ")
    stdin(monkeypatch, json.dumps(turn | {"user": "again"}).encode())
    memtree("hook", "turn", "--stdin", "--session", "s2", "--assistant", "Done indeed.", cwd=hooked.root)
    assert [(one.session, one.source) for one in hooked.episodes()] == [("s1", "bot")] * 2 + [("s2", "bot")] * 2
    assert hooked.turns()[-1] == ("assistant", "Done indeed.")
    assert SECRET.encode() not in hooked.everything()


@pytest.mark.parametrize(
    ("words", "given", "message"),
    [
        ((), b'{"user": "x"}', "names no session"),
        ((), b'{"session_id": "", "user": "x"}', "session_id is blank"),
        ((), b'{"session_id": 3, "user": "x"}', "session_id must be a text"),
        ((), b"", "no JSON object"),
        ((), b'{"session_id": "s", "user": "x"', "no JSON object"),
        ((), b'{"session_id": "s"}', "says nothing"),
        ((), b'{"session_id": "s", "user": ["x"]}', "turn.user must be a text"),
        ((), b'{"session_id": "s", "user": "x", "cost": -1}', "turn.cost must be a number"),
        ((), b'{"session_id": "s", "user": "x", "tool_calls": [{}]}', "turn.tool_calls[0].name is missing"),
        (("--user", "x"), b"", "names no session"),
        (("--session", "s", "--user", "x", "--timestamp", "yesterday"), b"", "'yesterday' is no time between 1970 and 9999"),
        (("--session", "s", "--user", "x", "--user-file", "/dev/null"), b"", "given twice"),
        (("--session", SECRET, "--user", "x"), b"", "the session id holds a secret"),
    ],
)
def test_a_turn_that_is_not_one(
    hooked: Hooked, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], given: bytes, message: str
) -> None:
    stdin(monkeypatch, given)
    outcome = memtree("hook", "turn", *words, cwd=hooked.root, code=2)
    assert message in outcome.err
    assert SECRET not in outcome.err
    assert hooked.turns() == []


# -- what waits


def test_what_waits_is_recorded_by_hand(hooked: Hooked) -> None:
    assert memtree("hook", "flush", cwd=hooked.root).out == "Recorded 0 turns of 0 events.\n"
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": "Question?", "assistant": "Answer."}})
    assert "agents     1 event to record: memtree hook flush" in memtree("status", cwd=hooked.root).out
    assert memtree("status", "--json", cwd=hooked.root).json["outbox"] == {"waiting": 1, "failed": 0, "dropped": 0}
    assert memtree("hook", "flush", cwd=hooked.root).out == "Recorded 1 turn of 1 event.\n"
    assert "agents " not in memtree("status", cwd=hooked.root).out
    done = memtree("hook", "flush", "--json", cwd=hooked.root).json
    assert (done["turns"], done["waiting"], done["failed"], done["busy"]) == (0, 0, 0, False)


def test_what_failed_is_told_until_it_is_tried_again(hooked: Hooked) -> None:
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": "Question?", "assistant": "Answer."}})
    hooked.outbox.put_aside(hooked.outbox.names()[0])
    assert "1 failed (.git/memtree/hooks.log): memtree hook flush --again" in memtree("status", cwd=hooked.root).out
    found = [one for one in memtree("doctor", "--json", cwd=hooked.root).json["findings"] if one["check"] == "outbox"]
    again = "memtree hook flush --again; or delete them: .git/memtree/outbox/failed"
    assert [(one["level"], one["action"]) for one in found] == [("note", again)]
    assert memtree("hook", "flush", "--again", cwd=hooked.root).out == "Recorded 1 turn of 1 event.\n"
    assert all(one["check"] != "outbox" for one in memtree("doctor", "--json", cwd=hooked.root).json["findings"])


def test_a_quiet_flush_says_nothing_whatever_happens(hooked: Hooked, tmp_path: Path) -> None:
    Path(hooked.outbox.folder).mkdir()
    Path(hooked.outbox.folder, "1.json").write_text("{", encoding="utf-8")
    Path(hooked.root, "memtree.toml").write_text("content = 3\n", encoding="utf-8")
    for folder in (hooked.root, str(tmp_path)):
        outcome = memtree("-w", folder, "hook", "flush", "--quiet")
        assert (outcome.out, outcome.err) == ("", "")
    assert "content must be a text in quotes" in hooked.log


def test_a_flush_needs_a_workspace(tmp_path: Path) -> None:
    assert "not inside a memtree workspace" in memtree("hook", "flush", cwd=tmp_path, code=2).err


# -- which words call a hook


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("hook claude-code", HookWords("claude-code", None, ())),
        ("-w /w hook codex {}", HookWords("codex", "/w", ("{}",))),
        ("--workspace /w hook generic --json", HookWords("generic", "/w", ("--json",))),
        ("--workspace=/w hook generic", HookWords("generic", "/w", ())),
        ("-w/w --new-option hook claude-code --newer x", HookWords("claude-code", "/w", ("--newer", "x"))),
        ("hook generic --schema", None),
        ("hook codex --help", None),
        ("--help hook codex", None),
        ("hook turn", None),
        ("hook flush --quiet", None),
        ("hook", None),
        ("search hook codex", None),
        ("-w hook codex", None),
        ("", None),
    ],
)
def test_words(line: str, found: HookWords | None) -> None:
    assert hook_words(line.split()) == found


def test_what_install_writes_is_served_without_loading_anything_else() -> None:
    for agent in CONNECTED.values():
        words = call_words(("/usr/bin/memtree",), "/home/ada/my notes", agent.tail)
        assert hook_words(words[1:]) == HookWords(agent.name, "/home/ada/my notes", ())


def test_the_schema_is_printed() -> None:
    assert memtree("hook", "generic", "--schema").json == SCHEMA


def test_the_commands_serve_too(hooked: Hooked) -> None:
    """Not the quick way, but the same: here standard input is at its end."""
    for agent in ("claude-code", "codex", "generic"):
        outcome = memtree("-w", hooked.root, "hook", agent, "--json", "--of-tomorrow", "x")
        assert outcome.out == ""
        assert outcome.err == f"memtree hook {agent}: what came is no JSON object\n"


@pytest.mark.parametrize(
    "line", ["hook agent-of-tomorrow", "--option-of-tomorrow 3 hook claude-code", "-w . hook agent-of-tomorrow"]
)
def test_a_hook_that_another_version_set_up_is_no_veto(line: str) -> None:
    assert memtree(*line.split(), code=1).err.startswith("memtree: ")


@pytest.mark.parametrize("line", ["hook turn --no-such-option", "-w . show --no-such-option hook", "hok"])
def test_a_persons_mistake_keeps_its_code(line: str) -> None:
    memtree(*line.split(), code=2)
