"""walk: from a question to passages without a model (after fast_retrieve of OpenHuman, and E2GraphRAG, arXiv 2505.24226).

The query's entities, and those of them that are connected within some hops, lead to the passages in which they stand together:
the local route. Where none are connected, each entity leads to its own passages: the entity route. What words and meaning find,
summaries among it, is looked at as well: alone it is the dense route. Every candidate is judged by the one score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.choosing import Judged, distinct, hits, judged, once
from memtree.engine.memory_tree.finding import Candidate, Finder, Key
from memtree.engine.memory_tree.hits import Envelope
from memtree.engine.memory_tree.narrowing import entity_filter
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.query_entities import Connection, Group, connections, entities_of
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.memory_tree.turns import is_turn, with_neighbours
from memtree.indexers.entity_answers import Occurrence

FLOOR = 0.05  # what answers less of a query than this has nothing to do with it
LOOKED_AT = 50  # chunks of entities that are judged
TURNS = 20  # that are judged where they stand, with those beside them
_OF_A_STEP = 200  # occurrences looked up for one couple of entities


def walk(present: Present, asked: Asked) -> Envelope:
    """The passages that answer a query, best first. `route` says what led to them, `entities` what the query speaks of."""
    groups = entities_of(present, asked.query)
    finder = Finder(present, asked.query)
    scorer = Scorer(asked.query, present.words, {group.id: group.ids for group in groups.values()})
    route, places = _by_entities(present, asked, groups)
    dense = [*finder.leaves(asked.narrowed), *finder.summaries(asked.narrowed)]
    candidates = _turns_in_context(present, asked, finder, scorer, _with(present, finder, dense, places))
    apart = distinct(one for one in judged(candidates, scorer) if one.score >= FLOOR)
    ranked = list(once(present, apart, leaves_besides=True))
    found = hits(present, mixed(ranked, asked.limit), asked.limit, asked.narrowed, scorer)
    if not found:
        route = "nothing"
    elif route == "local" and (more := sum((hit.path, hit.start_line) not in _lines(places) for hit in found)):
        present.note(f"filled up: {more} of {len(found)} hits do not speak of two connected entities")
    return Envelope(tuple(found), len(ranked), present.tip, route, tuple(groups), tuple(present.notes))


def _by_entities(present: Present, asked: Asked, groups: Mapping[str, Group]) -> tuple[str, list[Occurrence]]:
    """The route, and the chunks that entities lead to."""
    if not groups:
        return "dense", []
    found = _together(present, asked, connections(present, groups, asked.max_hops))
    if found:
        return "local", found
    graph, narrowed = present.graph, entity_filter(asked.narrowed)
    ids = [id_ for group in groups.values() for id_ in group.ids]
    found = present.healed(lambda: graph.occurrences(ids, LOOKED_AT, narrowed)) or []
    return ("entity", found) if found else ("dense", [])


def _together(present: Present, asked: Asked, connected: Sequence[Connection]) -> list[Occurrence]:
    """The chunks that speak of both of a couple. Of more than the limit those of the nearest couples, but never of none."""
    graph, narrowed = present.graph, entity_filter(asked.narrowed)
    by_hops: dict[int, dict[Key, Occurrence]] = {}
    for connection in connected:
        here = by_hops.setdefault(connection.hops, {})
        for step in connection.steps:
            some = present.healed(lambda step=step: graph.occurrences(step, _OF_A_STEP, narrowed)) or []  # type: ignore[misc]
            here.update(((one.path, one.ordinal), one) for one in some if len(one.ids) >= len(step))
    found: dict[Key, Occurrence] = {}
    for hops in sorted(by_hops):
        if len(found) > asked.limit:
            break
        found |= by_hops[hops]
    ordered = sorted(found.values(), key=lambda one: (-(one.time if one.time is not None else -(2**62)), one.path, one.ordinal))
    return ordered[:LOOKED_AT]


def _with(present: Present, finder: Finder, dense: list[Candidate], places: Iterable[Occurrence]) -> list[Candidate]:
    known = {(one.record.path, one.record.ordinal) for one in dense}
    missing = [(one.path, one.ordinal) for one in places if (one.path, one.ordinal) not in known]
    records = (present.healed(lambda: present.text.records_at(missing)) if missing else None) or []
    return [*dense, *finder.with_cosines(records)]


def _turns_in_context(
    present: Present, asked: Asked, finder: Finder, scorer: Scorer, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Of turns those that answer best by themselves, and those beside them, which may answer what was said before."""
    turns = [one for one in candidates if is_turn(one.record)]
    if not turns:
        return list(candidates)
    best = [one.candidate for one in judged(turns, scorer)[:TURNS]]
    return [
        *(one for one in candidates if not is_turn(one.record)),
        *with_neighbours(present, finder, scorer, best, asked.narrowed),
    ]


def _lines(places: Iterable[Occurrence]) -> set[tuple[str, int]]:
    return {(one.path, one.start_line) for one in places}


def mixed(ranked: Iterable[Judged], limit: int) -> list[Judged]:
    """The same order with the summaries that would be more than half of `limit` at the end."""
    most, late = max(1, limit // 2), []

    def early() -> Iterator[Judged]:
        seen = 0
        for one in ranked:
            seen += one.candidate.node is not None
            if one.candidate.node is not None and seen > most:
                late.append(one)
            else:
                yield one

    return [*early(), *late]
