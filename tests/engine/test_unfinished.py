"""A sync killed after its journal stood: what is finished later, and what must wait, when things have changed meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.files import unobserved
from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.store.report import WrongBranch
from support.machines import Machine, Machines


class Killed(BaseException):
    """As good as a kill: nothing of the engine's cleans up after the journal stands."""


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


def killed(machine: Machine, step: str) -> Machine:
    """Sync until the first such step on a file of the user's, and no further; then the next process opens the workspace."""

    def observe(now: str, path: str) -> None:
        if now == step and "/.git/" not in path:
            raise Killed

    with pytest.raises(Killed):
        machine.reopen(observe=observe).sync()
    assert os.path.exists(machine.full(".git/memtree/journal"))
    return machine.reopen(observe=unobserved)


@pytest.mark.parametrize("settings_follow", [False, True])
def test_a_plan_of_another_branch_waits_until_the_user_is_back(machines: Machines, settings_follow: bool) -> None:
    """The branch of the plan counts: the one in memtree.toml may be another by now."""
    a, b = machines.pair()
    a.write("notes/a.md", "two\n")
    a.sync()
    killed(b, "exchange")
    os.unlink(b.full(".git/index.lock"))  # what git itself advises
    b.git("switch", "--quiet", "-c", "other")
    if settings_follow:
        b.write("memtree.toml", b.read("memtree.toml").replace(b'"main"', b'"other"'))
    b.write("notes/other.md", "other\n")
    b.commit("work on the other branch")
    b.reopen()
    tips = b.git("rev-parse", "main", "other")
    with pytest.raises(WrongBranch, match="not on main"):
        b.save()
    assert b.git("rev-parse", "main", "other") == tips
    assert b.read("notes/a.md") == b"one\n"
    assert b.status() == []
    b.git("switch", "--quiet", "main")
    b.reopen().sync()
    assert b.read("notes/a.md") == b"two\n"
    assert b.tip == a.tip
    b.assert_sound()


def test_a_plan_that_waits_does_not_keep_the_lock_that_the_way_back_needs(machines: Machines) -> None:
    a, b = machines.pair()
    b.git("branch", "other")
    a.write("notes/a.md", "two\n")
    a.sync()
    killed(b, "exchange")
    b.git("symbolic-ref", "HEAD", "refs/heads/other")
    with pytest.raises(WrongBranch):
        b.save()
    b.git("switch", "--quiet", "main")
    b.sync()
    assert b.read("notes/a.md") == b"two\n"
    b.assert_sound()


@pytest.mark.parametrize("where", ["new", "new/deep"])
@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_stands_where_a_folder_must_be_is_an_outside_edit(machines: Machines, where: str, kind: str) -> None:
    a, b = machines.pair()
    a.write("new/deep/x.md", "x\n")
    a.sync()
    killed(b, "mkdir")
    os.makedirs(os.path.dirname(b.full(where)), exist_ok=True)
    if kind == "file":
        b.write(where, "mine\n")
    else:
        os.symlink("notes", b.full(where))
    report = b.save()
    assert any("left unfinished" in note for note in report.notes)
    assert b.read("new/deep/x.md") == b"x\n"
    b.assert_sound()
    second = [path for path in b.disk() if path.startswith(f"{where}-")]
    assert len(second) == 1
    assert b.disk()[second[0]] == (b"mine\n" if kind == "file" else b"notes")
    b.sync()
    a.sync()
    assert a.tip == b.tip


@pytest.mark.parametrize("where", ["new", "new/deep"])
def test_a_file_that_appears_where_a_folder_must_be_in_the_very_moment(machines: Machines, where: str) -> None:
    a, b = machines.pair()
    a.write("new/deep/x.md", "x\n")
    a.sync()
    done: list[str] = []

    def observe(step: str, path: str) -> None:
        if not done and step == "mkdir" and path == b.full(where):
            done.append(path)
            b.write(where, "mine\n")

    report = b.reopen(observe=observe).sync()
    assert [conflict.kind for conflict in report.conflicts] == [ConflictKind.FILE_AND_FOLDER]
    assert b.read("new/deep/x.md") == b"x\n"
    assert b"mine\n" in b.notes().values()
    b.assert_sound()
