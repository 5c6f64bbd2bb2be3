"""Three-way choices between single values: which side changed, what a set becomes, in which order things stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Ordered = TypeVar("Ordered", bound=Any)


def pick(base: T, ours: T, theirs: T, otherwise: Callable[[], T]) -> T:
    """The side that changed; what `otherwise` says where both did."""
    if ours == theirs or theirs == base:
        return ours
    return theirs if ours == base else otherwise()


def merged_set(base: frozenset[K], ours: frozenset[K], theirs: frozenset[K]) -> frozenset[K]:
    """What both hold or either added; what one side took away is gone."""
    return (ours & theirs) | (ours - base) | (theirs - base)


def merge_order(base: Sequence[Ordered], ours: Sequence[Ordered], theirs: Sequence[Ordered]) -> list[Ordered]:
    """Everything that either side holds, in an order that is neither side's by chance.

    No sequence holds anything twice. What both hold stands as the side has it that moved something; what one side has of its own
    stays together as a run behind the same neighbour, and of two runs in one place the smaller goes first.
    """
    one, two = sorted((list(ours), list(theirs)))
    shared = frozenset(one) & frozenset(two)
    spine = _spine(base, [item for item in one if item in shared], [item for item in two if item in shared])
    runs = [_runs(side, shared) for side in (one, two)]
    merged = [item for run in sorted(own[None] for own in runs) for item in run]
    for item in spine:
        merged.append(item)
        merged += [own for run in sorted(own[item] for own in runs) for own in run]
    return merged


def _spine(base: Sequence[Ordered], one: list[Ordered], two: list[Ordered]) -> list[Ordered]:
    held = frozenset(one)
    old = [item for item in base if item in held]
    known = frozenset(old)
    moved = [[item for item in side if item in known] != old for side in (one, two)]
    if moved[0] != moved[1]:
        return one if moved[0] else two
    return min(one, two)


def _runs(side: Sequence[Ordered], shared: frozenset[Ordered]) -> dict[Ordered | None, list[Ordered]]:
    """A side's own items, under the shared one that they follow; under None those at the start."""
    runs: dict[Ordered | None, list[Ordered]] = defaultdict(list)
    behind: Ordered | None = None
    for item in side:
        if item in shared:
            behind = item
        else:
            runs[behind].append(item)
    return runs
