"""Filter: what a query admits, as a condition of SQL over the tables `file` and `chunk`. The same rules as the text index has."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from memtree.indexers.linear_regex import Expression, whole
from memtree.indexers.query import Query
from memtree.indexers.records import glob_pattern
from memtree.tree.source_names import Place

_FAR = 2**62


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition and the values of its question marks."""

    sql: str
    values: tuple[object, ...] = ()


EVERYTHING = Filter("1")


def filter_of(query: Query | None) -> Filter:
    """The filters of a query; its text and limit say nothing here."""
    parts = [*_kinds(query), *_path(query), *_places(query), *_time(query)] if query else []
    if not parts:
        return EVERYTHING
    return Filter(" AND ".join(f"({part.sql})" for part in parts), tuple(value for part in parts for value in part.values))


def _kinds(query: Query) -> list[Filter]:
    if not query.kinds:
        return []
    return [Filter("file.kind IN (SELECT value FROM json_each(?))", (json.dumps([kind.value for kind in query.kinds]),))]


def _path(query: Query) -> list[Filter]:
    path = _clean(query.path)
    if not path:
        return []
    within = _within(path)
    if not set("*?") & set(path):
        return [within]
    # A file may really be called `What?.md`, so a pattern is also taken by its letter.
    return [Filter(f"{within.sql} OR in_glob(?, file.path)", (*within.values, path))]


def _places(query: Query) -> list[Filter]:
    if not query.places:
        return []
    parts = [_place(place) for place in query.places]
    return [Filter(" OR ".join(f"({part.sql})" for part in parts), tuple(value for part in parts for value in part.values))]


def _place(place: Place) -> Filter:
    kind, folder = Filter("file.kind = ?", (place.kind.value,)), _clean(place.folder)
    if not folder:
        return kind
    inside = Filter("in_glob(?, file.path)", (f"{folder}/*",)) if place.direct else _within(folder)
    return Filter(f"{kind.sql} AND ({inside.sql})", (*kind.values, *inside.values))


def _within(path: str) -> Filter:
    # What lies in a folder sorts between `folder/` and `folder0`, the character that follows the slash.
    return Filter("file.path = ? OR (file.path >= ? AND file.path < ?)", (path, f"{path}/", f"{path}0"))


def _clean(path: str) -> str:
    return path.strip("/").encode("utf-8", "replace").decode("utf-8")


def _time(query: Query) -> list[Filter]:
    if query.since is None and query.until is None:
        return []
    low = -_FAR if query.since is None else max(-_FAR, min(_FAR, query.since))
    high = _FAR if query.until is None else max(-_FAR, min(_FAR, query.until))
    dated = Filter("chunk.time BETWEEN ? AND ?", (low, high))
    if not query.changed:
        return [dated]
    undated = "(chunk.time IS NULL AND file.path IN (SELECT value FROM json_each(?)))"
    return [Filter(f"{dated.sql} OR {undated}", (*dated.values, json.dumps(sorted(query.changed))))]


def matches_glob(glob: str, path: str) -> bool:
    """Whether a path matches a glob with `*`, `?` and `**`."""
    return _compiled(glob).fits(path)


@functools.lru_cache(maxsize=16)
def _compiled(glob: str) -> Expression:
    return whole(glob_pattern(glob))
