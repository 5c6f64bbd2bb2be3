"""Alarms of a sync: what looks like an accident changes nothing here until a person says that it was meant."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.arrivals import RefusedPaths, UncommittedOutside, UnrelatedHistory
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.store.report import GitBusy, WrongBranch
from memtree.engine.store.working_copy import PathBlocked
from memtree.engine.transport import RemoteBranchGone, RemoteRewritten
from memtree.engine.workspace import Workspace
from memtree.tree.errors import UserError
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, bare, committed, stamps


@pytest.fixture(autouse=True)
def _without_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched is no part of a sync, and takes much of its time."""
    monkeypatch.setattr(Workspace, "refresh_index", lambda self, progress=None: [])


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def assert_nothing_happens(machine: Machine, error: type[Exception], **choices: bool) -> Exception:
    """A sync raises, and files, branch and status are as before; also a second time."""
    before, tip, status = stamps(machine.path), machine.tip, machine.status()
    for _ in range(2):
        with pytest.raises(error) as caught:
            machine.sync(**choices)
        assert (stamps(machine.path), machine.tip, machine.status()) == (before, tip, status)
        machine.assert_whole()
    return caught.value


def rewrite(machines: Machines, tmp_path: Path, edit: Callable[[GitRepo], None]) -> None:
    """Somebody replaces the last commit on the remote by another one."""
    other = GitRepo(tmp_path / "rewriter")
    other.git("pull", "--quiet", machines.remote, "main")
    other.git("reset", "--quiet", "--hard", "HEAD~1")
    edit(other)
    other.commit("instead")
    other.git("push", "--quiet", "--force", machines.remote, "HEAD:main")


# -- history that was replaced


def test_a_replaced_history_is_an_alarm_and_is_merged_when_it_was_meant(machines: Machines, tmp_path: Path) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    a.write("notes/a.md", "two\n")
    a.sync()
    rewrite(machines, tmp_path, lambda git: git.write("notes/b.md", "instead\n"))
    error = assert_nothing_happens(a, RemoteRewritten)
    assert "--accept-rewritten" in getattr(error, "hint", "")
    a.write("notes/c.md", "work goes on\n")
    a.save()
    a.sync(rewritten=True)
    a.assert_sound()
    assert a.notes() == {"notes/a.md": b"two\n", "notes/b.md": b"instead\n", "notes/c.md": b"work goes on\n"}
    assert committed(machines.remote) == a.committed()
    assert a.sync().sent == 0


def test_a_replaced_history_is_seen_by_a_machine_that_only_pushes(machines: Machines, tmp_path: Path) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    a.write("notes/a.md", "two\n")
    a.sync()
    rewrite(machines, tmp_path, lambda git: git.write("notes/b.md", "instead\n"))
    a.write("notes/c.md", "c\n")
    a.save()
    with pytest.raises(RemoteRewritten) as alarm:
        a.sync(pull=False)
    assert "memtree sync --accept-rewritten" in alarm.value.hint
    assert "notes/c.md" not in committed(machines.remote)
    a.assert_sound()


def test_a_branch_that_is_gone_is_not_made_anew_by_a_push(machines: Machines) -> None:
    a = machines.first({"notes/a.md": "one\n"})
    GitRepo(machines.folder / "helper").git("--git-dir", machines.remote, "update-ref", "-d", "refs/heads/main")
    for changed in (False, True):
        if changed:
            a.write("notes/a.md", "two\n")
            a.save()
        with pytest.raises(RemoteBranchGone):
            a.sync(pull=False)
    a.sync(pull=False, rewritten=True)
    assert committed(machines.remote) == a.committed()


def test_a_remote_that_was_made_anew_is_filled_again(machines: Machines, tmp_path: Path) -> None:
    """The disk with the bare repository died, an empty one stands in its place: once a person agrees, everything is sent again."""
    a, b = machines.pair()
    shutil.rmtree(machines.remote)
    bare(tmp_path / "remote.git")
    assert_nothing_happens(a, RemoteBranchGone)
    assert a.sync(rewritten=True).sent == a.commits()
    assert committed(machines.remote) == a.committed()
    b.write("b.md", "b\n")
    machines.settle()
    machines.assert_agreed()


