"""What changed between two sequences, each change in the one place that equal changes have."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from memtree.tree.matching import Match, match_sequences

K = TypeVar("K", bound=Hashable)
Edit = tuple[int, int, tuple[K, ...]]  # these take the place of old[start:end]


def edits_of(old: Sequence[K], new: Sequence[K]) -> list[Edit[K]]:
    """What changed, in order. What was only added or only taken away stands as far to the front as it can.

    An element that is doubled may be the first or the second of the two: without one place, two equal changes would differ.
    """
    found: list[Edit[K]] = []
    at_old = at_new = 0
    for match in (*match_sequences(old, new), Match(len(old), len(new), 0)):
        if at_old < match.one or at_new < match.two:
            start, end, added = _foremost(old, (at_old, match.one, tuple(new[at_new : match.two])), found[-1][1] if found else 0)
            if found and start == found[-1][1]:
                start, _, before = found.pop()
                added = before + added
            found.append((start, end, added))
        at_old, at_new = match.one + match.size, match.two + match.size
    return found


def _foremost(old: Sequence[K], edit: Edit[K], lowest: int) -> Edit[K]:
    start, end, new = edit
    while start == end and start > lowest and old[start - 1] == new[-1]:
        start, end, new = start - 1, end - 1, new[-1:] + new[:-1]
    while not new and start > lowest and old[start - 1] == old[end - 1]:
        start, end = start - 1, end - 1
    return start, end, new
