"""VectorWriter: changes of files become chunks, chunks become vectors, once a text.

Vectors reach the log first, in batches; the state that speaks of them is committed last. So a run that ends in between, for any
reason, leaves the old state and a longer log, and the next run finds what is already embedded at the log's end.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memtree.indexers.base import IndexCorrupt, IndexUnwritable, Source
from memtree.indexers.embedder import Embedder, EmbedderBroken, Vectors
from memtree.indexers.vector_log import Record, VectorLog, log_name, model_digest
from memtree.indexers.vector_state import Stamp, VectorState
from memtree.tree.chunks import Chunk, chunk
from memtree.tree.kinds import is_binary, kind_of
from memtree.tree.objects import Change

_BATCH = 128
# Rows that no chunk needs are a store for undo and other branches until they are the larger part.
_COMPACT_FROM = 1_000
_LOG_NAME = re.compile(r"vectors-[0-9a-f]{32}\.log")


class OtherDimensions(IndexCorrupt):
    """The model answers with vectors of another length than the log holds: its vectors cannot be kept."""


class VectorWriter:
    """One `apply` in the making, inside the state's transaction and the index' lock."""

    def __init__(self, state: VectorState, folder: str, embedder: Embedder, content_root: str) -> None:
        self._state = state
        self._folder = folder
        self._embedder = embedder
        self._content_root = content_root
        self._waiting: dict[bytes, tuple[int, str]] = {}
        self.stamp = state.stamp()
        self.said: list[str] = []
        self._log: VectorLog | None = None
        self._rows = self.stamp.rows
        self._changes = 0

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def recover(self) -> None:
        """Open the log, keep the vectors that a run left there before it ended, cut what it did not finish."""
        log = _opened(self._folder, self.stamp.log, model_digest(self._embedder.model_id))
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
        data = b"" if is_binary(change.path) else source.blob(change.after.id)
        pieces = chunk(change.path, data)
        turn = pieces[0].turn.key if pieces[0].turn else None
        kind = kind_of(change.path, self._content_root)
        self._state.add(change.path, kind, turn, [(piece, self._row(piece)) for piece in pieces])
        if len(self._waiting) >= _BATCH:
            self._embed()

    def finish(self, stamp: Stamp) -> None:
        """Embed the rest and record the stamp; the caller commits, then calls `tidy`."""
        self._embed()
        if self._log is not None and self._worth_compacting():
            self._compact(self._log)
        if self._log is not None and self._rows != self.stamp.rows:
            self._log.sync()
        self._state.set(replace(stamp, log=self._log.token if self._log else "", rows=self._rows))

    def tidy(self) -> None:
        """Drop logs that nothing refers to any more."""
        kept = os.path.basename(self._log.path) if self._log else ""
        for name in os.listdir(self._folder):
            if name != kept and _LOG_NAME.fullmatch(name):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._folder, name))

    def _row(self, piece: Chunk) -> int:
        name = bytes.fromhex(piece.hash)
        if name in self._waiting:
            return self._waiting[name][0]
        row = self._state.row_of(name)
        if row is None:
            # Rows are handed out in the order in which the log will hold them.
            row = self._rows + len(self._waiting)
            self._waiting[name] = row, piece.passage
        return row

    def _embed(self) -> None:
        waiting = [*self._waiting.items()]
        for start in range(0, len(waiting), _BATCH):
            part = waiting[start : start + _BATCH]
            vectors = _checked(self._embedder.embed([text for _, (_, text) in part]), len(part))
            self._append([name for name, _ in part], vectors)
        self._waiting.clear()

    def _append(self, names: Sequence[bytes], vectors: Vectors) -> None:
        width = vectors.shape[1]
        if self._log is None:
            self._log = VectorLog.create(self._folder, model_digest(self._embedder.model_id), width)
        if self._log.dimensions != width:
            raise OtherDimensions(f"the model now has {width:,} dimensions, the index was built with {self._log.dimensions:,}")
        self._log.append(names, vectors)
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
        compact = VectorLog.create(self._folder, log.model, log.dimensions)
        try:
            compact.copy(log, kept)
            compact.sync()
        except BaseException:
            compact.close()
            os.unlink(compact.path)
            raise
        self._state.renumber(kept)
        self._log, self._rows = compact, len(kept)
        log.close()


def _checked(vectors: Vectors, count: int) -> Vectors:
    if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
        raise EmbedderBroken(f"the embedder answered {count} texts with vectors of shape {vectors.shape}")
    if not np.isfinite(vectors).all():
        raise EmbedderBroken("the embedder answered with vectors that are no numbers")
    return vectors


def _opened(folder: str, token: str, model: bytes) -> VectorLog | None:
    """The state's log, or the one of this model that a first run left before it committed anything."""
    if token:
        try:
            return VectorLog(os.path.join(folder, log_name(token)), writable=True)
        except FileNotFoundError as error:
            raise IndexCorrupt("the vector log is gone") from error
    return best_log(folder, model, writable=True)


def best_log(folder: str, model: bytes, *, writable: bool = False) -> VectorLog | None:
    """The log of this model with the most vectors in a folder, None when there is none that can be read."""
    best: VectorLog | None = None
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(filter(_LOG_NAME.fullmatch, os.listdir(folder))):
            with contextlib.suppress(OSError, IndexCorrupt):
                log = VectorLog(os.path.join(folder, name), writable=writable)
                if log.model == model and (best is None or log.count > best.count):
                    log, best = best, log  # type: ignore[assignment]
                if log is not None:
                    log.close()
    return best


def salvage(old: str, new: str, model: bytes) -> tuple[VectorLog | None, list[Record]]:
    """Bring the vectors of this model from an old folder into a new one, by a link when all are whole."""
    log = best_log(old, model)
    if log is None:
        return None, []
    records = [*log.whole()]
    good = [record for record in records if record is not None]
    try:
        if len(good) == len(records):
            path = os.path.join(new, os.path.basename(log.path))
            os.link(log.path, path)
            return VectorLog(path), good
        healthy = VectorLog.create(new, model, log.dimensions)
        healthy.copy(log, np.fromiter((record.row for record in good), np.int64, len(good)))
        healthy.sync()
        return healthy, [Record(row, record.hash) for row, record in enumerate(good)]
    except OSError as error:
        raise IndexUnwritable(f"the vectors cannot be written: {error.strerror}") from error
    finally:
        log.close()
