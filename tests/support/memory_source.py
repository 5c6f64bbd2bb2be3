"""MemorySource: commits held in dictionaries, for everything that reads through the `Source` protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from memtree.tree.objects import FILE, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath

Files = Mapping[str, bytes]


class MemorySource:
    """A `Source` whose commits are whole snapshots. `commit` records one; a commit's name depends on its history."""

    def __init__(self) -> None:
        self._commits: dict[str, dict[str, str]] = {}
        self._blobs: dict[str, bytes] = {}
        self._head = ""

    def commit(self, files: Files) -> CommitId:
        """Record `files` as everything there is, and return the commit."""
        tree = {path: self._keep(data) for path, data in files.items()}
        name = hashlib.sha1(repr((self._head, len(self._commits), sorted(tree.items()))).encode()).hexdigest()
        self._commits[name] = tree
        self._head = name
        return CommitId(name)

    def forget(self, commit: CommitId) -> None:
        """Lose a commit, as a rewritten history does."""
        del self._commits[commit]

    def changes(self, before: CommitId | None, after: CommitId) -> Iterator[Change]:
        old = self._commits[before] if before is not None else {}
        new = self._commits[after]
        for path in sorted({*old, *new}):
            was, now = old.get(path), new.get(path)
            if was != now:
                kind = ChangeKind.ADDED if was is None else ChangeKind.DELETED if now is None else ChangeKind.MODIFIED
                yield Change(kind, RepoPath(path), _entry(was), _entry(now))

    def blob(self, id: str) -> bytes:  # noqa: A002
        return self._blobs[id]

    def has_commit(self, id: str) -> bool:  # noqa: A002
        return id in self._commits

    def _keep(self, data: bytes) -> str:
        name = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        self._blobs[name] = data
        return name


def _entry(blob: str | None) -> Entry | None:
    return None if blob is None else Entry(FILE, blob)
