"""Stretches of the calendar: the week, month, quarter or season of a day, and those some steps before or after.

Weeks begin on Monday; months, quarters and years are those of the calendar and never overflow: a month before 31 March is February.
Seasons are the northern ones by whole months, and winter belongs to the year that it begins in. Both ends of a span are part of it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from dateutil.relativedelta import relativedelta

DAY, WEEK, MONTH, QUARTER, SEASON, YEAR, DECADE = "day", "week", "month", "quarter", "season", "year", "decade"
FINEST_FIRST = (DAY, WEEK, MONTH, QUARTER, SEASON, YEAR, DECADE)
SPRING, SUMMER, AUTUMN, WINTER = 3, 6, 9, 12  # the months that seasons begin in
MONDAY, SATURDAY = 0, 5
_MOST_STEPS = 12_000


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From one day to another. `granularity` says as what it was spoken of; a weekend is two days."""

    start: dt.date
    end: dt.date
    granularity: str

    @property
    def display(self) -> str:
        """What readers are shown: 2026-03-08, 2026-03-02~2026-03-08, 2026-03, 2026-Q1, 2026, 1990s, or two of them."""
        if self.granularity in (WEEK, SEASON):
            return f"{self.start}~{self.end}"
        first, last = (_shown(day, self.granularity) for day in (self.start, self.end))
        return first if first == last else f"{first}~{last}"

    @property
    def exact(self) -> str:
        """The moment as ISO text, as exact as the whole span is in it: 2026, 2026-03, 2026-03-08; '' for several years."""
        if self.start == self.end:
            return self.start.isoformat()
        if self.start.year != self.end.year:
            return ""
        return self.start.isoformat()[:7] if self.start.month == self.end.month else f"{self.start.year:04}"

    @property
    def exact_start(self) -> str:
        """The beginning of a range as ISO text, as exact as it was spoken of."""
        return _exact(self.start, self.granularity)

    @property
    def exact_after(self) -> str:
        """What comes behind a span as ISO text, as exact as the span was spoken of; '' where the calendar ends."""
        return "" if self.end == dt.date.max else _exact(self.end + dt.timedelta(days=1), self.granularity)

    def __contains__(self, day: dt.date) -> bool:
        return self.start <= day <= self.end


def day_of(day: dt.date, steps: int = 0) -> Span:
    """The day so many days later. Raise OverflowError or ValueError where the calendar ends; so do all others here."""
    there = day + dt.timedelta(days=steps)
    return Span(there, there, DAY)


def week_of(day: dt.date, steps: int = 0) -> Span:
    """The week of a day from Monday to Sunday, or the one so many weeks later."""
    monday = day + dt.timedelta(days=7 * steps - day.weekday())
    return Span(monday, monday + dt.timedelta(days=6), WEEK)


def weekend_of(day: dt.date, steps: int = 0) -> Span:
    """Saturday and Sunday of a day's week, or of the one so many weeks later."""
    week = week_of(day, steps)
    return Span(week.start + dt.timedelta(days=SATURDAY), week.end, DAY)


def nth_weekday(month: Span, weekday: int, nth: int) -> Span:
    """The first, second … such day of a month, or its last one for -1. Raise ValueError for one that there is not."""
    days = [
        one for one in (month.start + dt.timedelta(days=step) for step in range(31)) if one in month and one.weekday() == weekday
    ]
    if not -len(days) <= nth <= len(days) or not nth:
        raise ValueError(nth)
    return day_of(days[nth - 1 if nth > 0 else nth])


def weekday_of(day: dt.date, weekday: int, steps: int = 0) -> Span:
    """A day (0 is Monday) of a day's week, or of the one so many weeks later."""
    return day_of(week_of(day, steps).start, weekday)


def weekday_before(day: dt.date, weekday: int, *, strictly: bool = True) -> Span:
    """The last such weekday before a day."""
    back = (day.weekday() - weekday) % 7
    return day_of(day, -(back or 7 * strictly))


def weekday_after(day: dt.date, weekday: int, *, strictly: bool = True) -> Span:
    """The first such weekday after a day."""
    ahead = (weekday - day.weekday()) % 7
    return day_of(day, ahead or 7 * strictly)


def month_of(day: dt.date, steps: int = 0) -> Span:
    """The month of a day, or the one so many months later."""
    return _months(day.replace(day=1), steps, 1, MONTH)


