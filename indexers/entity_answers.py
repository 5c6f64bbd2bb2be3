"""What the entity graph is asked with and what it answers."""

from __future__ import annotations

import enum
import json
from typing import NamedTuple

from memtree.indexers.query import Query
from memtree.indexers.vector_filter import Filter, filter_of
from memtree.tree.entity import EntityKind
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath


class EntityFilter(NamedTuple):
    """Which chunks count, before any limit; an unset field admits everything.

    `since` and `until` are epoch seconds, both inclusive: a chunk without a time of its own lies in an open window only. `sources`
    are names (tree/source_names).
    """

    since: int | None = None
    until: int | None = None
    sources: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()

    @property
    def admits_all(self) -> bool:
        return self == EntityFilter()


class Order(enum.Enum):
    """How chunks are listed: by time (those of one second file by file, the files in an order without meaning), or by path.

    What has no time comes last in NEWEST and in OLDEST.
    """

    NEWEST = "newest"
    OLDEST = "oldest"
    PATH = "path"


class Known(NamedTuple):
    """An entity. `mentions` is the number of chunks that speak of it under any of its names, `last_seen` the latest time of those.

    `kind` and `surface` are what a file under `entities/` says of it, else the kind of its id and how it is written most often.
    """

    id: str
    kind: EntityKind
    surface: str
    mentions: int
    last_seen: int | None


class Occurrence(NamedTuple):
    """A chunk. Lines are 1-based and inclusive, `time` is in epoch seconds; `ids` are those asked for that it speaks of."""

    path: RepoPath
    ordinal: int
    start_line: int
    end_line: int
    kind: Kind
    source: str
    time: int | None
    ids: frozenset[str] = frozenset()


class Pair(NamedTuple):
    """Two of the entities asked for that are connected: in one chunk (1 hop), or by way of others. `via` are those, from `a` on."""

    a: str
    b: str
    hops: int
    via: tuple[str, ...] = ()


class Neighbour(NamedTuple):
    """An entity and in how many chunks it stands together with the one asked for."""

    known: Known
    weight: int


class SourceCount(NamedTuple):
    """A source, and what is indexed of it; `first` and `last` are the earliest and the latest time in it."""

    source: str
    source_kind: str
    files: int
    chunks: int
    first: int | None
    last: int | None


class GraphSize(NamedTuple):
    """How much the graph holds."""

    files: int
    chunks: int
    entities: int


def condition_of(asked: EntityFilter) -> Filter:
    """A filter as a condition of SQL over the tables `file` and `chunk`."""
    admitted = filter_of(Query("", kinds=asked.kinds, since=asked.since, until=asked.until))
    if not asked.sources:
        return admitted
    names = json.dumps([name.encode("utf-8", "replace").decode() for name in asked.sources])
    return Filter(f"({admitted.sql}) AND file.source IN (SELECT value FROM json_each(?))", (*admitted.values, names))  # noqa: S608