def test_a_remote_that_went_back_in_time_is_an_alarm(machines: Machines, tmp_path: Path) -> None:
    """Restored from a backup: what it lost is sent again once a person agrees."""
    a = machines.first({"notes/a.md": "one\n"})
    for text in ("two\n", "three\n"):
        a.write("notes/a.md", text)
        a.sync()
    helper = GitRepo(tmp_path / "helper")
    helper.git("--git-dir", machines.remote, "update-ref", "refs/heads/main", "main~2")
    a.write("notes/a.md", "four\n")
    a.save()
    assert_nothing_happens(a, RemoteRewritten)
    a.sync(rewritten=True)
    assert committed(machines.remote) == a.committed()
    assert a.notes() == {"notes/a.md": b"four\n"}


# -- history that never was one


def test_b28_unrelated_histories_are_joined_only_on_request_and_keep_both(machines: Machines) -> None:
    a = machines.first({"same.md": "same\n", "differs.md": "on a\n", "only-a.md": "a\n"})
    b = machines.lonely({"same.md": "same\n", "differs.md": "on b\n", "only-b.md": "b\n"}, name="b")
    b.workspace.remotes.add("origin", machines.remote)
    error = assert_nothing_happens(b, UnrelatedHistory)
    assert "--accept-unrelated" in getattr(error, "hint", "")
    assert "only-b.md" not in committed(machines.remote)
    b.sync(unrelated=True)
    a.sync()
    held = machines.assert_agreed()
    assert {path: data for path, data in held.items() if not path.startswith("differs")} == {
        "same.md": b"same\n",
        "only-a.md": b"a\n",
        "only-b.md": b"b\n",
    }
    assert held["differs.md"] == b"on a\n\non b\n"


def test_joining_another_history_keeps_the_workspace_usable(machines: Machines) -> None:
    """Both sides made their own settings file; the joined one still opens, and nothing beside it."""
    a = machines.first({"a.md": "a\n"})
    b = machines.lonely({"b.md": "b\n"}, name="b")
    b.write("memtree.toml", b.read("memtree.toml") + b"# mine\n")
    b.save()
    b.workspace.remotes.add("origin", machines.remote)
    b.sync(unrelated=True)
    a.sync()
    for machine in (a, b):
        machine.reopen()
        machine.assert_sound()
    machines.assert_agreed()


# -- deletions


def emptied(machines: Machines, count: int = 40) -> tuple[Machine, Machine]:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(count)})
    shutil.rmtree(a.full("many"))
    a.save(allow_mass_delete=True)
    a.sync()
    return a, b


def test_b8_a_mass_deletion_that_arrives_is_an_alarm(machines: Machines) -> None:
    a, b = emptied(machines)
    error = assert_nothing_happens(b, MassDeletion)
    assert "--allow-mass-delete" in getattr(error, "hint", "")
    b.write("b.md", "work goes on\n")
    b.save()
    b.sync(mass_delete=True)
    assert b.notes() == {"b.md": b"work goes on\n"}
    b.assert_sound()
    a.sync()
    machines.assert_agreed()


def test_an_edit_survives_a_mass_deletion_that_was_accepted(machines: Machines) -> None:
    a, b = emptied(machines)
    b.write("many/7.md", "edited\n")
    b.sync(mass_delete=True)
    a.sync()
    assert machines.assert_agreed() == {"many/7.md": b"edited\n"}


def test_a_moved_folder_arrives_without_an_alarm(machines: Machines) -> None:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(40)})
    a.move("many", "archive/many")
    a.sync()
    b.sync()
    assert not os.path.exists(b.full("many"))
    machines.assert_agreed()


def test_b35_a_mass_deletion_here_is_not_sent(machines: Machines) -> None:
    a, b = machines.pair({f"many/{number}.md": f"{number}\n" for number in range(40)})
    shutil.rmtree(a.full("many"))
    with pytest.raises(MassDeletion):
        a.sync()
    machines.clock.tick(100)
    with pytest.raises(MassDeletion):
        a.sync()
    assert len(committed(machines.remote)) == 41
    b.sync()
    b.assert_sound()


# -- edits that nobody committed


def test_b27_an_uncommitted_edit_becomes_a_commit_and_is_merged(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "one\n", "b.md": "two\n"})
    a.write("a.md", "from a\n")
    a.sync()
    b.write("a.md", "unsaved on b\n")
    b.write("b.md", "unsaved too\n")
    b.sync()
    b.assert_sound()
    assert {b"from a", b"unsaved on b", b"unsaved too"} <= b.lines()
    a.sync()
    machines.assert_agreed()


