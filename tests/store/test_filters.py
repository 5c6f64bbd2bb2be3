"""Paths with a git filter: what is stored is what the filter makes of the file; without the filter nothing plain is stored."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from memtree.engine.store.working_copy import FilterMissing
from memtree.engine.workspace import Options, Workspace
from memtree.tree.objects import FILE, Entry
from memtree.tree.paths import RepoPath
from support.faultcheck import git
from support.faultscenarios import start, write
from support.gitrepo import GitRepo

_ROTATE = "tr a-zA-Z n-za-mN-ZA-M"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """`secret/` goes through a filter, `*.txt` is stored with plain line ends."""
    repo = start(str(tmp_path))
    repo.git("config", "filter.rotate.clean", _ROTATE)
    repo.git("config", "filter.rotate.smudge", _ROTATE)
    repo.git("config", "filter.rotate.required", "true")
    repo.write(".gitattributes", "secret/* filter=rotate\n*.txt text eol=crlf\n")
    repo.commit("attributes")
    return repo


def stored(repo: GitRepo, path: str) -> str:
    return subprocess.run(
        ["git", "cat-file", "blob", f"HEAD:{path}"], cwd=repo.path, capture_output=True, check=True
    ).stdout.decode()


def every_stored_text(repo: GitRepo) -> bytes:
    return subprocess.run(
        ["git", "cat-file", "--batch", "--batch-all-objects"], cwd=repo.path, capture_output=True, check=True
    ).stdout


def test_capture_stores_what_the_filter_makes_of_a_file(repo: GitRepo) -> None:
    repo.write("secret/plan.md", "hello\n")
    repo.write("list.txt", "one\r\ntwo\r\n")
    with Workspace.open(repo.path, Options()) as workspace:
        workspace.capture.take()
    assert stored(repo, "secret/plan.md") == "uryyb\n"
    assert stored(repo, "list.txt") == "one\ntwo\n"
    assert repo.read("secret/plan.md") == b"hello\n"
    assert repo.read("list.txt") == b"one\r\ntwo\r\n"
    assert b"hello\n" not in every_stored_text(repo)
    assert git(repo.path, "status", "--porcelain") == ""


def test_restoring_writes_what_the_filter_makes_of_the_stored_content(repo: GitRepo) -> None:
    repo.write("secret/plan.md", "hello\n")
    repo.write("list.txt", "one\r\n")
    with Workspace.open(repo.path, Options()) as workspace:
        workspace.capture.take()
        first = workspace.resolve(None)
        write({"secret/plan.md": None, "list.txt": None})(workspace)
        assert not os.path.exists(os.path.join(repo.path, "secret/plan.md"))
        workspace.restore(RepoPath("secret/plan.md"), first)
        workspace.restore(RepoPath("list.txt"), first)
    assert repo.read("secret/plan.md") == b"hello\n"
    assert repo.read("list.txt") == b"one\r\n"
    assert stored(repo, "secret/plan.md") == "uryyb\n"
    assert git(repo.path, "status", "--porcelain") == ""


def test_a_file_whose_filter_is_missing_is_held_and_nothing_of_it_is_stored(repo: GitRepo) -> None:
    repo.git("config", "--remove-section", "filter.rotate")
    repo.write("secret/plan.md", "hello plain\n")
    repo.write("notes/plain.md", "not secret\n")
    with Workspace.open(repo.path, Options()) as workspace:
        _, survey = workspace.capture.take()
        assert [(left.path, "filter" in left.reason) for left in survey.left] == [("secret/plan.md", True)]
        with pytest.raises(FilterMissing, match="secret/plan"):
            write({"secret/plan.md": "overwritten\n"})(workspace)
    assert stored(repo, "notes/plain.md") == "not secret\n"
    assert b"hello plain" not in every_stored_text(repo)
    assert b"overwritten" not in every_stored_text(repo)
    assert repo.read("secret/plan.md") == b"hello plain\n"


def test_a_writer_stores_through_the_filter_too(repo: GitRepo) -> None:
    with Workspace.open(repo.path, Options()) as workspace:
        write({"secret/agent.md": "hello agent\n", "agent.txt": "one\ntwo\n"})(workspace)
    assert stored(repo, "secret/agent.md") == "uryyb ntrag\n"
    assert repo.read("secret/agent.md") == b"hello agent\n"
    assert stored(repo, "agent.txt") == "one\ntwo\n"
    assert repo.read("agent.txt") == b"one\r\ntwo\r\n"
    assert b"hello agent\n" not in every_stored_text(repo)
    assert git(repo.path, "status", "--porcelain") == ""


@pytest.mark.parametrize("new", [b"one\r\ntwo\r\n", b"one\r\n", b"one\r\ntwo\nthree\r\n"])
@pytest.mark.parametrize("kill", ["never", "exchange", "rename"])
def test_a_stored_content_that_its_filter_would_store_otherwise_is_written_all_the_same(
    repo: GitRepo, new: bytes, kill: str
) -> None:
    """CRLF that another program stored raw under a `text` attribute, as a web editor does: what is written must be known again."""
    repo.write(".gitattributes", "*.txt text\n")
    repo.write("list.txt", "one\n")
    repo.commit("list")
    theirs = repo.git("hash-object", "-w", "--no-filters", "--stdin", stdin=new)
    before = repo.git("rev-list", "--count", "HEAD")

    def stop(step: str, path: str) -> None:
        if step == kill and path.endswith(("list.txt", ".git/index")):
            raise KeyboardInterrupt  # as good as a kill: before the exchange, or after it

    edits = {RepoPath("list.txt"): (Entry(FILE, repo.git("rev-parse", "HEAD:list.txt")), Entry(FILE, theirs))}
    with Workspace.open(repo.path, Options(observe=stop)) as workspace, contextlib.suppress(KeyboardInterrupt):
        workspace.store.apply_edits(edits, message="theirs\n")
    assert os.path.exists(os.path.join(repo.path, ".git/memtree/journal")) == (kill != "never")
    with Workspace.open(repo.path, Options()) as workspace:
        workspace.store.recover()
    assert repo.read("list.txt") == new
    assert repo.git("rev-parse", "HEAD:list.txt") == theirs
    assert int(repo.git("rev-list", "--count", "HEAD")) == int(before) + 1


def test_a_filter_that_fails_holds_its_file_and_nothing_else(repo: GitRepo) -> None:
    repo.git("config", "filter.rotate.clean", "false")
    repo.write("secret/plan.md", "hello plain\n")
    repo.write("notes/plain.md", "not secret\n")
    with Workspace.open(repo.path, Options()) as workspace:
        _, survey = workspace.capture.take()
        assert [(left.path, "filter" in left.reason) for left in survey.left] == [("secret/plan.md", True)]
    assert stored(repo, "notes/plain.md") == "not secret\n"
    assert b"hello plain" not in every_stored_text(repo)
    repo.git("config", "filter.rotate.clean", _ROTATE)
    with Workspace.open(repo.path, Options()) as workspace:
        workspace.capture.take()
    assert stored(repo, "secret/plan.md") == "uryyb cynva\n"
