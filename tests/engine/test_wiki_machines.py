"""Two machines that both build summaries, edits that come while one is built, and a process that is killed while it builds."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.store.report import CommitReport
from memtree.engine.wiki import building
from memtree.engine.wiki.building import build
from memtree.engine.wiki.view import WikiView
from memtree.engine.workspace import Workspace
from memtree.tree.summary import rewritten
from support.machines import Machine, Machines
from support.wikis import CALENDAR, kept, levels, nodes, note, pair, walk, write


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def by_mistake(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build on a machine that is not the librarian."""
    with monkeypatch.context() as patch:
        patch.setattr("memtree.engine.wiki.building.require_librarian", lambda _: None)
        build(machine.workspace, flush=True)


def test_two_machines_that_build_make_the_same_files(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = pair(machines, CALENDAR)
    write(one, *range(20))
    machines.settle()
    for machine in (one, two):
        by_mistake(machine, monkeypatch)
    assert {node.path: node.body for node in nodes(one)} == {node.path: node.body for node in nodes(two)}
    reports = [machine.sync() for machine in (one, two, one)]
    assert [report.conflicts for report in reports] == [(), (), ()]
    machines.assert_agreed()


def test_two_machines_that_build_from_different_notes(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = pair(machines)
    write(one, *range(20))
    machines.settle()
    write(one, *range(20, 31))
    write(two, *range(40, 47))
    for machine in (one, two):
        by_mistake(machine, monkeypatch)
    machines.settle()
    machines.assert_agreed()
    assert set(map(walk, [*range(31), *range(40, 47)])) <= set(one.committed())
    by_mistake(one, monkeypatch)
    machines.settle()
    machines.assert_agreed()
    covered = [path for node in nodes(one) if node.level == 1 for path in node.children]
    assert len(covered) == len(set(covered))
    tip = one.tip
    by_mistake(two, monkeypatch)
    assert two.tip == tip


def test_a_persons_words_stand_before_a_models_and_an_extractions(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = pair(machines)
    write(one, *range(12))
    by_mistake(one, monkeypatch)
    machines.settle()
    first, second = [node.path for node in nodes(one) if node.level == 1][:2]
    edited = one.committed()[first].replace(b"# notes", b"# Herons, mostly")
    one.write(first, edited)
    one.save()
    for path in (first, second):
        two.write(path, rewritten(two.committed()[path], "A model tells of walks.", "made-1"))
    two.save()
    reports = [machine.sync() for machine in (one, two, one)]
    assert [report.conflicts for report in reports] == [(), (), ()]
    files = machines.assert_agreed()
    assert b"# Herons, mostly" in files[first]
    assert b"A model tells" not in files[first]
    assert b"A model tells" in files[second]


def test_a_person_edits_what_the_other_machine_makes_anew(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = pair(machines)
    write(one, *range(12))
    by_mistake(one, monkeypatch)
    machines.settle()
    mine = next(node.path for node in nodes(one) if node.level == 1 and walk(0) in node.children)
    one.write(mine, one.committed()[mine] + b"\nAnd a line of mine.\n")
    one.save()
    two.write(walk(0), note(0, "The heron moved to another river, and it was seen there every day since."))
    two.save()
    by_mistake(two, monkeypatch)
    machines.settle()
    files = machines.assert_agreed()
    (there,) = [path for path, data in files.items() if b"And a line of mine." in data]  # it may have moved with its node
    by_mistake(one, monkeypatch)
    tip = one.tip
    by_mistake(one, monkeypatch)
    assert one.tip == tip
    assert b"And a line of mine." in one.committed()[there]
    one.assert_sound()


def test_a_leaf_that_changes_while_its_summary_is_made(machines: Machines) -> None:
    """The texts were made of what was there before: of the changed leaf none is written, of the others all are."""
    machine = kept(machines)
    write(machine, *range(12))
    other = Workspace.open(machine.path, machine.workspace.options)
    done: list[str] = []

    def meanwhile(what: str, _: int) -> None:
        if what == building.WRITING and not done:
            done.append(what)
            machine.write(walk(0), note(0, "It was no heron at all but a stork, as we saw from its red bill and legs."))
            other.save()

    report = build(machine.workspace, progress=meanwhile)
    other.close()
    assert done
    made = nodes(machine)
    assert report.made == len(made) > 0
    assert not any(walk(0) in node.children for node in made)
    build(machine.workspace, flush=True)
    assert any("stork" in node.body for node in nodes(machine))
    machine.assert_sound()


def test_a_leaf_that_is_forgotten_while_its_summary_is_made(machines: Machines) -> None:
    machine = kept(machines)
    write(machine, *range(12))
    other = Workspace.open(machine.path, machine.workspace.options)

    def meanwhile(_: str, __: int) -> None:
        if os.path.exists(machine.full(walk(0))):
            machine.remove(walk(0))
            other.save()

    build(machine.workspace, progress=meanwhile)
    other.close()
    assert not any(walk(0) in node.links or "day 0," in node.body for node in nodes(machine))


@pytest.mark.parametrize("step", [0, 3, 6, 9, 12, 16, 20, 25, 30, 40])
def test_a_killed_build_leaves_all_or_nothing(machines: Machines, step: int) -> None:
    machine = kept(machines)
    write(machine, *range(9))
    before = machine.committed()
    child = os.fork()
    if child == 0:
        _build_and_die(machine.path, step)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    machine.reopen()
    machine.workspace.store.recover()
    found = nodes(machine)
    assert len(found) in (0, 3)
    assert {path: data for path, data in machine.committed().items() if "/wiki/" not in path} == before
    build(machine.workspace)
    assert levels(machine) == {1: 2, 2: 1}
    again: CommitReport = build(machine.workspace).commit
    assert not again.changed
    assert sorted(WikiView.at_tip(machine.workspace).by_path) == [node.path for node in nodes(machine)]
    machine.assert_sound()


def _build_and_die(folder: str, step: int) -> None:
    """In a child process: build, and die before a step on the disk."""
    try:
        left = [step]

        def die(*_: object) -> None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        from support.machines import Clock, options

        chosen = options(Clock())
        with Workspace.open(folder, type(chosen)(**{**_fields(chosen), "observe": die})) as workspace:
            build(workspace)
        os._exit(0)
    finally:
        os._exit(1)


def _fields(options: object) -> dict[str, object]:
    return {name: getattr(options, name) for name in options.__dataclass_fields__}  # type: ignore[attr-defined]
