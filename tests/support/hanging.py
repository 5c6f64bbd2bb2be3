"""A test that hangs fails, and tells where it hung and which processes it had; the tests after it run as if nothing had been.

What waits in a library's own code cannot be interrupted so: some time later faulthandler ends the whole process (pyproject.toml).
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

LONGEST = 600.0  # seconds for each of a test's setup, call and teardown
_AGAIN = 20.0  # seconds for what a `with` block waits for on the way out
_STDERR = 2


class Hung(BaseException):
    """A test took too long. No ordinary exception: neither the program nor a search for a smaller example may catch it."""


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Within it no wait of the main thread goes on for longer than so many seconds; nothing is bounded on another thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: FrameType | None) -> None:
        faulthandler.dump_traceback(_STDERR)
        with contextlib.suppress(OSError):
            os.write(_STDERR, "".join(f"{line}\n" for line in processes()).encode("utf-8", "replace"))
        raise Hung(f"it took more than {seconds:g} s; what every thread and process did then stands in the standard error")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def processes() -> list[str]:
    """The processes below this one: id, state, what each waits for in the system, and its command line."""
    if sys.platform != "linux":
        return []
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [_described(pid) for pid in sorted(ours - {os.getpid()})]


def _described(pid: int) -> str:
    folder = Path("/proc", str(pid))
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        waits = (folder / "wchan").read_text()
        words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return f"process {pid}: has ended"
    return f"process {pid}: {state} {waits} {words[:300]}"
