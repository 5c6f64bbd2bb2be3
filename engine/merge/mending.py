"""Mending a version that holds conflict markers, before it is merged: torn stretches would be merged line by line like a text."""

from __future__ import annotations

from memtree.engine.merge.outcome import ContentRule
from memtree.tree.conflict_markers import OPENING, Region, left_by_merge, with_side
from memtree.tree.paths import RepoPath

_UNKNOWN = b"(?)\n"  # stands for a passage of the base that git did not show


def shown_base(region: Region) -> bytes:
    """What a stretch's sides started from, as far as git showed it.

    Never the file at the merge base: elsewhere the sides are merged already, and would look as if they had taken things away.
    """
    return _UNKNOWN if region.base is None else region.base


def mended(path: RepoPath, base: bytes | None, side: bytes, rule: ContentRule) -> bytes:
    """A markdown version with the markers that an outside merge left made into what a merge of their sides gives.

    What the base held already is somebody's text. A version whose sides do not go into one file stays as it is.
    """
    regions = left_by_merge(side, [base], markdown=True) if OPENING in side and base is not None else []
    if not regions:
        return side
    ours, theirs = sorted((with_side(side, regions, lambda one: one.ours), with_side(side, regions, lambda one: one.theirs)))
    if ours == theirs:
        return ours
    # The base of this merge often holds one of the sides: that side would look unchanged, and be lost.
    old = with_side(side, regions, shown_base)
    if old in (ours, theirs):
        return theirs if ours == old else ours
    content = rule(path, old, ours, theirs)
    return side if content.second is not None else content.data
