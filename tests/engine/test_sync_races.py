"""Several processes at once: pushes that race, writers that append, locks whose holders live or died."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.locks import LockBusy
from memtree.engine.store.refs import GitLockBusy
from memtree.tree.errors import TransientError
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines, committed

SYNCER = """
import os, sys
from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
root, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(rounds):
    with Workspace.open(root, Options(durability=Durability.FAST)) as workspace:
        with open(os.path.join(root, f"{name}-{number}.md"), "x") as file:
            file.write(f"{name} {number}\\n")
        with open(os.path.join(root, "shared.md"), "w") as file:
            file.write(f"shared by {name} in round {number}\\n")
        workspace.sync()
"""

APPENDER = """
import sys
from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
from memtree.tree.paths import RepoPath
root, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Workspace.open(root, Options(durability=Durability.FAST)) as workspace:
    for number in range(rounds):
        workspace.write({RepoPath(f"log/{name}-{number}.md"): f"{name} {number}\\n".encode()}, "append")
"""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def start(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen((sys.executable, "-c", code, *arguments), stderr=subprocess.PIPE)


def finish(running: list[subprocess.Popen[bytes]]) -> None:
    assert [process.communicate(timeout=120)[1].decode() for process in running] == [""] * len(running)
    assert [process.returncode for process in running] == [0] * len(running)


def test_machines_that_push_at_the_same_time_all_get_everything_in(machines: Machines) -> None:
    a = machines.first({"shared.md": "start\n"})
    names = {"a": a, "b": machines.clone("b"), "c": machines.clone("c")}
    finish([start(SYNCER, machine.path, name, "3") for name, machine in names.items()])
    machines.settle()
    held = machines.assert_agreed()
    for name in names:
        for number in range(3):
            assert held[f"{name}-{number}.md"] == f"{name} {number}\n".encode()
    # A later edit on a machine that had pulled an earlier one may replace it in the file; history has them all.
    log = a.git("log", "--format=", "-p", "--", "shared*.md")
    for name in names:
        for number in range(3):
            assert f"+shared by {name} in round {number}" in log


def test_one_workspace_synced_by_two_processes_at_once(machines: Machines) -> None:
    """B22: watchers of several programs on one folder take turns."""
    a, b = machines.pair({"shared.md": "start\n"})
    finish([start(SYNCER, a.path, name, "2") for name in ("x", "y")])
    b.sync()
    held = machines.assert_agreed()
    assert {"x-0.md", "x-1.md", "y-0.md", "y-1.md"} <= set(held)


def test_b19_every_writer_s_every_entry_is_there_once(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"})
    finish([start(APPENDER, a.path, name, "8") for name in ("x", "y", "z")])
    assert a.notes() == {
        "a.md": b"a\n",
        **{f"log/{name}-{number}.md": f"{name} {number}\n".encode() for name in "xyz" for number in range(8)},
    }
    assert a.subjects().count("append") == 24
    a.assert_sound()


def test_threads_of_one_process_take_turns(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"})
    failures: list[BaseException] = []

    def write(name: int) -> None:
        try:
            for number in range(5):
                a.workspace.write({RepoPath(f"log/{name}-{number}.md"): b"x\n"}, "append")
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(a.notes()) == 1 + 20
    a.assert_sound()


def test_stock_git_commits_beside_a_sync_without_losing_anything(machines: Machines) -> None:
    """A person commits by hand while another process saves; git may have to try again, as it does beside git itself."""
    a = machines.lonely({"a.md": "a\n"})
    a.write("hand.md", "0\n")
    a.git("add", "hand.md")
    a.git("commit", "--quiet", "-m", "hand 0")
    running = start(APPENDER, a.path, "x", "10")
    number = 0
    while running.poll() is None:
        number += 1
        a.write("hand.md", f"{number}\n")
        try:
            a.git("commit", "--quiet", "-m", f"hand {number}", "hand.md")
        except AssertionError as error:
            assert "lock" in str(error)  # noqa: PT017 - only git's own complaint is fine
    finish([running])
    a.save()
    a.assert_sound()
    assert a.notes() == {"a.md": b"a\n", "hand.md": f"{number}\n".encode()} | {
        f"log/x-{step}.md": f"x {step}\n".encode() for step in range(10)
    }


# -- locks


def test_b33_a_lock_of_a_living_git_is_waited_for_and_never_taken(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"}).reopen(git_lock_timeout=0.1)
    lock = Path(a.full(".git/index.lock"))
    lock.write_bytes(b"somebody's")
    a.write("a.md", "edited\n")
    with pytest.raises(GitLockBusy) as caught:
        a.save()
    assert isinstance(caught.value, TransientError)
    assert "index.lock" in str(caught.value)
    assert lock.read_bytes() == b"somebody's"
    assert "not committed" in " ".join(a.workspace.capture_quietly())
    lock.unlink()
    a.save()
    a.assert_sound()


def test_a_lock_on_the_branch_is_waited_for_and_the_work_is_finished_later(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"}).reopen(git_lock_timeout=0.1)
    lock = Path(a.full(".git/refs/heads/main.lock"))
    lock.write_bytes(b"")
    a.write("a.md", "edited\n")
    with pytest.raises(TransientError):
        a.save()
    lock.unlink()
    a.reopen()
    a.save()
    assert a.committed()["a.md"] == b"edited\n"
    a.assert_sound()


def test_a_lock_that_is_let_go_in_time_is_no_error(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"})
    lock = Path(a.full(".git/index.lock"))
    lock.write_bytes(b"")
    a.write("a.md", "edited\n")
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    a.save()
    timer.join()
    a.assert_sound()


def test_a_writer_that_hangs_is_named(machines: Machines) -> None:
    a = machines.lonely({"a.md": "a\n"}).reopen(lock_timeout=0.2)
    a.write("a.md", "edited\n")
    with open(a.workspace.places.write_lock, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockBusy, match=rf"process {os.getpid()}"):
            a.save()
        assert a.found("a", capture=False) == ["a.md"]
    a.save()
    a.assert_sound()


def test_a_sync_that_was_killed_anywhere_is_finished_by_the_next(machines: Machines) -> None:
    """B33: not one lock or half-done state needs a person's hand."""
    a, b = machines.pair({"a.md": "0\n"})
    code = SYNCER.replace(
        "with Workspace",
        "import signal; signal.setitimer(signal.ITIMER_REAL, float(sys.argv[4])); "
        "signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), 9))\n    with Workspace",
    )
    for step in range(5):
        b.write("a.md", f"b {step}\n")
        b.sync()
        killed = subprocess.Popen(
            (sys.executable, "-c", code, a.path, f"k{step}", "1", str(0.05 + 0.05 * step)), stderr=subprocess.DEVNULL
        )
        killed.wait(timeout=60)
        a.reopen()
        a.sync()
        a.assert_sound()
    machines.settle()
    machines.assert_agreed()
    assert set(committed(machines.remote)) == set(a.committed())


def survivors(machine: Machine) -> list[str]:
    return [name for name in os.listdir(machine.full(".git")) if name.endswith(".lock")]


def test_no_lock_survives_its_operation(machines: Machines) -> None:
    a, b = machines.pair()
    for machine in (a, b):
        machine.write("notes/a.md", f"{machine.path}\n")
        machine.save()
        machine.sync()
        assert survivors(machine) == []
