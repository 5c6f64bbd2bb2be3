"""Looking at files that editors change in the very moment: what was there before or after is seen, and nothing raises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.store import working_copy
from memtree.engine.workspace import Workspace
from memtree.tree.objects import SYMLINK
from memtree.tree.paths import RepoPath
from support.machines import options


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.init(str(tmp_path / "ws"), options=options())[0] as made:
        yield made


def unlink(full: str) -> None:
    os.unlink(full)


def link(full: str) -> None:
    os.unlink(full)
    os.symlink("elsewhere", full)


def folder(full: str) -> None:
    os.unlink(full)
    os.mkdir(full)


def no_folder(full: str) -> None:
    os.unlink(full)
    os.rmdir(os.path.dirname(full))
    Path(os.path.dirname(full)).write_bytes(b"a file now\n")


@pytest.mark.parametrize("change", [unlink, link, folder, no_folder])
@pytest.mark.parametrize("store", [False, True])
def test_a_file_that_changes_its_kind_while_it_is_looked_at(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, change: Callable[[str], None], store: bool
) -> None:
    full = os.path.join(workspace.root, "notes/a.md")
    os.mkdir(os.path.dirname(full))
    Path(full).write_bytes(b"text\n")
    read = working_copy.read_file

    def reading(path: str) -> bytes:
        change(path)
        return read(path)

    monkeypatch.setattr(working_copy, "read_file", reading)
    found = workspace.store.working_copy.look(RepoPath("notes/a.md"), store=store).entry
    assert (found.mode if found is not None else None) == (SYMLINK if change is link else None)


def test_a_link_that_becomes_a_file_while_it_is_looked_at(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.path.join(workspace.root, "a.md")
    os.symlink("elsewhere", full)
    read = os.readlink

    def reading(path: str) -> str:
        os.unlink(full)
        Path(full).write_bytes(b"text\n")
        return read(path)

    monkeypatch.setattr(os, "readlink", reading)
    found = workspace.store.working_copy.look(RepoPath("a.md")).entry
    assert found is not None
    assert found.is_file
