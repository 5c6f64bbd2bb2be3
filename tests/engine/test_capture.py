"""Capture: what was edited outside becomes a commit as it is, and what must not be committed is left and named."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine import capture as capture_module
from memtree.engine.capture import RootMissing
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.missing import LONGEST, SETTLE
from memtree.engine.store.store import Store
from memtree.tree.objects import ChangeKind
from support.gitrepo import GitRepo
from support.machines import Machine, Machines


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "one\n", "notes/b.md": "two\n"})


def kinds(machine: Machine, **choices: bool) -> dict[str, ChangeKind]:
    return {str(change.path): change.kind for change in machine.save(**choices).changes}


def left(machine: Machine, **choices: bool) -> dict[str, str]:
    """What a save leaves alone, by path, with the reason."""
    return {one.path: one.reason for one in machine.save(**choices).survey.left}


# -- what is captured


def test_adds_edits_and_deletes_are_one_commit(machine: Machine) -> None:
    machine.write("notes/new.md", "new\n")
    machine.write("notes/a.md", "edited\n")
    machine.remove("notes/b.md")
    before = machine.commits()
    assert kinds(machine) == {
        "notes/a.md": ChangeKind.MODIFIED,
        "notes/b.md": ChangeKind.DELETED,
        "notes/new.md": ChangeKind.ADDED,
    }
    assert machine.commits() == before + 1
    machine.assert_sound()


def test_a_save_of_nothing_makes_no_commit(machine: Machine) -> None:
    before = machine.tip
    os.utime(machine.full("notes/a.md"))
    report = machine.save()
    assert not report.commit.changed
    assert report.changes == ()
    assert machine.tip == before
    machine.assert_sound()


def test_a_commit_says_who_and_where(machine: Machine) -> None:
    machine.write("notes/a.md", "edited\n")
    machine.save("tidy up\n\nwith a body")
    message = machine.git("log", "-1", "--format=%B")
    assert message.startswith("tidy up\n\nwith a body\n")
    assert "\nMemtree-Writer: editor\n" in message
    assert f"Memtree-Device: {machine.workspace.device}" in message
    machine.write("notes/a.md", "again\n")
    machine.save()
    assert machine.subjects("-1") == ["save notes/a.md"]
    machine.workspace.write({machine.path_of("x.md"): b"x"}, "a message without trailers")
    assert machine.subjects("-1") == ["a message without trailers"]
    assert f"\n\nMemtree-Device: {machine.workspace.device}" in machine.git("log", "-1", "--format=%B")


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe\x00\x80 no text", b"crlf\r\nand lf\n", b"no end", b"\xef\xbb\xbfbom\n", b"\r", b"<<<<<<< is text\n"],
    ids=["empty", "binary", "line ends", "no line end", "byte order mark", "a lone return", "a marker"],
)
def test_bytes_are_kept_as_they_are(machine: Machine, data: bytes) -> None:
    for name in ("notes/x.md", "notes/x.bin", "notes/x.txt"):
        machine.write(name, data)
    machine.save()
    for name in ("notes/x.md", "notes/x.bin", "notes/x.txt"):
        assert machine.committed()[name] == data
        assert machine.read(name) == data
    assert machine.status() == []


@pytest.mark.parametrize(
    "name",
    [
        "notes/with space.md",
        "notes/Ünïcode – dash.md",
        "图/北京.md",
        "notes/😀.md",
        "notes/back\\slash.md",
        'notes/"quoted".md',
        "notes/What?.md",
        "notes/[[link]].md",
        "notes/-dash.md",
        "notes/ lead.md",
        "notes/trail .md",
        "notes/no extension",
        ".hidden.md",
        "notes/:colon*.md",
        "notes/" + "x" * 250 + ".md",
        "/".join(["deep"] * 30) + "/x.md",
        "notes/CON.md",
        "notes/.gitkeep",
    ],
)
def test_every_name_that_is_text_is_captured(machine: Machine, name: str) -> None:
    machine.write(name, f"text of {name}\n")
    assert kinds(machine) == {name: ChangeKind.ADDED}
    machine.assert_sound()


def test_names_that_differ_in_case_or_form_are_different_files(machine: Machine) -> None:
    names = ["Plan.md", "plan.md", unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")]
    for name in names:
        machine.write(name, f"{name.encode().hex()}\n")
    assert set(kinds(machine)) == set(names)
    machine.assert_sound()


def test_the_executable_bit_is_kept_and_changed(machine: Machine) -> None:
    machine.write("run.sh", "#!/bin/sh\n")
    os.chmod(machine.full("run.sh"), 0o755)
    machine.save()
    assert machine.git("ls-tree", "HEAD", "run.sh").startswith("100755")
    os.chmod(machine.full("run.sh"), 0o644)
    assert kinds(machine) == {"run.sh": ChangeKind.MODIFIED}
    assert machine.git("ls-tree", "HEAD", "run.sh").startswith("100644")
    machine.assert_sound()


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("a.md", True),
        ("../notes/a.md", True),
        ("nowhere", True),
        ("../..", False),
        ("../../outside", False),
        ("/etc/passwd", False),
        ("../.git/config", False),
        ("../.GIT/config", False),
        ("a.md/../../notes/a.md", False),  # a name before `..` may be a link itself, and then this is elsewhere
        ("./a.md", True),
    ],
)
def test_a_link_is_kept_only_while_it_stays_inside(machine: Machine, target: str, kept: bool) -> None:
    os.symlink(target, machine.full("notes/link"))
    found = machine.save()
    if kept:
        assert machine.committed()["notes/link"] == target.encode()
        machine.assert_sound()
    else:
        assert [(one.path, "leaves" in one.reason) for one in found.survey.left] == [("notes/link", True)]
        machine.assert_sound(uncommitted=("?? notes/link",))


def test_links_that_leave_only_together_are_not_kept(machine: Machine) -> None:
    for name, target in (("notes/up", ".."), ("out", "notes/up/../outside"), ("git", "notes/up/.git/config")):
        os.symlink(target, machine.full(name))
    found = machine.save()
    assert [one.path for one in found.survey.left] == ["git", "out"]
    assert machine.committed()["notes/up"] == b".."


def test_a_link_to_a_folder_is_a_link_and_not_what_is_behind_it(machine: Machine) -> None:
    os.symlink("notes", machine.full("again"))
    machine.save()
    assert machine.committed()["again"] == b"notes"
    assert "again/a.md" not in machine.committed()
    machine.assert_sound()


@pytest.mark.parametrize("folder", [False, True])
def test_a_file_may_become_a_link_or_a_folder_and_back(machine: Machine, folder: bool) -> None:
    machine.remove("notes/a.md")
    if folder:
        machine.write("notes/a.md/inner.md", "inner\n")
    else:
        os.symlink("b.md", machine.full("notes/a.md"))
    machine.save()
    machine.assert_sound()
    if folder:
        shutil.rmtree(machine.full("notes/a.md"))
    else:
        machine.remove("notes/a.md")
    machine.write("notes/a.md", "a file again\n")
    machine.save()
    assert machine.committed()["notes/a.md"] == b"a file again\n"
    machine.assert_sound()


def test_an_empty_folder_is_nothing(machine: Machine) -> None:
    os.makedirs(machine.full("empty/inside"))
    assert not machine.save().commit.changed
    machine.assert_sound()


def test_a_rename_keeps_the_content_and_shows_as_one(machine: Machine) -> None:
    machine.move("notes/a.md", "archive/2024/a.md")
    (change,) = machine.save().changes
    assert (change.kind, change.old_path, change.path) == (ChangeKind.RENAMED, "notes/a.md", "archive/2024/a.md")
    machine.assert_sound()


def test_folders_moved_in_and_out_are_followed(machine: Machine, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    for number in range(5):
        (outside / "deep" / f"{number}.md").write_text(f"{number}\n")
    shutil.move(outside, machine.full("moved-in"))
    assert set(kinds(machine)) == {f"moved-in/deep/{number}.md" for number in range(5)}
    shutil.move(machine.full("moved-in"), outside)
    assert set(kinds(machine).values()) == {ChangeKind.DELETED}
    machine.assert_sound()


def test_an_edit_of_the_same_size_in_the_same_second_is_seen(machine: Machine) -> None:
    """Git's own racy-clean trap: the stat data of the index must not hide it."""
    for number in range(10):
        machine.write("notes/a.md", f"{number}00\n")
        assert machine.save().commit.changed
        machine.assert_sound()


