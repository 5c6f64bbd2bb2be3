"""Following up: what closed conversations need in the background, done while a daemon runs, in a thread of its own.

Commits bring work (a recap that arrives from another machine), and so does time: what failed is tried again, a session falls
silent.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.standing import Line
from memtree.hooks.daemon.syncing import Log
from memtree.hooks.log import told
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.errors import Error

NEVER = math.inf
QUIET = 15.0  # seconds without a commit before a look
AT_LEAST = 60.0  # seconds between two looks that commits ask for
EVERY = 900.0  # seconds between two looks at all
_GENTLY = 0.5  # seconds that a look gets to end by itself


@dataclass(frozen=True, slots=True)
class Following:
    """When there was a look, and the last commit since. Times are of a clock that only goes forward."""

    looked: float = -NEVER
    last: float = NEVER

    def committed(self, now: float) -> Self:
        return replace(self, last=now)

    def looked_at(self, now: float) -> Self:
        return replace(self, looked=now, last=NEVER)

    @property
    def next_look(self) -> float:
        """When to look again: when it is quiet after commits, and from time to time."""
        return min(max(self.last + QUIET, self.looked + AT_LEAST), self.looked + EVERY)


class FollowingThread:
    """Looks at a workspace when that is due; opens it anew each time."""

    def __init__(self, place: Place, surroundings: Surroundings, log: Log) -> None:
        self._root = place.root
        self._options = surroundings.options or Options()
        self._clock: Callable[[], float] = surroundings.clock
        self._log = log
        self._following = Following(looked=self._clock())  # whoever starts a daemon is not kept from work by its first look
        self._turn = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="following", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def changed(self) -> None:
        """HEAD moved."""
        with self._turn:
            self._following = self._following.committed(self._clock())
            self._turn.notify_all()

    def stop(self) -> None:
        """End. A model that is being asked is not waited for: whatever step it belongs to is done again another time."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        if self._thread.ident is not None:
            self._thread.join(_GENTLY)

    def _run(self) -> None:
        while True:
            with self._turn:
                while not self._stopping and (pause := self._following.next_look - self._clock()) > 0:
                    self._turn.wait(pause)
                if self._stopping:
                    return
                self._following = self._following.looked_at(self._clock())
            self.look()

    def look(self) -> None:
        """One look, which is logged. Whatever it meets, the thread goes on."""
        for kind, facts in self._look():
            self._log.event(kind, **facts)

    def _look(self) -> list[Line]:
        from memtree.engine.closing.later import Later

        try:
            with Workspace.open(self._root, self._options) as workspace:
                report = Later(workspace).run()
        except Exception as error:  # noqa: BLE001
            if isinstance(error, Error | OSError):
                return [("follow-up-failed", {"error": error})]
            return [("bug", {"thread": "following", "error": told(error)})]
        facts: dict[str, object] = {"closed": len(report.closed.closed), "done": len(report.done), "waiting": report.waiting}
        return [("followed-up", facts)] if report.closed.closed or report.done else []
