"""The labelled sets keep what they promise, and `memtree bench facts` reports what it measures. Nothing is timed here."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from zoneinfo import ZoneInfo

import pytest

from memtree.tools.bench.fact_sets import DROPPED, DURABLE, LANGUAGES, Half, Span, labelled, timed

HALVES = pytest.mark.parametrize("half", [*Half])


def normal(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


@HALVES
def test_half_of_the_sentences_last_and_the_rest_is_spread_over_the_reasons(half: Half) -> None:
    rows = labelled(half)
    assert {row.label for row in rows} == {DURABLE, *DROPPED}
    for language in LANGUAGES:
        counts = Counter(row.label for row in rows if row.language == language)
        assert 0.45 <= counts[DURABLE] / counts.total() <= 0.55
        assert all(0.07 <= counts[reason] / counts.total() <= 0.13 for reason in DROPPED)


def test_both_halves_have_the_same_mix() -> None:
    first, second = (Counter((row.language, row.label) for row in labelled(half)) for half in Half)
    assert first == second


def test_there_are_enough_sentences_and_times_in_both_languages() -> None:
    sentences, times = (
        [row.language for half in Half for row in labelled(half)],
        [row.language for half in Half for row in timed(half)],
    )
    assert len(sentences) >= 360
    assert len(times) >= 170
    for found in (Counter(sentences), Counter(times)):
        assert {*found} == {*LANGUAGES}
        assert all(0.45 <= count / found.total() <= 0.55 for count in found.values())


def test_no_sentence_is_there_twice() -> None:
    for texts in (
        [normal(row.text) for half in Half for row in labelled(half)],
        [normal(row.text) for half in Half for row in timed(half)],
    ):
        assert [text for text, count in Counter(texts).items() if count > 1] == []


@HALVES
def test_half_of_the_sentences_are_as_an_extractor_writes_them(half: Half) -> None:
    for language, starts in (("en", ("User", "The user")), ("zh", ("用户",))):
        texts = [row.text for row in labelled(half) if row.language == language]
        assert 0.3 <= sum(text.startswith(starts) for text in texts) / len(texts) <= 0.7


@HALVES
def test_the_times_are_days_of_the_calendar_in_zones_that_exist(half: Half) -> None:
    for row in timed(half):
        assert row.anchor.utcoffset() is not None, row.text
        assert row.anchor.utcoffset() in (dt.timedelta(), row.anchor.astimezone(ZoneInfo(row.zone)).utcoffset()), row.text
        for span in row.want:
            assert_whole(span)


def assert_whole(span: Span) -> None:
    """A week starts on a Monday, a month on its first day."""
    start, after = dt.date.fromisoformat(span.start), dt.date.fromisoformat(span.end) + dt.timedelta(days=1)
    days = (after - start).days
    if span.granularity == "day":
        assert days == 1 or (days, start.weekday()) == (2, 5)  # a weekend is two days
    elif span.granularity == "week":
        assert (days, start.weekday()) == (7, 0)
    else:
        months = {"month": 1, "quarter": 3, "season": 3, "year": 12, "decade": 120}[span.granularity]
        assert (start.day, after.day) == (1, 1)
        assert 12 * (after.year - start.year) + after.month - start.month == months


@HALVES
def test_some_sentences_name_no_time_and_some_are_said_on_another_day_than_in_london(half: Half) -> None:
    rows = timed(half)
    assert sum(not row.want for row in rows) >= 10
    assert sum(row.anchor.astimezone(ZoneInfo(row.zone)).date() != row.anchor.astimezone(dt.UTC).date() for row in rows) >= 5
