"""Sentences of messages: where they end and where they only seem to, and that no word is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.sentences import sentences

_MUCH = 250_000  # characters: what costs the square of it never ends

WORD = st.sampled_from(
    ["tabs", "I", "we", "use", "Go", "猫", "喜欢", "3.5", "e.g.", "Dr.", "v2.0", "don't", "U.S.", "`a. b`", "(x. y)", "“甲。乙”"]
)
MARK = st.sampled_from([" ", " ", " ", ". ", "! ", "? ", "。", "？", "... ", "…… ", ", ", ".\n", "\n", "\n\n", " - ", "\r\n", "; "])
PROSE = st.lists(st.tuples(WORD, MARK), max_size=20).map(lambda pairs: "".join(word + mark for word, mark in pairs))


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I like tabs. i use vim! ok? Yes", ["I like tabs.", "i use vim!", "ok?", "Yes"]),
        ("We use e.g. vim, i.e. a modal editor, vs. nano.", ["We use e.g. vim, i.e. a modal editor, vs. nano."]),
        ("Python 3.5 is old. Use v2.0 of a.b.c now.", ["Python 3.5 is old.", "Use v2.0 of a.b.c now."]),
        ("Well... I think so... Yes.", ["Well... I think so... Yes."]),
        ("我觉得……可以。你呢？好！", ["我觉得……可以。", "你呢？", "好！"]),
        ("See https://a.example/b?c=d.e. It is long.", ["See https://a.example/b?c=d.e.", "It is long."]),
        ("见 https://a.example/b。很长", ["见 https://a.example/b。", "很长"]),
        ("Dr. J. Smith of the U.S. team left at 5 p.m. yesterday.", ["Dr. J. Smith of the U.S. team left at 5 p.m. yesterday."]),
        ("We meet at 5 p.m. Then we eat.", ["We meet at 5 p.m.", "Then we eat."]),
        ("No. 5 is alive. No. I mean it.", ["No. 5 is alive.", "No.", "I mean it."]),
        ("We take plan B. It is cheap.", ["We take plan B.", "It is cheap."]),
        ('He said "Stop. Now." and left. Then', ['He said "Stop. Now." and left.', "Then"]),
        ("“好。走吧。”他说。然后", ["“好。走吧。”他说。", "然后"]),
        ("Run `a. b` first. Then `c`", ["Run `a. b` first.", "Then `c`"]),
        ("It works (see docs. They are good) today. Yes", ["It works (see docs. They are good) today.", "Yes"]),
        ("- one\n* two. three\n1. four\n2) five\n- [x] six", ["one", "two.", "three", "four", "five", "six"]),
        (
            "# Title #\n\n> quoted words\n\n**bold** and _soft_ ~~gone~~ __init__",
            ["Title", "quoted words", "bold and soft gone __init__"],
        ),
        ("[text](http://a.example) and [[Note|name]] ![alt](x.png)", ["text and name"]),
        ("a *b* c 2 * 3 * 4 snake_case_name", ["a b c 2 * 3 * 4 snake_case_name"]),
        ("before\n\n```py\nx = 1. y\n```\n\nafter", ["before", "after"]),
        ("before\n\n    code. here\n\nafter", ["before", "after"]),
        ("~~~\nnever closed. at all", []),
        ("| a | b |\n|---|---|\n| c. d | e |\n\nafter", ["after"]),
        ("a | b\n--- | ---\nc | d\n\nafter", ["after"]),
        ("<div class='x'>\n<p>inner</p>\n</div>\nafter <b>bold</b> List<String>", ["after bold List<String>"]),
        ("<!-- hidden. --> shown", ["shown"]),
        ("---\n***\nshown", ["shown"]),
        (
            "this line was broken by the editor because it came to its width and\ngoes on here. End",
            ["this line was broken by the editor because it came to its width and goes on here.", "End"],
        ),
        ("first thing\nsecond thing", ["first thing", "second thing"]),
        ("one,\ntwo", ["one, two"]),
        ("... --- !!! ***", []),
        ("", []),
    ],
)
def test_where_sentences_end(text: str, found: list[str]) -> None:
    assert sentences(text) == found


def test_quotations_are_left_out_on_request() -> None:
    assert sentences("> hers. too\n\nmine", quoted=False) == ["mine"]
    assert sentences("> hers\nmine", quoted=False) == ["mine"]


@given(PROSE)
def test_no_word_of_prose_is_lost(text: str) -> None:
    assert letters("".join(sentences(text))) == letters(text)


@given(st.text(max_size=80) | st.lists(st.sampled_from("`*_[]()<>!-|#\n .\"'a。“”~=\\$\t"), max_size=60).map("".join))
def test_any_text_gives_sentences_of_one_line(text: str) -> None:
    for sentence in sentences(text):
        assert sentence == sentence.strip()
        assert any(char.isalnum() for char in sentence)
        assert not re.search(r"[\r\n]", sentence)


@pytest.mark.parametrize(
    "piece", [".", "(", "`", '"', "“", "> ", "\\", "<!--", "[[", "![a", "<b ", "我", "**a", "a.)", "` a", "x|", "```\n", "- "]
)
def test_a_long_text_of_one_thing_is_no_trouble(piece: str) -> None:
    text = piece * (_MUCH // len(piece))
    assert len("".join(sentences(text))) <= len(text)
