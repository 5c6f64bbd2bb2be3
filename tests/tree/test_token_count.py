"""Tokens are counted by class of byte."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.token_count import count_tokens


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("The quick brown fox jumps over the lazy dog.", 9, 15),
        ("2024-05-01", 9, 12),
        ("北京大学", 4, 8),
        ("Привет, мир", 4, 9),
        ("안녕하세요", 5, 12),
        ("\U0001f600", 1, 4),
        ("def f(x):\n    return x\n", 6, 14),
    ],
)
def test_counts_are_near_a_tokenizers(text: str, low: float, high: float) -> None:
    assert low <= count_tokens(text.encode()) <= high


@given(st.binary(), st.binary())
def test_the_count_of_two_texts_is_the_sum_of_both(one: bytes, two: bytes) -> None:
    assert count_tokens(one + two) == pytest.approx(count_tokens(one) + count_tokens(two))


def test_large_texts_are_counted_quickly() -> None:
    start = time.process_time()
    count_tokens("word 北京 ".encode() * 1_000_000)
    assert time.process_time() - start < 5
