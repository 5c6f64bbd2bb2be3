"""A small workspace on disk, as the command's tests need it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.cli import memtree
from support.gitrepo import GitRepo

HERON = """---
title: Heron
---
# Heron

The certificate renewal is due in May.
"""
# Last in the settings: no command loads the model, unless a test takes this away.
WORDS_ALONE = b'[embedding]\nmodel = "none"\n'


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMTREE_WORKSPACE", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def saved_notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace that `notes` gives every test a copy of."""
    folder = tmp_path_factory.mktemp("saved") / "notes"
    memtree("init", str(folder))
    repo = GitRepo(folder)
    repo.write("memtree.toml", repo.read("memtree.toml").replace(b'"full"\n', b'"fast"\n') + b"\n" + WORDS_ALONE)
    repo.write("projects/heron.md", HERON)
    repo.write("图书馆.md", "今天和图书馆的同事开会。\n")
    memtree("-w", str(folder), "save", "-m", "first notes")
    repo.write("projects/heron.md", HERON + "\nAda renews it.\n")
    memtree("-w", str(folder), "save")
    return folder


@pytest.fixture
def notes(saved_notes: Path, tmp_path: Path) -> GitRepo:
    """A workspace with two saves: projects/heron.md (changed once) and 图书馆.md."""
    folder = tmp_path / "notes"
    shutil.copytree(saved_notes, folder, symlinks=True)
    repo = GitRepo(folder)
    repo.git("update-index", "-q", "--refresh")  # the copies are other files than the index knows
    return repo
