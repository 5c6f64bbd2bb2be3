"""Which words of a text count when two texts are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.evidence_words import evidence_tokens, names_in, numbers_in, spelled_numbers_in


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I moved to Lisbon’s cafés.", {"moved", "lisbon", "cafés"}),
        ("The dogs, the dog", {"dog"}),
        ("parties and a party", {"party"}),
        ("my bus is glass", {"bus", "glass"}),
        ("1,200 kg, 5km, 8.5 and 007", {"1200", "kg", "5", "5km", "8.5", "7"}),
        ("user42 O'Brien don't", {"user42", "o'brien", "don't"}),
        ("我住在里斯本", {"我住", "住在", "在里", "里斯", "斯本"}),
        ("用户的猫", {"户的", "的猫"}),
        ("猫", {"猫"}),
        ("3月", {"3", "月"}),
        ("ＡＢＣ　１２", {"abc", "12"}),
        ("it is what it is", set()),
        ("", set()),
    ],
)
def test_what_counts(text: str, tokens: set[str]) -> None:
    assert evidence_tokens(text) == tokens


def test_chinese_clauses_that_differ_have_words_in_common() -> None:
    assert {"里斯", "斯本"} <= evidence_tokens("我住在里斯本") & evidence_tokens("里斯本的公寓很贵")


def test_numbers_and_names() -> None:
    assert numbers_in("1,200 or 05, 8.5 and ２") == {"1200", "5", "8.5", "2"}
    assert spelled_numbers_in("twelve, 十二, 二十 and 三") == {"12", "20", "3"}
    assert names_in("I like Rome and iPhone. The dog Rex. My GPT-4") == ("Rome", "iPhone", "Rex", "GPT-4")


@given(st.text())
def test_the_form_of_letters_makes_no_difference(text: str) -> None:
    assert evidence_tokens(text) == evidence_tokens(f"  {text}\n")
