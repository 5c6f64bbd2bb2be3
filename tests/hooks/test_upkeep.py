"""Upkeep: when a repository is tidied, and that tidying loses nothing and holds nobody up."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.tidying import Tidied, in_the_way, loose_objects, tidy
from memtree.hooks.daemon.upkeep import EVERY, NEVER, QUIET, Upkeep, UpkeepThread
from memtree.hooks.place import find_place
from memtree.hooks.surroundings import Surroundings
from support.machines import Machine, Machines

_PATIENCE = 100.0  # seconds; what takes so long does not happen


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    machine = machines.lonely({f"notes/{number}.md": f"note {number}\n" * 20 for number in range(20)})
    for number in range(4):
        machine.write("notes/1.md", f"version {number}\n" * 20)
        machine.save()
    yield machine
    machines.close()


# -- deciding


def test_nobody_is_woken_where_nothing_is_committed() -> None:
    assert Upkeep().next_look == NEVER
    upkeep = Upkeep().committed(0.0).looked_at(20.0)
    assert upkeep.next_look > 7200  # once more: when displaced contents have been kept long enough
    assert upkeep.looked_at(upkeep.next_look).next_look == NEVER


def test_a_look_waits_until_it_is_quiet_and_some_minutes_are_over() -> None:
    upkeep = Upkeep().committed(0.0).committed(3.0)
    assert upkeep.next_look == 3.0 + QUIET
    assert upkeep.looked_at(13.0).committed(20.0).next_look == 13.0 + EVERY


def test_who_commits_all_the_time_is_looked_after_all_the_same() -> None:
    upkeep = Upkeep(looked=0.0)
    for now in range(0, 3_000, 5):
        upkeep = upkeep.committed(float(now))
    assert upkeep.next_look == EVERY


def test_it_pays_with_many_loose_objects_or_many_commits() -> None:
    assert not Upkeep().is_due(1_999)
    assert Upkeep().is_due(2_000)
    assert Upkeep(commits=1_000).is_due(0)


def test_what_cannot_be_packed_is_not_tried_for_ever() -> None:
    upkeep = Upkeep(commits=1_000).looked_at(0.0, Tidied(5_000, 4_900, 0, 0))
    assert not upkeep.is_due(5_000)
    assert upkeep.is_due(6_900)


def test_a_persons_git_puts_it_off() -> None:
    upkeep = Upkeep().committed(0.0).put_off(10.0)
    assert upkeep.next_look == 10.0 + EVERY


@given(st.lists(st.tuples(st.floats(0.0, 2_000.0), st.booleans()), max_size=60))
def test_looks_are_apart_and_follow_every_commit(steps: list[tuple[float, bool]]) -> None:
    upkeep, now, looks, last = Upkeep(), 0.0, [], -1.0
    for pause, commits in [*steps, (10_000.0, False)]:
        end = now + pause
        while upkeep.next_look <= end:
            now = max(now, upkeep.next_look)
            looks.append(now)
            upkeep = upkeep.looked_at(now)
        now = end
        if commits:
            upkeep, last = upkeep.committed(now), now
    assert all(later - one >= EVERY - 1e-6 for one, later in pairwise(looks))
    assert last < 0 or looks[-1] >= last
    assert upkeep.next_look == NEVER


# -- doing


@pytest.mark.parametrize("git", [True, False])
def test_tidying_loses_nothing(machine: Machine, git: bool) -> None:
    log, files = machine.git("log", "--format=%H %T %s", "--raw"), machine.committed("HEAD~3")
    loose = machine.git("hash-object", "-w", "--stdin", stdin=b"in no branch\n")
    with pytest.MonkeyPatch.context() as patch:
        if not git:
            patch.setenv("PATH", "/nowhere")
        tidy(machine.workspace)
    assert machine.git("count-objects").startswith("0 objects")
    assert machine.git("log", "--format=%H %T %s", "--raw") == log
    assert machine.committed("HEAD~3") == files
    assert machine.git("cat-file", "-p", loose) == "in no branch"
    machine.write("notes/2.md", "after\n")
    machine.save()
    machine.assert_sound()


@pytest.mark.parametrize("setting", ["repack.writeBitmaps", "pack.writeBitmaps", "repack.packKeptObjects", "gc.cruftPacks"])
def test_a_repository_is_tidied_whatever_its_own_way_to_pack(machine: Machine, setting: str) -> None:
    machine.git("repack", "-a", "-d", "-q")
    machine.git("config", setting, "true")
    for kept in os.listdir(machine.full(".git/objects/pack")):
        Path(machine.full(f".git/objects/pack/{kept}")).with_suffix(".keep").touch()
    machine.write("notes/new.md", "new\n")
    machine.save()
    assert tidy(machine.workspace).loose_after == 0
    assert machine.git("count-objects").startswith("0 objects")
    machine.assert_sound()


def test_packs_become_one_now_and_then(machine: Machine) -> None:
    for number in range(8):
        machine.write("notes/new.md", f"{number}\n" * 9)
        machine.save()
        tidy(machine.workspace)
    packs = [name for name in os.listdir(machine.full(".git/objects/pack")) if name.endswith(".pack")]
    assert len(packs) <= 4
    machine.assert_sound()


def test_writers_go_on_while_git_packs(machine: Machine) -> None:
    """No lock is held, and no hook of the user's is run."""
    script = Path(machine.path, ".git", "hooks", "post-index-change")
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\necho called >> .git/called\n")
    script.chmod(0o755)
    stop = threading.Event()
    saved = 0

    def pack() -> None:
        while not stop.is_set():
            tidy(machine.workspace)

    packer = threading.Thread(target=pack)
    packer.start()
    try:
        for number in range(8):
            machine.write(f"notes/w{number}.md", f"{number}\n")
            saved += machine.save().commit.changed
    finally:
        stop.set()
        packer.join()
    assert saved == 8
    assert not os.path.exists(machine.full(".git/called"))
    machine.assert_sound()


