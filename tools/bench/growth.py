"""Growth: whether what was measured now and again stays flat. Pure: a series of numbers in, a judgement out."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

SHARE = 1.15
_QUARTERS = 4


@dataclass(frozen=True, slots=True)
class Bound:
    """What the last quarter's median may be: SHARE of the second quarter's, `more` beside, and `each` for a commit in between.

    The first quarter does not count: caches fill in it.
    """

    more: float
    each: float = 0.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Medians of the quarters, what the last one may be, and how much is added in an hour over the last three."""

    first: float
    second: float
    last: float
    allowed: float
    per_hour: float

    @property
    def flat(self) -> bool:
        return self.last <= self.allowed


def growth(values: Sequence[float], times: Sequence[float], commits: Sequence[float], bound: Bound) -> Growth:
    """Judge a series of at least four values, with the seconds and the number of commits at each."""
    quarters = [_medians(quarter) for quarter in _cut(list(zip(values, times, commits, strict=True)))]
    (first, _, _), (second, since, before), *_, (last, until, after) = quarters
    allowed = SHARE * second + bound.more + bound.each * (after - before)
    hours = (until - since) / 3600
    return Growth(first, second, last, allowed, (last - second) / hours if hours else 0.0)


def _cut(rows: list[tuple[float, float, float]]) -> list[list[tuple[float, float, float]]]:
    if len(rows) < _QUARTERS:
        raise ValueError("too few values for four quarters")
    edges = [len(rows) * number // _QUARTERS for number in range(_QUARTERS + 1)]
    return [rows[start:end] for start, end in itertools.pairwise(edges)]


def _medians(rows: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    values, times, commits = zip(*rows, strict=True)
    return statistics.median(values), statistics.median(times), statistics.median(commits)
