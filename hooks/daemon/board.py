"""Board: how the service stands, put together for whoever looks at it. Looking costs nothing and waits for nobody."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.snapshot import Snapshot, snapshot
from memtree.hooks.daemon.state import ServiceState, Trouble
from memtree.hooks.daemon.syncing import SyncThread
from memtree.hooks.watching.watcher import Watcher
from memtree.tree.version import VERSION

_NOTES = 3  # that are shown
_NOTE_STAYS = 600.0  # seconds


class Board:
    """Written to by the threads of a service, read by all."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._started = int(time.time())
        self._turn = threading.Condition()
        self._revision = 1
        self._doing = ""
        self._snapshot = Snapshot()
        self._troubles: dict[str, Trouble] = {}
        self._notes: list[Trouble] = []
        self._parts: tuple[Watcher, SyncThread, Callable[[], int]] | None = None

    def watch(self, watcher: Watcher, sync: SyncThread, waiting: Callable[[], int]) -> None:
        """Show these parts from here on."""
        self._parts = watcher, sync, waiting

    # -- written
    def changed(self) -> None:
        with self._turn:
            self._revision += 1
            self._turn.notify_all()

    def doing(self, what: str) -> None:
        """What goes on now, '' for nothing."""
        self._doing = what

    def read(self, workspace: Workspace) -> None:
        """Look at the workspace. Only on the thread that works on it."""
        found = snapshot(workspace, self._snapshot)
        if found != self._snapshot:
            self._snapshot = found
            self.changed()

    def trouble(self, kind: str, what: str) -> bool:
        """Something is wrong, or with '' is not any more; whether that is news."""
        before = self._troubles.get(kind)
        if (before.what if before is not None else "") == what:
            return False
        with self._turn:
            if what:
                self._troubles[kind] = Trouble(what, int(time.time()))
            else:
                self._troubles.pop(kind, None)
        self.changed()
        return True

    def note(self, what: str) -> None:
        """Something happened that a person should know of, for a while."""
        with self._turn:
            self._notes = [*self._notes[1 - _NOTES :], Trouble(what, int(time.time()))]
        self.changed()

    # -- read
    @property
    def head(self) -> str | None:
        """The commit that was read last."""
        return self._snapshot.head

    def state(self) -> ServiceState:
        with self._turn:
            found, revision = self._snapshot, self._revision
            fresh = [note for note in self._notes if note.since > time.time() - _NOTE_STAYS]
            troubles = (*self._troubles.values(), *fresh)
        watcher, sync, waiting = self._parts or (None, None, lambda: 0)
        return ServiceState(
            root=self._root,
            pid=os.getpid(),
            version=VERSION,
            started=self._started,
            revision=revision,
            doing=self._doing,
            unwatched=watcher.trouble if watcher is not None else "",
            folders=watcher.folders if watcher is not None else 0,
            waiting=waiting(),
            head=found.head,
            commits=found.commits,
            index=found.index,
            vectors=found.vectors,
            remotes=sync.state() if sync is not None else (),
            conflicts=found.conflicts,
            held=found.held,
            troubles=troubles,
            memory=resident(),
        )


def resident() -> int:
    """The memory that this process holds, in bytes; 0 where the system does not tell (proc(5), statm)."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
