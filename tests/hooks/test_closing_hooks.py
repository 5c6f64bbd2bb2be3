"""Closing by hooks: a session that ends is closed, one that goes on is closed as far as it has, and no turn ever waits for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.closing.queue import Queue
from memtree.engine.learning_settings import BadVariable
from memtree.engine.workspace import Workspace
from memtree.engine.writers.turns import CaptureOff
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.paths import RepoPath
from memtree.tree.recap import ReadRecap, read_recap
from support.agent_transcripts import ClaudeTranscript
from support.hooked import SETTINGS, Hooked


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w", SETTINGS + "[segments]\nmax_turns_per_segment = 2\n")


def talk_of(turns: int) -> ClaudeTranscript:
    talk = ClaudeTranscript()
    for number in range(turns):
        talk.prompt(f"We decided to number the drafts of chapter {number} by hand.").assistant(
            f"Chapter {number} is numbered by hand."
        )
    return talk


def tell(hooked: Hooked, talk: ClaudeTranscript, event: str, **fields: object) -> None:
    path = talk.write_below(Path(hooked.environment["HOME"]))
    hooked.tell("claude-code", talk.hook(event, path, **fields))


def recaps(hooked: Hooked) -> list[ReadRecap]:
    with Workspace.open(hooked.root) as workspace:
        repo = workspace.repo
        files = list(repo.files(repo.tip(), "memory_tree/content/recap"))
        found = [read_recap(RepoPath(path), repo.blob(entry.id)) for path, entry in files]
    return [recap for recap in found if recap is not None]


def test_a_session_that_ends_is_closed(hooked: Hooked) -> None:
    tell(hooked, talk_of(3), "SessionEnd", reason="exit")
    done = hooked.work()
    assert (done.turns, done.waiting, done.failed) == (3, 0, 0)
    assert [(one.first, one.last, one.reason) for one in recaps(hooked)] == [
        (1, 4, "turn_count_exceeded"),
        (5, 6, "session_end"),
    ]
    assert all(one.events for one in recaps(hooked))


def test_what_has_ended_is_closed_while_the_session_goes_on(hooked: Hooked) -> None:
    tell(hooked, talk_of(3), "Stop", stop_hook_active=False)
    hooked.work()
    assert [(one.first, one.last) for one in recaps(hooked)] == [(1, 4)]
    tell(hooked, talk_of(3), "SessionEnd", reason="exit")
    tell(hooked, talk_of(3), "SessionEnd", reason="exit")
    hooked.work()
    assert [(one.first, one.last) for one in recaps(hooked)] == [(1, 4), (5, 6)]


def test_no_turn_waits_for_what_cannot_be_closed(hooked: Hooked) -> None:
    """A file stands where the folder of recaps should be: turns are recorded, the rest is done once it has gone."""
    root = Path(hooked.root, "memory_tree/content")
    root.mkdir(parents=True)
    (root / "recap").symlink_to("/nowhere")
    with Workspace.open(hooked.root) as workspace:
        workspace.save()
    tell(hooked, talk_of(3), "SessionEnd", reason="exit")
    done = hooked.work()
    assert (done.turns, done.waiting, done.failed) == (3, 0, 0)
    assert len(hooked.turns()) == 6
    tell(hooked, talk_of(4), "SessionEnd", reason="exit")
    assert hooked.work().turns == 1
    waiting = Queue(hooked.place.state).steps()
    assert waiting
    (root / "recap").unlink()
    with Workspace.open(hooked.root) as workspace:
        workspace.save()
    Queue(hooked.place.state).again()
    hooked.work()
    assert [(one.first, one.last) for one in recaps(hooked)] == [(1, 4), (5, 8)]
    assert Queue(hooked.place.state).steps() == []


@pytest.mark.parametrize("by", ["file", "environment"])
def test_where_nothing_is_captured_nothing_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    name = "episodic_capture_enabled"
    hooked = Hooked(tmp_path / "w", SETTINGS + (f"[learning]\n{name} = false\n" if by == "file" else ""))
    if by == "environment":
        monkeypatch.setenv(f"MEMTREE_LEARNING_{name.upper()}", "0")
        hooked.environment[f"MEMTREE_LEARNING_{name.upper()}"] = "0"
    for event, fields in (("Stop", {"stop_hook_active": False}), ("SessionEnd", {"reason": "exit"})):
        tell(hooked, talk_of(1), event, last_assistant_message="Chapter 0 is numbered by hand.", **fields)
    assert hooked.outbox.names() == []
    assert hooked.work().turns == 0
    assert b"numbered by hand" not in hooked.everything()
    with Workspace.open(hooked.root) as workspace, pytest.raises(CaptureOff):
        workspace.record_turn(AgentTurn("s-1", "Question?", "Answer."))


def test_what_waits_from_before_capture_was_turned_off_is_not_recorded(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(hooked, talk_of(1), "Stop", stop_hook_active=False)
    monkeypatch.setenv("MEMTREE_LEARNING_EPISODIC_CAPTURE_ENABLED", "no")
    assert hooked.work().turns == 0
    assert hooked.turns() == []


def test_a_variable_that_says_neither_is_told_and_stops_no_agent(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTREE_LEARNING_ENABLED", "perhaps")
    with pytest.raises(BadVariable, match="MEMTREE_LEARNING_ENABLED must be true or false"):
        Workspace.open(hooked.root)
    hooked.environment["MEMTREE_LEARNING_ENABLED"] = "perhaps"
    tell(hooked, talk_of(1), "Stop", stop_hook_active=False)
    assert len(hooked.outbox.names()) == 1  # kept until the worker can record it