def quarter_of(day: dt.date, steps: int = 0) -> Span:
    """The quarter of a day, or the one so many quarters later."""
    return _months(day.replace(month=day.month - (day.month - 1) % 3, day=1), 3 * steps, 3, QUARTER)


def season_of(day: dt.date, steps: int = 0) -> Span:
    """The season of a day, or the one so many seasons later; January is in the winter that began the year before."""
    return _months(day.replace(day=1), -(day.month % 3) + 3 * steps, 3, SEASON)


def year_of(day: dt.date, steps: int = 0) -> Span:
    """The year of a day, or the one so many years later."""
    return _months(day.replace(month=1, day=1), 12 * steps, 12, YEAR)


def decade_of(day: dt.date, steps: int = 0) -> Span:
    """The decade of a day such as 1990 to 1999, or the one so many decades later."""
    return _months(dt.date(day.year - day.year % 10, 1, 1), 120 * steps, 120, DECADE)


def season(year: int, first_month: int) -> Span:
    """The season of a year; winter goes on to the February after it."""
    return _months(dt.date(year, first_month, 1), 0, 3, SEASON)


def quarter(year: int, number: int) -> Span:
    """The first to fourth quarter of a year."""
    return quarter_of(dt.date(year, 3 * number - 2, 1))


def half_year(year: int, number: int) -> Span:
    """The first or second half of a year, told as two quarters."""
    return _months(dt.date(year, 6 * number - 5, 1), 0, 6, QUARTER)


def written(year: int, month: int | None = None, day: int | None = None) -> Span:
    """The day, month or year that a written date names. Raise ValueError for one that is in no calendar."""
    if month is None:
        return year_of(dt.date(year, 1, 1))
    return month_of(dt.date(year, month, 1)) if day is None else day_of(dt.date(year, month, day))


def stepped(span: Span, unit: str, steps: int) -> Span:
    """What lies so many units after a span of the same unit, or a day so many units away. Raise ValueError for other pairs."""
    if span.granularity == DAY and span.start != span.end:
        raise ValueError(f"{unit} beside several days")
    if span.granularity == DAY and unit in (DAY, WEEK):
        return day_of(span.start, steps * (7 if unit == WEEK else 1))
    if span.granularity == DAY and unit in (MONTH, YEAR):
        return day_of(span.start + relativedelta(**{f"{unit}s": steps}))  # type: ignore[arg-type] # months or years, a number
    if span.granularity == unit and span == _OF[unit](span.start, 0):
        return _OF[unit](span.start, steps)
    raise ValueError(f"{unit} beside {span.granularity}")


def ago(day: dt.date, unit: str, steps: int) -> Span:
    """The day, week, month, year … so many units later: as exact as such words are."""
    if abs(steps) > _MOST_STEPS * (30 if unit == DAY else 1):
        raise OverflowError(steps)
    return _OF[unit](day, steps)


def together(first: Span, last: Span) -> Span:
    """From the beginning of one to the end of another. Raise ValueError where that is before."""
    if last.end < first.start:
        raise ValueError(f"{last.end} is before {first.start}")
    coarser = max(first.granularity, last.granularity, key=FINEST_FIRST.index)
    return Span(first.start, last.end, coarser)


_OF = {
    DAY: day_of,
    WEEK: week_of,
    MONTH: month_of,
    QUARTER: quarter_of,
    SEASON: season_of,
    YEAR: year_of,
    DECADE: decade_of,
}


def _months(first: dt.date, steps: int, many: int, granularity: str) -> Span:
    start = first + relativedelta(months=steps)
    # The last day is counted from the beginning of the month: that of December 9999 has no day after it.
    last = start + relativedelta(months=many - 1)
    return Span(start, last + relativedelta(day=31), granularity)


def _shown(day: dt.date, granularity: str) -> str:
    if granularity == MONTH:
        return day.isoformat()[:7]
    if granularity == QUARTER:
        return f"{day.year:04}-Q{(day.month + 2) // 3}"
    if granularity == YEAR:
        return f"{day.year:04}"
    return f"{day.year - day.year % 10:04}s" if granularity == DECADE else day.isoformat()


def _exact(day: dt.date, granularity: str) -> str:
    if granularity in (YEAR, DECADE):
        return f"{day.year:04}"
    return day.isoformat() if granularity in (DAY, WEEK) else day.isoformat()[:7]
