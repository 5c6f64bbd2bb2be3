"""Expressions of strangers: what cannot be read is told with its place, and none takes more than time in proportion to the text."""

from __future__ import annotations

import pytest

from memtree.indexers.linear_regex import LONGEST, BadPattern, expression, literal, whole


def found(pattern: str, text: str, *, ignore_case: bool = False) -> int:
    data = text.encode()
    return expression(pattern, ignore_case=ignore_case).find(data, 0, len(data))


@pytest.mark.parametrize(
    ("pattern", "column"),
    [
        ("a(b", 2),
        ("[(]a(b\\)", 5),
        ("a)b", 2),
        ("*a", 1),
        ("ab**", 3),
        ("a{2,1}", 2),
        ("a[b", 2),
        ("x[z-a]", 3),
        ("a\\8", 2),
        ("x(?=y)", 2),
        ("(?<!a)b", 1),
        ("ab\\", 3),
        ("é\\1", 2),
        ("a\\Z", 2),
        ("\\Aa", 1),
        ("a\nb", 2),
        ("ab\r", 3),
        ("a\ud800b", 2),
    ],
)
def test_what_cannot_be_read_is_told_with_its_column(pattern: str, column: int) -> None:
    with pytest.raises(BadPattern) as told:
        expression(pattern, ignore_case=False)
    assert told.value.column == column
    assert f"column {column}" in str(told.value)
    assert told.value.hint


@pytest.mark.parametrize("pattern", ["", "a" * (LONGEST + 1), r"\pL{100}", "((a{1,100}){1,100}){1,100}", "(?:a{1,1000}){1000}"])
def test_what_is_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern):
        expression(pattern, ignore_case=True)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(a*)*c", "(.*)(.*)(.*)(.*)d", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_what_would_never_end_elsewhere_ends(pattern: str) -> None:
    assert found(pattern, "a" * 100_000 + "!") == -1


def test_a_match_stays_in_its_line() -> None:
    assert found(r"b\sc", "b\nc") == -1
    assert found("[^a]+d", "bb\ncd") == 3
    assert found("^b$", "a\nb\nc") == 2


def test_a_literal_is_taken_by_the_letter_in_both_forms_of_its_accents() -> None:
    for text in ("café", "cafe\u0301"):
        data = text.encode()
        assert literal("caf\u00e9", ignore_case=False).find(data, 0, len(data)) == 0
    data = b"a.c abc (.*) [x"
    assert literal(".*) [", ignore_case=False).find(data, 0, len(data)) == 9
    assert literal("\\Z", ignore_case=False).find(b"\\Z", 0, 2) == 0


def test_case_is_folded_in_every_script() -> None:
    data = "ПРИВЕТ Ärger".encode()
    assert literal("привет", ignore_case=True).find(data, 0, len(data)) == 0
    assert literal("äRGER", ignore_case=True).find(data, 0, len(data)) == 13
    assert literal("привет", ignore_case=False).find(data, 0, len(data)) == -1


def test_a_whole_text_is_matched_over_line_ends() -> None:
    assert whole("a.*b").fits("a\nb")
    assert not whole("a.*b").fits("a\nb!")
