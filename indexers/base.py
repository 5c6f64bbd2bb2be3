"""What an index is, and where it reads from: the two protocols that the engine and the indexes meet at.

An index is a view of one commit. It stores that commit, its *position*, atomically with its content, so that catching up is
always the same: the difference from the position to the wanted commit, applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from memtree.indexers.query import Hit, Query
from memtree.tree.errors import CorruptionError, TransientError
from memtree.tree.objects import Change, CommitId


class IndexBusy(TransientError):
    """Another process is writing this index, or has moved it since its position was read."""

    hint = "another process is indexing; try again in a moment"


class IndexUnwritable(TransientError):
    """The disk is full or the index folder refuses writes."""

    hint = "free some space, or make the index folder writable"


class IndexCorrupt(CorruptionError):
    """The stored index cannot be read. Catching up rebuilds it."""

    hint = "the next catch-up rebuilds the index; nothing but time is lost"


class Source(Protocol):
    """Where an index reads commits from."""

    def changes(self, before: CommitId | None, after: CommitId) -> Iterable[Change]:
        """Yield the files that differ, each path once; everything is ADDED when `before` is None.

        Renames come as DELETED and ADDED. Already limited to the captured scope; files only.
        """

    def blob(self, id: str) -> bytes:  # noqa: A002 - git's own word, and the protocol's
        """Return a file's bytes."""

    def has_commit(self, id: str) -> bool:  # noqa: A002
        """Whether `changes` can start at this commit."""


class View(Protocol):
    """A rebuildable view of one commit."""

    def position(self) -> CommitId | None:
        """Return the commit this index reflects, None when it must be built from nothing; raise IndexCorrupt if damaged."""

    def vacancy(self) -> str:
        """Say why `position` is None: never built, another version, other settings; '' when it stands at a commit."""

    def apply(self, changes: Iterable[Change], source: Source, to: CommitId, progress: Callable[[int], None] | None = None) -> int:
        """Bring the index from its position to `to`, all or nothing; return the number of paths.

        Applying the same changes twice is the same as once. Raise IndexBusy when another process holds the index or moved it
        since `position` was asked, IndexCorrupt when it is damaged.
        """

    def clear(self) -> None:
        """Empty the index, whatever state it is in."""

    def close(self) -> None:
        """Let go of files. The index may not be used afterwards."""


class Index(View, Protocol):
    """A view that passages are searched in."""

    def search(self, query: Query) -> list[Hit]:
        """Return the best hits, best first; an index that was never built has none."""
