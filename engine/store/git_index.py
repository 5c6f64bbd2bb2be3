"""GitIndex: the live `.git/index` and its lock.

The lock is a hard link to a file of ours: whether a lock is ours is told by the inode, never by a pid or an age, and a lock that is
not ours is never touched. While it is held the new index is renamed onto the live one, and only then is the lock let go.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtree.engine.files import Files, same_file
from memtree.engine.store.index_file import IndexFile, Replacement
from memtree.engine.store.places import Places
from memtree.engine.store.refs import GitLockBusy, wait_link

_Key = tuple[int, int, int, int]


class GitIndex:
    def __init__(self, files: Files, places: Places, timeout: float) -> None:
        self._files = files
        self._places = places
        self._timeout = timeout
        self._loaded: tuple[_Key, IndexFile] | None = None  # one value: two threads must never see halves of different ones

    def load(self) -> IndexFile:
        """The index as it is on disk; parsed again only when the file changed."""
        try:
            key = _key(os.stat(self._places.index))
        except FileNotFoundError:
            return IndexFile.empty()
        loaded = self._loaded
        if loaded is None or loaded[0] != key:
            with open(self._places.index, "rb") as file:
                data = file.read()
            loaded = self._loaded = key, IndexFile.parse(data) if data else IndexFile.empty()
        return loaded[1]

    def install(self, changes: Mapping[str, Replacement]) -> None:
        """Write the changed index beside and rename it onto the live one. The lock must be held."""
        index = self.load()
        try:
            old_mtime = os.stat(self._places.index).st_mtime_ns
        except FileNotFoundError:
            old_mtime = None
        self._loaded = None  # spliced in place: no longer what the file says, until it is installed
        index.splice(changes)
        self._files.unlink(self._places.index_full)
        self._files.write_parts(self._places.index_full, index.parts())
        if old_mtime is not None:
            # A newer time would make git trust stat data of other files that were edited in the same tick.
            self._files.set_mtime(self._places.index_full, old_mtime)
        self._files.rename(self._places.index_full, self._places.index)
        self._loaded = _key(os.stat(self._places.index)), index
        self._count(len(changes))

    def _count(self, changed: int) -> None:
        """One byte an entry: the file's size is the count, and an append needs no lock."""
        with open(self._places.spliced, "ab") as file:
            file.write(b"." * changed)

    def wants_refresh(self) -> bool:
        """Whether so many entries were spliced in that scans get slow.

        The index keeps its time (see `install`), so git takes every file written since for edited and reads it at each scan:
        34 us a file (measured). A hundredth of the entries, or 100, are worth one rewrite.
        """
        try:
            return os.stat(self._places.spliced).st_size > max(100, os.stat(self._places.index).st_size // 10_000)
        except FileNotFoundError:
            return False

    def refreshed(self) -> None:
        """The index has been rewritten with a new time, its entries compared with the files."""
        self._files.unlink(self._places.spliced)

    def take_lock(self) -> None:
        """Take `index.lock`; raise GitLockBusy when another program keeps it."""
        places = self._places
        if same_file(places.index_lock, places.index_full):
            # A second name must own the lock before the first one may go.
            self._files.unlink(places.index_new)
            self._files.link(places.index_full, places.index_new)
        if self.owns_lock():
            return
        # May be a second name of the live index: never truncated, always unlinked and made anew.
        self._files.unlink(places.index_new)
        self._files.write_new(places.index_new, b"")
        try:
            wait_link(self._files, places.index_new, places.index_lock, timeout=self._timeout)
        except GitLockBusy:
            self._files.unlink(places.index_new)
            raise

    def owns_lock(self) -> bool:
        return any(same_file(self._places.index_lock, ours) for ours in (self._places.index_new, self._places.index_full))

    def drop_lock(self) -> None:
        """Let go of the lock when it is ours, and of the files beside it."""
        if self.owns_lock():
            self._files.unlink(self._places.index_lock)
        for path in (self._places.index_new, self._places.index_full):
            if os.path.lexists(path):
                self._files.unlink(path)


def _key(found: os.stat_result) -> _Key:
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size
