"""SqliteFile: a file of SQLite's that an index keeps its state in, opened so that what goes wrong with it is told in our errors.

Everything changes in one transaction with the position. In write-ahead mode readers keep seeing the state they began with while a
writer commits.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memtree.indexers.base import IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.tree.errors import Error

FILE_NAME = "state.sqlite"

_WAIT = 5.0  # seconds for another process' commit, which takes milliseconds
_REFUSALS = ("disk is full", "readonly", "unable to open", "disk I/O")


class SqliteFile:
    """An open connection. One thread at a time. Subclasses say what they are (`name`, for messages) and their tables (`schema`).

    `optional` are tables that not every build of SQLite can make; where it cannot they are left out.
    """

    name = "index"
    schema = ""
    optional = ""

    def __init__(self, path: str, *, writable: bool = False) -> None:
        if self._is_cut(path):
            raise IndexCorrupt(f"the {self.name} is damaged: {FILE_NAME} is cut off")
        with self._translated():
            self._sql = sqlite3.connect(
                # A reader opens read-only: only so can it not, closing last, clear away a log that a new folder's file needs.
                f"file:{_quoted(path)}?mode={'rw' if writable else 'ro'}",
                uri=True,
                timeout=_WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
            # Power loss may cost the last commit, never the file.
            self._sql.execute("PRAGMA synchronous = NORMAL")

    @classmethod
    def create(cls, path: str) -> None:
        """Make an empty state."""
        with cls._translated():
            made = sqlite3.connect(path)
            try:
                # One transaction each: every table alone would wait for the disk.
                made.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN; {cls.schema} COMMIT;")
                try:
                    made.executescript(f"BEGIN; {cls.optional} COMMIT;")
                except sqlite3.OperationalError as error:
                    if "no such module" not in str(error):
                        raise
            finally:
                made.close()

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self._sql.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, for a writer."""
        with self._translated():
            self._sql.execute("BEGIN IMMEDIATE")
        try:
            yield
            with self._translated():
                self._sql.execute("COMMIT")
        except BaseException:
            self.end()
            raise

    def begin(self) -> None:
        """Begin one unchanging view, for a reader."""
        with self._translated():
            self._sql.execute("BEGIN")

    def end(self) -> None:
        """End a view; drop what a transaction did."""
        with contextlib.suppress(sqlite3.Error):
            self._sql.execute("ROLLBACK")

    def vacuum(self) -> None:
        """Write the file anew, so that nothing is left of deleted rows; raise IndexBusy while another process reads what was."""
        self.run("VACUUM")
        if self.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            raise IndexBusy(f"the {self.name} is being read by another process")

    def settle(self) -> None:
        """Bring what was committed into the file itself, and give the space beside it back; later if it is being read."""
        with contextlib.suppress(IndexBusy):
            self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def is_whole(self) -> bool:
        """Whether the file is sound. Reads everything once."""
        return bool(self.rows("PRAGMA quick_check(1)") == [("ok",)])

    # -- what subclasses ask and write with
    def rows(self, sql: str, *values: object) -> list[Any]:
        with self._translated():
            return self._sql.execute(sql, values).fetchall()

    def run(self, sql: str, *values: object) -> int:
        """Change something; return the id of the row that was last put in."""
        with self._translated():
            return self._sql.execute(sql, values).lastrowid or 0

    def run_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        with self._translated():
            self._sql.executemany(sql, values)

    @classmethod
    @contextlib.contextmanager
    def _translated(cls) -> Iterator[None]:
        """Turn what SQLite raises into our errors."""
        try:
            yield
        except sqlite3.Error as error:
            raise cls._as_ours(error) from error

    @classmethod
    def _as_ours(cls, error: sqlite3.Error) -> Error:
        text = str(error)
        if "locked" in text:
            return IndexBusy(f"the {cls.name} is being written by another process")
        if any(sign in text for sign in _REFUSALS):
            return IndexUnwritable(f"the {cls.name} cannot be used: {text}")
        return IndexCorrupt(f"the {cls.name} is damaged: {text}")

    @classmethod
    def _is_cut(cls, path: str) -> bool:
        """Whether the file is shorter than its header says: SQLite itself only notices when it needs a page that is missing."""
        with contextlib.suppress(OSError):
            if os.path.getsize(f"{path}-wal"):
                return False  # the last pages may still be there
        try:
            with open(path, "rb") as file:
                header = file.read(32)
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError as error:
            raise IndexCorrupt(f"the {cls.name} is damaged: {FILE_NAME} is gone") from error
        page = int.from_bytes(header[16:18], "big")
        return size < 512 or (65_536 if page == 1 else page) * int.from_bytes(header[28:32], "big") > size


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
