"""What the grammars of spoken times are made of: rules, what they find, and the scene in which it is resolved."""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from memtree.tree.calendar_spans import Span, nth_weekday, together, written

# No letter, digit or underscore of a western alphabet stands beside: Han characters may, which \b would take for letters too.
BEFORE = r"(?<![0-9A-Za-z_\u00c0-\u024f])"
AFTER = r"(?![0-9A-Za-z_\u00c0-\u024f])"
_LEAP_YEARS = 8  # years between two days such as 29 February, at most


class Tense(enum.Enum):
    """When what a clause says takes place."""

    PAST = enum.auto()
    PRESENT = enum.auto()
    FUTURE = enum.auto()
    UNCLEAR = enum.auto()


@dataclass(frozen=True, slots=True)
class Scene:
    """The text that is read, and from where: the speaker's moment in their zone, None for unknown."""

    text: str
    moment: dt.datetime | None
    tense: Callable[[str, int, int], Tense]

    @property
    def day(self) -> dt.date:
        """The speaker's day. Raise LookupError for an unknown one: what is counted from it cannot be resolved."""
        if self.moment is None:
            raise LookupError("relative times need a moment")
        return self.moment.date()

    def tense_at(self, start: int, end: int) -> Tense:
        """The tense of the clause around a stretch of the text."""
        return self.tense(self.text, start, end)


@dataclass(frozen=True, slots=True)
class Written:
    """A date as far as it is written: a year, a year with its month, a month, a month with its day, a day …"""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def span(self) -> Span:
        """What it names, for one with a year. Raise ValueError for a date that does not exist."""
        return written(self.year or 0, self.month, self.day)

    def __post_init__(self) -> None:
        if self.month is not None and not 1 <= self.month <= 12:
            raise ValueError(self.month)
        if self.day is not None and not 1 <= self.day <= 31:
            raise ValueError(self.day)


@dataclass(frozen=True, slots=True)
class Found:
    """A time in a text. One without `span` and `date` is none, and what it covers is none either.

    `date` is resolved later, because the year may stand elsewhere; `until` is the end of a range of which `date` is the beginning.
    `loose`: repeated every week, month or year where the clause tells a habit.
    """

    start: int
    end: int
    span: Span | None = None
    relative: bool = True
    date: Written | None = None
    until: Written | None = None
    loose: bool = False
    in_text: bool = False  # counted from a date beside it
    joined: bool = False  # from one time to another


Make = Callable[[re.Match[str], Scene], Found | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A form of words, and what one that was found means: None for something else."""

    pattern: re.Pattern[str]
    make: Make


def rules(table: Iterable[tuple[str, Make]]) -> tuple[Rule, ...]:
    """A table of rules in English, in small or capital letters, with no letter or digit beside what they find."""
    return tuple(Rule(re.compile(BEFORE + f"(?:{pattern})" + AFTER, re.IGNORECASE), make) for pattern, make in table)


def found_at(match: re.Match[str], span: Span | None, *, relative: bool = True, loose: bool = False) -> Found:
    """A time where a match stands: its group `t`, or all of it."""
    start, end = match.span("t") if "t" in match.re.groupindex else match.span()
    return Found(start, end, span, relative, loose=loose)


def date_at(match: re.Match[str], date: Written, until: Written | None = None) -> Found:
    """A written date where a match stands."""
    start, end = match.span("t") if "t" in match.re.groupindex else match.span()
    loose = date.year is None and (until is None or until.year is None)
    return Found(start, end, date=date, until=until, loose=loose, relative=loose, joined=until is not None)


def in_month(match: re.Match[str], scene: Scene, month: Written, weekday: int, nth: int) -> Found:
    """The so manieth such day of a month; one without its year that is over already, though it is not told as past, is none."""
    found = resolved(date_at(match, month), scene)
    assert found.span is not None
    day = nth_weekday(found.span, weekday, nth)
    if month.year is None and day.start < scene.day and scene.tense_at(found.start, found.end) is not Tense.PAST:
        raise ValueError(day)
    return replace(found, span=day, date=None)


def nothing(match: re.Match[str], _scene: Scene) -> Found:
    """What looks like a time and is none."""
    return Found(*match.span())


def all_found(rules: Iterable[Rule], scene: Scene) -> Iterator[Found]:
    """Everything that the rules find, overlapping as it may be. A date that does not exist is none, and hides what is in it."""
    for rule in rules:
        for match in rule.pattern.finditer(scene.text):
            try:
                found = rule.make(match, scene)
            except (ValueError, OverflowError, LookupError):
                found = Found(*match.span())
            if found is not None:
                yield found


def first_and_longest(found: Iterable[Found]) -> list[Found]:
    """Those that do not overlap: the one that begins first counts, then the longest."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def resolved(found: Found, scene: Scene) -> Found:
    """With its span, where it has a date. Raise ValueError, OverflowError or LookupError for what has none."""
    if found.date is None:
        return found
    first, last = found.date, found.until
    if last is None:
        return replace(found, span=first.span() if first.year is not None else nearest(first, found, scene))
    if first.year is None and last.year is None:
        start = nearest(first, found, scene)
        year = start.start.year
    elif first.year is None:
        year = last.year or 0
        if (last.month or 12, last.day or 31) < (first.month or 1, first.day or 1):
            year -= 1
        start = replace(first, year=year).span()
    else:
        year, start = first.year, first.span()
    if last.year is None:
        last = replace(last, year=year, month=last.month or start.start.month)
        if last.span().end < start.start:
            last = replace(last, year=year + 1)
    return replace(found, span=together(start, last.span()))


def nearest(date: Written, found: Found, scene: Scene) -> Span:
    """A date without its year or month: the last one in what is past, else the next one. Raise ValueError where there is none."""
    day = scene.day
    past = scene.tense_at(found.start, found.end) is Tense.PAST
    spans = sorted(_years(date, day) if date.month is not None else _months(date, day))
    fitting = [span for span in spans if (span.start <= day if past else span.end >= day)]
    if not fitting:
        raise ValueError(date)
    return fitting[-1] if past else fitting[0]


def _years(date: Written, day: dt.date) -> Iterator[Span]:
    for year in range(max(1, day.year - _LEAP_YEARS), min(9999, day.year + _LEAP_YEARS) + 1):
        try:
            yield replace(date, year=year).span()
        except ValueError:
            continue


def _months(date: Written, day: dt.date) -> Iterator[Span]:
    for step in range(-2, 3):
        at = day.year * 12 + day.month - 1 + step
        try:
            yield Written(at // 12, at % 12 + 1, date.day).span()
        except ValueError:
            continue
