"""Arrivals: what a merge would bring to this machine, checked before anything of it touches a file.

Each check raises an alarm: nothing has been changed then, and the error says what to run when the change was meant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memtree.engine import settings
from memtree.engine.git_files import means_yes
from memtree.engine.incoming import printable, refused
from memtree.engine.mass_deletion import MassDeletion, looks_like_an_accident, may_be_many
from memtree.engine.merge.trees import TreeMerge
from memtree.engine.repo import Repo
from memtree.engine.scope import Scope
from memtree.engine.settings import FILE_NAME, InvalidSettings
from memtree.engine.store.store import Store
from memtree.engine.tree_diff import diff_commits
from memtree.tree.errors import StateError
from memtree.tree.objects import FOLDER, Change, CommitId
from memtree.tree.paths import RepoPath, twins


class UnrelatedHistory(StateError):
    def __init__(self, remote: str) -> None:
        super().__init__(
            f"remote {remote} holds another history than this workspace; nothing was changed",
            hint="to join both (nothing is dropped, same names keep both versions): memtree sync --accept-unrelated",
        )
        self.remote = remote


class RefusedPaths(StateError):
    """The remote's tree holds paths that this machine must not or cannot check out."""

    def __init__(self, remote: str, problems: tuple[tuple[str, str], ...]) -> None:
        path, reason = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(
            f"remote {remote} sent {path!r}, which is refused: {reason}{more}; nothing was changed",
            hint="rename or remove it on the machine that made it, and sync again",
        )
        self.problems = problems


class RefusedSettings(StateError):
    """The remote took the workspace's settings away, or made them unreadable."""

    def __init__(self, remote: str, reason: str) -> None:
        super().__init__(
            f"remote {remote} sent settings that cannot be read: {reason}; nothing was changed",
            hint=f"put {FILE_NAME} right on the machine that changed it, and sync again",
        )
        self.remote = remote


class UncommittedOutside(StateError):
    """The remote changed a file that has uncommitted changes here and is outside the workspace's scope, or ignored."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} has changes that memtree must not commit, and the remote changed it too; nothing was changed",
            hint="commit it with git, or move it away, and sync again",
        )


@dataclass(frozen=True, slots=True)
class Accept:
    """What the user allows although it looks like an accident."""

    rewritten: bool = False
    unrelated: bool = False
    mass_delete: bool = False


class Arrivals:
    """The checks of one workspace."""

    def __init__(self, repo: Repo, store: Store, scope: Callable[[], Scope]) -> None:
        self._repo = repo
        self._store = store
        self._scope = scope

    def check(self, remote: str, theirs: CommitId, accept: Accept, ours: CommitId | None, merged: TreeMerge) -> None:
        """Raise the first alarm that a merge of the remote's commit gives; `merged` is what it changes here."""
        bases = self._repo.merge_bases(ours, theirs) if ours is not None else []
        if ours is not None and not bases and not accept.unrelated:
            raise UnrelatedHistory(remote)
        changes = diff_commits(self._repo, bases[0] if bases else None, theirs)
        self._refuse(remote, ours, changes)
        if not accept.mass_delete:
            self._guard(remote, ours, merged)
        self._refuse_settings(remote, merged)
        self._protect_outside(ours, merged)

    def _refuse(self, remote: str, ours: CommitId | None, changes: list[Change]) -> None:
        problems = []
        for change in changes:
            if change.after is None:
                continue
            reason = refused(self._repo, change.path, change.after)
            if reason:
                problems.append((printable(change.path), reason))
        if means_yes(self._repo.config("core.ignorecase")):
            problems += [
                (group[-1], f"this file system cannot hold it beside {group[0]!r}") for group in self._twins(ours, changes)
            ]
        if problems:
            raise RefusedPaths(remote, tuple(problems))

    def _refuse_settings(self, remote: str, merged: TreeMerge) -> None:
        """Without settings that can be read the folder would be no workspace any more, and nothing here could put that right."""
        if FILE_NAME not in merged.changes:
            return
        entry = merged.changes[RepoPath(FILE_NAME)]
        try:
            if entry is None or not entry.is_file:
                raise InvalidSettings(FILE_NAME, "the file is gone")
            settings.parse(self._repo.blob(entry.id), FILE_NAME)
        except InvalidSettings as error:
            raise RefusedSettings(remote, str(error)) from error

    def _twins(self, ours: CommitId | None, changes: list[Change]) -> Iterable[tuple[str, ...]]:
        arriving = [change.path for change in changes if change.after is not None]
        leaving = {change.path for change in changes if change.after is None}
        return twins([*(path for path, _ in self._repo.files(ours) if path not in leaving), *arriving])

    def _guard(self, remote: str, ours: CommitId | None, merged: TreeMerge) -> None:
        gone = [path for path, entry in merged.changes.items() if entry is None]
        if not may_be_many(gone):
            return
        arrived = {entry.id for entry in merged.changes.values() if entry is not None}
        before = [self._repo.entry(ours, path) for path in gone]
        lost = sum(1 for entry in before if entry is not None and entry.mode != FOLDER and entry.id not in arrived)
        total = sum(1 for _ in self._repo.files(ours))
        if looks_like_an_accident(lost, total):
            raise MassDeletion(lost, total, remote=remote)

    def _protect_outside(self, ours: CommitId | None, merged: TreeMerge) -> None:
        """Files that memtree must not commit (out of scope, or ignored by git) are neither overwritten nor sent along."""
        scope = self._scope()
        for changed, result in merged.changes.items():
            here = self._repo.entry(ours, changed)
            path = RepoPath(self._store.working_copy.obstacle(changed) or changed) if here is None else changed
            if scope.holds(path) and (here is not None or not self._is_ignored(path)):
                continue
            if self._store.working_copy.look(path).entry not in (self._repo.entry(ours, path), result):
                raise UncommittedOutside(path)

    def _is_ignored(self, path: RepoPath) -> bool:
        return os.path.lexists(self._store.working_copy.full(path)) and self._repo.is_ignored(path)
