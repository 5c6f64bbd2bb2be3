"""Merges of notes keep their laws on thousands of made documents."""

from __future__ import annotations

from hypothesis import given

from memtree.engine.merge.pieces import split
from memtree.engine.merge.prose import merge_prose
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW, Case, cases


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_prose(RepoPath("notes/a.md"), base, ours, theirs).data


@LAW
@given(cases())
def test_a_merge_is_symmetric_loses_nothing_and_brings_nothing_back(case: Case) -> None:
    one, two = case.sides
    merged = laws.check_algebra(merge, case.base, one, two)
    laws.check_nothing_added_is_lost(case.base, case.sides, merged)
    laws.check_nothing_returns(case.base, case.sides, merged)
    laws.check_no_marker_added(case.sides, merged)
    laws.check_line_ends(one, two, merged)


@LAW
@given(cases(repeats=False))
def test_no_id_stands_twice_and_the_result_is_read_as_it_was_written(case: Case) -> None:
    merged = merge(case.base, *case.sides)
    laws.check_no_id_twice([case.base, *case.sides], merged)
    assert split(merged).render() == merged
    assert merge(case.base, merged, merged) == merged


@LAW
@given(cases(repeats=False, moves=False))
def test_merging_a_side_again_changes_nothing(case: Case) -> None:
    merged = merge(case.base, *case.sides)
    laws.check_absorbs(merge, case.base, *case.sides, merged)


@LAW
@given(cases(sides=3))
def test_three_machines_lose_nothing_in_any_order(case: Case) -> None:
    laws.check_three_machines(merge, case.base, case.sides)
