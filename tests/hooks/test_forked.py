"""A session that goes on from another one repeats its turns in a transcript of its own: they are recorded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.importing.agents import import_agent
from memtree.engine.workspace import Workspace
from support.agent_transcripts import ClaudeTranscript, Tool
from support.hooked import Hooked

OTHER = "22222222-2222-4333-8444-555555555555"
FIRST, SECOND = ("One?", "First."), ("Two?", "Second.")
THIRD, FOURTH = ("Three?", "Third."), ("Four?", "Fourth.")


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".claude"


def said(talk: ClaudeTranscript, *turns: tuple[str, str]) -> ClaudeTranscript:
    for user, assistant in turns:
        talk.prompt(user).assistant(assistant, tools=[Tool("Bash", {"command": "ls"}, "a.md")])
    return talk


def told(hooked: Hooked, home: Path, talk: ClaudeTranscript, event: str = "Stop") -> None:
    hooked.tell("claude-code", talk.hook(event, talk.write_below(home)))
    hooked.work()


def stored(hooked: Hooked) -> dict[str, list[str]]:
    """The texts of each session, in order."""
    found: dict[str, list[str]] = {}
    for one in hooked.episodes():
        found.setdefault(one.session, []).append(one.text)
    return found


def test_a_copied_turn_stays_where_it_was_recorded(hooked: Hooked, home: Path) -> None:
    talk = said(ClaudeTranscript(), FIRST, SECOND)
    told(hooked, home, talk)
    fork = said(talk.forked(OTHER), THIRD)
    for event in ("Stop", "PreCompact", "SessionEnd"):
        told(hooked, home, fork, event)
    told(hooked, home, said(fork, FOURTH))
    told(hooked, home, said(talk, ("Else?", "Otherwise.")))
    assert stored(hooked) == {talk.session: [*FIRST, *SECOND, "Else?", "Otherwise."], OTHER: [*THIRD, *FOURTH]}
    with Workspace.open(hooked.root) as workspace:
        assert not import_agent(workspace, "claude-code", [str(home)]).turns.commit.changed


def test_a_fork_in_which_nothing_was_said_is_none(hooked: Hooked, home: Path) -> None:
    talk = said(ClaudeTranscript(), FIRST)
    told(hooked, home, talk)
    told(hooked, home, talk.forked(OTHER), "SessionEnd")
    assert stored(hooked) == {talk.session: [*FIRST]}


def test_what_no_session_has_is_recorded_where_it_is(hooked: Hooked, home: Path) -> None:
    """The agent was connected after the session that was forked had ended."""
    fork = said(said(ClaudeTranscript(), FIRST).forked(OTHER), SECOND)
    told(hooked, home, fork)
    assert stored(hooked) == {OTHER: [*FIRST, *SECOND]}


def test_an_import_of_both_has_each_turn_once(hooked: Hooked, home: Path) -> None:
    talk = said(ClaudeTranscript(), FIRST, SECOND)
    talk.write_below(home)
    said(talk.forked(OTHER), THIRD).write_below(home)
    with Workspace.open(hooked.root) as workspace:
        report = import_agent(workspace, "claude-code", [str(home)])
        assert report.turns.stored == 3
        again = import_agent(workspace, "claude-code", [str(home)])
        assert not again.turns.commit.changed
    assert stored(hooked) == {talk.session: [*FIRST, *SECOND], OTHER: [*THIRD]}
