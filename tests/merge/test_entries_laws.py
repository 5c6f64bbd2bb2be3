"""Merges of memory files keep their laws, and the law of sets: an entry is there once, its id too."""

from __future__ import annotations

import re

from hypothesis import given

from memtree.engine.merge.prose import merge_entries
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.made_documents import Case, cases

MEMORY = RepoPath("MEMORY.md")
KINDS = ("heading", "item", "item", "item", "paragraph")


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    return merge_entries(MEMORY, base, ours, theirs).data


@LAW
@given(cases(entries=True, kinds=KINDS))
def test_a_merge_of_entries_is_symmetric_loses_nothing_and_brings_nothing_back(case: Case) -> None:
    merged = laws.check_algebra(merge, case.base, *case.sides)
    laws.check_nothing_added_is_lost(case.base, case.sides, merged)
    laws.check_nothing_returns(case.base, case.sides, merged)
    laws.check_line_ends(*case.sides, merged)


@LAW
@given(cases(entries=True, kinds=KINDS, repeats=False, moves=False))
def test_merging_a_side_of_entries_again_changes_nothing(case: Case) -> None:
    merged = merge(case.base, *case.sides)
    laws.check_absorbs(merge, case.base, *case.sides, merged)
    laws.check_no_id_twice([case.base, *case.sides], merged)
    known = set(re.findall(rb"\^m-\w+", b"\n".join([case.base, *case.sides])))
    assert set(re.findall(rb"\^m-\w+", merged)) <= known, "a merge stamps no ids"


@LAW
@given(cases(entries=True, kinds=KINDS, sides=3))
def test_three_machines_lose_no_entry_in_any_order(case: Case) -> None:
    laws.check_three_machines(merge, case.base, case.sides)
