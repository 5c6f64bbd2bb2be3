"""Entries of memory files as texts, with the lines they take."""

from __future__ import annotations

import pytest

from memtree.tree.entries import Listed, listed, listed_goals


def test_marks_evidence_comments_and_block_ids_are_left_out() -> None:
    data = (
        b"# Memory\n\n- above <!-- evidence: e-1 --> ^m-1\n\n## Facts\n\ntext\n\n* [x] done\n  and more ^m-2\n"
        b"* \n\n1. first <!-- a\n   comment --> rest\n"
    )
    assert listed(data) == [
        Listed("above", "Memory", 3, 3),
        Listed("done\n  and more", "Facts", 9, 10),
        Listed("first   rest", "Facts", 13, 14),
    ]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_lines_are_counted_as_editors_count_them(end: bytes) -> None:
    data = b"\xef\xbb\xbf- one\n\n- two\n  three\n- four\n".replace(b"\n", end)
    assert [(one.first_line, one.last_line) for one in listed(data)] == [(1, 1), (3, 4), (5, 5)]


def test_a_conflict_callout_and_code_hold_no_entries() -> None:
    assert listed(b"> [!conflict] c-1a2b3c4d\n> > - one\n>\n> > - two\n\n```\n- code\n```\n") == []


def test_goals_have_their_lines() -> None:
    data = b"# Goals\n\n- [g2] Ship it\n  by May\n- [g7] Rest <!-- soon -->\n- no goal\n\n<!-- goals: 9 -->\n"
    assert listed_goals(data) == [Listed("Ship it\n  by May", "", 3, 4), Listed("Rest", "", 5, 5)]
