"""VectorState: which chunk has which vector, and the commit that this is true of, in one SQLite file.

`vector` knows the row of every hash in the log; `chunk` speaks of rows that are alive. Everything changes in one transaction with
the position. In write-ahead mode readers keep seeing the state they began with while a writer commits.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from memtree.indexers.base import IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.indexers.vector_filter import EVERYTHING, Filter, matches_glob
from memtree.indexers.vector_log import Record, Rows
from memtree.tree.chunks import Chunk
from memtree.tree.errors import Error
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

FILE_NAME = "state.sqlite"
_WAIT = 5.0  # seconds for another process' commit, which takes milliseconds
_SCHEMA = """
PRAGMA journal_mode = WAL;
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vector (hash BLOB PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, session TEXT, seq INTEGER);
CREATE TABLE chunk (
    file INTEGER NOT NULL, ordinal INTEGER NOT NULL, row INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    time INTEGER, PRIMARY KEY (file, ordinal)
) WITHOUT ROWID;
CREATE INDEX chunk_row ON chunk (row);
"""
_REFUSALS = ("disk is full", "readonly", "unable to open", "disk I/O")


_KINDS = {kind.value: kind for kind in Kind}  # an enum's own call takes longer than all else of a row


class Neighbour(NamedTuple):
    """A chunk and how near it is: `score` is the cosine. Lines are 1-based and inclusive; `session` and `seq` are an episode's."""

    path: RepoPath
    ordinal: int
    start_line: int
    end_line: int
    score: float
    kind: Kind
    time: int | None
    session: str | None = None
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the index says of itself: its commit, what shaped it, and the log with the number of its rows that count."""

    commit: CommitId | None = None
    fingerprint: str = ""
    model: str = ""
    log: str = ""
    rows: int = 0


class VectorState:
    """An open connection. One thread at a time."""

    def __init__(self, path: str, *, writable: bool = False) -> None:
        if _is_cut(path):
            raise IndexCorrupt(f"the vector index is damaged: {FILE_NAME} is cut off")
        with translated():
            self._sql = sqlite3.connect(
                # A reader opens read-only: only so can it not, closing last, clear away a log that a new folder's file needs.
                f"file:{_quoted(path)}?mode={'rw' if writable else 'ro'}",
                uri=True,
                timeout=_WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
            # Power loss may cost the last commit, never the file; the log has the vectors by then.
            self._sql.execute("PRAGMA synchronous = NORMAL")
            self._sql.create_function("in_glob", 2, matches_glob, deterministic=True)

    @staticmethod
    def create(path: str) -> None:
        """Make an empty state."""
        with translated():
            made = sqlite3.connect(path)
            made.executescript(_SCHEMA)
            made.close()

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._sql.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, for a writer."""
        with translated():
            self._sql.execute("BEGIN IMMEDIATE")
        try:
            yield
            with translated():
                self._sql.execute("COMMIT")
        except BaseException:
            self.end()
            raise

    def begin(self) -> None:
        """Begin one unchanging view, for a reader."""
        with translated():
            self._sql.execute("BEGIN")

    def end(self) -> None:
        """End a view; drop what a transaction did."""
        with contextlib.suppress(sqlite3.Error):
            self._sql.execute("ROLLBACK")

    # -- the stamp
    def stamp(self) -> Stamp:
        return Stamp(**dict(self._rows("SELECT key, value FROM meta")))

    def set(self, stamp: Stamp) -> None:
        values = (("commit", stamp.commit), ("fingerprint", stamp.fingerprint), ("model", stamp.model))
        with translated():
            self._sql.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", (*values, ("log", stamp.log), ("rows", stamp.rows)))

    # -- vectors
    def row_of(self, name: bytes) -> int | None:
        """The row that a chunk with this hash has in the log."""
        found = self._rows("SELECT row FROM vector WHERE hash = ?", name)
        return int(found[0][0]) if found else None

    def learn(self, records: Iterable[Record]) -> None:
        """Remember what the log holds; of two records with one hash the first counts."""
        with translated():
            self._sql.executemany("INSERT OR IGNORE INTO vector VALUES (?, ?)", ((one.hash, one.row) for one in records))

    def live_rows(self) -> Rows:
        """Rows that some chunk refers to, rising."""
        return _array(self._rows("SELECT DISTINCT row FROM chunk ORDER BY row"))

    def alive_among(self, rows: Iterable[int]) -> list[int]:
        """Those of the given rows that some chunk refers to."""
        found = self._rows("SELECT DISTINCT row FROM chunk WHERE row IN (SELECT value FROM json_each(?))", _list(rows))
        return [int(row) for (row,) in found]

    def live_count(self) -> int:
        return int(self._rows("SELECT COUNT(DISTINCT row) FROM chunk")[0][0])

    def renumber(self, kept: Rows) -> None:
        """Let the row `kept[n]` be row n from now on; every other row is gone."""
        with translated():
            self._sql.execute("CREATE TEMP TABLE moved (old INTEGER PRIMARY KEY, new INTEGER)")
            self._sql.executemany("INSERT INTO moved VALUES (?, ?)", ((int(old), new) for new, old in enumerate(kept)))
            self._sql.execute("DELETE FROM vector WHERE row NOT IN (SELECT old FROM moved)")
            for table in ("vector", "chunk"):
                self._sql.execute(f"UPDATE {table} SET row = (SELECT new FROM moved WHERE old = row)")  # noqa: S608
            self._sql.execute("DROP TABLE moved")

    # -- chunks
    def forget(self, path: str) -> None:
        """Drop a file's chunks; their vectors stay."""
        with translated():
            self._sql.execute("DELETE FROM chunk WHERE file = (SELECT id FROM file WHERE path = ?)", (path,))
            self._sql.execute("DELETE FROM file WHERE path = ?", (path,))

    def add(self, path: str, kind: Kind, turn: tuple[str, int] | None, chunks: Iterable[tuple[Chunk, int]]) -> None:
        """Record a file's chunks, each with its row in the log. `turn` is an episode's session and number."""
        session, seq = turn or (None, None)
        with translated():
            made = self._sql.execute(
                "INSERT INTO file (path, kind, session, seq) VALUES (?, ?, ?, ?)", (path, kind.value, session, seq)
            )
            self._sql.executemany(
                "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?)",
                ((made.lastrowid, one.ordinal, row, one.start_line, one.end_line, one.time) for one, row in chunks),
            )

    def admitted(self, wanted: Filter) -> Rows:
        """Rows of the chunks that a filter admits, rising."""
        # Files first: what a filter says of a path is asked once a file.
        sql = f"SELECT chunk.row FROM file CROSS JOIN chunk ON chunk.file = file.id WHERE {wanted.sql}"  # noqa: S608
        return np.unique(_array(self._rows(sql, *wanted.values)))

    def neighbours(self, scores: dict[int, float], wanted: Filter = EVERYTHING) -> list[Neighbour]:
        """The admitted chunks of some rows, in no order; a row that no chunk refers to has none."""
        sql = (
            "SELECT chunk.row, file.path, ordinal, first, last, kind, time, session, seq FROM json_each(?) AS asked"  # noqa: S608
            " CROSS JOIN chunk ON chunk.row = asked.value CROSS JOIN file ON file.id = chunk.file WHERE " + wanted.sql
        )
        return [
            Neighbour(RepoPath(path), ordinal, first, last, scores[row], _KINDS[kind], time, session, seq)
            for row, path, ordinal, first, last, kind, time, session, seq in self._rows(sql, _list(scores), *wanted.values)
        ]

    def row_at(self, path: str, ordinal: int) -> int | None:
        """The row of one chunk."""
        sql = "SELECT row FROM chunk JOIN file ON file.id = chunk.file WHERE path = ? AND ordinal = ?"
        found = self._rows(sql, path, ordinal)
        return int(found[0][0]) if found else None

    def contents(self) -> list[tuple[str, int, str, int, int]]:
        """Path, ordinal, hash, first and last line of every chunk, sorted: two indexes of one commit have equal contents."""
        every = "FROM chunk JOIN file ON file.id = chunk.file JOIN vector USING (row)"
        return sorted(self._rows(f"SELECT path, ordinal, lower(hex(hash)), first, last {every}"))

    def vacuum(self) -> None:
        """Write the file anew, so that nothing is left of deleted rows."""
        with translated():
            self._sql.execute("VACUUM")
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def is_whole(self) -> bool:
        """Whether the file is sound. Reads everything once."""
        return bool(self._rows("PRAGMA quick_check(1)") == [("ok",)])

    def _rows(self, sql: str, *values: object) -> list[Any]:
        with translated():
            return self._sql.execute(sql, values).fetchall()


def _is_cut(path: str) -> bool:
    """Whether the file is shorter than its header says: SQLite itself only notices when it needs a page that is missing."""
    with contextlib.suppress(OSError):
        if os.path.getsize(f"{path}-wal"):
            return False  # the last pages may still be there
    try:
        with open(path, "rb") as file:
            header = file.read(32)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError as error:
        raise IndexCorrupt(f"the vector index is damaged: {FILE_NAME} is gone") from error
    page = int.from_bytes(header[16:18], "big")
    return size < 512 or (65_536 if page == 1 else page) * int.from_bytes(header[28:32], "big") > size


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Turn what SQLite raises into our errors."""
    try:
        yield
    except sqlite3.Error as error:
        raise _as_ours(error) from error


def _as_ours(error: sqlite3.Error) -> Error:
    text = str(error)
    if "locked" in text:
        return IndexBusy("the vector index is being written by another process")
    if any(sign in text for sign in _REFUSALS):
        return IndexUnwritable(f"the vector index cannot be used: {text}")
    return IndexCorrupt(f"the vector index is damaged: {text}")


def _array(rows: list[tuple[int]]) -> Rows:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


def _list(rows: Iterable[int]) -> str:
    return json.dumps([*rows])


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
