"""A folder gives way to a link or a file, a file to a folder: what stood there is gone at once, and nothing gets another name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.machines import Machine, Machines

# Whether only the hinted places are looked at, and whether by itself: then other deletions must settle.
WAYS = [(False, False), (False, True), (True, True)]
LEFT = {"memtree.toml", "notes/a/0.md", "notes/a/1.md"}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machines(tmp_path)
    yield made.lonely({f"notes/{name}": f"{name}\n" for name in ("a/0.md", "a/1.md", "b/0.md", "b/1.md")})
    made.close()


def capture(machine: Machine, hinted: bool, automatic: bool, *hints: str) -> None:
    machine.workspace.capture.take(automatic=automatic, hints=hints if hinted else None)


def paths(machine: Machine) -> set[str]:
    return set(machine.git("ls-tree", "-r", "--name-only", "HEAD").splitlines())


@pytest.mark.parametrize(("hinted", "automatic"), WAYS)
def test_a_folder_that_a_link_inside_took_the_place_of(machine: Machine, hinted: bool, automatic: bool) -> None:
    os.rename(machine.full("notes/b"), machine.full("notes/moved"))
    os.symlink("moved", machine.full("notes/b"))
    capture(machine, hinted, automatic, "notes/b", "notes/moved/")
    assert paths(machine) == LEFT | {"notes/b", "notes/moved/0.md", "notes/moved/1.md"}
    machine.assert_sound()


@pytest.mark.parametrize(("hinted", "automatic"), WAYS)
def test_a_folder_that_went_out_of_the_workspace_is_not_lost(
    machine: Machine, tmp_path: Path, hinted: bool, automatic: bool
) -> None:
    shutil.move(machine.full("notes/b"), tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", machine.full("notes/b"))
    before = paths(machine)
    for _ in range(2):
        capture(machine, hinted, automatic, "notes/b")
        machine.workspace.options.clock.tick(60)  # type: ignore[attr-defined]
    assert paths(machine) == before


@pytest.mark.parametrize(("hinted", "automatic"), WAYS)
def test_a_folder_that_a_file_took_the_place_of(machine: Machine, hinted: bool, automatic: bool) -> None:
    shutil.rmtree(machine.full("notes/b"))
    machine.write("notes/b", "a file\n")
    capture(machine, hinted, automatic, "notes/b")
    assert paths(machine) == LEFT | {"notes/b"}
    machine.assert_sound()


@pytest.mark.parametrize(("hinted", "automatic"), WAYS)
def test_a_file_that_a_folder_took_the_place_of(machine: Machine, hinted: bool, automatic: bool) -> None:
    machine.remove("notes/b/0.md")
    machine.write("notes/b/0.md/deep/x.md", "x\n")
    capture(machine, hinted, automatic, "notes/b/0.md/")
    assert paths(machine) == LEFT | {"notes/b/0.md/deep/x.md", "notes/b/1.md"}
    machine.assert_sound()
