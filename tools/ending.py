"""Ending: how a command that goes on until somebody ends it hears that it shall: Ctrl-C, a service manager, a closed terminal."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Within it, the signals that end a process are heard by `wait`; a second Ctrl-C interrupts as usual. On the main thread."""

    def __init__(self) -> None:
        # A pipe: what a thread waits for on a lock cannot be told safely from a signal's handler on the same thread. Python itself
        # writes to it too: handlers run on the main thread alone, which sleeps on when the system gives a signal to another thread,
        # most of all in a process that was stopped.
        self._read, self._write = os.pipe()
        for fd in (self._read, self._write):
            os.set_blocking(fd, False)
        self._before: dict[int, Any] = {}
        self._woken_before = -1
        self.asked = False

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # whoever started us (nohup, a shell's &) wants it to pass by
                self._before[number] = signal.signal(number, self._hear)
        self._woken_before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _where: TracebackType | None) -> None:
        for number, before in self._before.items():
            signal.signal(number, before if before is not None else signal.SIG_DFL)
        signal.set_wakeup_fd(self._woken_before)
        os.close(self._read)
        os.close(self._write)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the command shall end, until somebody wakes us, or so long: whether it shall end."""
        if not self.asked and select.select([self._read], [], [], seconds)[0]:
            os.read(self._read, 100)
        return self.asked

    def wake(self) -> None:
        """Let `wait` return; from any thread."""
        with contextlib.suppress(OSError):
            os.write(self._write, b"x")

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self.asked and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.asked = True
        self.wake()
