"""conflicts and resolve as people call them."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pytest

from memtree.tree.conflict_callout import ConflictCallout
from support.cli import MEMTREE, environment, git_agrees, memtree, spawn
from support.gitrepo import GitRepo

CALLOUT = ConflictCallout("c-0000000a", (b"It is due in June.", b"It is due in May.")).render()
OTHER = ConflictCallout("c-0000000b", (b"x", b"y")).render()


@pytest.fixture
def torn(notes: GitRepo) -> GitRepo:
    """The workspace with an open conflict in projects/heron.md."""
    notes.write("projects/heron.md", b"# Heron\n\n" + CALLOUT + b"\n\nend\n")
    memtree("save", cwd=notes.path)
    return notes


# -- conflicts


def test_no_conflict_is_said_so(notes: GitRepo) -> None:
    assert memtree("conflicts", cwd=notes.path).out == "No conflict is open.\n"
    assert memtree("conflicts", "--json", cwd=notes.path).json == {"conflicts": [], "notes": []}
    assert "conflicts" not in memtree("status", cwd=notes.path).out
    assert memtree("status", "--json", cwd=notes.path).json["conflicts"] == 0


def test_open_conflicts_are_listed_with_their_versions(torn: GitRepo) -> None:
    assert memtree("conflicts", cwd=torn.path).lines == [
        "projects/heron.md:3-6  c-0000000a",
        "  1  origin unknown",
        "     It is due in June.",
        "  2  origin unknown",
        "     It is due in May.",
        "To settle one: memtree resolve projects/heron.md --take N, or edit the file.",
    ]
    (found,) = memtree("conflicts", "--json", cwd=torn.path).json["conflicts"]
    assert found["path"] == "projects/heron.md"
    assert (found["id"], found["form"], found["first_line"], found["last_line"]) == ("c-0000000a", "passage", 3, 6)
    assert [(version["number"], version["text"]) for version in found["versions"]] == [
        (1, "It is due in June."),
        (2, "It is due in May."),
    ]


def test_one_that_was_edited_meanwhile_is_told_apart(torn: GitRepo) -> None:
    torn.write("projects/heron.md", b"# Heron\n\nIt is due in May.\n")
    told = memtree("conflicts", cwd=torn.path)
    assert told.err == "note: projects/heron.md was edited since it was saved: memtree save\n"
    assert "c-0000000a" in told.out
    memtree("save", cwd=torn.path)
    assert memtree("conflicts", cwd=torn.path).out == "No conflict is open.\n"


def test_status_counts_them(torn: GitRepo) -> None:
    assert "conflicts  1 open: memtree conflicts" in memtree("status", cwd=torn.path).out
    assert memtree("status", "--json", cwd=torn.path).json["conflicts"] == 1


def test_a_value_says_which_one_stands_there_now(notes: GitRepo) -> None:
    lost = ConflictCallout("c-0000000a", (b"status: draft",)).render()
    notes.write("plan.md", b"---\nstatus: done\n---\n" + lost + b"\n\n# Plan\n")
    memtree("save", cwd=notes.path)
    out = memtree("conflicts", cwd=notes.path).lines
    assert out[0] == "plan.md:4-5  c-0000000a  status in the front matter"
    assert out[1].endswith("(stands there now)")
    assert out[2] == "     status: done"
    assert out[4] == "     status: draft"
    device = memtree("status", "--json", cwd=notes.path).json["device"]
    assert out[1].startswith(f"  1  {device}, ")


def test_a_long_version_is_cut_in_the_list_and_whole_when_one_is_shown(notes: GitRepo) -> None:
    long = "\n".join(f"line {number}" for number in range(40)).encode()
    notes.write("long.md", ConflictCallout("c-0000000a", (long, b"short")).render() + b"\n")
    memtree("save", cwd=notes.path)
    assert "     ... 28 more lines" in memtree("conflicts", cwd=notes.path).lines
    assert "     line 39" in memtree("resolve", "long.md", cwd=notes.path).lines


# -- resolve


def test_a_conflict_is_settled_by_number(torn: GitRepo) -> None:
    out = memtree("resolve", "heron.md", "--take", "2", cwd=Path(torn.path, "projects"))
    assert out.out.startswith("Resolved c-0000000a in projects/heron.md as ")
    assert torn.read("projects/heron.md") == b"# Heron\n\nIt is due in May.\n\nend\n"
    assert memtree("conflicts", cwd=torn.path).out == "No conflict is open.\n"
    assert memtree("log", "--writer", "cli", "-n", "1", cwd=torn.path).out.endswith("(1 modified)\n")
    git_agrees(torn)


def test_settling_answers_as_json(torn: GitRepo) -> None:
    done = memtree("resolve", "projects/heron.md", "--take", "all", "--json", cwd=torn.path).json
    assert done == {
        "resolved": True,
        "conflict": "c-0000000a",
        "path": "projects/heron.md",
        "commit": torn.git("rev-parse", "HEAD"),
        "open": 0,
        "notes": [],
    }
    assert torn.read("projects/heron.md") == b"# Heron\n\nIt is due in June.\n\nIt is due in May.\n\nend\n"


def test_without_a_choice_and_a_terminal_it_shows_what_to_type(torn: GitRepo) -> None:
    before = torn.git("rev-parse", "HEAD")
    out = memtree("resolve", "projects/heron.md", cwd=torn.path).lines
    assert "     It is due in June." in out
    assert out[-1] == "To settle it: memtree resolve projects/heron.md --conflict c-0000000a --take N"
    shown = memtree("resolve", "projects/heron.md", "--json", cwd=torn.path).json
    assert (shown["resolved"], shown["conflict"], len(shown["versions"])) == (False, "c-0000000a", 2)
    assert torn.git("rev-parse", "HEAD") == before


def test_several_in_a_file_are_settled_one_by_one(torn: GitRepo) -> None:
    torn.write("projects/heron.md", CALLOUT + b"\n\n" + OTHER + b"\n")
    memtree("save", cwd=torn.path)
    failed = memtree("resolve", "projects/heron.md", "--take", "1", cwd=torn.path, code=2)
    assert "c-0000000a (lines 1-4), c-0000000b (lines 6-9)" in failed.err
    assert memtree("conflicts", cwd=torn.path).lines[-1].endswith("--conflict c-0000000a --take N, or edit the file.")
    out = memtree("resolve", "projects/heron.md", "--take", "1", "--conflict", "c-0000000b", cwd=torn.path)
    assert "1 conflict still open: memtree conflicts" in out.out
    assert torn.read("projects/heron.md") == CALLOUT + b"\n\nx\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("resolve projects/heron.md --take 3", "no version 3"),
        ("resolve projects/heron.md --take 0", "no version 0"),
        ("resolve projects/heron.md --take both", "neither the number of a version nor all or none"),
        ("resolve projects/heron.md --take 1 --conflict c-12345678", "no conflict c-12345678"),
        ("resolve 图书馆.md --take 1", "no conflict is open in 图书馆.md"),
        ("resolve nowhere.md --take 1", "there is no nowhere.md"),
    ],
)
def test_what_cannot_be_settled_is_said_plainly(torn: GitRepo, call: str, words: str) -> None:
    before = torn.git("rev-parse", "HEAD")
    assert words in memtree(*call.split(), cwd=torn.path, code=2).err
    assert memtree(*call.split(), "--json", cwd=torn.path, code=2).json["error"]["family"] == "user"
    assert torn.git("rev-parse", "HEAD") == before
    git_agrees(torn)


def at_a_terminal(*arguments: str, cwd: str, answer: str) -> tuple[int, str]:
    """Run a command at a terminal, and type an answer when it asks."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (*MEMTREE, *arguments), cwd=cwd, env=environment({"TERM": "dumb"}), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said, ends = b"", time.monotonic() + 60
    while time.monotonic() < ends:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                said += os.read(ours, 4096)
            except OSError:
                break
            if b"Which one?" in said and answer:
                os.write(ours, answer.encode() + b"\n")
                answer = ""
    os.close(ours)
    return process.wait(timeout=60), said.decode()


