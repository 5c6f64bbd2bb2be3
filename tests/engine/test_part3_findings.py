"""Where a secret, a forgotten text or a user's line could slip through between the parts: staged, raced in, late, in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.arrivals import RefusedSettings
from memtree.engine.conflicts import OpenConflicts
from memtree.engine.forgetting import Target, forget
from memtree.engine.resolve import find, resolve
from memtree.engine.store.withholding import SecretWritten, StagedSecret
from memtree.engine.store.working_copy import PathBlocked
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

TOKEN = "ghp_" + "a1B2" * 9
TEXT = "".join(f"# Part {n}\n\nText of part {n}.\n\n" for n in range(6))
NOTE = "notes/d.md"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def changed(number: int, words: str, text: str = TEXT) -> str:
    return text.replace(f"Text of part {number}.", words)


def in_history(machine: Machine, value: str) -> bool:
    """Whether anything that a branch reaches holds a text."""
    reached = machine.git("rev-list", "--objects", "--no-object-names", "--branches")
    command = ("git", "cat-file", "--batch")
    return (
        value.encode() in subprocess.run(command, cwd=machine.path, input=reached.encode(), capture_output=True, check=True).stdout
    )


def behind(machines: Machines) -> Machine:
    """A machine whose next sync brings a change of the note's last part."""
    here, there = machines.pair({NOTE: TEXT})
    there.write(NOTE, changed(5, "Theirs."))
    there.sync()
    return here


def meet(machine: Machine, at: str, edit: str) -> None:
    """Edit the note behind the engine's back at one of its steps, once."""
    done: list[str] = []

    def observe(step: str, path: str) -> None:
        if step == at and path.endswith(NOTE) and not done:
            done.append(path)
            machine.write(NOTE, edit)

    machine.reopen(observe=observe)


# -- secrets


def test_a_secret_that_races_into_the_exchange_is_held(machines: Machines) -> None:
    a = behind(machines)
    meet(a, "exchange", changed(0, TOKEN))
    a.sync()
    assert TOKEN.encode() in a.read(NOTE)
    assert list(a.workspace.holds.all()) == [NOTE]
    assert not in_history(a, TOKEN)
    assert b"Theirs." in a.committed()[NOTE]
    a.write(NOTE, changed(0, "Ours."))
    a.sync()
    assert a.read(NOTE).decode() == changed(0, "Ours.", changed(5, "Theirs."))
    a.assert_sound()


def test_a_secret_that_races_into_a_deletion_is_held(machines: Machines) -> None:
    a, b = machines.pair({NOTE: TEXT, "k.md": "k\n"})
    os.unlink(b.full(NOTE))
    b.save()
    b.sync()
    temps, seen = a.workspace.places.temps, list[str]()

    def observe(step: str, path: str) -> None:
        if step == "rename" and path.startswith(temps) and not seen and os.path.exists(a.full(NOTE)):
            seen.append(path)
            a.write(NOTE, changed(0, TOKEN))

    a.reopen(observe=observe)
    a.sync()
    assert TOKEN.encode() in a.read(NOTE)
    assert not in_history(a, TOKEN)
    a.write(NOTE, changed(0, "Ours."))
    a.sync()
    assert a.committed()[NOTE].decode() == changed(0, "Ours.")


def test_a_staged_secret_is_not_committed_by_a_pull(machines: Machines) -> None:
    a = behind(machines)
    a.write(NOTE, changed(0, TOKEN))
    a.git("add", NOTE)
    a.write(NOTE, changed(0, "harmless"))
    with pytest.raises(StagedSecret) as raised:
        a.sync()
    assert TOKEN not in str(raised.value)
    assert not in_history(a, TOKEN)
    a.git("restore", "--staged", NOTE)
    a.sync()
    assert a.read(NOTE).decode() == changed(0, "harmless", changed(5, "Theirs."))


def test_a_secret_that_is_staged_and_on_the_disk_is_held_through_a_pull(machines: Machines) -> None:
    a = behind(machines)
    a.write(NOTE, changed(0, TOKEN))
    a.git("add", NOTE)
    a.sync()
    assert list(a.workspace.holds.all()) == [NOTE]
    assert TOKEN.encode() in a.read(NOTE)
    assert not in_history(a, TOKEN)


def test_a_save_of_what_is_staged_leaves_a_staged_secret(machines: Machines) -> None:
    a = machines.lonely({NOTE: TEXT})
    a.write(NOTE, changed(0, TOKEN))
    a.git("add", NOTE)
    a.write(NOTE, changed(0, "harmless"))
    a.write("other.md", "goes on\n")
    report = a.save(include_staged=True)
    assert [(left.path, TOKEN in left.reason) for left in report.survey.left] == [(NOTE, False)]
    assert a.committed()["other.md"] == b"goes on\n"
    assert not in_history(a, TOKEN)


