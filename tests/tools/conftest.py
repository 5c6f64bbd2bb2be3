"""A small workspace on disk, as the command's tests need it."""

from __future__ import annotations

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


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMTREE_WORKSPACE", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def notes(tmp_path: Path) -> GitRepo:
    """A workspace with two saves: projects/heron.md (changed once) and 图书馆.md."""
    folder = tmp_path / "notes"
    memtree("init", str(folder))
    repo = GitRepo(folder)
    repo.write("memtree.toml", repo.read("memtree.toml").replace(b'"full"\n', b'"fast"\n'))
    repo.write("projects/heron.md", HERON)
    repo.write("图书馆.md", "今天和图书馆的同事开会。\n")
    memtree("save", "-m", "first notes", cwd=folder)
    repo.write("projects/heron.md", HERON + "\nAda renews it.\n")
    memtree("save", cwd=folder)
    return repo