def test_at_a_terminal_it_asks(torn: GitRepo) -> None:
    before = torn.git("rev-parse", "HEAD")
    code, said = at_a_terminal("resolve", "projects/heron.md", cwd=torn.path, answer="e")
    assert (code, "Left as it is" in said) == (0, True)
    assert torn.git("rev-parse", "HEAD") == before
    code, said = at_a_terminal("resolve", "projects/heron.md", cwd=torn.path, answer="1")
    assert code == 0, said
    assert "Which one? 1/2/all/e" in said
    assert torn.read("projects/heron.md") == b"# Heron\n\nIt is due in June.\n\nend\n"


def test_a_second_file_is_settled_by_its_name_or_the_first_ones(tmp_path: Path, notes: GitRepo) -> None:
    data = b"\0the other version"
    mark = notes.git("hash-object", "--stdin", stdin=data)[:8]
    notes.write("my ship.bin", b"\0one version")
    notes.write(f"my ship-{mark}.bin", data)
    memtree("save", cwd=notes.path)
    out = memtree("conflicts", cwd=notes.path).lines
    assert out[0] == f"my ship.bin  beside my ship-{mark}.bin"
    assert out[1].startswith("  1  my ship.bin, ")
    assert out[2] == "     (not shown)"
    assert out[-1].startswith("To settle one: memtree resolve 'my ship.bin' --take N")
    memtree("resolve", f"my ship-{mark}.bin", "--take", "2", cwd=notes.path)
    assert notes.read("my ship.bin") == data
    assert spawn("conflicts", cwd=notes.path).out == "No conflict is open.\n"
    git_agrees(notes)
