"""Embedding in the background: what a slow model has not read yet is read while a daemon runs, in a thread of its own.

Nothing waits for it: the index is locked only for the moments in which a few vectors are kept, and who searches meanwhile finds by
words what has none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from memtree.engine.search_settings import is_minilm
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.standing import Line
from memtree.hooks.daemon.syncing import Log
from memtree.hooks.log import told
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.indexers.base import IndexBusy
from memtree.tree.errors import Error

_SLICE = 2.0  # seconds after which it looks whether the daemon ends
_AGAIN = 300.0  # seconds after which it is tried again when something went wrong
_BUSY = 0.5  # seconds, when another process was just writing
_GENTLY = 3.0  # seconds that a slice gets to end by itself


class EmbeddingThread:
    """Looks at a workspace when its indexes have moved; opens it anew each time, and only where its settings name the model."""

    def __init__(self, place: Place, surroundings: Surroundings, log: Log, done: Callable[[], None]) -> None:
        """`done` is called when nothing waits any more."""
        self._root = place.root
        self._options = surroundings.options or Options()
        self._log = log
        self._done = done
        self._turn = threading.Condition()
        self._stopping = False
        self._wanted = True  # something may have been left when the last daemon ended
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def changed(self) -> None:
        """The indexes have moved."""
        with self._turn:
            self._wanted = True
            self._turn.notify_all()

    def stop(self) -> None:
        """End within about a slice; what was embedded is kept, and the next daemon goes on."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        if self._thread.ident is not None:
            self._thread.join(_GENTLY)

    def _run(self) -> None:
        while self._waited():
            self._look()

    def _waited(self, seconds: float | None = None) -> bool:
        """Wait until there may be something to do, or so many seconds; return whether to go on."""
        with self._turn:
            self._turn.wait_for(lambda: self._stopping or (self._wanted and seconds is None), seconds)
            self._wanted = False
            return not self._stopping

    def _look(self) -> None:
        """Embed until nothing waits. Whatever it meets, the thread goes on: what is left now is done the next time."""
        try:
            with Workspace.open(self._root, self._options) as workspace:
                if is_minilm(workspace.settings.embedding):
                    self._embed(workspace)
        except Exception as error:  # noqa: BLE001
            self._tell(error)
            if self._waited(_AGAIN):
                self.changed()

    def _embed(self, workspace: Workspace) -> None:
        pause, worked = 0.0, workspace.searching.meaning().has_pending()
        while self._waited(pause):
            try:
                left = workspace.searching.embed_pending(_SLICE)
            except IndexBusy:
                pause = _BUSY
                continue
            pause = 0.0
            if not left:
                if worked:
                    self._done()
                return

    def _tell(self, error: Exception) -> None:
        line: Line = ("bug", {"thread": "embedding", "error": told(error)})
        if isinstance(error, Error | OSError):
            line = "embedding-failed", {"error": error}
        self._log.event(line[0], **line[1])