def test_a_secret_that_an_editor_wrote_late_gets_a_file_of_its_own_and_is_held(machines: Machines) -> None:
    a = behind(machines)
    with open(a.full(NOTE), "r+b") as late:
        a.sync()
        late.write(f"# Part 0\n\n{TOKEN}\n".encode())
    a.reopen()
    report = a.save()
    (held,) = report.survey.held
    assert any(held.path in note for note in report.notes)
    assert TOKEN.encode() in a.read(held.path)
    assert TOKEN.encode() not in a.read(NOTE)
    assert not in_history(a, TOKEN)
    assert [note for note in a.save().notes if "late" in note] == []  # told once


def test_a_resolution_takes_no_secret_along(machines: Machines) -> None:
    a, b = machines.pair({"notes/d.txt": "base\n"})
    a.write("notes/d.txt", "aaa\n")
    a.sync()
    b.write("notes/d.txt", "bbb\n")
    b.sync()
    a.sync()
    (conflict,) = OpenConflicts(a.workspace.repo, a.workspace.places.folder).all()
    assert conflict.second is not None
    a.write(conflict.second, f"key {TOKEN}\n")
    before = a.tip
    with pytest.raises(SecretWritten) as raised:
        resolve(a.workspace, find(a.workspace, conflict.path, None), 2)
    assert TOKEN not in str(raised.value)
    assert a.tip == before
    assert not in_history(a, TOKEN)


# -- held files in the way


@pytest.mark.parametrize("tracked", [True, False])
def test_a_held_file_where_a_folder_must_be_is_told_and_nothing_waits_for_it(machines: Machines, *, tracked: bool) -> None:
    a, b = machines.pair({"k.md": "k\n"} | ({"notes/x": "base\n"} if tracked else {}))
    a.write("notes/x", f"base\n{TOKEN}\n")
    a.save()
    if tracked:
        os.unlink(b.full("notes/x"))
        b.save()
    b.write("notes/x/y.md", "y\n")
    b.sync()
    with pytest.raises(PathBlocked) as raised:
        a.sync()
    assert raised.value.path == "notes/x"
    assert not os.path.exists(a.workspace.places.journal)
    assert not in_history(a, TOKEN)
    a.write("k.md", "still saved\n")
    assert a.save().commit.changed
    os.rename(a.full("notes/x"), a.full("moved.md"))
    a.save()
    a.sync()
    assert a.read("notes/x/y.md") == b"y\n"
    assert TOKEN.encode() in a.read("moved.md")
    assert not in_history(a, TOKEN)


def test_a_held_file_in_a_folder_where_a_file_must_be_is_told(machines: Machines) -> None:
    a, b = machines.pair({"notes/x/h.md": "base\n", "k.md": "k\n"})
    a.write("notes/x/h.md", f"base\n{TOKEN}\n")
    a.save()
    os.unlink(b.full("notes/x/h.md"))
    os.rmdir(b.full("notes/x"))
    b.save()
    b.write("notes/x", "y\n")
    b.sync()
    with pytest.raises(PathBlocked):
        a.sync()
    assert not os.path.exists(a.workspace.places.journal)
    assert TOKEN.encode() in a.read("notes/x/h.md")


# -- forgetting


@pytest.mark.parametrize("purge", [True, False])
def test_what_is_staged_is_forgotten_before_it_could_be_committed(machines: Machines, *, purge: bool) -> None:
    a = machines.lonely({NOTE: TEXT})
    a.write(NOTE, changed(0, "My private words."))
    a.git("add", NOTE)
    forget(a.workspace, Target(text="My private words"), history=purge)
    assert not in_history(a, "My private words")
    assert b"[forgotten]" in a.read(NOTE)
    a.assert_sound()


# -- links and submodules


def test_a_link_stays_where_its_folder_was_when_it_would_leave_the_workspace(machines: Machines) -> None:
    a, b = machines.pair({"A/sub/one.md": "one text here\n", "A/sub/two.md": "two\n", "k.md": "k\n"})
    os.makedirs(a.full("S"))
    for name in ("one.md", "two.md"):
        os.rename(a.full(f"A/sub/{name}"), a.full(f"S/{name}"))
    os.rmdir(a.full("A/sub"))
    a.save()
    a.sync()
    os.symlink("../../k.md", b.full("A/sub/link"))
    b.write("A/sub/new.md", "new\n")
    b.sync()
    machines.settle()
    held = machines.assert_agreed()
    assert held["A/sub/link"] == b"../../k.md"
    assert held["S/new.md"] == b"new\n"


