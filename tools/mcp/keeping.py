"""Keeper: the workspace of a server, opened when it is first asked for and kept; opened anew when its settings changed."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from typing import NamedTuple

from memtree.engine.settings import FILE_NAME
from memtree.engine.status import writer
from memtree.engine.workspace import ENVIRONMENT_KEY, Options, Workspace, find_root
from memtree.indexers.query import Query
from memtree.tools.exits import explain
from memtree.tree.errors import Error

# A scan of the work tree takes 30 to 50 ms at 10,000 notes, an answer less than ten. So edits are looked for only when the last
# scan ended longer ago than this; what the server's own tools write is committed at once and needs no scan.
SCAN_AGAIN = 1.0
_PATIENCE, _PAUSE = 1.0, 0.01  # seconds to wait for another process that writes, and between two looks
_WARM_AGAIN = 300.0  # seconds, after which the graph takes up what was added since

_Stamp = tuple[int, int, int, int] | None


class _Open(NamedTuple):
    workspace: Workspace
    key: tuple[_Stamp, _Stamp]


class Keeper:
    """Threads may share it. A workspace that is replaced is not closed under those who still use it."""

    def __init__(self, root: str | None, options: Options | None = None) -> None:
        self._start = root
        self._options = options or Options()
        self._turn = threading.Lock()
        self._scanning = threading.Lock()
        self._open: _Open | None = None
        self._scanned = 0.0
        self._warmed = 0.0
        self._warming = threading.Lock()
        self._building = threading.Lock()

    def workspace(self) -> Workspace:
        """The workspace as it is now; raise NotAWorkspace and what opening raises, each time until it is there."""
        with self._turn:
            if self._open is not None and self._open.key == _key(self._open.workspace.root):
                return self._open.workspace
            # Settings are read when a workspace is opened, and its repository may be another one.
            self._open = None
            root = find_root(os.path.abspath(os.path.expanduser(self._folder())))
            key = _key(root)  # before opening: a change meanwhile is seen next time
            workspace = Workspace.open(root, self._options)
            self._open = _Open(workspace, key)
            self._scanned = 0.0
            return workspace

    def _folder(self) -> str:
        return self._start or os.environ.get(ENVIRONMENT_KEY) or os.getcwd()

    def fresh(self, workspace: Workspace) -> list[str]:
        """Commit edits made outside, unless that was just done; answer with what a person should know.

        Who only looks does not wait long for another process that writes: what it has not committed yet is told.
        """
        if time.monotonic() - self._scanned <= SCAN_AGAIN:
            return []
        with self._scanning:
            if time.monotonic() - self._scanned <= SCAN_AGAIN:
                return []  # another thread's scan ended just now
            other = _still_writing(workspace)
            notes = [f"recent edits are not committed yet: {other} is writing"] if other else workspace.capture_quietly()
            self._scanned = time.monotonic()
            return notes

    def warm(self) -> None:
        """Load the model and the graph in the background, now and again after a while; searches are answered meanwhile."""
        if time.monotonic() - self._warmed > _WARM_AGAIN or not self._warmed:
            self._warmed = time.monotonic()
            threading.Thread(target=self._warm, name="warm", daemon=True).start()

    def _warm(self) -> None:
        if not self._warming.acquire(blocking=False):
            return
        try:
            workspace = self.workspace()
            searching = workspace.searching
            searching.search(Query("warm", limit=1, mode=workspace.settings.search.mode))
            vectors = searching.meaning().vectors
            if vectors is not None:
                vectors.warm()
        except (Error, OSError) as error:
            # Not the server's end: the tools tell what is wrong when they are called.
            with contextlib.suppress(OSError, ValueError):
                print(f"memtree: the index could not be warmed: {explain(error).message}", file=sys.stderr)
        finally:
            self._warming.release()

    def connect(self, workspace: Workspace) -> None:
        """Have the entity graph built where it never was. That takes seconds, in which other calls go on: its builder is another
        workspace, whose indexes nobody waits for.
        """
        if _has_graph(workspace):
            return
        with self._building:
            if not _has_graph(workspace):
                # What is in its way now, whoever asks the graph meets again, and tells.
                with contextlib.suppress(Error, OSError), Workspace.open(workspace.root, self._options) as builder:
                    builder.searching.refresh_graph()

    def close(self) -> None:
        with self._turn:
            if self._open is not None:
                self._open.workspace.close()
                self._open = None


def _has_graph(workspace: Workspace) -> bool:
    """Whether the graph was built, or is in a state that whoever asks it tells of."""
    with workspace.searching.turn:
        graph = workspace.searching.graph()
        try:
            return graph.exists() and graph.position() is not None
        except (Error, OSError):
            return True


def _still_writing(workspace: Workspace) -> str:
    """Who holds the write lock, also after a moment; '' for nobody."""
    deadline = time.monotonic() + _PATIENCE
    try:
        while (found := writer(workspace)) and time.monotonic() < deadline:
            time.sleep(_PAUSE)
    except Error:
        return ""  # capturing tells it
    return found


def _key(root: str) -> tuple[_Stamp, _Stamp]:
    return _stamp(os.path.join(root, FILE_NAME), whole=True), _stamp(os.path.join(root, ".git"), whole=False)


def _stamp(path: str, *, whole: bool) -> _Stamp:
    """What tells a file from its next version; of a folder only whether it is the same one."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns if whole else 0, found.st_size if whole else 0
