"""Who asks where they live is told where they live now, whatever words told it; what was so before is not told as what is so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.agents.first_look import answered, first_look
from memtree.engine.agents.passages import Reading
from memtree.engine.facts.recalling import moment_of
from memtree.engine.retrieval.memories import recall_memories
from memtree.indexers.query import Query
from memtree.tree.kinds import Kind
from support.conversations import T0, lonely
from support.fact_talk import FACTS, told
from support.machines import Machine, Machines

DAY = 86_400_000


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    machine = lonely(machines, FACTS)
    told(machine, "I live in Leeds.", "My mother lives in Chennai.", "我在阿里巴巴做后端工程师。")
    told(machine, "I moved to Hull.", "我换工作了，现在在字节跳动上班。", session="s-2", base=T0 + 400 * DAY)
    yield machine
    machines.close()


def _recalled(machine: Machine, question: str, as_of: str = "") -> list[str]:
    at = moment_of(as_of, 0) if as_of else None
    return [hit.text for hit in recall_memories(machine.workspace, question, kinds=(Kind.FACT,), as_of=at).hits]


def test_recalling(machine: Machine) -> None:
    assert _recalled(machine, "where do I live")[0] == "I moved to Hull."
    assert "I live in Leeds." not in _recalled(machine, "where do I live")
    assert _recalled(machine, "我在哪里上班")[0] == "我换工作了，现在在字节跳动上班。"
    assert _recalled(machine, "where do I live", "2024-06")[0] == "I live in Leeds."


def test_searching(machine: Machine) -> None:
    hits = machine.workspace.searching.search(Query("where do I live", limit=5)).hits
    assert "Hull" in hits[0].snippet
    assert len({(hit.path, hit.start_line) for hit in hits}) == len(hits) <= 5


def test_an_answer_without_a_model(machine: Machine) -> None:
    reading = Reading(machine.workspace)
    look = first_look(machine.workspace, reading, "Where do I live?")
    found = answered(machine.workspace, "Where do I live?", look.passages)
    assert "Hull" in found.text
    assert "Leeds" not in found.text
    assert not found.little
