"""What other people lost with other tools, as scenarios: here it does not happen.

The numbers name reports. Those whose loss other tests already rule out:
B2, B3-B5, B9, B14, B15, B18 test_sync; B8, B27, B28, B30, B35 test_sync_alarms; B19, B22, B33 test_sync_races; B11, B14, B16, B28
in every order test_scenarios_orders; B24 test_capture; B34 tests/faults; B36 and wrong clocks test_sync_cycle; B37 test_secrets;
B38 test_transport; B39 test_maintain.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.conflicts import OpenConflicts
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.workspace import Workspace
from memtree.tree.errors import Error
from memtree.tree.paths import RepoPath
from support.cli import memtree
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, committed

ENTRY = "- Runs tests before each commit ^m-1\n"
MEMORY = f"# Memory\n\n{ENTRY}- Writes short letters ^m-2\n"
FACT = RepoPath("memory_tree/content/facts/ab/abcd.md")


@pytest.fixture(autouse=True)
def _without_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workspace, "refresh_index", lambda self, progress=None: [])


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def trio(machines: Machines, files: dict[str, str | bytes]) -> tuple[Machine, Machine, Machine]:
    return machines.first(files), machines.clone("b"), machines.clone("c")


# -- B6: a conflict stops the program


def test_b6_an_unattended_sync_with_conflicts_succeeds_and_work_goes_on(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "one\n", "p.png": b"\0one"})
    for machine, name in ((a, "a"), (b, "b")):
        machine.write("a.md", f"of {name}\n")
        machine.write("p.png", f"\0of {name}")
        machine.save()
    a.sync()
    shown = memtree("sync", "--json", cwd=b.path).json  # exit code 0
    assert len(shown["remotes"][0]["conflicts"]) == 2
    for number in range(3):
        b.write("more.md", f"{number}\n")
        memtree("save", cwd=b.path)
        assert memtree("sync", "--json", cwd=b.path).json["remotes"][0]["conflicts"] == []
    a.sync()
    machines.assert_agreed()


# -- B11, B12: deletions that do not travel, or hit what was made anew


def by_hand(machine: Machine) -> None:
    machine.remove(FACT)
    machine.save()


def by_folder(machine: Machine) -> None:
    shutil.rmtree(machine.full(os.path.dirname(FACT)))
    machine.save()


def by_a_program(machine: Machine) -> None:
    machine.workspace.write({FACT: None}, "drop a fact\n\nMemtree-Writer: facts\n")


def by_git(machine: Machine) -> None:
    machine.git("rm", "--quiet", FACT)
    machine.git("commit", "--quiet", "-m", "by git")


def by_undo(machine: Machine) -> None:
    added = machine.git("log", "--diff-filter=A", "--format=%H", "--", FACT)
    machine.workspace.undo(machine.workspace.resolve(added))


@pytest.mark.parametrize("delete", [by_hand, by_folder, by_a_program, by_git, by_undo])
def test_b11_a_deletion_travels_by_whatever_hand_and_the_file_stays_away(
    machines: Machines, delete: Callable[[Machine], None]
) -> None:
    a, b, c = trio(machines, {"keep.md": "keep\n", "memory_tree/content/facts/cd/cdef.md": "other\n"})
    a.write(FACT, "a fact\n")
    a.save()
    machines.settle(rounds=1)
    delete(a)
    c.write("c.md", "c was away\n")  # c does not sync for a while
    for number in range(2):
        b.write("b.md", f"{number}\n")
        b.sync()
        a.sync()
    c.sync()
    machines.settle()
    held = machines.assert_agreed()
    assert FACT not in held
    assert {"keep.md", "c.md", "b.md"} <= held.keys()


@pytest.mark.parametrize("path", ["note.md", "note.txt", "p.png", FACT])
def test_b12_what_was_deleted_and_made_anew_stays(machines: Machines, path: str) -> None:
    """Also when another machine deleted the old one, edited something else, or never heard of any of it."""
    a, b, c = trio(machines, {path: "the first\n", "keep.md": "keep\n"})
    a.remove(path)
    a.save()
    a.sync()
    b.remove(path)
    b.save()
    a.write(path, "made anew\n")
    a.save()
    c.write("c.md", "away\n")
    c.save()
    b.sync()
    a.sync()
    c.sync()
    machines.settle()
    held = machines.assert_agreed()
    assert held[path] == b"made anew\n"
    assert [name for name in held if held[name] == b"the first\n"] == []


def test_b12_an_entry_that_was_deleted_and_written_again_is_there_once(machines: Machines) -> None:
    a, b, c = trio(machines, {"MEMORY.md": MEMORY})
    a.write("MEMORY.md", MEMORY.replace(ENTRY, ""))
    a.sync()
    b.write("MEMORY.md", MEMORY.replace(ENTRY, "") + "- Something of b\n")
    b.save()
    a.write("MEMORY.md", MEMORY.replace("^m-1", "^m-9"))  # the same words again, as whoever writes an entry anew gives them
    a.sync()
    assert b"^m-1" not in a.read("MEMORY.md")
    c.write("MEMORY.md", MEMORY + "- Something of c\n")
    c.sync()
    b.sync()
    machines.settle()
    text = machines.assert_agreed()["MEMORY.md"]
    assert [text.count(one) for one in (b"before each commit", b"^m-9", b"Something of b", b"Something of c")] == [1, 1, 1, 1]


# -- B15, B16: union by lines


def test_b15_a_ledger_that_both_append_to_has_each_id_once(machines: Machines) -> None:
    lines = [f'{{"id": {number}, "text": "entry {number}"}}\n' for number in range(40)]
    a, b, c = trio(machines, {"ledger.jsonl": "".join(lines[:10])})
    a.write("ledger.jsonl", "".join(lines[:20]))
    b.write("ledger.jsonl", "".join(lines[:10] + lines[20:30]))
    c.write("ledger.jsonl", "".join(lines[:15] + lines[30:]))  # c had got some of a's by another way
    machines.settle()
    held = machines.assert_agreed()
    assert set(b"".join(held.values()).decode().splitlines(keepends=True)) == set(lines)
    for data in held.values():
        ids = re.findall(rb'"id": (\d+)', data)
        assert len(ids) == len(set(ids))


def test_b16_an_edited_line_of_a_change_log_is_there_once_and_in_its_section(machines: Machines) -> None:
    log = "# Changes\n\n## Unreleased\n\n- faster start\n- fix a leak\n\n## 1.0\n\n- first\n"
    a, b = machines.pair({"CHANGES.md": log})
    a.write("CHANGES.md", log.replace("- faster start", "- much faster start").replace("## Unreleased", "## 1.1"))
    b.write("CHANGES.md", log.replace("- fix a leak\n", "- fix a leak\n- a new flag\n").replace("- first\n", ""))
    machines.settle()
    text = machines.assert_agreed()["CHANGES.md"].decode()
    assert [text.count(one) for one in ("faster start", "- a new flag", "- first", "## 1.1", "## Unreleased")] == [1, 1, 0, 1, 0]
    assert text.index("- a new flag") < text.index("## 1.0")


# -- B20, B21: torn reads, and answers that do not match what happened


def test_b20_a_reader_never_sees_a_part_of_a_file(machines: Machines) -> None:
    size = 200_000
    a, b = machines.pair({"big.txt": "0" * size})
    seen: set[str] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            data = b.read("big.txt")
            seen.add(data[:1].decode() if len(data) == size and data == data[:1] * size else f"a part of {len(data)}")

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for number in range(1, 6):
            a.write("big.txt", str(number) * size)
            a.sync()
            b.sync()
    finally:
        done.set()
        reader.join()
    assert seen <= set("012345"), seen
    assert len(seen) > 1


def test_b21_every_writer_s_answer_is_what_happened(machines: Machines) -> None:
    """Sixteen at once; half of them ask for something that is refused."""
    a = machines.lonely({"a.md": "a\n"})
    answers: dict[str, str] = {}

    def write(number: int) -> None:
        good, bad = RepoPath(f"wiki/{number}.md"), RepoPath(f"wiki/what?{number}.md")
        contents: dict[RepoPath, bytes | None] = {good: f"{number}\n".encode()} | ({bad: b"refused\n"} if number % 2 else {})
        try:
            answers[good] = str(a.workspace.write(contents, f"page {number}\n\nMemtree-Writer: cli\n").after)
        except Error:
            answers[good] = ""

    threads = [threading.Thread(target=write, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = a.committed()
    assert {path for path, answer in answers.items() if answer} == {path for path in held if path.startswith("wiki/")}
    assert len([path for path in held if path.startswith("wiki/")]) == 8
    for path, answer in answers.items():
        if answer:
            assert a.committed(answer)[path] == held[path]
    a.assert_sound()


# -- B24: how an editor saves


@pytest.mark.parametrize("settled", [False, True])
def test_b24_a_sync_in_the_middle_of_an_editor_s_save_deletes_nothing(machines: Machines, settled: bool) -> None:
    """The editor moves the file away, writes it anew and drops the old one; a sync comes in between."""
    a, b = machines.pair({"notes/a.md": "one\n", "b.md": "b\n"})
    os.rename(a.full("notes/a.md"), a.full("notes/a.md~"))
    a.sync()
    assert "notes/a.md" in committed(machines.remote)
    if settled:
        machines.clock.tick(1.5)
        a.sync()
    a.write("notes/a.md", "two\n")
    os.unlink(a.full("notes/a.md~"))
    a.sync()
    b.sync()
    assert b.notes() == {"notes/a.md": b"two\n", "b.md": b"b\n"}
    assert [change for change in a.git("log", "--format=", "--name-status").splitlines() if change.startswith("D")] == []
    assert not [path for revision in a.git("rev-list", "HEAD").split() for path in a.committed(revision) if path.endswith("~")]
    machines.settle()
    machines.assert_agreed()


# -- B26, B29: the loser is dropped, or put where nobody looks


LOSSES: dict[str, tuple[str, str | bytes, str | bytes, str | bytes]] = {
    "a passage": ("a.md", "# A\n\nThe old words stood here.\n", "# A\n\nQuite other ones of a.\n", "# A\n\nThings that b said.\n"),
    "an entry": (
        "MEMORY.md",
        MEMORY,
        MEMORY.replace("before each", "after any"),
        MEMORY.replace("Runs tests before each", "No more"),
    ),
    "a value": ("n.md", "---\ntitle: old\n---\n\nText.\n", "---\ntitle: of a\n---\n\nText.\n", "---\ntitle: of b\n---\n\nText.\n"),
    "a plain text": ("a.txt", "old\n", "of a\n", "of b\n"),
    "a data file": ("a.json", '{"v": 1}\n', '{"v": "of a"}\n', '{"v": "of b"}\n'),
    "a binary file": ("p.png", b"\0old", b"\0of a", b"\0of b"),
}


@pytest.mark.parametrize("what", LOSSES)
def test_b26_b29_both_versions_stand_in_files_and_are_told_everywhere(machines: Machines, what: str) -> None:
    path, base, ours, theirs = LOSSES[what]
    a, b, c = trio(machines, {path: base, "keep.md": "keep\n"})
    a.write(path, ours)
    a.sync()
    b.write(path, theirs)
    (conflict,) = b.sync().conflicts
    assert conflict.kind in (ConflictKind.SAME_PASSAGE, ConflictKind.BOTH_CHANGED)
    machines.settle()
    whole = b"\n".join(machines.assert_agreed().values())
    for side in (ours, theirs):
        new = set(re.findall(rb"[^\s>]+", side if isinstance(side, bytes) else side.encode()))
        assert new <= set(re.findall(rb"[^\s>]+", whole))
    if what != "an entry":  # two entries are no conflict that waits: both are whole, and a person drops one
        for machine in (a, b, c):
            (listed,) = OpenConflicts(machine.workspace.repo, machine.workspace.places.folder).all()
            assert len(listed.versions) == 2


# -- B28, B30: no version in common


def test_b28_joining_a_full_folder_to_a_full_remote_resets_neither(machines: Machines, tmp_path: Path) -> None:
    machines.first({"same.md": "same\n", "diary.md": "# Diary\n\nOn a it rained.\n", "photo.png": b"\0of a", "only-a.md": "a\n"})
    folder = tmp_path / "grown"
    folder.mkdir()
    mine = {"same.md": b"same\n", "diary.md": b"# Diary\n\nOn b the sun shone.\n", "photo.png": b"\0of b", "only-b.md": b"b\n"}
    for name, data in mine.items():
        (folder / name).write_bytes(data)
    memtree("init", cwd=folder)
    memtree("remote", "add", "origin", machines.url, cwd=folder)
    refused = memtree("sync", cwd=folder, code=None)
    assert refused.code != 0
    assert "memtree sync --accept-unrelated" in refused.err
    assert {name: (folder / name).read_bytes() for name in mine} == mine
    memtree("sync", "--accept-unrelated", cwd=folder)
    machines.settle()
    held = machines.assert_agreed()
    assert held["diary.md"] == b"# Diary\n\nOn a it rained.\n\nOn b the sun shone.\n"
    assert {b"\0of a", b"\0of b", b"same\n", b"a\n", b"b\n"} <= set(held.values())
    assert sum(data == b"same\n" for data in held.values()) == 1
    assert committed(machines.remote) == {**held, "memtree.toml": committed(machines.remote)["memtree.toml"]}
    assert GitRepo(folder).git("rev-parse", "HEAD") == machines.all["a"].tip


def test_b30_a_machine_that_lost_its_history_deletes_and_overwrites_nothing(machines: Machines) -> None:
    """Its .git is gone and made anew: absent there says nothing, different there is different, equal is equal."""
    a, b = machines.pair({"a.md": "one\n\ntwo\n", "same.md": "same\n", "late.md": "late\n"})
    a.write("a.md", "one of a\n\ntwo\n")
    a.write("new-a.md", "new\n")
    a.sync()
    b.workspace.close()
    shutil.rmtree(b.full(".git"))
    b.write("a.md", "one\n\ntwo of b\n")
    b.remove("late.md")
    memtree("init", cwd=b.path)
    memtree("remote", "add", "origin", machines.url, cwd=b.path)
    memtree("sync", "--accept-unrelated", cwd=b.path)
    b.reopen()
    machines.settle()
    held = machines.assert_agreed()
    assert {b"one of a", b"two of b"} <= b.lines()
    assert {"late.md", "new-a.md", "same.md"} <= held.keys()
    assert sum(data == b"same\n" for data in held.values()) == 1


# -- B32: a stamp that is written every day


def test_b32_a_stamp_that_every_machine_writes_every_day_is_no_conflict(machines: Machines) -> None:
    note = "---\ntitle: Boat\ncreated: 2024-03-01\nupdated: 2024-03-01\n---\n\nText.\n"
    a, b, c = trio(machines, {"n.md": note, "state.json": '{\n  "a": "1",\n  "b": "1",\n  "c": "1"\n}\n'})
    for day in range(2, 6):
        for number, machine in enumerate((a, b, c)):
            name = "abc"[number]
            machine.write(
                "n.md", re.sub(rb"updated: .*", f"updated: 2024-03-0{day}T0{number}:00:00Z".encode(), machine.read("n.md"))
            )
            machine.write(
                "state.json", re.sub(rf'"{name}": "\d"'.encode(), f'"{name}": "{day}"'.encode(), machine.read("state.json"))
            )
            machine.save()
        for _ in range(2):
            for machine in (a, b, c):
                assert machine.sync().conflicts == ()
    held = machines.assert_agreed()
    assert set(held) == {"n.md", "state.json"}
    assert held["n.md"] == note.replace("updated: 2024-03-01", "updated: 2024-03-05T02:00:00Z").encode()
    assert held["state.json"] == b'{\n  "a": "5",\n  "b": "5",\n  "c": "5"\n}\n'


# -- B35: an empty place is not an empty memory


@pytest.mark.parametrize("count", [1, 5, 30])
def test_b35_a_folder_that_became_empty_is_not_an_emptied_memory(machines: Machines, count: int) -> None:
    """A disk that is not mounted: nothing is there at all, however little there was."""
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(count)})
    shutil.rmtree(b.full("many"))
    os.rename(b.full("memtree.toml"), b.full(".git/memtree.toml.away"))
    for _ in range(3):
        with pytest.raises(MassDeletion):
            b.sync()
        machines.clock.tick(10)
    refused = memtree("sync", cwd=b.path, code=None)
    assert refused.code != 0
    assert len(committed(machines.remote)) == count + 1
    a.sync()
    assert len(a.notes()) == count
    b.git("checkout", "--quiet", "--", ".")
    b.sync()
    machines.assert_agreed()


@pytest.mark.parametrize("count", [1, 5, 30])
def test_b35_a_remote_that_was_emptied_empties_nobody(machines: Machines, count: int) -> None:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(count)})
    a.git("rm", "--quiet", "-r", ".")
    a.git("commit", "--quiet", "-m", "everything is gone")
    a.git("push", "--quiet", machines.remote, "HEAD:main")
    with pytest.raises(MassDeletion) as raised:
        b.sync()
    assert "memtree sync --allow-mass-delete" in raised.value.hint
    assert len(b.notes()) == count
    b.assert_sound()


# -- B40: one verdict


def test_b40_the_same_three_versions_always_merge_alike(machines: Machines) -> None:
    """On another day, from a packed repository, in another process, after a merge that was thrown away, with the sides swapped."""
    base = {f"{number}.md": f"# {number}\n\none\n\ntwo\n\nthree\n\nfour\n" for number in range(4)} | {
        "p.png": b"\0old",
        "t.txt": "old\n",
    }
    a, b = machines.pair(base)
    for machine, name, old in ((a, "a", "two"), (b, "b", "three")):
        for number in range(3):
            path = f"{number}.md"
            machine.write(path, machine.read(path).replace(old.encode(), f"{old} {name}".encode()))
        machine.write("3.md", f"# 3\n\nrewritten by {name}\n\nfour\n")
        machine.write("p.png", f"\0of {name}")
        machine.write("t.txt", f"of {name}\n")
        machine.move("0.md", f"moved-{name}.md")
        machine.save()
        machines.clock.tick(1000)
    a.sync()
    before = b.tip
    found: set[str] = set()
    for turn in range(4):
        if turn == 1:
            b.git("gc", "--quiet", "--prune=now")
        if turn == 2:
            machines.clock.tick(86_400)
            b.reopen()
        if turn == 3:
            memtree("pull", cwd=b.path)
        else:
            b.sync(push=False)
        found.add(b.tip)
        b.git("reset", "--quiet", "--hard", before)
        b.reopen()
    a.git("fetch", "--quiet", b.path, "main:refs/heads/theirs")
    mirror = str(machines.folder / "mirror.git")
    a.git("clone", "--quiet", "--bare", "--no-local", "--branch=theirs", a.path, mirror)
    subprocess.run(("git", "--git-dir", mirror, "update-ref", "refs/heads/main", before), check=True)
    a.workspace.remotes.add("mirror", mirror)
    a.workspace.sync("mirror", push=False)
    found.add(a.tip)
    assert len(found) == 1
