"""Syncing: two and three machines over one remote. Nothing is lost, everybody ends with the same bytes, and then it is quiet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.merge.prose import merge_prose
from memtree.engine.repo import Repo
from memtree.engine.workspace import NoRemote, Workspace
from memtree.tree.conflict_callout import conflicts_in, ids_in
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, committed


@pytest.fixture(autouse=True)
def _without_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched is no part of a sync, and takes much of its time."""
    monkeypatch.setattr(Workspace, "refresh_index", lambda self, progress=None: [])


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


Edit = Callable[[Machine], None]
START = {"notes/a.md": "one\n", "notes/b.md": "two\n", "keep.md": "keep\n"}


def write(path: str, data: str | bytes) -> Edit:
    return lambda machine: machine.write(path, data)


def remove(*paths: str) -> Edit:
    def edit(machine: Machine) -> None:
        for path in paths:
            machine.remove(path)

    return edit


def move(old: str, new: str) -> Edit:
    return lambda machine: machine.move(old, new)


def both(*edits: Edit) -> Edit:
    def edit(machine: Machine) -> None:
        for one in edits:
            one(machine)

    return edit


def mode(path: str, bits: int) -> Edit:
    return lambda machine: os.chmod(machine.full(path), bits)


def link(path: str, target: str) -> Edit:
    def make(machine: Machine) -> None:
        if os.path.lexists(machine.full(path)):
            machine.remove(path)
        os.symlink(target, machine.full(path))

    return make


def nothing(machine: Machine) -> None:
    pass


def beside(path: str, data: bytes, digits: int = 8) -> str:
    """The name of a second version that holds `data`."""
    stem, extension = os.path.splitext(path)
    return f"{stem}-{Repo.hash_blob(data)[:digits]}{extension}"


def second(path: str, one: bytes, two: bytes) -> dict[str, bytes]:
    """What a machine holds after both versions of a file were kept."""
    first, other = sorted((one, two), key=Repo.hash_blob)
    return {path: first, beside(path, other): other}


A = START["notes/a.md"].encode()
B = START["notes/b.md"].encode()
KEEP = {"keep.md": b"keep\n"}

FIRST_TEXT, SECOND_TEXT = sorted((b"from a\0", b"from b\0"), key=Repo.hash_blob)
SECOND, LONGER = beside("notes/a.md", SECOND_TEXT), beside("notes/a.md", SECOND_TEXT, 16)


def asked(base: bytes, one: bytes, two: bytes) -> bytes:
    """A note whose one passage both sides changed: both versions stand in a callout."""
    merged = merge_prose(RepoPath("notes/a.md"), base, one, two).data
    assert merged.startswith(b"> [!conflict] c-")
    assert merged.count(b"> > ") == 2
    return merged


