"""Two changes of one text become one where nothing is doubtful."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.words import likeness, merge_lines, merge_words, united, without_forgotten
from support.laws import LAW

TEXTS = st.lists(st.sampled_from([*"abcd  \n.é漢"]), max_size=14).map(lambda x: "".join(x).encode())


@pytest.mark.parametrize(
    ("one", "two", "merged"),
    [
        (b"one two 3 four five", b"one two three four 5", b"one two 3 four 5"),
        (b"one two three four", b"zero one two three four five", b"zero one two three four"),
        (b"one two TWO three four five", b"one two three three four five", None),
        (b"one 2 three four five", b"one II three four five", None),
        (b"1 two three four five", b"one 2 three four five", None),
    ],
)
def test_words_merge_where_something_unchanged_stands_between(one: bytes, two: bytes, merged: bytes | None) -> None:
    assert merge_words(b"one two three four five", one, two) == merged


def test_characters_of_a_script_without_spaces_are_words() -> None:
    base = "今日は天気がとても良い".encode()
    merged = merge_words(base, base.replace("今日".encode(), "昨日".encode()), base.replace("良い".encode(), "悪い".encode()))
    assert merged == "昨日は天気がとても悪い".encode()


def test_bytes_that_are_no_text_stay() -> None:
    assert merge_words(b"a \xff b c d e", b"a \xff b c d e f", b"A \xff b c d e") == b"A \xff b c d e f"


def test_a_text_that_nothing_is_left_of_is_not_merged() -> None:
    base = b"one two three four five six"
    assert merge_words(base, b"1 2 three four 5 6 7 8 9", b"x one y two z three four five six q") is None


def test_a_very_long_text_is_kept_in_both_versions() -> None:
    base = b"word " * 20_000
    assert merge_words(base, b"x " + base, base + b"y") is None


def test_lines_merge_also_where_they_touch() -> None:
    assert merge_lines(b"a\nb\nc", b"a\nB\nc", b"a\nb\nc\nd") == b"a\nB\nc\nd"
    assert merge_lines(b"a\nb", b"a\nb\nx", b"a\nb\ny") == b"a\nb\nx\ny"
    assert merge_lines(b"a\nb\nc", b"a\nx\nc", b"a\ny\nc") is None
    assert merge_lines(b"a\nb\nc", b"a\nx\nc", b"a\nc") is None


def test_fixed_lines_must_not_have_changed() -> None:
    assert merge_lines(b"a\nb\nc\nd", b"A\nb\nc\nd", b"a\nb\nc\nD") == b"A\nb\nc\nD"
    assert merge_lines(b"a\nb\nc\nd", b"A\nb\nc\nd", b"a\nb\nc\nD", fixed=1) is None


def test_runs_keep_what_both_hold_once() -> None:
    assert united((b"s", b"y"), (b"s", b"x")) == (b"s", b"x", b"y")
    assert united((b"x", b"s"), (b"y", b"s", b"z")) == (b"x", b"y", b"s", b"z")


def test_likeness_is_the_share_of_common_words() -> None:
    assert likeness(b"a b c d", b"a b c d") == 1.0
    assert likeness(b"a b c d", b"a b c x") == 0.75
    assert likeness(b"a b c d", b"w x y z") == 0.0
    assert likeness(b"", b"a") == 0.0


def test_of_two_texts_that_forgot_parts_only_what_neither_forgot_is_left() -> None:
    assert without_forgotten(b"a b c d e", b"a [forgotten] c d e", b"a b c [forgotten] e") == b"a [forgotten] c [forgotten] e"


@LAW
@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_by_words_is_symmetric_and_absorbs_both_sides(base: bytes, one: bytes, two: bytes) -> None:
    for merge in (merge_words, merge_lines):
        merged = merge(base, one, two)
        assert merged == merge(base, two, one)
        if merged is not None and merged not in (one, two):
            assert merge(base, merged, two) == merged == merge(base, one, merged)
