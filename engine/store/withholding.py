"""Withholding: edits that must not be committed, wherever the store comes across them. Their files are left to the user."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Protocol

from memtree.engine.files import Files
from memtree.engine.store.plan import Plan, PlannedPath
from memtree.engine.store.working_copy import WorkingCopy
from memtree.tree.errors import StateError
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath


class Holds(Protocol):
    """Says which versions must not get into history."""

    def withholds(self, path: RepoPath, entry: Entry | None) -> bool:
        """Whether the edit on disk must not be committed though its path is about to change; then it is held from here on."""

    def reason(self, path: RepoPath, entry: Entry | None, beside: Iterable[RepoPath] = ()) -> str:
        """Why a version must not be committed under a path, or ''. What HEAD holds there, or `beside` it, is no reason."""


class NoHolds:
    """Everything may be committed."""

    def withholds(self, path: RepoPath, entry: Entry | None) -> bool:  # noqa: ARG002
        return False

    def reason(self, path: RepoPath, entry: Entry | None, beside: Iterable[RepoPath] = ()) -> str:  # noqa: ARG002
        return ""


class StagedSecret(StateError):
    """A version that only the git index holds would have to go into history first, and must not."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"what is staged of {path} holds {reason}, which must not be committed; nothing was changed",
            hint=f"git restore --staged {path} (the file stays as it is)",
        )
        self.path = path


class SecretWritten(StateError):
    """What was about to be written and committed holds a secret."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path} would be committed with {reason}; nothing was changed",
            hint="take it out and try again, or if it may be known: memtree secrets list, then memtree secrets allow",
        )
        self.path = path


def give_back(
    holds: Holds,
    copy: WorkingCopy,
    files: Files,
    plan: Plan,
    raced: Mapping[RepoPath, Entry | None],
    known: dict[RepoPath, Entry | None],
) -> dict[RepoPath, Entry | None]:
    """The edits that raced in and may be committed. The others go back under their paths, where they are left from then on.

    `known` is what is on disk, and is kept so.
    """
    committed = dict(raced)
    for planned in plan.paths:
        path, edit = planned.path, raced.get(planned.path)
        if edit is None or not holds.reason(path, edit):
            continue
        del committed[path]
        if known[path] == planned.result:
            _take_back(copy, files, planned)
            known[path] = copy.look(path, store=True).entry
        here = known[path]
        if here not in (None, edit, planned.result) and not holds.reason(path, here):
            committed[path] = here  # written since, and without it
    return committed


def _take_back(copy: WorkingCopy, files: Files, planned: PlannedPath) -> None:
    """Undo the move that displaced an edit. A version that came into its place in this very moment is newer, and stays."""
    temp, full = copy.temp(planned), copy.full(planned.path)
    try:
        if planned.result is None:
            files.make_folders(os.path.dirname(full))
            files.rename_new(temp, full)
        else:
            files.exchange(temp, full)
            if not copy.is_staged(planned):
                files.exchange(temp, full)
    except (FileExistsError, FileNotFoundError, NotADirectoryError):
        return
    files.sync_folder(os.path.dirname(full))
