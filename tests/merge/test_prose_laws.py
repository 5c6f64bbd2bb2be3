"""Merges of notes keep their laws on thousands of made documents."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.pieces import split
from memtree.engine.merge.prose import merge_entries, merge_prose
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.made_documents import Author, Case, cases, forgetting_cases, soups

NOTE = RepoPath("notes/a.md")


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_prose(NOTE, base, ours, theirs).data


@LAW
@given(cases())
def test_a_merge_is_symmetric_loses_nothing_and_brings_nothing_back(case: Case) -> None:
    merged = laws.check_algebra(merge, case.base, *case.sides)
    laws.check_nothing_added_is_lost(case.base, case.sides, merged)
    laws.check_nothing_returns(case.base, case.sides, merged)
    laws.check_no_marker_added(case.sides, merged)
    laws.check_line_ends(*case.sides, merged)


@LAW
@given(cases(repeats=False, moves=False))
def test_merging_a_side_again_changes_nothing_and_no_id_stands_twice(case: Case) -> None:
    """Repeated blocks and moves that cross may break the first: then copies win, and the earlier place."""
    merged = merge(case.base, *case.sides)
    laws.check_absorbs(merge, case.base, *case.sides, merged)
    laws.check_no_id_twice([case.base, *case.sides], merged)
    assert split(merged).render() == merged


@LAW
@given(cases(sides=3))
def test_three_machines_lose_nothing_in_any_order(case: Case) -> None:
    laws.check_three_machines(merge, case.base, case.sides)


@LAW
@given(forgetting_cases())
def test_what_one_side_forgot_does_not_come_back_with_the_other(case_and_gone: tuple[Case, set[tuple[bytes, bytes]]]) -> None:
    case, gone = case_and_gone
    merged = laws.check_algebra(merge, case.base, *case.sides)
    laws.check_stays_forgotten(gone, merged)
    assert merged.count(b"[forgotten]") >= 1 or b"[forgotten]" not in case.sides[0]


@LAW
@given(soups())
def test_any_lines_merge_without_loss(case: Case) -> None:
    for rule in (merge_prose, merge_entries):

        def merged_by(base: bytes, ours: bytes, theirs: bytes, rule=rule) -> bytes:  # type: ignore[no-untyped-def]
            return bytes(rule(NOTE, base, ours, theirs).data)

        merged = laws.check_algebra(merged_by, case.base, *case.sides)
        laws.check_nothing_added_is_lost(case.base, case.sides, merged)


@LAW
@given(st.one_of(st.none(), st.binary(max_size=40)), st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_merge(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    for rule in (merge_prose, merge_entries):
        merged = rule(NOTE, base, ours, theirs)
        assert merged == rule(NOTE, base, theirs, ours)
        assert merged.data == ours or ours != theirs


def test_the_time_of_a_merge_grows_with_the_document_and_not_with_its_square() -> None:
    """A megabyte in 5,000 blocks; work is counted in this process's own seconds, with room for a slow machine."""
    import random

    author = Author("b", random.Random(1))
    made = author.document(5_000)
    sides = [Author(name, random.Random(seed), _kinds=author._kinds).change(made, 20) for seed, name in enumerate("xy")]
    began = time.process_time()
    merge(made.render(), *(side.render() for side in sides))
    assert time.process_time() - began < 20


def test_a_gap_with_thousands_of_changed_pieces_is_not_paired_one_by_one() -> None:
    base = b"".join(b"- base %d\n" % n for n in range(3_000))
    ours = b"".join(b"- ours %d\n" % n for n in range(3_000))
    theirs = b"".join(b"- theirs %d\n" % n for n in range(3_000))
    began = time.process_time()
    merged = merge(base, ours, theirs)
    assert time.process_time() - began < 20
    assert all(b"- ours %d\n" % n in merged and b"- theirs %d\n" % n in merged for n in (0, 1_500, 2_998))
