"""Captures that look only where a hint says: what is hinted is committed as a look at everything would, and nothing else is."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine import hinted
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.missing import SETTLE
from support.machines import Machine, Machines

_KEY = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def notes(count: int) -> dict[str, str]:
    return {f"notes/{number % 7}/{number}.md": f"note {number}\n" for number in range(count)}


def capture(machine: Machine, *hints: str, automatic: bool = False) -> None:
    machine.workspace.capture.take(automatic=automatic, hints=hints)


def test_only_what_is_hinted_is_committed(machines: Machines) -> None:
    machine = machines.lonely(notes(20))
    machine.write("notes/1/1.md", "changed\n")
    machine.write("notes/2/2.md", "changed too\n")
    capture(machine, "notes/1/1.md")
    assert machine.committed()["notes/1/1.md"] == b"changed\n"
    assert machine.committed()["notes/2/2.md"] == b"note 2\n"
    machine.assert_whole()


def test_a_folder_stands_for_all_that_is_in_it_and_was(machines: Machines) -> None:
    machine = machines.lonely(notes(20))
    machine.remove("notes/1/1.md")
    machine.write("notes/1/deep/er/new.md", "new\n")
    machine.write("notes/2/2.md", "elsewhere\n")
    capture(machine, "notes/1/")
    assert "notes/1/1.md" not in machine.committed()
    assert machine.committed()["notes/1/deep/er/new.md"] == b"new\n"
    assert machine.committed()["notes/2/2.md"] == b"note 2\n"


@pytest.mark.parametrize("hint", ["notes/1", "notes/1/"])
def test_a_folder_that_is_gone(machines: Machines, hint: str) -> None:
    machine = machines.lonely(notes(20))
    shutil.rmtree(os.path.join(machine.workspace.root, "notes/1"))
    capture(machine, hint)
    assert not [path for path in machine.committed() if path.startswith("notes/1/")]
    machine.assert_sound()


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round(machines: Machines) -> None:
    machine = machines.lonely({"notes/a/x.md": "x\n", "notes/b": "b\n"})
    shutil.rmtree(os.path.join(machine.workspace.root, "notes/a"))
    machine.write("notes/a", "a file\n")
    machine.remove("notes/b")
    machine.write("notes/b/y.md", "y\n")
    capture(machine, "notes/a", "notes/b/")
    assert machine.committed().keys() >= {"notes/a", "notes/b/y.md"}
    assert not machine.committed().keys() & {"notes/a/x.md", "notes/b"}
    machine.assert_sound()


def test_links_out_and_nested_repositories_are_not_entered(machines: Machines, tmp_path: Path) -> None:
    machine = machines.lonely(notes(3))
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "private.md").write_text("not ours\n")
    os.symlink(outside, os.path.join(machine.workspace.root, "notes/link"))
    os.makedirs(os.path.join(machine.workspace.root, "notes/nested/.git"))
    machine.write("notes/nested/theirs.md", "theirs\n")
    before = machine.committed()
    capture(machine, "notes/", "notes/link/", "notes/link/private.md", "notes/nested/")
    assert machine.committed() == before


def test_names_that_are_ignored_or_nowhere_change_nothing(machines: Machines) -> None:
    machine = machines.lonely({".gitignore": "*.log\n", **notes(3)})
    machine.write("notes/x.log", "log\n")
    machine.write("notes/.1.md.swp", "swap\n")
    before = machine.commits()
    capture(machine, "notes/x.log", "notes/.1.md.swp", "notes/never.md", "never/", "notes")
    assert machine.commits() == before


def test_very_many_hints_look_at_everything(machines: Machines) -> None:
    machine = machines.lonely(notes(3))
    many = {f"notes/new/{number}.md": f"new {number}\n" for number in range(hinted.MANY + 5)}
    for path, text in many.items():
        machine.write(path, text)
    capture(machine, "notes/new/")
    assert machine.committed().keys() >= many.keys()
    machine.assert_sound()


def test_a_deletion_that_had_not_settled_is_looked_at_without_a_hint(machines: Machines) -> None:
    machine = machines.lonely(notes(10))
    machine.remove("notes/1/1.md")
    capture(machine, "notes/1/1.md", automatic=True)
    until = machine.workspace.capture.unsettled_until()
    assert until == machines.clock() + SETTLE
    assert "notes/1/1.md" in machine.committed()
    machines.clock.tick(SETTLE)
    capture(machine, automatic=True)
    assert "notes/1/1.md" not in machine.committed()
    assert machine.workspace.capture.unsettled_until() is None


@pytest.mark.parametrize("edited", [True, False])
def test_a_deletion_that_had_not_settled_is_not_forgotten_by_a_capture_of_one_other_file(machines: Machines, edited: bool) -> None:
    machine = machines.lonely(notes(10))
    machine.remove("notes/1/1.md")
    capture(machine, "notes/1/1.md", automatic=True)
    until = machine.workspace.capture.unsettled_until()
    machines.clock.tick()
    if edited:
        machine.write("notes/2/2.md", "edited\n")
    machine.workspace.capture.take(automatic=True, only=(machine.path_of("notes/2/2.md"),))
    assert machine.workspace.capture.unsettled_until() == until
    machines.clock.tick()
    capture(machine, automatic=True)
    assert "notes/1/1.md" not in machine.committed()
    assert machine.workspace.capture.unsettled_until() is None


def test_a_held_file_stays_held_while_others_are_captured_and_is_looked_at_again(machines: Machines) -> None:
    machine = machines.lonely(notes(10))
    machine.write("notes/1/1.md", f"token {_KEY}\n")
    capture(machine, "notes/1/1.md")
    machine.write("notes/2/2.md", "harmless\n")
    capture(machine, "notes/2/2.md")
    assert list(machine.workspace.holds.all()) == ["notes/1/1.md"]
    assert machine.committed()["notes/2/2.md"] == b"harmless\n"
    machine.write("notes/1/1.md", "no token\n")
    capture(machine, "notes/3/3.md")
    assert machine.workspace.holds.all() == {}
    assert machine.committed()["notes/1/1.md"] == b"no token\n"
    machine.assert_sound()


def test_many_deletions_are_judged_by_the_whole(machines: Machines) -> None:
    """The hinted ones alone would be few enough."""
    machine = machines.lonely(notes(140))
    shutil.rmtree(os.path.join(machine.workspace.root, "notes"))
    with pytest.raises(MassDeletion):
        capture(machine, *(f"notes/{number % 7}/{number}.md" for number in range(21)))
    assert len(machine.committed()) == 141


@pytest.mark.parametrize("seed", range(12))
def test_hints_for_each_operation_leave_nothing_uncommitted(machines: Machines, seed: int) -> None:
    """Whatever happens to files, folders and links: looking where something happened finds what looking at all would."""
    chance = random.Random(seed)
    machine = machines.lonely(notes(25))
    for _ in range(4):
        hints = [_do_something(machine, chance) for _ in range(chance.randrange(1, 6))]
        flat = [hint for some in hints for hint in some]
        chance.shuffle(flat)
        machine.workspace.capture.take(hints=flat, allow_mass_delete=True)
        assert machine.workspace.capture.survey().clean, f"seed {seed}: {flat}"
        machine.assert_sound()


def _do_something(machine: Machine, chance: random.Random) -> list[str]:
    """One operation on files, and the hints that a watcher gives for it."""
    root = machine.workspace.root
    files = [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(root)
        for name in names
        if ".git" not in folder and name.endswith(".md")
    ]
    folder = f"notes/{chance.randrange(9)}"
    match chance.choice(["write", "new", "remove", "rename", "move", "rmtree"]):
        case "write" if files:
            path = chance.choice(files)
            machine.write(path, f"{chance.random()}\n")
            return [path]
        case "remove" if files:
            path = chance.choice(files)
            machine.remove(path)
            return [path]
        case "rename" if files:
            path, new = chance.choice(files), f"notes/renamed{chance.randrange(99)}.md"
            os.rename(os.path.join(root, path), os.path.join(root, new))
            return [path, new]
        case "move" if os.path.isdir(os.path.join(root, folder)):
            new = f"notes/moved{chance.randrange(10**6)}"
            os.rename(os.path.join(root, folder), os.path.join(root, new))
            return [folder, new + "/"]
        case "rmtree" if os.path.isdir(os.path.join(root, folder)):
            shutil.rmtree(os.path.join(root, folder))
            return [folder]
        case _:
            path = f"{folder}/sub{chance.randrange(3)}/new{chance.randrange(99)}.md"
            machine.write(path, f"{chance.random()}\n")
            return [folder + "/"]
