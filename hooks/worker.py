"""Worker: what works the outbox off, in a process of its own that no agent waits for. One at a time for each workspace.

An entry goes when what it brings is committed; a turn that is recorded is known by its id. So a worker may be killed at any step,
and the next one finishes without doing anything twice.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.locks import LockBusy, WriteLock
from memtree.hooks.events import Kind
from memtree.hooks.log import HookLog, told
from memtree.hooks.outbox import Entry, Outbox, UnreadableEntry
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError

if TYPE_CHECKING:
    from memtree.hooks.recording import Recording

_SYNCING = (Kind.SESSION_START, Kind.FLUSH, Kind.SESSION_END)
_ROUNDS = 4  # tries of one worker at what only needs time
_PAUSE = 0.5  # seconds before the second, then twice as long each time


@dataclass(slots=True)
class Done:
    """What a worker did: `turns` were recorded, `waiting` entries stay, `failed` were put aside; `busy`: another is at work."""

    entries: int = 0
    turns: int = 0
    waiting: int = 0
    failed: int = 0
    busy: bool = False
    synced: bool = False
    notes: list[str] = field(default_factory=list)


class Worker:
    """Works off the outbox of one workspace. `patience` is how many seconds to wait for another worker to end."""

    def __init__(self, place: Place, surroundings: Surroundings | None = None, *, patience: float = 0.0) -> None:
        self._place = place
        self._around = surroundings or Surroundings()
        self._outbox = Outbox(place.state)
        self._lock = WriteLock(self._outbox.lock, patience)
        self._log = HookLog(place.state)
        self._kept: set[str] = set()  # names of entries that this worker leaves to the next one
        self._later: set[str] = set()  # names of those that it tries again itself
        self._wants_sync = False
        self.done = Done()

    def run(self, *, again: bool = False, follow: bool = True) -> Done:
        """Work everything off that waits; `again` brings back what failed, `follow` does what follows closed conversations.

        Raises what opening the workspace raises.
        """
        if again:
            self._outbox.try_failed_again()
        for round_ in range(_ROUNDS):
            if round_:
                self._around.sleep(_PAUSE * 2**round_)
            self._later.clear()
            if not self._work_off() or not self._later:
                break
        if follow and not self.done.busy:
            self._follow_up()
        self.done.waiting = len(self._outbox.names())
        return self.done

    def _work_off(self) -> bool:
        """Hold the lock and work until nothing is left that can be done now; False when somebody else holds it.

        Who is called while the lock is held goes away at once: so after it is let go, the outbox is looked at again.
        """
        while True:
            while self._open_names():
                try:
                    with self._lock.held():
                        self._work()
                except LockBusy:
                    self.done.busy = True
                    return False
            if not self._wants_sync:
                return True
            self._sync()  # without the lock: nobody's recording waits for a network

    def _open_names(self) -> list[str]:
        return [name for name in self._outbox.names() if name not in self._kept and name not in self._later]

    def _work(self) -> None:
        from memtree.hooks.recording import Recording  # who does not get the lock need not load an engine

        self._outbox.sweep(time.time())
        with Recording.opened(self._place.root, self._around) as recording:
            blocked: dict[str, set[str]] = {}  # a session -> where the rest of its entries go
            while names := self._open_names():
                for name in names:
                    self._one(name, recording, blocked)
            try:
                self._tell(recording.finish())
            except Exception as error:  # noqa: BLE001 - the next search does it; what is recorded stays so
                self._say(None, told(error))

    def _one(self, name: str, recording: Recording, blocked: dict[str, set[str]]) -> None:
        """One entry; those of one session stay in their order."""
        try:
            entry = self._outbox.read(name)
        except UnreadableEntry as error:
            self._outbox.put_aside(name)
            self.done.failed += 1
            self._say(None, str(error))
            return
        except OSError as error:  # another user's file: the others are recorded
            self._kept.add(name)
            self._say(None, told(error))
            return
        if entry is None:
            return
        if entry.event.session in blocked:
            blocked[entry.event.session].add(name)
            return
        try:
            turns, notes = recording.deliver(entry)
        except (TransientError, StateError, CorruptionError, OSError) as error:
            # Not the entry's fault: it waits until the workspace takes it.
            blocked[entry.event.session] = self._later if isinstance(error, TransientError) else self._kept
            blocked[entry.event.session].add(name)
            self._say(entry, f"waits: {told(error)}")
        except Exception as error:  # noqa: BLE001 - whatever one entry does to us, the others are recorded
            self._kept.add(name)
            self._count_failure(entry, error)
        else:
            self._outbox.done(name)
            self.done.entries += 1
            self.done.turns += turns
            self._wants_sync = self._wants_sync or entry.event.kind in _SYNCING
            self._tell(notes, entry)

    def _count_failure(self, entry: Entry, error: Exception) -> None:
        given_up = self._outbox.failed_once(entry)
        self.done.failed += given_up
        self._say(entry, f"{'given up' if given_up else 'failed'}: {told(error)}")

    def _sync(self) -> None:
        """Exchange with the remotes, as an event asked for; who comes while another does so leaves it to that one."""
        self._wants_sync = False
        from memtree.hooks.recording import Recording

        with contextlib.suppress(LockBusy), WriteLock(f"{self._outbox.lock}.sync", 0.0).held():
            try:
                self.done.synced = Recording.sync(self._place, self._around) or self.done.synced
            except (Error, OSError) as error:
                self._say(None, f"not synced: {told(error)}")

    def _follow_up(self) -> None:
        """What follows a closed conversation, without the lock: nobody's recording waits for a model."""
        from memtree.hooks.recording import Recording

        try:
            self._tell(Recording.follow_up(self._place, self._around))
        except Exception as error:  # noqa: BLE001 - whatever is in the files, what was recorded is told
            self._say(None, f"not done yet: {told(error)}")

    def _tell(self, notes: list[str], entry: Entry | None = None) -> None:
        for note in notes:
            self._say(entry, note)

    def _say(self, entry: Entry | None, message: str) -> None:
        self.done.notes.append(message)
        event = entry.event if entry is not None else None
        self._log.line(event.agent if event else "worker", event.name if event else "", event.session if event else "", message)
