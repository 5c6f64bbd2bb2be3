"""What a person has staged stays staged: the engine's commits neither take it in nor lose it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memtree.engine.workspace import Options, Workspace
from support.faultcheck import git
from support.faultscenarios import SCENARIOS, start, sync, write
from support.gitrepo import GitRepo

STAGED = ["A  staged/new.md", "D  notes/keep.md", "M  notes/deep/other.md"]


def stage(repo: GitRepo) -> None:
    repo.write("staged/new.md", "staged new\n")
    repo.write("notes/deep/other.md", "staged change\n")
    repo.git("add", "staged/new.md", "notes/deep/other.md")
    repo.git("rm", "--quiet", "notes/keep.md")


def status(repo: GitRepo) -> list[str]:
    return sorted(git(repo.path, "status", "--porcelain", "-uall").splitlines())


def _write(workspace: Workspace, _repo: GitRepo) -> None:
    write({"notes/change.md": "ours\n", "notes/new/in/new.md": "ours\n", "notes/delete.md": None})(workspace)


def _capture(workspace: Workspace, repo: GitRepo) -> None:
    repo.write("notes/change.md", "edited\n")
    repo.write("notes/deep/fresh.md", "edited\n")
    workspace.capture.take()


@pytest.mark.parametrize("operation", [_write, _capture])
def test_a_commit_of_ours_leaves_the_persons_staged_files_staged(
    tmp_path: Path, operation: Callable[[Workspace, GitRepo], None]
) -> None:
    repo = start(str(tmp_path))
    stage(repo)
    with Workspace.open(repo.path, Options()) as workspace:
        operation(workspace, repo)
    assert status(repo) == STAGED
    repo.git("commit", "--quiet", "-m", "a person's")
    assert repo.git("show", "HEAD:staged/new.md", "HEAD:notes/deep/other.md") == "staged new\nstaged change"
    assert status(repo) == []


def test_a_sync_leaves_the_persons_staged_files_staged(tmp_path: Path) -> None:
    SCENARIOS["sync-forward"].build(str(tmp_path))
    repo = GitRepo(tmp_path / "ws")
    stage(repo)
    with Workspace.open(repo.path, Options()) as workspace:
        sync(workspace)
    assert status(repo) == STAGED
    assert "theirs-change" in repo.git("show", "HEAD:notes/change.md")


def test_a_staged_version_in_the_way_of_a_write_goes_into_history_first(tmp_path: Path) -> None:
    """It exists nowhere else: the person staged it and edited on."""
    repo = start(str(tmp_path))
    repo.write("notes/change.md", "staged version\n")
    repo.git("add", "notes/change.md")
    repo.write("notes/change.md", "# Change\n\nfirst line\n")
    with Workspace.open(repo.path, Options()) as workspace:
        write({"notes/change.md": "ours\n"})(workspace)
    subjects = repo.git("log", "--format=%s", "--", "notes/change.md").splitlines()
    assert "staged edit" in subjects
    assert "staged version" in repo.git("log", "-p", "--format=", "--", "notes/change.md")
    assert status(repo) == []
