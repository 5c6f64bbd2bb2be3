"""Markers that an outside merge left: committed as they are, repaired above that, on every machine, with nothing lost."""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.marker_repair import MarkerRepair
from memtree.engine.merge_driver import DRIVER, DRIVER_KEY
from memtree.tree.conflict_callout import conflicts_in
from memtree.tree.conflict_markers import left_by_merge, regions_in
from support.machines import Machine, Machines

BASE = b"# Plan\n\nThe boat leaves at nine.\n\nBring bread.\n"
OURS = BASE.replace(b"at nine", b"at ten sharp")
THEIRS = BASE.replace(b"at nine", b"in the afternoon")
EXAMPLE = b"# Git\n\n```\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> branch\n```\n"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def call(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Stock git, that knows no driver of ours."""
    plain = ("-c", f"{DRIVER_KEY}=git merge-file %A %O %B || exit 1")
    return subprocess.run(
        ("git", *plain, *arguments), cwd=machine.path, capture_output=True, check=False, env=machine._environment({})
    )


def torn(machines: Machines, path: str = "plan.md", *, style: str = "merge") -> tuple[Machine, Machine]:
    """Two machines; on the second one a stock `git pull` ended in markers, which its user committed."""
    a, b = machines.pair({path: BASE})
    tear(a, b, path, style=style)
    return a, b


def tear(a: Machine, b: Machine, path: str, *, style: str = "merge") -> None:
    a.write(path, THEIRS)
    a.sync()
    b.write(path, OURS)
    b.commit("mine")
    assert call(b, "-c", "pull.rebase=false", "-c", f"merge.conflictStyle={style}", "pull", "origin", "main").returncode == 1
    assert regions_in(b.read(path))
    b.commit("merged, I think")


def assert_repaired(
    data: bytes, *, kept: tuple[bytes, ...] = (b"at ten sharp", b"in the afternoon", b"Bring bread.", b"# Plan")
) -> None:
    for mark in (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"):
        assert mark not in data
    for text in kept:
        assert text in data


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
@pytest.mark.parametrize("path", ["plan.md", "my plans/图书馆 plan.md"])
def test_a_stock_pull_that_ended_in_markers_is_repaired_everywhere(machines: Machines, path: str, style: str) -> None:
    a, b = torn(machines, path, style=style)
    marked = b.tip
    b.sync()
    assert b.subjects()[:2] == [f"repair conflict markers in {path}", "merged, I think"]
    assert b.git("log", "-1", "--format=%(trailers:key=Memtree-Writer,valueonly)").strip() == "sync"
    assert_repaired(b.read(path))
    (place,) = conflicts_in(b.read(path))
    assert set(place.callout.variants) == {b"The boat leaves at ten sharp.", b"The boat leaves in the afternoon."}
    assert regions_in(b.committed(marked)[path])  # what the user committed stays in history as it was
    machines.settle()
    assert a.read(path) == b.read(path)
    machines.assert_agreed()


def test_it_is_told_once_and_not_done_twice(machines: Machines) -> None:
    _, b = torn(machines)
    notes = b.save().notes
    assert [note for note in notes if "conflict markers" in note] == [
        (
            "plan.md: the conflict markers that another program's merge left are repaired; "
            "both sides changed the same passage; both versions stand in the file"
        )
    ]
    tip = b.tip
    assert b.save().notes == ()
    b.workspace.capture_quietly()
    assert b.tip == tip
    assert json.loads(Path(b.workspace.places.folder, "markers.json").read_text()) == {"commit": tip}


def test_a_search_repairs_too_and_finds_what_both_sides_wrote(machines: Machines) -> None:
    _, b = torn(machines)
    assert b.found("sharp") == b.found("afternoon") == ["plan.md"]
    assert_repaired(b.read("plan.md"))
    b.assert_sound()


def test_a_machine_that_only_receives_the_markers_repairs_the_same(machines: Machines) -> None:
    a, b = torn(machines)
    b.git("push", "-q", "origin", "main")
    a.sync()
    a.sync()
    assert_repaired(a.read("plan.md"))
    b.save()
    assert a.read("plan.md") == b.read("plan.md")
    machines.settle()
    machines.assert_agreed()


def test_several_stretches_and_files_are_repaired_in_one_commit(machines: Machines) -> None:
    far = b"\n".join(b"Line %d is the same.\n" % number for number in range(8))
    base = b"# Plan\n\nfirst old\n\n" + far + b"\nlast old\n"
    a, b = machines.pair({"one.md": base, "two.md": BASE, "quiet.md": "quiet\n"})
    for machine, word in ((a, b"theirs"), (b, b"ours")):
        machine.write("one.md", base.replace(b"first old", b"first " + word).replace(b"last old", b"last " + word))
        machine.write("two.md", OURS if machine is b else THEIRS)
    a.sync()
    b.commit("mine")
    assert call(b, "-c", "pull.rebase=false", "pull", "origin", "main").returncode == 1
    b.commit("merged")
    b.save()
    assert b.subjects()[0] == "repair conflict markers in 2 files"
    assert_repaired(b.read("one.md"), kept=(b"first ours", b"first theirs", b"last ours", b"last theirs", far))
    assert_repaired(b.read("two.md"))
    b.assert_sound()


def test_markers_that_a_watcher_committed_after_a_stash_are_repaired(machines: Machines) -> None:
    machine = machines.lonely({"plan.md": BASE})
    machine.write("plan.md", OURS)
    machine.git("stash", "-q")
    machine.write("plan.md", THEIRS)
    machine.save()
    assert call(machine, "stash", "pop").returncode == 1
    machine.git("add", "--all")  # what gitwatch does
    machine.git("commit", "-q", "-m", "auto")
    machine.save()
    assert_repaired(machine.read("plan.md"))
    assert machine.subjects()[0] == "repair conflict markers in plan.md"


def test_markers_left_by_a_rebase_are_repaired(machines: Machines) -> None:
    a, b = machines.pair({"plan.md": BASE})
    a.write("plan.md", THEIRS)
    a.sync()
    b.write("plan.md", OURS)
    b.commit("mine")
    assert call(b, "pull", "--rebase", "origin", "main").returncode == 1
    waiting = b.read("plan.md")
    b.save()
    assert b.read("plan.md") == waiting  # while git is at it, everything waits
    b.git("add", "--all")
    call(b, "-c", "core.editor=true", "rebase", "--continue")
    assert regions_in(b.read("plan.md"))
    b.sync()
    assert_repaired(b.read("plan.md"))
    machines.settle()
    machines.assert_agreed()


def test_edits_between_and_after_the_markers_are_kept(machines: Machines) -> None:
    _, b = torn(machines)
    b.write("plan.md", b.read("plan.md").replace(b"at ten sharp", b"at ten sharp, or so") + b"\nA line more.\n")
    b.sync()
    assert_repaired(b.read("plan.md"), kept=(b"at ten sharp, or so", b"in the afternoon", b"A line more.", b"Bring bread."))
    b.assert_sound()


def test_examples_that_were_there_are_left_alone(machines: Machines) -> None:
    a, b = machines.pair({"git.md": EXAMPLE, "plan.md": BASE})
    tear(a, b, "plan.md")
    b.write("git.md", EXAMPLE.replace(b"one", b"1") + b"\nSee above.\n")
    b.commit("about git")
    b.write("new.md", EXAMPLE)
    b.write("plan.md", b.read("plan.md") + b"\n" + EXAMPLE)
    b.save()
    assert b.read("git.md") == EXAMPLE.replace(b"one", b"1") + b"\nSee above.\n"
    assert b.read("new.md") == EXAMPLE
    assert b.read("plan.md").endswith(EXAMPLE)
    assert_repaired(b.read("plan.md").removesuffix(EXAMPLE))


def test_a_conflict_in_a_code_fence_is_repaired(machines: Machines) -> None:
    code = b"# Run\n\n```sh\nmake old\n```\n\nend\n"
    a, b = machines.pair({"run.md": code})
    a.write("run.md", code.replace(b"old", b"theirs"))
    a.sync()
    b.write("run.md", code.replace(b"old", b"ours"))
    b.commit("mine")
    assert call(b, "-c", "pull.rebase=false", "pull", "origin", "main").returncode == 1
    b.commit("merged")
    b.save()
    assert_repaired(b.read("run.md"), kept=(b"make ours", b"make theirs", b"end\n"))


def test_other_files_than_notes_get_a_second_one(machines: Machines) -> None:
    a, b = machines.pair({"run.sh": b"make old\n"})
    a.write("run.sh", b"make theirs\n")
    a.sync()
    b.write("run.sh", b"make ours\n")
    b.commit("mine")
    assert call(b, "-c", "pull.rebase=false", "pull", "origin", "main").returncode == 1
    b.commit("merged")
    b.sync()
    held = {data for path, data in b.notes().items() if path.startswith("run")}
    assert held == {b"make ours\n", b"make theirs\n"}
    machines.settle()
    machines.assert_agreed()


def test_a_stretch_that_is_not_whole_is_left_alone(machines: Machines) -> None:
    _, b = torn(machines)
    broken = b.read("plan.md").replace(b"=======\n", b"")
    b.write("plan.md", broken)
    b.save()
    assert b.read("plan.md") == broken


def test_what_lies_outside_the_workspace_s_scope_is_left_alone(machines: Machines) -> None:
    _, b = torn(machines, "private/plan.md")
    b.write(".memtreeignore", b"private/\n")
    b.save()
    assert regions_in(b.read("private/plan.md"))


def test_nothing_is_read_when_nothing_is_new(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = machines.lonely({f"n/{number}.md": f"note {number}\n" for number in range(20)})
    repair = MarkerRepair(machine.workspace.repo, machine.workspace.store, machine.workspace.scope)
    assert repair.run() == []

    def fail(*_: object) -> bytes:
        raise AssertionError

    for name in ("blob", "walk", "items", "entry"):
        monkeypatch.setattr(machine.workspace.repo, name, fail)
    assert repair.run() == []


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b'{"commit": 7}', b'{"commit": "nonsense"}'])
def test_a_damaged_memory_of_what_was_seen_costs_one_more_look(machines: Machines, damage: bytes) -> None:
    _, b = torn(machines)
    Path(b.workspace.places.folder, "markers.json").write_bytes(damage)
    b.save()
    assert_repaired(b.read("plan.md"))


def test_a_workspace_from_before_gets_the_driver_with_its_next_save(machines: Machines) -> None:
    machine = machines.lonely({"plan.md": BASE})
    machine.git("config", "--unset", DRIVER_KEY)
    machine.save()
    assert machine.git("config", "--local", DRIVER_KEY) == DRIVER


def test_settings_that_cannot_be_written_are_told_and_hinder_nothing(machines: Machines) -> None:
    machine = machines.lonely({"plan.md": BASE})
    machine.git("config", "--unset", DRIVER_KEY)
    machine.write(".git/config.lock", b"")
    machine.write("plan.md", OURS)
    report = machine.save()
    assert report.commit.changed
    (note,) = report.notes
    assert "git's settings could not be written" in note
    machine.remove(".git/config.lock")
    assert machine.save().notes == ()
    assert machine.git("config", "--local", DRIVER_KEY) == DRIVER


def test_a_file_that_is_being_edited_waits_for_its_next_capture(machines: Machines) -> None:
    _, b = torn(machines)
    tip = b.tip
    b.write("plan.md", b.read("plan.md") + b"\nTyped this very moment.\n")
    assert MarkerRepair(b.workspace.repo, b.workspace.store, b.workspace.scope).run() == []
    assert b.tip == tip
    b.save()
    assert_repaired(b.read("plan.md"), kept=(b"at ten sharp", b"in the afternoon", b"Typed this very moment."))
    b.assert_sound()


@pytest.mark.parametrize("order", list(permutations("abc")), ids="".join)
def test_three_machines_repair_the_same_in_any_order(machines: Machines, order: tuple[str, ...]) -> None:
    _, b = torn(machines)
    c = machines.clone("c")
    b.git("push", "-q", "origin", "main")
    c.write("plan.md", c.read("plan.md").replace(b"Bring bread.", b"Bring bread and cheese."))
    c.save()
    for name in order:
        machines.all[name].sync()
    machines.settle(rounds=4)
    text = machines.assert_agreed()["plan.md"]
    assert_repaired(text, kept=(b"at ten sharp", b"in the afternoon", b"Bring bread and cheese."))
    assert text.count(b"at ten sharp") == text.count(b"cheese") == 1


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_what_git_had_merged_around_the_markers_is_no_deletion(machines: Machines, style: str) -> None:
    """One side moved a passage and git followed it; beside the file at the merge base that looks as if the other deleted it."""
    base = b"w40 w41 w42 w43\n\nw47 w48 w49 w50\n\nw44 w45 w46\n"
    a, b = machines.pair({"trip.md": base})
    a.write("trip.md", b"w40 w41 w103 w43\n\nw44 w45 w46\n\nw47 w48 w49 w50\n\n- w100\n")
    a.sync()
    b.write("trip.md", base.replace(b"w42", b"w104"))
    b.commit("mine")
    assert call(b, "-c", "pull.rebase=false", "-c", f"merge.conflictStyle={style}", "pull", "origin", "main").returncode == 1
    b.commit("merged, I think")
    b.sync()
    machines.settle()
    assert_repaired(machines.assert_agreed()["trip.md"], kept=(b"w103", b"w104", b"w44 w45 w46", b"w47 w48 w49 w50", b"- w100"))


_LINES = st.lists(st.sampled_from([b"one\n", b"two\n", b"three\n", b"\n", b"# Plan\n", b"- item\n", b"> quote\n"]), max_size=9)


@settings(max_examples=40)
@given(_LINES, _LINES, _LINES, st.sampled_from(["", "--diff3", "--zdiff3"]))
def test_what_git_writes_is_read_back_as_its_sides(base: list[bytes], ours: list[bytes], theirs: list[bytes], style: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = {name: b"".join(lines) for name, lines in (("ours", ours), ("base", base), ("theirs", theirs))}
        for name, data in texts.items():
            Path(folder, name).write_bytes(data)
        command = ("git", "merge-file", "-p", *filter(None, (style,)), *texts)
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    regions = regions_in(done.stdout)
    assert len(regions) == done.returncode
    assert left_by_merge(done.stdout, [texts["ours"], texts["theirs"]], markdown=False) == regions
    for region in regions:
        assert region.ours in texts["ours"]
        assert region.theirs in texts["theirs"]
        assert (region.base is None) == (not style)
