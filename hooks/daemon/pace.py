"""Pace: when the next sync with a remote is due. Pure: a clock that only goes forward and randomness are passed in.

Times are seconds of such a clock, `chance` is a number from 0 to 1. A wall clock plays no part, so setting it moves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

NEVER = math.inf
_LONGEST_WAIT = 6  # delays: who commits all the time is synced after so many
_DOUBLINGS = 30  # more of them are longer than any pause


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Seconds. A sync follows `delay` after the last commit, and every `interval`; none of both unless it is `automatic`.

    What only needs time is tried again after `first_pause`, then twice as long each time, up to `longest_pause`. After an alarm
    a commit here brings on no sync for `alarm_pause`, then twice as long, up to the interval. Between two syncs lies `rest`.
    """

    delay: float = 5.0
    interval: float = 300.0
    automatic: bool = True
    first_pause: float = 5.0
    longest_pause: float = 900.0
    alarm_pause: float = 60.0
    rest: float = 1.0


@dataclass(frozen=True, slots=True)
class Pacing:
    """When one remote is due, and why. Every method that changes something answers with another Pacing."""

    rhythm: Rhythm
    regular: float  # when the interval is over, or the pause after a failure
    soon: float = NEVER  # when what was committed here is to be sent
    unsent: float = NEVER  # when the first commit was made that no sync has looked at
    not_before: float = -NEVER  # a failure, an alarm or a rest holds back what was not asked for
    rested: float = -NEVER  # and this what was
    failures: int = 0
    alarms: int = 0
    asked: bool = False
    running: bool = False

    @classmethod
    def begun(cls, rhythm: Rhythm, now: float) -> Self:
        """A remote that nothing is known of yet: its first sync follows soon."""
        return cls(rhythm, now + min(rhythm.delay, rhythm.interval) if rhythm.automatic else NEVER)

    @property
    def due(self) -> float:
        """When the next sync is to start; NEVER while one runs."""
        if self.running:
            return NEVER
        if self.asked:
            return self.rested
        return max(self.not_before, min(self.regular, self.soon))

    def waits(self, now: float) -> bool:
        """Whether a failure or an alarm keeps it from being synced along with another remote."""
        return self.running or (not self.asked and now < self.not_before)

    # -- what happens
    def committed(self, now: float) -> Self:
        """A commit was made here: a sync follows the last of several, but does not wait for an end that never comes."""
        if not self.rhythm.automatic:
            return self
        first = min(self.unsent, now)
        return replace(self, unsent=first, soon=min(now + self.rhythm.delay, first + _LONGEST_WAIT * self.rhythm.delay))

    def demanded(self) -> Self:
        """Somebody asks for a sync now, whatever failed before."""
        return replace(self, asked=True)

    def started(self) -> Self:
        """A sync begins; what is committed from here on is left to the next one."""
        return replace(self, running=True, asked=False, soon=NEVER, unsent=NEVER)

    def succeeded(self, now: float, chance: float) -> Self:
        """It ended well: nothing holds the next one back."""
        pause = self.rhythm.interval * (0.9 + 0.2 * chance)
        return replace(self._ended(now), regular=self._automatic(now + pause), failures=0, alarms=0)

    def failed(self, now: float, chance: float) -> Self:
        """What went wrong needs only time: tried again after a pause, by whatever is committed meanwhile no sooner."""
        rhythm = self.rhythm
        pause = min(rhythm.longest_pause, rhythm.first_pause * 2 ** min(self.failures, _DOUBLINGS)) * (0.75 + 0.5 * chance)
        again = now + max(pause, rhythm.rest)
        return replace(self._ended(now), not_before=again, regular=self._automatic(again), failures=self.failures + 1)

    def alarmed(self, now: float, chance: float) -> Self:
        """A person has to decide: tried again when the interval is over, or some time after something was committed."""
        rhythm = self.rhythm
        quiet = min(rhythm.interval, rhythm.alarm_pause * 2 ** min(self.alarms, _DOUBLINGS))
        regular = now + rhythm.interval * (0.9 + 0.2 * chance)
        ended = self._ended(now)
        held = max(now + quiet, ended.not_before)
        return replace(ended, not_before=held, regular=self._automatic(regular), failures=0, alarms=self.alarms + 1)

    def put_off(self, now: float, pause: float) -> Self:
        """Somebody else syncs right now: no failure, looked at again after a pause."""
        return replace(self._ended(now), soon=now + pause, not_before=now + pause)

    def _ended(self, now: float) -> Self:
        rested = now + self.rhythm.rest
        return replace(self, running=False, rested=rested, not_before=rested)

    def _automatic(self, when: float) -> float:
        return when if self.rhythm.automatic else NEVER


def due(pacings: Mapping[str, Pacing], now: float) -> tuple[str, ...]:
    """The remotes to sync with now: none, or those that are due and all that nothing holds back.

    Together, because what one brings the others get in the same sync.
    """
    if not any(pacing.due <= now for pacing in pacings.values()):
        return ()
    return tuple(name for name, pacing in sorted(pacings.items()) if pacing.due <= now or not pacing.waits(now))


def next_due(pacings: Mapping[str, Pacing]) -> float:
    """When to look again; NEVER without remotes."""
    return min((pacing.due for pacing in pacings.values()), default=NEVER)
