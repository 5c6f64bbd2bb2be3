"""Points in time as people write them, for `--since` and `--until`. The present is passed in."""

from __future__ import annotations

import enum
import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memtree.tree.errors import UserError

_AGO = re.compile(
    r"(\d{1,9})\s*(minutes?|mins?|m|hours?|h|days?|d|weeks?|w|months?|mo|years?|y)(?:\s+ago)?", re.IGNORECASE | re.ASCII
)
_SECONDS = {"mi": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


class Edge(enum.Enum):
    """Which end of a day a bare date means: `--since` starts with the day, `--until` includes it."""

    START = "start"
    END = "end"


class UnknownTime(UserError):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"cannot read {text!r} as a time",
            hint="write a date (2026-03-31), a date and time (2026-03-31T14:00), an age (30m, 2h, 3d, 2w), today or yesterday",
        )
        self.text = text


def parse_when(text: str, now: int, *, edge: Edge = Edge.START, zone: tzinfo | None = None) -> int:
    """Seconds since the epoch for a written time; raise UnknownTime, whose hint says what is accepted.

    A time without a zone is in `zone`, the system's own when that is None.
    """
    words = text.strip().lower()
    if words == "now":
        return now
    age = _AGO.fullmatch(words)
    try:
        if age:
            return max(now - int(age[1]) * _unit(age[2]), 0)
        day = _day(words, now, zone)
        return _edge_of(day, edge, zone) if day is not None else _stamp(datetime.fromisoformat(text.strip()), zone)
    except (ValueError, OverflowError, OSError) as error:
        raise UnknownTime(text) from error


def _unit(name: str) -> int:
    return _SECONDS.get(name[:2]) or (60 if name == "m" else _SECONDS[name[0]])


def _day(words: str, now: int, zone: tzinfo | None) -> date | None:
    """The day that a text names as a whole, None when it names a moment."""
    today = datetime.fromtimestamp(now, UTC).astimezone(zone).date()
    if words in ("today", "yesterday"):
        return today - timedelta(days=words == "yesterday")
    try:
        return date.fromisoformat(words)
    except ValueError:
        return None


def _edge_of(day: date, edge: Edge, zone: tzinfo | None) -> int:
    match edge:
        case Edge.START:
            return _stamp(datetime.combine(day, time()), zone)
        case Edge.END:
            return _stamp(datetime.combine(day + timedelta(days=1), time()), zone) - 1


def _stamp(moment: datetime, zone: tzinfo | None) -> int:
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=zone)
    return int(moment.timestamp())
