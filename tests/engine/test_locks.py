"""The write lock: one holder at a time, also when somebody clears the engine's folder away while others wait."""

from __future__ import annotations

import fcntl
import os
import threading
from pathlib import Path

from memtree.engine.locks import WriteLock


def test_a_lock_file_that_was_removed_while_we_waited_locks_nobody_out_who_came_later(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    opened, inside = threading.Event(), threading.Event()

    class Watched(WriteLock):
        def _open(self) -> int:
            fd = super()._open()
            opened.set()
            return fd

    def wait() -> None:
        with Watched(path).held():
            inside.set()

    def hold() -> int:
        fd = os.open(path, os.O_CREAT | os.O_RDWR)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return fd

    first = hold()  # as another process would
    waiter = threading.Thread(target=wait)
    waiter.start()
    opened.wait(100)
    os.unlink(path)
    second = hold()
    os.close(first)
    assert not inside.wait(0.3)
    os.close(second)
    assert inside.wait(100)
    waiter.join()
