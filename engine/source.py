"""What the indexes read: commits of this workspace, limited to its scope."""

from __future__ import annotations

from collections.abc import Iterator

from memtree.engine.repo import Repo
from memtree.engine.scope import Scope
from memtree.engine.tree_diff import diff_commits
from memtree.tree.objects import Change, ChangeKind, CommitId, Entry


class RepoSource:
    """The engine's side of `indexers.base.Source`."""

    def __init__(self, repo: Repo, scope: Scope) -> None:
        self._repo = repo
        self._scope = scope

    def changes(self, before: CommitId | None, after: CommitId) -> Iterator[Change]:
        """The files that differ, each path once; a link or submodule in place of a file counts as nothing there."""
        for change in diff_commits(self._repo, before, after):
            if not self._scope.indexes(change.path):
                continue
            old, new = _file(change.before), _file(change.after)
            if old == new:
                continue
            kind = ChangeKind.ADDED if old is None else ChangeKind.DELETED if new is None else ChangeKind.MODIFIED
            yield Change(kind, change.path, old, new)

    def blob(self, id: str) -> bytes:  # noqa: A002 - git's own word, and the protocol's
        return self._repo.blob(id)

    def has_commit(self, id: str) -> bool:  # noqa: A002
        return self._repo.has_commit(CommitId(id))


def _file(entry: Entry | None) -> Entry | None:
    return entry if entry is not None and entry.is_file else None