def test_b30_an_edit_that_capture_must_not_see_is_still_never_overwritten(machines: Machines) -> None:
    """The user staged one version and went on editing; the pull brings a third. All three stay in files or in history."""
    a, b = machines.pair({"a.md": "one\n"})
    a.write("a.md", "from a\n")
    a.sync()
    b.write("a.md", "staged on b\n")
    b.git("add", "a.md")
    b.write("a.md", "edited on b\n")
    b.sync()
    b.assert_sound()
    assert {b"from a", b"edited on b"} <= b.lines()
    assert b.git("log", "--all", "--format=%h", "-S", "staged on b") != ""
    a.sync()
    machines.assert_agreed()


def test_a_deletion_that_has_not_settled_is_not_undone_by_a_pull(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "one\n", "b.md": "two\n"})
    a.write("b.md", "from a\n")
    a.sync()
    b.remove("a.md")
    b.sync()
    assert not os.path.exists(b.full("a.md"))
    machines.clock.tick(10)
    b.sync()
    a.sync()
    assert machines.assert_agreed() == {"b.md": b"from a\n"}


def test_a_new_file_in_the_way_of_a_pulled_one_is_kept(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("new.md", "from a\n")
    a.sync()
    b.write("new.md", "untracked on b\n")
    b.sync()
    a.sync()
    held = machines.assert_agreed()
    assert held == {**held, "new.md": b"from a\n\nuntracked on b\n"}


@pytest.mark.parametrize("what", ["pipe", "folder", "link to a folder"])
def test_what_cannot_be_moved_aside_blocks_and_is_not_harmed(machines: Machines, what: str) -> None:
    a, b = machines.pair()
    a.write("spot/new.md", "from a\n")
    a.sync()
    b.write(".memtreeignore", "spot\nelsewhere\n")
    b.save()
    if what == "pipe":
        os.mkfifo(b.full("spot"))
        assert_nothing_happens(b, PathBlocked)
        os.unlink(b.full("spot"))
    elif what == "folder":
        b.write("spot/new.md/inside.md", "mine\n")
        assert_nothing_happens(b, PathBlocked)
        shutil.rmtree(b.full("spot"))
    else:
        os.mkdir(b.full("elsewhere"))
        os.symlink("elsewhere", b.full("spot"))
        assert_nothing_happens(b, UncommittedOutside)
        assert os.listdir(b.full("elsewhere")) == []
        os.unlink(b.full("spot"))
    b.sync()
    assert b.notes()["spot/new.md"] == b"from a\n"


def test_an_empty_folder_in_the_way_of_a_pulled_file_gives_way(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("spot", "a file\n")
    a.write("deep/spot", "a file\n")
    a.sync()
    os.makedirs(b.full("spot/empty/too"))
    os.makedirs(b.full("deep/spot"))
    b.sync()
    assert b.notes()["spot"] == b.notes()["deep/spot"] == b"a file\n"
    machines.assert_agreed()


def code_pair(machines: Machines, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines with a source repository: only memory is in scope."""
    code = GitRepo(tmp_path / "seed")
    code.write("src/main.py", "print()\n")
    code.write("src/other.py", "other\n")
    code.commit("code")
    code.git("push", "--quiet", machines.remote, "main")
    a = machines.clone("a")
    a.sync()
    return a, machines.clone("b")


def test_uncommitted_source_that_the_remote_changed_too_blocks_with_advice(machines: Machines, tmp_path: Path) -> None:
    a, b = code_pair(machines, tmp_path)
    a.write("src/main.py", "print('a')\n")
    a.git("commit", "--quiet", "-am", "code by hand")
    a.sync()
    b.write("src/main.py", "print('b, not done')\n")
    error = assert_nothing_happens(b, UncommittedOutside)
    assert "src/main.py" in str(error)
    b.git("commit", "--quiet", "-am", "done")
    b.sync()
    assert {b"print('a')\n", b"print('b, not done')\n"} <= set(b.disk().values())
    b.assert_sound()


@pytest.mark.parametrize("staged", [False, True])
def test_uncommitted_source_that_the_remote_did_not_touch_stays_as_it_is(machines: Machines, tmp_path: Path, staged: bool) -> None:
    a, b = code_pair(machines, tmp_path)
    a.write("src/main.py", "print('a')\n")
    a.git("commit", "--quiet", "-am", "code by hand")
    a.write("MEMORY.md", "from a\n")
    a.sync()
    b.write("src/other.py", "work in progress\n")
    if staged:
        b.git("add", "src/other.py")
    b.write("MEMORY.md", "from b\n")
    b.sync()
    assert b.disk()["src/main.py"] == b"print('a')\n"
    b.assert_sound(uncommitted=("M  src/other.py" if staged else " M src/other.py",))


def test_staged_source_that_the_remote_changed_too_is_not_committed_for_the_user(machines: Machines, tmp_path: Path) -> None:
    a, b = code_pair(machines, tmp_path)
    a.write("src/main.py", "print('a')\n")
    a.git("commit", "--quiet", "-am", "code by hand")
    a.sync()
    b.write("src/main.py", "print('b, staged')\n")
    b.git("add", "src/main.py")
    assert_nothing_happens(b, UncommittedOutside)


@pytest.mark.parametrize("arriving", ["private.md", "private.md/inside.md"])
@pytest.mark.parametrize("rules", [".gitignore", ".memtreeignore", ".git/info/exclude"])
def test_an_ignored_file_is_neither_overwritten_nor_sent(machines: Machines, arriving: str, rules: str) -> None:
    a, b = machines.pair()
    b.write(rules, (b.read(rules) if os.path.exists(b.full(rules)) else b"") + b"private.md\n")
    b.save()
    b.write("private.md", "for nobody else\n")
    a.write(arriving, "from a\n")
    a.sync()
    error = assert_nothing_happens(b, UncommittedOutside)
    assert "private.md" in str(error)
    assert b"for nobody else\n" not in committed(machines.remote).values()
    os.rename(b.full("private.md"), b.full("moved.tmp"))
    b.sync()
    assert b.disk()[arriving] == b"from a\n"
    assert b"for nobody else\n" not in {**b.committed(), **committed(machines.remote)}.values()


def test_what_a_sync_refused_is_not_brought_in_by_a_restore_or_an_undo(machines: Machines) -> None:
    a, b = machines.pair()
    os.symlink("/etc/passwd", a.full("evil"))
    a.git("add", "evil")
    a.git("commit", "--quiet", "-m", "a link that leaves")
    a.git("rm", "--quiet", "evil")
    a.git("commit", "--quiet", "-m", "and goes")
    a.git("push", "--quiet", machines.remote, "HEAD~1:main")
    assert_nothing_happens(b, RefusedPaths)
    b.git("fetch", "--quiet", a.path, "main:refs/heads/theirs")
    for bring in (
        lambda: b.workspace.restore(RepoPath("evil"), b.workspace.resolve("origin/main")),
        lambda: b.workspace.restore(RepoPath(""), b.workspace.resolve("origin/main")),
        lambda: b.workspace.undo(b.workspace.resolve("theirs")),
    ):
        with pytest.raises(UserError, match=r"evil.*leaves the workspace"):
            bring()
    b.assert_sound()
    assert not os.path.lexists(b.full("evil"))
    b.workspace.restore(RepoPath("notes"), b.workspace.resolve("origin/main"))


def test_a_name_that_no_file_system_here_holds_is_refused_by_name(machines: Machines) -> None:
    """Windows and Android count characters, not bytes."""
    a, b = machines.pair()
    blob = a.git("hash-object", "-w", "--stdin", stdin=b"text\n")
    a.git("update-index", "--add", "--cacheinfo", f"100644,{blob},notes/{'图' * 100}.md")
    a.git("commit", "--quiet", "-m", "from another system")
    a.git("push", "--quiet", machines.remote, "HEAD:main")
    error = assert_nothing_happens(b, RefusedPaths)
    assert "longer than 255 bytes" in str(error)
    assert "图图" in str(error)


# -- the user's own git work


def test_on_another_branch_nothing_is_merged(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("a.md", "a\n")
    a.sync()
    b.git("switch", "--quiet", "-c", "experiment")
    assert_nothing_happens(b, WrongBranch)
    b.git("switch", "--quiet", "main")
    b.sync()
    b.assert_sound()
    machines.assert_agreed()


def test_in_the_middle_of_a_merge_of_the_user_s_nothing_is_merged(machines: Machines) -> None:
    a, b = machines.pair()
    b.git("switch", "--quiet", "-c", "other")
    b.write("notes/a.md", "other\n")
    b.git("commit", "--quiet", "-am", "other")
    b.git("switch", "--quiet", "main")
    b.write("notes/a.md", "ours\n")
    b.save()
    a.write("a.md", "a\n")
    a.sync()
    with pytest.raises(AssertionError):
        b.git("merge", "other")
    before = b.disk()
    with pytest.raises(GitBusy, match="merge"):
        b.sync()
    assert b.disk() == before
    b.git("merge", "--abort")
    machines.settle()
    machines.assert_agreed()
