"""What fell is kept aside with its reason, without secrets, in bounds, until a person drops or releases it, or forgets it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.facts import quarantine
from memtree.engine.facts.candidate import Candidate, Fallen, Step
from memtree.engine.facts.pipeline import StatementGone
from memtree.engine.facts.quarantine import NoSuchStatement, Quarantined
from memtree.engine.forgetting import Target, forget
from memtree.tree.paths import RepoPath
from support.conversations import CONTENT, FACTS, lonely
from support.fact_talk import answering, facts, learn, say_in, settings
from support.machines import Machine, Machines
from support.model_server import ModelServer, model_server

LAUNDRY = "I want to do the laundry tonight"
SAID = [f"{LAUNDRY}.", "I live in Berlin.", "Is the shop open?"]
FOUND = {
    LAUNDRY: [
        {"text": LAUNDRY, "fact_type": "ephemeral_intent", "source_seqs": [1]},
        {"text": "I live in Berlin", "source_seqs": [3]},
        {"text": "Owns three houses near Marrakesh and a boat", "source_seqs": [3]},
    ]
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


@pytest.fixture
def machine(machines: Machines, server: ModelServer) -> Machine:
    """A workspace in which a model found one fact, one errand and one thing that nobody said."""
    server.script(answering(FOUND))
    made = lonely(machines, settings(server))
    say_in(made, "s-1", SAID)
    learn(made)
    assert set(facts(made)) == {"I live in Berlin"}
    return made


def found(machine: Machine) -> dict[str, Quarantined]:
    return {one.candidate.text: one for one in quarantine.listed(machine.workspace)}


def folder(machine: Machine) -> Path:
    return Path(machine.workspace.places.folder, "facts", "quarantine")


def test_what_fell_is_there_with_its_reason(machine: Machine) -> None:
    there = found(machine)
    assert {text: (one.step, one.reason != "") for text, one in there.items()} == {
        LAUNDRY: ("gate", True),
        "Owns three houses near Marrakesh and a boat": ("ground", True),
    }
    errand = there[LAUNDRY]
    assert (errand.reason, errand.session, errand.candidate.seqs) == ("ephemeral_intent", "s-1", (1,))
    assert quarantine.get(machine.workspace, errand.id[:8]) == errand
    assert quarantine.listed(machine.workspace, "s-2") == []


def test_it_is_for_its_owners_eyes_and_never_committed(machine: Machine) -> None:
    assert {path.stat().st_mode & 0o777 for path in folder(machine).iterdir()} == {0o600}
    assert not any(
        b"laundry" in data
        for path, data in machine.committed().items()
        if "/episodic/" not in path and "recap" not in path and "/chat/" not in path
    )


def test_one_that_is_dropped_is_gone(machine: Machine) -> None:
    one = found(machine)[LAUNDRY]
    assert quarantine.drop(machine.workspace, one.id) == one
    assert LAUNDRY not in found(machine)
    with pytest.raises(NoSuchStatement):
        quarantine.drop(machine.workspace, one.id)


@pytest.mark.parametrize("name", ["", "q-", "q-ffff", "../../config", "q-" + "f" * 4_000])
def test_a_name_that_nothing_has_is_told(machine: Machine, name: str) -> None:
    with pytest.raises(NoSuchStatement):
        quarantine.get(machine.workspace, name)


class TestReleased:
    def test_a_person_says_that_it_lasts(self, machine: Machine) -> None:
        learned = quarantine.release(machine.workspace, found(machine)[LAUNDRY].id)
        assert [one.outcome.value for one in learned.decisions] == ["add"]
        fact = facts(machine)[LAUNDRY]
        assert [(source.session, source.seq) for source in fact.sources] == [("s-1", 1)]
        assert LAUNDRY not in found(machine)
        machine.assert_sound()

    def test_one_whose_turn_is_gone_stays(self, machine: Machine) -> None:
        machine.remove(f"{CONTENT}/episodic/s-1/000001.md")
        machine.save()
        with pytest.raises(StatementGone):
            quarantine.release(machine.workspace, found(machine)[LAUNDRY].id)
        assert LAUNDRY in found(machine)


class TestForgotten:
    def test_its_text(self, machine: Machine) -> None:
        forget(machine.workspace, Target(text="do the laundry"))
        assert LAUNDRY not in found(machine)
        self.assert_nowhere(machine, "laundry")

    def test_its_turn(self, machine: Machine) -> None:
        forget(machine.workspace, Target(path=RepoPath(f"{CONTENT}/episodic/s-1/000001.md")))
        assert LAUNDRY not in found(machine)

    def test_what_a_model_said_of_it_in_other_words(self, machine: Machine) -> None:
        forget(machine.workspace, Target(text="live in Berlin"))
        assert "Owns three houses near Marrakesh and a boat" not in found(machine)
        assert LAUNDRY in found(machine)

    def test_a_session(self, machine: Machine) -> None:
        forget(machine.workspace, Target(path=RepoPath(f"{CONTENT}/episodic/s-1")))
        assert found(machine) == {}

    @staticmethod
    def assert_nowhere(machine: Machine, word: str) -> None:
        for path in Path(machine.workspace.places.folder, "facts").rglob("*"):
            assert path.is_dir() or word not in path.read_text(), path


class TestBounds:
    def fallen(self, number: int) -> Fallen:
        return Fallen(Candidate(f"statement number {number}", seqs=(number,)), Step.GATE, "activity_log", "it is an entry of a log")

    def test_the_oldest_go(self, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(quarantine, "MOST", 5)
        machine = lonely(machines, FACTS)
        for number in range(9):
            assert quarantine.put(machine.workspace, "s-1", 1, 9, [self.fallen(number)]) == 1
            for path in folder(machine).iterdir():  # a moment later
                os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))
        assert {one.candidate.seqs[0] for one in quarantine.listed(machine.workspace)} == {4, 5, 6, 7, 8}

    def test_the_same_again_is_not_new(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS)
        assert quarantine.put(machine.workspace, "s-1", 1, 9, [self.fallen(1)]) == 1
        assert quarantine.put(machine.workspace, "s-1", 1, 9, [self.fallen(1)]) == 0

    def test_no_secret_is_kept(self, machines: Machines) -> None:
        machine = lonely(machines, FACTS)
        secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
        one = Candidate(f"The token is {secret}", tags=(secret,), subject=secret, seqs=(1,))
        quarantine.put(machine.workspace, "s-1", 1, 9, [Fallen(one, Step.GATE, "activity_log", f"because of {secret}")])
        (path,) = folder(machine).iterdir()
        assert secret not in path.read_text()

    @pytest.mark.parametrize("data", ["", "{", "[]", "{}", '{"candidate": 3}', '{"candidate": {"text": "x"}, "step": "what"}'])
    def test_a_damaged_file_is_none(self, machines: Machines, data: str) -> None:
        machine = lonely(machines, FACTS)
        quarantine.put(machine.workspace, "s-1", 1, 9, [self.fallen(1)])
        (folder(machine) / "q-0123456789abcdef.json").write_text(data)
        assert len(quarantine.listed(machine.workspace)) == 1
        with pytest.raises(NoSuchStatement):
            quarantine.get(machine.workspace, "q-0123456789abcdef")

    def test_a_link_is_not_followed(self, machines: Machines, tmp_path: Path) -> None:
        machine = lonely(machines, FACTS)
        quarantine.put(machine.workspace, "s-1", 1, 9, [self.fallen(1)])
        (path,) = folder(machine).iterdir()
        outside = tmp_path / "outside.json"
        outside.write_text(json.dumps(json.loads(path.read_text())))
        (folder(machine) / "q-0123456789abcdef.json").symlink_to(outside)
        assert len(quarantine.listed(machine.workspace)) == 1
