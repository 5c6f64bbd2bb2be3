"""Finding the nearest chunks: exactly, by looking at every vector, or through a graph where one is at hand.

Both ways end the same: the rows found are looked up as chunks, which drops dead rows and what the filter refuses, and those left
are scored again from the log in double precision. So the exact way gives the same answer however the index came about: equal texts
have equal scores, and path and ordinal decide between them.
"""

from __future__ import annotations

import numpy as np

from memtree.indexers.embedder import Vectors
from memtree.indexers.vector_filter import EVERYTHING, Filter
from memtree.indexers.vector_graph import VectorGraph
from memtree.indexers.vector_log import Rows
from memtree.indexers.vector_reader import View
from memtree.indexers.vector_state import Neighbour

# A graph asked for more than this is slower than looking at everything.
_GRAPH_LIMIT = 2_000
# More than single precision can be off in a product of unit vectors.
_MARGIN = 1e-5


def nearest(view: View, graph: VectorGraph | None, query: Vectors, k: int, wanted: Filter) -> list[Neighbour]:
    """Return the `k` admitted chunks nearest to a normalised query vector, best first; those at right angles to it are none."""
    found = _by_graph(view, graph, query, k, wanted) if graph is not None and graph.token == view.log.token else None
    return found if found is not None else _exact(view, query, k, wanted)


def _by_graph(view: View, graph: VectorGraph, query: Vectors, k: int, wanted: Filter) -> list[Neighbour] | None:
    if graph.hidden_at != view.stamp:
        # What was dead when it was hidden may be alive again: undone, or on another branch.
        graph.show(view.state.alive_among(graph.hidden) if graph.hidden else ())
        graph.hidden_at = view.stamp
    later = np.arange(min(graph.covered, view.rows), view.rows)
    later_scores = view.log.scores(query, graph.covered, view.rows) if len(later) else np.empty(0, np.float32)
    # A filter that refuses most of what is near is left to the exact way, which looks at what it admits and nothing else.
    asked, limit = (k + k // 4 + 10, _GRAPH_LIMIT) if wanted is EVERYTHING else (8 * k + 100, 8 * k + 100)
    while asked <= limit:
        reached = graph.nearest(query, asked)
        if reached is None:
            return None
        # The graph may know more than this view.
        rows = [np.array([row for row in reached if row < view.rows], np.int64), _best(later, later_scores, asked)]
        found = _chunks(view, query, np.concatenate(rows), wanted)
        if len(found) >= k or len(reached) >= graph.alive:
            return found[:k]
        asked *= 4
    return None


def _exact(view: View, query: Vectors, k: int, wanted: Filter) -> list[Neighbour]:
    if wanted is EVERYTHING:
        rows, scores = np.arange(view.rows), view.log.scores(query, 0, view.rows)
    else:
        rows = view.state.admitted(wanted)
        scores = view.log.scores_of(query, rows)
    asked = k + k // 4 + 10
    while True:
        found = _chunks(view, query, _best(rows, scores, asked), wanted)
        if len(found) >= k or asked >= len(rows):
            return found[:k]
        asked *= 4


def _best(rows: Rows, scores: Vectors, count: int) -> Rows:
    """The rows with the `count` highest scores and those that equal the last of them; a score of 0 says nothing and is left out."""
    good = scores != 0
    if count < len(scores):
        good &= scores >= np.partition(scores, len(scores) - count)[len(scores) - count] - _MARGIN
    best: Rows = rows[good]
    return best


def _chunks(view: View, query: Vectors, rows: Rows, wanted: Filter) -> list[Neighbour]:
    scores = dict(zip(rows.tolist(), view.log.exact_scores(query, rows).tolist(), strict=True))
    found = view.state.neighbours(scores, wanted)
    return sorted(found, key=lambda one: (-one.score, one.path, one.ordinal))
