"""Maintenance packs the history and loses nothing, with git and without it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.maintain import is_due, maintain, maintain_quietly
from support.machines import Machine, Machines


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    machine = machines.lonely({f"notes/{number}.md": f"note {number}\n" * 20 for number in range(20)})
    for number in range(5):
        machine.write("notes/1.md", f"version {number}\n" * 20)
        machine.save()
    yield machine
    machines.close()


@pytest.fixture(params=["git", "no git"])
def packer(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Who packs; for the second the git program is not to be found while maintain runs."""
    return str(request.param)


def history(machine: Machine) -> str:
    return machine.git("log", "--format=%H %T %s", "--raw", "--no-abbrev")


def run(machine: Machine, packer: str) -> str:
    with pytest.MonkeyPatch.context() as patch:
        if packer == "no git":
            patch.setenv("PATH", "/nowhere")
        report = maintain(machine.workspace)
    assert report.loose_before > 20
    assert report.loose_after == 0
    assert report.bytes_after < report.bytes_before
    return report.packed_by


def test_packing_loses_nothing(machine: Machine, packer: str) -> None:
    before, files = history(machine), machine.committed("HEAD~3")
    assert run(machine, packer) == {"git": "git gc", "no git": "memtree"}[packer]
    assert history(machine) == before
    assert machine.committed("HEAD~3") == files
    machine.assert_sound()


def test_work_goes_on_after_packing(machine: Machine, packer: str) -> None:
    run(machine, packer)
    machine.write("notes/2.md", "after\n")
    machine.save()
    assert "notes/2.md" in machine.found("after")
    machine.reopen().write("notes/3.md", "after, again\n")
    machine.save()
    machine.assert_sound()


def test_edits_that_are_not_saved_stay_as_they_are(machine: Machine, packer: str) -> None:
    machine.write("notes/1.md", "unsaved\n")
    machine.write("staged.md", "staged\n")
    machine.git("add", "staged.md")
    run(machine, packer)
    assert machine.read("notes/1.md") == b"unsaved\n"
    machine.assert_sound(uncommitted=(" M notes/1.md", "A  staged.md"))


def test_packing_twice_is_as_good_as_once(machine: Machine, packer: str) -> None:
    run(machine, packer)
    again = maintain(machine.workspace)
    assert (again.loose_before, again.loose_after) == (0, 0)
    machine.assert_sound()


def test_replaced_contents_are_kept_for_an_hour(machine: Machine) -> None:
    displaced = Path(machine.workspace.places.displaced)
    for name, age in (("young", 60), ("old", 7200)):
        (displaced / name).write_bytes(b"x")
        stamp = machine.workspace.options.clock() - age
        os.utime(displaced / name, (stamp, stamp))
    maintain(machine.workspace)
    assert not (displaced / "old").exists()


def test_packing_is_due_by_the_number_of_loose_objects(machine: Machine) -> None:
    assert not is_due(machine.workspace)
    folder = Path(machine.path, ".git", "objects", "17")
    folder.mkdir(exist_ok=True)
    for number in range(40):
        (folder / f"{number:038x}").write_bytes(b"x")
    assert is_due(machine.workspace)
    for number in range(40):
        (folder / f"{number:038x}").unlink()
    maintain_quietly(machine.workspace)
    machine.assert_sound()
