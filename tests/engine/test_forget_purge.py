"""Purging: commits that were never pushed are made anew without the text, and no object holds it any more."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memtree.engine import review
from memtree.engine.forgetting import NothingToForget, Target, forget
from memtree.engine.purging import purge
from memtree.engine.store.report import GitBusy
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode, Query
from memtree.tree.forgetting import CannotForget, Forgetting
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

SECRET = "zanzibar" + "quetzal"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def purged(machine: Machine, path: str = "", lines: tuple[int, ...] = (), text: str = ""):  # type: ignore[no-untyped-def]
    report = forget(machine.workspace, Target(RepoPath(path), lines, text), history=True)
    assert report.purged is not None
    return report.purged


def everything(machine: Machine) -> bytes:
    """Every object of the repository, reachable or not, with its bytes."""
    return subprocess.run(
        ("git", "cat-file", "--batch-all-objects", "--batch", "--unordered"), cwd=machine.path, check=True, capture_output=True
    ).stdout


def git_files(machine: Machine) -> bytes:
    """Every file below .git but objects and indexes, one after the other."""
    parts = []
    for here, folders, names in os.walk(os.path.join(machine.path, ".git")):
        folders[:] = [name for name in folders if name != "objects"]
        parts += [Path(here, name).read_bytes() for name in names if os.path.isfile(os.path.join(here, name))]
    return b"".join(parts)


def told(machine: Machine) -> list[str]:
    """Author, time and subject of every commit, oldest first."""
    return machine.git("log", "--reverse", "--topo-order", "--format=%an %ae %at %cn %ct %s").splitlines()


class TestRewriting:
    def test_no_object_holds_the_text_and_everything_else_is_as_it_was(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n", "b.md": "other\n"})
        machine.write("a.md", f"one\n{SECRET} here\n")
        machine.save("add a line")
        machines.clock.tick(60)
        machine.write("b.md", "other\nmore\n")
        machine.save("edit b")
        before = told(machine)
        done = purged(machine, text=SECRET)
        assert SECRET.encode() not in everything(machine)
        assert SECRET.encode() not in git_files(machine)
        assert told(machine)[:-1] == before
        assert machine.subjects("-1") == ["forget a text in a.md"]
        assert machine.git("show", "HEAD~2:a.md") == "one\n[forgotten] here"
        assert done.still == ()
        assert done.commits == 3  # the first one that held it and all above
        machine.assert_sound()
        assert machine.found("more") == ["b.md"]

    def test_commits_before_the_text_keep_their_ids(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        kept = machine.tip
        machine.write("a.md", f"{SECRET}\n")
        machine.save()
        purged(machine, text=SECRET)
        assert machine.git("rev-parse", "HEAD~2") == kept

    def test_messages_lose_the_text_too(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        machine.write("a.md", f"{SECRET}\n")
        machine.save(f"note the {SECRET} down")
        purged(machine, text=SECRET)
        assert "note the [forgotten] down" in machine.subjects()
        assert SECRET.encode() not in everything(machine) + git_files(machine)

    def test_lines_are_forgotten_in_every_version(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"first\n\nthe code is {SECRET}\n"})
        machine.write("a.md", f"first\nsecond\n\nthe code is {SECRET}\n")
        machine.save()
        purged(machine, "a.md", (4,))
        assert SECRET.encode() not in everything(machine)
        assert machine.git("show", "HEAD~1:a.md") == "first\nsecond\n\n[forgotten]"

    def test_a_whole_file_is_the_stub_in_every_version(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET} one\n", "b.md": "two\n"})
        machine.write("a.md", f"{SECRET} two\n")
        machine.save()
        purged(machine, "a.md")
        assert SECRET.encode() not in everything(machine)
        assert machine.git("show", "HEAD~1:a.md") == "[forgotten]"
        machine.assert_sound()

    def test_a_text_that_only_history_holds_is_purged_without_a_commit(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        machine.write("a.md", "clean\n")
        machine.save()
        count = machine.commits()
        purged(machine, text=SECRET)
        assert machine.commits() == count
        assert SECRET.encode() not in everything(machine)

    def test_a_file_that_was_deleted_since_is_purged_by_its_name(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n", "b.md": "b\n"})
        machine.remove("a.md")
        machine.save()
        purged(machine, "a.md")
        assert SECRET.encode() not in everything(machine)
        assert "a.md" not in machine.disk()

    def test_merged_side_commits_are_rewritten_too(self, machines: Machines) -> None:
        a, b = machines.pair({"x.md": "x\n", "y.md": "y\n"})
        a.write("x.md", "x from a\n")
        a.save()
        a.sync()
        b.write("y.md", f"y {SECRET}\n")
        b.save()
        b.workspace.sync(None, push=False)
        assert len(b.git("rev-list", "--parents", "-1", "HEAD").split()) == 3
        purged(b, text=SECRET)
        assert SECRET.encode() not in everything(b)
        b.assert_sound()
        machines.settle()
        assert machines.assert_agreed() == {"x.md": b"x from a\n", "y.md": b"y [forgotten]\n"}

    def test_a_signature_that_no_longer_holds_is_dropped(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        raw = machine.git("cat-file", "commit", "HEAD")
        head, _, message = raw.partition("\n\n")
        signed = f"{head}\ngpgsig -----BEGIN\n line two\n -----END\nencoding UTF-8\n\n{message}\n"
        made = machine.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode())
        machine.git("update-ref", "refs/heads/main", made)
        purged(machine, text=SECRET)
        first = machine.git("cat-file", "commit", "HEAD~1")
        assert "gpgsig" not in first
        assert "line two" not in first
        assert "encoding UTF-8" in first
        machine.assert_sound()


class TestObjects:
    def test_packs_are_written_anew_without_the_text(self, machines: Machines) -> None:
        files = {f"n/{n}.md": f"note {n}\n" * 20 for n in range(40)}
        machine = machines.lonely(files | {"a.md": f"{SECRET}\n"})
        machine.git("tag", "-a", "-m", "kept", "v1", "HEAD~1")
        machine.git("gc", "-q")
        machine.git("repack", "-adq", "--write-midx", "--write-bitmap-index")
        machine.git("commit-graph", "write", "--reachable")
        purged(machine, text=SECRET)
        assert SECRET.encode() not in everything(machine)
        assert machine.committed("HEAD~1") == {**machine.disk()}
        machine.assert_sound()
        machine.git("gc", "-q")
        machine.assert_sound()

    def test_strays_that_hold_it_go_and_other_strays_stay(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        holding = machine.git("hash-object", "-w", "--stdin", stdin=f"stray {SECRET}".encode())
        other = machine.git("hash-object", "-w", "--stdin", stdin=b"a stray of the user's")
        purged(machine, text=SECRET)
        names = machine.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
        assert other in names
        assert holding not in names

    def test_an_amended_commit_is_rewritten_and_the_reflog_still_leads_to_it(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        machine.write("a.md", f"{SECRET}\n")
        machine.save()
        machine.write("a.md", "clean\n")
        machine.git("commit", "-qam", "amended", "--amend")
        purged(machine, text=SECRET)
        assert SECRET.encode() not in everything(machine)
        assert machine.git("show", "HEAD@{1}:a.md") == "[forgotten]"
        machine.assert_sound()

    def test_without_git_the_same_objects_go(self, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n", "b.md": "b\n"})
        machine.git("gc", "-q")
        with monkeypatch.context() as patch:
            patch.setenv("PATH", "/nonexistent")
            purged(machine, text=SECRET)
        assert SECRET.encode() not in everything(machine)
        machine.assert_sound()


class TestOthers:
    def test_another_open_workspace_finds_its_way(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET} one\n", "b.md": "two\n"})
        with Workspace.open(machine.path, machine.workspace.options) as other:
            other.search(Query("one", mode=Mode.TEXT))
            purged(machine, text=SECRET)
            assert [hit.path for hit in other.search(Query("one", mode=Mode.TEXT)).hits] == ["a.md"]
            assert other.search(Query(SECRET, mode=Mode.TEXT)).hits == ()

    def test_a_linked_worktree_keeps_what_it_needs(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        machine.git("worktree", "add", "-q", "--detach", "../linked")
        done = purged(machine, text=SECRET)
        assert done.still == ("another work tree",)
        assert machine.git("-C", "../linked", "status", "--porcelain") == ""
        assert machine.fsck() == ""

    def test_the_mark_of_a_review_moves_along(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        review.mark(machine.workspace.places.folder, machine.workspace.resolve(None))
        purged(machine, text=SECRET)
        found = review.pending(machine.workspace.repo, machine.workspace.places.folder, machine.workspace.resolve(None))
        assert found.basis is review.Basis.MARK


class TestOutOfReach:
    def test_pushed_commits_stay_as_they_are_and_are_told(self, machines: Machines) -> None:
        machine = machines.first({"a.md": f"{SECRET}\n"})
        pushed = machine.tip
        machine.write("b.md", f"b {SECRET}\n")
        machine.save()
        report = forget(machine.workspace, Target(text=SECRET), history=True)
        assert machine.git("merge-base", "--is-ancestor", pushed, "HEAD") == ""
        assert [one.branch for one in report.done.pushed] == ["origin/main"]
        assert report.done.pushed[0].since == pushed
        assert report.done.unpushed == 0
        machine.sync()
        machine.assert_sound()

    def test_other_branches_and_stashes_are_told_and_not_rewritten(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        machine.git("branch", "side")
        machine.write("a.md", f"{SECRET}\nmore\n")
        machine.git("stash", "-q")
        side = machine.git("rev-parse", "side")
        done = purged(machine, text=SECRET)
        assert done.still == ("branch side", "stash")
        assert machine.git("rev-parse", "side") == side
        assert machine.git("stash", "list") != ""
        assert machine.fsck() == ""

    def test_what_is_staged_is_told(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        machine.write("a.md", f"{SECRET}\n")
        machine.save()
        machine.write("a.md", "clean\n")
        machine.save()
        machine.write("c.md", f"{SECRET}\n")
        machine.git("add", "c.md")
        machine.write("c.md", "clean\n")
        done = purge(machine.workspace, Forgetting.of_text(SECRET))
        assert done.still == ("what is staged of c.md",)
        assert machine.fsck() == ""

    def test_a_merge_of_the_users_is_waited_for(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        Path(machine.path, ".git", "MERGE_HEAD").write_text(machine.tip + "\n", encoding="ascii")
        tip = machine.tip
        with pytest.raises(GitBusy):
            purge(machine.workspace, Forgetting.of_text(SECRET))
        assert machine.tip == tip

    def test_lines_that_cannot_be_told_apart_are_refused_before_anything_happens(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "- yes\n"})
        tip = machine.tip
        with pytest.raises(CannotForget, match="short"):
            purged(machine, "a.md", (1,))
        assert machine.tip == tip

    def test_nothing_to_purge_is_said(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        with pytest.raises(NothingToForget):
            purged(machine, text=SECRET)


class TestKilled:
    STOPS = ("object", "rename", "append", "unlink", "create", "link")

    @pytest.mark.parametrize("step", STOPS)
    def test_a_kill_leaves_the_old_history_or_the_new_one_and_a_second_run_ends_it(self, machines: Machines, step: str) -> None:
        class Killed(BaseException):
            pass

        machine = machines.lonely({"a.md": "one\n", "b.md": "b\n"})
        machine.write("a.md", f"one\n{SECRET}\n")
        machine.save()
        machine.write("a.md", "one\nclean\n")
        machine.save()
        seen = 0
        for stop in range(60):
            count = 0

            def observe(name: str, _path: str, stop: int = stop) -> None:
                nonlocal count
                if name == step:
                    count += 1
                    if count == stop + 1:
                        raise Killed

            machine.reopen(observe=observe)
            try:
                purge(machine.workspace, Forgetting.of_text(SECRET))
            except Killed:
                seen += 1
                assert machine.fsck() == ""
                assert machine.git("show", "HEAD:a.md") == "one\nclean"
            else:
                break
        machine.reopen(observe=lambda _step, _path: None)
        purge(machine.workspace, Forgetting.of_text(SECRET))
        assert seen
        assert SECRET.encode() not in everything(machine)
        assert machine.subjects() == ["save a.md", "save a.md", "save 2 files", "make this folder a memtree workspace"]
        machine.assert_sound()
