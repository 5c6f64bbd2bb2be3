"""Standing: how the sync with each remote stands, what a person is told of it, and which changes of it are worth a line in the log.

Pure: what happened and when is passed in. `now` is of the clock of the pace, `wall` seconds since the epoch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from memtree.hooks.daemon.pace import NEVER, Pacing
from memtree.tree.errors import Error, TransientError
from memtree.tree.redaction import without_credentials

# Who only shows a state that was sent loads no engine.
if TYPE_CHECKING:
    from memtree.engine.sync import SyncReport
    from memtree.engine.transport import Remote

Line = tuple[str, dict[str, object]]  # of the log: what happened, and its facts


@dataclass(frozen=True, slots=True)
class RemoteState:
    """What a person is told of one remote. Times are seconds since the epoch; `next_try` is seconds from now, None for never.

    `alarm`: it will not go away by itself, `hint` says what to do.
    """

    name: str
    direction: str
    succeeded: float | None
    failing_since: float | None
    error: str
    hint: str
    alarm: bool
    offline: bool
    running: bool
    next_try: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """One remote: when it is due, and how its last syncs ended. `failing` names the kind of the error that came `tries` times."""

    remote: Remote
    pacing: Pacing
    succeeded: float | None = None
    failing_since: float | None = None
    failing: str = ""
    error: str = ""
    hint: str = ""
    tries: int = 0
    alarm: bool = False
    offline: bool = False

    def paced(self, pacing: Pacing) -> Self:
        return replace(self, pacing=pacing)

    def ended_well(self, now: float, wall: float, chance: float) -> Self:
        return replace(self._well(wall), pacing=self.pacing.succeeded(now, chance))

    def ended_badly(self, error: Exception, now: float, wall: float, chance: float) -> Self:
        """After an error: what needs only time is tried again soon, anything else is an alarm."""
        from memtree.engine.transport import RemoteUnreachable

        alarm = not isinstance(error, TransientError)
        pacing = self.pacing.alarmed(now, chance) if alarm else self.pacing.failed(now, chance)
        return replace(
            self,
            pacing=pacing,
            failing_since=wall if self.failing_since is None else self.failing_since,
            failing=type(error).__name__,
            error=_words(error),
            hint=error.hint if isinstance(error, Error) else "",
            tries=self.tries + 1,
            alarm=alarm,
            offline=isinstance(error, RemoteUnreachable),
        )

    def heard(self, succeeded: float | None) -> Self:
        """When it was last synced with, as it is written down: another time than ours is another process's sync.

        What failed here before is over then, and nothing holds the next sync back.
        """
        if succeeded is None or succeeded == self.succeeded:
            return self
        if not self.failing:
            return replace(self, succeeded=succeeded)
        return replace(self._well(succeeded), pacing=self.pacing.demanded())

    def _well(self, wall: float) -> Self:
        return type(self)(self.remote, self.pacing, wall)

    def state(self, now: float) -> RemoteState:
        due = self.pacing.due
        return RemoteState(
            self.remote.name,
            self.remote.direction.value,
            self.succeeded,
            self.failing_since,
            self.error,
            self.hint,
            self.alarm,
            self.offline,
            self.pacing.running,
            None if due == NEVER else max(0.0, due - now),
        )


def news(before: Standing, after: Standing) -> Line | None:
    """The line that a change is worth: a remote that stays away, or alarms as before, is worth none."""
    if after.failing and after.failing != before.failing:
        kind = "sync-alarm" if after.alarm else "sync-offline" if after.offline else "sync-failed"
        return kind, {"remote": after.remote.name, "error": after.failing}
    if before.failing and not after.failing:
        return "sync-again", {"remote": after.remote.name, "tries": before.tries, "was": before.failing}
    return None


def line_of(report: SyncReport) -> Line | None:
    """What a sync is worth in the log: nothing when nothing came or went."""
    if not report.received and not report.sent:
        return None
    facts = {"remote": report.remote, "received": report.received, "sent": report.sent, "conflicts": len(report.conflicts)}
    return "synced", dict(facts)


def is_same(one: Remote, other: Remote) -> bool:
    """Whether what is known of a remote still holds, though its settings were read anew."""
    return (one.url, one.direction) == (other.url, other.direction)


def _words(error: Exception) -> str:
    if isinstance(error, Error):
        return without_credentials(str(error))
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"a bug of memtree ({type(error).__name__})"
