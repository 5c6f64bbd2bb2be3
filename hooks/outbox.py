"""Outbox: events that wait to be recorded, a file each, in the order in which they came.

A file appears whole or not at all, and goes when what it says is recorded. Who writes one must have redacted it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.outbox_state import DROPPED, END, FAILED, OUTBOX, entry_names
from memtree.hooks.events import AgentEvent, Kind

VERSION = 1
MOST_ENTRIES = 1_000
MOST_BYTES = 200 * 1024 * 1024
MOST_FAILED = 200
MOST_ENTRY = 5 * 1024 * 1024  # bytes
TRIES = 5
_DIGITS = 20  # of the time that a name begins with
_STRAY_AGE = 3600.0  # seconds; a younger file may still be written
_TEXTS = ("agent", "session", "name", "transcript", "prompt", "last_message", "turn_id")


class EntryTooLarge(ValueError):
    """What a single event says takes more room than an entry may."""


class UnreadableEntry(ValueError):
    """A file in the outbox that is no entry of ours."""


class Entry(NamedTuple):
    """An event that waits. `time` is when it happened, in UTC epoch milliseconds; `failures` counts the tries."""

    name: str
    event: AgentEvent
    time: int
    failures: int = 0

    @property
    def id(self) -> str:
        """What no other entry has, and this one keeps however often it is tried."""
        return self.name.removesuffix(END)


class Outbox:
    """The outbox in a workspace's state folder."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, OUTBOX)
        self.failed = os.path.join(self.folder, FAILED)
        self.lock = os.path.join(state, "outbox.lock")

    def add(self, event: AgentEvent, now: int) -> tuple[Entry, int]:
        """Put an event behind all others, wherever the clock jumped; `now` in nanoseconds since 1970.

        Also says how many of the oldest made room for it. Raise EntryTooLarge, and OSError.
        """
        entry = Entry(f"{max(now, self._newest() + 1):0{_DIGITS}}-{os.urandom(4).hex()}{END}", event, now // 1_000_000)
        data = encoded(entry)
        if len(data) > MOST_ENTRY and event.transcript:
            data = encoded(entry._replace(event=event._replace(last_message="")))
        if len(data) > MOST_ENTRY:
            raise EntryTooLarge(f"the event has {len(data):,} bytes, more than {MOST_ENTRY:,}")
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self._write(entry.name, data, careful=bool(event.prompt or event.last_message or event.turn))
        return entry, self._make_room()

    def names(self) -> list[str]:
        """The names of the entries that wait, the oldest first."""
        return sorted(entry_names(self.folder))

    def read(self, name: str) -> Entry | None:
        """An entry, None when it is gone by now; raise UnreadableEntry."""
        try:
            with open(os.path.join(self.folder, name), "rb") as file:
                return decoded(name, file.read(MOST_ENTRY * 2))
        except FileNotFoundError:
            return None

    def _newest(self) -> int:
        """When the last entry that waits came, as its name says, in nanoseconds since 1970."""
        times = (name.partition("-")[0] for name in entry_names(self.folder))
        return max((int(time) for time in times if len(time) == _DIGITS and time.isascii() and time.isdigit()), default=0)

    def done(self, name: str) -> None:
        """Take an entry away: what it says is recorded."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder, name))

    def failed_once(self, entry: Entry) -> bool:
        """Count a failure; True when it was the last try and the entry was put aside."""
        entry = entry._replace(failures=entry.failures + 1)
        self._write(entry.name, encoded(entry), careful=False)
        if entry.failures < TRIES:
            return False
        self.put_aside(entry.name)
        return True

    def put_aside(self, name: str) -> None:
        """Move an entry to those that failed."""
        os.makedirs(self.failed, mode=0o700, exist_ok=True)
        os.replace(os.path.join(self.folder, name), os.path.join(self.failed, name))
        for surplus in sorted(entry_names(self.failed))[:-MOST_FAILED]:
            os.unlink(os.path.join(self.failed, surplus))
            self._count_dropped(1)

    def try_failed_again(self) -> int:
        """Let everything that failed wait again; how many that were."""
        names = sorted(entry_names(self.failed))
        for name in names:
            path = os.path.join(self.failed, name)
            with contextlib.suppress(UnreadableEntry, OSError), open(path, "rb") as file:
                entry = decoded(name, file.read(MOST_ENTRY * 2))._replace(failures=0)
                self._write(name, encoded(entry), careful=False)
                os.unlink(path)
        return len(names)

    def sweep(self, now: float) -> None:
        """Clear away what killed hooks left half written; `now` in epoch seconds."""
        with contextlib.suppress(OSError), os.scandir(self.folder) as found:
            for entry in found:
                if entry.name.startswith(".") and now - entry.stat(follow_symlinks=False).st_mtime > _STRAY_AGE:
                    os.unlink(entry.path)

    def _write(self, name: str, data: bytes, *, careful: bool) -> None:
        """Put a file there, whole; `careful` brings it to the disk first, for what only stands here."""
        path = os.path.join(self.folder, name)
        temp = os.path.join(self.folder, f".{name}.{os.urandom(4).hex()}")
        try:
            fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(fd, "wb") as file:
                file.write(data)
                file.flush()
                if careful:
                    os.fsync(fd)
            os.replace(temp, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temp)
            raise

    def _make_room(self) -> int:
        """Drop the oldest beyond what may wait, and count them where the status finds it."""
        names = self.names()
        if len(names) * MOST_ENTRY <= MOST_BYTES:
            return 0
        surplus = self._surplus(names)
        for name in surplus:
            self.done(name)
        if surplus:
            self._count_dropped(len(surplus))
        return len(surplus)

    def _count_dropped(self, number: int) -> None:
        path = os.path.join(self.folder, DROPPED)
        before = read_state(path).get("count", 0)
        keep_state(path, {"count": (before if isinstance(before, int) else 0) + number})

    def _surplus(self, names: Sequence[str]) -> list[str]:
        sizes = [_size(os.path.join(self.folder, name)) for name in names]
        count, amount = len(names), sum(sizes)
        surplus = []
        for name, size in zip(names, sizes, strict=True):
            if count <= MOST_ENTRIES and amount <= MOST_BYTES:
                break
            surplus.append(name)
            count, amount = count - 1, amount - size
        return surplus


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def encoded(entry: Entry) -> bytes:
    """An entry as the bytes of its file."""
    event = entry.event
    value: dict[str, Any] = {"v": VERSION, "kind": event.kind.value, "time": entry.time}
    value |= {key: text for key in _TEXTS if (text := getattr(event, key))}
    if event.turn is not None:
        value["turn"] = event.turn
    if entry.failures:
        value["failures"] = entry.failures
    return json.dumps(value).encode()


def decoded(name: str, data: bytes) -> Entry:
    """The entry that a file holds; raise UnreadableEntry."""
    try:
        value = json.loads(data)
        if not isinstance(value, dict) or value.get("v") != VERSION:
            raise UnreadableEntry(f"{name} is no entry of this version")
        texts = {key: value.get(key, "") for key in _TEXTS}
        turn, time, failures = value.get("turn"), value["time"], value.get("failures", 0)
        right = all(isinstance(text, str) for text in texts.values()) and isinstance(turn, (dict, type(None)))
        if not right or not isinstance(time, int) or not isinstance(failures, int):
            raise UnreadableEntry(f"{name} holds fields of the wrong type")
        return Entry(name, AgentEvent(Kind(value["kind"]), **texts, turn=turn), time, failures)
    except (ValueError, KeyError, RecursionError) as error:
        if isinstance(error, UnreadableEntry):
            raise
        raise UnreadableEntry(f"{name} cannot be read") from error