# -- how editors save


def vim(machine: Machine, path: str, data: str) -> Iterator[None]:
    """Probe, move to a backup, write anew, remove the backup."""
    folder = os.path.dirname(path)
    machine.write(os.path.join(folder, "4913"), "")
    machine.remove(os.path.join(folder, "4913"))
    machine.write(f"{folder}/.{os.path.basename(path)}.swp", "b0VIM")
    machine.move(path, path + "~")
    yield
    machine.write(path, data)
    yield
    machine.remove(path + "~")
    machine.remove(f"{folder}/.{os.path.basename(path)}.swp")


def by_rename(machine: Machine, path: str, data: str) -> Iterator[None]:
    machine.write(path + ".tmp", data[:1])
    yield
    machine.write(path + ".tmp", data)
    os.replace(machine.full(path + ".tmp"), machine.full(path))


def by_delete_and_create(machine: Machine, path: str, data: str) -> Iterator[None]:
    machine.remove(path)
    yield
    machine.write(path, data)


def emacs(machine: Machine, path: str, data: str) -> Iterator[None]:
    folder, name = os.path.split(path)
    os.symlink("ada@host.123:456", machine.full(f"{folder}/.#{name}"))
    machine.write(f"{folder}/#{name}#", data)
    yield
    machine.write(path, data)
    machine.remove(f"{folder}/#{name}#")
    machine.remove(f"{folder}/.#{name}")


