"""A search while another process keeps the index: what it does not hold yet is found all the same."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine import overlay
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode, Query


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened, _ = Workspace.init(str(tmp_path / "w"))
    with opened:
        for name, text in (("a.md", "apple pie"), ("b.md", "berry jam"), ("c.md", "apple cider")):
            (tmp_path / "w" / name).write_text(text + "\n")
        opened.save()
        yield opened


@contextlib.contextmanager
def held(workspace: Workspace) -> Iterator[None]:
    """Hold the index as another process that is writing it would."""
    with open(Path(workspace.places.search) / "lock", "a+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def found(workspace: Workspace, words: str, mode: Mode) -> set[str]:
    return {hit.path for hit in workspace.search(Query(words, mode=mode)).hits}


@pytest.mark.parametrize("mode", [Mode.TEXT, Mode.HYBRID])
def test_edits_made_while_the_index_is_held_are_found(workspace: Workspace, mode: Mode) -> None:
    root = Path(workspace.root)
    with held(workspace):
        (root / "a.md").write_text("quokka pie\n")
        (root / "d.md").write_text("another quokka\n")
        (root / "c.md").unlink()
        workspace.save()
        report = workspace.search(Query("quokka", mode=mode))
        assert {"a.md", "d.md"} <= {hit.path for hit in report.hits}
        assert any("searched directly" in note for note in report.notes)
        assert "c.md" not in found(workspace, "apple cider", mode)
        assert found(workspace, "berry", mode) >= {"b.md"}
    assert {"a.md", "d.md"} <= found(workspace, "quokka", mode)
    assert not any("directly" in note for note in workspace.search(Query("quokka", mode=mode)).notes)


def test_too_many_changes_are_told_instead(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay, "LIMIT", 1)
    root = Path(workspace.root)
    with held(workspace):
        for name in ("d.md", "e.md"):
            (root / name).write_text("quokka\n")
        report = workspace.search(Query("quokka", mode=Mode.TEXT))
        assert report.hits == ()
        assert any("behind" in note for note in report.notes)
