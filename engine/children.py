"""Children: git programs that whoever started them may want to end before they are done, such as a fetch that hangs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator


class Children:
    """The programs that run right now, each the first of a process group of its own, which its helpers (ssh, http) belong to."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False
        self._patience = 0.0

    @property
    def ended(self) -> bool:
        """Whether an end was asked for: what failed since then says nothing about a remote."""
        return self._ended

    @contextlib.contextmanager
    def holding(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Know a program for as long as it runs; one that starts after the end is ended too."""
        with self._turn:
            self._running.add(process)
            if self._ended:
                _signal(process, signal.SIGTERM)
                forcing = threading.Timer(self._patience, self._force, (process,))  # nobody else waits whether that is heard
                forcing.daemon = True
                forcing.start()
        try:
            yield
        finally:
            with self._turn:
                self._running.discard(process)
                self._turn.notify_all()

    def end(self, patience: float = 0.5) -> None:
        """End all of them, and whatever starts later: gently, so that git removes its locks, after `patience` seconds by force."""
        with self._turn:
            self._ended, self._patience = True, patience
            for process in self._running:
                _signal(process, signal.SIGTERM)
            if not self._turn.wait_for(lambda: not self._running, patience):
                for process in self._running:
                    _signal(process, signal.SIGKILL)

    def _force(self, process: subprocess.Popen[bytes]) -> None:
        with self._turn:
            if process in self._running:
                _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """To the process group that it leads, unless it has ended: the number may then be somebody else's."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
