"""Catching up: bring an index from the commit it reflects to the one that is wanted, or build it from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memtree.indexers.base import IndexCorrupt, Source, View
from memtree.tree.objects import CommitId


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What catching up did. `before` is None and `reason` says why when the index was built from nothing."""

    before: CommitId | None
    after: CommitId
    changed: int
    rebuilt: bool = False
    reason: str = ""


def catch_up(index: View, source: Source, to: CommitId, progress: Callable[[int], None] | None = None) -> CatchUp:
    """Make `index` reflect `to`. Damage, an unknown position, other settings or another version lead to a rebuild.

    Raises IndexBusy when another process is writing the index; calling again later is always right.
    """
    position, reason = _start(index, source)
    if position == to:
        return CatchUp(position, to, 0)
    if position is not None:
        try:
            return CatchUp(position, to, index.apply(source.changes(position, to), source, to, progress))
        except IndexCorrupt as error:
            reason = str(error)
    index.clear()
    changed = index.apply(source.changes(None, to), source, to, progress)
    return CatchUp(None, to, changed, rebuilt=True, reason=reason)


def _start(index: View, source: Source) -> tuple[CommitId | None, str]:
    try:
        position = index.position()
    except IndexCorrupt as error:
        return None, str(error)
    if position is None:
        return None, index.vacancy()
    if not source.has_commit(position):
        return None, f"commit {position[:12]}, which it reflects, no longer exists"
    return position, ""
