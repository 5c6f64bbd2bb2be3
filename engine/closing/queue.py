"""Queue: steps of closing that wait for later, one small file each under `.git/memtree/closing/`. It holds ids and never a text.

What fails is tried again after a pause that doubles, so that a model that is away costs nothing and is asked again by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

FOLDER = "closing"
END = ".step"
# The kinds of steps.
CLOSE, CLOSE_WHOLE, RECAP, PROFILE = "close", "close-whole", "recap", "profile"
BETTER, ARCHIVE, GOALS = "better", "archive", "goals"
WIKI, SUMMARY = "wiki", "summary"
FACTS = "facts"
_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 6 * 3600.0  # seconds
_MOST = 5_000  # steps that only a model can do: what a machine without one would never come to work off
_STALE = 3600.0  # seconds after which a file that was being written belongs to nobody
_REASON = 300  # characters
_HALF = re.compile(r"(?:\..*\.step|[a-z]+\.json)\.[0-9a-f]{8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done (`kind`) and of what: a session's folder, and numbers of a segment (-1: none).

    `due` is when it may be tried, in epoch seconds; `tries` how often it failed, `reason` why it did the last time.
    """

    kind: str
    session: str
    first: int = -1
    last: int = -1
    due: float = 0.0
    tries: int = 0
    reason: str = ""

    @property
    def name(self) -> str:
        """The name of its file: the same for the same step."""
        key = f"{self.kind}\0{self.session}\0{self.first}\0{self.last}"
        return f"{self.kind}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}{END}"


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """How many steps wait, how many of them have failed before, and why the one that failed most often did."""

    waiting: int = 0
    failing: int = 0
    reason: str = ""


class Queue:
    """The steps that wait in a workspace's state folder."""

    def __init__(self, state: str) -> None:
        self.folder = os.path.join(state, FOLDER)
        self._count = -1  # of what waits, as far as it is known; -1: not looked at yet

    def put(self, step: Step) -> None:
        """Have a step done; one that waits already keeps its place. Raises OSError."""
        os.makedirs(self.folder, exist_ok=True)
        if step.kind == ARCHIVE:
            self._count = len(self._names()) if self._count < 0 else self._count + 1
            if self._count >= _MOST:
                return
        with contextlib.suppress(FileExistsError):
            self._write(step, new=True)

    def steps(self, *kinds: str) -> list[Step]:
        """Those of some kinds that wait, for none named all; the ones first that are due first."""
        names = [name for name in self._names() if not kinds or name.startswith(tuple(f"{kind}-" for kind in kinds))]
        found = [step for name in names if (step := self._read(name)) is not None and (not kinds or step.kind in kinds)]
        return sorted(found, key=lambda step: (step.due, step.session, step.first, step.kind))

    def due(self, now: float, *kinds: str) -> Iterator[Step]:
        """Those that may be tried at a time, in epoch seconds."""
        return (step for step in self.steps(*kinds) if step.due <= now)

    def done(self, step: Step) -> None:
        """Forget a step."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.folder, step.name))

    def failed(self, step: Step, reason: str, now: float, *, after: float = 0.0) -> Step:
        """Keep a step for later, at the earliest `after` seconds from now. Raises OSError."""
        pause = max(after, min(_FIRST_PAUSE * 2 ** min(step.tries, 12), _LONGEST_PAUSE))
        kept = replace(step, due=now + pause, tries=step.tries + 1, reason=reason[:_REASON])
        os.makedirs(self.folder, exist_ok=True)
        self._write(kept, new=False)
        return kept

    def sweep(self, now: float) -> None:
        """Take away what processes that were killed left half-written."""
        with contextlib.suppress(OSError), os.scandir(self.folder) as found:
            for entry in found:
                if _HALF.fullmatch(entry.name) and entry.stat().st_mtime < now - _STALE:
                    os.unlink(entry.path)

    def again(self) -> None:
        """Have everything that failed tried at once."""
        for step in self.steps():
            if step.due:
                self._write(replace(step, due=0.0), new=False)

    def status(self) -> QueueStatus:
        steps = self.steps()
        failing = [step for step in steps if step.tries]
        worst = max(failing, key=lambda step: step.tries, default=None)
        return QueueStatus(len(steps), len(failing), worst.reason if worst is not None else "")

    def _names(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.folder) if name.endswith(END) and not name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def _read(self, name: str) -> Step | None:
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return _step(json.load(file))
        except (OSError, ValueError):
            return None  # cut short by a full disk, or gone by now

    def _write(self, step: Step, *, new: bool) -> None:
        path = os.path.join(self.folder, step.name)
        if new and os.path.lexists(path) and self._read(step.name) is not None:
            return
        temp = os.path.join(self.folder, f".{step.name}.{os.urandom(4).hex()}")
        try:
            with open(temp, "x", encoding="utf-8") as file:
                json.dump(asdict(step), file)
            os.replace(temp, path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temp)
            raise


def _step(found: object) -> Step | None:
    """A step as a file holds it; None for anything else."""
    if not isinstance(found, dict):
        return None
    kind, session, reason, due = (found.get(key) for key in ("kind", "session", "reason", "due"))
    first, last, tries = (found.get(key) for key in ("first", "last", "tries"))
    if not (isinstance(kind, str) and isinstance(session, str) and isinstance(reason, str) and isinstance(due, int | float)):
        return None
    if not (isinstance(first, int) and isinstance(last, int) and isinstance(tries, int)):
        return None
    return Step(kind, session, first, last, float(due), tries, reason)
