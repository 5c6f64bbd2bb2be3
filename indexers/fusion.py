"""Fusion: one ranking from what words find and what meaning finds.

Each leg's scores are brought to 0..1 within its own candidates (min-max), then added with weights. Reciprocal-rank fusion was
measured worse than words alone when one leg is weak: it forgets how much better the first hit was than the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memtree.indexers.weights import FusionWeights

Key = tuple[str, int]  # path and ordinal of a chunk

CANDIDATES = 200  # of each leg
_NEAR = 0.8  # share of words in common above which two chunks of one file say the same


class Parts(NamedTuple):
    """What a score is made of; `total` is what hits are ranked by, within 0..1 for weights that sum to 1."""

    text: float = 0.0
    vector: float = 0.0
    recency: float = 0.0

    @property
    def total(self) -> float:
        return self.text + self.vector + self.recency


def fuse(
    text: Mapping[Key, float],
    vector: Mapping[Key, float],
    weights: FusionWeights,
    *,
    times: Mapping[Key, int | None] | None = None,
    now: float = 0.0,
) -> dict[Key, Parts]:
    """The parts of every candidate's score. A candidate that a leg did not find has nothing from it."""
    words, meaning = scaled(text), scaled(vector)
    return {
        key: Parts(
            weights.text * words.get(key, 0.0),
            weights.vector * meaning.get(key, 0.0),
            weights.recency * recency((times or {}).get(key), now, weights.half_life_days) if weights.recency else 0.0,
        )
        for key in words.keys() | meaning.keys()
    }


def scaled(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores brought to 0..1; a lone candidate, or several of equal score, count in full."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def recency(time: int | None, now: float, half_life_days: float) -> float:
    """1 for now, halved with every half-life; 0 for what has no time."""
    if time is None or half_life_days <= 0:
        return 0.0
    return float(0.5 ** (max(0.0, now - time) / (half_life_days * 86_400)))


def ranked(totals: Mapping[Key, float]) -> list[Key]:
    """Candidates best first; equal scores by path and place, so that the order never depends on how an index was built."""
    return [key for _, key in sorted((-round(total, 6), key) for key, total in totals.items())]


def without_repeats(keys: Iterable[Key], text: Callable[[Key], str], *, per_file: int, limit: int) -> list[Key]:
    """The first `limit` candidates, at most `per_file` of one file, none that says what a better one of its file says."""
    kept: list[Key] = []
    of_file: dict[str, list[frozenset[str]]] = {}
    for key in keys:
        siblings = of_file.setdefault(key[0], [])
        if len(siblings) >= per_file:
            continue
        words = frozenset(text(key).split())
        if any(_alike(words, other) for other in siblings):
            continue
        siblings.append(words)
        kept.append(key)
        if len(kept) == limit:
            break
    return kept


def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
    together = len(one | two)
    return bool(together) and len(one & two) / together >= _NEAR


def merged(groups: Sequence[tuple[Sequence[Key], Mapping[Key, float]]]) -> list[tuple[Key, float]]:
    """Several rankings as one, by their scores; the order inside each stays as it is."""
    flat = [(key, scores[key], group, place) for group, (keys, scores) in enumerate(groups) for place, key in enumerate(keys)]
    return [(key, score) for key, score, _, _ in sorted(flat, key=lambda row: (-row[1], row[2], row[3]))]
