"""Service: serves one workspace for as long as it runs: watches its files, commits, indexes, syncs, and answers those who ask."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import replace

from memtree.engine.capture import RootMissing
from memtree.engine.daemon_lock import daemon_lock
from memtree.engine.locks import LockBusy
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.board import Board
from memtree.hooks.daemon.deciding import standing
from memtree.hooks.daemon.footprint import keep_small
from memtree.hooks.daemon.log import DaemonLog
from memtree.hooks.daemon.rounds import Rounds, is_ours
from memtree.hooks.daemon.serving import Serving
from memtree.hooks.daemon.state import ServiceState
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.hooks.watching.hints import NEVER
from memtree.tree.errors import Error, StateError

_AGAIN = 2.0  # seconds until what was served before is tried to be served again
_AWAY = 3600.0  # seconds: a folder that is gone for so long was moved or removed, no disk that is mounted again soon
_LOCKED = 1.0  # seconds to wait for a lock of git's, which an open editor may hold: it is tried again, and searches wait meanwhile


class AlreadyServed(StateError):
    """Another process serves the workspace."""

    def __init__(self, root: str, holder: str) -> None:
        super().__init__(
            f"{root} is served already by {holder}", hint="memtree daemon status tells more, memtree daemon stop ends it"
        )
        self.holder = holder


class AnotherWorkspace(StateError):
    """Where the workspace was that was served there is another one now, which nobody asked us to serve."""

    def __init__(self, root: str) -> None:
        super().__init__(f"another workspace stands in {root} now", hint="memtree daemon start serves it")


class Service:
    """The daemon of a workspace. `run` serves until `stop`, which any thread may call; `ready` is set once it answers."""

    def __init__(self, place: Place, around: Surroundings | None = None) -> None:
        self.place = place
        self._around = around or Surroundings()
        self._stopping = threading.Event()
        self.board = Board(place.root)
        self.log = DaemonLog(place.state)
        self.ready = threading.Event()
        self._rounds = Rounds(self.log)
        self._known = ""  # the workspace that was served first
        self._away = NEVER  # since when its folder is gone

    def run(self) -> None:
        """Serve. Raise AlreadyServed, or what opening the workspace raises."""
        keep_small()
        lock = daemon_lock(self.place.state)
        while not self._stopping.is_set():
            try:
                if not os.path.isdir(os.path.dirname(self.place.state)):
                    raise RootMissing(self.place.root)
                with contextlib.suppress(FileExistsError):
                    os.mkdir(self.place.state)  # and none above it: a workspace that is away must find its place free
                with lock.held():
                    self._serve()
                    # Beginning again it keeps its place: nobody takes that for its end, nor gets in between.
                    while not self._stopping.is_set() and is_ours(self.place):
                        self._serve()
            except (Error, OSError) as error:
                if isinstance(error, LockBusy) and error.path == lock.path:
                    raise AlreadyServed(self.place.root, error.holder) from error
                if not self.ready.is_set() or isinstance(error, AnotherWorkspace) or self._is_away_for_good(error):
                    raise
                # It could be served before: the folder is away for the moment, or the disk is full.
                if self.board.trouble("serving", f"nothing is served: {_words(error)}"):
                    self.log.event("not-served", error=error)
                self._stopping.wait(_AGAIN)

    def _is_away_for_good(self, error: Error | OSError) -> bool:
        """Whether the folder has been gone for so long that it was moved or removed, not unmounted for a while."""
        now = time.monotonic()
        self._away = min(self._away, now) if isinstance(error, RootMissing) else NEVER
        return now - self._away >= _AWAY

    def stop(self) -> None:
        """Let `run` return soon."""
        self._stopping.set()
        self._rounds.end()

    def state(self) -> ServiceState:
        return self.board.state()

    def _serve(self) -> None:
        """Serve until `stop`, or until something calls for beginning again: other settings, a state folder that was removed."""
        self._rounds.begin()
        if self._stopping.is_set():
            return
        options = self._around.options or Options()
        options = replace(options, git_lock_timeout=min(options.git_lock_timeout, _LOCKED))
        decided = standing(self.place)
        with contextlib.ExitStack() as stack:
            workspace = stack.enter_context(Workspace.open(self.place.root, options))
            self._known = self._known or workspace.device
            if workspace.device != self._known:
                raise AnotherWorkspace(self.place.root)
            serving = Serving(self.place, workspace, self._around, self.board, self.log, self._rounds, self.stop, decided)
            try:
                serving.start()
                self.log.event("started", watched=not serving.watcher.trouble, folders=serving.watcher.folders)
                self.board.trouble("serving", "")
                self.ready.set()
                self._rounds.go(serving, self.place)
            finally:
                if not serving.stop(whole=not self._stopping.is_set()):
                    stack.pop_all()  # the turn that goes on keeps the workspace from being closed: the process ends without
                self.log.event("stopped" if self._stopping.is_set() else "begins-again")


def _words(error: Error | OSError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{error}; {error.hint}" if error.hint else str(error)
