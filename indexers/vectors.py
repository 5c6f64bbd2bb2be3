"""VectorIndex: meanings to chunks. The same life as the text index: diff-driven, one position, rebuilt by itself.

    folder/lock                 held by the one process that writes
    folder/v2/state.sqlite      position, hash -> row, chunks; chunks that are not embedded yet
    folder/v2/vectors-*.log     the vectors, append-only; they outlive a rebuild, and the use of another model
    folder/v2/tokens-*.log      their tokens' vectors, where the model reads whole texts
    folder/v2/graph.json, .hnsw a snapshot of the graph, for processes that live long

Search is exact unless `warm` has put a graph into memory, which pays only above GRAPH_FROM vectors and in a process that stays.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memtree.indexers.base import IndexBusy, IndexCorrupt, Source
from memtree.indexers.embedder import Embedder, EmbedderBroken, TokenCodes, Vectors
from memtree.indexers.home import Home
from memtree.indexers.query import Hit, Query
from memtree.indexers.sqlite_file import FILE_NAME
from memtree.indexers.vector_filter import filter_of
from memtree.indexers.vector_graph import DamagedGraph, VectorGraph, link, remove_graph
from memtree.indexers.vector_log import VectorLog, model_digest
from memtree.indexers.vector_logs import keep_others, salvage
from memtree.indexers.vector_pending import pending_pieces
from memtree.indexers.vector_reader import VectorReader
from memtree.indexers.vector_search import nearest
from memtree.indexers.vector_state import Coverage, Neighbour, Stamp, VectorState
from memtree.indexers.vector_writer import OtherDimensions, VectorWriter, embedded
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.objects import Change, CommitId
from memtree.tree.paths import RepoPath

VERSION = 2

# Vectors: looking at every one of 20,000 takes 1.5 ms.
GRAPH_FROM = 20_000
_STEP = 64  # rows added to a graph in use at a time: a search waits some 20 ms at most


class VectorIndex:
    """An `Index` over the vectors of every chunk. Opening reads nothing and asks the embedder nothing.

    `said` collects what a person should know: interrupted work that was dropped, a damaged graph. `patience` is how many seconds
    `apply` may embed, None for as long as it takes; what is left then is pending, is found by its words, and `complete` goes on.
    """

    def __init__(
        self,
        folder: str,
        fingerprint: str,
        embedder: Embedder,
        content_root: str,
        patience: float | None,
        clock: Callable[[], float],
    ) -> None:
        self._patience = patience
        self._clock = clock
        self._home = Home(folder, VERSION, FILE_NAME)
        self._fingerprint = f"{fingerprint}|{content_root}"
        self._embedder = embedder
        self._content_root = content_root
        self._reader = VectorReader(self._home)
        self._warming = threading.Lock()
        self._graph: VectorGraph | None = None
        self._seen: Stamp | None = None
        self._unfit = False
        self.said: list[str] = []

    @classmethod
    def open(
        cls,
        folder: Path,
        fingerprint: str,
        embedder: Embedder,
        *,
        content_root: str = CONTENT_ROOT,
        patience: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> VectorIndex:
        """Return the index in `folder`; `fingerprint` names the settings that shape its content, beside the embedder's model."""
        return cls(str(folder), fingerprint, embedder, content_root, patience, clock)

    def close(self) -> None:
        """Let go of files and of the graph."""
        self._reader.close()
        self._graph = None

    # -- the life of an index
    def position(self) -> CommitId | None:
        """Return the commit this index reflects, None when it must be built from nothing; raise IndexCorrupt if damaged."""
        stamp = self._reader.stamp()
        self._seen = stamp
        return stamp.commit if self._fits(stamp) else None

    def vacancy(self) -> str:
        """Say why `position` is None, '' when it is not."""
        stamp = self._reader.stamp()
        if stamp.commit is None:
            foreign = not self._home.exists() and self._home.versions()
            return "it was built by another version" if foreign else "it was never built"
        if stamp.model != self._embedder.model_id:
            return f"it was built with another model, {stamp.model}"
        return "" if self._fits(stamp) else "it was built under other settings"

    def apply(self, changes: Iterable[Change], source: Source, to: CommitId, progress: Callable[[int], None] | None = None) -> int:
        """Bring the index to `to`, all or nothing; return the number of paths. See `Index.apply` for what is raised.

        EmbedderUnavailable and EmbedderBroken pass through; what was embedded by then is kept and not embedded again.
        """
        with self._home.locked():
            if not self._home.exists():
                self._home.replace(self._create)
            with self._reader.noting_damage(), contextlib.closing(self._writable()) as state:
                writer = self._writer(state, self._patience)
                with contextlib.closing(writer), state.transaction():
                    count = self._written(writer, changes, source, to, progress)
                writer.tidy()
            self._seen = None
            return count

    def complete(self, source: Source, seconds: float, progress: Callable[[int], None] | None = None) -> Coverage:
        """Embed what is pending, for about so many seconds, and return how far that is now; `progress` hears how many it were.

        The index is locked only for the moments in which a few vectors are kept. Raises what `apply` raises; what was kept by then
        stays.
        """
        until = self._clock() + seconds
        done = 0
        for some in pending_pieces(self._reader, source):
            vectors, tokens = embedded(self._embedder, some)
            with self._home.locked(), self._reader.noting_damage(), contextlib.closing(self._writable()) as state:
                writer = self._writer(state, None)
                if not self._fits(writer.stamp):
                    break  # built anew meanwhile, by other settings
                with contextlib.closing(writer), state.transaction():
                    writer.recover()
                    writer.keep(some, vectors, tokens)
                    writer.finish(writer.stamp)
                self._seen = None
            done += len(some)
            if progress:
                progress(done)
            if self._clock() > until:
                break
        return self.coverage()

    def coverage(self) -> Coverage:
        """How many chunks are embedded, and how many are not yet."""
        with self._reader.moment() as state:
            return state.coverage() if state is not None else Coverage()

    def has_pending(self) -> bool:
        """Whether there are chunks that are not embedded yet; quicker than counting."""
        with self._reader.moment() as state:
            return state is not None and state.has_pending()

    def _writer(self, state: VectorState, patience: float | None) -> VectorWriter:
        until = None if patience is None else self._clock() + patience
        late = None if until is None else lambda: self._clock() > until
        return VectorWriter(state, self._home.path, self._embedder, self._content_root, late)

    def _written(
        self, writer: VectorWriter, changes: Iterable[Change], source: Source, to: CommitId, progress: Callable[[int], None] | None
    ) -> int:
        if self._seen not in (None, writer.stamp):
            raise IndexBusy("another process has moved the index meanwhile")
        writer.recover()
        self.said += writer.said
        count = 0
        try:
            for count, change in enumerate(changes, 1):
                writer.write(change, source, fresh=writer.stamp.commit is None)
                if progress:
                    progress(count)
            writer.finish(Stamp(to, self._fingerprint, self._embedder.model_id))
        except OtherDimensions:
            self._unfit = True
            raise
        return count

    def clear(self) -> None:
        """Empty the index, whatever state it is in; vectors of the same model are kept for the texts that come again."""
        with self._home.locked():
            self._reader.close()
            self._home.replace(self._create)
            self._reader.forget_damage()
            self._unfit = False
            self._seen = self._reader.stamp()

    def compact(self) -> None:
        """Drop the vectors that no chunk has any more, from every file: they tell something of texts that are gone."""
        with self._home.locked():
            if not self._home.exists():
                return
            self._reader.close()
            with contextlib.closing(self._writable()) as state:
                writer = self._writer(state, None)
                with contextlib.closing(writer), state.transaction():
                    dropped = writer.drop_dead()
                writer.tidy(others=True)
                state.vacuum()
            if dropped:
                self._graph = None
                remove_graph(self._home.path)
            self._seen = None

    def _create(self, folder: str) -> None:
        path = os.path.join(folder, FILE_NAME)
        VectorState.create(path)
        model = model_digest(self._embedder.model_id)
        keep_others(self._home.path, folder, model)
        if self._unfit:
            return
        log, records = salvage(self._home.path, folder, model)
        if log is None:
            return
        link(self._home.path, folder)
        with contextlib.closing(log), contextlib.closing(VectorState(path, writable=True)) as state, state.transaction():
            state.learn(records)
            state.set(Stamp(log=log.token, rows=log.count))

    # -- asking
    def nearest(self, vector: npt.ArrayLike, k: int, *, allowed: Query | None = None) -> list[Neighbour]:
        """Return the `k` chunks nearest to a vector, best first, fewer when there are fewer; `allowed` is read for its filters.

        An index that was never built has none. Raise EmbedderBroken when the vector has another length than the index' own.
        """
        with self._reader.view() as view:
            if view is None or k < 1:
                return []
            return nearest(view, self._graph, _query(vector, view.log), k, filter_of(allowed))

    def scores(self, vector: npt.ArrayLike, chunks: Sequence[tuple[str, int]]) -> list[float | None]:
        """Return how near given chunks (path, ordinal) are to a vector; None for a chunk that is not in the index."""
        with self._reader.view() as view:
            if view is None:
                return [None] * len(chunks)
            rows = [view.state.row_at(path, ordinal) for path, ordinal in chunks]
            known = np.array(sorted({row for row in rows if row is not None}), np.int64)
            scores = dict(zip(known.tolist(), view.log.exact_scores(_query(vector, view.log), known).tolist(), strict=True))
            return [None if row is None else scores[row] for row in rows]

    def read_again(self, chunks: Sequence[tuple[str, int]]) -> tuple[Vectors, list[TokenCodes]]:
        """What the model made of given chunks (path, ordinal): a vector each, and its tokens where they are kept.

        A chunk that is not there, or not embedded yet, has zeros and no tokens.
        """
        with self._reader.view() as view:
            if view is None:
                return np.zeros((len(chunks), self._embedder.dimensions), np.float32), [np.zeros((0, 1), np.int8)] * len(chunks)
            rows = view.state.rows_at(chunks)
            known = np.array(sorted(set(rows.values())), np.int64)
            vectors, tokens = view.log.rows_with_tokens(known)
            place = {row: number for number, row in enumerate(known.tolist())}
            at = [place[rows[one]] if one in rows else len(known) for one in chunks]
            every = np.concatenate([vectors, np.zeros((1, view.log.dimensions), np.float32)])
            none = np.zeros((0, max(1, view.log.token_width)), np.int8)
            return every[at], [tokens[number] if number < len(known) else none for number in at]

    def search(self, query: Query) -> list[Hit]:
        """Return the chunks nearest to the query's text; titles and words are the text index' to tell, these name the place."""
        if query.limit < 1 or not query.text.strip():
            return []
        stamp = self._reader.stamp()
        if stamp.commit is None:
            return []
        found = self.nearest(self._embedder.embed_query(query.text), query.limit, allowed=query)
        return [_hit(one, stamp.commit) for one in found]

    def contents(self) -> list[tuple[str, int, str, int, int]]:
        """Path, ordinal, hash, first and last line of every chunk, sorted: two indexes of one commit have equal contents."""
        with self._reader.view() as view:
            return view.state.contents() if view else []

    def size(self) -> int:
        """How many vectors the chunks have between them; the same text has one vector wherever it stands."""
        with self._reader.view() as view:
            return view.state.live_count() if view else 0

    def verify(self) -> list[str]:
        """Read the whole index and return the files that are damaged; if there are any, the next catch-up rebuilds it."""
        found = []
        try:
            with self._reader.view() as view:
                if view is None:
                    return []
                if not view.state.is_whole():
                    found.append(FILE_NAME)
                if any(record is None for record in view.log.whole()):
                    found.append(os.path.basename(view.log.path))
        except IndexCorrupt:
            found.append(FILE_NAME)
        if found:
            self._reader.note(IndexCorrupt(f"the vector index is damaged: {', '.join(found)}"))
        return found

    # -- the graph
    def warm(self, progress: Callable[[int], None] | None = None, *, at_least: int | None = None) -> bool:
        """Have a graph in memory that covers every vector; return whether there is one. For processes that live long.

        Loads the snapshot or builds it (about 3,000 vectors a second), adds what came since, and saves when that is much. Searches
        in other threads go on meanwhile. Call it again after catching up. An index of fewer than `at_least` vectors (GRAPH_FROM)
        has no graph.
        """
        with self._warming:
            with self._reader.view() as view:
                if view is None or view.rows < (GRAPH_FROM if at_least is None else at_least):
                    self._graph = None
                    return False
                stamp, live, path = view.stamp, view.state.live_rows(), view.log.path
            try:
                log = VectorLog(path)
            except FileNotFoundError:
                return False  # compacted meanwhile; the next call finds the new log
            with contextlib.closing(log):
                graph = self._found(log, stamp.rows) or VectorGraph.build(log, stamp.rows, progress)
                self._grow(graph, log, stamp.rows)
            with self._reader.turn:
                graph.mark(live)
                graph.hidden_at = stamp
                self._graph = graph
            if graph.covered - graph.saved > max(1_000, graph.covered // 10):
                self._save(graph)
            return True

    def _found(self, log: VectorLog, rows: int) -> VectorGraph | None:
        graph = self._graph
        if graph is not None and graph.token == log.token:
            return graph
        try:
            return VectorGraph.load(self._home.path, log, rows)
        except DamagedGraph as error:
            self.said.append(f"the vector graph was built anew: {error}")
            return None

    def _grow(self, graph: VectorGraph, log: VectorLog, rows: int) -> None:
        while graph.covered < rows:
            vectors = log.vectors(graph.covered, min(rows, graph.covered + _STEP))
            with self._reader.turn:
                graph.extend(vectors)
            # A lock that is taken again at once is never free for those who wait.
            time.sleep(0.0005)

    def _save(self, graph: VectorGraph) -> None:
        try:
            graph.save(self._home.path)
        except OSError as error:
            self.said.append(f"the vector graph was not saved: {error.strerror or error}")

    def _fits(self, stamp: Stamp) -> bool:
        return (stamp.fingerprint, stamp.model) == (self._fingerprint, self._embedder.model_id)

    def _writable(self) -> VectorState:
        return VectorState(os.path.join(self._home.path, FILE_NAME), writable=True)


def _query(vector: npt.ArrayLike, log: VectorLog) -> Vectors:
    query = np.ascontiguousarray(vector, np.float32)
    if query.shape != (log.dimensions,):
        raise EmbedderBroken(f"a vector of shape {query.shape} was asked for in an index of {log.dimensions} dimensions")
    return query


def _hit(one: Neighbour, commit: CommitId) -> Hit:
    title = RepoPath(one.path).name
    return Hit(one.path, one.kind, title, "", one.start_line, one.end_line, "", (), one.score, one.time, commit)
