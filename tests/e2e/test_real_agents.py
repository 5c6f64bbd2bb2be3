"""The real Claude Code and Codex with memtree connected, against a model that is told what to say. Asked for by `make e2e`.

MEMTREE_E2E_CLAUDE=/path/to/claude MEMTREE_E2E_CODEX=/path/to/codex make e2e
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from memtree.tree.context_fence import CLOSE, OPEN, without_fenced
from memtree.tree.episode import Episode
from support.made_model import MODEL
from support.real_agents import PROGRAMS, SERVERS, SETTINGS, SHELL, RealAgent, network

STANDING = "The heron release is cut in March."
NOTE = "Staging listens on port 8443 since the tunnel moved."
NOTES = {"MEMORY.md": f"- {STANDING}\n", "staging.md": f"{NOTE}\n"}
SECRET = "ghp_" + "Zk3mQ8vT1xLr5Wb9Yd2Nc7Hs4Pf6Jg0Aeu1o"


@pytest.fixture(params=sorted(PROGRAMS))
def box(request: pytest.FixtureRequest, tmp_path: Path) -> RealAgent:
    program = os.environ.get(PROGRAMS[request.param], "")
    if not program:
        pytest.skip(f"{PROGRAMS[request.param]} does not name the program")
    if not network():
        pytest.skip("no network of its own for a program here: unshare needs root or user namespaces")
    return RealAgent(request.param, program, tmp_path, NOTES)


def shell(agent: str, command: str) -> dict[str, Any]:
    """The reply that asks for a command to be run."""
    given = {"command": command, "description": "Look"} if agent == "claude-code" else {"cmd": command}
    return {"tool": SHELL[agent], "input": given}


def episodes(box: RealAgent) -> list[Episode]:
    box.settled()
    return list(box.hooked.episodes())


def front_matter(turn: Episode) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(turn.extra)
    return found


def commits(box: RealAgent) -> str:
    return box.memtree("log", "--json")


def test_a_session_is_recalled_recorded_and_resumed(box: RealAgent) -> None:
    box.memtree("hooks", "install", box.agent)
    first = box.run("Which port does staging use?", [shell(box.agent, "echo port=8443"), {"text": "It is 8443."}])
    assert (first.code, first.answer) == (0, "It is 8443."), first.printed
    assert len(first.contexts) == 2
    # What stands in memory comes as the session begins, what fits the prompt with it; each in a fence of its own.
    assert (first.contexts[0].count(OPEN), first.contexts[0].count(CLOSE)) == (2, 2)
    assert STANDING in first.contexts[0]
    assert NOTE in first.contexts[0]
    assert STANDING not in without_fenced(first.contexts[0])
    assert NOTE not in without_fenced(first.contexts[0])
    assert "port=8443" in first.contexts[1]
    asked, answered = episodes(box)
    assert (asked.session, asked.seq, asked.role, asked.text) == (first.session, 1, "user", "Which port does staging use?")
    assert (answered.session, answered.seq, answered.role, answered.text) == (first.session, 2, "assistant", "It is 8443.")
    more = front_matter(answered)
    assert more["model"] == MODEL
    assert [(call["name"], "echo port=8443" in str(call["input"])) for call in more["tool_calls"]] == [(SHELL[box.agent], True)]
    assert "lesson" not in more

    second = box.run("Is it open?", [shell(box.agent, "echo closed; exit 3"), {"text": "It is not."}], resume=first.session)
    assert (second.code, second.answer, second.session) == (0, "It is not.", first.session), second.printed
    whole = episodes(box)
    assert [(one.session, one.seq) for one in whole] == [(first.session, number) for number in (1, 2, 3, 4)]
    assert [one.text for one in whole[2:]] == ["Is it open?", "It is not."]
    assert front_matter(whole[3])["lesson"] == f"Tools that failed in this turn: {SHELL[box.agent]}"
    kept = box.hooked.everything()
    assert b"retrieved from memory" not in kept
    assert OPEN.encode() not in kept
    assert box.hooked.log == ""


def test_a_secret_is_stored_redacted(box: RealAgent) -> None:
    box.memtree("hooks", "install", box.agent)
    replies = [shell(box.agent, f"test -n {SECRET}"), {"text": f"I have tried {SECRET} now."}]
    ran = box.run(f"Please try the token {SECRET} on staging.", replies)
    assert (ran.code, ran.answer) == (0, f"I have tried {SECRET} now."), ran.printed
    asked, answered = episodes(box)
    assert asked.text.startswith("Please try the token ")
    assert asked.text.endswith(" on staging.")
    assert answered.text.startswith("I have tried ")
    assert len(front_matter(answered)["tool_calls"]) == 1
    assert SECRET.encode() not in box.hooked.everything()
    for path in Path(box.hooked.place.state).rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("trouble", ["no folder", "no settings", "no repository"])
def test_an_agent_goes_on_without_its_memory(box: RealAgent, trouble: str) -> None:
    box.memtree("hooks", "install", box.agent)
    root = Path(box.hooked.root)
    away = root.with_name("away")
    if trouble == "no folder":
        root.rename(away)
    elif trouble == "no settings":
        (root / "memtree.toml").write_text("content = [", encoding="utf-8")
    else:
        (root / ".git" / "HEAD").rename(away)
    ran = box.run("Which port does staging use?", [{"text": "Nobody told me."}])
    assert (ran.code, ran.answer) == (0, "Nobody told me."), ran.printed
    assert OPEN not in ran.contexts[0]
    if trouble == "no folder":
        assert not root.exists()
        away.rename(root)
    elif trouble == "no settings":
        (root / "memtree.toml").write_text("", encoding="utf-8")
    else:
        away.rename(root / ".git" / "HEAD")
    # Repaired, it has what was said meanwhile as soon as the agent is there again.
    again = box.run("And now?", [{"text": "8443."}], resume=ran.session)
    assert (again.code, again.answer) == (0, "8443."), again.printed
    assert [one.text for one in episodes(box)] == ["Which port does staging use?", "Nobody told me.", "And now?", "8443."]


def test_a_disconnected_agent_leaves_no_trace(box: RealAgent) -> None:
    settings = box.file(SETTINGS[box.agent])
    before, home = settings.read_bytes(), sorted(path.name for path in settings.parent.iterdir())
    box.memtree("hooks", "install", box.agent)
    assert settings.read_bytes() != before
    box.memtree("hooks", "uninstall", box.agent)
    assert settings.read_bytes() == before
    assert sorted(path.name for path in settings.parent.iterdir()) == home
    told = commits(box)
    ran = box.run("Which port does staging use?", [{"text": "Nobody told me."}])
    assert (ran.code, ran.answer) == (0, "Nobody told me."), ran.printed
    assert OPEN not in ran.contexts[0]
    assert episodes(box) == []
    assert commits(box) == told
    assert box.hooked.log == ""


def test_a_forked_session_repeats_nothing(box: RealAgent) -> None:
    box.memtree("hooks", "install", box.agent)
    first = box.run("Which port does staging use?", [{"text": "It is 8443."}])
    box.settled()
    fork = box.run("And production?", [{"text": "It is 443."}], resume=first.session, fork=True)
    assert (fork.code, fork.answer) == (0, "It is 443."), fork.printed
    assert fork.session != first.session
    assert {(one.session, one.seq, one.text) for one in episodes(box)} == {
        (first.session, 1, "Which port does staging use?"),
        (first.session, 2, "It is 8443."),
        (fork.session, 1, "And production?"),
        (fork.session, 2, "It is 443."),
    }, box.hooked.log


def test_memory_is_searched_over_mcp(box: RealAgent) -> None:
    box.memtree("hooks", "install", box.agent)
    box.memtree("mcp", "install", box.agent)
    name: dict[str, Any] = {"tool": "mcp__memtree__search"}
    if box.agent == "codex":
        name = {"tool": "search", "namespace": "mcp__memtree"}
    # Codex does not wait for its servers: they are there when the first command has run.
    asked = [shell(box.agent, "sleep 6"), {**name, "input": {"query": "port of staging"}}, {**name, "input": {"query": ""}}]
    ran = box.run("yes", [*asked, {"text": "8443."}], tools=["mcp__memtree__search"])
    assert (ran.code, ran.answer) == (0, "8443."), ran.printed
    # The hook has nothing to say to such a prompt; what the tool found comes as data.
    assert NOTE not in ran.contexts[1]
    assert NOTE in ran.contexts[2]
    assert NOTE not in without_fenced(ran.contexts[2])
    assert "query is empty" in ran.contexts[3]
    turn = front_matter(episodes(box)[1])
    assert [call["name"] for call in turn["tool_calls"]] == [SHELL[box.agent], "mcp__memtree__search", "mcp__memtree__search"]
    assert turn["lesson"] == "Tools that failed in this turn: mcp__memtree__search"
    box.memtree("mcp", "uninstall", box.agent)
    assert "memtree" not in box.file(SERVERS[box.agent]).read_text(encoding="utf-8")
