"""The journal: what is written is read back, and damage of any kind is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.store.plan import JournalDamaged, JournalOfAnotherVersion, Layer, Plan, PlanKind, PlannedPath, decode, encode
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

ids = st.integers(0, 2**64).map(lambda n: f"{n:040x}")
commits = ids.map(CommitId)
entries = st.none() | st.builds(Entry, st.sampled_from((0o100644, 0o100755, 0o120000, 0o160000)), ids)
paths = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).map(RepoPath)
planned = st.builds(PlannedPath, paths, entries, entries, entries, entries, entries, st.text(max_size=12), st.booleans())
layers = st.builds(Layer, st.text(max_size=20), st.lists(st.tuples(paths, entries), max_size=3).map(tuple))
plans = st.builds(
    Plan,
    transaction=st.text(max_size=12),
    kind=st.sampled_from(PlanKind),
    ref=st.text(max_size=30),
    old=st.none() | commits,
    new=commits,
    theirs=st.none() | commits,
    message=st.text(max_size=60),
    time=st.integers(0, 2**40),
    layers=st.lists(layers, max_size=2).map(tuple),
    paths=st.lists(planned, max_size=4).map(tuple),
    maker=st.text(max_size=30),
)


@given(plans)
def test_a_journal_is_read_back_as_it_was_written(plan: Plan) -> None:
    assert decode(encode(plan), "journal") == plan


@given(plans, st.data())
def test_a_damaged_journal_is_told(plan: Plan, data: st.DataObject) -> None:
    whole = encode(plan).rstrip(b"\n")
    at = data.draw(st.integers(0, len(whole) - 1))
    for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]):
        with pytest.raises(JournalDamaged):
            decode(damaged, "journal")


@given(st.binary(max_size=100))
def test_garbage_is_no_journal(data: bytes) -> None:
    with pytest.raises(JournalDamaged):
        decode(data, "journal")


def test_a_journal_of_another_shape_is_told_although_its_checksum_is_right() -> None:
    import hashlib

    for body in (b"[]", b"{}", b'{"kind": "write"}', b"null", b"3"):
        with pytest.raises(JournalDamaged):
            decode(body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n", "journal")


def test_a_journal_of_another_version_is_not_guessed_at() -> None:
    import hashlib

    body = encode(Plan("t", PlanKind.WRITE, "refs/heads/main", None, CommitId("1" * 40), None, "m", 0, (), ())).splitlines()[0]
    body = body.replace(b'"format": 1', b'"format": 2')
    with pytest.raises(JournalOfAnotherVersion, match="format 2"):
        decode(body + b"\n" + hashlib.sha256(body).hexdigest().encode() + b"\n", "journal")
