"""Control: starting a workspace's daemon as a process of its own, and ending the one that runs, whatever state it is in."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memtree.engine.daemon_lock import daemon_holder, daemon_lock
from memtree.engine.locks import Holder
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.place import Place
from memtree.hooks.spawn import spawn_detached
from memtree.tree.errors import Error, StateError, TransientError

STARTING, ENDING = 20.0, 30.0  # seconds that a daemon gets
_LOOK = 0.05  # seconds between two looks
_ASKED = 5.0  # seconds for the answer of one that is asked to end
_MOMENT = 1.0  # seconds in which what is left of one that died lets go
_COMPLAINTS = 4000  # bytes of what one that did not start said


class NotStarted(StateError):
    """The daemon ended as it began; `said` is what it complained of."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(
            f"the daemon did not start (exit code {code}){f': {said}' if said else ''}",
            hint="memtree daemon run shows more; memtree doctor looks for trouble",
        )
        self.code = code
        self.said = said


class SlowStart(TransientError):
    """The daemon runs but did not answer in time."""

    def __init__(self, pid: int, waited: float) -> None:
        super().__init__(
            f"the daemon (process {pid}) runs but did not answer within {waited:.0f} s",
            hint="it may be reading a large workspace: memtree daemon status tells when it is ready",
        )
        self.pid = pid


class DoesNotEnd(TransientError):
    """The daemon was asked to end and still runs."""

    def __init__(self, holder: Holder, waited: float, reason: str = "") -> None:
        super().__init__(
            f"the daemon, {named(holder)}, did not end within {waited:.0f} s{reason}",
            hint=f"try again; kill -9 {holder.pid} loses nothing that was saved: the next command clears up what it leaves",
        )
        self.holder = holder


@dataclass(frozen=True, slots=True)
class Started:
    """The daemon's process; `already` when it ran before."""

    pid: int
    already: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """The process that ended, None where none ran; `how`: it was `asked`, or told by a `signal`."""

    pid: int | None
    how: str = ""


def named(holder: Holder) -> str:
    """A daemon for a person: its process, its program and since when it runs."""
    return f"process {holder.pid} ({holder.program}) since {time.strftime('%Y-%m-%d %H:%M', time.localtime(holder.since))}"


def start(place: Place, environment: Mapping[str, str], *, patience: float = STARTING) -> Started:
    """Start a daemon and wait until it answers; one that runs is left alone. Raise NotStarted, SlowStart, OSError."""
    running = daemon_holder(place.state)
    if running is not None:
        return Started(running.pid, already=True)
    # A folder of notes may hold a file named like a module: the interpreter must not look there.
    words = (sys.executable, "-P", "-m", "memtree.tools", "-w", place.root, "daemon", "run")
    with tempfile.TemporaryFile() as complaints:
        pid = spawn_detached(words, cwd="/", environment=environment, stderr=complaints.fileno())
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            code = _ended(pid)
            if _answers(place, pid):
                return Started(pid, already=False)
            if code is not None:
                other = daemon_holder(place.state)
                if other is not None:
                    return Started(other.pid, already=True)  # somebody else was quicker
                complaints.seek(0)
                raise NotStarted(code, _one_line(complaints.read(_COMPLAINTS)))
            time.sleep(_LOOK)
    raise SlowStart(pid, patience)


def stop(place: Place, *, patience: float = ENDING) -> Stopped:
    """End the daemon and wait until it let go of the workspace: asked first, then told by a signal. Raise DoesNotEnd."""
    holder = daemon_holder(place.state)
    if holder is None:
        return Stopped(None)
    deadline = time.monotonic() + patience
    how = "asked"
    if not (
        _asked_to_end(place, min(_ASKED, patience / 2))
        and _until(lambda: _is_over(place, holder), min(deadline, time.monotonic() + patience / 2))
    ):
        how = "signal"
        # Looked at again: what stands in the lock file counts only while the lock is held.
        present = daemon_holder(place.state)
        if present is None or present.pid != holder.pid:
            return Stopped(holder.pid, "asked")
        if not holds(place, present.pid):
            # A program that it was starting as it died may hold the lock for a moment longer.
            if _until(lambda: _is_over(place, holder), min(deadline, time.monotonic() + _MOMENT)):
                return Stopped(holder.pid, "asked")
            raise DoesNotEnd(present, patience, " (it runs on another machine or in a container, or ends just now)")
        try:
            os.kill(present.pid, signal.SIGTERM)
            os.kill(present.pid, signal.SIGCONT)  # one that was stopped could not end
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise DoesNotEnd(present, patience, " (it belongs to another user)") from error
    if not _until(lambda: _is_over(place, holder), deadline):
        raise DoesNotEnd(holder, patience)
    return Stopped(holder.pid, how)


def holds(place: Place, pid: int) -> bool:
    """Whether this process has the daemon's lock file open, where the system tells; elsewhere its word is taken."""
    if pid <= 1 or pid == os.getpid():
        return False
    folder = f"/proc/{pid}/fd"
    if not os.path.isdir("/proc/self/fd"):
        return True
    try:
        lock = os.stat(daemon_lock(place.state).path)
        names = os.listdir(folder)
    except OSError:
        return False
    for name in names:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(os.path.join(folder, name)), lock):
                return True
    return False


def _is_over(place: Place, holder: Holder) -> bool:
    """Whether that process serves no more. One that only took its lock anew, since it had lost it, goes on."""
    present = daemon_holder(place.state)
    return present is None or present.pid != holder.pid


def _until(condition: Callable[[], bool], deadline: float) -> bool:
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK)
    return True


def _asked_to_end(place: Place, patience: float) -> bool:
    client = Client.of(place)
    if client is None:
        return False
    with client, contextlib.suppress(Unreachable, Error):
        client.call("stop", {}, patience=patience)
        return True
    return False


def _answers(place: Place, pid: int) -> bool:
    client = Client.of(place)
    if client is None:
        return False
    with client, contextlib.suppress(Unreachable, Error):
        hello = client.call("hello", {})
        return isinstance(hello, dict) and hello.get("pid") == pid
    return False


def _ended(pid: int) -> int | None:
    """The exit code of a child, None while it runs."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return None
    return os.waitstatus_to_exitcode(status) if found else None


def _one_line(said: bytes) -> str:
    """What a process complained of, as a sentence: of a traceback only its end."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    if any(line.startswith("Traceback ") for line in lines):
        lines = lines[-1:]
    return "; ".join(line.removeprefix("memtree: ") for line in lines)
