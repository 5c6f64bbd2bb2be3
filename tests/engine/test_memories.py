"""memory_recall: passages with their places and one score, and nothing where nothing fits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.agents.recalling import Recall
from memtree.engine.memory_tree.hits import BadRequest, Envelope
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.retrieval.memories import MOST, NOTHING, recall_memories
from memtree.tree.kinds import Kind
from support.machines import Machine, Machines

NOTES = {
    "memtree.toml": '[embedding]\nmodel = "none"\n',
    "memory_tree/content/notes/heron.md": "---\ndate: 2026-03-01\n---\n# Heron\n\nThe certificate of heron is renewed in May.\n",
    "memory_tree/content/notes/otter.md": "# Otter\n\nOtter moved to Oslo; its certificate is new.\n",
    "memory_tree/content/raw/wiki/page.md": "# Page\n\nRenewing a certificate takes a day.\n",
}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    yield machines.lonely(NOTES)
    machines.close()


def test_passages_have_places_times_and_a_score(machine: Machine) -> None:
    found = recall_memories(machine.workspace, "when is heron's certificate renewed?")
    first = found.hits[0]
    assert first.path == "memory_tree/content/notes/heron.md"
    assert (first.start_line, first.end_line, first.commit) == (4, 6, machine.tip)
    assert first.time_start is not None
    assert "renewed in May" in first.text
    assert first.score is not None
    assert 0 < first.score <= 1


def test_a_score_is_the_one_that_the_memory_tree_gives(machine: Machine) -> None:
    question = "certificate renewal"
    walked = run_mode(machine.workspace, "walk", {"query": question})
    assert isinstance(walked, Envelope)
    recalled = recall_memories(machine.workspace, question)
    assert {hit.node_id: hit.score for hit in walked.hits} == {hit.node_id: hit.score for hit in recalled.hits}


def test_narrowing(machine: Machine) -> None:
    def paths(**choices: object) -> set[str]:
        return {hit.path.name for hit in recall_memories(machine.workspace, "certificate", **choices).hits}  # type: ignore[arg-type]

    assert paths() == {"heron.md", "otter.md", "page.md"}
    assert paths(kinds=(Kind.RAW,)) == {"page.md"}
    assert paths(sources=("notes",)) == {"heron.md", "otter.md"}
    assert paths(sources=("notes",), kinds=(Kind.RAW,)) == set()
    assert len(paths(limit=1)) == 1


@pytest.mark.parametrize(
    "choices",
    [{"limit": 0}, {"limit": MOST + 1}, {"limit": 10**9}, {"sources": ("nowhere",)}, {"query": " \n"}, {"query": "x" * 10_001}],
)
def test_what_cannot_be_used_is_refused(machine: Machine, choices: dict[str, object]) -> None:
    with pytest.raises(BadRequest) as told:
        recall_memories(machine.workspace, **{"query": "certificate", **choices})  # type: ignore[arg-type]
    assert told.value.hint


@pytest.mark.parametrize("query", ["xylophone quartets", "木琴", "ксилофон", "🦆", "?!"])
def test_nothing_is_found_where_nothing_fits(machine: Machine, query: str) -> None:
    assert recall_memories(machine.workspace, query).hits == ()
    assert Recall(machine.workspace).memory_recall(query) == NOTHING


def test_what_is_not_saved_is_not_found(machine: Machine) -> None:
    Path(machine.full("memory_tree/content/notes/new.md")).write_text("A kingfisher.\n")
    assert recall_memories(machine.workspace, "kingfisher").hits == ()
    machine.save()
    assert len(recall_memories(machine.workspace, "kingfisher").hits) == 1


def test_recalling_builds_no_graph(machine: Machine) -> None:
    recall_memories(machine.workspace, "heron")
    assert machine.workspace.searching.graph().position() is None


def test_an_agent_is_shown_passages_as_data(machine: Machine) -> None:
    text = Recall(machine.workspace).memory_recall("heron certificate")
    assert "[1] memory_tree/content/notes/heron.md:4-6 (note, 2026-03-01)" in text
    assert text.startswith("<memtree-context>")
    assert text.endswith("</memtree-context>")


def test_an_empty_workspace_says_so(tmp_path: Path) -> None:
    machines = Machines(tmp_path / "m")
    found = recall_memories(machines.lonely({}).workspace, "heron")
    assert found.hits == ()
    machines.close()
