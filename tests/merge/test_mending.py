"""A version with git's conflict markers in it is mended before it is merged: no fragment of a marker gets into a note."""

from __future__ import annotations

import pytest

from support.merging import merge_file

BASE = b"# Note\n\nfirst\n\nmiddle\n\nlast\n"
TORN = b"# Note\n\n<<<<<<< HEAD\nfirst, from a\n=======\nfirst, from b\n>>>>>>> other\n\nmiddle\n\nlast\n"
DIFF3 = TORN.replace(b"=======\n", b"||||||| base\nfirst\n=======\n")
MARKS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


@pytest.mark.parametrize("torn", [TORN, DIFF3, TORN.replace(b"\n", b"\r\n")], ids=["plain", "diff3", "CRLF"])
@pytest.mark.parametrize(
    "other",
    [
        BASE.replace(b"last", b"last, edited"),
        BASE.replace(b"first", b"first, from c"),
        BASE.replace(b"first\n\n", b""),
        TORN.replace(b"from a", b"from d"),
    ],
    ids=["elsewhere", "the same passage", "deleted there", "torn as well"],
)
def test_both_sides_of_the_markers_are_kept_and_no_marker_is(torn: bytes, other: bytes) -> None:
    one, two = merge_file("note.md", BASE, torn, other), merge_file("note.md", BASE, other, torn)
    assert one.files == two.files
    assert len(one.files) == 1
    assert not any(mark in one.kept for mark in MARKS)
    added = {line.rstrip(b"\r") for line in torn.splitlines() + other.splitlines()} - set(BASE.splitlines())
    for line in added:
        assert line.startswith(MARKS) or line in one.kept


def test_a_side_that_the_base_holds_is_kept_all_the_same() -> None:
    """The machine that merges has one of the two sides as its base: the markers were left by a merge with just that."""
    base = BASE.replace(b"first", b"first, from b")
    merged = merge_file("note.md", base, TORN, base.replace(b"last", b"last, edited"))
    for text in (b"first, from a", b"first, from b", b"last, edited"):
        assert text in merged.kept
    assert not any(mark in merged.kept for mark in MARKS)


def test_markers_that_were_there_before_are_somebody_s_text() -> None:
    fence = b"# Git\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n```\n\nend\n"
    merged = merge_file("note.md", fence, fence.replace(b"end", b"the end"), fence.replace(b"# Git", b"# About git"))
    assert merged.kept == fence.replace(b"end", b"the end").replace(b"# Git", b"# About git")
