"""vector: the nearest chunks of a query's vector, through the graph; beside looking at every vector.

The vectors are the default model's, of the corpus' chunks, in the index that searches use. Queries are paragraphs and sentences of
notes that are not in it. Words drawn at random have no topics, so chunks lie far apart from each other and from what is asked: this
is the hard case for a graph, harder than any real text that was tried.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memtree.indexers.catch_up import catch_up
from memtree.indexers.embedder import Vectors
from memtree.indexers.vectors import VectorIndex
from memtree.indexers.wordllama_model import WordLlamaEmbedder
from memtree.tools.bench.corpus import notes
from memtree.tools.bench.ground import Ground
from memtree.tools.bench.measure import Result, Series, figure, peak_memory, ratio, timed
from memtree.tree.chunks import chunk
from memtree.tree.objects import FILE, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath

_NEAREST = 10
_SENTENCE = re.compile(r"(?<=[.。])\s*")


def vector(ground: Ground, files: int, repetitions: int) -> Result:
    """Build an index of `files` chunks and ask `repetitions` queries of both kinds, with and without the graph."""
    model, folder = WordLlamaEmbedder(), ground.new("vectors")
    asked = {kind: model.embed(texts) for kind, texts in _queries(ground.seed + 1, repetitions).items()}
    source = _Corpus(ground.seed, files)
    index = VectorIndex.open(Path(folder), "bench", model)
    embedding = _embedding(model, source)
    _, building = timed(lambda: catch_up(index, source, CommitId("0" * 40)))
    exact, wanted = _ask(index, asked)
    _, graph = timed(lambda: index.warm(at_least=1))
    quick, found = _ask(index, asked)
    size = {name: os.path.getsize(path) for name, path in _files(folder)}
    index.close()
    return {
        "files": files,
        "chunks": source.chunks,
        "repetitions": len(quick.costs),
        "recall_at_10": figure(_recall(wanted["paragraphs"], found["paragraphs"])),
        "recall_at_10_of_sentences": figure(_recall(wanted["sentences"], found["sentences"])),
        "memtree_ms": figure(quick.median),
        "memtree_p95_ms": figure(quick.p95),
        "exact_ms": figure(exact.median),
        "exact_p95_ms": figure(exact.p95),
        "ratio": ratio(exact.median, quick.median),
        "chunks_per_cpu_second": figure(embedding),
        "index_seconds": figure(building.wall / 1000),
        "index_cpu_seconds": figure(building.cpu / 1000),
        "graph_seconds": figure(graph.wall / 1000),
        "graph_cpu_seconds": figure(graph.cpu / 1000),
        "disk_mib": figure(sum(size.values()) / 2**20),
        "peak_mib": figure(peak_memory() / 2**20),
    }


class _Corpus:
    """A source of one commit: notes until there are enough chunks. Holds their bytes, which no repository could give quicker."""

    def __init__(self, seed: int, chunks: int) -> None:
        self.chunks = 0
        self._files: dict[str, bytes] = {}
        for path, data in notes(chunks, seed):
            if self.chunks >= chunks:
                break
            self._files[path] = data
            self.chunks += len(chunk(RepoPath(path), data))

    def changes(self, before: CommitId | None, after: CommitId) -> Iterator[Change]:
        assert before is None, f"{after} is the only commit"
        for path in self._files:
            yield Change(ChangeKind.ADDED, RepoPath(path), None, Entry(FILE, path))

    def blob(self, id: str) -> bytes:  # noqa: A002 - the protocol's word
        return self._files[id]

    def has_commit(self, id: str) -> bool:  # noqa: A002
        return bool(id)

    def passages(self, count: int) -> list[str]:
        every = (piece.passage for path, data in self._files.items() for piece in chunk(RepoPath(path), data))
        return [*itertools.islice(every, count)]


def _embedding(model: WordLlamaEmbedder, source: _Corpus) -> float:
    """How many chunks the model embeds in a second of processor time."""
    texts = source.passages(2_000)
    _, cost = timed(lambda: model.embed(texts))
    return len(texts) / max(cost.cpu / 1000, 1e-6)


def _queries(seed: int, count: int) -> dict[str, list[str]]:
    paragraphs = [data.decode().split("\n\n")[3] for _, data in notes(count, seed)]
    return {"paragraphs": paragraphs, "sentences": [_SENTENCE.split(text)[0] for text in paragraphs]}


def _ask(index: VectorIndex, asked: dict[str, Vectors]) -> tuple[Series, dict[str, list[set[tuple[str, int]]]]]:
    series = Series()
    index.nearest(next(iter(asked.values()))[0], _NEAREST)
    found: dict[str, list[set[tuple[str, int]]]] = {kind: [] for kind in asked}
    for kind, queries in asked.items():
        for query in queries:
            hits = series.time(lambda one=query: index.nearest(one, _NEAREST))  # type: ignore[misc]
            found[kind].append({(hit.path, hit.ordinal) for hit in hits})
    return series, found


def _recall(wanted: list[set[tuple[str, int]]], found: list[set[tuple[str, int]]]) -> float:
    return float(np.mean([len(one & other) / max(1, len(one)) for one, other in zip(wanted, found, strict=True)]))


def _files(folder: str) -> Iterator[tuple[str, str]]:
    for where, _, names in os.walk(folder):
        yield from ((name, os.path.join(where, name)) for name in names)
