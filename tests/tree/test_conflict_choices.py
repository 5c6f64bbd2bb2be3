"""Choices: the versions of an open callout, and the file with one of them taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.conflict_callout import ConflictCallout, conflicts_in
from memtree.tree.conflict_choices import Choice, Every, OneValue, choices_in, taken

CALLOUT = b"> [!conflict] c-0000000a\n> > one\n>\n> > two\n> > lines"
VALUE = b"---\ntitle: A\nstatus: done # by hand\n---\n> [!conflict] c-0000000b\n> > status: draft\n\n# A\n"


def only(data: bytes) -> Choice:
    (found,) = choices_in(data)
    return found


@pytest.mark.parametrize(
    ("take", "left"),
    [
        (1, b"# A\n\none\n\nend\n"),
        (2, b"# A\n\ntwo\nlines\n\nend\n"),
        (Every.ALL, b"# A\n\none\n\ntwo\nlines\n\nend\n"),
        (Every.NONE, b"# A\n\nend\n"),
    ],
)
def test_a_version_takes_the_place_of_the_callout(take: int | Every, left: bytes) -> None:
    data = b"# A\n\n" + CALLOUT + b"\n\nend\n"
    assert taken(data, only(data), take) == left
    windows = data.replace(b"\n", b"\r\n")
    assert taken(windows, only(windows), take) == left.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("take", [0, 3, -1])
def test_there_is_no_other_version(take: int) -> None:
    with pytest.raises(IndexError):
        taken(CALLOUT, only(CALLOUT), take)


def test_a_lost_value_is_a_choice_between_what_stands_there_and_what_was_lost() -> None:
    choice = only(VALUE)
    assert (choice.key, choice.versions) == ("status", (b"status: done # by hand", b"status: draft"))
    kept = b"---\ntitle: A\nstatus: done # by hand\n---\n\n# A\n"
    assert taken(VALUE, choice, 1) == taken(VALUE, choice, Every.NONE) == kept
    assert taken(VALUE, choice, 2) == kept.replace(b"done # by hand", b"draft")
    with pytest.raises(OneValue):
        taken(VALUE, choice, Every.ALL)
    windows = VALUE.replace(b"\n", b"\r\n")
    assert taken(windows, only(windows), 2) == kept.replace(b"done # by hand", b"draft").replace(b"\n", b"\r\n")


def test_a_lost_value_of_several_lines_comes_back_whole() -> None:
    data = b"---\nplan: none\nz: 1\n---\n> [!conflict] c-0000000b\n> > plan: |\n> >   one\n> >   two\n"
    choice = only(data)
    assert choice.key == "plan"
    assert taken(data, choice, 2) == b"---\nplan: |\n  one\n  two\nz: 1\n---\n"


def test_several_lost_values_are_chosen_one_by_one() -> None:
    below = b"> [!conflict] c-0000000b\n> > a: 9\n\n> [!conflict] c-0000000c\n> > b: 8\n\ntext\n"
    data = b"---\na: 1\nb: 2\n---\n" + below
    first, second = choices_in(data)
    assert (first.key, second.key) == ("a", "b")
    left = taken(data, second, 2)
    assert left == b"---\na: 1\nb: 8\n---\n> [!conflict] c-0000000b\n> > a: 9\n\ntext\n"
    assert taken(left, only(left), 2) == b"---\na: 9\nb: 8\n---\n\ntext\n"


@pytest.mark.parametrize(
    "data",
    [
        b"---\na: 1\n---\n> [!conflict] c-0000000b\n> > gone: 9\n",  # no such key any more
        b"---\na: 1\n---\n\ntext\n\n> [!conflict] c-0000000b\n> > a: 9\n",  # not below the front matter
        b"> [!conflict] c-0000000b\n> > a: 9\n",
        b"---\na: 1\n---\n> [!conflict] c-0000000b\n> > ---\n> > a: 9\n> > ---\n",  # a whole header
    ],
)
def test_anything_else_is_a_passage(data: bytes) -> None:
    assert only(data).key == ""


def test_taking_it_away_never_joins_two_paragraphs() -> None:
    data = b"one\n" + CALLOUT + b"\n\ntwo\n"
    assert taken(data, only(data), Every.NONE) == b"one\n\ntwo\n"
    last = b"one\n\n" + CALLOUT
    assert taken(last, only(last), Every.NONE) == b"one\n"
    assert taken(CALLOUT, only(CALLOUT), Every.NONE) == b""


_TEXTS = st.lists(st.text("ab \n>-#", min_size=1).map(str.encode).filter(lambda text: text.strip(b" \n>")), min_size=1, max_size=3)


@given(
    _TEXTS, st.sampled_from([b"", b"before\n\n", b"- item\n", b"---\nk: v\n---\n"]), st.sampled_from([b"", b"\n", b"\n\nafter\n"])
)
def test_whatever_is_taken_stands_there_and_the_rest_stays(texts: list[bytes], before: bytes, after: bytes) -> None:
    data = before + ConflictCallout("c-00000001", tuple(texts)).render() + after
    for choice in choices_in(data):
        for number, text in enumerate(choice.versions, 1):
            left = taken(data, choice, number)
            assert text in left
            assert left.startswith(before)
            assert left.endswith(after)
            assert list(conflicts_in(left)) == []
