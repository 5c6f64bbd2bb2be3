"""Workspace: what was just saved is found, the index follows wherever the branch goes, and nothing that was is out of reach."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.store.report import WrongBranch
from memtree.engine.store.working_copy import PathBlocked
from memtree.engine.workspace import RestoreReport
from memtree.indexers.query import Query
from memtree.tree.errors import Error, UserError
from memtree.tree.objects import ChangeKind, Entry
from memtree.tree.paths import InvalidPath, RepoPath
from support.gitrepo import GitRepo
from support.machines import Machine, Machines


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "apple\n", "notes/b.md": "berry\n"})


# -- search is never behind


def test_an_edit_is_found_by_the_next_search(machine: Machine) -> None:
    assert machine.found("apple") == ["notes/a.md"]
    machine.write("notes/a.md", "cherry\n")
    assert machine.found("cherry") == ["notes/a.md"]
    assert machine.found("apple") == []
    machine.write("notes/new.md", "cherry\n")
    assert machine.found("cherry") == ["notes/a.md", "notes/new.md"]
    machine.assert_sound()


def test_the_index_follows_deletes_and_renames(machine: Machine) -> None:
    machine.found("apple")
    machine.move("notes/a.md", "moved/a.md")
    assert machine.found("apple") == ["moved/a.md"]
    machine.remove("moved/a.md")
    machine.save()
    assert machine.found("apple") == []


def test_the_index_follows_a_pull_and_a_merge(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "apple\n"})
    assert b.found("apple") == ["a.md"]
    a.write("a.md", "cherry\n")
    a.sync()
    b.write("a.md", "banana\n")
    b.sync()
    assert len(b.found("cherry")) == len(b.found("banana")) == 1
    assert b.found("apple") == []


def test_the_index_follows_a_switch_of_branches_and_a_checkout(machine: Machine) -> None:
    machine.git("switch", "--quiet", "-c", "other")
    machine.write("notes/a.md", "only on the other branch: quince\n")
    machine.git("commit", "--quiet", "-am", "other")
    assert machine.found("quince") == ["notes/a.md"]
    machine.git("switch", "--quiet", "main")
    assert machine.found("quince") == []
    assert machine.found("apple") == ["notes/a.md"]
    machine.git("checkout", "--quiet", "--detach", "other")
    assert machine.found("quince") == ["notes/a.md"]
    machine.git("switch", "--quiet", "main")
    machine.git("reset", "--quiet", "--hard", "HEAD~1")
    assert machine.found("apple") == []


@pytest.mark.parametrize("harm", ["removed", "emptied", "garbage", "truncated"])
@pytest.mark.parametrize("reopened", [False, True])
def test_a_damaged_index_is_built_again(machine: Machine, harm: str, reopened: bool) -> None:
    assert machine.found("apple") == ["notes/a.md"]
    folder = Path(machine.workspace.places.search)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    if harm == "removed":
        shutil.rmtree(folder)
    for path in files:
        if harm == "emptied":
            path.unlink()
        elif harm == "garbage":
            path.write_bytes(b"\xff garbage")
        elif harm == "truncated":
            path.write_bytes(path.read_bytes()[:7])
    if reopened:
        machine.reopen()
    machine.write("notes/a.md", "apple pie\n")
    assert machine.found("apple") == ["notes/a.md"]
    assert machine.found("berry") == ["notes/b.md"]


def test_a_search_that_must_not_capture_answers_from_the_last_commit(machine: Machine) -> None:
    machine.write("notes/a.md", "cherry\n")
    assert machine.found("apple", capture=False) == ["notes/a.md"]
    machine.assert_sound(uncommitted=(" M notes/a.md",))


def test_what_left_the_scope_is_no_longer_found(machine: Machine) -> None:
    assert machine.found("apple") == ["notes/a.md"]
    machine.write(".memtreeignore", "notes/a.md\n")
    assert machine.found("apple") == []
    machine.write(".memtreeignore", "")
    assert machine.found("apple") == ["notes/a.md"]


def test_words_of_any_kind_are_a_question_and_never_an_error(machine: Machine) -> None:
    for text in ("", " ", '"', "a AND", "(", "*", "~/x", "\x00", "apple OR", "[x", "é" * 1000, "path:notes", "+-"):
        machine.found(text)


# -- restoring


def entries(report: RestoreReport) -> dict[str, ChangeKind]:
    return {str(change.path): change.kind for change in report.changes}


def test_a_file_comes_back_as_it_was(machine: Machine) -> None:
    old = machine.workspace.resolve("HEAD")
    machine.write("notes/a.md", "cherry\n")
    machine.save()
    report = machine.workspace.restore(RepoPath("notes/a.md"), old)
    assert entries(report) == {"notes/a.md": ChangeKind.MODIFIED}
    assert machine.read("notes/a.md") == b"apple\n"
    assert machine.found("apple") == ["notes/a.md"]
    assert machine.subjects("-1") == [f"restore notes/a.md as of {old[:10]}"]
    machine.assert_sound()
    assert not machine.workspace.restore(RepoPath("notes/a.md"), old).commit.changed


def test_an_uncommitted_edit_is_committed_before_the_file_comes_back(machine: Machine) -> None:
    old = machine.workspace.resolve("HEAD")
    machine.write("notes/a.md", "never saved\n")
    machine.workspace.restore(RepoPath("notes/a.md"), old)
    assert machine.read("notes/a.md") == b"apple\n"
    assert machine.committed("HEAD~1")["notes/a.md"] == b"never saved\n"
    machine.assert_sound()


def test_a_staged_edit_is_in_history_before_the_file_comes_back(machine: Machine) -> None:
    old = machine.workspace.resolve("HEAD")
    machine.write("notes/a.md", "staged\n")
    machine.git("add", "notes/a.md")
    machine.workspace.restore(RepoPath("notes/a.md"), old)
    assert machine.read("notes/a.md") == b"apple\n"
    assert machine.git("log", "--format=%h", "-S", "staged", "--", "notes/a.md") != ""
    assert "notes/a.md" in machine.disk()
    machine.assert_sound()


def test_a_deleted_file_and_a_whole_folder_come_back(machine: Machine) -> None:
    old = machine.workspace.resolve("HEAD")
    os.chmod(machine.full("notes/b.md"), 0o755)
    machine.save()
    executable = machine.workspace.resolve("HEAD")
    shutil.rmtree(machine.full("notes"))
    machine.write("notes", "a file in place of the folder\n")
    machine.save()
    machine.remove("notes")
    machine.workspace.restore(RepoPath("notes"), executable)
    assert machine.read("notes/a.md") == b"apple\n"
    assert os.stat(machine.full("notes/b.md")).st_mode & 0o100
    machine.assert_sound()
    machine.workspace.restore(RepoPath("notes/b.md"), old)
    assert not os.stat(machine.full("notes/b.md")).st_mode & 0o100
    machine.assert_sound()


def test_what_was_wiped_out_comes_back_although_the_wipe_looks_like_an_accident(machine: Machine) -> None:
    """The guard that halts a capture must not halt the remedy."""
    for number in range(40):
        machine.write(f"many/{number}.md", f"{number}\n")
    machine.save()
    tip = machine.workspace.resolve("HEAD")
    shutil.rmtree(machine.full("many"))
    machine.remove("notes/a.md")
    with pytest.raises(MassDeletion):
        machine.save()
    machine.workspace.restore(RepoPath("many"), tip)
    assert len(os.listdir(machine.full("many"))) == 40
    machine.assert_sound(uncommitted=(" D notes/a.md",))


def test_restoring_what_was_not_there_says_so(machine: Machine) -> None:
    with pytest.raises(UserError, match="does not exist at"):
        machine.workspace.restore(RepoPath("nowhere.md"), machine.workspace.resolve("HEAD"))


def test_restoring_the_root_brings_everything_back(machine: Machine) -> None:
    old = machine.workspace.resolve("HEAD")
    machine.remove("notes/a.md")
    machine.write("notes/b.md", "changed\n")
    machine.write("notes/c.md", "new\n")
    machine.save()
    machine.workspace.restore(machine.workspace.path(".", cwd=machine.path), old)
    assert machine.notes() == {"notes/a.md": b"apple\n", "notes/b.md": b"berry\n", "notes/c.md": b"new\n"}
    machine.assert_sound()


# -- undoing

Edit = Callable[[Machine], None]


def several(machine: Machine) -> None:
    machine.write("notes/a.md", "x\n")
    machine.remove("notes/b.md")
    machine.write("c.md", "c\n")


UNDONE: dict[str, Edit] = {
    "an add": lambda machine: machine.write("notes/new.md", "new\n"),
    "an edit": lambda machine: machine.write("notes/a.md", "edited\n"),
    "a delete": lambda machine: machine.remove("notes/a.md"),
    "a rename": lambda machine: machine.move("notes/a.md", "elsewhere/a.md"),
    "a mode": lambda machine: os.chmod(machine.full("notes/a.md"), 0o755),
    "several": several,
}


@pytest.mark.parametrize("case", UNDONE)
def test_a_commit_is_taken_back_by_a_new_one(machine: Machine, case: str) -> None:
    before = machine.disk()
    UNDONE[case](machine)
    machine.save()
    after = machine.disk()
    report = machine.workspace.undo(machine.workspace.resolve("HEAD"))
    assert report.conflicts == ()
    assert machine.disk() == before
    machine.assert_sound()
    machine.workspace.undo(machine.workspace.resolve("HEAD"))
    assert machine.disk() == after
    machine.assert_sound()


def test_an_old_commit_is_taken_back_under_newer_ones(machine: Machine) -> None:
    machine.write("notes/a.md", "edited\n")
    machine.save()
    old = machine.workspace.resolve("HEAD")
    machine.write("notes/b.md", "edited later\n")
    machine.save()
    machine.workspace.undo(old)
    assert machine.notes() == {"notes/a.md": b"apple\n", "notes/b.md": b"edited later\n"}
    machine.assert_sound()


def test_undoing_what_changed_since_keeps_both(machine: Machine) -> None:
    machine.write("notes/a.md", "edited\n")
    machine.save()
    old = machine.workspace.resolve("HEAD")
    machine.write("notes/a.md", "edited again\n")
    report = machine.workspace.undo(old)
    assert len(report.conflicts) == 1
    assert {b"edited again", b"apple"} <= machine.lines()
    machine.assert_sound()


def test_undoing_a_delete_does_not_overwrite_what_took_its_place(machine: Machine) -> None:
    machine.remove("notes/a.md")
    machine.save()
    deleted = machine.workspace.resolve("HEAD")
    machine.write("notes/a.md", "another note\n")
    machine.workspace.undo(deleted)
    assert {b"another note", b"apple"} <= machine.lines()
    machine.assert_sound()


def test_undoing_a_rename_of_what_was_edited_since_loses_nothing(machine: Machine) -> None:
    machine.move("notes/a.md", "notes/z.md")
    machine.save()
    renamed = machine.workspace.resolve("HEAD")
    machine.write("notes/z.md", "edited\n")
    machine.workspace.undo(renamed)
    assert {b"edited\n", b"apple\n"} <= set(machine.notes().values())
    machine.assert_sound()


def test_a_merge_is_taken_back(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "apple\n"})
    a.write("from-a.md", "a\n")
    a.sync()
    b.write("from-b1.md", "b\n")
    b.write("from-b2.md", "b\n")
    b.save()
    ours = b.disk()
    b.sync()
    b.workspace.undo(b.workspace.resolve("HEAD"))
    assert b.disk() == ours
    b.sync()
    a.sync()
    machines.assert_agreed()


def test_the_commit_that_made_the_workspace_is_not_undone(machine: Machine) -> None:
    root = machine.workspace.resolve(machine.git("rev-list", "--max-parents=0", "HEAD"))
    with pytest.raises(UserError):
        machine.workspace.undo(root)
    machine.reopen().assert_sound()


# -- writers


def test_a_writer_s_text_and_an_outside_edit_are_both_kept(machine: Machine) -> None:
    path = RepoPath("notes/a.md")
    base = machine.workspace.repo.entry(machine.workspace.resolve("HEAD"), path)
    machine.write("notes/a.md", "edited outside\n")
    report = machine.workspace.write({path: b"written\n"}, "write\n\nMemtree-Writer: cli\n", bases={path: base})
    assert report.outside_edits == (path,)
    assert {b"edited outside", b"written"} <= machine.lines()
    machine.assert_sound()


@pytest.mark.parametrize("kind", ["link", "link outside", "folder", "program"])
def test_a_writer_s_text_in_place_of_something_else_is_a_file(machine: Machine, tmp_path: Path, kind: str) -> None:
    """Never a link with the text as its target, nor written through the link; a folder keeps its name."""
    (tmp_path / "outside.md").write_bytes(b"outside\n")
    path = {"folder": "notes", "program": "run.sh"}.get(kind, "link.md")
    if kind == "program":
        machine.write(path, "echo\n")
        os.chmod(machine.full(path), 0o755)
    elif kind != "folder":
        os.symlink("notes/a.md" if kind == "link" else str(tmp_path / "outside.md"), machine.full(path))
        machine.git("add", path)
        machine.git("commit", "--quiet", "-m", "a link of the user's")
    machine.save()
    machine.workspace.write({machine.path_of(path): b"text\n"}, "write\n\nMemtree-Writer: cli\n")
    held = [name for name, data in machine.disk().items() if data == b"text\n"]
    assert len(held) == 1
    assert held == [path] or kind == "folder"
    assert not os.path.islink(machine.full(held[0]))
    assert os.access(machine.full(held[0]), os.X_OK) == (kind == "program")
    assert machine.read("notes/a.md") == b"apple\n"
    assert (tmp_path / "outside.md").read_bytes() == b"outside\n"
    machine.assert_sound()


def test_a_writer_does_not_write_over_a_submodule(machine: Machine, tmp_path: Path) -> None:
    other = GitRepo(tmp_path / "other")
    other.commit("inside")
    machine.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "sub")
    machine.git("commit", "--quiet", "-m", "a submodule")
    tip = machine.tip
    with pytest.raises(PathBlocked, match="submodule"):
        machine.workspace.write({machine.path_of("sub"): b"text\n"}, "write\n\nMemtree-Writer: cli\n")
    assert machine.tip == tip
    machine.assert_sound()


def test_a_writer_that_read_the_present_state_changes_it(machine: Machine) -> None:
    path = RepoPath("notes/deep/er/new.md")
    machine.workspace.write({path: b"one\n"}, "write")
    assert machine.read(path) == b"one\n"
    machine.workspace.write({path: b"two\n", RepoPath("notes/a.md"): None}, "write")
    assert machine.notes() == {"notes/b.md": b"berry\n", "notes/deep/er/new.md": b"two\n"}
    machine.assert_sound()
    base: Entry | None = machine.workspace.repo.entry(machine.workspace.resolve("HEAD~1"), path)
    assert base is not None


# -- paths as a person types them


def test_paths_are_meant_from_the_current_folder_or_from_the_root(machine: Machine, tmp_path: Path) -> None:
    path = machine.workspace.path
    assert path("a.md", cwd=machine.full("notes")) == "notes/a.md"
    assert path("../notes/a.md", cwd=machine.full("notes")) == "notes/a.md"
    assert path("notes/a.md", cwd=machine.path) == "notes/a.md"
    assert path("notes/a.md", cwd=str(tmp_path)) == "notes/a.md"
    assert path(machine.full("notes/a.md"), cwd=str(tmp_path)) == "notes/a.md"
    assert path(".", cwd=machine.path) == ""
    assert path("no/such/file.md", cwd=machine.path) == "no/such/file.md"
    os.symlink(machine.path, tmp_path / "alias")
    assert path(str(tmp_path / "alias" / "notes" / "a.md"), cwd=str(tmp_path)) == "notes/a.md"


@pytest.mark.parametrize("text", ["/etc/passwd", "../outside.md", "../../x", ".git/config", "notes/../.git/config", "a\nb"])
def test_a_path_outside_is_refused(machine: Machine, text: str) -> None:
    with pytest.raises(InvalidPath):
        machine.workspace.path(text, cwd=machine.path)


# -- another branch, no branch, no commit


def test_an_unborn_branch_is_a_workspace_like_any_other(machine: Machine) -> None:
    machine.git("switch", "--quiet", "--orphan", "main2")
    machine.git("branch", "-D", "main")
    machine.git("symbolic-ref", "HEAD", "refs/heads/main")
    machine.write("memtree.toml", "")
    machine.reopen()
    report = machine.workspace.search(Query("x"), capture=False)
    assert (report.hits, report.commit) == ((), None)
    assert "nothing has been saved" in report.notes[-1]
    machine.write("first.md", "first\n")
    machine.save()
    assert machine.found("first") == ["first.md"]
    machine.assert_sound()


@pytest.mark.parametrize("where", ["a detached HEAD", "other"])
def test_elsewhere_it_reads_and_searches_but_commits_nothing(machine: Machine, where: str) -> None:
    if where == "other":
        machine.git("switch", "--quiet", "-c", "other")
    else:
        machine.git("checkout", "--quiet", "--detach")
    machine.write("notes/a.md", "edited there\n")
    before = machine.tip
    assert machine.found("apple") == ["notes/a.md"]
    (note,) = machine.workspace.capture_quietly()
    assert where in note
    for verb in (machine.save, lambda: machine.workspace.write({RepoPath("x.md"): b"x"}, "x")):
        with pytest.raises(WrongBranch) as caught:
            verb()
        assert "git switch main" in caught.value.hint
    assert machine.tip == before
    assert machine.status() == [" M notes/a.md"]


def test_a_state_folder_that_was_removed_is_made_again_by_a_search(machine: Machine) -> None:
    assert machine.found("apple") == ["notes/a.md"]
    state = machine.full(".git/memtree")
    os.rename(state, f"{state}-gone")
    assert machine.found("apple", capture=False) == ["notes/a.md"]
    assert os.path.isdir(state)


def test_where_a_workspace_was_taken_away_nothing_is_made(machine: Machine, tmp_path: Path) -> None:
    """A disk was unmounted, or the folder moved, in the middle of work: what comes back must find its place free."""
    workspace, away = machine.workspace, tmp_path / "away"
    assert machine.found("apple") == ["notes/a.md"]
    machine.write("notes/a.md", "cherry\n")
    os.rename(machine.path, away)
    for work in (workspace.save, workspace.refresh_index, lambda: workspace.store.exclusive().__enter__(), workspace.index().clear):
        try:
            work()
        except (Error, OSError):
            pass
        assert not os.path.exists(machine.path)
    os.rename(away, machine.path)
    assert machine.found("cherry") == ["notes/a.md"]
    machine.assert_sound()
