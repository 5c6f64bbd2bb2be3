"""What a git of ours gets of the surroundings: nothing of another repository, everything that leads a person to remotes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memtree.engine.exchange import SyncInsideSync
from memtree.engine.git import Git, GitFailed
from memtree.engine.git_environment import INTERNAL, for_git, of_this_repository
from support.gitrepo import GitRepo
from support.machines import Machines

KEPT = {
    "GIT_SSH_COMMAND": "ssh -i key",
    "GIT_ASKPASS": "/bin/ask",
    "GIT_CONFIG_GLOBAL": "/home/ada/.gitconfig",
    "GIT_CONFIG_COUNT": "0",
    "GIT_EXEC_PATH": "/opt/git/libexec",
    "GIT_HTTP_LOW_SPEED_LIMIT": "100",
    "PATH": "/bin",
}


def test_all_that_git_calls_local_to_a_repository_goes() -> None:
    names = subprocess.run(("git", "rev-parse", "--local-env-vars"), capture_output=True, text=True, check=True).stdout.split()
    standing = "GIT_CONFIG_COUNT"  # a person's own settings for every git that is started from here
    left = of_this_repository(dict.fromkeys((*names, "GIT_QUARANTINE_PATH", "GIT_NAMESPACE"), "x") | KEPT)
    assert standing in names
    assert left == KEPT


def test_what_a_git_of_ours_calls_can_tell_who_started_it() -> None:
    assert for_git(KEPT)[INTERNAL] == "1"
    assert INTERNAL not in of_this_repository(for_git(KEPT))


def test_settings_of_another_command_are_not_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, other = GitRepo(tmp_path / "a"), GitRepo(tmp_path / "b")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'user.name'='Eve'")
    for name, value in (
        ("DIR", ".git"),
        ("COMMON_DIR", ".git"),
        ("INDEX_FILE", ".git/index"),
        ("OBJECT_DIRECTORY", ".git/objects"),
    ):
        monkeypatch.setenv(f"GIT_{name}", os.path.join(other.path, value))
    git = Git(repo.path)
    assert git.call("config", "user.name", check=False).stdout != b"Eve\n"
    assert git.run("rev-parse", "--absolute-git-dir").decode().strip() == os.path.join(os.path.realpath(repo.path), ".git")


def test_a_failure_names_what_git_was_to_do(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match=r"git rev-parse: "):
        Git(GitRepo(tmp_path / "a").path).run(
            "--no-optional-locks", "-c", "a.b=c", "-c", "a.d=e", "rev-parse", "--verify", "nothing"
        )


def test_a_sync_does_not_begin_inside_another_ones_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pre-push hook that calls `memtree sync` would be called by that sync's push, and so on for ever."""
    machine = Machines(tmp_path).first({"a.md": "a\n"})
    monkeypatch.setenv(INTERNAL, "1")
    with pytest.raises(SyncInsideSync):
        machine.workspace.sync()
