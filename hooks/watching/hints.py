"""Hints: what is to be looked at, and when. Two clocks: quiet time (nothing happened lately) and maximum time (it waits no longer).

Pure: times are seconds of a clock that only goes forward, and passed in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

NEVER = math.inf
MOST = 5_000  # paths that are remembered; of more it is only remembered that there were


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be looked at: these paths from the root (a folder with all that is in it), or `everything`."""

    paths: frozenset[str] = frozenset()
    everything: bool = False

    def beside(self, other: Look) -> Look:
        """Both looks as one."""
        paths = self.paths | other.paths
        return Look(everything=True) if self.everything or other.everything or len(paths) > MOST else Look(paths)


@dataclass(slots=True)
class Hints:
    """Gathers hints until they are due: `quiet` seconds after the last one, at the latest `maximum` seconds after the first."""

    quiet: float
    maximum: float
    _paths: set[str] = field(default_factory=set)
    _everything: bool = False
    _first: float = NEVER
    _last: float = -NEVER
    _waits: bool = False

    def add(self, paths: Iterable[str], now: float, *, changed: float | None = None) -> None:
        """Something happened to these paths; none is a hint too, such as for a commit. `changed` is when, if it is known."""
        self._paths.update(paths)
        if len(self._paths) > MOST:
            self._paths.clear()
            self._everything = True
        at = now if changed is None else min(changed, now)
        self._first = min(self._first, at)
        self._last = max(self._last, at)
        self._waits = True

    @property
    def due(self) -> float:
        """When to look; NEVER while there is nothing to look at."""
        return min(self._last + self.quiet, self._first + self.maximum) if self._waits else NEVER

    @property
    def waiting(self) -> int:
        """How many paths wait to be looked at."""
        return len(self._paths)

    @property
    def empty(self) -> bool:
        return not self._waits

    def take(self) -> Look:
        """What is to be looked at. From here on it counts as looked at."""
        look = Look(frozenset(self._paths), self._everything)
        self._paths.clear()
        self._everything = self._waits = False
        self._first, self._last = NEVER, -NEVER
        return look
