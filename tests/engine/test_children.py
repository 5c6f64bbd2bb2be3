"""Programs that are ended from outside: with their helpers, by force when they do not listen, and those that come late."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from memtree.engine.children import Children
from memtree.engine.git import Git, GitFailed
from support.gitrepo import GitRepo

_PATIENCE = 100.0  # seconds; what takes so long does not happen


def alias(repo: GitRepo, script: str) -> None:
    """Make `git slow` a shell script, as a helper that a git program starts."""
    repo.git("config", "alias.slow", f"!{script}")


def wait_for(path: Path) -> str:
    end = time.monotonic() + _PATIENCE
    while not path.exists() or not path.read_text():
        assert time.monotonic() < end
        threading.Event().wait(0.005)
    return path.read_text()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("deaf", [False, True])
def test_a_program_ends_with_its_helpers(tmp_path: Path, deaf: bool) -> None:
    repo, children, failed = GitRepo(tmp_path / "repo"), Children(), threading.Event()
    mark = tmp_path / "mark"
    trap = "trap '' TERM; " if deaf else ""
    alias(repo, f"{trap}sleep 100 & echo $! > {mark}; wait; wait")

    def run() -> None:
        with pytest.raises(GitFailed):
            Git(repo.path, children=children).run("slow", timeout=None)
        failed.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    helper = int(wait_for(mark))
    children.end(patience=0.2)
    assert failed.wait(_PATIENCE)
    thread.join(_PATIENCE)
    end = time.monotonic() + _PATIENCE
    while is_alive(helper):
        assert time.monotonic() < end


def test_what_starts_after_the_end_is_ended_too(tmp_path: Path) -> None:
    repo, children = GitRepo(tmp_path / "repo"), Children()
    alias(repo, "sleep 100")
    children.end()
    assert children.ended
    with pytest.raises(GitFailed):
        Git(repo.path, children=children).run("slow", timeout=None)


def test_what_starts_after_the_end_and_does_not_listen_is_ended_by_force() -> None:
    """A program may be under way before it is known here, on a machine that is busy."""
    children = Children()
    with subprocess.Popen(
        ("sh", "-c", "trap '' TERM; echo deaf; sleep 100; sleep 100"), stdout=subprocess.PIPE, start_new_session=True
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == b"deaf\n"
            children.end(patience=0.1)
            with children.holding(program):
                assert program.wait(_PATIENCE) == -signal.SIGKILL
        finally:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)


def test_nothing_is_kept_of_what_has_ended(tmp_path: Path) -> None:
    repo, children = GitRepo(tmp_path / "repo"), Children()
    assert Git(repo.path, children=children).run("rev-parse", "--is-inside-work-tree") == b"true\n"
    with pytest.raises(GitFailed):
        Git(repo.path, children=children).run("rev-parse", "nothing")
    assert children._running == set()
    children.end()
    assert os.path.isdir(repo.path)