def make_submodule(machine: Machine) -> None:
    inner = machine.full("mod")
    if os.path.isfile(inner):
        os.unlink(inner)
    machine.git("init", "-q", inner)
    machine.git("-C", inner, "commit", "-q", "--allow-empty", "-m", "inner")
    machine.git("add", "mod")
    machine.git("commit", "-q", "-m", "a submodule")


def put_file_for_submodule(machine: Machine, text: str) -> None:
    machine.git("rm", "-q", "--cached", "mod")
    shutil.rmtree(machine.full("mod"))
    machine.write("mod", text)
    machine.git("add", "mod")
    machine.git("commit", "-q", "-m", "a file in its place")


def test_an_edit_of_a_file_that_became_a_submodule_is_kept(machines: Machines) -> None:
    a, b = machines.pair({"mod": "base\n", "k.md": "k\n"})
    a.write("mod", "edited\n")
    a.sync()
    make_submodule(b)
    b.sync()
    a.sync()
    b.sync()
    assert a.git("rev-parse", "HEAD^{tree}") == b.git("rev-parse", "HEAD^{tree}")
    assert b"edited\n" in a.committed().values()
    assert os.path.isdir(a.full("mod"))
    assert a.status() == []


def test_a_file_that_became_a_submodule_goes_and_one_that_took_its_place_comes(machines: Machines) -> None:
    a, b = machines.pair({"mod": "base\n", "k.md": "k\n"})
    make_submodule(b)
    b.sync()
    a.sync()
    assert (a.status(), os.path.isdir(a.full("mod"))) == ([], True)
    assert not a.save().commit.changed
    put_file_for_submodule(b, "a file again\n")
    b.sync()
    a.sync()
    assert a.read("mod") == b"a file again\n"
    assert a.status() == []
    assert RepoPath("mod") in a.committed()


def test_a_submodule_with_files_is_never_written_over(machines: Machines) -> None:
    a, b = machines.pair({"k.md": "k\n"})
    make_submodule(b)
    b.sync()
    a.sync()
    Path(a.full("mod/inner.txt")).write_text("somebody's work\n")
    put_file_for_submodule(b, "a file\n")
    b.sync()
    with pytest.raises(PathBlocked):
        a.sync()
    assert not os.path.exists(a.workspace.places.journal)
    assert Path(a.full("mod/inner.txt")).read_text() == "somebody's work\n"


@pytest.mark.parametrize("there", ["a folder", "another version"])
def test_a_link_that_leaves_the_workspace_is_not_committed_because_it_is_in_the_way(machines: Machines, there: str) -> None:
    a, b = machines.pair({"k.md": "k\n", "d.md": "d\n"})
    path = "dir" if there == "a folder" else "d.md"
    if os.path.exists(a.full(path)):
        os.unlink(a.full(path))
    os.symlink(str(machines.folder), a.full(path))
    b.write("dir/n.md" if there == "a folder" else path, "theirs\n")
    b.sync()
    with pytest.raises(PathBlocked) as raised:
        a.sync()
    assert raised.value.path == path
    os.unlink(a.full(path))
    machines.settle()
    assert b"theirs\n" in machines.assert_agreed().values()


# -- settings


@pytest.mark.parametrize("text", ["content = [broken\n", None])
def test_settings_that_would_end_the_workspace_are_an_alarm(machines: Machines, text: str | None) -> None:
    a, b = machines.pair({"k.md": "k\n"})
    before, good = a.tip, b.read("memtree.toml")
    if text is None:
        b.git("rm", "-q", "memtree.toml")
    else:
        b.write("memtree.toml", text)
    b.git("commit", "-q", "-a", "-m", "settings")
    b.git("push", "-q", "origin", "main")
    with pytest.raises(RefusedSettings):
        a.sync()
    assert a.tip == before
    b.write("memtree.toml", good)
    b.git("add", "memtree.toml")
    b.git("commit", "-q", "-m", "settings again")
    b.git("push", "-q", "origin", "main")
    a.sync()
    a.reopen().assert_sound()


def test_a_submodule_that_is_called_like_a_note_moves_like_any_other(machines: Machines) -> None:
    a, b = machines.pair({"k.md": "k\n"})
    make_submodule(b)
    b.git("mv", "mod", "mod.md")
    b.git("commit", "-q", "-m", "named like a note")
    b.sync()
    a.sync()
    b.git("mv", "mod.md", "other.md")
    b.git("commit", "-q", "-m", "moved")
    b.sync()
    a.write("k.md", "k\nmore\n")
    a.write("mod.md-notes.md", "new\n")
    a.git("rm", "-q", "--cached", "mod.md")
    a.git("commit", "-q", "-m", "gone here")
    a.sync()
    b.sync()
    assert a.git("rev-parse", "HEAD^{tree}") == b.git("rev-parse", "HEAD^{tree}")
