"""Fusion of two legs, as values."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.fusion import Key, Parts, fuse, merged, ranked, recency, scaled, without_repeats
from memtree.indexers.weights import FusionWeights

KEYS = st.tuples(st.sampled_from(["a.md", "b.md", "c.md"]), st.integers(0, 3))
Scores = dict[tuple[str, int], float]
SCORES = st.dictionaries(KEYS, st.floats(-100, 100), max_size=8)


@given(SCORES)
def test_scaled_scores_lie_between_0_and_1_and_keep_their_order(scores: Scores) -> None:
    found = scaled(scores)
    assert found.keys() == scores.keys()
    assert all(0 <= value <= 1 for value in found.values())
    assert all(found[one] <= found[two] for one in scores for two in scores if scores[one] <= scores[two])


@given(SCORES, SCORES)
def test_every_candidate_of_either_leg_is_ranked_once(
    text: dict[tuple[str, int], float], vector: dict[tuple[str, int], float]
) -> None:
    parts = fuse(text, vector, FusionWeights())
    assert sorted(ranked(totals(parts))) == sorted(text.keys() | vector.keys())
    assert all(0 <= part.total <= 1 + 1e-9 for part in parts.values())


def totals(parts: Mapping[Key, Parts]) -> dict[Key, float]:
    return {key: part.total for key, part in parts.items()}


def test_a_candidate_that_both_legs_find_beats_those_of_one() -> None:
    parts = fuse({("a.md", 0): 9.0, ("b.md", 0): 8.0, ("c.md", 0): 1.0}, {("b.md", 0): 0.9, ("d.md", 0): 0.5}, FusionWeights())
    assert ranked(totals(parts))[0] == ("b.md", 0)
    assert parts["d.md", 0] == Parts()


def test_equal_scores_are_ordered_by_path_and_place() -> None:
    parts = {("b.md", 1): Parts(0.5), ("a.md", 7): Parts(0.5), ("b.md", 0): Parts(0.5)}
    assert ranked(totals(parts)) == [("a.md", 7), ("b.md", 0), ("b.md", 1)]


def test_recency_halves_with_every_half_life_and_is_off_by_default() -> None:
    day = 86_400
    assert recency(0, 30 * day, 30) == pytest.approx(0.5)
    assert recency(None, 0, 30) == 0
    assert recency(100, 0, 30) == 1  # a clock that is ahead
    assert fuse({("a.md", 0): 1.0}, {}, FusionWeights(), times={("a.md", 0): 0}, now=0)["a.md", 0].recency == 0
    recent = fuse({("a.md", 0): 1.0, ("b.md", 0): 1.0}, {}, FusionWeights(recency=0.2), times={("b.md", 0): 0}, now=0)
    assert ranked(totals(recent)) == [("b.md", 0), ("a.md", 0)]


def test_chunks_of_one_file_that_say_the_same_are_one_answer() -> None:
    words = {
        ("a.md", 0): "the heron is a server",
        ("a.md", 1): "the heron is a server",
        ("a.md", 2): "bread and water",
        ("b.md", 0): "the heron is a server",
    }
    order = [("a.md", 0), ("a.md", 1), ("b.md", 0), ("a.md", 2)]
    assert without_repeats(order, words.__getitem__, per_file=2, limit=10) == [("a.md", 0), ("b.md", 0), ("a.md", 2)]
    assert without_repeats(order, words.__getitem__, per_file=1, limit=10) == [("a.md", 0), ("b.md", 0)]
    assert without_repeats(order, words.__getitem__, per_file=2, limit=1) == [("a.md", 0)]


def test_several_rankings_merge_by_score_and_keep_their_own_order() -> None:
    notes = [("a.md", 0), ("b.md", 0)]
    turns = [("t.md", 0), ("u.md", 0)]
    found = merged([(notes, {notes[0]: 0.9, notes[1]: 0.2}), (turns, {turns[0]: 0.9, turns[1]: 0.5})])
    assert [key for key, _ in found] == [("a.md", 0), ("t.md", 0), ("u.md", 0), ("b.md", 0)]
