"""Which entities are connected: by a chunk that speaks of both, or by way of others. Functions over one view of the graph.

An edge joins two entities of a chunk, both among the TELLING of it; names of one group are one entity. An entity in a large share
of all chunks joins everything with everything and is no way from one to another. Every step looks at a bounded number of chunks,
the newest, and goes on from a bounded number of entities, those in most of them; equal ones in the order of their ids. So an answer
takes bounded time and depends on nothing but what the graph holds.
"""

from __future__ import annotations

import heapq
import itertools
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memtree.indexers.base import IndexCorrupt
from memtree.indexers.entity_answers import Neighbour, Pair
from memtree.indexers.entity_groups import Groups
from memtree.indexers.entity_reader import canonical, known
from memtree.indexers.entity_state import EntityState

MOST_HOPS = 4
MOST_ASKED = 32  # entities between which ways are looked for

# An entity in more than this share of the chunks, and in more than HUB_LEAST, is no way from one to another.
HUB_SHARE = 0.05
HUB_LEAST = 100

_NEAR = 500  # chunks of an entity that was asked for
_FAR = 20  # chunks of one on the way
_FRONTIER = 200  # entities that a way goes on from
MOST_NEIGHBOURS = 1_000
_NEIGHBOURING = 2_000  # chunks whose entities are counted as neighbours


class _Place(NamedTuple):
    """An entity that was asked for: its id as asked, the numbers of its names, and in how many chunks they are."""

    id: str
    numbers: tuple[int, ...]
    chunks: int


def connected(state: EntityState, groups: Groups, asked: Mapping[str, Sequence[int]], max_hops: int, chunks: int) -> list[Pair]:
    """The pairs within `max_hops` (1 to 4), by hops and then as asked. `chunks` is how many there are in all."""
    places = _places(state, groups, asked)
    search = _Search(state, groups, max(HUB_LEAST, int(HUB_SHARE * chunks)))
    hops = max(1, min(MOST_HOPS, max_hops))
    found = [pair for a, b in itertools.combinations(places, 2) if (pair := search.way(a, b, hops)) is not None]
    return sorted(found, key=lambda pair: pair.hops)


def neighbours(state: EntityState, groups: Groups, numbers: Sequence[int], limit: int) -> list[Neighbour]:
    """The entities with edges to a group, the strongest first; of a group one stands for all."""
    if limit < 1 or not numbers:
        return []
    limit = min(limit, MOST_NEIGHBOURS)
    weights = _joined(state, groups, numbers, _NEIGHBOURING, telling=True)
    weights.pop(groups.one(numbers[0]), None)
    # Only of the strongest and their equals the ids are needed.
    least = min(heapq.nlargest(limit, weights.values()), default=0)
    names = state.names_of(number for number, weight in weights.items() if weight >= least)
    ids = {groups.head(name): weights[number] for number, name in names.items()}
    best = sorted(ids, key=lambda one: (-ids[one], one))[:limit]
    facts = known(state, groups, best)
    return [Neighbour(facts[one], ids[one]) for one in best]


def _places(state: EntityState, groups: Groups, asked: Mapping[str, Sequence[int]]) -> list[_Place]:
    """What was asked for and is known, each group once."""
    seen: dict[str, tuple[str, tuple[int, ...]]] = {}
    for one, numbers in asked.items():
        if numbers:
            seen.setdefault(groups.head(canonical(one)), (one, tuple(numbers)))
    kept = [*seen.values()][:MOST_ASKED]
    counts = _counts(state, {number for _, numbers in kept for number in numbers})
    return [_Place(one, numbers, sum(counts[number][1] for number in numbers)) for one, numbers in kept]


