"""Files: the one door to the disk for everything the engine writes.

Each operation first names itself to `observe`, so that a test can record the steps of a commit and kill the process at every one
of them. With durability `full` the sync operations reach the disk; with `fast` they are skipped, and a killed process (but not a
power loss) is survived all the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import enum
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator

Observer = Callable[[str, str], None]


class Durability(enum.Enum):
    FULL = "full"
    FAST = "fast"


def unobserved(_step: str, _path: str) -> None:
    """The observer of everyday use."""


class Files:
    """Writes, renames and syncs. Paths are absolute; nothing here follows a symbolic link at the last component."""

    def __init__(self, durability: Durability, observe: Observer = unobserved, *, exchange_supported: bool | None = None) -> None:
        self.durability = durability
        self.observe = observe
        self.can_exchange = _RENAME is not None if exchange_supported is None else exchange_supported

    @property
    def durable(self) -> bool:
        return self.durability is Durability.FULL

    def unsynced(self) -> Files:
        """The same door for a bulk operation: nothing is synced one by one, its caller ends with `sync_all`."""
        return Files(Durability.FAST, self.observe, exchange_supported=self.can_exchange)

    # -- making
    def write_new(self, path: str, data: bytes | bytearray, *, mode: int = 0o644) -> None:
        """Create `path` with these bytes; FileExistsError when it is there already."""
        self.observe("create", path)
        self._fill(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, mode), path, (data,))

    def write_parts(self, path: str, parts: Iterable[bytes | bytearray], *, mode: int = 0o644) -> None:
        """Create `path` from several buffers, without joining them first."""
        self.observe("create", path)
        self._fill(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, mode), path, parts)

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file, making it when it is not there; one write call, so lines of several writers never mix."""
        self.observe("append", path)
        fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.write(fd, data)
            self._sync(fd, path)
        finally:
            os.close(fd)

    def replace(self, path: str, data: bytes) -> None:
        """Put these bytes under `path`, whole or not at all (temp, sync, rename, sync of the folder)."""
        new = path + ".new"
        self.unlink(new)
        self.write_new(new, data)
        self.rename(new, path)
        self.sync_folder(os.path.dirname(path))

    def symlink(self, target: bytes, path: str) -> None:
        self.observe("symlink", path)
        os.symlink(target, os.fsencode(path))

    def link(self, source: str, path: str) -> None:
        self.observe("link", path)
        os.link(source, path)

    def make_folder(self, path: str) -> None:
        """Make one folder; fine when it is there. NotADirectoryError or FileExistsError when something else is in the way."""
        try:
            self.observe("mkdir", path)
            os.mkdir(path)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise
            return
        self.sync_folder(os.path.dirname(path))

    def make_folders(self, path: str) -> None:
        """Make a folder and what is missing above it."""
        if not os.path.isdir(path):
            self.make_folders(os.path.dirname(path))
            self.make_folder(path)

    # -- moving
    def rename(self, source: str, path: str) -> None:
        """Rename over whatever is there."""
        self.observe("rename", path)
        os.rename(source, path)

    def rename_new(self, source: str, path: str) -> None:
        """Rename onto a free name; FileExistsError when it is taken."""
        self.observe("rename_new", path)
        if self.can_exchange:
            _rename_flagged(source, path, _NOREPLACE)
            return
        if os.path.isdir(source):
            os.rename(source, path)  # never over a file, nor over a folder that holds anything
            return
        os.link(source, path, follow_symlinks=False)
        self.unlink(source)

    def exchange(self, one: str, two: str) -> None:
        """Swap two names in one step; FileNotFoundError when either is missing.

        Where the system has no such call the second name is kept as the first one's content by link and rename: between the two
        an edit can slip in unseen, which `doctor` reports as an open window.
        """
        self.observe("exchange", two)
        if self.can_exchange:
            _rename_flagged(one, two, _EXCHANGE)
            return
        aside = one + _ASIDE
        with contextlib.suppress(FileNotFoundError):
            os.unlink(aside)
        if os.path.isdir(one):
            os.rename(two, aside)  # a folder cannot take a file's place by rename
        else:
            os.link(two, aside, follow_symlinks=False)
        self.observe("rename", two)
        os.rename(one, two)
        self.observe("rename", one)
        os.rename(aside, one)

    def finish_exchange(self, one: str) -> None:
        """Bring what an exchange by link and rename displaced to its place, when a kill came before that."""
        if os.path.lexists(one + _ASIDE) and not os.path.lexists(one):
            self.rename(one + _ASIDE, one)

    # -- taking away
    def unlink(self, path: str) -> None:
        """Remove a file; fine when it is gone."""
        self.observe("unlink", path)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

    def remove_folder(self, path: str) -> bool:
        """Remove an empty folder; say whether that worked."""
        self.observe("rmdir", path)
        try:
            os.rmdir(path)
        except OSError:
            return False
        return True

    def set_mtime(self, path: str, mtime_ns: int) -> None:
        self.observe("utime", path)
        os.utime(path, ns=(mtime_ns, mtime_ns))

    # -- syncing
    def sync_file(self, path: str) -> None:
        """Bring a file's bytes to the disk (durability full only); fine when it is gone."""
        if not self.durable:
            return
        self.observe("fsync", path)
        with contextlib.suppress(FileNotFoundError), _opened(path, os.O_RDONLY) as fd:
            os.fsync(fd)

    def sync_folder(self, path: str) -> None:
        """Bring a folder's names to the disk (durability full only); fine when it is gone."""
        if not self.durable:
            return
        self.observe("fsync_folder", path)
        with contextlib.suppress(FileNotFoundError), _opened(path, os.O_RDONLY | os.O_DIRECTORY) as fd:
            os.fsync(fd)

    def sync_all(self, path: str) -> None:
        """Bring everything on the file system that holds `path` to the disk (durability full only)."""
        if not self.durable:
            return
        self.observe("syncfs", path)
        if _SYNCFS is None:
            os.sync()
            return
        with _opened(path, os.O_RDONLY) as fd:
            if _SYNCFS(fd):
                code = ctypes.get_errno()
                raise OSError(code, os.strerror(code), path)

    def _fill(self, fd: int, path: str, parts: Iterable[bytes | bytearray]) -> None:
        try:
            for part in parts:
                view = memoryview(part)
                half = len(view) // 2
                # Two writes, so that a test can kill between them: a torn file must be as harmless as a missing one.
                for piece in (view[:half], view[half:]):
                    self.observe("write", path)
                    while piece:
                        piece = piece[os.write(fd, piece) :]
            self._sync(fd, path)
        finally:
            os.close(fd)

    def _sync(self, fd: int, path: str) -> None:
        if self.durable:
            self.observe("fsync", path)
            os.fsync(fd)


