"""Why a session has the facts that it has: what was done is told step by step, and what was not, with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.facts.candidate import Step
from memtree.engine.facts.diagnosis import NoSuchSession, diagnose
from memtree.engine.facts.diagnosis_records import RULES, Record, kept_records
from memtree.engine.forgetting import Target, forget
from support import model_server as made
from support.conversations import FACTS, PLAIN, lonely, record, said
from support.fact_talk import answering, asked_for_facts, facts, learn, say_in, seen, settings, steps_of
from support.machines import Machine, Machines
from support.model_server import ModelServer, model_server, say

HOME = "I live in Berlin."
ERRAND = "I want to do the laundry tonight"
STEPS = [*Step]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as started:
        yield started


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made_ = Machines(tmp_path)
    yield made_
    made_.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return lonely(machines, FACTS)


def folder(machine: Machine) -> Path:
    return Path(machine.workspace.places.folder, "facts", "diagnosis")


class TestWhatWasDone:
    def test_every_step_in_its_order_with_its_counts(self, machine: Machine) -> None:
        say_in(machine, "s-1", [HOME, "What is the capital of Peru?"])
        learn(machine)
        (one,) = seen(machine).records
        assert (one.first, one.last, one.by, one.dry, one.trouble) == (1, 4, RULES, False, "")
        assert [count.step for count in one.counts] == STEPS
        counts = steps_of(machine)
        assert counts["clean"] == (4, 4)
        assert counts["normalise"] == (4, 2)
        assert counts["extract"] == (2, 1)
        assert counts["commit"] == (1, 1)
        assert [(left.step, left.count) for left in one.left_out] == [(Step.NORMALISE, 2)]
        assert any(note.startswith("2 messages were left out") for note in seen(machine).notes)
        (decision,) = one.decisions
        assert (decision.candidate.text, decision.outcome.value, decision.fact) == (HOME, "add", facts(machine)[HOME].id)

    def test_each_statement_that_fell_with_where_and_why(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        found = [
            {"text": "I live in Berlin", "source_seqs": [1]},
            {"text": ERRAND, "fact_type": "ephemeral_intent", "source_seqs": [3]},
            {"text": "Owns three houses near Marrakesh and a boat", "source_seqs": [3]},
        ]
        server.script(answering({"Berlin": found}))
        say_in(machine, "s-1", [HOME, f"{ERRAND}."])
        learn(machine)
        (one,) = seen(machine).records
        assert one.by == "made-1"
        where = [(fallen.step, fallen.candidate.text) for fallen in one.fallen]
        assert where == [(Step.GROUND, "Owns three houses near Marrakesh and a boat"), (Step.GATE, ERRAND)]
        assert all(fallen.reason and fallen.detail for fallen in one.fallen)
        counts = steps_of(machine)
        assert (counts["extract"], counts["ground"], counts["gate"], counts["time"]) == ((2, 3), (3, 2), (2, 1), (1, 1))

    def test_no_secret_is_in_it(self, machine: Machine) -> None:
        secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
        say_in(machine, "s-1", [f"I always use the token {secret}."])
        learn(machine)
        assert all(secret not in path.read_text() for path in folder(machine).rglob("*.json"))

    def test_nothing_is_left_of_it_when_memory_forgets(self, machine: Machine) -> None:
        say_in(machine, "s-1", [HOME, "I prefer tabs to spaces."])
        learn(machine)
        assert list(folder(machine).rglob("*.json"))
        forget(machine.workspace, Target(text="live in Berlin"))
        assert not list(folder(machine).rglob("*.json"))
        assert seen(machine).dry

    @pytest.mark.parametrize("data", ["", "{", "[]", "{}", '{"first": "x"}'])
    def test_a_damaged_record_is_none(self, machine: Machine, data: str) -> None:
        say_in(machine, "s-1", [HOME])
        learn(machine)
        (path,) = folder(machine).rglob("*.json")
        path.write_text(data)
        assert seen(machine).dry
        assert kept_records(machine.workspace, "s-1") == []


class TestWhatWasNot:
    def test_without_a_record_it_is_tried_and_nothing_is_written(self, machine: Machine) -> None:
        say_in(machine, "s-1", [HOME])
        learn(machine)
        shutil.rmtree(folder(machine))
        tip, there = machine.tip, facts(machine)
        found = seen(machine)
        (one,) = found.records
        assert (found.dry, one.dry, one.by) == (True, True, RULES)
        assert [decision.outcome.value for decision in one.decisions] == ["noop"]
        assert any("nothing was written" in note for note in found.notes)
        assert (machine.tip, facts(machine)) == (tip, there)
        assert not folder(machine).exists()

    def test_turns_that_are_not_closed_yet(self, machine: Machine) -> None:
        record(machine, said("s-1", [(HOME, "Fine."), ("I prefer tabs to spaces.", "Noted.")]))
        found = seen(machine)
        assert (found.records, found.open_turns) == ((), 2)
        assert any("2 turns are not closed yet" in note for note in found.notes)

    def test_a_step_that_waits_with_its_last_error(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        say_in(machine, "s-1", [HOME])
        assert [(one.first, one.last, one.tries) for one in seen(machine).waiting] == [(1, 2, 0)]
        server.script(lambda body: made.EMPTY if asked_for_facts(body) else answering({})(body))
        learn(machine)
        (one,) = seen(machine).waiting
        assert (one.tries, one.due > 0) == (1, True)
        assert one.reason
        assert any("tried 1 times" in note for note in seen(machine).notes)

    def test_a_model_that_found_nothing(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        server.script(answering({}))
        say_in(machine, "s-1", [HOME])
        learn(machine)
        assert any("made-1 found nothing that lasts in turns 1-2" in note for note in seen(machine).notes)

    def test_an_answer_that_could_not_be_read(self, machines: Machines, server: ModelServer) -> None:
        machine = lonely(machines, settings(server))
        server.script(lambda body: say("Certainly!") if asked_for_facts(body) else answering({})(body))
        say_in(machine, "s-1", [HOME])
        for _ in range(6):
            learn(machine)
            machines.clock.tick(86_400)
        (one,) = seen(machine).records
        assert (one.by, "answered nothing that can be used" in one.trouble) == (RULES, True)

    def test_facts_that_are_not_wanted(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        say_in(machine, "s-1", [HOME])
        assert any("enabled = false" in note for note in seen(machine).notes)

    @pytest.mark.parametrize("session", ["s-l", "s", "S-1 ", "", " ", "\x00", "x" * 5_000])
    def test_a_session_that_is_not_here(self, machine: Machine, session: str) -> None:
        say_in(machine, "s-1", [HOME])
        with pytest.raises(NoSuchSession) as caught:
            diagnose(machine.workspace, session)
        assert caught.value.near in (("s-1",), ())
        assert len(str(caught.value)) < 200


def test_a_record_is_what_it_was(machine: Machine) -> None:
    say_in(machine, "s-1", [HOME])
    learn(machine)
    (one,) = kept_records(machine.workspace, "s-1")
    assert isinstance(one, Record)
    assert (one.session, one.when) == ("s-1", int(machine.workspace.options.clock()))
