"""A session with a model on loopback: a fact is added, updated, superseded, retracted, and known already; each with its commit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtree.tree.fact import State
from support.conversations import T0, lonely
from support.fact_talk import answering, facts, learn, say_in, seen, settings
from support.machines import Machines
from support.model_server import ModelServer, model_server

DAY = 86_400_000
HEARD: dict[str, list[Any]] = {
    "I live in Berlin": [
        {"text": "I live in Berlin", "tags": ["home"], "source_seqs": [1]},
        {"text": "I am vegan", "tags": ["diet"], "source_seqs": [3]},
        {"text": "Our gateway runs on port 8002", "tags": ["config"], "source_seqs": [5]},
        {"text": "My sister Noor is allergic to walnuts", "tags": ["health"], "source_seqs": [7]},
    ],
    "moved to Lisbon": [{"text": "I moved to Lisbon last month", "source_seqs": [1]}],
    "on port 8002 because": [{"text": "Our gateway runs on port 8002 because 8000 is taken by the proxy", "source_seqs": [3]}],
    "no longer vegan": [{"text": "I am no longer vegan", "source_seqs": [5]}],
    "as you know": [{"text": "My sister Noor is allergic to walnuts", "source_seqs": [7]}],
}


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def updated(question: str) -> list[Any]:
    """A judge that finds more about the gateway, and has nothing to say of anything else."""
    lines = [line.strip() for line in question.splitlines()]
    statement = next((line.partition(":")[0][1:] for line in lines if line.startswith("N") and "8002" in line), None)
    fact = next((line.partition(":")[0] for line in lines if line[:1].isdigit() and "8002" in line), None)
    if statement is None or fact is None:
        return []
    text = "Our gateway runs on port 8002 because 8000 is taken by the proxy"
    return [{"reason": "more detail", "statement": int(statement), "outcome": "update", "targets": [int(fact)], "text": text}]


def test_all_five_outcomes(machines: Machines, server: ModelServer) -> None:
    machine = lonely(machines, settings(server))
    server.script(answering(HEARD, updated))
    first = ["I live in Berlin.", "I am vegan.", "Our gateway runs on port 8002.", "My sister Noor is allergic to walnuts."]
    say_in(machine, "s-1", first)
    learn(machine)
    assert {record.by for record in seen(machine).records} == {"made-1"}
    assert [one.outcome.value for record in seen(machine).records for one in record.decisions] == ["add"] * 4
    before = facts(machine)
    assert {one.state for one in before.values()} == {State.ACTIVE}

    later = [
        "I moved to Lisbon last month.",
        "Our gateway runs on port 8002 because 8000 is taken by the proxy.",
        "I am no longer vegan.",
        "My sister Noor is allergic to walnuts, as you know.",
    ]
    tip = machine.tip
    say_in(machine, "s-2", later, base=T0 + 60 * DAY)
    learn(machine)
    outcomes = [one.outcome.value for record in seen(machine, "s-2").records for one in record.decisions]
    assert outcomes == ["supersede", "update", "retract", "noop"]
    log = machine.git("log", "--format=%B", f"{tip}..HEAD")
    for word in ("supersede ", "update ", "retract "):
        assert f"\n{word}" in log
    assert "Memtree-Session: s-2" in log

    after = facts(machine)
    home, old_home = after["I moved to Lisbon last month"], after["I live in Berlin"]
    assert (old_home.state, old_home.superseded_by, home.supersedes) == (State.SUPERSEDED, home.id, old_home.id)
    assert home.valid_at == "2024-05"
    gateway = after["Our gateway runs on port 8002 because 8000 is taken by the proxy"]
    assert (gateway.id, gateway.state) == (before["Our gateway runs on port 8002"].id, State.ACTIVE)
    assert after["I am vegan"].state is State.RETRACTED
    assert [one.session for one in after["My sister Noor is allergic to walnuts"].sources] == ["s-1", "s-2"]
    machine.assert_sound()

    tip = machine.tip
    learn(machine)
    assert machine.tip == tip
