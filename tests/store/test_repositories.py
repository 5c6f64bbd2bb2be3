"""Kinds of repositories: what works end to end, and what is refused with a clear error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtree.engine.repo import Repo
from memtree.engine.repo_errors import NotARepository, UnsupportedRepository
from memtree.engine.settings import Settings, render
from memtree.engine.workspace import Options, Workspace
from memtree.tree.errors import UserError
from memtree.tree.paths import RepoPath
from support.faultcheck import git
from support.faultscenarios import start, write
from support.gitrepo import GitRepo


def try_everything(root: str, *, branch: str) -> None:
    """Write, capture and restore in a workspace, then ask git."""
    with Workspace.open(root, Options()) as workspace:
        write({"notes/written.md": "written\n", "notes/change.md": "changed\n"})(workspace)
        first = workspace.resolve(None)
        with open(os.path.join(root, "notes", "edited.md"), "w", encoding="utf-8") as file:
            file.write("edited\n")
        workspace.save()
        write({"notes/written.md": None})(workspace)
        workspace.restore(RepoPath("notes/written.md"), first)
        assert workspace.places.folder.startswith(workspace.repo.git_folder)
    for path, text in {"written": "written\n", "edited": "edited\n", "change": "changed\n"}.items():
        assert git(root, "show", f"HEAD:notes/{path}.md") == text
    assert git(root, "status", "--porcelain") == ""
    assert git(root, "symbolic-ref", "HEAD").strip() == f"refs/heads/{branch}"
    assert git(root, "reflog", "-1", "--format=%gs", branch).startswith("memtree: ")
    assert [line for line in git(root, "fsck", "--strict").splitlines() if not line.startswith("dangling")] == []


def settings(root: str, branch: str) -> None:
    with open(os.path.join(root, "memtree.toml"), "wb") as file:
        file.write(render(Settings(branch=branch)))


def test_an_ordinary_repository(tmp_path: Path) -> None:
    try_everything(start(str(tmp_path)).path, branch="main")


def test_a_linked_worktree_has_its_own_state_and_leaves_the_main_one_alone(tmp_path: Path) -> None:
    main = start(str(tmp_path))
    linked = str(tmp_path / "linked")
    main.git("worktree", "add", "--quiet", "-b", "side/branch", linked)
    before = main.git("rev-parse", "main")
    settings(linked, "side/branch")
    try_everything(linked, branch="side/branch")
    assert main.git("rev-parse", "main") == before
    assert main.git("status", "--porcelain") == ""
    try_everything(main.path, branch="main")
    assert git(linked, "status", "--porcelain") == ""


def test_a_submodule_is_a_workspace_like_any_other(tmp_path: Path) -> None:
    source = start(str(tmp_path / "source"))
    outer = GitRepo(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source.path, "memory")
    outer.commit("with memory")
    inner = os.path.join(outer.path, "memory")
    try_everything(inner, branch="main")
    assert outer.git("status", "--porcelain") == " M memory"


def test_a_submodule_inside_is_left_to_its_own_repository(tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "other")
    other.write("file.md", "inside\n")
    other.commit()
    repo = start(str(tmp_path))
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "sub")
    repo.commit("with a submodule")
    link = repo.git("rev-parse", "HEAD:sub")
    try_everything(repo.path, branch="main")
    assert repo.git("rev-parse", "HEAD:sub") == link
    assert repo.read("sub/file.md") == b"inside\n"


def test_a_git_directory_elsewhere(tmp_path: Path) -> None:
    repo = start(str(tmp_path))
    elsewhere = str(tmp_path / "elsewhere.git")
    repo.git("init", "--quiet", "--separate-git-dir", elsewhere)
    try_everything(repo.path, branch="main")
    assert os.path.isdir(os.path.join(elsewhere, "memtree"))


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    repo = start(str(tmp_path))
    repo.git("clone", "--quiet", "--bare", repo.path, str(tmp_path / "bare.git"))
    with pytest.raises(UnsupportedRepository, match="bare") as refused:
        Repo.open(str(tmp_path / "bare.git"))
    assert "clone" in refused.value.hint


def test_a_sha256_repository_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "sha256"
    GitRepo(tmp_path / "any").git("init", "--quiet", "--object-format=sha256", str(folder))
    with pytest.raises(UserError, match=r"sha256|object|format") as refused:
        Repo.open(str(folder))
    assert isinstance(refused.value, UnsupportedRepository)


def test_a_repository_with_reftables_is_refused(tmp_path: Path) -> None:
    repo = start(str(tmp_path))
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.refstorage", "reftable")
    with pytest.raises(UnsupportedRepository, match=r"reftable|refstorage"):
        Repo.open(repo.path)


def test_a_folder_without_a_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        Repo.open(str(tmp_path))
