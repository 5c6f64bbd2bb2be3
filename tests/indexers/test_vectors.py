"""VectorIndex keeps every index's promises, embeds nothing twice, and says so when something was lost."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest

from memtree.indexers import vectors
from memtree.indexers.base import Index, IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.indexers.catch_up import catch_up
from memtree.indexers.embedder import EmbedderBroken, EmbedderUnavailable
from memtree.indexers.query import Query
from memtree.indexers.vectors import VectorIndex
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.source_names import Place
from support.hash_embedder import HashEmbedder
from support.index_suite import IndexSuite, Recorder
from support.memory_source import MemorySource

FILES = {f"notes/{number:03}.md": f"# Note {number}\nhello words {number} w{number}\n".encode() for number in range(120)}


class TestSuite(IndexSuite):
    def make_source(self, folder: Path) -> Recorder:
        return MemorySource()

    def make_index(self, folder: Path) -> Index:
        return VectorIndex.open(folder, "settings", HashEmbedder())

    def dump(self, index: Index) -> object:
        assert isinstance(index, VectorIndex)
        queries = ["head", "words here", "北京大学", "long text", "t", "x y", "a md", "broken"]
        found = [index.nearest(HashEmbedder().embed_query(text), 7) for text in queries]
        return index.contents(), [[(one.path, one.ordinal, one.score) for one in hits] for hits in found]


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def model() -> HashEmbedder:
    return HashEmbedder()


def built(folder: Path, source: MemorySource, model: HashEmbedder | None = None) -> VectorIndex:
    index = VectorIndex.open(folder, "settings", model or HashEmbedder())
    catch_up(index, source, source.commit(FILES))
    return index


def ask(index: VectorIndex, text: str, k: int = 10, allowed: Query | None = None) -> list[str]:
    return [one.path for one in index.nearest(HashEmbedder().embed_query(text), k, allowed=allowed)]


def log_file(folder: Path) -> Path:
    (found,) = (folder / "v2").glob("vectors-*.log")
    return found


# -- embedding once
def test_nothing_is_embedded_twice(folder: Path, source: MemorySource, model: HashEmbedder) -> None:
    index = built(folder, source, model)
    first = index.position()
    assert first is not None
    assert len(model.seen) == len(set(model.seen)) == len(FILES)
    moved = {path.replace("notes/", "elsewhere/"): data for path, data in FILES.items()}
    catch_up(index, source, source.commit(moved))
    catch_up(index, source, first)
    catch_up(index, source, source.commit({**FILES, "copy.md": FILES["notes/007.md"]}))
    assert len(model.seen) == len(FILES)
    assert sorted(ask(index, "note 7 hello words w7", 2)) == ["copy.md", "notes/007.md"]
    catch_up(index, source, source.commit({**FILES, "new.md": b"# Fresh\n"}))
    assert len(model.seen) == len(FILES) + 1


def test_a_rebuild_keeps_the_vectors(folder: Path, source: MemorySource, model: HashEmbedder) -> None:
    index = built(folder, source, model)
    expected = index.contents()
    index.clear()
    assert (index.position(), index.contents(), ask(index, "hello")) == (None, [], [])
    report = catch_up(index, source, source.commit(FILES))
    assert report.rebuilt
    assert index.contents() == expected
    assert len(model.seen) == len(FILES)


def test_a_rebuild_under_other_settings_keeps_the_vectors(folder: Path, source: MemorySource, model: HashEmbedder) -> None:
    built(folder, source, model).close()
    index = VectorIndex.open(folder, "other settings", model)
    report = catch_up(index, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built under other settings")
    assert len(model.seen) == len(FILES)


def test_another_model_embeds_anew_and_the_first_one_finds_its_vectors_again(folder: Path, source: MemorySource) -> None:
    built(folder, source).close()
    old, other = log_file(folder), HashEmbedder("hash/2", 16)
    index = VectorIndex.open(folder, "settings", other)
    report = catch_up(index, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built with another model, hash/1")
    assert len(other.seen) == len(FILES)
    assert old.exists()
    assert index.nearest(other.embed_query("note 7"), 1)
    index.close()
    first = HashEmbedder()
    again = VectorIndex.open(folder, "settings", first)
    assert catch_up(again, source, source.commit({**FILES, "new.md": b"fresh"})).rebuilt
    assert first.seen == ["new\nfresh"]
    assert [one.path for one in again.nearest(first.embed_query("fresh new"), 1)] == ["new.md"]


def test_what_is_forgotten_leaves_the_logs_of_other_models_too(folder: Path, source: MemorySource) -> None:
    built(folder, source).close()
    old, other = log_file(folder), HashEmbedder("hash/2", 16)
    index = VectorIndex.open(folder, "settings", other)
    catch_up(index, source, source.commit(FILES))
    index.compact()
    assert not old.exists()
    assert index.nearest(other.embed_query("note 7"), 1)


def test_a_model_that_changes_its_dimensions_under_one_name_leads_to_a_rebuild(folder: Path, source: MemorySource) -> None:
    built(folder, source).close()
    wider = HashEmbedder(dimensions=40)
    index = VectorIndex.open(folder, "settings", wider)
    report = catch_up(index, source, source.commit({**FILES, "new.md": b"fresh"}))
    assert report.rebuilt
    assert "40 dimensions" in report.reason
    assert len(index.nearest(wider.embed_query("fresh"), 3)) == 3
    with pytest.raises(EmbedderBroken):
        index.nearest(np.ones(24), 1)


# -- an embedder that is away
def test_an_embedder_that_fails_midway_loses_nothing(folder: Path, source: MemorySource) -> None:
    model = HashEmbedder()
    index = built(folder, source, model)
    first, before = index.position(), index.contents()
    files = {**FILES, **{f"more/{number}.md": f"more {number}".encode() for number in range(300)}}
    commit = source.commit(files)
    model.fail_after = len(FILES) + 256
    with pytest.raises(EmbedderUnavailable):
        catch_up(index, source, commit)
    assert (index.position(), index.contents()) == (first, before)
    assert ask(index, "hello", 1)
    model.fail_after = None
    assert not catch_up(index, source, commit).rebuilt
    assert len(model.seen) == len(set(model.seen)) == len(files)


def test_a_first_build_that_fails_midway_loses_nothing(folder: Path, source: MemorySource) -> None:
    files = {f"{number}.md": f"text {number}".encode() for number in range(300)}
    model = HashEmbedder(fail_after=256)
    index = VectorIndex.open(folder, "settings", model)
    commit = source.commit(files)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            catch_up(index, source, commit)
        assert index.position() is None
    model.fail_after = None
    catch_up(index, source, commit)
    assert len(model.seen) == len(files)


# -- asking
def test_neighbours_say_where_they_lie(folder: Path, source: MemorySource) -> None:
    files = {
        "a.md": b"---\ndate: 2020-01-01\n---\n# A\nalpha\n# B\nbeta\n",
        "memory_tree/content/episodic/s1/000012.md": b"gamma\n",
    }
    index = VectorIndex.open(folder, "settings", HashEmbedder())
    catch_up(index, source, source.commit(files))
    (beta,) = index.nearest(HashEmbedder().embed_query("B beta"), 1)
    assert (beta.path, beta.ordinal, beta.start_line, beta.end_line, beta.kind) == ("a.md", 1, 6, 7, Kind.NOTE)
    assert (beta.time, beta.session, beta.seq) == (1577836800, None, None)
    (gamma,) = index.nearest(HashEmbedder().embed_query("gamma"), 1)
    assert (gamma.kind, gamma.session, gamma.seq) == (Kind.EPISODE, "s1", 12)
    known = index.scores(HashEmbedder().embed_query("gamma"), [(gamma.path, 0), ("a.md", 7), ("gone.md", 0)])
    assert known == [pytest.approx(gamma.score), None, None]


def test_k_may_be_anything(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    assert [len(ask(index, "hello words", k)) for k in (-1, 0, 1, 119, 10_000)] == [0, 0, 1, 119, 120]


def test_a_query_without_meaning_finds_nothing(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    assert ask(index, "") == []
    assert index.search(Query("  ")) == []


FILTERED = {
    "memory_tree/content/facts/ab/one.md": b"---\ndate: 2020-01-01\n---\nshared words",
    "memory_tree/content/recap/s/000001-000009.md": b"shared words",
    "notes/2024-05-01.md": b"shared words",
    "notes/deep/x.md": b"shared words",
    "notes.md": b"shared words",
    "notesy/x.md": b"shared words",
    "What?.md": b"shared words",
    "MEMORY.md": b"shared words",
}
FILTERS: dict[str, tuple[Query, set[str]]] = {
    "kind": (Query("", kinds=(Kind.FACT, Kind.MEMORY)), {"memory_tree/content/facts/ab/one.md", "MEMORY.md"}),
    "folder": (Query("", path="notes/"), {"notes/2024-05-01.md", "notes/deep/x.md"}),
    "file": (Query("", path="notes.md"), {"notes.md"}),
    "glob": (Query("", path="notes/*.md"), {"notes/2024-05-01.md"}),
    "deep glob": (Query("", path="n*/**/*.md"), {"notes/2024-05-01.md", "notes/deep/x.md", "notesy/x.md"}),
    "name glob": (Query("", path="x.*"), {"notes/deep/x.md", "notesy/x.md"}),
    "letter": (Query("", path="What?.md"), {"What?.md"}),
    "since": (Query("", since=1_700_000_000), {"notes/2024-05-01.md"}),
    "window": (
        Query("", since=0, until=1_600_000_000, changed=frozenset({"notes.md", "notes/2024-05-01.md"})),
        {"memory_tree/content/facts/ab/one.md", "notes.md"},
    ),
    "far": (Query("", since=-(10**30), until=10**30), {"memory_tree/content/facts/ab/one.md", "notes/2024-05-01.md"}),
    "together": (Query("", kinds=(Kind.NOTE,), path="notes", until=10**10), {"notes/2024-05-01.md"}),
    "nothing": (Query("", path="nowhere"), set()),
    "kind of place": (Query("", places=(Place(Kind.FACT),)), {"memory_tree/content/facts/ab/one.md"}),
    "places": (
        Query("", places=(Place(Kind.MEMORY), Place(Kind.NOTE, "notes"))),
        {"MEMORY.md", "notes/2024-05-01.md", "notes/deep/x.md"},
    ),
    "place of another kind": (Query("", places=(Place(Kind.FACT, "notes"),)), set()),
    "right in a place": (Query("", places=(Place(Kind.NOTE, "notes", direct=True),)), {"notes/2024-05-01.md"}),
    "place and window": (Query("", since=0, places=(Place(Kind.NOTE),)), {"notes/2024-05-01.md"}),
    "place with a quote": (Query("", places=(Place(Kind.NOTE, "it's?*%\ud800"),)), set()),
}


@pytest.mark.parametrize("name", sorted(FILTERS))
@pytest.mark.parametrize("graph", [False, True])
def test_filters(folder: Path, source: MemorySource, name: str, graph: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "GRAPH_FROM", 1)
    index = VectorIndex.open(folder, "settings", HashEmbedder())
    catch_up(index, source, source.commit(FILTERED))
    if graph:
        assert index.warm()
    allowed, expected = FILTERS[name]
    assert set(ask(index, "shared words", 20, allowed)) == expected


# -- damage
def _cut(path: Path, share: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


@pytest.mark.parametrize("damage", ["cut", "gone", "empty", "header", "garbage"])
def test_a_damaged_log_is_found_and_healed(folder: Path, source: MemorySource, model: HashEmbedder, damage: str) -> None:
    index = built(folder, source, model)
    expected = index.contents()
    index.close()
    file = log_file(folder)
    match damage:
        case "cut":
            _cut(file, 0.5)
        case "gone":
            file.unlink()
        case "empty":
            _cut(file, 0)
        case "header":
            file.write_bytes(b"x" + file.read_bytes()[1:])
        case _:
            data = file.read_bytes()
            file.write_bytes(data[: len(data) // 2] + b"\x7b" * (len(data) // 2))
    index = VectorIndex.open(folder, "settings", model)
    with pytest.raises(IndexCorrupt):
        index.nearest(model.embed_query("hello"), 1)
    with pytest.raises(IndexCorrupt):
        index.position()
    report = catch_up(index, source, source.commit(FILES))
    assert report.rebuilt
    assert "log" in report.reason
    assert index.contents() == expected
    assert index.verify() == []
    kept = {"cut": 0.4, "garbage": 0.4}.get(damage, 0)
    assert len(model.seen) < len(FILES) * (2 - kept) + 1


def test_a_flipped_bit_is_found_by_verify(folder: Path, source: MemorySource, model: HashEmbedder) -> None:
    index = built(folder, source, model)
    assert index.verify() == []
    file = log_file(folder)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert index.verify() == [file.name]
    assert catch_up(index, source, source.commit(FILES)).rebuilt
    assert index.verify() == []
    assert len(model.seen) == len(FILES) + 1


@pytest.mark.parametrize("damage", ["cut", "gone", "empty", "garbage", "tables"])
def test_a_damaged_state_is_healed_without_embedding(folder: Path, source: MemorySource, model: HashEmbedder, damage: str) -> None:
    index = built(folder, source, model)
    expected = index.contents()
    index.close()
    file = folder / "v2" / "state.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as state:
        state.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if damage == "tables":
            state.execute("DROP TABLE meta")
    match damage:
        case "cut":
            _cut(file, 0.5)
        case "gone":
            file.unlink()
        case "empty":
            _cut(file, 0)
        case "garbage":
            file.write_bytes(os.urandom(file.stat().st_size))
    index = VectorIndex.open(folder, "settings", model)
    report = catch_up(index, source, source.commit(FILES))
    assert report.rebuilt
    assert report.reason
    assert index.contents() == expected
    assert len(model.seen) == len(FILES)


def test_a_torn_end_is_dropped_and_said(folder: Path, source: MemorySource, model: HashEmbedder) -> None:
    index = built(folder, source, model)
    with log_file(folder).open("ab") as file:
        file.write(b"half a record, and then the power went" * 4)
    assert index.position() is not None
    catch_up(index, source, source.commit({**FILES, "new.md": b"fresh"}))
    assert index.said == ["vectors that an interrupted run had not finished were dropped"]
    assert ask(index, "new fresh", 1) == ["new.md"]
    assert index.verify() == []


def test_another_version_rebuilds(folder: Path, source: MemorySource, monkeypatch: pytest.MonkeyPatch) -> None:
    built(folder, source).close()
    monkeypatch.setattr(vectors, "VERSION", 99)
    index = VectorIndex.open(folder, "settings", HashEmbedder())
    report = catch_up(index, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built by another version")
    assert sorted(os.listdir(folder)) == ["lock", "v99"]


def test_a_folder_that_cannot_be_written_is_no_damage(tmp_path: Path, source: MemorySource) -> None:
    (tmp_path / "index").write_text("a file where the folder should be")
    index = VectorIndex.open(tmp_path / "index", "settings", HashEmbedder())
    with pytest.raises(IndexUnwritable):
        catch_up(index, source, source.commit(FILES))


# -- dead rows
def test_a_log_that_is_mostly_dead_is_compacted(
    folder: Path, source: MemorySource, model: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtree.indexers.vector_writer._COMPACT_FROM", 100)
    index = built(folder, source, model)
    reader = VectorIndex.open(folder, "settings", model)
    assert ask(reader, "note 7", 1)
    before = log_file(folder)
    size = before.stat().st_size
    few = dict(list(FILES.items())[:50])
    catch_up(index, source, source.commit(few))
    assert log_file(folder) != before
    assert log_file(folder).stat().st_size < size / 2
    for one in (index, reader):
        assert [path for path, *_ in one.contents()] == sorted(few)
        assert ask(one, "note 7 hello words w7", 1) == ["notes/007.md"]
    assert index.verify() == []
    catch_up(index, source, source.commit(FILES))
    assert len(model.seen) == len(FILES) + 70


# -- several processes
def test_two_writers_exclude_each_other_and_readers_go_on(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    other = VectorIndex.open(folder, "settings", HashEmbedder())
    commit = source.commit({**FILES, "new.md": b"fresh"})
    assert other.position() is not None
    met: list[str] = []

    def progress(_: int) -> None:
        for attempt in (other.clear, lambda: other.apply([], source, commit)):
            with pytest.raises(IndexBusy):
                attempt()
        assert len(ask(other, "hello words")) == 10
        assert "new.md" not in ask(other, "new fresh", 1_000)
        met.append("busy")

    catch_up(index, source, commit, progress)
    assert met == ["busy"]
    assert ask(other, "new fresh", 1) == ["new.md"]


def test_a_position_that_moved_meanwhile_is_not_written_over(folder: Path, source: MemorySource) -> None:
    slow, quick = built(folder, source), VectorIndex.open(folder, "settings", HashEmbedder())
    start = slow.position()
    first = source.commit({"a.md": b"one"})
    second = source.commit({"a.md": b"two"})
    catch_up(quick, source, second)
    with pytest.raises(IndexBusy):
        slow.apply(source.changes(start, first), source, first)
    assert quick.position() == second
    assert catch_up(slow, source, first).before == second


def test_another_process_heals_the_index_under_an_open_reader(folder: Path, source: MemorySource) -> None:
    reader = built(folder, source)
    assert ask(reader, "hello")
    writer = VectorIndex.open(folder, "settings", HashEmbedder())
    writer.clear()
    assert ask(reader, "hello") == []
    catch_up(writer, source, source.commit(FILES))
    assert ask(reader, "hello")


def _die(folder: Path, place: str) -> None:
    """Apply 300 new files and die: while embedding, after the log's last bytes, or in the middle of them."""
    source, model = MemorySource(), HashEmbedder()
    index = built(folder, source, model)
    commit = source.commit({f"new/{number}.md": f"fresh {number}".encode() for number in range(300)})
    from memtree.indexers.vector_log import VectorLog

    if place == "embedding":
        catch_up(index, source, commit, lambda count: os._exit(9) if count == 200 else None)
    if place == "synced":
        real = VectorLog.sync
        VectorLog.sync = lambda self: (real(self), os._exit(9))  # type: ignore[assignment,return-value]
    if place == "torn":
        write = VectorLog._write
        VectorLog._write = lambda self, data: (write(self, data[: len(data) // 2 + 3]), os._exit(9))  # type: ignore[assignment,return-value]
    catch_up(index, source, commit)


@pytest.mark.parametrize(("place", "kept"), [("embedding", 128), ("synced", 300), ("torn", 64)])
def test_a_killed_process_leaves_the_old_state_and_its_vectors(
    folder: Path, source: MemorySource, model: HashEmbedder, place: str, kept: int
) -> None:
    victim = multiprocessing.get_context("spawn").Process(target=_die, args=(folder, place))
    victim.start()
    victim.join()
    assert victim.exitcode == 9
    first = source.commit(FILES)
    index = VectorIndex.open(folder, "settings", model)
    assert index.position() == first
    assert [path for path, *_ in index.contents()] == sorted(FILES)
    commit = source.commit({f"new/{number}.md": f"fresh {number}".encode() for number in range(300)})
    report = catch_up(index, source, commit)
    assert (report.before, report.rebuilt) == (first, False)
    assert len(model.seen) == 300 - kept
    assert len(index.contents()) == 300
    assert index.verify() == []


def _write_many(folder: Path, rounds: int) -> None:
    source = MemorySource()
    index = VectorIndex.open(folder, "settings", HashEmbedder())
    for number in range(rounds):
        if number == rounds // 2:
            index.clear()
        catch_up(index, source, source.commit({**FILES, "a.md": f"round {number}".encode()}))


def test_searching_while_another_process_writes(folder: Path, source: MemorySource) -> None:
    reader = built(folder, source)
    writer = multiprocessing.get_context("spawn").Process(target=_write_many, args=(folder, 12))
    writer.start()
    searches = 0
    while writer.is_alive() or not searches:
        assert len(ask(reader, "hello words")) in (0, 10)
        assert len(reader.contents()) in (0, len(FILES), len(FILES) + 1)
        searches += 1
        time.sleep(0.001)
    writer.join()
    assert writer.exitcode == 0
    assert ask(reader, "a round 11", 1) == ["a.md"]


def test_symlinks_are_not_indexed(folder: Path, source: MemorySource) -> None:
    from memtree.tree.objects import SYMLINK, Change, ChangeKind, Entry
    from memtree.tree.paths import RepoPath

    index = built(folder, source)
    change = Change(ChangeKind.MODIFIED, RepoPath("notes/001.md"), None, Entry(SYMLINK, "0" * 40))
    index.apply([change], source, CommitId("f" * 40))
    assert "notes/001.md" not in [path for path, *_ in index.contents()]
