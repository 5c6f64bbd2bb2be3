"""VectorReader: the vector index as it is on disk now, read as one unchanging view at a time."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from memtree.indexers.base import IndexCorrupt
from memtree.indexers.home import Home
from memtree.indexers.vector_log import VectorLog, log_name
from memtree.indexers.vector_state import FILE_NAME, Stamp, VectorState

_TRIES = 5


@dataclass(frozen=True, slots=True)
class View:
    """An index at one moment: nothing that is committed meanwhile shows in it."""

    state: VectorState
    log: VectorLog
    stamp: Stamp

    @property
    def rows(self) -> int:
        """How many of the log's rows count."""
        return self.stamp.rows


class VectorReader:
    """Owns the files that are open for reading, and remembers damage until the folder is replaced."""

    def __init__(self, home: Home) -> None:
        self._home = home
        # Threads take turns: the connection is one, and a graph must not grow while it is searched.
        self.turn = threading.Lock()
        self._state: VectorState | None = None
        self._log: VectorLog | None = None
        self._mark: tuple[int, int] | None = None
        self._damage: tuple[int, str] | None = None

    def close(self) -> None:
        with self.turn:
            self._let_go()

    def stamp(self) -> Stamp:
        """What the index says of itself, an empty stamp when there is none; raise IndexCorrupt."""
        with self._moment() as (_, stamp, _):
            return stamp

    @contextlib.contextmanager
    def view(self) -> Iterator[View | None]:
        """The index as of now, None when it was never built or holds nothing."""
        with self._moment() as (state, stamp, log):
            yield View(state, log, stamp) if state and log and stamp.commit else None

    @contextlib.contextmanager
    def noting_damage(self) -> Iterator[None]:
        try:
            yield
        except IndexCorrupt as error:
            self.note(error)
            raise

    def note(self, error: IndexCorrupt) -> None:
        """Remember damage: it may show only in a search while the position stays readable, and then nothing would be rebuilt."""
        self._damage = (self._home.identity(), str(error))

    def forget_damage(self) -> None:
        self._damage = None

    @contextlib.contextmanager
    def _moment(self) -> Iterator[tuple[VectorState | None, Stamp, VectorLog | None]]:
        with self.turn:
            if not self._home.exists():
                self._let_go()
                yield None, Stamp(), None
                return
            with self.noting_damage():
                state, stamp, log = self._begun()
                try:
                    yield state, stamp, log
                finally:
                    state.end()

    def _begun(self) -> tuple[VectorState, Stamp, VectorLog | None]:
        """Begin a transaction, and open the log that its stamp names."""
        for _ in range(_TRIES):
            state = self._connected()
            state.begin()
            try:
                stamp = state.stamp()
                log = self._log_of(stamp)
            except FileNotFoundError:
                # The log was compacted between the two: the next transaction knows the new one.
                state.end()
                continue
            except BaseException:
                state.end()
                raise
            if self._mark is not None and self._mark[0] == self._home.identity():
                return state, stamp, log
            state.end()  # the folder was replaced meanwhile
        raise IndexCorrupt("the vector log is gone")

    def _connected(self) -> VectorState:
        try:
            mark = self._home.mark()
        except OSError as error:
            raise IndexCorrupt(f"the vector index is damaged: {FILE_NAME} is gone") from error
        if self._damage and self._damage[0] == mark.folder:
            raise IndexCorrupt(self._damage[1])
        if self._state is None or self._mark != (mark.folder, mark.file):
            self._let_go()
            self._state = VectorState(os.path.join(self._home.path, FILE_NAME))
            self._mark = mark.folder, mark.file
        return self._state

    def _log_of(self, stamp: Stamp) -> VectorLog | None:
        if not stamp.log:
            return None
        if self._log is None or self._log.token != stamp.log:
            if self._log is not None:
                self._log.close()
            self._log = None
            self._log = VectorLog(os.path.join(self._home.path, log_name(stamp.log)))
        if self._log.count < stamp.rows:
            raise IndexCorrupt(f"the vector log is cut off: {self._log.count:,} of {stamp.rows:,} vectors are left")
        return self._log

    def _let_go(self) -> None:
        for one in (self._state, self._log):
            if one is not None:
                one.close()
        self._state = self._log = self._mark = None
