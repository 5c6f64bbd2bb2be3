"""VectorWriter: changes of files become chunks, chunks become vectors, once a text.

Vectors reach the log first, in batches; the state that speaks of them is committed last. So a run that ends in between, for any
reason, leaves the old state and a longer log, and the next run finds what is already embedded at the log's end.

A model may be so slow that nobody should wait for it. Then a run embeds as long as it may and leaves the rest pending: the state
names those chunks, and they are embedded later, without a lock, and kept a few at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from memtree.indexers.base import IndexCorrupt, Source
from memtree.indexers.embedder import ContextEmbedder, Embedder, EmbedderBroken, TokenCodes, Vectors
from memtree.indexers.vector_log import Record, VectorLog, model_digest
from memtree.indexers.vector_logs import drop_logs, opened_log
from memtree.indexers.vector_state import Stamp, VectorState
from memtree.tree.chunks import Chunk, chunk
from memtree.tree.kinds import is_binary, kind_of
from memtree.tree.objects import Change
from memtree.tree.paths import RepoPath

_BATCH = 128
_BATCH_IN_HASTE = 8  # after so many texts the clock is looked at
# Rows that no chunk needs are a store for undo and other branches until they are the larger part.
_COMPACT_FROM = 1_000


class OtherDimensions(IndexCorrupt):
    """The model answers with vectors of another length than the log holds: its vectors cannot be kept."""


class VectorWriter:
    """One change of the index in the making, inside the state's transaction and the index' lock.

    `late` says whether the time is over in which texts may be embedded; nothing is left pending without it.
    """

    def __init__(
        self, state: VectorState, folder: str, embedder: Embedder, content_root: str, late: Callable[[], bool] | None = None
    ) -> None:
        self._state = state
        self._folder = folder
        self._embedder = embedder
        self._content_root = content_root
        self._late = late
        self._batch = _BATCH if late is None else _BATCH_IN_HASTE
        self._waiting: dict[bytes, tuple[int, Chunk]] = {}
        self.stamp = state.stamp()
        self.said: list[str] = []
        self._log: VectorLog | None = None
        self._model = model_digest(embedder.model_id)
        self._rows = self.stamp.rows
        self._changes = 0

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def recover(self) -> None:
        """Open the log, keep the vectors that a run left there before it ended, cut what it did not finish."""
        log = opened_log(self._folder, self.stamp.log, self._model)
        if log is None:
            return
        self._log = log
        if log.count < self._rows:
            raise IndexCorrupt(f"the vector log is cut off: {log.count:,} of {self._rows:,} vectors are left")
        left: list[Record] = []
        for record in log.whole(self._rows):
            if record is None:
                break
            left.append(record)
        self._state.learn(left)
        self._state.settle()
        self._rows += len(left)
        if log.truncate(self._rows):
            self.said.append("vectors that an interrupted run had not finished were dropped")

    def write(self, change: Change, source: Source, *, fresh: bool) -> None:
        """Take over one file's change."""
        self._changes += 1
        if not fresh:
            for path in {change.path, change.old_path} - {None}:
                self._state.forget(str(path))
        if change.after is None or not change.after.is_file:
            return
        pieces = pieces_of(change.path, change.after.id, source)
        turn = pieces[0].turn.key if pieces[0].turn else None
        kind = kind_of(change.path, self._content_root)
        self._state.add(change.path, kind, turn, [(piece, self._row(piece)) for piece in pieces])

    def keep(self, pieces: Sequence[Chunk], vectors: Vectors, tokens: Sequence[TokenCodes]) -> None:
        """Take over what was made of some chunks by `embedded`, outside of any lock; what is known by now is left."""
        names = [bytes.fromhex(piece.hash) for piece in pieces]
        new = [number for number, name in enumerate(names) if self._state.row_of(name) is None]
        if new:
            self._append([names[number] for number in new], vectors[new], [tokens[number] for number in new] if tokens else [])

    def finish(self, stamp: Stamp) -> None:
        """Embed the rest and record the stamp; the caller commits, then calls `tidy`."""
        self._embed()
        self._state.settle()
        if self._log is not None and self._worth_compacting():
            self._compact(self._log)
        if self._log is not None and self._rows != self.stamp.rows:
            self._log.sync()
        self._state.set(replace(stamp, log=self._log.token if self._log else "", rows=self._rows))

    def tidy(self, *, others: bool = False) -> None:
        """Drop logs that nothing refers to any more; with `others` also what other models made."""
        drop_logs(self._folder, self._log.token if self._log else "", self._model, others=others)

    def _row(self, piece: Chunk) -> int | None:
        """The row that a chunk's vector has or is going to have; None where there is no time for it."""
        name = bytes.fromhex(piece.hash)
        if name in self._waiting:
            return self._waiting[name][0]
        row = self._state.row_of(name)
        if row is None:
            if len(self._waiting) >= self._batch:
                self._embed()
            if self._late is not None and self._late():
                return None
            # Rows are handed out in the order in which the log will hold them.
            row = self._rows + len(self._waiting)
            self._waiting[name] = row, piece
        return row

    def _embed(self) -> None:
        waiting = [*self._waiting.items()]
        for start in range(0, len(waiting), _BATCH):
            part = waiting[start : start + _BATCH]
            vectors, tokens = embedded(self._embedder, [one for _, (_, one) in part])
            self._append([name for name, _ in part], vectors, tokens)
        self._waiting.clear()

    def _append(self, names: Sequence[bytes], vectors: Vectors, tokens: Sequence[TokenCodes]) -> None:
        width = vectors.shape[1]
        if self._log is None:
            token_width = self._embedder.token_width if isinstance(self._embedder, ContextEmbedder) else 0
            self._log = VectorLog.create(self._folder, self._model, width, token_width)
        if self._log.dimensions != width:
            raise OtherDimensions(f"the model now has {width:,} dimensions, the index was built with {self._log.dimensions:,}")
        self._log.append(names, vectors, tokens)
        self._state.learn(Record(row, name) for row, name in enumerate(names, self._rows))
        self._rows += len(names)

    # -- compaction
    def drop_dead(self) -> bool:
        """Leave no vector that no chunk refers to; return whether there was any. The caller commits, then calls `tidy`."""
        self.recover()
        if self._log is None or len(self._state.live_rows()) == self._rows:
            return False
        self._compact(self._log)
        self._state.set(replace(self.stamp, log=self._log.token, rows=self._rows))
        return True

    def _worth_compacting(self) -> bool:
        # Counting looks at every chunk, so a save that changes little does it only now and then.
        much = self._changes * 5 >= _COMPACT_FROM or self._rows // _COMPACT_FROM > self.stamp.rows // _COMPACT_FROM
        return much and self._rows >= _COMPACT_FROM and self._state.live_count() * 2 < self._rows

    def _compact(self, log: VectorLog) -> None:
        kept = self._state.live_rows()
        compact = VectorLog.create(self._folder, log.model, log.dimensions, log.token_width)
        try:
            compact.copy(log, kept)
            compact.sync()
        except BaseException:
            compact.close()
            compact.unlink()
            raise
        self._state.renumber(kept)
        self._log, self._rows = compact, len(kept)
        log.close()


def pieces_of(path: RepoPath, blob: str, source: Source) -> list[Chunk]:
    """A file's chunks."""
    return chunk(path, b"" if is_binary(path) else source.blob(blob))


def embedded(embedder: Embedder, pieces: Sequence[Chunk]) -> tuple[Vectors, list[TokenCodes]]:
    """What a model makes of chunks; tokens where it has them, those of turns alone, which are ranked by them."""
    texts = [piece.passage for piece in pieces]
    if not isinstance(embedder, ContextEmbedder):
        return _checked(embedder.embed(texts), len(texts)), []
    vectors, tokens = embedder.embed_with_tokens(texts)
    kept = [codes if piece.turn is not None else codes[:0] for codes, piece in zip(tokens, pieces, strict=True)]
    return _checked(vectors, len(texts)), kept


def _checked(vectors: Vectors, count: int) -> Vectors:
    if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
        raise EmbedderBroken(f"the embedder answered {count} texts with vectors of shape {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise EmbedderBroken("the embedder answered with vectors that are no numbers")
    return vectors