def _counts(state: EntityState, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
    sql = "SELECT id, name, chunks FROM entity WHERE id IN (SELECT value FROM json_each(?))"
    return {number: (name, chunks) for number, name, chunks in state.rows(sql, json.dumps([*numbers]))}


def _joined(state: EntityState, groups: Groups, numbers: Sequence[int], most: int, *, telling: bool) -> Counter[int]:
    """The entities (the least number of each group) in chunks of given ones, with the number of chunks.

    `telling` looks only at chunks that the given ones are telling for.
    """
    sql = (
        "SELECT chunk.telling, chunk.spoken FROM (SELECT DISTINCT time, chunk FROM mention"
        " WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY time DESC, chunk LIMIT ?) AS found"
        " CROSS JOIN chunk ON chunk.id = found.chunk"
    )
    found: Counter[int] = Counter()
    own, named = set(numbers), groups.numbers
    for count, stored in state.rows(sql, json.dumps(numbers), most):
        spoken = array("I")
        try:
            spoken.frombytes(stored)
        except (TypeError, ValueError) as error:
            raise IndexCorrupt("the entity graph is damaged: a chunk's entities cannot be read") from error
        here = spoken[: 2 * count : 2]
        if not telling or not own.isdisjoint(here):
            found.update(here if named.isdisjoint(here) else [*dict.fromkeys(map(groups.one, here))])
    return found


class _Search:
    """Ways between entities; what one entity reaches is looked up once."""

    def __init__(self, state: EntityState, groups: Groups, hub: int) -> None:
        self._state = state
        self._groups = groups
        self._hub = hub
        self._near: dict[str, Counter[int]] = {}
        self._reached: dict[str, dict[int, str]] = {}
        self._far: dict[str, dict[int, tuple[int, ...]]] = {}

    def way(self, a: _Place, b: _Place, hops: int) -> Pair | None:
        """The shortest way between two, None when there is none within so many hops."""
        if self._together(a, b):
            return Pair(a.id, b.id, 1)
        if hops >= 2:
            near, other = self._nearby(a), self._nearby(b)
            both = Counter({number: min(near[number], other[number]) for number in near.keys() & other.keys()})
            for number in self._leading(both):
                return self._pair(a, b, (number,))
        if hops >= 3:
            # From the same end whichever was asked first.
            first, last = sorted((a, b), key=lambda place: place.id)
            for number, before in self._reach_far(first).items():
                if number in self._reach(last):
                    return self._pair(a, b, self._turned(first is a, (*before, number)))
        if hops >= 4:
            start, end = self._reach_far(first), self._reach_far(last)
            for number in self._leading(Counter(start.keys() & end.keys())):
                return self._pair(a, b, self._turned(first is a, (*start[number], number, *end[number])))
        return None

    def _turned(self, forward: bool, way: tuple[int, ...]) -> tuple[int, ...]:
        return way if forward else way[::-1]

    def _pair(self, a: _Place, b: _Place, way: tuple[int, ...]) -> Pair:
        names = self._state.names_of(way)
        return Pair(a.id, b.id, len(way) + 1, tuple(self._groups.head(names[number]) for number in way))

    def _together(self, a: _Place, b: _Place) -> bool:
        few, many = sorted((a, b), key=lambda place: place.chunks)
        sql = (
            "SELECT 1 FROM json_each(?) AS few CROSS JOIN mention AS one ON one.entity = few.value"
            " CROSS JOIN json_each(?) AS many CROSS JOIN mention AS other"
            " ON other.entity = many.value AND other.time = one.time AND other.chunk = one.chunk LIMIT 1"
        )
        return bool(self._state.rows(sql, json.dumps(few.numbers), json.dumps(many.numbers)))

    def _reach(self, place: _Place) -> dict[int, str]:
        """What stands together with an entity and may lead on, the strongest first, with ids."""
        if place.id not in self._reached:
            self._reached[place.id] = self._leading(self._nearby(place))
        return self._reached[place.id]

    def _nearby(self, place: _Place) -> Counter[int]:
        """What stands together with an entity, without itself."""
        if place.id not in self._near:
            found = _joined(self._state, self._groups, place.numbers, _NEAR, telling=False)
            found.pop(self._groups.one(place.numbers[0]), None)
            self._near[place.id] = found
        return self._near[place.id]

    def _reach_far(self, place: _Place) -> dict[int, tuple[int, ...]]:
        """What is reached by way of one of those, with that one."""
        if place.id not in self._far:
            found: dict[int, tuple[int, ...]] = {}
            for number in itertools.islice(self._reach(place), _FRONTIER):
                next_ones = _joined(self._state, self._groups, self._groups.all(number), _FAR, telling=True)
                next_ones.pop(self._groups.one(place.numbers[0]), None)
                for reached in next_ones:
                    found.setdefault(reached, (number,))
            self._far[place.id] = found
        return self._far[place.id]

    def _leading(self, weights: Counter[int]) -> dict[int, str]:
        """Those that are no hubs, the strongest first, with ids."""
        members = {number: self._groups.all(number) for number in weights}
        counts = _counts(self._state, {number for numbers in members.values() for number in numbers})
        kept = [one for one, numbers in members.items() if sum(counts[number][1] for number in numbers) <= self._hub]
        names = {one: self._groups.head(counts[one][0]) for one in kept}
        return {one: names[one] for one in sorted(kept, key=lambda one: (-weights[one], names[one]))}
