"""Submodules in a synced tree: their commits travel, their folders and their remotes are left to their own repositories."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.gitrepo import GitRepo
from support.machines import Machine, Machines

_LOCAL = ("-c", "protocol.file.allow=always", "submodule", "--quiet")


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def other(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "other")
    repo.write("inside.md", "inside\n")
    repo.commit()
    return repo


def add(machine: Machine, other: GitRepo) -> None:
    machine.git(*_LOCAL, "add", other.path, "parts/sub")
    machine.git("commit", "--quiet", "-m", "a submodule")
    machine.sync()


def advance(machine: Machine) -> str:
    """A new commit in the submodule, recorded and synced."""
    inner = GitRepo(machine.full("parts/sub"))
    inner.write("inside.md", "changed\n")
    inner.commit()
    machine.git("commit", "--quiet", "-m", "the submodule moved", "parts/sub")
    machine.sync()
    return machine.git("rev-parse", "HEAD:parts/sub")


def test_a_submodule_arrives_as_an_empty_folder_and_is_not_taken_for_deleted(machines: Machines, other: GitRepo) -> None:
    a, b = machines.pair()
    add(a, other)
    b.sync()
    assert os.listdir(b.full("parts/sub")) == []
    b.assert_sound()
    machines.clock.tick(60)
    b.write("notes/b.md", "b\n")
    b.sync()
    machines.clock.tick(60)
    b.sync()
    a.sync()
    assert a.git("rev-parse", "HEAD:parts/sub") == b.git("rev-parse", "HEAD:parts/sub") == other.git("rev-parse", "HEAD")
    assert a.read("parts/sub/inside.md") == b"inside\n"


@pytest.mark.parametrize("checked_out", [False, True])
def test_a_submodule_that_moved_is_recorded_and_its_folder_is_left(machines: Machines, other: GitRepo, checked_out: bool) -> None:
    a, b = machines.pair()
    add(a, other)
    b.sync()
    if checked_out:
        b.git(*_LOCAL, "update", "--init")
    there = b.git("rev-parse", "HEAD:parts/sub")
    now = advance(a)
    shutil.rmtree(other.path)  # its remote is away: no business of this sync
    b.write("notes/b.md", "b\n")
    report = b.sync()
    assert report.conflicts == ()
    assert report.outside_edits == ()
    assert b.git("rev-parse", "HEAD:parts/sub") == now != there
    assert b.status() == ([" M parts/sub"] if checked_out else [])
    assert os.listdir(b.full("parts/sub")) == ([".git", "inside.md"] if checked_out else [])
    a.sync()
    assert a.tip == b.tip
    b.assert_whole()


@pytest.mark.parametrize("checked_out", [False, True])
def test_a_submodule_that_went_takes_only_an_empty_folder_along(machines: Machines, other: GitRepo, checked_out: bool) -> None:
    a, b = machines.pair()
    add(a, other)
    b.sync()
    if checked_out:
        b.git(*_LOCAL, "update", "--init")
    a.git("rm", "--quiet", "parts/sub")
    a.git("commit", "--quiet", "-m", "no submodule")
    a.sync()
    b.sync()
    assert "parts/sub" not in b.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert os.path.exists(b.full("parts/sub")) == checked_out
    if checked_out:
        assert b.read("parts/sub/inside.md") == b"inside\n"
    b.assert_whole()


def test_settings_that_add_to_a_fetch_or_push_do_not_stop_a_sync(machines: Machines, other: GitRepo) -> None:
    a, b = machines.pair()
    add(a, other)
    b.sync()
    b.git(*_LOCAL, "update", "--init")
    for key, value in (("fetch.recurseSubmodules", "true"), ("push.recurseSubmodules", "check"), ("push.followTags", "true")):
        b.git("config", key, value)
    advance(a)
    advance(b)  # a commit of the submodule that its own remote does not have
    shutil.rmtree(other.path)
    b.git("tag", "-a", "-m", "mine", "mine")
    b.write("notes/b.md", "b\n")
    b.sync()
    assert a.git("ls-remote", "--tags", machines.remote) == ""