def same_file(one: str, two: str) -> bool:
    """Whether two names are the same inode; False when either is missing."""
    try:
        return os.path.samestat(os.lstat(one), os.lstat(two))
    except (FileNotFoundError, NotADirectoryError):
        return False


@contextlib.contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


# -- the flagged rename of the operating system: renameat2 on Linux, renamex_np on macOS
_NOREPLACE, _EXCHANGE = (1, 2) if sys.platform == "linux" else (4, 2)
_AT_FDCWD = -100
_ASIDE = ".old"


def _find_rename() -> Callable[[bytes, bytes, int], int] | None:
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and hasattr(libc, "renameat2"):
        return lambda one, two, flags: int(libc.renameat2(_AT_FDCWD, one, _AT_FDCWD, two, flags))
    if sys.platform == "darwin" and hasattr(libc, "renamex_np"):
        return lambda one, two, flags: int(libc.renamex_np(one, two, flags))
    return None


_RENAME = _find_rename()
_SYNCFS = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


def _rename_flagged(one: str, two: str, flags: int) -> None:
    assert _RENAME is not None
    if _RENAME(os.fsencode(one), os.fsencode(two), flags):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), two)


def exchange_works(folder: str) -> bool:
    """Try an exchange in `folder`: some file systems have the call but refuse it."""
    if _RENAME is None:
        return False
    one, two = (os.path.join(folder, f".exchange-{os.getpid()}-{n}") for n in "ab")
    try:
        for path in (one, two):
            with open(path, "xb"):
                pass
        _rename_flagged(one, two, _EXCHANGE)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            return False
        raise
    finally:
        for path in (one, two):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    return True
