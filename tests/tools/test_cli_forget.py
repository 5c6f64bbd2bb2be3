"""`memtree forget` as a person and as a program sees it."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from support.cli import MEMTREE, environment, memtree
from support.machines import Machine, Machines

SECRET = "zanzibar" + "quetzal"
NOTE = f"# Door\n\nThe code is {SECRET}.\n\n- milk\n- {SECRET} again\n"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machines(tmp_path).lonely({"notes/door.md": NOTE, "notes/other.md": f"and {SECRET}\n"})


def test_it_says_where_it_was_and_never_what(machine: Machine) -> None:
    done = memtree("forget", "--match", SECRET, cwd=machine.path)
    assert done.lines[:3] == [
        "3 places in 2 files forgotten:",
        "  notes/door.md  lines 3, 6",
        "  notes/other.md  line 1",
    ]
    assert "2 commits that no remote has: --purge" not in done.out
    assert "1 commit that no remote has: --purge" in done.out
    assert SECRET not in done.out + done.err
    machine.assert_sound()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("notes/door.md:3", "# Door\n\n[forgotten]\n\n- milk\n- zanzibarquetzal again\n"),
        ("notes/door.md:5-6", "# Door\n\nThe code is zanzibarquetzal.\n\n- [forgotten]\n- [forgotten]\n"),
        ("notes/door.md:3,5-6", "# Door\n\n[forgotten]\n\n- [forgotten]\n- [forgotten]\n"),
        ("notes/door.md", "[forgotten]\n"),
    ],
)
def test_lines_are_named_behind_the_path(machine: Machine, words: str, expected: str) -> None:
    memtree("forget", words, cwd=machine.path)
    assert machine.read("notes/door.md") == expected.encode()


def test_a_text_is_limited_by_a_path_seen_from_the_current_folder(machine: Machine) -> None:
    memtree("forget", "other.md", "--match", SECRET, cwd=os.path.join(machine.path, "notes"))
    assert machine.read("notes/other.md") == b"and [forgotten]\n"
    assert machine.read("notes/door.md") == NOTE.encode()


def test_a_text_can_come_from_standard_input(machine: Machine) -> None:
    done = subprocess.run(
        (*MEMTREE, "forget", "--match", "-"),
        cwd=machine.path,
        input=f"{SECRET}\n".encode(),
        env=environment(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert b"3 places in 2 files" in done.stdout
    assert machine.read("notes/other.md") == b"and [forgotten]\n"


def test_a_dry_run_changes_nothing(machine: Machine) -> None:
    tip, disk = machine.tip, machine.disk()
    done = memtree("forget", "--match", SECRET, "--purge", "--dry-run", cwd=machine.path)
    assert "3 places in 2 files would be forgotten" in done.out
    assert (machine.tip, machine.disk()) == (tip, disk)
    assert set(memtree("forget", "--match", SECRET, "--dry-run", "--json", cwd=machine.path).json) == {
        "places",
        "unpushed",
        "pushed",
        "elsewhere",
        "left",
        "waiting",
        "commit",
        "purged",
        "notes",
    }
    assert (machine.tip, machine.disk()) == (tip, disk)


def test_a_purge_is_refused_where_nobody_can_be_asked(machine: Machine) -> None:
    tip = machine.tip
    done = memtree("forget", "--match", SECRET, "--purge", cwd=machine.path, code=2)
    assert "--yes" in done.err
    assert machine.tip == tip


def test_a_purge_says_what_it_removed(machine: Machine) -> None:
    done = memtree("forget", "--match", SECRET, "--purge", "--yes", "--json", cwd=machine.path).json
    assert done["unpushed"] == 0
    assert done["purged"]["commits"] == 2
    assert done["purged"]["still"] == []
    assert SECRET not in machine.git("log", "-p", "--all")
    machine.assert_sound()


def test_what_was_pushed_comes_with_the_steps_that_help(tmp_path: Path) -> None:
    machine = Machines(tmp_path).first({"a.md": f"{SECRET}\n"})
    done = memtree("forget", "--match", SECRET, "--purge", "--yes", cwd=machine.path)
    assert f"origin/main holds it since {machine.git('rev-parse', 'HEAD~1')[:8]}" in done.out
    for step in ("change it now", "Replace the remote", "memtree clone again"):
        assert step in done.out


def test_on_a_terminal_it_asks_and_no_means_no(machine: Machine) -> None:
    for answer, expected in (("n", NOTE), ("y", "[forgotten]\n")):
        lead, end = pty.openpty()
        process = subprocess.Popen(
            (*MEMTREE, "forget", "notes/door.md"), cwd=machine.path, stdin=end, stdout=end, stderr=end, env=environment()
        )
        try:
            os.close(end)
            os.write(lead, f"{answer}\n".encode())
            said = b""
            while True:
                try:
                    part = os.read(lead, 65536)
                except OSError:
                    break
                if not part:
                    break
                said += part
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
            os.close(lead)
        assert b"Forget it?" in said
        assert machine.read("notes/door.md") == expected.encode()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("forget",), 2, "nothing to forget was named"),
        (("forget", "."), 2, "whole workspace"),
        (("forget", "notes/gone.md"), 2, "there is no notes/gone.md"),
        (("forget", "notes/door.md:9"), 2, "has lines 1 to 6"),
        (("forget", "notes/door.md:6-3"), 2, "no range of lines"),
        (("forget", "--match", "Nowhere at all"), 2, "nothing of that stands"),
        (("forget", "--match", "ab"), 2, "too short"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_way_on(machine: Machine, words: tuple[str, ...], code: int, says: str) -> None:
    tip = machine.tip
    done = memtree(*words, cwd=machine.path, code=code)
    assert says in done.err
    assert machine.tip == tip


def test_a_file_whose_name_looks_like_lines_is_that_file(machine: Machine) -> None:
    machine.write("talk:12", "a whole talk\n")
    machine.save()
    memtree("forget", "talk:12", cwd=machine.path)
    assert machine.read("talk:12") == b"[forgotten]\n"
    assert machine.read("notes/door.md") == NOTE.encode()


def test_a_deleted_file_is_purged_by_the_name_it_had(machine: Machine) -> None:
    machine.remove("notes/door.md")
    machine.save()
    memtree("forget", "notes/door.md", "--purge", "--yes", cwd=machine.path)
    assert "The code is" not in machine.git("log", "-p", "--all")
