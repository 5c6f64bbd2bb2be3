"""Ordering: which of two facts about one thing is the newer one, and whether they speak of one time at all.

The world decides before the telling: who says today that they moved in 2019 says nothing new to someone who heard that they moved
in March. A fact that names no time held when it was told. So does one that says since when something is so, or that is news, told
within about two months of its happening ("last month I moved", "in February I moved"): who tells news knows what was told before.
Of facts that held at the same time the one that was told later is the newer one; of those that one message tells, the one that
began later, be it known by the day or by the year; and where that says nothing either, the one that stands later in the message.

But for what one message tells, the order is one of values, and a total one: it never matters which of two came first to be stored,
and whatever was closed by something, one fact stands in the end.
"""

from __future__ import annotations

import datetime as dt
import re

from memtree.tree.fact import PERSON, Fact, began, moment
from memtree.tree.front_matter import epoch_milliseconds

Order = tuple[int, int, int, int, str]

_DAY = 86_400_000  # milliseconds
_NEWS = 62 * _DAY  # between what happened and its being told
_STILL = re.compile(r"\bsince\b|\bfor the (?:last|past)\b|自从|以来|一直|至今|自\d{4}年", re.ASCII | re.IGNORECASE)
_YEARS, _MONTHS, _DAYS = 4, 7, 10  # characters of a moment that is as exact as that


def order_of(fact: Fact) -> Order:
    """What facts are ordered by: when it was so in the world, when that was told, since when it is so, and then only what it is."""
    return *_telling(fact), began(begins(fact)) or 0, fact.id


def is_newer(one: Fact, new: Fact) -> bool:
    """Whether a fact that is known is newer than one that comes in. What a message tells later comes in later."""
    here, there = _turns(one), _turns(new)
    together = bool(here & there) or not (here or there)  # one message, or what is written by hand in one second
    if not together or _telling(one) != _telling(new):
        return order_of(one) > order_of(new)
    since, later = began(one.valid_at), began(new.valid_at)
    return since is not None and later is not None and since > later


def _telling(fact: Fact) -> tuple[int, int, int]:
    return held_until(fact), began(fact.created_at) or 0, max((source.seq for source in fact.sources), default=0)


def _turns(fact: Fact) -> set[tuple[str, int]]:
    return {(source.session, source.seq) for source in fact.sources}


def held_until(fact: Fact) -> int:
    """The last moment for which a fact was told, in UTC epoch milliseconds; 0 for unknown."""
    return max(_in_the_world(fact, began(fact.created_at)), began(fact.told_at) or 0)


def begins(fact: Fact) -> str:
    """Since when a fact holds, as a moment: what it says itself, else the day on which it was told."""
    return fact.valid_at or fact.created_at[:_DAYS]


def overlapping(one: Fact, two: Fact) -> bool:
    """Whether two facts may speak of one time. What ended before the other began speaks of another one."""
    return not (_ended_before(one, two) or _ended_before(two, one))


def earlier_of(one: str, two: str) -> str:
    """The moment that comes first, where both are known."""
    if not one or not two:
        return one or two
    return min((one, two), key=lambda text: (began(text) or 0, text))


def ends(text: str) -> int | None:
    """The last second of a moment such as `2026-03`, in UTC epoch milliseconds; None for none."""
    start = began(text)
    if start is None:
        return None
    if len(text) > _DAYS:
        return start
    return _after(text, start) - 1_000


def day_of(milliseconds: int) -> str:
    return moment(milliseconds)[:_DAYS]


def _in_the_world(fact: Fact, told: int | None) -> int:
    since, last = began(fact.valid_at), ends(fact.valid_at)
    if since is None or last is None:
        return told or 0
    if told is None or since > told:
        return since
    if told <= last or (_STILL.search(fact.text[:400]) and not _closed_itself(fact)):
        return told
    given = fact.generator == PERSON and fact.temporal is None  # by hand, as the day since when it is so
    return told if not _closed_itself(fact) and (given or told - last <= _NEWS) else last


def _closed_itself(fact: Fact) -> bool:
    """Whether the statement itself says until when it was so, as told of one that another has not closed."""
    return bool(fact.invalid_at) and not fact.superseded_by


def _ended_before(one: Fact, two: Fact) -> bool:
    end, start = began(one.invalid_at), began(two.valid_at)
    return end is not None and start is not None and not one.superseded_by and end <= start


def _after(text: str, start: int) -> int:
    """The first instant behind a day, month or year."""
    day = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(milliseconds=start)
    try:
        if len(text) <= _YEARS:
            after = day.replace(year=day.year + 1)
        elif len(text) <= _MONTHS:
            after = (day.replace(day=1) + dt.timedelta(days=32)).replace(day=1)
        else:
            after = day + dt.timedelta(days=1)
    except (ValueError, OverflowError):
        return start + 1_000
    return epoch_milliseconds(after.isoformat()) or start + 1_000
