"""`memtree context`: the block as an agent gets it, and the same as JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cli import memtree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    memtree("init", str(tmp_path / "w"))
    notes = tmp_path / "w" / "memory_tree" / "content" / "notes"
    notes.mkdir(parents=True)
    (notes / "heron.md").write_text("# Heron\n\nThe heron nests by the old mill.\n")
    (tmp_path / "w" / "MEMORY_GOALS.md").write_text("- [g1] Find the nest\n")
    memtree("save", cwd=tmp_path / "w")
    return tmp_path / "w"


def test_it_prints_the_block_and_its_citations(folder: Path) -> None:
    plain = memtree("context", "where", "does", "the", "heron", "nest?", cwd=folder)
    told = memtree("context", "--json", "where does the heron nest?", cwd=folder).json
    assert plain.out == told["text"] + "\n"
    assert plain.out.startswith("<memtree-context>\n")
    assert "- [1] Find the nest" in plain.out
    assert told["query"] == "where does the heron nest?"
    assert [(one["id"], one["path"], one["start_line"], one["end_line"]) for one in told["citations"]] == [
        ("[1]", "MEMORY_GOALS.md", 1, 1),
        ("[2]", "memory_tree/content/notes/heron.md", 1, 3),
    ]
    assert told["citations"][0]["score"] is None
    assert told["notes"] == []


def test_a_budget_and_a_session_are_kept(folder: Path) -> None:
    assert len(memtree("context", "--budget", "200", "--session", "s1", cwd=folder).out) <= 201
    memtree("context", "--budget", "100", cwd=folder, code=2)


def test_nothing_to_say_is_said(tmp_path: Path) -> None:
    memtree("init", str(tmp_path / "w"))
    assert memtree("context", "anything", cwd=tmp_path / "w").out == "Memory has nothing to say to that.\n"
    assert memtree("context", "--json", cwd=tmp_path / "w").json["text"] == ""