# What machine a did, what machine b did, and what both hold in the end.
DIVERGED: dict[str, tuple[Edit, Edit, Mapping[str, bytes]]] = {
    "different files": (
        write("notes/a.md", "one more\n"),
        write("notes/b.md", "two more\n"),
        {"notes/a.md": b"one more\n", "notes/b.md": b"two more\n"},
    ),
    "one side only": (write("notes/a.md", "x\n"), nothing, {"notes/a.md": b"x\n", "notes/b.md": B}),
    "the same file": (
        write("notes/a.md", "from a\n"),
        write("notes/a.md", "from b\n"),
        {"notes/a.md": asked(A, b"from a\n", b"from b\n"), "notes/b.md": B},
    ),
    "the same file in the same way": (
        write("notes/a.md", "same\n"),
        write("notes/a.md", "same\n"),
        {"notes/a.md": b"same\n", "notes/b.md": B},
    ),
    "an edit and a delete": (
        write("notes/a.md", "edited\n"),
        remove("notes/a.md"),
        {"notes/a.md": b"edited\n", "notes/b.md": B},
    ),
    "two deletes": (remove("notes/a.md"), remove("notes/a.md"), {"notes/b.md": B}),
    "a delete on one side": (remove("notes/a.md"), write("notes/b.md", "x\n"), {"notes/b.md": b"x\n"}),
    "two new files of one name": (
        write("new.md", "new on a\n"),
        write("new.md", "new on b\n"),
        {"new.md": b"new on a\n\nnew on b\n", "notes/a.md": A, "notes/b.md": B},
    ),
    "the same new file": (
        write("new.md", "new\n"),
        write("new.md", "new\n"),
        {"new.md": b"new\n", "notes/a.md": A, "notes/b.md": B},
    ),
    "a rename and an edit": (
        move("notes/a.md", "notes/renamed.md"),
        write("notes/a.md", "edited\n"),
        {"notes/renamed.md": b"edited\n", "notes/b.md": B},
    ),
    "two renames": (
        move("notes/a.md", "x.md"),
        move("notes/a.md", "y.md"),
        {"x.md": A, "notes/b.md": B},
    ),
    "a file where the other has a folder": (
        write("thing", "a file\n"),
        write("thing/inside.md", "in a folder\n"),
        {beside("thing", b"a file\n"): b"a file\n", "thing/inside.md": b"in a folder\n", "notes/a.md": A, "notes/b.md": B},
    ),
    "a folder in place of an edited file": (
        both(remove("notes/a.md"), write("notes/a.md/deep.md", "deep\n")),
        write("notes/a.md", "edited\n"),
        {beside("notes/a.md", b"edited\n"): b"edited\n", "notes/a.md/deep.md": b"deep\n", "notes/b.md": B},
    ),
    "a folder in place of a file": (
        both(remove("notes/a.md"), write("notes/a.md/deep.md", "deep\n")),
        nothing,
        {"notes/a.md/deep.md": b"deep\n", "notes/b.md": B},
    ),
    "a file in place of a folder": (
        both(remove("notes/a.md", "notes/b.md"), lambda machine: os.rmdir(machine.full("notes")), write("notes", "flat\n")),
        nothing,
        {"notes": b"flat\n"},
    ),
    "a file in place of a folder with an edit": (
        both(remove("notes/a.md", "notes/b.md"), lambda machine: os.rmdir(machine.full("notes")), write("notes", "flat\n")),
        write("notes/a.md", "edited\n"),
        {beside("notes", b"flat\n"): b"flat\n", "notes/a.md": b"edited\n"},
    ),
    "bytes that are no text": (
        write("notes/a.md", b"\xff\xfe\x00a"),
        write("notes/a.md", b"\xff\xfe\x00b"),
        {**second("notes/a.md", b"\xff\xfe\x00a", b"\xff\xfe\x00b"), "notes/b.md": B},
    ),
    "emptied on one side, edited on the other": (
        write("notes/a.md", b""),
        write("notes/a.md", "edited\n"),
        {"notes/a.md": b"edited\n", "notes/b.md": B},
    ),
    "line ends of both kinds": (
        write("notes/a.md", b"one\r\ntwo\r\n"),
        write("notes/b.md", b"three\r\nfour\n"),
        {"notes/a.md": b"one\r\ntwo\r\n", "notes/b.md": b"three\r\nfour\n"},
    ),
    "a link": (link("to-a.md", "notes/a.md"), nothing, {"to-a.md": b"notes/a.md", "notes/a.md": A, "notes/b.md": B}),
    "a link in place of a file, with an edit": (
        link("notes/a.md", "b.md"),
        write("notes/a.md", "edited\n"),
        {**second("notes/a.md", b"b.md", b"edited\n"), "notes/b.md": B},
    ),
    "a second version whose name is taken on one side": (
        both(write("notes/a.md", "from a\0"), write(SECOND, "has the name\n")),
        write("notes/a.md", "from b\0"),
        {"notes/a.md": FIRST_TEXT, SECOND: b"has the name\n", LONGER: SECOND_TEXT, "notes/b.md": B},
    ),
    "a folder and a file whose second name is taken": (
        both(write("thing", "a file\n"), write(beside("thing", b"a file\n"), "has the name\n")),
        write("thing/inside.md", "in a folder\n"),
        {
            beside("thing", b"a file\n"): b"has the name\n",
            beside("thing", b"a file\n", 16): b"a file\n",
            "thing/inside.md": b"in a folder\n",
            "notes/a.md": A,
            "notes/b.md": B,
        },
    ),
    "a name in two cases": (
        write("Plan.md", "upper\n"),
        write("plan.md", "lower\n"),
        {"Plan.md": b"upper\n", "plan.md": b"lower\n", "notes/a.md": A, "notes/b.md": B},
    ),
    "new lines that look like conflict markers' words": (
        write("notes/a.md", "HEAD ours theirs\n"),
        write("notes/a.md", "======= is not at\n"),
        {"notes/a.md": asked(A, b"HEAD ours theirs\n", b"======= is not at\n"), "notes/b.md": B},
    ),
}


