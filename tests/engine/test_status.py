"""Status tells how a workspace stands and changes nothing but what a killed run left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.repo_errors import DamagedRef
from memtree.engine.status import IndexStatus, Status, status
from memtree.engine.workspace import Workspace
from memtree.tree.errors import Error
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, options


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.close()


def of(machine: Machine) -> Status:
    return status(machine.workspace)


def test_a_sound_workspace(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    found = of(machine)
    assert (found.root, found.branch, found.head, found.head_ref) == (machine.path, "main", machine.tip, "refs/heads/main")
    assert (found.busy_with, found.writer, found.notes, found.captures, found.remotes) == ("", "", (), (), ())
    assert found.on_branch
    assert found.survey.clean
    assert found.index.current
    assert found.vectors == found.index


def test_edits_are_listed_and_stay_uncommitted(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n", "b.md": "two\n"})
    machine.write("a.md", "edited\n")
    machine.write("new.md", "new\n")
    machine.remove("b.md")
    tip = machine.tip
    found = of(machine)
    assert (found.survey.due, found.survey.gone) == (("a.md", "b.md", "new.md"), ("b.md",))
    assert machine.tip == tip
    machine.assert_sound(uncommitted=(" M a.md", " D b.md", "?? new.md"))


def test_what_a_killed_run_left_is_cleared_and_told(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    ours, lock = (os.path.join(machine.path, ".git", name) for name in ("memtree/index.new", "index.lock"))
    with open(ours, "xb"):
        os.link(ours, lock)
    of(machine)
    machine.assert_sound()


def test_a_damaged_journal_does_not_keep_status_from_answering(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    Path(machine.path, ".git", "memtree", "journal").write_bytes(b"?")
    assert "something is left to finish" in of(machine).notes[0]


def test_ahead_and_behind_are_counted_from_the_last_that_was_heard(machines: Machines) -> None:
    a, b = machines.pair()
    b.write("b.md", "b\n")
    b.sync()
    a.write("a2.md", "a\n")
    a.save()
    (remote,) = of(a).remotes
    assert (remote.name, remote.ahead, remote.behind, remote.known, remote.error) == ("origin", 1, 0, True, "")
    assert remote.last_sync == machines.clock()
    a.git("fetch", "-q", "origin")
    assert [(one.ahead, one.behind) for one in of(a).remotes] == [(1, 1)]


def test_a_remote_that_was_never_reached_and_why(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    machine.workspace.remotes.add("origin", str(machines.folder / "nowhere.git"))
    with pytest.raises(Error):
        machine.sync()
    (remote,) = of(machine).remotes
    assert (remote.known, remote.ahead, remote.last_sync) == (False, 2, None)
    assert "does not appear to be a git repository" in remote.error


def test_an_adopted_repository_says_what_is_captured(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "code")
    repo.write("main.py", "print(1)\n")
    repo.commit("one")
    with Workspace.init(repo.path, options=options())[0] as workspace:
        repo.write("main.py", "print(2)\n")
        found = status(workspace)
    assert found.captures == ("memory_tree/content/", "MEMORY.md", "SKILL.md", "MEMORY_GOALS.md")
    assert found.survey.clean


def test_an_index_that_is_missing_behind_or_damaged_is_told(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    machine.write("b.md", "two\n")
    machine.commit("by git")
    assert not of(machine).index.current
    machine.workspace.close()
    shutil.rmtree(machine.workspace.places.search)
    machine.reopen()
    assert of(machine).index.problem == "it was never built"
    machine.workspace.refresh_index()
    assert of(machine).index.current


def test_the_vector_index_has_a_standing_of_its_own(machines: Machines) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    machine.workspace.close()
    vectors = Path(machine.path, ".git", "memtree", "vectors")
    shutil.rmtree(vectors)
    machine.reopen()
    assert of(machine).vectors == IndexStatus(None, current=False, problem="it was never built")
    assert of(machine).index.current
    machine.workspace.refresh_index()
    assert of(machine).vectors == of(machine).index
    machine.workspace.close()
    next(vectors.rglob("state.sqlite")).write_bytes(b"no database" * 1000)
    machine.reopen()
    broken = of(machine).vectors
    assert broken is not None
    assert "damaged" in broken.problem


@pytest.mark.parametrize(
    ("embedding", "problem", "cure"),
    [
        ('model = "none"', None, ""),
        ('model = "m"\nurl = "http://127.0.0.1:9/v1"', "not allowed on this machine", "git config memtree.embeddingurl"),
    ],
)
def test_vectors_that_are_left_out_or_not_allowed(machines: Machines, embedding: str, problem: str | None, cure: str) -> None:
    machine = machines.lonely({"a.md": "one\n"})
    machine.write("memtree.toml", machine.read("memtree.toml") + f"[embedding]\n{embedding}\n".encode())
    machine.reopen()
    vectors = of(machine).vectors
    assert (vectors is None) == (problem is None)
    assert vectors is None or (problem or "") in vectors.problem
    assert vectors is None or cure in vectors.cure


@pytest.mark.parametrize("torn", [b"", b"\0" * 41, b"123\n"])
def test_a_torn_ref_of_a_remote_is_told_with_its_cure(machines: Machines, torn: bytes) -> None:
    """Git writes it without a sync: a power loss can leave it empty."""
    a, _ = machines.pair({"a.md": "one\n"})
    path = Path(a.full(".git/refs/remotes/origin/main"))
    path.write_bytes(torn)
    a.reopen()
    assert any("refs/remotes/origin/main" in note and "remove the file" in note for note in of(a).notes)
    with pytest.raises(DamagedRef) as damaged:
        a.sync()
    assert "remove the file .git/refs/remotes/origin/main" in damaged.value.hint
    path.unlink()
    a.sync()
    assert of(a).notes == ()


@pytest.mark.parametrize("state", ["", "[]", '{"origin": 5}', '{"origin": null}', '{"origin": {"succeeded": "x"}}'])
def test_a_damaged_memory_of_the_last_sync_is_no_memory(machines: Machines, state: str) -> None:
    a, _ = machines.pair({"a.md": "one\n"})
    Path(a.full(".git/memtree/sync.json")).write_text(state)
    assert of(a).remotes[0].last_sync is None
    a.sync()
    assert of(a).remotes[0].last_sync is not None
