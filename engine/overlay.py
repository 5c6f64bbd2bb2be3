"""Overlay: what an index that is behind, and held by another process, does not know yet, found all the same.

The changed files are indexed for this one question in a folder that goes afterwards; what the old index says of them is left out.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path

from memtree.indexers.base import Source
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.query import Hit, Query
from memtree.tree.objects import CommitId

LIMIT = 500  # changed files; more take longer to index than a person waits for a word


def overlaid(
    query: Query, hits: Sequence[Hit], source: Source, before: CommitId | None, tip: CommitId, content_root: str
) -> list[Hit] | None:
    """The hits as they would be at `tip`, or None when too much changed since `before`. Scores are each list's own, best 1."""
    if before is None or not source.has_commit(before):
        return None
    changes = list(itertools.islice(source.changes(before, tip), LIMIT + 1))
    if len(changes) > LIMIT:
        return None
    changed = {change.path for change in changes}
    with tempfile.TemporaryDirectory(prefix="memtree-") as folder:
        fresh = FullTextIndex.open(Path(folder), "overlay", content_root=content_root)
        fresh.clear()
        fresh.apply(changes, source, tip)
        found = fresh.search(query)
        fresh.close()
    both = [*_scaled(found), *_scaled([hit for hit in hits if hit.path not in changed])]
    return sorted(both, key=lambda hit: (-hit.score, hit.path, hit.start_line))[: query.limit]


def _scaled(hits: Sequence[Hit]) -> list[Hit]:
    best = max((hit.score for hit in hits), default=0.0)
    return [hit._replace(score=round(hit.score / best, 4), parts=()) for hit in hits] if best > 0 else list(hits)