@pytest.mark.parametrize("case", DIVERGED)
@pytest.mark.parametrize("swapped", [False, True], ids=["a first", "b first"])
def test_machines_that_diverged_end_with_the_same(machines: Machines, case: str, swapped: bool) -> None:
    one, two, expected = DIVERGED[case]
    a, b = machines.pair(START)
    one(a)
    two(b)
    first, then = (b, a) if swapped else (a, b)
    first.save()
    then.save()
    first.sync()
    then.sync()
    then.assert_sound()
    first.sync()
    assert machines.assert_agreed() == {**expected, **KEEP}


@pytest.mark.parametrize("case", DIVERGED)
def test_two_machines_that_merge_apart_make_the_same_commit(tmp_path: Path, case: str) -> None:
    """Each machine fetches from the other directly, so that both merge the pair themselves."""
    one, two, expected = DIVERGED[case]
    machines = Machines(tmp_path)
    a, b = machines.pair(START)
    one(a)
    two(b)
    a.save()
    machines.clock.tick(60)
    b.save()
    a.git("remote", "set-url", "origin", b.path)
    b.git("remote", "set-url", "origin", a.path)
    tips = a.tip, b.tip
    a.sync(push=False)
    a_merged = a.tip
    a.git("branch", "before", tips[0])
    b.git("remote", "set-url", "origin", _bare_of(tmp_path, a, "before"))
    b.sync(push=False)
    assert b.tip == a_merged
    assert a.notes() == b.notes() == {**expected, **KEEP}
    a.assert_sound()
    b.assert_sound()
    machines.close()


def _bare_of(folder: Path, machine: Machine, branch: str) -> str:
    """A bare repository that stands where a machine's branch stood."""
    path = str(folder / "mirror.git")
    machine.git("clone", "--quiet", "--bare", "--no-local", f"--branch={branch}", machine.path, path)
    machine.git("--git-dir", path, "update-ref", "refs/heads/main", branch)
    return path


@pytest.mark.parametrize("name", ["x" * 252 + ".md", "图" * 84 + ".md", "Chapter. " + "y" * 240])
def test_two_versions_of_a_note_with_a_very_long_name_are_kept(machines: Machines, name: str) -> None:
    a, b = machines.pair({f"notes/{name}": "one\n"})
    a.write(f"notes/{name}", "from a\0")
    a.sync()
    b.write(f"notes/{name}", "from b\0")
    b.sync()
    machines.settle()
    assert {b"from a\0", b"from b\0"} <= set(machines.assert_agreed().values())


