"""The entities that a query speaks of, as the graph knows them, and how they are connected.

One word may be several ids: `Heron` is a name, a wikilink and a hashtag. Ids that are written alike, or that a file of an entity
calls one, are one entity of the query, which a single id stands for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from memtree.engine.memory_tree.present import Present
from memtree.indexers.entity_answers import Known, Pair
from memtree.indexers.entity_graph import EntityGraph
from memtree.indexers.mentions import query_mentions, query_words
from memtree.indexers.relevance import says_something
from memtree.indexers.tokens import fold

MOST = 8  # entities of a query; who names more asks about the first


class Group(NamedTuple):
    """An entity of the query: the id that stands for it, and all ids that mean it."""

    id: str
    ids: frozenset[str]
    mentions: int


class Connection(NamedTuple):
    """Two entities of the query, `hops` apart. `steps` are couples of ids of which some chunk speaks together."""

    a: str
    b: str
    hops: int
    steps: tuple[tuple[str, str], ...]


def entities_of(present: Present, query: str) -> dict[str, Group]:
    """The entities of a query by their ids, in the order in which they stand there; only those that the graph knows."""
    graph = present.graph
    mentioned = [mention.entity.id for mention in query_mentions(query)]
    words = query_words(query)
    named = [id_ for id_ in present.healed(lambda: graph.named(words)) or [] if says_something(_value(id_))]
    known = present.healed(lambda: graph.known([*mentioned, *named])) or {}
    at = fold(query)
    ids = sorted(known, key=lambda id_: (at.find(fold(_value(id_))) % (len(at) + 1), -known[id_].mentions, id_))
    return _grouped(graph, ids, known)


def _grouped(graph: EntityGraph, ids: Iterable[str], known: Mapping[str, Known]) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    spelled: dict[str, str] = {}  # how something is written, or an id -> the group's id
    for id_ in ids:
        alike = graph.group(id_)
        head = next((spelled[key] for key in (fold(_value(id_)), *alike) if key in spelled), None)
        if head is None:
            if len(groups) == MOST:
                break
            groups[id_] = Group(id_, alike, known[id_].mentions)
            head = id_
        else:
            groups[head] = groups[head]._replace(ids=groups[head].ids | alike)
        spelled |= dict.fromkeys((fold(_value(id_)), *alike), head)
    return groups


def connections(present: Present, groups: Mapping[str, Group], max_hops: int) -> list[Connection]:
    """The pairs of entities that are connected within `max_hops`, the nearest first."""
    if len(groups) < 2:
        return []
    of = {id_: group.id for group in groups.values() for id_ in group.ids}
    graph = present.graph
    pairs = present.healed(lambda: graph.connected(list(of), max_hops)) or []
    found: dict[tuple[str, str], Connection] = {}
    for pair in pairs:
        a, b = of.get(pair.a, pair.a), of.get(pair.b, pair.b)
        known = found.get((a, b)) or found.get((b, a))
        if a == b or (known is not None and known.hops < pair.hops):
            continue
        steps = _steps(pair)
        if known is None:
            found[a, b] = Connection(a, b, pair.hops, steps)
        else:
            found[known.a, known.b] = known._replace(steps=(*known.steps, *steps))
    return sorted(found.values(), key=lambda one: one.hops)


def _steps(pair: Pair) -> tuple[tuple[str, str], ...]:
    way = (pair.a, *pair.via, pair.b)
    return tuple(itertools.pairwise(way))


def _value(id_: str) -> str:
    return id_.partition(":")[2]
