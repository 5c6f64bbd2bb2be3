"""Three-way merge of what a data file means: maps key by key, lists by their elements, everything else as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtree.engine.merge.lines import merge_sequences
from memtree.engine.merge.three_way import merge_order

_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that is merged as a whole. `kind` keeps `1`, `true` and `"1"` apart."""

    kind: str
    text: str


Value = Leaf | tuple["Value", ...] | Mapping[str, "Value"]


class Both(Exception):
    """Both sides changed one value, each in its way."""


class TooDeep(ValueError):
    """Maps in lists in maps, without end."""


def value_of(found: Any, depth: int = 0) -> Value:
    """What a parser made of a file; raise TooDeep."""
    if depth > _DEEPEST:
        raise TooDeep
    if isinstance(found, Mapping):
        return {str(key): value_of(each, depth + 1) for key, each in found.items()}
    if isinstance(found, list | tuple):
        return tuple(value_of(each, depth + 1) for each in found)
    return found if isinstance(found, Leaf) else Leaf(type(found).__name__, str(found))


def merge_values(base: Value | None, ours: Value, theirs: Value) -> Value:
    """The value with both sides' changes; raise Both where they cannot stand together. `base` is None for a new value."""
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        return _merge_maps(base if isinstance(base, Mapping) else {}, ours, theirs)
    if isinstance(ours, tuple) and isinstance(theirs, tuple):
        return _merge_lists(base if isinstance(base, tuple) else (), ours, theirs)
    raise Both


def _merge_maps(base: Mapping[str, Value], ours: Mapping[str, Value], theirs: Mapping[str, Value]) -> dict[str, Value]:
    merged: dict[str, Value] = {}
    for key in {**ours, **theirs}:
        one, two = ours.get(key), theirs.get(key)
        if one is not None and two is not None:
            merged[key] = merge_values(base.get(key), one, two)
        elif (kept := one if two is None else two) is not None and kept != base.get(key):
            merged[key] = kept  # a change beats a deletion
    order = merge_order(list(base), *([key for key in side if key in merged] for side in (ours, theirs)))
    return {key: merged[key] for key in order}


def _merge_lists(base: tuple[Value, ...], ours: tuple[Value, ...], theirs: tuple[Value, ...]) -> Value:
    old, one, two = (_by_id(each) for each in (base, ours, theirs))
    if old is not None and one is not None and two is not None:
        return tuple(_merge_maps(old, one, two).values())
    known = {_canonical(value): value for each in (base, ours, theirs) for value in each}
    merged = merge_sequences(*([_canonical(value) for value in each] for each in (base, ours, theirs)))
    if merged is not None:
        return tuple(known[text] for text in merged)
    if len(base) == len(ours) == len(theirs):
        return tuple(merge_values(*each) for each in zip(base, ours, theirs, strict=True))
    raise Both


def _by_id(values: tuple[Value, ...]) -> dict[str, Value] | None:
    """The elements by their `id`; None where one has none, or two have the same."""
    found: dict[str, Value] = {}
    for value in values:
        name = value.get("id") if isinstance(value, Mapping) else None
        if not isinstance(name, Leaf) or name.text in found:
            return None
        found[name.text] = value
    return found


def _canonical(value: Value) -> str:
    """A text that two values share only where they are equal."""
    if isinstance(value, Leaf):
        return f"{value.kind}{value.text!r}"
    if isinstance(value, tuple):
        return f"[{','.join(map(_canonical, value))}]"
    return "{" + ",".join(f"{key!r}:{_canonical(value[key])}" for key in sorted(value)) + "}"
