"""The graph finds what looking at everything finds, follows deletes and later rows, and a snapshot is trusted only when whole."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers import vector_graph, vectors
from memtree.indexers.catch_up import catch_up
from memtree.indexers.embedder import Vectors, normalised
from memtree.indexers.vector_graph import DamagedGraph, VectorGraph
from memtree.indexers.vector_log import VectorLog, model_digest, widen
from memtree.indexers.vectors import VectorIndex
from support.hash_embedder import HashEmbedder
from support.memory_source import MemorySource

WIDTH = 24


def some_vectors(count: int, seed: int = 1) -> Vectors:
    return normalised(np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[VectorLog]:
    made = VectorLog.create(str(tmp_path), model_digest("m"), WIDTH)
    made.append([os.urandom(16) for _ in range(700)], some_vectors(700))
    yield made
    made.close()


@given(st.lists(st.integers(0, 65_535), min_size=1, max_size=200))
def test_widening_is_what_numpy_does(bits: list[int]) -> None:
    halves = np.array(bits, np.uint16).view(np.float16)
    out = np.empty(len(bits), np.float32)
    widen(halves, out)
    finite = np.isfinite(halves)
    assert np.array_equal(out[finite], halves[finite].astype(np.float32))
    assert (np.abs(out[~finite]) >= 65_536).all()


@given(st.sets(st.integers(0, 699)), st.integers(1, 64))
def test_scores_do_not_depend_on_how_rows_are_read(rows: set[int], block: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        log = VectorLog.create(folder, model_digest("m"), WIDTH)
        vectors_ = some_vectors(700)
        log.append([bytes(16)] * 700, vectors_)
        log._block = block
        wanted, query = np.array(sorted(rows), np.int64), vectors_[3]
        every = log.scores(query, 0, 700)
        assert log.scores_of(query, wanted) == pytest.approx(every[wanted], abs=1e-6)
        assert log.exact_scores(query, wanted) == pytest.approx(every[wanted], abs=1e-6)
        other = VectorLog.create(folder, model_digest("m"), WIDTH)
        other.copy(log, wanted)
        assert np.array_equal(other.vectors(0, other.count), log.vectors(0, 700)[wanted])
        assert None not in list(other.whole())
        log.close()
        other.close()


def test_a_graph_finds_what_looking_at_everything_finds(log: VectorLog) -> None:
    graph = VectorGraph.build(log, 700)
    for query in some_vectors(20, seed=2):
        exact = np.argsort(-log.scores(query, 0, 700))[:10]
        assert set(graph.nearest(query, 10) or {}) == set(exact.tolist())


def test_a_graph_grows_before_it_is_full(log: VectorLog) -> None:
    graph = VectorGraph(log.token, WIDTH, 10)
    for start in range(0, 700, 70):
        graph.extend(log.vectors(start, start + 70))
    assert (graph.covered, graph.alive) == (700, 700)
    assert next(iter(graph.nearest(some_vectors(700)[650], 1) or {})) == 650


def test_k_is_clamped_to_what_is_alive(log: VectorLog) -> None:
    graph = VectorGraph.build(log, 700)
    graph.mark(np.array([1, 2, 3]))
    query = some_vectors(1)[0]
    assert set(graph.nearest(query, 1_000) or {}) == {1, 2, 3}
    graph.mark(np.arange(700))
    assert len(graph.nearest(query, 1_000) or {}) == 700
    graph.mark(np.array([], np.int64))
    assert graph.nearest(query, 5) == {}


def test_rows_of_zeros_are_in_nobodys_neighbourhood(log: VectorLog) -> None:
    log.append([bytes(16)] * 3, np.zeros((3, WIDTH), np.float32))
    graph = VectorGraph.build(log, 703)
    assert (graph.covered, graph.alive) == (703, 700)


def test_a_snapshot_is_loaded_with_its_deletes_and_grows_on(tmp_path: Path, log: VectorLog) -> None:
    graph = VectorGraph.build(log, 600)
    graph.mark(np.arange(300))
    graph.save(str(tmp_path))
    loaded = VectorGraph.load(str(tmp_path), log, 700)
    assert loaded is not None
    assert (loaded.covered, loaded.saved, loaded.alive) == (600, 600, 300)
    loaded.mark(np.arange(600))
    loaded.extend(log.vectors(600, 700))
    query = some_vectors(1, seed=3)[0]
    assert set(loaded.nearest(query, 10) or {}) == set(np.argsort(-log.scores(query, 0, 700))[:10].tolist())
    for _ in range(3):
        loaded.save(str(tmp_path))
    assert len(list(tmp_path.glob("graph-*"))) == 1


def test_a_snapshot_of_another_log_or_of_the_future_is_none(tmp_path: Path, log: VectorLog) -> None:
    VectorGraph.build(log, 700).save(str(tmp_path))
    other = VectorLog.create(str(tmp_path), model_digest("m"), WIDTH)
    assert VectorGraph.load(str(tmp_path), other, 700) is None
    assert VectorGraph.load(str(tmp_path), log, 699) is None
    other.close()


@pytest.mark.parametrize("part", ["graph", "note"])
@pytest.mark.parametrize("damage", ["cut", "empty", "flip", "garbage", "json"])
def test_a_damaged_snapshot_is_not_trusted(tmp_path: Path, log: VectorLog, part: str, damage: str) -> None:
    VectorGraph.build(log, 700).save(str(tmp_path))
    (file,) = tmp_path.glob("graph.json" if part == "note" else "graph-*.hnsw")
    data = file.read_bytes()
    changed = {
        "cut": data[: len(data) // 2],
        "empty": b"",
        "flip": data[:50] + bytes([data[50] ^ 1]) + data[51:],
        "garbage": os.urandom(len(data)),
        "json": json.dumps({"log": log.token, "rows": "many"}).encode(),
    }[damage]
    file.write_bytes(changed)
    if part == "note" and damage == "flip":
        return  # may have become the note of another log, which is none
    with pytest.raises(DamagedGraph):
        VectorGraph.load(str(tmp_path), log, 700)


def test_a_save_that_fails_leaves_the_old_snapshot(tmp_path: Path, log: VectorLog, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = VectorGraph.build(log, 600)
    graph.save(str(tmp_path))
    graph.extend(log.vectors(600, 700))

    def fail(*_: object) -> None:
        raise OSError("full")

    with monkeypatch.context() as patch:
        patch.setattr(vector_graph.os, "rename", fail)
        with pytest.raises(OSError, match="full"):
            graph.save(str(tmp_path))
    loaded = VectorGraph.load(str(tmp_path), log, 700)
    assert loaded is not None
    assert loaded.covered == 600
    assert sorted(path.suffix for path in tmp_path.glob("graph*")) == [".hnsw", ".json"]


# -- in an index
FILES = {
    f"notes/{number:03}.md": f"# Note {number}\nhello words {number} w{number} v{number * 7}\n".encode() for number in range(150)
}
QUERIES = [HashEmbedder().embed_query(f"note {number} words w{number}") for number in range(0, 150, 10)]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorIndex:
    monkeypatch.setattr(vectors, "GRAPH_FROM", 100)
    return VectorIndex.open(tmp_path / "index", "settings", HashEmbedder())


def answers(index: VectorIndex) -> list[list[tuple[str, float]]]:
    """Paths and scores; of those that equal the last one a graph may find others, so they go without a path."""
    found = [index.nearest(query, 5) for query in QUERIES]
    return [[(one.path if one.score > hits[-1].score else "", one.score) for one in hits] for hits in found]


def exactly(index: VectorIndex) -> list[list[tuple[str, float]]]:
    graph, index._graph = index._graph, None
    found = answers(index)
    index._graph = graph
    return found


def test_a_warm_index_answers_as_a_cold_one_whatever_happens(index: VectorIndex) -> None:
    source = MemorySource()
    assert not index.warm()
    first = source.commit(FILES)
    catch_up(index, source, first)
    cold = answers(index)
    assert index.warm()
    assert index._graph is not None
    assert answers(index) == cold
    few = {path: data for number, (path, data) in enumerate(FILES.items()) if number % 10}
    more = {f"more/{number}.md": f"note {number} words w{number}".encode() for number in range(30)}
    for files in ({**few, **more}, few, FILES, {}, {**FILES, **more}):
        catch_up(index, source, source.commit(files))
        assert answers(index) == exactly(index)
        assert index.warm()
        assert answers(index) == exactly(index)
    assert index.said == []


def test_the_snapshot_is_used_again_also_after_a_rebuild(
    index: VectorIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = MemorySource()
    catch_up(index, source, source.commit(FILES))
    index.warm()
    index.warm()
    index._save(index._graph)  # type: ignore[arg-type]
    expected = answers(index)
    index.clear()
    assert answers(index) == [[]] * len(QUERIES)
    catch_up(index, source, source.commit(FILES))
    monkeypatch.setattr(VectorGraph, "build", None)
    again = VectorIndex.open(tmp_path / "index", "settings", HashEmbedder())
    assert again.warm()
    assert answers(again) == expected


def test_a_damaged_snapshot_is_built_anew_and_said(index: VectorIndex, tmp_path: Path) -> None:
    source = MemorySource()
    catch_up(index, source, source.commit(FILES))
    index.warm()
    index._save(index._graph)  # type: ignore[arg-type]
    (file,) = (tmp_path / "index" / "v2").glob("graph-*")
    file.write_bytes(file.read_bytes()[:1000])
    again = VectorIndex.open(tmp_path / "index", "settings", HashEmbedder())
    assert again.warm()
    assert again.said == ["the vector graph was built anew: it is not what was saved"]
    assert answers(again) == exactly(again)


def test_a_compacted_log_leaves_the_old_graph_behind(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtree.indexers.vector_writer._COMPACT_FROM", 100)
    monkeypatch.setattr(vectors, "GRAPH_FROM", 10)
    source = MemorySource()
    catch_up(index, source, source.commit(FILES))
    index.warm()
    old = index._graph
    catch_up(index, source, source.commit(dict(list(FILES.items())[:40])))
    assert answers(index) == exactly(index)
    assert index.warm()
    assert index._graph is not old
    assert answers(index) == exactly(index)


def test_searching_while_the_graph_grows(index: VectorIndex) -> None:
    source = MemorySource()
    catch_up(index, source, source.commit(FILES))
    index.warm()
    stop, failures = threading.Event(), list[BaseException]()

    def search() -> None:
        try:
            while not stop.is_set():
                assert all(len(found) == 5 for found in answers(index))
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    searcher = threading.Thread(target=search, daemon=True)
    searcher.start()
    try:
        for number in range(6):
            files = {**FILES, **{f"more/{number}/{k}.md": f"note {k} more {number}".encode() for k in range(120)}}
            catch_up(index, source, source.commit(files))
            index.warm()
    finally:
        stop.set()
        searcher.join(60)
    assert failures == []
