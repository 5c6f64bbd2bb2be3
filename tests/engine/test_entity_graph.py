"""The entity graph of a workspace: built when it is asked for, at HEAD from then on, healed, and without what was forgotten."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.doctor import Level, examine
from memtree.engine.forgetting import Target, forget
from memtree.engine.status import graph_status
from memtree.indexers.base import IndexCorrupt
from memtree.indexers.home import Home
from memtree.indexers.query import Mode, Query
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

ADA, MARY = "name:ada lovelace", "name:mary somerville"
FILES = {"notes/a.md": "In May Ada Lovelace met Mary Somerville.\n", "notes/b.md": "Then Ada Lovelace wrote to ada@example.org.\n"}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    yield machines.lonely(FILES)
    machines.close()


@pytest.fixture
def asked(machine: Machine) -> Machine:
    """A machine whose graph was asked for."""
    assert machine.workspace.searching.refresh_graph() == []
    return machine


def folder(machine: Machine) -> Path:
    return Path(machine.path, ".git", "memtree", "entities")


def mentions(machine: Machine, id: str = ADA) -> int:  # noqa: A002
    found = machine.workspace.searching.graph().known([id])
    return found[id].mentions if id in found else 0


def finding(machine: Machine, *, repair: bool = False) -> tuple[Level, str]:
    (one,) = [one for one in examine(machine.workspace, repair=repair) if one.check == "entity graph"]
    return one.level, one.message


def test_nobody_pays_for_a_graph_that_was_never_asked_for(machine: Machine) -> None:
    machine.write("notes/c.md", "Now Ada Lovelace again.\n")
    machine.save()
    assert not folder(machine).exists()
    assert mentions(machine) == 0
    assert graph_status(machine.workspace) is None
    assert finding(machine) == (Level.FINE, "built when it is first asked for")


def test_once_asked_for_it_follows_every_commit(asked: Machine) -> None:
    assert mentions(asked) == 2
    asked.write("notes/c.md", "Now Ada Lovelace again.\n")
    asked.save()
    assert mentions(asked) == 3
    found = graph_status(asked.workspace)
    assert found is not None
    assert (found.commit, found.current) == (asked.tip, True)
    assert finding(asked) == (Level.FINE, "reflects the present commit")


def test_a_search_does_not_wait_for_it(asked: Machine) -> None:
    asked.write("notes/c.md", "Now Ada Lovelace again.\n")
    asked.commit("by git")
    assert asked.workspace.searching.search(Query("again", mode=Mode.TEXT)).hits
    assert mentions(asked) == 2
    assert finding(asked)[0] is Level.NOTE
    assert finding(asked, repair=True)[0] is Level.NOTE
    assert mentions(asked) == 3


def test_other_settings_build_it_anew(asked: Machine) -> None:
    asked.write(".memtreeignore", "notes/b.md\n")
    asked.save()
    assert mentions(asked) == 1


def test_damage_that_a_query_meets_is_told_and_healed(asked: Machine) -> None:
    asked.workspace.close()
    state = next(folder(asked).rglob("state.sqlite"))
    state.write_bytes(os.urandom(state.stat().st_size))
    asked.reopen()
    with pytest.raises(IndexCorrupt):
        mentions(asked)
    level, _ = finding(asked)
    assert level is Level.PROBLEM
    (note,) = asked.workspace.refresh_index()
    assert note.startswith("the entity graph was rebuilt: the entity graph is damaged")
    assert mentions(asked) == 2
    assert asked.workspace.refresh_index() == []


def test_the_doctor_builds_a_damaged_one_anew(asked: Machine) -> None:
    asked.workspace.close()
    next(folder(asked).rglob("state.sqlite")).write_bytes(b"no database" * 1000)
    asked.reopen()
    assert finding(asked, repair=True) == (Level.PROBLEM, "1 of its files are damaged: state.sqlite")
    assert finding(asked)[0] is Level.FINE
    assert mentions(asked) == 2


def test_reindexing_builds_it_anew_where_there_is_one(machine: Machine) -> None:
    machine.workspace.searching.rebuild()
    assert not folder(machine).exists()
    machine.workspace.searching.refresh_graph()
    before = next(folder(machine).glob("v*")).stat().st_ino
    machine.workspace.searching.rebuild()
    assert next(folder(machine).glob("v*")).stat().st_ino != before
    assert mentions(machine) == 2


def test_one_that_is_being_written_elsewhere_is_behind_and_says_so(asked: Machine) -> None:
    asked.write("notes/c.md", "Now Ada Lovelace again.\n")
    asked.commit("by git")
    with Home(str(folder(asked)), 1, "state.sqlite").locked():
        (note,) = asked.workspace.searching.refresh_graph(patience=0)
    assert note.startswith("the entity graph is behind: the index is being written by another process; ")
    assert mentions(asked) == 2
    assert asked.workspace.searching.refresh_graph() == []
    assert mentions(asked) == 3


def test_a_folder_that_was_taken_away_is_built_again(asked: Machine) -> None:
    shutil.rmtree(folder(asked))
    assert mentions(asked) == 0
    assert asked.workspace.searching.refresh_graph() == []
    assert mentions(asked) == 2


def kept(machine: Machine) -> bytes:
    """All that the graph's files hold."""
    return b"".join(path.read_bytes() for path in sorted(folder(machine).rglob("*")) if path.is_file())


def test_nothing_is_left_in_its_files_of_what_was_forgotten(asked: Machine) -> None:
    asked.write("notes/s.md", "The code went to Xanthippe Quux and quux@secret.example.\n")
    asked.write("memory_tree/content/entities/person/00/x.md", "---\nid: name:xanthippe quux\ndisplay_name: Xanthippe Quux\n---\n")
    asked.save()
    assert asked.workspace.searching.graph().search("quux")
    words = (b"anthippe", b"quux")
    assert all(word in kept(asked) for word in words)
    for path in ("notes/s.md", "memory_tree/content/entities/person/00/x.md"):
        forget(asked.workspace, Target(RepoPath(path)))
    assert asked.workspace.searching.graph().search("quux") == []
    assert [word for word in words if word in kept(asked)] == []
    assert mentions(asked) == 2
    assert asked.workspace.searching.graph().position() == asked.tip


def test_a_cleaning_that_a_reader_keeps_waiting_is_done_later(asked: Machine) -> None:
    asked.write("notes/s.md", "The code went to Xanthippe Quux.\n")
    asked.save()
    state = next(folder(asked).rglob("state.sqlite"))
    reader = sqlite3.connect(f"file:{state}?mode=ro", uri=True, isolation_level=None)
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM meta").fetchall()
        forget(asked.workspace, Target(RepoPath("notes/s.md")))
        assert b"anthippe" in kept(asked)
    finally:
        reader.close()
    asked.workspace.refresh_index()
    assert b"anthippe" not in kept(asked)
