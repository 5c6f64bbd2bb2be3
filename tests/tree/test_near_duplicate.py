"""Near duplicates: what is held for one statement, and above all what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.near_duplicate import near_duplicate, statement
from support.memory_pairs import CHINESE, ENGLISH, PAIRS

_TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "the",
                "user",
                "prefers",
                "not",
                "on",
                "fridays",
                ",",
                ".",
                "`",
                "**",
                "10",
                "MB",
                "用户",
                "不",
                "使用",
                "，",
                "?",
                "if",
                "\\",
            ]
        ),
        max_size=12,
    ).map(" ".join),
)


def test_there_are_enough_pairs_of_both_kinds_and_languages() -> None:
    assert len(PAIRS) >= 120
    for pairs in (ENGLISH, CHINESE):
        assert len(pairs) >= 60
        assert 25 <= sum(same for _, _, same in pairs) <= len(pairs) - 25
    assert len({frozenset(pair[:2]) for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize("pairs", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_no_distinct_lesson_is_taken_for_another(pairs: tuple[tuple[str, str, bool], ...]) -> None:
    assert [pair for pair in pairs if near_duplicate(*pair[:2]) and not pair[2]] == []


@pytest.mark.parametrize(("pairs", "missed"), [(ENGLISH, 4), (CHINESE, 3)], ids=["english", "chinese"])
def test_what_says_the_same_is_found_but_for_free_wordings(pairs: tuple[tuple[str, str, bool], ...], missed: int) -> None:
    """Those need an understanding of what is said; that they stand twice costs little."""
    assert len([pair for pair in pairs if pair[2] and not near_duplicate(*pair[:2])]) <= missed


def test_all_that_say_the_same_have_one_form() -> None:
    """So an entry is compared once, however many there are, and it does not matter which came first."""
    assert all(near_duplicate(one, two) == (statement(one) == statement(two)) for one, two, _ in PAIRS)
    assert all(statement(text.upper()) for pair in PAIRS for text in pair[:2])


@given(_TEXTS)
def test_any_text_has_a_form_and_marks_around_it_change_nothing(text: str) -> None:
    form = statement(text)
    assert statement(f"  {text}\n") == form
    assert statement(f"{text} ^m-01k3v9f4xq8d2m7b5c") == statement(text.rstrip()) or "^" in text
    assert all(form)


@given(st.sampled_from([text for pair in PAIRS for text in pair[:2]]))
def test_a_negation_or_a_number_more_makes_another_statement(text: str) -> None:
    for more in ("not", "never", "7", "only", "不", "仅"):
        assert not near_duplicate(text, f"{text} {more}")
        assert not near_duplicate(text, f"{more} {text}")
