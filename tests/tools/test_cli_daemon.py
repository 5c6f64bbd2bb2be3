"""memtree daemon and memtree watch as real processes: started, looked at, ended, killed, and never taken for another one."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.daemon_lock import daemon_holder, daemon_lock
from memtree.hooks.daemon.client import Client
from memtree.hooks.daemon.control import DoesNotEnd, stop
from memtree.hooks.place import Place
from memtree.tools import sources
from support.cli import MEMTREE, environment, memtree
from support.hooked import Hooked

PATIENCE = 60.0  # seconds, for a machine that is busy with other things


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A workspace with one note. A daemon that a test leaves is ended, by its id."""
    found = Hooked(tmp_path / "w").place
    monkeypatch.setenv("MEMTREE_WORKSPACE", found.root)
    yield found
    holder = daemon_holder(found.state)
    if holder is not None and holder.pid != os.getpid():
        with contextlib.suppress(ProcessLookupError):
            os.kill(holder.pid, signal.SIGKILL)
        reap(holder.pid)


def over(pid: int) -> int:
    """The exit code of a process that was started from here, and ends now. One that does not is ended, and told."""
    deadline = time.monotonic() + PATIENCE
    while (found := os.waitpid(pid, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            pytest.fail(f"process {pid} did not end")
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(found[1])


def reap(pid: int) -> None:
    """Wait for a process that was started from here."""
    with contextlib.suppress(ChildProcessError):
        over(pid)


def let_go(place: Place) -> None:
    """Wait until nothing holds the daemon's lock: a program that it was just starting has it for a moment longer."""
    deadline = time.monotonic() + PATIENCE
    while daemon_holder(place.state) is not None:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """Whoever started the tests in the background has Ctrl-C ignored, and so would the commands that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def started(place: Place, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command as a process of its own, that has ended afterwards."""
    process = subprocess.Popen(
        (*MEMTREE, "-w", place.root, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE)


def line_of(process: subprocess.Popen[bytes], part: str) -> str:
    """The next line of its output that holds a text."""
    assert process.stdout is not None
    waking = threading.Timer(PATIENCE, process.kill)
    waking.start()
    try:
        for line in process.stdout:
            if part in line.decode():
                return line.decode()
    finally:
        waking.cancel()
    pytest.fail(f"no line holds {part}: {process.communicate(timeout=PATIENCE)}")


def ended(process: subprocess.Popen[bytes], number: int) -> tuple[int, str]:
    """Its exit code and what it said to the last, after a signal."""
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, (out + err).decode()


def flush(place: Place) -> None:
    client = Client.of(place)
    assert client is not None
    with client:
        client.call("flush", {}, patience=PATIENCE)


def test_a_daemon_from_its_start_to_its_end(place: Place) -> None:
    none = memtree("daemon", "status", "--json", code=3).json
    assert none == {"running": False, "holder": None, "answers": False, "state": None}
    assert memtree("daemon", "status", code=3).out == "No daemon runs: memtree daemon start starts one.\n"
    assert memtree("status", "--json").json["daemon"] is None

    begun = memtree("daemon", "start", "--json").json
    pid = begun["pid"]
    assert begun == {"pid": pid, "already": False}
    assert memtree("daemon", "start").out == f"The daemon runs already (process {pid}).\n"
    refused = memtree("daemon", "run", code=3)
    assert f"by process {pid} (memtree) since " in refused.err
    assert memtree("status", "--json").json["daemon"]["pid"] == pid
    assert "runs since " in memtree("status").out

    Path(place.root, "new.md").write_text("Heron on the roof.\n")
    flush(place)
    found = memtree("daemon", "status", "--json").json
    assert (found["running"], found["answers"], found["state"]["pid"]) == (True, True, pid)
    assert found["state"]["commits"][0]["subject"] == "save new.md"
    rows = memtree("daemon", "status").lines
    assert rows[0].startswith(f"daemon     process {pid} (memtree) since ")
    assert {"changes", "index", "remote"} <= {row.split()[0] for row in rows}

    with started(place, "watch", "--json") as watching:
        assert json.loads(line_of(watching, "save new.md"))["pid"] == pid
        assert ended(watching, signal.SIGINT) == (0, "")
    assert daemon_holder(place.state) is not None, "it goes on when nobody looks"

    assert memtree("daemon", "stop").out == f"The daemon (process {pid}) has ended.\n"
    reap(pid)
    assert memtree("daemon", "stop", "--json").json == {"pid": None, "how": ""}
    told = [json.loads(line) for line in memtree("daemon", "logs", "--json").lines]
    assert [event["event"] for event in told if event["event"] in ("started", "commit", "stopped")] == [
        "started",
        "commit",
        "stopped",
    ]
    assert "new.md" not in json.dumps(told)
    last = memtree("daemon", "logs", "-n", "1").lines
    assert len(last) == 1
    assert "stopped" in last[0]


def test_a_start_that_fails_says_why(place: Place) -> None:
    Path(place.root, "memtree.toml").write_text('[watch]\nquiet = "soon"\n')
    failed = memtree("daemon", "start", code=3)
    assert failed.err.startswith("memtree: the daemon did not start (exit code 2): ")
    assert "quiet" in failed.err


def test_a_killed_daemon_leaves_nothing_in_the_way_and_one_that_was_stopped_can_be_ended(place: Place) -> None:
    pid = memtree("daemon", "start", "--json").json["pid"]
    os.kill(pid, signal.SIGKILL)
    reap(pid)
    let_go(place)
    assert memtree("daemon", "stop").out == "No daemon runs.\n"
    second = memtree("daemon", "restart", "--json").json["pid"]
    assert second != pid
    settings = Path(place.root, "memtree.toml")
    before = settings.read_bytes()
    settings.write_text('[watch]\nquiet = "soon"\n')
    assert "quiet" in memtree("daemon", "restart", code=2).err
    holder = daemon_holder(place.state)
    assert holder is not None, "the one that runs goes on"
    assert holder.pid == second
    settings.write_bytes(before)
    os.kill(second, signal.SIGSTOP)
    assert "It does not answer" in memtree("daemon", "start").out
    assert stop(place).pid == second  # it goes on to end
    assert over(second) == 0
    assert daemon_holder(place.state) is None


_HANGS = """
import signal, sys, time
from memtree.engine.daemon_lock import daemon_lock
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with daemon_lock(sys.argv[1]).held():
    print("held", flush=True)
    time.sleep(60)
"""


def test_of_one_that_does_not_end_it_is_told_how(place: Place) -> None:
    with subprocess.Popen([sys.executable, "-c", _HANGS, place.state], stdout=subprocess.PIPE) as hanging:
        try:
            assert hanging.stdout is not None
            assert hanging.stdout.readline() == b"held\n"
            with pytest.raises(DoesNotEnd) as caught:
                stop(place, patience=1.0)
            assert f"kill -9 {hanging.pid}" in caught.value.hint
            assert hanging.poll() is None
        finally:
            hanging.kill()


def test_one_that_takes_its_lock_anew_has_not_ended(place: Place) -> None:
    with subprocess.Popen([sys.executable, "-c", _HANGS, place.state], stdout=subprocess.PIPE) as hanging:
        try:
            assert hanging.stdout is not None
            assert hanging.stdout.readline() == b"held\n"
            anew = json.dumps({"pid": hanging.pid, "program": "memtree", "since": 1})
            signing = threading.Timer(0.3, Path(daemon_lock(place.state).path).write_text, (anew,))
            signing.start()
            with pytest.raises(DoesNotEnd):
                stop(place, patience=2.0)
            signing.join()
        finally:
            hanging.kill()


def test_a_process_that_is_no_daemon_is_never_ended(place: Place) -> None:
    """The lock's file names a living process: first nobody holds the lock, then somebody else does."""
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            lock = daemon_lock(place.state).path
            Path(lock).write_text(json.dumps({"pid": other.pid, "program": "memtree", "since": 1}))
            assert memtree("daemon", "stop").out == "No daemon runs.\n"
            with open(lock, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                with pytest.raises(DoesNotEnd):
                    stop(place, patience=0.2)
            assert other.poll() is None
        finally:
            other.kill()


def test_what_holds_the_lock_for_a_moment_after_its_daemon_died_is_waited_for(place: Place) -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    with open(daemon_lock(place.state).path, "w", encoding="utf-8") as file:
        json.dump({"pid": gone.pid, "program": "memtree", "since": 1}, file)
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        letting_go = threading.Timer(0.2, fcntl.flock, (file, fcntl.LOCK_UN))
        letting_go.start()
        assert stop(place).pid == gone.pid
        letting_go.join(PATIENCE)


def test_one_that_waits_takes_over(place: Place) -> None:
    with daemon_lock(place.state).held():
        waiting = started(place, "daemon", "run", "--wait")
        process = waiting.__enter__()
        time.sleep(1.0)
        assert process.poll() is None
    try:
        assert line_of(process, "Serving") == f"Serving {place.root} (process {process.pid}).\n"
        assert ended(process, signal.SIGTERM) == (0, "")
    finally:
        waiting.__exit__(None, None, None)
    assert daemon_holder(place.state) is None


def test_watching_in_a_pipe_tells_what_happens(place: Place) -> None:
    with started(place, "watch") as watching:
        assert place.root in line_of(watching, "serving")
        Path(place.root, "new.md").write_text("Heron on the roof.\n")
        assert "editor: save new.md (1 file)" in line_of(watching, "new.md")  # what was made in the second before may be told first
        code, said = ended(watching, signal.SIGTERM)
    assert (code, said.splitlines()[-1]) == (0, "Not watched any more.")
    assert daemon_holder(place.state) is None


def test_watching_on_a_terminal_fills_it_and_leaves_it_as_it_was(place: Place) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(MEMTREE[0], [*MEMTREE, "-w", place.root, "watch"], environment({"TERM": "xterm-256color", "NO_COLOR": "1"}))
    try:
        seen = read_until(terminal, b"editor")  # the commits are there
        os.kill(pid, signal.SIGINT)
        seen += read_until(terminal, b"any more.")
        assert over(pid) == 0
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        reap(pid)
        raise
    finally:
        os.close(terminal)
    assert b"Ctrl-C ends it." in seen
    assert seen.index(b"\x1b[?1049h") < seen.index(place.root.encode()) < seen.index(b"\x1b[?1049l"), "on a screen of its own"
    assert not any(colour in seen for colour in (b"\x1b[31m", b"\x1b[32m", b"\x1b[33m", b"\x1b[36m"))
    assert b"Traceback" not in seen


def read_until(terminal: int, part: bytes) -> bytes:
    seen = b""
    deadline = time.monotonic() + PATIENCE
    while part not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other side is closed
                break
    assert part in seen, seen
    return seen


def test_a_daemon_that_is_watched_and_ends_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = memtree("daemon", "start", "--json").json["pid"]
    monkeypatch.setattr(sources, "_PATIENCE", PATIENCE)
    source = sources.Attached.to(place)
    assert source is not None
    while source.state() is None:  # it answers
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    reap(pid)
    let_go(place)
    assert source.state() is None, "it may come back"
    monkeypatch.setattr(sources, "_PATIENCE", 0.0)
    with pytest.raises(sources.DaemonGone):
        source.state()
    with daemon_lock(place.state).held(), pytest.raises(sources.DaemonSilent):
        source.state()
    source.close()
