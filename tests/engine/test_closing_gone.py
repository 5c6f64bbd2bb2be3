"""What a person took away: a recap that is deleted does not come back by itself, a closing that is undone is open again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.closer import nothing
from memtree.engine.closing.later import Later
from memtree.engine.closing.learning import learn_again
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.queue import PROFILE, Queue, Step
from memtree.engine.forgetting import Target, forget
from memtree.engine.writers.profile import forget_key
from memtree.tree.paths import RepoPath
from support.conversations import CONTENT, PLAIN, TALK, below, by_hand, close, lonely, pair, recaps, record, said, spans, untold
from support.machines import Machine, Machines

RECAP = f"{CONTENT}/recap/s-1/000001-000006.md"
MORE = (("Which port does the staging server listen on these days?", "On port 8443, behind the proxy."),)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def closed(machines: Machines) -> Machine:
    machine = lonely(machines, PLAIN)
    record(machine, said("s-1", TALK))
    close(machine)
    return machine


def delete(machine: Machine, path: str) -> None:
    machine.remove(path)
    machine.save()


def by_git(machine: Machine, path: str) -> None:
    by_hand(machine, {path: None})


def forgotten(machine: Machine, path: str) -> None:
    forget(machine.workspace, Target(RepoPath(path)))


def moved(machine: Machine, path: str) -> None:
    machine.move(path, "kept/mine.md")
    machine.save()


class TestDeleted:
    @pytest.mark.parametrize("how", [delete, by_git, forgotten, moved])
    def test_it_does_not_come_back(self, closed: Machine, how: Callable[[Machine, str], None]) -> None:
        how(closed, RECAP)
        tip = closed.tip
        assert Sessions.of(closed.workspace).open_folders() == []
        assert close(closed).closed == []
        Later(closed.workspace).run()
        assert closed.tip == tip

    def test_what_is_said_later_is_told_alone(self, closed: Machine) -> None:
        delete(closed, RECAP)
        record(closed, said("s-1", MORE, start=3))
        close(closed)
        assert spans(closed) == [(7, 8)]
        assert "Berlin" not in recaps(closed)[0].body

    def test_one_in_the_middle_neither(self, closed: Machine) -> None:
        record(closed, said("s-1", MORE, start=3))
        close(closed)
        delete(closed, RECAP)
        assert close(closed).closed == []
        assert spans(closed) == [(7, 8)]

    def test_nor_on_another_machine_nor_where_nothing_is_remembered(self, machines: Machines) -> None:
        one, two = pair(machines)
        record(one, said("s-1", TALK))
        close(one)
        delete(one, RECAP)
        machines.settle()
        assert close(two).closed == []
        assert close(machines.clone("c").reopen()).closed == []
        os.unlink(f"{one.workspace.places.folder}/closing/gone.json")
        assert close(one).closed == []

    def test_not_even_when_it_was_deleted_there_while_this_machine_closed_it_too(self, machines: Machines) -> None:
        one, two = pair(machines)
        record(one, said("s-1", TALK))
        machines.settle()
        for machine in (one, two):
            close(machine)
        machines.settle()
        delete(two, RECAP)
        record(one, said("s-1", MORE, start=3))
        machines.settle()
        close(one)
        machines.settle()
        assert spans(one) == spans(two) == [(7, 8)]
        machines.assert_agreed()

    def test_brought_back_it_is_there_as_any_other(self, closed: Machine) -> None:
        before = closed.committed()[RECAP]
        delete(closed, RECAP)
        closed.workspace.undo(closed.workspace.repo.tip("HEAD"))  # type: ignore[arg-type]
        assert closed.committed()[RECAP] == before
        assert close(closed).closed == []
        delete(closed, RECAP)
        assert close(closed).closed == []

    def test_a_branch_that_is_set_back_to_before_it_was_closed_can_be_closed(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        tip = machine.tip
        close(machine)
        delete(machine, RECAP)
        assert close(machine).closed == []
        machine.git("reset", "--hard", "-q", tip)
        assert [(one.first, one.last) for one in close(machine).closed] == [(1, 6)]


class TestUndone:
    @pytest.mark.parametrize("how", ["memtree", "git"])
    def test_a_closing_is_as_if_it_had_never_been(self, closed: Machine, how: str) -> None:
        before, profile = closed.committed(), below(closed, "profile")
        if how == "memtree":
            closed.workspace.undo(closed.workspace.repo.tip("HEAD"))  # type: ignore[arg-type]
        else:
            closed.git("revert", "--no-edit", "HEAD")
        assert (recaps(closed), below(closed, "chat"), below(closed, "profile")) == ([], {}, {})
        assert profile
        assert close(closed, whole=nothing).closed == []
        assert len(close(closed).closed) == 1
        assert closed.committed() == before
        closed.assert_sound()

    def test_and_goes_on(self, closed: Machine) -> None:
        closed.workspace.undo(closed.workspace.repo.tip("HEAD"))  # type: ignore[arg-type]
        record(closed, said("s-1", MORE, start=3))
        close(closed)
        assert spans(closed) == [(1, 8)]
        assert untold(closed) == {}


class TestTurns:
    def test_of_which_none_is_left_keep_their_recap_and_trouble_nobody(self, closed: Machine) -> None:
        for number in range(1, 7):
            closed.remove(f"{CONTENT}/episodic/s-1/{number:06}.md")
        closed.save(allow_mass_delete=True)
        Queue(closed.workspace.places.folder).put(Step(PROFILE, "s-1", 1, 6))
        assert close(closed).closed == []
        report = Later(closed.workspace).run()
        assert (report.notes, report.waiting) == ([], 0)
        assert spans(closed) == [(1, 6)]

    def test_recorded_after_some_were_deleted_are_told(self, closed: Machine) -> None:
        """The numbers of those that are gone are given to nobody else."""
        for number in (5, 6):
            closed.remove(f"{CONTENT}/episodic/s-1/{number:06}.md")
        closed.save()
        record(closed, said("s-1", MORE, start=3))
        close(closed)
        assert untold(closed) == {}

    def test_on_a_machine_that_never_saw_those_they_are_too(self, machines: Machines) -> None:
        one, two = pair(machines)
        record(one, said("s-1", TALK))
        close(one)
        for number in (5, 6):
            one.remove(f"{CONTENT}/episodic/s-1/{number:06}.md")
        one.save()
        machines.settle()
        record(two, said("s-1", MORE, start=3))
        close(two)
        assert b"8443" in b"".join(below(two, "chat").values())
        assert untold(two) == {}

    def test_forgotten_before_are_not_told(self, machines: Machines) -> None:
        machine = lonely(machines, PLAIN)
        record(machine, said("s-1", TALK))
        forget(machine.workspace, Target(text="I prefer tabs to spaces."))
        close(machine)
        assert not [path for path, data in machine.committed().items() if b"tabs" in data]
        assert len(recaps(machine)[0].events) == 2


class TestForgotten:
    def test_what_was_learned_from_it_in_other_words_is_told(self, closed: Machine) -> None:
        notes = forget(closed.workspace, Target(text="I prefer tabs to spaces.")).notes
        path = f"{CONTENT}/profile/coding_style.md"
        assert notes == (f"{path} still says what was learned from it: memtree profile forget coding_style indentation",)
        forget_key(closed.workspace, "coding_style", "indentation")
        close(closed)
        learn_again(closed.workspace, recaps(closed)[0])
        assert not [path for path, data in closed.committed().items() if b"tabs" in data]

    def test_a_text_goes_from_all_that_was_made_of_it_and_nothing_brings_it_back(self, closed: Machine) -> None:
        text = "Based in Berlin, so meetings before nine are too early"
        for words in (text, "I'm based in Berlin, so meetings before nine are too early"):
            forget(closed.workspace, Target(text=words))
        queue = Queue(closed.workspace.places.folder)
        assert not [path for path, data in closed.committed().items() if b"Berlin" in data]
        (recap,) = recaps(closed)
        assert not recap.may_get_better  # no model tells of it again
        queue.put(Step(PROFILE, "s-1", 1, 6))
        learn_again(closed.workspace, recap)
        close(closed)
        Later(closed.workspace).run()
        assert not [path for path, data in closed.committed().items() if b"Berlin" in data]
        state = Path(closed.workspace.places.folder)
        kept = [path for path in state.rglob("*") if path.is_file() and b"Berlin" in path.read_bytes()]
        assert [path for path in kept if "index" not in path.parts] == []
        assert queue.steps() == []
