"""Upkeep: when the repository is tidied while a daemon runs, and the thread that does it. Deciding is pure, `now` is passed in.

Only commits make work here, so a workspace that nobody changes wakes nobody.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from memtree.engine.children import Children
from memtree.engine.store.displaced import KEPT
from memtree.engine.tidying import Tidied, drop_displaced, in_the_way, loose_objects, tidy
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.standing import Line
from memtree.hooks.daemon.syncing import Log
from memtree.hooks.log import told
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.errors import Error

NEVER = math.inf
EVERY = 240.0  # seconds at least between two looks
QUIET = 10.0  # seconds without a commit before a look
_LATEST = EVERY  # seconds: who commits all the time is looked after all the same
_LOOSE = 2_000  # objects: reading and scanning take no notice of fewer
_COMMITS = 1_000
_GENTLY = 0.5  # seconds that git gets to end by itself, and then the thread


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What was committed since the last look and the last time that was tidied. Times are of a clock that only goes forward."""

    looked: float = -NEVER
    first: float = NEVER  # when the first commit since the last look was made
    last: float = -NEVER
    commits: int = 0  # since the repository was last tidied
    left: int = 0  # loose objects that this left
    aftermath: float = NEVER  # when what the last commits displaced has been kept long enough

    def committed(self, now: float) -> Self:
        aftermath = now + 2 * KEPT + 60
        return replace(self, first=min(self.first, now), last=now, commits=self.commits + 1, aftermath=aftermath)

    @property
    def next_look(self) -> float:
        """When to count again: after commits, when it is quiet; and once long after the last one."""
        if self.first == NEVER:
            return self.aftermath
        earliest = max(self.last + QUIET, self.looked + EVERY)
        return min(earliest, max(self.first + _LATEST, self.looked + _LATEST))

    def is_due(self, loose: int) -> bool:
        """Whether tidying pays. What the last time left would be left again, so only what came since counts."""
        return loose - self.left >= _LOOSE or self.commits >= _COMMITS

    def looked_at(self, now: float, tidied: Tidied | None = None) -> Self:
        """After a look, and what was done then."""
        after = replace(self, looked=now, first=NEVER, aftermath=NEVER if now >= self.aftermath else self.aftermath)
        return after if tidied is None else replace(after, commits=0, left=tidied.loose_after)

    def put_off(self, now: float) -> Self:
        """A person's git is at work: looked at again the next time."""
        return replace(self, looked=now, first=min(self.first, now))


class UpkeepThread:
    """Tidies the workspace at a place when that is due, in a thread of its own that opens it anew each time."""

    def __init__(self, place: Place, surroundings: Surroundings, log: Log, *, upkeep: Upkeep | None = None) -> None:
        self._root = place.root
        self._options = surroundings.options or Options()
        self._clock: Callable[[], float] = surroundings.clock
        self._log = log
        self._upkeep = upkeep or Upkeep()
        self._children = Children()
        self._turn = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def changed(self) -> None:
        """A commit was made here."""
        with self._turn:
            before = self._upkeep.next_look
            self._upkeep = self._upkeep.committed(self._clock())
            if self._upkeep.next_look < before:
                self._turn.notify_all()

    def stop(self) -> None:
        """End, also while git packs, within about a second; what it has not finished it leaves as it was."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        self._children.end(_GENTLY)
        if self._thread.ident is not None:
            self._thread.join(_GENTLY)

    def _run(self) -> None:
        while True:
            with self._turn:
                while not self._stopping and (pause := self._upkeep.next_look - self._clock()) > 0:
                    self._turn.wait(pause if pause < NEVER else None)
                if self._stopping:
                    return
            for kind, facts in self._look():
                self._log.event(kind, **facts)

    def _look(self) -> list[Line]:
        """One look. Whatever it meets, the thread goes on: what is left now is done the next time."""
        try:
            with Workspace.open(self._root, self._options) as workspace:
                return self._look_at(workspace)
        except Exception as error:  # noqa: BLE001
            self._looked(None)
            if self._children.ended:
                return []
            if isinstance(error, Error | OSError):
                return [("upkeep-failed", {"error": error})]
            return [("bug", {"thread": "upkeep", "error": told(error)})]

    def _look_at(self, workspace: Workspace) -> list[Line]:
        if in_the_way(workspace):
            with self._turn:
                self._upkeep = self._upkeep.put_off(self._clock())
            return []
        if not self._upkeep.is_due(loose_objects(workspace.repo.common_folder)):
            dropped = drop_displaced(workspace)
            self._looked(None)
            return [("tidied", {"dropped": dropped})] if dropped else []
        tidied = tidy(workspace, self._children)
        self._looked(tidied)
        packed = max(tidied.loose_before - tidied.loose_after, 0)
        return [("tidied", {"packed": packed, "dropped": tidied.dropped, "swept": tidied.swept})]

    def _looked(self, tidied: Tidied | None) -> None:
        with self._turn:
            self._upkeep = self._upkeep.looked_at(self._clock(), tidied)
