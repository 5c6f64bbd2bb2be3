"""Mending a version that holds conflict markers, before it is merged: torn stretches would be merged line by line like a text."""

from __future__ import annotations

from memtree.engine.merge.outcome import ContentRule
from memtree.tree.conflict_markers import OPENING, left_by_merge, with_side
from memtree.tree.paths import RepoPath


def mended(path: RepoPath, base: bytes | None, side: bytes, rule: ContentRule) -> bytes:
    """A markdown version with the markers that an outside merge left made into what a merge of their sides gives.

    What the base held already is somebody's text. A version whose sides do not go into one file stays as it is.
    """
    regions = left_by_merge(side, [base], markdown=True) if OPENING in side and base is not None else []
    if not regions:
        return side
    ours, theirs = sorted((with_side(side, regions, lambda one: one.ours), with_side(side, regions, lambda one: one.theirs)))
    old = base
    if all(one.base is not None for one in regions):
        old = with_side(side, regions, lambda one: one.base or b"")
    if old in (ours, theirs) or ours == theirs:
        return theirs if ours == old else ours
    content = rule(path, old, ours, theirs)
    return side if content.second is not None else content.data
