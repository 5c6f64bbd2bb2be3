"""SyncThread: syncs in the background, in a thread of its own, when the pace says that it is time.

Each sync opens the workspace anew, so it sees the present settings and shares nothing with the threads that serve. No lock is held
while a remote is waited for.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from memtree.engine.children import Children
from memtree.engine.exchange import AnotherSync, Served, Wanted, exchange
from memtree.engine.repo import Repo
from memtree.engine.sync import SyncReport
from memtree.engine.sync_state import SyncState
from memtree.engine.transport import Remote, Remotes
from memtree.engine.watch_settings import WatchSettings
from memtree.engine.workspace import NoRemote, Options, Workspace
from memtree.hooks.daemon.pace import Pacing, Rhythm, due, next_due
from memtree.hooks.daemon.standing import Line, RemoteState, Standing, is_same, line_of, news
from memtree.hooks.log import told
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.errors import Error

_LOOK = 60.0  # seconds at most between two looks at the remotes' settings and the clock
_GIVEN_WAY = 2.0  # seconds until a sync that gave way to a person's looks again
_GENTLY = 0.5  # seconds that git gets to end by itself, and then the thread


class Log(Protocol):
    """What the daemon's log is to us."""

    def event(self, kind: str, /, **facts: object) -> None: ...


def clock_through_sleep() -> float:
    """Seconds that only go forward, and go on while the machine sleeps, where the system tells: waking up, a sync is due."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(boot) if boot is not None else time.monotonic()


class SyncThread:
    """Syncs the workspace at a place. `told` is called, from this thread, when a sync brought commits.

    Its methods may be called from any thread and wait for no network.
    """

    def __init__(
        self,
        place: Place,
        surroundings: Surroundings,
        settings: WatchSettings,
        log: Log,
        told: Callable[[], None],
        *,
        rhythm: Rhythm | None = None,
        clock: Callable[[], float] = clock_through_sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._root = place.root
        self._options = surroundings.options or Options()
        self._log = log
        self._told = told
        self._rhythm = rhythm or Rhythm(settings.sync_delay, settings.sync_interval, settings.sync)
        self._clock = clock
        self._chance = chance
        self._last = SyncState(place.state)
        self._children = Children()
        self._turn = threading.Condition()  # guards all that follows
        self._standings: dict[str, Standing] = {}
        self._looks = True  # the remotes' settings are to be read
        self._lines: list[Line] = []  # for the log, which may wait for another process
        self._tip: str | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)  # one that hangs dies with the process

    # -- what others say
    def start(self) -> None:
        """Begin; the first sync follows soon."""
        self._thread.start()

    def changed(self) -> None:
        """A commit was made here: a sync follows soon, one for many commits."""
        with self._turn:
            before, now = self._next(), self._clock()
            self._pace(self._standings, lambda pacing: pacing.committed(now))
            if not self._standings:
                self._looks = True  # perhaps there is a remote by now
            if self._looks or self._next() < before:
                self._turn.notify_all()

    def at(self, tip: str | None) -> None:
        """The branch stands at this commit, whoever made it: when that is news, a sync follows as after a commit of ours."""
        with self._turn:
            known, self._tip = self._tip, tip
            if known not in (None, tip):
                self.changed()

    def now(self) -> None:
        """Somebody asks for a sync: it follows at once, whatever failed before."""
        with self._turn:
            self._pace(self._standings, lambda pacing: pacing.demanded())
            self._looks = True
            self._turn.notify_all()

    def stop(self) -> None:
        """End, also while a remote keeps us waiting: within about a second."""
        with self._turn:
            self._stopping = True
            self._turn.notify_all()
        self._children.end(_GENTLY)
        if self._thread.ident is not None:
            self._thread.join(_GENTLY)

    def state(self) -> tuple[RemoteState, ...]:
        """How each remote stands now, by name."""
        with self._turn:
            self._hear()
            now = self._clock()
            return tuple(standing.state(now) for _, standing in sorted(self._standings.items()))

    # -- the thread
    def _run(self) -> None:
        while not self._stopping:
            try:
                self._look()
                self._write()
                names = self._wait()
            except Exception as error:  # noqa: BLE001 - it is looked at again later
                self._log.event("bug", thread="sync", error=told(error))
                with self._turn:
                    self._looks = True
                    self._turn.wait_for(lambda: self._stopping, _LOOK)
                continue
            if names:
                self._sync(names)

    def _look(self) -> None:
        """Read which remotes there are; one whose address or direction changed is a new one."""
        with self._turn:
            if not self._looks:
                return
            self._looks = False
        try:
            repo = Repo.open(self._root)
            remotes = Remotes(repo).all()
            repo.close()
        except (Error, OSError):
            return  # the folder is away for the moment: what is known stays
        with self._turn:
            now = self._clock()
            self._standings = {remote.name: self._standing(remote, now) for remote in remotes}
            self._hear()

    def _standing(self, remote: Remote, now: float) -> Standing:
        known = self._standings.get(remote.name)
        if known is not None and is_same(known.remote, remote):
            return known
        return Standing(remote, Pacing.begun(self._rhythm, now), self._last.of(remote.name).succeeded)

    def _wait(self) -> frozenset[str]:
        """The remotes to sync with now; none when something else is to be looked at first."""
        with self._turn:
            if not self._looks and not self._stopping and (pause := self._next() - self._clock()) > 0:
                woken = self._turn.wait(min(pause, _LOOK))
                self._looks = self._looks or not (woken or self._next() <= self._clock())
            if self._looks or self._stopping:
                return frozenset()
            names = frozenset(due({name: standing.pacing for name, standing in self._standings.items()}, self._clock()))
            self._pace(names, lambda pacing: pacing.started())
            return names

    # -- a sync
    def _sync(self, names: frozenset[str]) -> None:
        """One sync with these remotes. Whatever it meets, the thread goes on."""
        try:
            with Workspace.open(self._root, self._options) as workspace:
                done = exchange(workspace, Wanted(), served=Served(names, self._children))
            self._end(names, done.reports, dict(done.failures))
            if any(report.received for report in done.reports):
                self._told()
        except (AnotherSync, NoRemote):
            self._end(names, (), {})
        except Exception as error:  # noqa: BLE001
            self._end(names, (), dict.fromkeys(names, error))
            if not isinstance(error, Error | OSError):
                self._log.event("bug", thread="sync", error=told(error))

    def _end(self, names: frozenset[str], reports: tuple[SyncReport, ...], failures: Mapping[str, Exception]) -> None:
        with self._turn:
            now, wall = self._clock(), self._options.clock()
            done = {report.remote for report in reports}
            for name in names & self._standings.keys():
                standing = self._standings[name]
                if (error := failures.get(name)) is not None:
                    self._put(name, standing.ended_badly(error, now, wall, self._chance()))
                elif name in done:
                    # As it was just written down: any other time is that of another process.
                    self._put(name, standing.ended_well(now, self._last.of(name).succeeded or wall, self._chance()))
                else:  # another sync is under way, or the remote is none of ours any more
                    self._put(name, standing.paced(standing.pacing.put_off(now, _GIVEN_WAY)))
                    self._looks = True
            if any(report.received for report in reports):
                # What one remote brought the others get soon, also those that were not asked this time.
                self._pace(self._standings.keys() - names, lambda pacing: pacing.committed(now))
            self._lines += [line for report in reports if (line := line_of(report)) is not None]

    # -- under the turn
    def _next(self) -> float:
        return next_due({name: standing.pacing for name, standing in self._standings.items()})

    def _pace(self, names: Iterable[str], change: Callable[[Pacing], Pacing]) -> None:
        for name in list(names):
            standing = self._standings[name]
            self._standings[name] = standing.paced(change(standing.pacing))

    def _hear(self) -> None:
        """What other processes did, such as a person's sync that accepted what alarmed us."""
        for name, standing in list(self._standings.items()):
            heard = standing if standing.pacing.running else standing.heard(self._last.of(name).succeeded)
            if heard != standing:
                self._put(name, heard)
                self._turn.notify_all()

    def _put(self, name: str, standing: Standing) -> None:
        line = news(self._standings[name], standing)
        self._standings[name] = standing
        if line is not None:
            self._lines.append(line)

    def _write(self) -> None:
        with self._turn:
            lines, self._lines = self._lines, []
        for kind, facts in lines:
            self._log.event(kind, **facts)
