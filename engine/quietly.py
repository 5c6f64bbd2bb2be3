"""Quietly: a capture of outside edits before something else is done; what keeps it from being made is told, not raised."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.store.report import CommitReport, GitBusy, WrongBranch
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Captured:
    """The commit, if one could be made, else the `failure`; `notes` are what a person should know of either.

    `staged` was left because a person has staged it.
    """

    commit: CommitReport | None
    notes: tuple[str, ...]
    failure: Error | OSError | None = None
    staged: tuple[RepoPath, ...] = ()


def capture_quietly(workspace: Workspace, *, allow_mass_delete: bool = False, hints: Collection[str] | None = None) -> Captured:
    """Capture what is due, everywhere or where the hints say."""
    try:
        commit, survey = workspace.capture.take(automatic=True, allow_mass_delete=allow_mass_delete, hints=hints)
        workspace.attend_to_git()
        workspace.store.refresh_index_times()
    except (MassDeletion, TransientError, StateError, CorruptionError, OSError) as error:
        return Captured(None, (f"recent edits are not committed: {_words(error)}",), error)
    return Captured(commit, tuple(workspace.said()), staged=survey.staged)


def _words(error: Error | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, WrongBranch | GitBusy):
        return str(error)  # the person knows: it is their own doing
    return f"{error}; {error.hint}"
