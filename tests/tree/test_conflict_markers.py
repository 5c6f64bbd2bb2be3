"""Conflict markers: which stretches git left, and what their sides are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.conflict_markers import Region, left_by_merge, regions_in, with_side

TWO = b"<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> branch\n"
THREE = b"<<<<<<< HEAD\none\n||||||| 1a2b3c4\nold\n=======\ntwo\n>>>>>>> branch\n"


def sides(data: bytes) -> list[tuple[bytes, bytes | None, bytes]]:
    return [(region.ours, region.base, region.theirs) for region in regions_in(data)]


@pytest.mark.parametrize(("data", "base"), [(TWO, None), (THREE, b"old\n")])
def test_a_stretch_is_read_in_both_styles_and_with_both_line_ends(data: bytes, base: bytes | None) -> None:
    assert sides(b"# A\n\n" + data + b"end\n") == [(b"one\n", base, b"two\n")]
    windows = (b"# A\n\n" + data + b"end\n").replace(b"\n", b"\r\n")
    assert sides(windows) == [(b"one\r\n", base.replace(b"\n", b"\r\n") if base else None, b"two\r\n")]
    (region,) = regions_in(windows)
    assert region.labels == (b"<<<<<<< HEAD", b">>>>>>> branch")


def test_a_side_may_be_empty_and_the_end_may_lack_its_line_end() -> None:
    assert sides(b"<<<<<<< a\n=======\ntwo\n>>>>>>> b") == [(b"", None, b"two\n")]
    assert sides(b"<<<<<<<\none\n=======\n>>>>>>>") == [(b"one\n", None, b"")]


def test_several_stretches_are_read_in_order() -> None:
    assert sides(TWO + b"between\n" + THREE) == [(b"one\n", None, b"two\n"), (b"one\n", b"old\n", b"two\n")]


@pytest.mark.parametrize(
    "data",
    [
        b"<<<<<<< HEAD\none\n=======\ntwo\n",  # never closed
        b"one\n=======\ntwo\n>>>>>>> branch\n",  # never opened
        b"<<<<<<< HEAD\none\n>>>>>>> branch\n",  # never parted
        b"<<<<<<< HEAD\none\n=======\ntwo\n=======\nthree\n>>>>>>> branch\n",  # parted twice
        b"<<<<<<< HEAD\none\n=======\ntwo\n||||||| base\nold\n>>>>>>> branch\n",  # the base in the wrong place
        b"<<<<<<< HEAD\n" + TWO + b"=======\nthree\n>>>>>>> other\n",  # one in another
        b"<<<<<<< HEAD\none\n=======\n" + TWO + b">>>>>>> other\n",
        b" <<<<<<< HEAD\n one\n =======\n two\n >>>>>>> branch\n",  # indented
        b"<<<<<<<HEAD\none\n=======\ntwo\n>>>>>>>branch\n",
        b"<<<<<<<< HEAD\none\n========\ntwo\n>>>>>>>> branch\n",  # eight
    ],
)
def test_what_is_not_whole_is_no_stretch(data: bytes) -> None:
    assert regions_in(data) == []
    assert sides(data + b"\ntext\n" + THREE) == [(b"one\n", b"old\n", b"two\n")]


def test_a_stray_opening_does_not_hide_what_follows() -> None:
    assert sides(b"<<<<<<< stray\ntext\n" + TWO) == [(b"one\n", None, b"two\n")]
    assert sides(TWO + b"<<<<<<< stray\ntext\n" + THREE)[1] == (b"one\n", b"old\n", b"two\n")


def test_bases_that_were_in_conflict_themselves_are_no_base() -> None:
    inner = b"<<<<<<<<< one\nx\n=========\ny\n>>>>>>>>> two\n"
    data = THREE.replace(b"old\n", inner)
    assert sides(data) == [(b"one\n", None, b"two\n")]


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"# t\n", b"> q\n"]), max_size=4).map(b"".join)


@given(st.lists(st.tuples(LINES, LINES, LINES), min_size=1, max_size=4), LINES)
def test_each_side_comes_out_as_it_went_in(parts: list[tuple[bytes, bytes, bytes]], end: bytes) -> None:
    data = b"".join(before + b"<<<<<<< x\n" + ours + b"=======\n" + theirs + b">>>>>>> y\n" for before, ours, theirs in parts) + end
    regions = regions_in(data)
    assert len(regions) == len(parts)
    assert with_side(data, regions, lambda region: region.ours) == b"".join(before + ours for before, ours, _ in parts) + end
    assert with_side(data, regions, lambda region: region.theirs) == b"".join(before + theirs for before, _, theirs in parts) + end
    assert with_side(data, (), lambda region: region.ours) == data


@given(st.lists(st.sampled_from([b"<<<<<<< a\n", b"=======\n", b"||||||| o\n", b">>>>>>> b\n", b"x\n"]), max_size=12).map(b"".join))
def test_any_lines_are_read_and_no_stretch_holds_a_marker_of_another(data: bytes) -> None:
    regions = regions_in(data)
    for region in regions:
        assert data[region.start : region.end].count(b"<<<<<<<") == data[region.start : region.end].count(b">>>>>>>") == 1
    assert all(one.end <= two.start for one, two in pairwise(regions))


# -- which of them a merge left

FENCED = b"Git writes this:\n\n```\n" + TWO + b"```\n"


def left(data: bytes, *parents: bytes, markdown: bool = True) -> list[Region]:
    return left_by_merge(data, parents, markdown=markdown)


def test_what_neither_parent_had_was_left_by_the_merge() -> None:
    assert len(left(TWO, b"one\n", b"two\n")) == 1
    assert len(left(TWO, b"something else\n")) == 1  # edited between the markers before it was committed


def test_what_a_parent_had_is_somebody_s_text() -> None:
    assert left(TWO + b"more\n", TWO) == []
    assert left(TWO, b"other\n", b"before\n" + TWO) == []
    assert left(TWO.replace(b"one", b"edited"), TWO, b"two\n") == []


def test_a_new_file_was_left_by_no_merge() -> None:
    assert left(TWO) == []


def test_an_example_in_a_code_fence_is_left_alone() -> None:
    assert left(FENCED, b"Git writes this:\n") == []
    assert left(FENCED + b"\nmore\n", FENCED, b"x\n") == []
    assert left(FENCED, b"Git writes this:\n", b"Another text.\n") == []


def test_a_conflict_in_a_code_fence_is_one() -> None:
    assert len(left(FENCED, FENCED.replace(TWO, b"one\n"), FENCED.replace(TWO, b"two\n"))) == 1
    assert len(left(FENCED, FENCED.replace(TWO, b"one\n"))) == 1


def test_a_text_beside_an_example_is_told_from_it() -> None:
    new = TWO.replace(b"HEAD", b"Updated upstream")
    (region,) = left(FENCED + b"\n" + new, FENCED + b"\none\n")
    assert region.opening == b"<<<<<<< Updated upstream"


def test_in_other_files_both_sides_must_be_known() -> None:
    assert len(left(TWO, b"a\none\n", b"a\ntwo\n", markdown=False)) == 1
    assert left(TWO, b"a\n", b"b\n", markdown=False) == []
    assert left(TWO, b"a\none\n", b"b\n", markdown=False) == []
    assert len(left(TWO, b"a\r\none\r\n", markdown=False)) == 1
