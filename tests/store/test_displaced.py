"""Editors that write through a descriptor of a file that was replaced meanwhile: whatever they write, and whenever, is kept."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.store.displaced import KEPT
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

_TEXT = "one\n"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    yield machines.lonely({"notes/a.md": _TEXT, "notes/b.md": "other\n"})
    machines.close()


def replaced(machine: Machine, text: str = "by an agent\n", path: str = "notes/a.md") -> None:
    machine.workspace.write({RepoPath(path): text.encode()}, "write\n\nMemtree-Writer: cli\n")


def everything(machine: Machine) -> bytes:
    return b"".join(machine.committed().values())


def kept(machine: Machine) -> list[str]:
    return sorted(os.listdir(machine.workspace.places.displaced))


@pytest.mark.parametrize("deleted", [False, True])
def test_an_editor_that_writes_on_and_on_loses_nothing(machine: Machine, deleted: bool) -> None:
    with open(machine.full("notes/a.md"), "a", encoding="utf-8") as editor:
        if deleted:
            machine.workspace.write({RepoPath("notes/a.md"): None}, "write\n\nMemtree-Writer: cli\n")
        else:
            replaced(machine)
        for number in range(4):
            editor.write(f"late {number}\n")
            editor.flush()
            assert any("wrote late" in note for note in machine.save().notes)
            assert all(f"late {n}\n".encode() in everything(machine) for n in range(number + 1))
            assert not any("late" in note for note in machine.save().notes)
    # The late text is one that grows, not one more each time.
    assert len(machine.notes()) == 2
    assert machine.read("notes/a.md").count(b"late 0") == 1
    assert (b"by an agent\n" in everything(machine)) != deleted
    machine.assert_sound()


@pytest.mark.parametrize("step", ["rename", "append", "unlink"])
def test_a_write_in_any_moment_after_the_exchange_is_noticed(machine: Machine, step: str) -> None:
    """Between the check of what was displaced and the note of how it stands, too: the index and the branch move in that time."""
    with open(machine.full("notes/a.md"), "a", encoding="utf-8") as editor:
        seen: list[str] = []

        def observe(now: str, path: str) -> None:
            seen.append(now)
            if "exchange" in seen[:-1] and now == step and "late\n" not in seen:
                seen.append("late\n")
                editor.write("late\n")
                editor.flush()

        machine.reopen(observe=observe)
        replaced(machine)
    machine.reopen()
    machine.save()
    machine.save()
    assert {b"one", b"late", b"by an agent"} <= machine.lines()


def test_a_write_after_a_kill_is_noticed_by_the_run_that_finishes(machine: Machine) -> None:
    class Killed(BaseException):
        pass

    for moment in (".git/index", "refs/heads/main", "memtree/journal"):
        with open(machine.full("notes/b.md"), "a", encoding="utf-8") as editor:

            def observe(step: str, path: str, moment: str = moment) -> None:
                if step in ("rename", "unlink") and path.endswith(moment) and os.path.exists(machine.full(".git/memtree/journal")):
                    raise Killed

            machine.reopen(observe=observe)
            with contextlib.suppress(Killed):
                replaced(machine, f"until {moment}\n", "notes/b.md")
            editor.write(f"late at {moment}\n")
        machine.reopen(observe=lambda step, path: None)
        machine.save()
        machine.save()
        assert f"late at {moment}\n".encode() in everything(machine)
        assert f"until {moment}\n".encode() in everything(machine)


def test_a_late_write_goes_through_the_filter_of_its_path_and_to_the_disk(machine: Machine) -> None:
    machine.git("config", "filter.rotate.clean", "tr a-z n-za-m")
    machine.git("config", "filter.rotate.smudge", "tr a-z n-za-m")
    machine.write(".gitattributes", "*.sec filter=rotate\n")
    machine.write("x.sec", "hello\n")
    machine.save()
    synced: list[str] = []
    machine.reopen(durability=Durability.FULL, observe=lambda step, path: synced.append(path) if step == "fsync" else None)
    with open(machine.full("x.sec"), "a", encoding="utf-8") as editor:
        replaced(machine, "other\n", "x.sec")
        editor.write("late\n")
    machine.save()
    late = machine.git("hash-object", "--stdin", "--no-filters", stdin=b"uryyb\nyngr\n")
    assert late in machine.git("ls-tree", "-r", "HEAD")
    assert b"late\n" not in everything(machine)
    assert {b"hello\nlate\n", b"other\n"} <= set(machine.notes().values())
    assert any(path.endswith(f"{late[:2]}/{late[2:]}") for path in synced)


def test_what_was_displaced_goes_by_itself_when_its_time_is_over(machine: Machine, tmp_path: Path) -> None:
    for number in range(20):
        replaced(machine, f"text {number}\n")
        machine.workspace.options.clock.tick(KEPT / 4)  # type: ignore[attr-defined]
        assert len(kept(machine)) <= 12
    records = Path(machine.workspace.places.displaced, "records").read_bytes().splitlines()
    assert len(records) == len(kept(machine)) - 1
    machine.assert_sound()


def test_a_late_write_that_waits_is_not_dropped(machine: Machine) -> None:
    with open(machine.full("notes/a.md"), "a", encoding="utf-8") as editor:
        replaced(machine)
        editor.write("late\n")
    machine.workspace.options.clock.tick(KEPT * 3)  # type: ignore[attr-defined]
    replaced(machine, "more\n")
    assert machine.workspace.store.displaced.drop() == 0
    machine.save()
    assert {b"one", b"late"} <= machine.lines()