def test_a_conflict_is_reported_with_both_names(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("notes/a.md", "from a\0")
    b.write("notes/a.md", "from b\0")
    a.sync()
    (conflict,) = b.sync().conflicts
    assert conflict.kind is ConflictKind.BOTH_CHANGED
    assert set(second("notes/a.md", b"from a\0", b"from b\0")) == {conflict.path, conflict.second}
    assert a.sync().conflicts == ()


def test_a_conflict_is_reported_with_the_place_in_the_note(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("notes/a.md", "from a\n")
    b.write("notes/a.md", "from b\n")
    a.sync()
    (conflict,) = b.sync().conflicts
    assert conflict.kind is ConflictKind.SAME_PASSAGE
    assert [conflict.path, conflict.second, *conflict.places] == ["notes/a.md", None, *ids_in([b.read("notes/a.md")])]
    assert a.sync().conflicts == ()


def test_the_mode_of_a_file_travels(machines: Machines) -> None:
    a, b = machines.pair({"run.sh": "#!/bin/sh\n", "was.sh": "x\n"})
    os.chmod(a.full("run.sh"), 0o755)
    a.sync()
    b.sync()
    assert os.stat(b.full("run.sh")).st_mode & 0o111
    os.chmod(b.full("run.sh"), 0o644)
    b.sync()
    a.write("run.sh", "#!/bin/sh\necho\n")
    a.sync()
    machines.settle()
    machines.assert_agreed()


def test_a_mode_and_a_text_changed_apart_both_arrive(machines: Machines) -> None:
    a, b = machines.pair({"run.sh": "#!/bin/sh\n"})
    os.chmod(a.full("run.sh"), 0o755)
    b.write("run.sh", "#!/bin/sh\necho\n")
    a.sync()
    b.sync()
    machines.settle()
    held = machines.assert_agreed()
    assert b"#!/bin/sh\necho\n" in held.values()


def test_an_idle_machine_makes_no_commits_and_no_pushes(machines: Machines) -> None:
    """B3, B4, B5: nothing of the engine's own is in the tree, so being there changes nothing."""
    a, b = machines.pair()
    machines.settle()
    before = a.tip, b.tip, committed(machines.remote)
    for _ in range(3):
        for machine in (a, b):
            machine.reopen()
            machine.found("one")
            report = machine.sync()
            assert (report.received, report.sent, report.changes, report.conflicts) == (0, 0, (), ())
            machines.clock.tick(10_000)
    assert (a.tip, b.tip, committed(machines.remote)) == before
    assert set(a.committed()) == {"memtree.toml", "notes/a.md"}


def test_three_machines_that_all_edit_agree(machines: Machines) -> None:
    a = machines.first(START)
    b, c = machines.clone("b"), machines.clone("c")
    for machine, name in ((a, "a"), (b, "b"), (c, "c")):
        machine.write("notes/a.md", f"from {name}\n")
        machine.write(f"own/{name}.md", f"only {name}\n")
        machine.save()
    machines.settle()
    held = machines.assert_agreed()
    for name in "abc":
        assert f"\n> > from {name}\n".encode() in held["notes/a.md"]
        assert held[f"own/{name}.md"] == f"only {name}\n".encode()
    assert len(held) == len(START) + 3


def test_conflicts_do_not_breed_over_many_rounds(machines: Machines) -> None:
    """B3, B78: who writes over a callout has settled it; the next one holds two new versions, never a version of a version."""
    a, b = machines.pair({"notes/a.md": "0\n"})
    for number in range(4):
        for machine, name in ((a, "a"), (b, "b")):
            machine.write("notes/a.md", f"{name} {number}\n")
        machines.settle(rounds=2)
    held = machines.assert_agreed()
    assert set(held) == {"notes/a.md"}
    assert [variant for place in conflicts_in(held["notes/a.md"]) for variant in place.callout.variants] == [b"a 3", b"b 3"]
    assert held["notes/a.md"].count(b"\n") == 4


def test_sync_without_a_remote_says_how_to_add_one(machines: Machines) -> None:
    alone = machines.lonely({"a.md": "x\n"})
    with pytest.raises(NoRemote) as caught:
        alone.workspace.sync()
    assert "memtree remote add" in caught.value.hint


def test_pull_only_sends_nothing_and_push_only_takes_nothing(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b.md", "b\n")
    b.save()
    before = committed(machines.remote)
    report = b.sync(push=False)
    assert (report.received, report.sent) == (1, 0)
    assert committed(machines.remote) == before
    assert set(b.notes()) == {"notes/a.md", "from-a.md", "from-b.md"}
    report = b.sync(pull=False)
    assert report.sent == 2
    assert set(committed(machines.remote)) == {"memtree.toml", *b.notes()}
    c = machines.clone("c")
    c.write("c.md", "c\n")
    c.sync()
    report = b.sync(pull=False)
    assert "c.md" not in b.disk()


def test_b9_an_entry_the_other_side_never_had_is_an_addition(machines: Machines) -> None:
    a, b = machines.pair()
    b.write("memory_tree/content/facts/aa/fact.md", "born on the second machine\n")
    b.sync()
    a.write("unrelated.md", "x\n")
    machines.settle()
    assert "memory_tree/content/facts/aa/fact.md" in machines.assert_agreed()


def test_b2_a_sync_is_always_repeatable_after_a_conflict(machines: Machines) -> None:
    a, b = machines.pair()
    for machine, text in ((a, "a\n"), (b, "b\n")):
        machine.write("notes/a.md", text)
        machine.save()
    a.sync()
    b.sync()
    for _ in range(2):
        b.reopen()
        b.sync()
        b.write("after.md", "work goes on\n")
        b.sync()
        b.assert_sound()
    a.sync()
    assert machines.assert_agreed()["after.md"] == b"work goes on\n"


def test_b15_an_append_on_both_sides_doubles_no_line(machines: Machines) -> None:
    a, b = machines.pair({"ledger.jsonl": '{"id":1}\n'})
    a.write("ledger.jsonl", '{"id":1}\n{"id":2}\n')
    b.write("ledger.jsonl", '{"id":1}\n{"id":3}\n')
    machines.settle()
    held = machines.assert_agreed()
    assert held == {"ledger.jsonl": b'{"id":1}\n{"id":2}\n{"id":3}\n'}


def test_b14_an_untouched_copy_never_beats_an_edit(machines: Machines) -> None:
    a, b = machines.pair({"todo.md": "- [ ] x\n"})
    a.write("todo.md", "- [x] x\n")
    a.sync()
    b.write("other.md", "stale machine, busy elsewhere\n")
    b.sync()
    machines.settle()
    assert machines.assert_agreed()["todo.md"] == b"- [x] x\n"


def test_b36_a_wrong_clock_decides_nothing(tmp_path: Path) -> None:
    """The machine with the slow clock edits last, and its edit stays."""
    machines = Machines(tmp_path)
    a, b = machines.pair({"a.md": "0\n"})
    machines.clock.tick(86_400)
    a.write("a.md", "from the fast clock\n")
    a.sync()
    b.sync()
    machines.clock.tick(-172_800)
    b.write("a.md", "later, by a slow clock\n")
    b.sync()
    machines.settle()
    assert machines.assert_agreed() == {"a.md": b"later, by a slow clock\n"}
    machines.close()


def test_b18_head_stays_on_its_branch_through_everything(machines: Machines) -> None:
    a, b = machines.pair()
    for number in range(3):
        a.write("notes/a.md", f"a{number}\n")
        b.write("notes/a.md", f"b{number}\n")
        a.sync()
        b.sync()
        for machine in (a, b):
            assert machine.git("symbolic-ref", "HEAD") == "refs/heads/main"
            machine.assert_whole()


def test_one_line_of_a_merge_says_which_commits_it_joined(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("a.md", "a\n")
    a.sync()
    b.write("b.md", "b\n")
    b.save()
    ours = b.tip
    b.sync()
    assert sorted(b.git("rev-parse", "HEAD^1", "HEAD^2").splitlines()) == sorted([ours, a.tip])
    message = b.git("log", "-1", "--format=%an%n%ae%n%B")
    assert "Memtree-Writer: sync" in message
    assert "Memtree-Device" not in message


def test_plain_git_on_the_other_side_is_an_equal(machines: Machines, tmp_path: Path) -> None:
    a = machines.first(START)
    stock = GitRepo(tmp_path / "stock")
    stock.git("pull", "--quiet", machines.remote, "main")
    stock.write("by-hand.md", "with git\n")
    stock.commit("by hand")
    stock.git("push", "--quiet", machines.remote, "HEAD:main")
    a.write("notes/a.md", "edited\n")
    report = a.sync()
    assert (report.received, report.sent) == (1, 2)
    a.assert_sound()
    stock.git("pull", "--quiet", "--ff-only", machines.remote, "main")
    assert stock.read("notes/a.md") == b"edited\n"
    assert a.notes()["by-hand.md"] == b"with git\n"
