"""Times that facts speak of, resolved against the moment at which they were said: yesterday, 上周五, in May 2023, since 2019.

Whoever said it has a moment and a zone, and the calendar day there is what everything is counted from; without one only full dates
have a meaning. Better no date than a wrong one: what is vague (a few days ago), comes again (every Monday), measures (for two
weeks) or only looks like a time (USA Today) is none. Texts are never changed. Only the first 8,000 characters are read.

How words are taken: weeks begin on Monday. Last and next Friday are the one strictly before and after the day, this Friday that
of its week; 上周五, 周五, 下周五 are those of the week before, this one and the next. On Friday is the last one in what is past and
the next one otherwise. Months, quarters and years are those of the calendar: three months ago is a month, two weeks ago a week.
A date without its year is the nearest in the direction of the tense.
"""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from dataclasses import dataclass
from functools import lru_cache

from memtree.tree.fact import Temporal
from memtree.tree.spoken_forms import Found
from memtree.tree.spoken_reading import read
from memtree.tree.spoken_validity import validity

ABSOLUTE, RELATIVE = "absolute", "relative"
MESSAGE, TEXT = "message", "text"

_PROJECTION = re.compile(r" \[time: [0-9][0-9Qs~-]{3,24}\]\Z")
_REFERENCE = dt.datetime(2024, 5, 15, 12, tzinfo=dt.UTC)  # which day it is makes no difference to whether a time is relative


@dataclass(frozen=True, slots=True)
class Anchor:
    """When something was said: the moment, with its offset, and the zone of whoever said it; '' is that of the offset."""

    moment: dt.datetime
    zone: str = ""

    @property
    def local(self) -> dt.datetime:
        """The moment as the clock there shows it. A zone that nobody knows counts as none."""
        zone = _zone(self.zone) if self.zone else None
        moment = self.moment if self.moment.tzinfo is not None else self.moment.replace(tzinfo=dt.UTC)
        return moment if zone is None else moment.astimezone(zone)


@dataclass(frozen=True, slots=True)
class SpokenTime:
    """A time where it stands in a text, `text[start:end]`, and the inclusive days that it means.

    `kind` is absolute for what needs no moment to be understood, else relative; `anchor_source` is what that is counted from:
    message, or text for a date beside it.
    """

    start: int
    end: int
    kind: str
    anchor_source: str
    granularity: str
    resolved_start: str
    resolved_end: str
    display: str

    @property
    def temporal(self) -> Temporal:
        """The same as a fact holds it."""
        return Temporal(self.kind, self.anchor_source, self.granularity, self.resolved_start, self.resolved_end, self.display)


def anchor_of(timestamp_ms: int | None, zone: str = "") -> Anchor | None:
    """The anchor of a message with a time in UTC epoch milliseconds; '' is UTC. None without a time, or for an unknown zone."""
    there = dt.UTC if not zone else _zone(zone)
    if timestamp_ms is None or there is None:
        return None
    try:
        moment = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=timestamp_ms)
        return Anchor(moment.astimezone(there), zone)
    except (OverflowError, ValueError):
        return None


def times_in(text: str, anchor: Anchor | None) -> tuple[SpokenTime, ...]:
    """The times of a text in their order, each once: a day and its date are one.

    Never raises. Without an anchor only those that need none.
    """
    found: dict[object, Found] = {}
    for one in read(text, _moment(anchor))[1]:
        found.setdefault(one.span, one)
    return tuple(map(_spoken, found.values()))


def temporal_of(text: str, anchor: Anchor | None) -> tuple[Temporal | None, str, str]:
    """What a fact is told of its time: the one time that it speaks of, since when it is so, and until when.

    None for no time and for several different ones. The two moments are ISO texts as exact as they are known, '' for unknown.
    """
    scene, found = read(text, _moment(anchor))
    only = _spoken(found[0]).temporal if len({one.span for one in found}) == 1 else None
    return only, *validity(scene, found)


def projected(text: str, temporal: Temporal | None) -> str:
    """The text as readers are shown it: with the resolved time behind it where it speaks of one by relative words alone."""
    if temporal is None or not temporal.display or temporal.kind != RELATIVE or _PROJECTION.search(text):
        return text
    kinds = {(one.kind, one.anchor_source) for one in map(_spoken, read(text, _REFERENCE)[1])}
    return f"{text} [time: {temporal.display}]" if kinds == {(RELATIVE, MESSAGE)} else text


def without_projection(text: str) -> str:
    """The text as it was before `projected`."""
    return _PROJECTION.sub("", text, count=1)


def _moment(anchor: Anchor | None) -> dt.datetime | None:
    try:
        return anchor.local if anchor is not None else None
    except (OverflowError, ValueError):  # beyond the years that can be written
        return None


@lru_cache(maxsize=64)
def _zone(name: str) -> dt.tzinfo | None:
    """A zone by its name in the time zone database."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):  # ValueError: a name that leads out of the database
        return None


def _spoken(found: Found) -> SpokenTime:
    relative = found.relative or found.in_text
    source = TEXT if found.in_text or not relative else MESSAGE
    assert found.span is not None
    span = found.span
    return SpokenTime(
        found.start,
        found.end,
        RELATIVE if relative else ABSOLUTE,
        source,
        span.granularity,
        span.start.isoformat(),
        span.end.isoformat(),
        span.display,
    )