def test_what_killed_programs_left_goes_after_two_days(machine: Machine) -> None:
    now = machine.workspace.options.clock()
    names = ("objects/pack/tmp_pack_x", "objects/17/tmp_obj_x", "memtree/sync.json.123")
    for name in names:
        for age, ending in ((3 * 86_400, "old"), (3_600, "young")):
            path = Path(machine.path, ".git", name + ending)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x")
            os.utime(path, (now - age, now - age))
    assert tidy(machine.workspace).swept == len(names)
    for name in names:
        assert not os.path.exists(machine.full(f".git/{name}old"))
        assert os.path.exists(machine.full(f".git/{name}young"))


def test_a_persons_git_is_seen(machine: Machine) -> None:
    assert in_the_way(machine.workspace) == ""
    for mark in ("MERGE_HEAD", "index.lock", "gc.pid"):
        Path(machine.path, ".git", mark).write_bytes(b"")
        assert in_the_way(machine.workspace)
        os.unlink(machine.full(f".git/{mark}"))


def test_a_garbage_collection_that_was_killed_is_in_the_way_for_half_a_day(machine: Machine) -> None:
    mark = Path(machine.path, ".git", "gc.pid")
    mark.write_text("1 elsewhere")
    now = machine.workspace.options.clock()
    for age, seen in ((11 * 3600, "git gc"), (13 * 3600, "")):
        os.utime(mark, (now - age, now - age))
        assert in_the_way(machine.workspace) == seen


def test_objects_are_counted_from_two_folders(machine: Machine) -> None:
    before = loose_objects(machine.workspace.repo.common_folder)
    folder = Path(machine.path, ".git", "objects", "17")
    folder.mkdir(exist_ok=True)
    for number in range(8):
        (folder / f"{number:038x}").write_bytes(b"x")
    assert loose_objects(machine.workspace.repo.common_folder) == before + 1_024


# -- the thread


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple[str, dict[str, object]]] = []
        self.came = threading.Event()

    def event(self, kind: str, /, **facts: object) -> None:
        self.lines.append((kind, facts))
        self.came.set()


def test_the_thread_tidies_when_it_is_quiet_and_ends_at_once(machine: Machine) -> None:
    place = find_place(machine.path)
    assert place is not None
    log, moment = Log(), [0.0]
    around = Surroundings(options=replace(machine.workspace.options, clock=time.time), clock=lambda: moment[0])
    thread = UpkeepThread(place, around, log, upkeep=Upkeep(commits=999))
    thread.start()
    try:
        thread.changed()
        moment[0] = 60.0  # it is quiet since a minute: told of the next commit the thread finds that a look is due
        assert log.lines == []
        with thread._turn:
            thread._turn.notify_all()
        assert log.came.wait(_PATIENCE)
        assert log.lines[0][0] == "tidied"
        assert machine.git("count-objects").startswith("0 objects")
    finally:
        thread.stop()
    assert not thread._thread.is_alive()
    assert len(log.lines) == 1
