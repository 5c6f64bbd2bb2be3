"""Finding: passages that may answer, by words and by meaning, limited before anything is cut off. How well, `scoring` says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.memory_tree.hits import Narrowed
from memtree.engine.memory_tree.narrowing import admits, admits_node, inside, leaf_query, summary_query
from memtree.engine.memory_tree.present import Present
from memtree.indexers.query import Query
from memtree.indexers.records import Record
from memtree.tree.kinds import Kind
from memtree.tree.source_names import Place, source_of
from memtree.tree.summary import Node, summaries_folder

if TYPE_CHECKING:  # numpy comes with it
    from memtree.indexers.vector_state import Neighbour

CANDIDATES = 40  # of each leg
OF_SUMMARIES = 20
_NEAREST = 120  # chunks of any kind, looked up once where nothing is limited
_NEAR = 0.2  # cosine below which nearness says nothing (weights.FusionWeights.floor)
_MOST_NODES = 1_000  # summaries that one query can name; of more the highest are looked into

_MOST_LOOKED_AT = 640  # chunks found by words where facts among them do not hold
_FEW_NODES = 30  # summaries that are told apart in a search by meaning; of more those among the nearest chunks count

Key = tuple[str, int]  # path and ordinal of a chunk


class Candidate(NamedTuple):
    """A chunk and how near it is to the query in meaning, where that is known; `node` for one of a summary.

    `in_context` is how much of the query a turn of a conversation answers where it stands (`turns`).
    """

    record: Record
    cosine: float | None = None
    node: Node | None = None
    in_context: float | None = None


class Finder:
    """Looks up candidates for one query. The query's vector is asked for once."""

    def __init__(self, present: Present, query: str) -> None:
        self._present = present
        self._query = query
        self._vector = present.vector(query)

    def leaves(self, narrowed: Narrowed, most: int = CANDIDATES) -> list[Candidate]:
        """Chunks of everything but summaries; those that words find first."""
        query = leaf_query(self._query, narrowed, self._present.content, self._present.pages)
        summaries = summaries_folder(self._present.content)
        near = self._nearest(lambda one: not one.path.within(summaries)) if narrowed == Narrowed() else self._near(query, most)
        return self._found(query, most, near)

    def summaries(self, narrowed: Narrowed, nodes: Iterable[Node] | None = None, most: int = OF_SUMMARIES) -> list[Candidate]:
        """Chunks of summaries that tell of nothing outside, of these `nodes` only where they are given."""
        present = self._present
        every = present.wiki.by_path
        if nodes is None and narrowed == Narrowed():
            admitted = list(every.values())
        else:
            some = every.values() if nodes is None else nodes
            admitted = [node for node in some if admits_node(narrowed, node, present.sources)]
        if not admitted:
            return []
        if len(admitted) == len(every):
            query = Query(self._query, places=(Place(Kind.WIKI, summaries_folder(present.content)),))
            near = self._nearest(lambda one: one.path in every)
        else:
            query = summary_query(self._query, sorted(admitted, key=lambda node: (-node.level, node.path))[:_MOST_NODES])
            allowed = {node.path for node in admitted}
            near = self._near(query, most) if len(admitted) <= _FEW_NODES else self._nearest(lambda one: one.path in allowed)
        found = [one._replace(node=every.get(one.record.path)) for one in self._found(query, most, near)]
        return [one for one in found if one.node is not None]

    def with_cosines(self, records: Iterable[Record]) -> list[Candidate]:
        """Chunks that were found otherwise, with how near they are."""
        known = list(records)
        near = self._cosines([(record.path, record.ordinal) for record in known])
        return [Candidate(record, near.get((record.path, record.ordinal))) for record in known]

    def _found(self, query: Query, most: int, near: dict[Key, float]) -> list[Candidate]:
        present = self._present
        by_words = self._by_words(query, most)
        records: dict[Key, Record] = {(record.path, record.ordinal): record for record in by_words}
        missing = [key for key in near if key not in records]
        for record in (present.healed(lambda: present.text.records_at(missing)) if missing else None) or []:
            records[record.path, record.ordinal] = record
        near |= self._cosines([key for key in records if key not in near])
        return [
            Candidate(record, near.get(key))
            for key, record in records.items()
            if not present.facts.leaves_out(record.path, record.kind)
        ]

    def _by_words(self, query: Query, most: int) -> list[Record]:
        """What words find; of facts that do not hold any more there may be many, and they take nobody's place."""
        present = self._present
        while True:
            found = present.healed(lambda: [record for record, _ in present.text.candidates(query, most)]) or []  # noqa: B023 - called here
            kept = [record for record in found if not present.facts.leaves_out(record.path, record.kind)]
            if len(kept) == len(found) or len(found) < most or most >= _MOST_LOOKED_AT:
                return kept
            most *= 4

    def _nearest(self, admits: Callable[[Neighbour], bool]) -> dict[Key, float]:
        """Of the nearest chunks those of a kind. To look through everything that a filter admits takes ten times as long."""
        return {(one.path, one.ordinal): one.score for one in self._unlimited if admits(one)}

    @cached_property
    def _unlimited(self) -> list[Neighbour]:
        meaning, vector = self._present.meaning, self._vector
        if meaning is None or vector is None:
            return []
        found = self._present.healed(lambda: meaning[0].nearest(vector, _NEAREST)) or []
        return [one for one in found if one.score >= _NEAR]

    def _near(self, query: Query, most: int) -> dict[Key, float]:
        meaning, vector = self._present.meaning, self._vector
        if meaning is None or vector is None:
            return {}
        found = self._present.healed(lambda: meaning[0].nearest(vector, most, allowed=query)) or []
        return {(one.path, one.ordinal): one.score for one in found if one.score >= _NEAR}

    def _cosines(self, keys: list[Key]) -> dict[Key, float]:
        meaning, vector = self._present.meaning, self._vector
        if meaning is None or vector is None or not keys:
            return {}
        scores = self._present.healed(lambda: meaning[0].scores(vector, keys)) or []
        return {key: score for key, score in zip(keys, scores, strict=False) if score is not None}


def admitted_leaf(present: Present, record: Record, narrowed: Narrowed) -> bool:
    """Whether a chunk, as it is now, lies in what was asked for."""
    return admits(narrowed, source_of(record.path, present.content), record.kind) and inside(
        narrowed.window, record.time, record.time
    )
