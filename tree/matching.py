"""What two sequences have in common, in order: the ground under diffs.

Exact as long as that is quick. A larger stretch is cut at the elements that are unique on both sides, and what has none of
those counts as replaced: time and memory stay bounded, at worst the answer gets coarser.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

# The exact matcher needs a bit per pair of elements: this is 12 MB and about 10 ms. Larger stretches are anchored first.
_EXACT_PAIRS = 100_000_000
_ANCHOR_DEPTH = 8


class Match(NamedTuple):
    """`size` elements from `one` in the first sequence equal those from `two` in the second."""

    one: int
    two: int
    size: int


def match_sequences(one: Sequence[Hashable], two: Sequence[Hashable]) -> list[Match]:
    """The longest common subsequence as rising, non-touching matches; approximate above a size that would take too long."""
    known: dict[Hashable, int] = {}
    # Interned, because the matcher compares anything but small integers by hash alone.
    left = [known.setdefault(item, len(known)) for item in one]
    right = [known.setdefault(item, len(known)) for item in two]
    found: list[Match] = []
    work = [(0, len(left), 0, len(right), 0)]
    while work:
        low, high, start, end, depth = work.pop()
        head, tail = _common_ends(left[low:high], right[start:end])
        found += [Match(low, start, head), Match(high - tail, end - tail, tail)]
        low, high, start, end = low + head, high - tail, start + head, end - tail
        pairs = (high - low) * (end - start)
        if pairs > _EXACT_PAIRS and depth < _ANCHOR_DEPTH:
            work += _between_anchors(left, right, (low, high, start, end), depth)
        elif 0 < pairs <= _EXACT_PAIRS:
            found += [Match(m.one + low, m.two + start, m.size) for m in _exact(left[low:high], right[start:end])]
    return _joined(found)


def _common_ends(one: list[int], two: list[int]) -> tuple[int, int]:
    most = min(len(one), len(two))
    head = next((n for n in range(most) if one[n] != two[n]), most)
    tail = next((n for n in range(most - head) if one[-1 - n] != two[-1 - n]), most - head)
    return head, tail


def _exact(one: list[int], two: list[int]) -> list[Match]:
    from rapidfuzz.distance import Indel

    steps = Indel.opcodes(one, two)
    return [Match(s.src_start, s.dest_start, s.src_end - s.src_start) for s in steps if s.tag == "equal"]


def _between_anchors(
    one: list[int], two: list[int], window: tuple[int, int, int, int], depth: int
) -> list[tuple[int, int, int, int, int]]:
    """The windows between what is unique on both sides and in the same order there; nothing when there is no such thing.

    An anchor opens the window after it: the trimming of equal ends then turns it into a match.
    """
    low, high, start, end = window
    places = _unique(two, start, end)
    pairs = [(n, places[item]) for item, n in _unique(one, low, high).items() if item in places]
    edges = [(low, start), *_rising(pairs), (high, end)]
    if len(edges) == 2:
        return []
    return [(a, c, b, d, depth + 1) for (a, b), (c, d) in pairwise(edges)]


def _unique(items: list[int], low: int, high: int) -> dict[int, int]:
    """Where each item that occurs once in the window stands, in order."""
    counts = Counter(items[low:high])
    return {items[n]: n for n in range(low, high) if counts[items[n]] == 1}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, rising on the left, that also rises on the right."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for n, (_, place) in enumerate(pairs):
        size = bisect_left(tails, place)
        previous.append(ends[size - 1] if size else -1)
        tails[size : size + 1] = [place]
        ends[size : size + 1] = [n]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(pairs[at])
        at = previous[at]
    return found[::-1]


def _joined(found: list[Match]) -> list[Match]:
    joined: list[Match] = []
    for match in sorted(match for match in found if match.size):
        last = joined[-1] if joined else None
        if last and last.one + last.size == match.one and last.two + last.size == match.two:
            joined[-1] = Match(last.one, last.two, last.size + match.size)
        else:
            joined.append(match)
    return joined
