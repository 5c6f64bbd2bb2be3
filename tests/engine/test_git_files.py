"""Git's settings mean here what git takes them for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.git_files import means_yes
from memtree.engine.repo import Repo
from support.gitrepo import GitRepo
from support.machines import Machines


def test_a_yes_or_no_is_what_git_takes_it_for(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    for value in ("true", "TRUE", "Yes", "on", "1", "-1", "0x2", "false", "No", "OFF", "0", ""):
        taken = git.git("-c", f"a.b={value}", "config", "--type=bool", "a.b")
        assert means_yes(value) is (taken == "true"), value
    assert [means_yes(value) for value in (None, "input", "yess", "1.5")] == [None] * 4


def test_a_name_alone_means_yes(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    with open(tmp_path / ".git" / "config", "a") as file:
        file.write("[a]\n\tb\n")
    repo = Repo.open(git.path)
    assert (means_yes(repo.config("a.b")), repo.config("a.c")) == (True, None)
    repo.close()


@pytest.mark.parametrize("value", ["true", "yes", "1", "Input", "no"])
def test_line_ends_are_stored_as_git_stores_them(tmp_path: Path, value: str) -> None:
    machines = Machines(tmp_path)
    machine = machines.lonely({})
    machine.git("config", "core.autocrlf", value)
    machine.write("notes/a.txt", "a\r\nb\r\n")
    machine.save()
    assert machine.git("rev-parse", "HEAD:notes/a.txt") == machine.git("hash-object", "notes/a.txt")
    machines.close()
