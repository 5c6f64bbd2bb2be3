"""Facts where something stands in their way: what a person put there stays, and what was told is learned when the way is free."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.closing.later import Later
from memtree.engine.facts.catching_up import learn_sessions
from memtree.engine.forgetting import Target, forget
from memtree.indexers.query import Query
from memtree.tree.fact import State, read_fact
from memtree.tree.paths import RepoPath
from support.conversations import CONTENT, FACTS, T0, close, lonely, record, said, toml
from support.fact_talk import facts, learn, say_in, told
from support.machines import Machine, Machines

DAY = 86_400_000
_IDS = {"ab": "ab" * 16, "cd": "cd" * 16}


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return lonely(machines, FACTS)


def put(machine: Machine, name: str, data: bytes) -> str:
    path = f"{CONTENT}/facts/{name}"
    machine.write(path, data)
    return path


def where(machines: Machines, statement: str) -> str:
    """The path that the fact of a statement has, as another machine says."""
    other = lonely(machines, FACTS, "elsewhere")
    return next(iter(told(other, statement, session="s-2", base=T0 + DAY).values())).path(CONTENT)


def active(machine: Machine) -> list[str]:
    return sorted(text for text, fact in facts(machine).items() if fact.active)


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("what", ["a folder's name", "a file's name", "the folder of all"])
def test_what_stands_in_the_way_stays_and_the_fact_waits(machines: Machines, machine: Machine, what: str, saved: bool) -> None:
    path = RepoPath(where(machines, "I work at Siemens."))
    blocked = {"a folder's name": str(path.folder), "a file's name": f"{path}/mine.txt", "the folder of all": f"{CONTENT}/facts"}[
        what
    ]
    machine.write(blocked, b"mine")
    if saved:
        machine.save()
    say_in(machine, "s-2", ["I work at Siemens."], base=T0 + DAY)
    report = learn(machine)
    assert report.waiting == 1
    assert any("in the way" in note for note in report.notes), report.notes
    assert machine.disk()[blocked] == b"mine"
    os.unlink(machine.full(blocked))
    if what == "a file's name":
        os.rmdir(machine.full(str(path)))
    machine.save()
    machine.workspace.options.clock.tick(7 * 3600)  # type: ignore[attr-defined]
    assert learn(machine).waiting == 0
    assert active(machine) == ["I work at Siemens."]


def test_what_stands_in_the_way_of_one_keeps_no_other_waiting(machines: Machines, machine: Machine) -> None:
    path = RepoPath(where(machines, "I work at Siemens."))
    machine.write(str(path.folder), b"mine")
    say_in(machine, "s-2", ["I work at Siemens."], base=T0 + DAY)
    say_in(machine, "s-3", ["I have two kids."], base=T0 + 2 * DAY)
    assert learn(machine).waiting == 1
    assert active(machine) == ["I have two kids."]


@pytest.mark.parametrize("name", ["{id}.md~", "{id}.md.orig", "{id}.md/x.txt", ".{id}.md.swp", "{id}.markdown", "x{id}.md"])
def test_what_only_looks_like_a_fact_is_none(name: str) -> None:
    assert read_fact(RepoPath(f"facts/ab/{name.format(id=_IDS['ab'])}"), b"I live in Berlin.") is None


def test_bytes_that_are_no_text_are_no_fact(machine: Machine) -> None:
    put(machine, f"cd/{_IDS['cd']}.md", b"\0\1\2" * 100)
    machine.save()
    assert list(told(machine, "I live in Berlin.")) == ["I live in Berlin."]


def test_a_fact_that_a_person_wrote_without_a_header_gives_way_in_part_and_keeps_its_words(machine: Machine) -> None:
    path = put(machine, f"ab/{_IDS['ab']}.md", b"I live in Berlin and work at Siemens.\n")
    machine.save()
    told(machine, "I moved to Lisbon.")
    assert active(machine) == ["I moved to Lisbon.", "I work at Siemens."]
    old = facts(machine)["I live in Berlin and work at Siemens."]
    assert (old.state, old.generator) == (State.SUPERSEDED, "person")
    assert machine.disk()[path].endswith(b"\nI live in Berlin and work at Siemens.\n")
    told(machine, "I joined Bosch.", session="s-2", base=T0 + DAY)
    assert active(machine) == ["I joined Bosch.", "I moved to Lisbon."]


def test_a_fact_that_was_deleted_elsewhere_is_not_learned_again_here(machines: Machines) -> None:
    one, two = (each.reopen() for each in machines.pair({"memtree.toml": toml(FACTS)}))
    told(one, "I live in Berlin.", "I work at Siemens.")
    one.remove(facts(one)["I live in Berlin."].path(CONTENT))
    one.save()
    one.sync()
    two.sync()
    learn_sessions(two.workspace, again=True)
    Later(two.workspace).run_facts()
    assert active(two) == ["I work at Siemens."]
    told(two, "I live in Berlin.", session="s-2", base=T0 + DAY)
    assert active(two) == ["I live in Berlin.", "I work at Siemens."]


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("by", ["text", "turn"])
def test_of_what_is_forgotten_no_word_stays_among_facts_nor_comes_back(machine: Machine, purge: bool, by: str) -> None:
    told(machine, "I live in Berlin.", "My colleague Zaphodine is allergic to walnuts.")
    machine.workspace.search(Query("Zaphodine"))
    turn = next(path for path, data in machine.disk().items() if "/episodic/" in path and b"Zaphodine" in data)
    target = Target(text="Zaphodine") if by == "text" else Target(path=RepoPath(turn))
    forget(machine.workspace, target, history=purge)
    state = Path(machine.workspace.places.folder)
    aside = [path for folder in ("facts", "tmp") for path in (state / folder).rglob("*") if path.is_file()]
    holding = [path for path in aside if b"walnuts" in path.read_bytes() or b"Zaphodine" in path.read_bytes()]
    assert holding == []
    learn_sessions(machine.workspace, again=True)
    Later(machine.workspace).run_facts()
    assert active(machine) == ["I live in Berlin.", "[forgotten]"]
    assert [path for path, data in machine.disk().items() if "/facts/" in path and b"walnuts" in data] == []


def test_what_was_taken_back_on_one_machine_is_so_on_the_other_that_learns_it_later(machines: Machines) -> None:
    one, two = (each.reopen() for each in machines.pair({"memtree.toml": toml(FACTS)}))
    record(one, said("s-1", [("I live in Berlin.", "All right.")]))
    record(two, said("s-2", [("I no longer live in Berlin.", "All right.")], base=T0 + 9 * DAY))
    close(two, "s-2")
    learn(two)
    two.sync()
    close(one, "s-1")
    learn(one)
    assert active(one) == ["I live in Berlin."]
    for machine in (one, two, one):
        machine.sync()
        learn(machine)
        machine.sync()
    two.sync()
    assert (active(one), active(two)) == ([], [])
    assert one.tip == two.tip
