"""The git program at work in the same repository: eight writers and a committing git lose nothing, and a delayed `git commit`
cannot quietly take our commit back."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memtree.engine.store.git_index import GitIndex
from memtree.engine.store.refs import GitLockBusy
from memtree.engine.workspace import Options, Workspace
from support.faultcheck import disk_of, git, leftovers, tree_of
from support.faultscenarios import start, write
from support.gitpause import build_shim, paused_git, waiting_hook
from support.gitrepo import ENVIRONMENT, GitRepo

_WRITER = """
import sys
from memtree.engine.workspace import Options, Workspace
from memtree.tree.errors import TransientError
from memtree.tree.paths import RepoPath
root, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Workspace.open(root, Options(lock_timeout=120.0, git_lock_timeout=30.0)) as workspace:
    for number in range(count):
        for _ in range(100):
            try:
                workspace.write({RepoPath(f"writers/{name}/{number}.md"): f"{name} {number}\\n".encode()}, "write")
                break
            except TransientError:
                pass
        print(f"writers/{name}/{number}.md", flush=True)
"""


def options() -> Options:
    return Options(lock_timeout=2.0, git_lock_timeout=0.2)


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    return start(str(tmp_path))


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> str:
    library = build_shim(str(tmp_path_factory.mktemp("shim")))
    if not library:
        pytest.skip("no compiler here, or no way to load a library into git")
    return library


def status(repo: GitRepo) -> str:
    return repo.git("status", "--porcelain", "-uall")


def assert_sound(repo: GitRepo) -> None:
    assert [line for line in git(repo.path, "fsck", "--strict").splitlines() if not line.startswith("dangling")] == []
    assert leftovers(repo.path) == []
    assert "<<<<<<<" not in repo.git("grep", "-h", "", "HEAD")


def test_eight_writers_and_a_committing_git_lose_nothing(repo: GitRepo) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | dict(ENVIRONMENT)
    each, by_git = 5, 20
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, repo.path, f"w{n}", str(each)], env=environment, stdout=subprocess.PIPE, text=True
        )
        for n in range(8)
    ]
    try:
        _commit_by_git(repo, by_git)
        said = [writer.communicate(timeout=120)[0].split() for writer in writers]
    finally:
        for writer in writers:
            if writer.poll() is None:
                writer.kill()
                writer.communicate()
    assert [writer.returncode for writer in writers] == [0] * 8
    acknowledged = [path for paths in said for path in paths] + [f"bygit/{n}.md" for n in range(by_git)]
    assert len(acknowledged) == 8 * each + by_git
    assert [path for path in acknowledged if path not in tree_of(repo.path)] == []
    assert tree_of(repo.path) == disk_of(repo.path)
    assert status(repo) == ""
    assert_sound(repo)


def _commit_by_git(repo: GitRepo, count: int) -> None:
    for number in range(count):
        repo.write(f"bygit/{number}.md", f"by git {number}\n")
        for arguments in (("add", f"bygit/{number}.md"), ("commit", "--quiet", "-m", f"by git {number}")):
            deadline = time.monotonic() + 60
            while True:
                try:
                    repo.git(*arguments)
                    break
                except AssertionError:
                    if "nothing to commit" in status(repo) or f"bygit/{number}.md" in tree_of(repo.path):
                        break
                    assert time.monotonic() < deadline, "git never got its turn"
                    time.sleep(0.01)


def test_a_commit_that_waits_in_a_hook_cannot_take_ours_back(repo: GitRepo, tmp_path: Path) -> None:
    waiting_hook(repo.path, "pre-commit")
    repo.write("mine.md", "staged by a person\n")
    repo.git("add", "mine.md")
    with paused_git(repo.path, str(tmp_path / "pause"), "commit", "-m", "delayed") as delayed:
        with Workspace.open(repo.path, options()) as workspace:
            write({"notes/change.md": "ours\n", "notes/ours.md": "ours\n"})(workspace)
        code, said = delayed.go()
    assert code != 0, said  # git's own compare-and-swap
    assert repo.git("show", "HEAD:notes/change.md") == "ours"
    os.unlink(os.path.join(repo.path, ".git", "hooks", "pre-commit"))
    repo.git("commit", "-m", "again")
    assert repo.git("show", "HEAD:notes/change.md", "HEAD:notes/ours.md", "HEAD:mine.md") == "ours\nours\nstaged by a person"
    assert status(repo) == ""
    assert_sound(repo)


def test_a_commit_that_keeps_the_index_locked_makes_us_wait_and_nothing_else(repo: GitRepo, tmp_path: Path) -> None:
    waiting_hook(repo.path, "pre-commit")
    repo.write("notes/keep.md", "a person's edit\n")
    before = repo.git("rev-parse", "HEAD")
    with paused_git(repo.path, str(tmp_path / "pause"), "commit", "-a", "-m", "delayed") as delayed:
        with Workspace.open(repo.path, options()) as workspace:
            with pytest.raises(GitLockBusy) as busy:
                write({"notes/change.md": "ours\n"})(workspace)
            assert busy.value.path.endswith("index.lock")
            assert repo.git("rev-parse", "HEAD") == before
            assert repo.read("notes/change.md") != b"ours\n"
            assert leftovers(repo.path) == ["index.lock"]  # git's
        code, said = delayed.go()
    assert code == 0, said
    with Workspace.open(repo.path, options()) as workspace:
        write({"notes/change.md": "ours\n"})(workspace)
    assert repo.git("show", "HEAD:notes/keep.md", "HEAD:notes/change.md") == "a person's edit\nours"
    assert status(repo) == ""
    assert_sound(repo)


def _delayed_in_front_of_the_lock(repo: GitRepo, folder: Path, shim: str) -> tuple[int, str]:
    """Git has read HEAD and index, we commit, git goes on."""
    repo.write("mine.md", "staged by a person\n")
    repo.git("add", "mine.md")
    with paused_git(repo.path, str(folder), "commit", "-m", "delayed", shim=shim) as delayed:
        with Workspace.open(repo.path, options()) as workspace:
            write({"notes/change.md": "ours\n", "notes/ours.md": "ours\n", "notes/delete.md": None})(workspace)
        return delayed.go()


def test_an_old_index_that_a_delayed_commit_writes_back_is_healed(repo: GitRepo, tmp_path: Path, shim: str) -> None:
    code, said = _delayed_in_front_of_the_lock(repo, tmp_path / "pause", shim)
    assert code != 0, said
    assert repo.git("show", "HEAD:notes/ours.md") == "ours"
    with Workspace.open(repo.path, options()) as workspace:
        workspace.capture.take()
        write({"notes/other.md": "another\n"})(workspace)
    repo.git("commit", "-m", "again")
    assert repo.git("show", "HEAD:notes/change.md", "HEAD:notes/ours.md", "HEAD:mine.md") == "ours\nours\nstaged by a person"
    assert "notes/delete.md" not in tree_of(repo.path)
    assert status(repo) == ""
    assert_sound(repo)


def test_what_a_delayed_commit_reverts_when_it_is_tried_again_is_captured_again(repo: GitRepo, tmp_path: Path, shim: str) -> None:
    code, said = _delayed_in_front_of_the_lock(repo, tmp_path / "pause", shim)
    assert code != 0, said
    repo.git("commit", "-m", "again, before anything could heal")
    with Workspace.open(repo.path, options()) as workspace:
        workspace.capture.take()
    assert repo.git("show", "HEAD:notes/change.md", "HEAD:notes/ours.md", "HEAD:mine.md") == "ours\nours\nstaged by a person"
    assert "notes/delete.md" not in tree_of(repo.path)
    assert status(repo) == ""
    assert_sound(repo)


def _lost_beside_an_add(repo: GitRepo, folder: Path, shim: str) -> list[str]:
    """A `git add` has made its new index but not put it in place when we commit; then a person commits. What HEAD lacks."""
    ours, mine = f"notes/ours-{folder.name}.md", f"mine-{folder.name}.md"
    repo.write(mine, "staged by a person\n")
    with paused_git(repo.path, str(folder), "add", mine, shim=shim, at="rename") as delayed:
        with Workspace.open(repo.path, options()) as workspace:
            try:
                write({ours: "ours\n"})(workspace)
                waited = False
            except GitLockBusy:
                waited = True
        delayed.go()
    if waited:
        with Workspace.open(repo.path, options()) as workspace:
            write({ours: "ours\n"})(workspace)
    repo.git("commit", "--quiet", "-m", "a person's")
    return [path for path in (ours, mine) if path not in tree_of(repo.path)]


def test_beside_a_running_git_add_both_commits_are_whole(repo: GitRepo, tmp_path: Path, shim: str) -> None:
    assert _lost_beside_an_add(repo, tmp_path / "pause", shim) == []
    assert status(repo) == ""


def test_without_the_index_lock_the_same_run_loses_a_file(
    repo: GitRepo, tmp_path: Path, shim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GitIndex, "take_lock", lambda _self: None)
    assert _lost_beside_an_add(repo, tmp_path / "pause", shim) != []