Editor = Callable[[Machine, str, str], Iterator[None]]


@pytest.mark.parametrize("editor", [vim, by_rename, by_delete_and_create, emacs])
def test_an_editor_s_save_is_one_edit_also_when_it_is_watched(machine: Machine, editor: Editor) -> None:
    """B24: an automatic capture at every step of the save sees neither a deletion nor a temporary file."""
    before = machine.commits()
    for _ in editor(machine, "notes/a.md", "edited\n"):
        assert machine.workspace.capture_quietly() == []
        assert "notes/a.md" in machine.committed()
    machine.workspace.capture_quietly()
    assert machine.commits() == before + 1
    assert machine.committed()["notes/a.md"] == b"edited\n"
    assert set(machine.committed()) == {"memtree.toml", "notes/a.md", "notes/b.md"}
    assert {line for line in machine.git("log", "--format=", "--name-status").splitlines() if line.startswith("D")} == set()
    machine.assert_sound()


def test_an_automatic_capture_believes_a_deletion_after_a_while(machines: Machines, machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.write("notes/b.md", "edited\n")
    machine.workspace.capture_quietly()
    assert {"notes/a.md", "notes/b.md"} <= set(machine.committed())
    assert machine.committed()["notes/b.md"] == b"edited\n"
    machines.clock.tick(SETTLE / 2)
    machine.workspace.capture_quietly()
    assert "notes/a.md" in machine.committed()
    machines.clock.tick(SETTLE / 2)
    machine.reopen()
    machine.workspace.capture_quietly()
    assert "notes/a.md" not in machine.committed()
    machine.assert_sound()


def test_a_deletion_that_was_taken_back_starts_to_settle_anew(machines: Machines, machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.workspace.capture_quietly()
    machine.write("notes/a.md", "one\n")
    machines.clock.tick(10)
    machine.workspace.capture_quietly()
    machine.remove("notes/a.md")
    machines.clock.tick(10)
    machine.workspace.capture_quietly()
    assert "notes/a.md" in machine.committed()


def test_an_explicit_save_believes_a_deletion_at_once(machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.workspace.capture_quietly()
    assert kinds(machine) == {"notes/a.md": ChangeKind.DELETED}


def test_a_rename_needs_no_time_to_settle(machine: Machine) -> None:
    machine.move("notes/a.md", "notes/c.md")
    machine.workspace.capture_quietly()
    assert set(machine.committed()) == {"memtree.toml", "notes/b.md", "notes/c.md"}
    machine.assert_sound()


def test_the_time_to_settle_holds_when_the_clock_is_set_back(machines: Machines, machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.workspace.capture_quietly()
    machines.clock.tick(-1_000_000)
    machine.workspace.capture_quietly()
    machines.clock.tick(SETTLE)
    machine.workspace.capture_quietly()
    assert "notes/a.md" not in machine.committed()


def test_deletions_that_go_on_are_one(machines: Machines) -> None:
    """Each part of a slow `rm -rf` would be few enough; together they are an accident."""
    machine = machines.lonely({f"notes/{number}.md": f"{number}\n" for number in range(120)})
    for number in range(100):
        machine.remove(f"notes/{number}.md")
        if number % 20 == 19:
            machines.clock.tick(SETTLE / 2)
            machine.workspace.capture_quietly()
    machines.clock.tick(SETTLE)
    assert any("--allow-mass-delete" in note for note in machine.workspace.capture_quietly())
    assert len(machine.committed()) == 121


def test_what_deletes_all_the_time_keeps_no_deletion_waiting_for_ever(machines: Machines) -> None:
    machine = machines.lonely({f"notes/{number}.md": f"{number}\n" for number in range(200)})
    for number in range(int(LONGEST) + 1):
        machine.remove(f"notes/{number}.md")
        machine.workspace.capture_quietly()
        machines.clock.tick(1)
    assert "notes/0.md" not in machine.committed()


# -- what is left alone

TEMPORARY = [
    "notes/.a.md.swp",
    "notes/4913",
    "notes/a.md~",
    "notes/.#a.md",
    "notes/#a.md#",
    "notes/a.md.tmp",
    "notes/a.md.sb-1234-abcd",
    "notes/.~lock.a.odt#",
    "notes/~$a.docx",
    "notes/.DS_Store",
    ".obsidian/workspace.json",
    ".obsidian/workspace-mobile.json",
    ".trash/a.md",
]


def test_temporary_files_are_neither_captured_nor_shown(machine: Machine) -> None:
    for name in TEMPORARY:
        machine.write(name, "x")
    report = machine.save()
    assert (report.commit.changed, report.survey.left) == (False, ())
    machine.assert_sound()


def test_what_git_ignores_is_ignored_until_it_is_tracked(machine: Machine) -> None:
    machine.write(".gitignore", "private/\n*.log\n")
    machine.write("private/x.md", "x\n")
    machine.write("a.log", "x\n")
    assert set(kinds(machine)) == {".gitignore"}
    machine.git("add", "--force", "a.log")
    machine.git("commit", "--quiet", "-m", "by hand")
    machine.write("a.log", "edited\n")
    assert kinds(machine) == {"a.log": ChangeKind.MODIFIED}
    machine.assert_sound()


def test_what_memtreeignore_names_is_left_alone_also_when_it_is_tracked(machine: Machine) -> None:
    machine.write(".memtreeignore", "# mine\n\ndrafts/\n/notes/b.md\n*.raw\n!keep.raw\n")
    for name in ("drafts/x.md", "x.raw", "keep.raw"):
        machine.write(name, "x\n")
    machine.write("notes/b.md", "edited\n")
    assert set(kinds(machine)) == {".memtreeignore", "keep.raw"}
    machine.assert_sound(uncommitted=(" M notes/b.md", "?? drafts/x.md", "?? x.raw"))
    machine.remove("notes/b.md")
    assert kinds(machine) == {}
    machine.write(".memtreeignore", "drafts/\n")
    assert set(kinds(machine)) == {".memtreeignore", "x.raw", "notes/b.md"}


def test_a_large_file_is_listed_and_not_captured(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture_module, "LARGE", 2**20)
    machine.write("big.bin", b"x" * (2**20 + 1))
    machine.write("fits.bin", b"x" * 2**20)
    assert left(machine) == {"big.bin": "larger than 1 MB"}
    assert "fits.bin" in machine.committed()
    machine.assert_sound(uncommitted=("?? big.bin",))


def test_pipes_and_sockets_are_never_read(machine: Machine) -> None:
    os.mkfifo(machine.full("notes/pipe"))
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(machine.full("notes"), os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/sock")
        os.close(here)
        machine.write("notes/a.md", "edited\n")
        assert kinds(machine) == {"notes/a.md": ChangeKind.MODIFIED}
    machine.assert_sound()


def test_a_note_that_became_a_pipe_is_named_and_not_a_deletion(machine: Machine) -> None:
    machine.remove("notes/a.md")
    os.mkfifo(machine.full("notes/a.md"))
    report = machine.save()
    assert "notes/a.md" in machine.committed()
    assert [one.path for one in report.survey.left] == ["notes/a.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named_and_the_rest_goes_on(machine: Machine) -> None:
    machine.write("secret.md", "x\n")
    os.chmod(machine.full("secret.md"), 0)
    machine.write("notes/a.md", "edited\n")
    assert left(machine) == {"secret.md": "not readable"}
    assert machine.committed()["notes/a.md"] == b"edited\n"


def test_a_name_that_is_not_utf_8_is_named_and_the_rest_goes_on(machine: Machine) -> None:
    with open(os.path.join(os.fsencode(machine.path), b"notes", b"caf\xe9.md"), "wb") as file:
        file.write(b"x\n")
    machine.write("notes/a.md", "edited\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/a.md"]
    assert [(one.path, "UTF-8" in one.reason) for one in report.survey.left] == [("notes/caf?.md", True)]


@pytest.mark.parametrize("with_commits", [False, True])
def test_a_nested_repository_is_skipped_and_named(machine: Machine, with_commits: bool) -> None:
    inner = GitRepo(machine.full("project"))
    inner.write("x.md", "x\n")
    if with_commits:
        inner.commit()
    machine.write("notes/a.md", "edited\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/a.md"]
    assert [one.reason for one in report.survey.left] == ["a nested repository"]
    assert report.survey.left[0].path.startswith("project")


def test_a_submodule_keeps_its_commit(machine: Machine, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "other")
    other.write("x.md", "x\n")
    other.commit()
    machine.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "sub")
    machine.git("commit", "--quiet", "-m", "a submodule")
    before = machine.git("ls-tree", "HEAD", "sub")
    machine.write("sub/x.md", "edited inside\n")
    machine.write("notes/a.md", "edited\n")
    machine.save()
    assert machine.git("ls-tree", "HEAD", "sub") == before
    assert machine.status() == [" M sub"]


def test_a_cloud_placeholder_is_not_a_deletion(machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.write("notes/.a.md.icloud", b"bplist00")
    assert not machine.save().commit.changed
    assert "notes/a.md" in machine.committed()
    machine.remove("notes/.a.md.icloud")
    assert kinds(machine) == {"notes/a.md": ChangeKind.DELETED}


def test_a_sparse_checkout_is_not_a_deletion(machine: Machine) -> None:
    machine.write("other/x.md", "x\n")
    machine.save()
    machine.git("sparse-checkout", "set", "other")
    assert not os.path.exists(machine.full("notes/a.md"))
    machine.write("other/x.md", "edited\n")
    assert kinds(machine) == {"other/x.md": ChangeKind.MODIFIED}
    assert "notes/a.md" in machine.committed()


# -- the user's own git work


def test_staged_files_stay_staged(machine: Machine) -> None:
    machine.write("notes/a.md", "staged\n")
    machine.write("notes/staged-new.md", "staged\n")
    machine.git("add", "notes")
    machine.write("notes/b.md", "edited\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/b.md"]
    assert report.survey.staged == ("notes/a.md", "notes/staged-new.md")
    machine.assert_sound(uncommitted=("A  notes/staged-new.md", "M  notes/a.md"))
    machine.save(include_staged=True)
    machine.assert_sound()


def test_a_staged_version_survives_a_further_edit(machine: Machine) -> None:
    machine.write("notes/a.md", "staged\n")
    machine.git("add", "notes/a.md")
    machine.write("notes/a.md", "edited after\n")
    machine.save(include_staged=True)
    machine.assert_sound()
    assert machine.git("log", "--format=%h", "-S", "staged", "--", "notes/a.md") != ""
    assert machine.committed()["notes/a.md"] == b"edited after\n"


def test_intent_to_add_is_no_obstacle(machine: Machine) -> None:
    machine.write("notes/new.md", "new\n")
    machine.git("add", "--intent-to-add", "notes/new.md")
    machine.save(include_staged=True)
    assert "notes/new.md" in machine.committed()
    machine.assert_sound()


def test_unmerged_entries_are_left_to_the_user(machine: Machine) -> None:
    machine.write("notes/a.md", "stashed\n")
    machine.git("stash", "--quiet")
    machine.write("notes/a.md", "edited\n")
    machine.save()
    with pytest.raises(AssertionError):
        machine.git("stash", "pop")
    assert machine.status() == ["UU notes/a.md"]
    machine.write("notes/b.md", "edited too\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/b.md"]
    assert [(one.path, "unmerged" in one.reason) for one in report.survey.left] == [("notes/a.md", True)]
    assert machine.status() == ["UU notes/a.md"]


def test_a_commit_by_hand_in_between_is_built_upon(machine: Machine) -> None:
    machine.write("notes/a.md", "by hand\n")
    machine.git("commit", "--quiet", "-am", "by hand")
    machine.write("notes/b.md", "edited\n")
    machine.save()
    assert machine.subjects("-2") == ["save notes/b.md", "by hand"]
    machine.assert_sound()
    machine.git("reset", "--quiet", "--hard", "HEAD~2")
    machine.assert_sound()
    machine.write("notes/c.md", "c\n")
    machine.save()
    machine.assert_sound()


# -- guarding against accidents


def many(machine: Machine, count: int) -> list[str]:
    names = [f"many/{number:03}.md" for number in range(count)]
    for name in names:
        machine.write(name, f"{name}\n")
    machine.save()
    return names


def test_a_mass_deletion_halts_until_it_is_meant(machine: Machine) -> None:
    """B35, B8: an emptied folder is not read as "the user deleted everything"."""
    many(machine, 30)
    before = machine.tip
    shutil.rmtree(machine.full("many"))
    machine.write("notes/a.md", "edited\n")
    for _ in range(2):
        with pytest.raises(MassDeletion) as caught:
            machine.save()
        assert "--allow-mass-delete" in caught.value.hint
        assert (caught.value.gone, caught.value.total) == (30, 33)
    assert "--allow-mass-delete" in " ".join(machine.workspace.capture_quietly())
    assert machine.tip == before
    machine.save(allow_mass_delete=True)
    assert set(machine.committed()) == {"memtree.toml", "notes/a.md", "notes/b.md"}
    machine.assert_sound()


@pytest.mark.parametrize(("total", "gone", "halts"), [(40, 20, False), (40, 21, True), (100, 25, False), (100, 27, True)])
def test_the_guard_counts_files_and_their_share(machine: Machine, total: int, gone: int, halts: bool) -> None:
    for name in many(machine, total)[:gone]:
        machine.remove(name)
    if halts:
        with pytest.raises(MassDeletion):
            machine.save()
    else:
        assert len(machine.save().changes) == gone


def test_a_moved_folder_is_not_a_mass_deletion(machine: Machine) -> None:
    many(machine, 40)
    machine.move("many", "archive/many")
    assert {change.kind for change in machine.save().changes} == {ChangeKind.RENAMED}
    machine.assert_sound()


def test_new_files_do_not_hide_a_mass_deletion(machine: Machine) -> None:
    many(machine, 40)
    shutil.rmtree(machine.full("many"))
    for number in range(40):
        machine.write(f"other/{number}.md", f"quite other {number}\n")
    with pytest.raises(MassDeletion):
        machine.save()


def test_a_root_that_vanished_halts(machine: Machine) -> None:
    os.rename(machine.path, machine.path + "-away")
    try:
        with pytest.raises(RootMissing, match=re.escape(machine.path)):
            machine.save()
    finally:
        os.rename(machine.path + "-away", machine.path)
    machine.assert_sound()


# -- size, damage and haste


def test_a_thousand_new_files_are_one_quick_commit(machine: Machine) -> None:
    for number in range(1_000):
        machine.write(f"bulk/{number % 16:02}/{number}.md", f"note {number % 900}\n")
    before = machine.commits()
    assert len(machine.save().changes) == 1_000
    assert machine.commits() == before + 1
    assert int(machine.git("count-objects").split()[0]) < 200
    machine.assert_sound()


def test_the_engine_s_folder_may_vanish_at_any_time(machine: Machine) -> None:
    def forget() -> None:
        shutil.rmtree(machine.full(".git/memtree"))

    machine.write("notes/a.md", "first edit\n")
    forget()
    machine.save()
    machine.assert_sound()
    forget()
    assert machine.found("first edit") == ["notes/a.md"]
    machine.write("notes/a.md", "second edit\n")
    forget()
    assert machine.found("second") == ["notes/a.md"]
    forget()
    machine.reopen()
    assert machine.found("second") == ["notes/a.md"]
    forget()
    machine.remove("notes/a.md")
    machine.workspace.capture_quietly()
    machine.assert_sound(uncommitted=(" D notes/a.md",))


def test_capture_while_files_change_loses_no_last_version(machine: Machine) -> None:
    """A writer saves all the time; whatever was captured in between, the last text is committed and git agrees."""
    stop = threading.Event()

    def scribble() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            for name in ("notes/a.md", "notes/busy.md"):
                machine.write(name + ".tmp", f"version {number}\n" * 50)
                os.replace(machine.full(name + ".tmp"), machine.full(name))
            if number % 5 == 0:
                machine.remove("notes/busy.md")

    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        for _ in range(15):
            machine.save()
    finally:
        stop.set()
        writer.join()
    machine.save()
    machine.assert_sound()


def test_the_index_keeps_its_version_and_flags(machine: Machine) -> None:
    machine.git("update-index", "--index-version", "4")
    machine.write("notes/c.md", "c\n")
    machine.save()
    assert machine.git("rev-parse", "HEAD") == machine.tip
    assert (Path(machine.path) / ".git" / "index").read_bytes()[4:8] == b"\0\0\0\4"
    machine.assert_sound()


def test_two_processes_that_save_at_once_both_finish(machine: Machine) -> None:
    for number in range(40):
        machine.write(f"par/{number}.md", f"{number}\n")
    code = (
        "import sys; from memtree.engine.workspace import Workspace\n"
        "with Workspace.open(sys.argv[1]) as w:\n"
        "    for _ in range(3): w.save()\n"
    )
    running = [subprocess.Popen((sys.executable, "-c", code, machine.path), stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate()[1] for process in running] == [b"", b"", b""]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert machine.subjects().count("save 40 files") == 1
    machine.assert_sound()


def test_a_failing_capture_leaves_everything_as_it_was(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write("notes/a.md", "edited\n")
    before = machine.tip
    monkeypatch.setattr(Store, "_commit_to", _disk_is_full)
    with pytest.raises(OSError, match="No space"):
        machine.save()
    monkeypatch.undo()
    assert machine.tip == before
    assert machine.read("notes/a.md") == b"edited\n"
    machine.assert_sound(uncommitted=(" M notes/a.md",))
    machine.save()
    machine.assert_sound()


def _disk_is_full(*_: object) -> None:
    raise OSError(28, "No space left on device")
