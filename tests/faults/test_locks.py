"""Locks held by somebody else: a clear, transient error after the configured patience, nothing touched, and the journal waits."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtree.engine.locks import LockBusy, LockIsLink, WriteLock
from memtree.engine.store.refs import GitLockBusy
from memtree.engine.workspace import Options, Workspace
from memtree.tree.errors import TransientError
from memtree.tree.paths import RepoPath
from support.faultcheck import leftovers
from support.faultscenarios import start, write
from support.gitrepo import GitRepo

_HOLDER = """
import sys, time
from memtree.engine.locks import WriteLock
sys.argv[0] = "/opt/some/holder.py"
with WriteLock(PATH).held():
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return start(str(tmp_path))


def options() -> Options:
    return Options(lock_timeout=0.3, git_lock_timeout=0.2)


@contextmanager
def foreign(path: str) -> Iterator[os.stat_result]:
    """A lock file that another program made and holds."""
    with open(path, "x", encoding="utf-8") as file:
        file.write("not ours\n")
        file.flush()
        yield os.fstat(file.fileno())
        after = os.stat(path)
        assert (after.st_ino, after.st_size) == (os.fstat(file.fileno()).st_ino, 9)
    os.unlink(path)


@pytest.mark.parametrize("operation", ["write", "capture"])
def test_a_foreign_index_lock_is_waited_for_and_then_told(repo: GitRepo, operation: str) -> None:
    repo.write("notes/keep.md", "edited\n")
    before = repo.git("rev-parse", "HEAD")
    with foreign(os.path.join(repo.path, ".git", "index.lock")), Workspace.open(repo.path, options()) as workspace:
        began = time.monotonic()
        with pytest.raises(GitLockBusy, match=r"index\.lock is held by another program") as busy:
            write({"notes/change.md": "ours\n"})(workspace) if operation == "write" else workspace.capture.take()
        assert isinstance(busy.value, TransientError)
        assert time.monotonic() - began < 5
        assert repo.git("rev-parse", "HEAD") == before
        assert repo.read("notes/change.md") == b"# Change\n\nfirst line\n"
        assert leftovers(repo.path) == ["index.lock"]
    with Workspace.open(repo.path, options()) as workspace:
        write({"notes/change.md": "ours\n"})(workspace)
        workspace.capture.take()
    assert repo.git("status", "--porcelain") == ""


def test_a_foreign_ref_lock_makes_the_journal_wait_and_the_next_run_finish(repo: GitRepo) -> None:
    before = repo.git("rev-parse", "HEAD")
    lock = os.path.join(repo.path, ".git", "refs", "heads", "main.lock")
    with foreign(lock):
        for _ in range(2):
            with Workspace.open(repo.path, options()) as workspace, pytest.raises(GitLockBusy, match=r"main\.lock is held"):
                write({"notes/change.md": "ours\n"})(workspace)
        assert repo.git("rev-parse", "HEAD") == before
        assert "journal" in leftovers(repo.path)
    with Workspace.open(repo.path, options()) as workspace:
        workspace.store.recover()
        assert any("finished a write" in said for said in workspace.store.said)
    assert repo.git("show", "HEAD:notes/change.md") == "ours"
    assert repo.git("status", "--porcelain") == ""
    assert leftovers(repo.path) == []


def test_a_foreign_index_lock_beside_a_journal_is_left_alone(repo: GitRepo) -> None:
    """Our process died with the journal written; the user removed our lock, and another program took it since."""
    with Workspace.open(repo.path, options()) as workspace, pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(workspace.store), "_apply", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            write({"notes/change.md": "ours\n"})(workspace)
    lock = os.path.join(repo.path, ".git", "index.lock")
    os.unlink(lock)
    with foreign(lock), Workspace.open(repo.path, options()) as workspace:
        with pytest.raises(GitLockBusy):
            workspace.store.recover()
        assert "journal" in leftovers(repo.path)
        assert repo.read("notes/change.md") == b"# Change\n\nfirst line\n"
    with Workspace.open(repo.path, options()) as workspace:
        workspace.store.recover()
    assert repo.git("show", "HEAD:notes/change.md") == "ours"
    assert leftovers(repo.path) == []


def test_a_lock_file_that_is_a_symbolic_link_is_refused_and_its_target_untouched(repo: GitRepo, tmp_path: Path) -> None:
    target = tmp_path / "precious.txt"
    target.write_text("precious")
    lock = os.path.join(repo.path, ".git", "memtree", "write.lock")
    os.unlink(lock)
    os.symlink(target, lock)
    with Workspace.open(repo.path, options()) as workspace, pytest.raises(LockIsLink, match="symbolic link"):
        write({"notes/change.md": "ours\n"})(workspace)
    assert target.read_text() == "precious"


def test_a_busy_lock_names_its_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    code = _HOLDER.replace("PATH", repr(path))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            said = rf"written by process {holder.pid} \(holder\.py\) since \d\d:\d\d:\d\d"
            with pytest.raises(LockBusy, match=said), WriteLock(path, timeout=0.1).held():
                pass
            assert str(holder.pid) in WriteLock(path).holder()
        finally:
            holder.kill()
            holder.wait()
    assert WriteLock(path).holder() == ""  # the kernel let go
    with WriteLock(path, timeout=0.1).held():
        pass


def test_threads_of_one_process_take_turns(tmp_path: Path) -> None:
    path, inside, most = str(tmp_path / "write.lock"), [0], [0]

    def work() -> None:
        for _ in range(20):
            with WriteLock(path, timeout=30).held():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.0005)
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert most == [1]


def test_a_thread_that_waits_in_vain_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "write.lock")
    told: list[str] = []

    def wait() -> None:
        with pytest.raises(LockBusy) as refused, WriteLock(path, timeout=0.05).held():
            pass
        told.append(str(refused.value))

    with WriteLock(path).held():
        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join(timeout=60)
    assert "another thread" in told[0]


def test_a_thread_that_has_its_turn_may_take_the_lock_and_keeps_others_out(tmp_path: Path) -> None:
    lock = WriteLock(str(tmp_path / "write.lock"), timeout=0.05)
    told: list[type[BaseException] | None] = []

    def look() -> None:
        try:
            with lock.turn():
                told.append(None)
        except LockBusy:
            told.append(LockBusy)

    with lock.turn(), lock.held():
        other = threading.Thread(target=look)
        other.start()
        other.join(timeout=60)
    look()
    assert told == [LockBusy, None]


def test_threads_that_write_through_one_workspace_each_get_a_commit(repo: GitRepo) -> None:
    """Each thread opens its own repository handle; the store's lock makes them take turns."""
    failures: list[BaseException] = []

    def work(name: int) -> None:
        try:
            with Workspace.open(repo.path, Options(lock_timeout=60, git_lock_timeout=30)) as workspace:
                for number in range(4):
                    workspace.write({RepoPath(f"threads/{name}/{number}.md"): f"{name} {number}\n".encode()}, "write")
        except BaseException as error:  # noqa: BLE001 - told by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert failures == []
    assert len(repo.git("ls-tree", "-r", "--name-only", "HEAD", "threads").splitlines()) == 16
    assert repo.git("status", "--porcelain") == ""
