"""search_entities and query_topic: which entities there are, and what speaks of one."""

from __future__ import annotations

from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.choosing import Judged, distinct, hits, judged
from memtree.engine.memory_tree.finding import Candidate, Finder
from memtree.engine.memory_tree.hits import BadRequest, Entities, Envelope, FoundEntity, Narrowed
from memtree.engine.memory_tree.narrowing import entity_filter
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.memory_tree.turns import in_context
from memtree.indexers.entity_answers import EntityFilter

_ALIASES = 20
_LOOKED_AT = 200  # newest chunks of an entity that are judged against a query
_COUNTED = 10_000
_SPARE = 4  # times the limit: turns stand in their conversation's prose again


def search_entities(present: Present, asked: Asked) -> Entities:
    """Entities that are called so, in part or in whole: those in most chunks first, then those seen last."""
    graph = present.graph
    limits = EntityFilter() if asked.narrowed == Narrowed() else entity_filter(asked.narrowed)
    known = present.healed(lambda: graph.search(asked.query, asked.kinds, asked.limit, limits)) or []
    found = (
        FoundEntity(
            one.id,
            one.kind.value,
            present.redactor.text(one.surface),
            tuple(sorted(graph.group(one.id) - {one.id}))[:_ALIASES],
            one.mentions,
            one.last_seen,
        )
        for one in known
    )
    return Entities(tuple(found), present.tip, tuple(present.notes))


def query_topic(present: Present, asked: Asked) -> Envelope:
    """The passages that speak of an entity: those that answer the query best, without one the newest."""
    graph, limits = present.graph, entity_filter(asked.narrowed)
    known = present.healed(lambda: graph.known([asked.entity_id])) or {}
    if asked.entity_id not in known:
        raise BadRequest("entity_id", f"nothing speaks of {asked.entity_id}", _near(present, asked.entity_id))
    most = _LOOKED_AT if asked.query else _SPARE * asked.limit
    places = present.healed(lambda: graph.occurrences([asked.entity_id], most, limits)) or []
    keys = [(one.path, one.ordinal) for one in places]
    records = (present.healed(lambda: present.text.records_at(keys)) if keys else None) or []
    scorer = Scorer(asked.query, present.words, {asked.entity_id: graph.group(asked.entity_id)})
    if asked.query:
        finder = Finder(present, asked.query)
        also = [one for one in finder.leaves(asked.narrowed) if (one.record.path, one.record.ordinal) not in set(keys)]
        spoken = [one for one in judged(in_context(present, finder, scorer, also), scorer) if one.entities]
        spoken += judged(in_context(present, finder, scorer, finder.with_cosines(records)), scorer)
        ranked = distinct(sorted(spoken, key=lambda one: one.order))
    else:
        plain = [Judged(Candidate(record), 0.0, (asked.entity_id,)) for record in records]
        ranked = distinct(sorted(plain, key=lambda one: one.order))
    found = hits(present, ranked, asked.limit, asked.narrowed, scorer)
    if not asked.query:
        found = [hit._replace(score=None) for hit in found]
    total = len(ranked) if len(places) < most else max(len(ranked), _count(present, asked.entity_id, limits))
    return Envelope(tuple(found), total, present.tip, "entity" if found else "nothing", (asked.entity_id,), tuple(present.notes))


def _count(present: Present, entity: str, limits: EntityFilter) -> int:
    graph = present.graph
    return len(present.healed(lambda: graph.occurrences([entity], _COUNTED, limits)) or [])


def _near(present: Present, entity: str) -> str:
    graph, value = present.graph, entity.partition(":")[2]
    words = [value, *sorted(value.split(), key=len, reverse=True)]
    for word in words:
        near = present.healed(lambda word=word: graph.search(word, (), 3)) or []  # type: ignore[misc]
        if near:
            return f"did you mean {' or '.join(one.id for one in near)}?"
    return "search_entities finds the ids of entities"
