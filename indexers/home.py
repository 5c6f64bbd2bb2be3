"""The folder an index lives in: its version, its lock, and swapping a damaged one for an empty one.

`folder/v{version}/` belongs to the index library; `folder/lock` is held by the one process that writes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memtree.indexers.base import IndexBusy, IndexUnwritable


class Mark(NamedTuple):
    """What tells two states of an index folder apart without opening it."""

    folder: int
    file: int
    time: int
    size: int


class Home:
    """Where one index keeps its files. Nothing is created before `replace`."""

    def __init__(self, folder: str, version: int, state_file: str) -> None:
        self._folder = folder
        self._state = os.path.join(folder, f"v{version}", state_file)
        self.path = os.path.join(folder, f"v{version}")

    def exists(self) -> bool:
        return self.identity() != 0

    def identity(self) -> int:
        """A number that changes when the folder is replaced; 0 when there is none."""
        try:
            found = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return 0
        return found.st_ino if stat.S_ISDIR(found.st_mode) else 0

    def mark(self) -> Mark:
        """Return the state on disk; raise OSError when the state file is missing."""
        state = os.stat(self._state)
        return Mark(self.identity(), state.st_ino, state.st_mtime_ns, state.st_size)

    def versions(self) -> list[str]:
        """Names of the version folders, another version's included."""
        try:
            return [name for name in os.listdir(self._folder) if name[:1] == "v" and name[1:].isdigit()]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def replace(self, create: Callable[[str], None]) -> None:
        """Put what `create` makes in place of every version; the lock must be held."""
        try:
            self._replace(create)
        except OSError as error:
            raise IndexUnwritable(f"the index cannot be written: {error.strerror}") from error

    def _replace(self, create: Callable[[str], None]) -> None:
        new = os.path.join(self._folder, "new")
        shutil.rmtree(new, ignore_errors=True)
        os.makedirs(new)
        create(new)
        for name in self.versions():
            # Renamed, not deleted in place: a reader sees a whole index or none, never half of one.
            os.rename(os.path.join(self._folder, name), os.path.join(self._folder, f"gone-{os.urandom(4).hex()}"))
        os.rename(new, self.path)
        for name in os.listdir(self._folder):
            if name.startswith("gone-"):
                shutil.rmtree(os.path.join(self._folder, name), ignore_errors=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the index for writing; raise IndexBusy at once when another process does.

        Only its own folder is made, none above: where a workspace was taken away, nothing may stand in the way of what comes back.
        """
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._folder)
            lock = os.open(os.path.join(self._folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise IndexUnwritable(f"the index cannot be written: {error.strerror}") from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise IndexBusy("the index is being written by another process") from error
            yield
        finally:
            os.close(lock)
