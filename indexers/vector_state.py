"""VectorState: which chunk has which vector, and the commit that this is true of, in one SQLite file.

`vector` knows the row of every hash in the log; `chunk` speaks of rows that are alive, `pending` of what is not embedded yet.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, MutableSet
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memtree.indexers.sqlite_file import SqliteFile
from memtree.indexers.vector_filter import EVERYTHING, Filter, matches_glob
from memtree.indexers.vector_log import Record, Rows
from memtree.tree.chunks import Chunk
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE vector (hash BLOB PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, session TEXT, seq INTEGER);
CREATE TABLE chunk (
    file INTEGER NOT NULL, ordinal INTEGER NOT NULL, row INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    time INTEGER, PRIMARY KEY (file, ordinal)
) WITHOUT ROWID;
CREATE INDEX chunk_row ON chunk (row);
CREATE TABLE pending (
    file INTEGER NOT NULL, ordinal INTEGER NOT NULL, hash BLOB NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    time INTEGER, PRIMARY KEY (file, ordinal)
) WITHOUT ROWID;
"""
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


class Coverage(NamedTuple):
    """How many chunks have a vector, and how many have none yet."""

    embedded: int = 0
    pending: int = 0


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the index says of itself: its commit, what shaped it, and the log with the number of its rows that count."""

    commit: CommitId | None = None
    fingerprint: str = ""
    model: str = ""
    log: str = ""
    rows: int = 0


class VectorState(SqliteFile):
    """An open connection. One thread at a time."""

    name = "vector index"
    schema = _SCHEMA

    def __init__(self, path: str, *, writable: bool = False) -> None:
        super().__init__(path, writable=writable)
        with self._translated():
            self._sql.create_function("in_glob", 2, matches_glob, deterministic=True)

    # -- the stamp
    def stamp(self) -> Stamp:
        return Stamp(**dict(self.rows("SELECT key, value FROM meta")))

    def set(self, stamp: Stamp) -> None:
        values = (("commit", stamp.commit), ("fingerprint", stamp.fingerprint), ("model", stamp.model))
        self.run_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", (*values, ("log", stamp.log), ("rows", stamp.rows)))

    # -- vectors
    def row_of(self, name: bytes) -> int | None:
        """The row that a chunk with this hash has in the log."""
        found = self.rows("SELECT row FROM vector WHERE hash = ?", name)
        return int(found[0][0]) if found else None

    def learn(self, records: Iterable[Record]) -> None:
        """Remember what the log holds; of two records with one hash the first counts."""
        self.run_many("INSERT OR IGNORE INTO vector VALUES (?, ?)", ((one.hash, one.row) for one in records))

    def live_rows(self) -> Rows:
        """Rows that some chunk refers to, rising."""
        return _array(self.rows("SELECT DISTINCT row FROM chunk ORDER BY row"))

    def alive_among(self, rows: Iterable[int]) -> list[int]:
        """Those of the given rows that some chunk refers to."""
        found = self.rows("SELECT DISTINCT row FROM chunk WHERE row IN (SELECT value FROM json_each(?))", _list(rows))
        return [int(row) for (row,) in found]

    def live_count(self) -> int:
        return int(self.rows("SELECT COUNT(DISTINCT row) FROM chunk")[0][0])

    def renumber(self, kept: Rows) -> None:
        """Let the row `kept[n]` be row n from now on; every other row is gone."""
        self.run("CREATE TEMP TABLE moved (old INTEGER PRIMARY KEY, new INTEGER)")
        self.run_many("INSERT INTO moved VALUES (?, ?)", ((int(old), new) for new, old in enumerate(kept)))
        self.run("DELETE FROM vector WHERE row NOT IN (SELECT old FROM moved)")
        for table in ("vector", "chunk"):
            self.run(f"UPDATE {table} SET row = (SELECT new FROM moved WHERE old = row)")  # noqa: S608
        self.run("DROP TABLE moved")

    # -- chunks
    def forget(self, path: str) -> None:
        """Drop a file's chunks; their vectors stay."""
        for table in ("chunk", "pending"):
            self.run(f"DELETE FROM {table} WHERE file = (SELECT id FROM file WHERE path = ?)", path)  # noqa: S608
        self.run("DELETE FROM file WHERE path = ?", path)

    def add(self, path: str, kind: Kind, turn: tuple[str, int] | None, chunks: Iterable[tuple[Chunk, int | None]]) -> None:
        """Record a file's chunks, each with its row in the log, None for one that is not embedded yet.

        `turn` is an episode's session and number.
        """
        session, seq = turn or (None, None)
        made = self.run("INSERT INTO file (path, kind, session, seq) VALUES (?, ?, ?, ?)", path, kind.value, session, seq)
        rows: dict[str, list[tuple[object, ...]]] = {"chunk": [], "pending": []}
        for one, row in chunks:
            table, what = ("chunk", row) if row is not None else ("pending", bytes.fromhex(one.hash))
            rows[table].append((made, one.ordinal, what, one.start_line, one.end_line, one.time))
        for table, values in rows.items():
            self.run_many(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?)", values)  # noqa: S608

    def settle(self) -> None:
        """Let every pending chunk whose text has a vector by now be one like the others."""
        if not self.has_pending():
            return
        done = "FROM pending JOIN vector USING (hash)"
        self.run(f"INSERT INTO chunk SELECT file, ordinal, row, first, last, time {done}")
        self.run("DELETE FROM pending WHERE hash IN (SELECT hash FROM vector)")

    def pending_paths(self) -> list[str]:
        """The files with chunks that are not embedded yet."""
        return [path for (path,) in self.rows("SELECT path FROM file WHERE id IN (SELECT file FROM pending)")]

    def pending_hashes(self) -> MutableSet[str]:
        """The hashes of the texts that are not embedded yet, as chunks have them."""
        return {name for (name,) in self.rows("SELECT DISTINCT lower(hex(hash)) FROM pending")}

    def coverage(self) -> Coverage:
        counts = (self.rows(f"SELECT COUNT(*) FROM {table}")[0][0] for table in ("chunk", "pending"))  # noqa: S608
        return Coverage(*counts)

    def has_pending(self) -> bool:
        return bool(self.rows("SELECT 1 FROM pending LIMIT 1"))

    def rows_at(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The rows of some chunks, by path and ordinal; those that have none are left out."""
        sql = (
            "SELECT file.path, ordinal, row FROM json_each(?) AS asked"
            " CROSS JOIN file ON file.path = json_extract(asked.value, '$[0]')"
            " CROSS JOIN chunk ON chunk.file = file.id AND ordinal = json_extract(asked.value, '$[1]')"
        )
        return {(path, ordinal): row for path, ordinal, row in self.rows(sql, json.dumps([*places]))}

    def admitted(self, wanted: Filter) -> Rows:
        """Rows of the chunks that a filter admits, rising."""
        # Files first: what a filter says of a path is asked once a file.
        sql = f"SELECT chunk.row FROM file CROSS JOIN chunk ON chunk.file = file.id WHERE {wanted.sql}"  # noqa: S608
        return np.unique(_array(self.rows(sql, *wanted.values)))

    def neighbours(self, scores: dict[int, float], wanted: Filter = EVERYTHING) -> list[Neighbour]:
        """The admitted chunks of some rows, in no order; a row that no chunk refers to has none."""
        sql = (
            "SELECT chunk.row, file.path, ordinal, first, last, kind, time, session, seq FROM json_each(?) AS asked"  # noqa: S608
            " CROSS JOIN chunk ON chunk.row = asked.value CROSS JOIN file ON file.id = chunk.file WHERE " + wanted.sql
        )
        return [
            Neighbour(RepoPath(path), ordinal, first, last, scores[row], _KINDS[kind], time, session, seq)
            for row, path, ordinal, first, last, kind, time, session, seq in self.rows(sql, _list(scores), *wanted.values)
        ]

    def row_at(self, path: str, ordinal: int) -> int | None:
        """The row of one chunk."""
        sql = "SELECT row FROM chunk JOIN file ON file.id = chunk.file WHERE path = ? AND ordinal = ?"
        found = self.rows(sql, path, ordinal)
        return int(found[0][0]) if found else None

    def contents(self) -> list[tuple[str, int, str, int, int]]:
        """Path, ordinal, hash, first and last line of every chunk, sorted: two indexes of one commit have equal contents."""
        every = "FROM chunk JOIN file ON file.id = chunk.file JOIN vector USING (row)"
        return sorted(self.rows(f"SELECT path, ordinal, lower(hex(hash)), first, last {every}"))


def _array(rows: list[tuple[int]]) -> Rows:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


def _list(rows: Iterable[int]) -> str:
    return json.dumps([*rows])
