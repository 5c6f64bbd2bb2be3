"""EntityGraph when things go wrong: damage, kills, full disks, other processes, threads."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memtree.indexers import entity_graph
from memtree.indexers.base import IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.indexers.catch_up import catch_up
from memtree.indexers.entity_graph import EntityGraph
from memtree.tree.objects import SYMLINK, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath
from support.memory_source import MemorySource

ADA, FOX = "name:ada lovelace", "name:ada fox"
FILES = {f"notes/{number:03}.md": f"So Ada Lovelace met Fox{number} Quine. #t{number}\n".encode() for number in range(60)}
MORE = {f"more/{number:03}.md": f"So Ada Lovelace met Bea{number} Quine. #u{number}\n".encode() for number in range(200)}
BOTH = FILES | MORE

_spawned = multiprocessing.get_context("spawn")


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "graph"


def opened(folder: Path) -> EntityGraph:
    return EntityGraph.open(folder, "settings")


def built(folder: Path, source: MemorySource) -> EntityGraph:
    graph = opened(folder)
    catch_up(graph, source, source.commit(FILES))
    return graph


def state_file(folder: Path) -> Path:
    return folder / "v1" / "state.sqlite"


# -- damage
def _halved(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _scribbled(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:4096] + os.urandom(len(data) - 4096))


def _sql(statement: str) -> Callable[[Path], None]:
    def run(file: Path) -> None:
        with contextlib.closing(sqlite3.connect(file)) as state:
            state.execute(statement)
            state.commit()

    return run


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut": _halved,
    "gone": Path.unlink,
    "empty": lambda file: file.write_bytes(b"") and None,
    "garbage": lambda file: file.write_bytes(os.urandom(file.stat().st_size)) and None,
    "scribbled": _scribbled,
    "text": lambda file: file.write_bytes(b"no database" * 1_000) and None,
    "no meta": _sql("DROP TABLE meta"),
    "no chunks": _sql("DROP TABLE chunk"),
    "spoken": _sql("UPDATE chunk SET spoken = x'010203'"),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_damage_is_met_remembered_and_healed(folder: Path, source: MemorySource, damage: str) -> None:
    graph = built(folder, source)
    expected = graph.contents()
    graph.close()
    with contextlib.closing(sqlite3.connect(state_file(folder))) as state:
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    DAMAGES[damage](state_file(folder))
    graph = opened(folder)

    def ask() -> None:
        graph.search("quine", limit=1_000)
        graph.neighbours(ADA)
        graph.chunks_of(FILES)
        graph.connected([ADA, "hashtag:t1", "hashtag:t2"], 3)
        graph.search("nowhere")

    with pytest.raises(IndexCorrupt):
        ask()
    report = catch_up(graph, source, source.commit(FILES))
    assert report.rebuilt
    assert "damaged" in report.reason
    assert graph.contents() == expected
    assert graph.verify() == []
    ask()


def test_a_flipped_byte_in_a_page_is_found_by_verify(folder: Path, source: MemorySource) -> None:
    graph = built(folder, source)
    assert graph.verify() == []
    graph.close()
    with contextlib.closing(sqlite3.connect(state_file(folder))) as state:
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(state_file(folder).read_bytes())
    data[4096 * 3] ^= 0xFF  # the kind of a page
    state_file(folder).write_bytes(data)
    graph = opened(folder)
    assert graph.verify() == ["state.sqlite"]
    assert catch_up(graph, source, source.commit(FILES)).rebuilt
    assert graph.verify() == []


def test_another_version_and_other_settings_build_it_anew(
    folder: Path, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(folder, source).close()
    other = EntityGraph.open(folder, "other settings")
    assert other.vacancy() == "it was built under other settings"
    report = catch_up(other, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built under other settings")
    monkeypatch.setattr(entity_graph, "VERSION", 99)
    newer = EntityGraph.open(folder, "other settings")
    assert newer.exists()
    report = catch_up(newer, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built by another version")
    assert sorted(os.listdir(folder)) == ["lock", "v99"]


def test_a_commit_that_is_gone_builds_it_anew(folder: Path, source: MemorySource) -> None:
    graph = opened(folder)
    first = source.commit(BOTH)
    catch_up(graph, source, first)
    source.forget(first)
    report = catch_up(graph, source, source.commit(FILES))
    assert report.rebuilt
    assert "no longer exists" in report.reason
    assert graph.known([ADA])[ADA].mentions == len(FILES)


def test_a_link_in_place_of_a_file_is_no_file(folder: Path, source: MemorySource) -> None:
    graph = built(folder, source)
    change = Change(ChangeKind.MODIFIED, RepoPath("notes/001.md"), None, Entry(SYMLINK, "0" * 40))
    graph.apply([change], source, CommitId("f" * 40))
    assert graph.chunks_of(["notes/001.md"]) == []
    assert graph.known([ADA])[ADA].mentions == len(FILES) - 1
    assert graph.known(["name:fox1 quine"]) == {}


# -- a disk that takes nothing
def test_a_folder_that_cannot_be_written_is_no_damage(tmp_path: Path, source: MemorySource) -> None:
    (tmp_path / "graph").write_text("a file where the folder should be")
    with pytest.raises(IndexUnwritable):
        catch_up(opened(tmp_path / "graph"), source, source.commit(FILES))


def test_a_full_disk_leaves_the_old_state(folder: Path, source: MemorySource, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = built(folder, source)
    position, before = graph.position(), graph.contents()
    real = EntityGraph._writable

    def full(self: EntityGraph) -> object:
        state = real(self)
        state.rows("PRAGMA max_page_count = 1")  # what there is stays: nothing can be added
        return state

    with monkeypatch.context() as patch:
        patch.setattr(EntityGraph, "_writable", full)
        with pytest.raises(IndexUnwritable) as refused:
            catch_up(graph, source, source.commit(BOTH))
    assert "space" in refused.value.hint
    assert (graph.position(), graph.contents()) == (position, before)
    assert not catch_up(graph, source, source.commit(BOTH)).rebuilt
    assert graph.known([ADA])[ADA].mentions == len(BOTH)


# -- several processes
def test_two_writers_exclude_each_other_and_readers_go_on(folder: Path, source: MemorySource) -> None:
    graph, other = built(folder, source), opened(folder)
    commit = source.commit(FILES | {"new.md": b"So Ada Fox met Ada Lovelace.\n"})
    assert other.position() is not None
    met: list[str] = []

    def progress(_: int) -> None:
        for attempt in (other.clear, other.compact, lambda: other.apply([], source, commit)):
            with pytest.raises(IndexBusy):
                attempt()
        assert other.known([ADA, FOX])[ADA].mentions == len(FILES)
        assert other.search("ada fox") == []
        met.append("busy")

    catch_up(graph, source, commit, progress)
    assert met == ["busy"]
    assert other.known([FOX])[FOX].mentions == 1


def test_a_position_that_moved_meanwhile_is_not_written_over(folder: Path, source: MemorySource) -> None:
    slow, quick = built(folder, source), opened(folder)
    start = slow.position()
    first = source.commit({"a.md": b"one"})
    second = source.commit({"a.md": b"two"})
    catch_up(quick, source, second)
    with pytest.raises(IndexBusy):
        slow.apply(source.changes(start, first), source, first)
    assert quick.position() == second
    assert catch_up(slow, source, first).before == second


def _write_on(folder: Path, ready: object, rounds: int) -> None:
    source = MemorySource()
    graph = opened(folder)
    ready.set()  # type: ignore[attr-defined]
    for number in range(rounds):
        if number == rounds // 2:
            graph.clear()
        catch_up(graph, source, source.commit(BOTH if number % 2 else FILES))


def test_asking_while_another_process_writes(folder: Path, source: MemorySource) -> None:
    reader = built(folder, source)
    ready = _spawned.Event()
    writer = _spawned.Process(target=_write_on, args=(folder, ready, 9))
    writer.start()
    asked = 0
    while writer.is_alive() or not asked:
        known = reader.known([ADA])
        assert not known or known[ADA].mentions in (len(FILES), len(BOTH))
        neighbours = {one.weight for one in reader.neighbours(ADA, 1_000)}
        assert neighbours <= {1, len(FILES), len(BOTH)}
        contents = reader.contents()
        assert len(contents.get("file", [])) in (0, len(FILES), len(BOTH))
        asked += 1
    writer.join()
    assert writer.exitcode == 0
    assert reader.known([ADA])[ADA].mentions == len(FILES)


def _die_on_the_way(folder: Path, ready: object) -> None:
    source = MemorySource()
    graph = opened(folder)
    source.commit(FILES)
    while True:
        catch_up(graph, source, source.commit(BOTH), lambda _: ready.set())  # type: ignore[attr-defined]
        catch_up(graph, source, source.commit(FILES))


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_leaves_the_old_state_or_the_new(folder: Path, source: MemorySource, seed: int) -> None:
    built(folder, source).close()
    chance = random.Random(seed)
    ready = _spawned.Event()
    victim = _spawned.Process(target=_die_on_the_way, args=(folder, ready))
    victim.start()
    assert ready.wait(60)
    victim.join(chance.random() * 0.4)
    assert victim.pid is not None
    os.kill(victim.pid, signal.SIGKILL)
    victim.join()
    graph = opened(folder)
    files = {path for path, *_ in graph.contents()["file"]}
    assert files in (set(FILES), set(BOTH)), seed
    assert graph.verify() == []
    wanted = source.commit(BOTH)
    catch_up(graph, source, wanted)
    fresh = opened(folder.with_name("fresh"))
    catch_up(fresh, source, wanted)
    assert graph.contents() == fresh.contents()


# -- threads
def test_threads_ask_while_one_writes(folder: Path, source: MemorySource) -> None:
    graph = built(folder, source)
    commits = [source.commit(BOTH), source.commit(FILES)]
    wrong: list[object] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            try:
                found = graph.known([ADA])[ADA].mentions
                if found not in (len(FILES), len(BOTH)):
                    wrong.append(found)
                graph.search("quine")
                graph.connected([ADA, "hashtag:t1", "hashtag:t2"], 4)
                graph.group(ADA)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told
                wrong.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        for commit in commits:
            catch_up(graph, source, commit)
    over.set()
    for thread in threads:
        thread.join()
    assert wrong == []
