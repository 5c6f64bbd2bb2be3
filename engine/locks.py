"""WriteLock: one writer at a time per workspace, across threads and processes. The only module that imports portalocker.

An in-process mutex per real path first (flock does not tell threads apart), then an exclusive flock on the lock file. The holder
writes who it is into the file, so that whoever waits in vain can be told. The kernel drops the flock of a killed process.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.errors import CorruptionError, TransientError

_HOLDER_SIZE = 400  # bytes; forty characters of a program's name are at most 240 in JSON
_mutexes: dict[str, threading.RLock] = {}
_mutexes_guard = threading.Lock()


class LockBusy(TransientError):
    """Somebody else is writing."""

    def __init__(self, path: str, holder: str, waited: float) -> None:
        super().__init__(
            f"the workspace is being written by {holder}; gave up after {waited:.0f} s",
            hint="try again; a lock whose holder died is freed by itself",
        )
        self.path = path
        self.holder = holder


class LockIsLink(CorruptionError):
    """The lock file is a symbolic link: writing through it could damage a file elsewhere."""

    def __init__(self, path: str) -> None:
        super().__init__(f"the lock {path} is a symbolic link", hint="remove it; memtree makes its own lock file")


class Holder(NamedTuple):
    """Who holds a lock, as it signed itself: its process, its program, and since when in epoch seconds."""

    pid: int
    program: str
    since: int


@dataclass(frozen=True, slots=True)
class WriteLock:
    path: str
    timeout: float = 30.0

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; raise LockBusy after the timeout, LockIsLink when the file is a symbolic link."""
        deadline = time.monotonic() + self.timeout
        with self.turn():
            fd = self._taken(deadline)
            try:
                _sign(fd)
                yield
            finally:
                os.close(fd)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Keep the other threads of this process from writing, as they keep each other; raise LockBusy after the timeout.

        For looking at what writing shares between threads. A thread that has its turn may still take the lock.
        """
        with _mutexes_guard:
            mutex = _mutexes.setdefault(os.path.realpath(self.path), threading.RLock())
        if not mutex.acquire(timeout=max(self.timeout, 0)):
            raise LockBusy(self.path, "another thread of this process", self.timeout)
        try:
            yield
        finally:
            mutex.release()

    def _taken(self, deadline: float) -> int:
        """The locked file. One that was removed while we waited locks nobody out who came later."""
        while True:
            fd = self._open()
            try:
                self._lock(fd, deadline)
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(fd), os.lstat(self.path)):
                        return fd
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def holder(self) -> str:
        """Who holds the lock now, or '' when nobody does."""
        try:
            fd = self._open()
        except FileNotFoundError:
            return ""
        try:
            return "" if _try_lock(fd) else _read_holder(fd)
        finally:
            os.close(fd)

    def held_by(self) -> Holder | None:
        """Who holds the lock now; None when nobody does, or nobody who has signed. Makes no file.

        Somebody who takes the lock in the same instant may find it taken.
        """
        try:
            fd = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            return None if _try_lock(fd) else _holder(fd)
        finally:
            os.close(fd)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            if os.path.islink(self.path):
                raise LockIsLink(self.path) from error
            raise

    def _lock(self, fd: int, deadline: float) -> None:
        while not _try_lock(fd):
            if time.monotonic() >= deadline:
                raise LockBusy(self.path, _read_holder(fd), self.timeout)
            time.sleep(random.uniform(0.001, 0.008))


def _try_lock(fd: int) -> bool:
    import portalocker

    try:
        portalocker.lock(fd, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except (portalocker.LockException, portalocker.AlreadyLocked):
        return False
    return True


def _sign(fd: int) -> None:
    program = os.path.basename(sys.argv[0] or "python").replace("__main__.py", "memtree")[:40]
    # Always as long: some file systems bring a file that was truncated to the disk when it is closed, which takes milliseconds.
    holder = json.dumps({"pid": os.getpid(), "program": program, "since": int(time.time())}).ljust(_HOLDER_SIZE).encode()
    if os.fstat(fd).st_size > len(holder):
        os.ftruncate(fd, 0)
    os.pwrite(fd, holder, 0)


def _read_holder(fd: int) -> str:
    holder = _holder(fd)
    if holder is None:
        return "another process"
    return f"process {holder.pid} ({holder.program}) since {time.strftime('%H:%M:%S', time.localtime(holder.since))}"


def _holder(fd: int) -> Holder | None:
    try:
        found = json.loads(os.pread(fd, 4096, 0))
        holder = Holder(int(found["pid"]), str(found["program"]), int(found["since"]))
        time.localtime(holder.since)
        return holder
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return None
