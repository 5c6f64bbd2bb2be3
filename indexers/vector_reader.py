"""VectorReader: the vector index as it is on disk now, read as one unchanging view at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from memtree.indexers.base import IndexCorrupt
from memtree.indexers.home import Home
from memtree.indexers.state_reader import StateReader
from memtree.indexers.vector_log import VectorLog, log_name
from memtree.indexers.vector_state import Stamp, VectorState


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


class VectorReader(StateReader[VectorState]):
    """Reads the state together with the log that it names. A graph must not grow while it is searched: `turn` is for that too."""

    def __init__(self, home: Home) -> None:
        super().__init__(home, VectorState, "vector index")
        self._log: VectorLog | None = None
        self._stamp = Stamp()

    def stamp(self) -> Stamp:
        """What the index says of itself, an empty stamp when there is none; raise IndexCorrupt."""
        with self.moment() as state:
            return self._stamp if state is not None else Stamp()

    @contextlib.contextmanager
    def view(self) -> Iterator[View | None]:
        """The index as of now, None when it was never built or holds nothing."""
        with self.moment() as state:
            log = self._log if self._stamp.log else None
            yield View(state, log, self._stamp) if state and log and self._stamp.commit else None

    def _prepare(self, state: VectorState) -> None:
        # A log that was compacted between the two is gone: the next view knows the new one.
        self._stamp = state.stamp()
        if self._stamp.log:
            self._open_log(self._stamp)

    def _open_log(self, stamp: Stamp) -> None:
        if self._log is None or self._log.token != stamp.log:
            self._close_log()
            self._log = VectorLog(os.path.join(self._home.path, log_name(stamp.log)))
        if self._log.count < stamp.rows:
            raise IndexCorrupt(f"the vector log is cut off: {self._log.count:,} of {stamp.rows:,} vectors are left")

    def _close_log(self) -> None:
        if self._log is not None:
            self._log.close()
        self._log = None

    def _let_go(self) -> None:
        self._close_log()
        super()._let_go()
