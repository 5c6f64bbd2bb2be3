"""The labelled sets keep what they promise, and `memtree bench facts` judges by them. Nothing is timed here."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from zoneinfo import ZoneInfo

import pytest

from memtree.tools.bench.fact_load import filled, load_figures, shapes
from memtree.tools.bench.fact_quality import bag_of_words, by_dateutil, date_figures, gate_figures, keep_all
from memtree.tools.bench.fact_sets import DROPPED, DURABLE, LANGUAGES, Half, Span, labelled, timed
from memtree.tools.bench.fact_writing import made_facts
from memtree.tools.bench.facts import read, reason

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


def test_who_keeps_everything_keeps_all_that_lasts_and_as_much_that_does_not() -> None:
    found = gate_figures(labelled(Half.TUNING), keep_all)
    assert (found["durable_kept_percent"], found["of_kept_durable_percent"]) == (100.0, 50.0)
    assert {one["right_reason_percent"] for one in found["reasons"].values()} == {0.0}


def test_who_knows_the_labels_is_right_in_everything() -> None:
    labels = {row.text: row.label for row in labelled(Half.TUNING)}
    found = gate_figures(labelled(Half.TUNING), lambda text: "" if labels[text] == DURABLE else labels[text])
    perfect = {"durable_kept_percent": 100.0, "of_kept_durable_percent": 100.0}
    assert found["languages"] == dict.fromkeys(LANGUAGES, perfect)
    assert all(set(one.values()) == {100.0} for one in found["reasons"].values())
    assert found["reasons"].keys() == {*DROPPED}


def test_a_bag_of_words_is_better_than_keeping_everything_and_loses_some_of_what_lasts() -> None:
    found = gate_figures(labelled(Half.TUNING), bag_of_words)
    assert found["of_kept_durable_percent"] > 50
    assert found["durable_kept_percent"] < 100


def test_a_reader_of_dates_is_right_only_when_it_reads_every_day_and_no_other() -> None:
    rows = timed(Half.TUNING)
    assert date_figures(rows, lambda row: row.want)["exact_percent"] == 100.0
    silent = date_figures(rows, lambda _: ())
    assert silent["exact_where_none_percent"] == 100.0
    assert silent["exact_percent"] < 20
    assert date_figures(rows, lambda row: (*row.want, *row.want))["exact_percent"] == silent["exact_percent"]


def test_the_parser_of_dateutil_reads_dates_as_calendars_write_them() -> None:
    (row,) = (row for row in timed(Half.TUNING) if row.text == "Our son was born on 8 May 2023.")
    assert by_dateutil(row) == (Span("2023-05-08", "2023-05-08", "day"),)
    assert date_figures([row], by_dateutil)["exact_percent"] == 100.0


def test_every_message_of_the_load_has_its_size_and_is_timed() -> None:
    messages = dict(shapes(["The ferry is late."], ["渡船晚点了。"], 1_000))
    assert all(997 <= len(text.encode()) <= 1_000 for text in messages.values())
    assert filled("é", 5) == "éé"
    found = load_figures(iter(messages.items()), len, 2)
    assert found.keys() == messages.keys()
    assert all(one["p95_ms"] >= one["median_ms"] > 0 for one in found.values())


def test_made_facts_all_say_something_else_in_two_languages_and_are_the_same_for_a_seed() -> None:
    made = made_facts(200, 7)
    assert len({one.text for one in made}) == 200
    assert sum(not one.text.isascii() for one in made) == 50
    assert made == made_facts(200, 7) != made_facts(200, 8)


def test_the_gate_is_right_about_the_sentences_it_was_made_on() -> None:
    found = gate_figures(labelled(Half.TUNING), reason)
    for figures in (found, *found["languages"].values()):
        assert figures["durable_kept_percent"] >= 98
        assert figures["of_kept_durable_percent"] >= 95


def test_dates_are_right_in_the_sentences_they_were_made_on() -> None:
    found = date_figures(timed(Half.TUNING), read)
    assert min(found.values()) >= 95
