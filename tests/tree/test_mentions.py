"""Mentions by form: what code and markdown around a text change, what overlaps, and any text at all, however long."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.code_places import blanked, code_spans, fenced
from memtree.tree.entity import EntityKind, entity
from memtree.tree.mentions import find_mentions


def ids(text: str) -> list[str]:
    return [one.entity.id for one in find_mentions(text)]


def test_each_kind_is_found_in_order() -> None:
    text = "Ask Ada (ada@example.org, @ada): see [[plan]], `run_all`, src/app.py, #12, #idea and https://example.org."
    assert ids(text) == [
        "name:ada",
        "email:ada@example.org",
        "handle:ada",
        "wikilink:plan",
        "code:run_all",
        "path:src/app.py",
        "issue:#12",
        "hashtag:idea",
        "url:https://example.org",
    ]


def test_in_fenced_code_only_addresses_paths_and_identifiers_are_found() -> None:
    code = "# Ada Lovelace @grace #idea [[x]] #12\nrun_all('src/app.py')  # https://example.org/x"
    text = f"Before Ada\n```python\n{code}\n```\nmore of Grace"
    assert ids(text) == ["name:ada", "code:run_all", "path:src/app.py", "url:https://example.org/x", "name:grace"]


def test_a_span_of_several_words_holds_paths_and_identifiers_but_no_names() -> None:
    assert ids("run `Ada src/app.py max_size GetName @x #y` now") == ["path:src/app.py", "code:max_size", "code:GetName"]


def test_names_in_a_wikilink_count_besides_and_nothing_else_overlaps() -> None:
    text = "[[Ada Lovelace|The Countess of Lovelace]] and [[people/Grace Hopper]]"
    assert ids(text) == ["wikilink:ada lovelace", "name:ada lovelace", "name:countess of lovelace", "wikilink:people/grace hopper"]


def test_a_name_of_several_words_yields_nothing_of_its_parts() -> None:
    assert ids("We met Ada Lovelace and Charles de Gaulle.") == ["name:ada lovelace", "name:charles de gaulle"]


def test_a_word_at_a_sentences_start_is_a_name_when_it_is_one_elsewhere() -> None:
    assert ids("Nimbus failed. We restarted it.") == []
    assert ids("Nimbus failed. We restarted Nimbus.") == ["name:nimbus", "name:nimbus"]
    assert ids("Grace wrote it. Later Grace Hopper left.") == ["name:grace", "name:grace hopper"]


def test_who_speaks_is_a_name_where_a_line_says_so_by_its_form() -> None:
    assert ids("**Ada** (2024-05-01T10:00:00Z)\n\nyes") == ["name:ada"]
    assert ids("Ada: yes\nGrace: no\nAda: well\nGrace: so") == ["name:ada", "name:grace", "name:ada", "name:grace"]
    assert ids("Warning: it is hot") == []


def test_what_is_too_long_to_name_anything_is_none() -> None:
    assert ids("https://example.org/" + "a" * 300) == []
    assert ids("src/" + "a" * 300 + ".py") == []
    assert ids("[[" + "a" * 201 + "]]") == []


def test_characters_that_no_file_can_hold_are_part_of_no_mention() -> None:
    assert ids("[[a\ud800b]] [[a\0b]] [[c]] \ud800Ada") == ["wikilink:c", "name:ada"]


# -- code


def test_fences_and_spans_are_told_as_markdown_does() -> None:
    text = "a `b` ``c ` d`` `e\n~~~\n```\nf\n~~~\ng ```h``` `i\n\nj`"
    assert [text[place.start : place.end] for place in fenced(text)] == ["~~~\n```\nf\n~~~"]
    prose = blanked(text, fenced(text), "\n")
    assert [prose[place.start : place.end] for place in code_spans(prose)] == ["b", "c ` d", "h"]
    assert len(prose) == len(text)


def test_a_fence_that_is_never_closed_lasts_to_the_end() -> None:
    assert ids("```\nAda Lovelace") == []


# -- any text

_WORDS = (
    "Ada of the de Lovelace I'm [[ ]] | # #a @ @b a@b.co http:// https://x.org ``` ` ~~~ / ./ a/b.c _ a_b aB a.b() 12 - AB-1 ' ’s "
    ". , : \n \n\n ( ) ** > J. Mr. NASA Éa Жук 王小明 \0 \ud800 \u0301 İ"
)
WORDS = st.sampled_from(_WORDS.split(" "))


@given(st.one_of(st.text(max_size=400), st.lists(WORDS, max_size=60).map("".join), st.lists(WORDS, max_size=60).map(" ".join)))
def test_mentions_of_any_text_lie_in_it_in_order_and_apart(text: str) -> None:
    found = find_mentions(text)
    assert [(one.start, -one.end) for one in found] == sorted((one.start, -one.end) for one in found)
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        assert one.surface == text[one.start : one.end]
        assert one.entity == entity(one.entity.kind, one.surface)
        one.entity.id.encode()  # it can be stored
    solid = [one for one in found if one.entity.kind is not EntityKind.WIKILINK]
    assert all(one.end <= after.start for one, after in itertools.pairwise(solid))


HOSTILE = [
    *"aA[@#`/.\\_-'*(<\n~:%$+ ",
    *(
        "a@",
        "@a",
        "a.",
        "A.",
        "A. ",
        "a_",
        "a/",
        "./",
        "[[",
        "[[a",
        "[[a|",
        "[[a#",
        "#a",
        "a#1",
        "A-",
        "AB-",
        "A ",
        "Aa ",
        "Aa of ",
        "aB",
        "a-1",
    ),
    *(
        "://",
        "http://",
        "http://a(",
        "`a",
        "```\n",
        "a::",
        "# A",
        "Aa of the ",
        "A'",
        "A’",
        "Mr. ",
        "- [ ] A\n",
        "{{a}}/",
        "C:\\a",
        "@a@b.co",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_long_runs_of_anything_are_read_in_a_single_pass(piece: str) -> None:
    """Where each place looked at all others again, 100,000 characters would be 10,000,000,000 steps: the test would not end."""
    text = (piece * 100_000)[:100_000]
    assert all(one.surface == text[one.start : one.end] for one in find_mentions(text))
