"""Cycle: one turn of the daemon's work: edits become a commit, then the indexes follow it. Its outcome is a value, troubles too."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from memtree.engine.capture import RootMissing
from memtree.engine.history import changes_between
from memtree.engine.quietly import Captured, capture_quietly
from memtree.engine.workspace import Workspace
from memtree.hooks.watching.hints import Look
from memtree.tree.objects import CommitId

Clock = Callable[[], float]
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a capture did: how many `files` it committed, and how many `seconds` it took."""

    captured: Captured
    files: int = 0
    seconds: float = 0.0

    @property
    def commit(self) -> CommitId | None:
        """The commit that was made, None for none."""
        made = self.captured.commit
        return made.after if made is not None and made.changed else None

    @property
    def homeless(self) -> bool:
        """Whether the workspace's folder is gone, with all that watched it."""
        return isinstance(self.captured.failure, RootMissing)


@dataclass(frozen=True, slots=True)
class Indexed:
    """What a person should know of the indexes, and how many `seconds` it took to bring them to HEAD."""

    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def take_turn(workspace: Workspace, look: Look, clock: Clock = time.monotonic) -> Turn:
    """Capture what the look is about. Raises only what is a bug."""
    started = clock()
    captured = capture_quietly(workspace, hints=None if look.everything else look.paths)
    return Turn(captured, _files(workspace, captured), clock() - started)


def index(workspace: Workspace, progress: Progress | None = None, clock: Clock = time.monotonic) -> Indexed:
    """Bring the indexes to HEAD; `progress` is told how many files are done. Raises only what is a bug."""
    started = clock()
    notes = tuple(workspace.refresh_index(progress))
    return Indexed(notes, clock() - started)


def _files(workspace: Workspace, captured: Captured) -> int:
    made = captured.commit
    return len(changes_between(workspace.repo, made.before, made.after)) if made is not None and made.changed else 0
