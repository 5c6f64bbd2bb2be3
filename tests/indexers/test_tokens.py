"""Tokens: whatever is written can be asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.records import ancestors, glob_pattern
from memtree.indexers.snippets import Match, literal_matches, snippet
from memtree.indexers.tokens import EXACT_LIMIT, TERM_LIMIT, analyse, exact, fold, pairs


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a foo_bar.baz, b", ["foo_bar.baz"]),
        ("(engine/store.py:42)", ["engine/store.py:42", "store.py"]),
        ("see https://a.b/c.html.", ["https://a.b/c.html", "a.b", "c.html"]),
        (
            "me@x.org; #12 v1.2.3 1.10 .gitignore c++ __init__.py",
            ["me@x.org", "#12", "v1.2.3", "1.10", ".gitignore", "c++", "__init__.py"],
        ),
        ("见foo_bar.py。 图_1.md", ["见foo_bar.py", "图_1.md", "foo_bar.py", "_1.md"]),
        ("plain words, 2024 and don't!", []),
        ("... -> ?? --", []),
        ("🎉👍🏽 ok", ["🎉", "👍", "🏽"]),
        ("x" * 400 + ".y", ["x" * EXACT_LIMIT]),
        ("x" * 400, ["x" * EXACT_LIMIT]),
    ],
)
def test_exact_tokens(text: str, found: list[str]) -> None:
    assert exact(fold(text)) == found


def test_pairs_cover_every_character() -> None:
    assert pairs("我爱 x 北") == ["我爱", "爱", "北"]
    assert pairs("latin") == []


def test_folding_ignores_case_accents_width_and_vowel_signs() -> None:
    assert fold("CAFÉ cafe\u0301 Ｆｕｌｌ") == "cafe cafe full"
    assert fold("مَرْحَبًا") == "مرحبا"
    assert fold("が한") == "が한"
    assert fold("a\ud800b") == "a?b"


def test_stop_words_go_unless_there_is_nothing_else() -> None:
    assert [word for _, word in analyse("what is the plan").words] == ["plan"]
    assert [word for _, word in analyse("to be or not").words] == ["to", "be", "or", "not"]


def test_places_count_the_stop_words_between() -> None:
    assert analyse("state of the art").words == ((0, "state"), (3, "art"))


@given(st.text(max_size=60))
def test_taking_apart_never_raises_and_what_is_asked_was_written(text: str) -> None:
    terms = analyse(text)
    assert set(terms.exact) <= set(exact(fold(text)))
    assert set(terms.pairs) <= set(pairs(fold(text)))
    for part in (terms.words, terms.pairs, terms.singles, terms.exact):
        assert len(part) <= TERM_LIMIT


def test_many_distinct_terms_are_capped() -> None:
    assert len(analyse(" ".join(map(str, range(5_000)))).words) == TERM_LIMIT


@given(st.text(max_size=700), st.text(min_size=1, max_size=10))
def test_snippets_hold_their_highlights(text: str, query: str) -> None:
    matches = literal_matches(text, analyse(query))
    shown, highlights = snippet(text, matches)
    assert len(shown) <= 240
    assert shown.isprintable() or not any(c in "\n\r\x1b" for c in shown)
    assert list(highlights) == sorted(highlights)
    assert all(0 <= start < end <= len(shown) for start, end in highlights)
    assert bool(highlights) == bool(matches)


def test_a_snippet_shows_where_most_terms_meet() -> None:
    text = "apple " + "filler " * 100 + "apple and berry " + "filler " * 100
    words = ("apple", "berry")
    spans = [Match(at, at + 5, word) for word in words for at in range(len(text)) if text.startswith(word, at)]
    shown, highlights = snippet(text, spans)
    assert [shown[start:end] for start, end in highlights] == ["apple", "berry"]


@pytest.mark.parametrize(
    ("glob", "expression"),
    [
        ("*.md", "(?:.*/)?[^/]*\\.md"),
        ("a/**/b?.md", "a/(?:.*/)?b[^/]\\.md"),
        ("a/**", "a/.*"),
        ("**/**/x", "(?:.*/)?x"),
    ],
)
def test_globs(glob: str, expression: str) -> None:
    assert glob_pattern(glob) == expression


def test_ancestors() -> None:
    assert ancestors("a/b/c.md") == ["a/b/c.md", "a/b", "a"]
