"""StateReader: an index' file as it is on disk now, read as one unchanging view at a time."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from memtree.indexers.base import IndexCorrupt, IndexUnwritable
from memtree.indexers.home import Home
from memtree.indexers.sqlite_file import FILE_NAME, SqliteFile

_TRIES = 5

State = TypeVar("State", bound=SqliteFile)


class StateReader(Generic[State]):
    """Owns the connection that is open for reading, and remembers damage until the folder is replaced."""

    def __init__(self, home: Home, connect: Callable[[str], State], name: str) -> None:
        self._home = home
        self._connect = connect
        self._name = name
        # Threads take turns: the connection is one.
        self.turn = threading.Lock()
        self._state: State | None = None
        self._mark: tuple[int, int] | None = None
        self._damage: tuple[int, str] | None = None

    def close(self) -> None:
        with self.turn:
            self._let_go()

    @contextlib.contextmanager
    def moment(self) -> Iterator[State | None]:
        """The state as of now, None when there is none. Raise IndexCorrupt."""
        with self.turn, self.noting_damage():
            state = self._begun()
            try:
                yield state
            finally:
                if state is not None:
                    state.end()

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

    def _prepare(self, state: State) -> None:
        """Read what belongs to a view that has just begun; FileNotFoundError when it is of another moment."""

    def _begun(self) -> State | None:
        missing = "it is replaced again and again"
        for _ in range(_TRIES):
            folder = self._home.identity()
            if not folder:
                self._let_go()
                return None
            try:
                state = self._opened()
            except FileNotFoundError as error:
                missing = f"{os.path.basename(error.filename)} is gone"
            except (IndexCorrupt, IndexUnwritable):
                if self._home.identity() == folder:
                    raise
            else:
                if self._mark is not None and self._mark[0] == self._home.identity():
                    return state
                state.end()  # the folder was replaced meanwhile
        raise IndexCorrupt(f"the {self._name} is damaged: {missing}")

    def _opened(self) -> State:
        state = self._connected()
        state.begin()
        try:
            self._prepare(state)
        except BaseException:
            state.end()
            raise
        return state

    def _connected(self) -> State:
        mark = self._home.mark()
        if self._damage and self._damage[0] == mark.folder:
            raise IndexCorrupt(self._damage[1])
        if self._state is None or self._mark != (mark.folder, mark.file):
            self._let_go()
            self._state = self._connect(os.path.join(self._home.path, FILE_NAME))
            self._mark = mark.folder, mark.file
        return self._state

    def _let_go(self) -> None:
        if self._state is not None:
            self._state.close()
        self._state = self._mark = None
