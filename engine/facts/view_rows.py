"""View rows: facts as one local file remembers them, so that a process that starts does not read ten thousand files.

What is damaged, of another content root or of another version of memtree is as good as none: everything is then read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from memtree.engine.local_state import keep_state, read_state
from memtree.tree.fact import Fact, FactKind, FactSource, ReadFact, State, Temporal
from memtree.tree.paths import RepoPath
from memtree.tree.version import VERSION

_FORMAT = f"1 {VERSION}"
_FIELDS = tuple(Fact.__dataclass_fields__)
_AT = {name: number for number, name in enumerate(_FIELDS)}
_KIND, _STATE, _TAGS, _SOURCES, _TEMPORAL = (_AT[name] for name in ("kind", "state", "tags", "sources", "temporal"))
_TEXTS = tuple(set(_AT.values()) - {_KIND, _STATE, _TAGS, _SOURCES, _TEMPORAL, _AT["confidence"]})


def keep_rows(place: str, content: str, tree: str, facts: Iterable[tuple[ReadFact, str]]) -> None:
    """Remember the facts of a tree, each with the normal form of its text. A disk that is full remembers nothing."""
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
    except OSError:
        return
    keep_state(place, {"format": _FORMAT, "content": content, "tree": tree, "facts": [_row(one, key) for one, key in facts]})


def kept_rows(place: str, content: str) -> tuple[str, list[tuple[ReadFact, str]]]:
    """The tree that is remembered and its facts; '' and none where nothing is that can be used."""
    found = read_state(place)
    if found.get("format") != _FORMAT or found.get("content") != content or not isinstance(found.get("tree"), str):
        return "", []
    try:
        return found["tree"], [_read(row) for row in found["facts"]]
    except (LookupError, TypeError, ValueError, AttributeError):
        return "", []
    except Exception:  # noqa: BLE001 - a fact that its own checks refuse: the file was tampered with
        return "", []


def _row(one: ReadFact, key: str) -> list[Any]:
    values = [getattr(one.fact, name) for name in _FIELDS]
    values[_AT["kind"]], values[_AT["state"]] = one.fact.kind.value, one.fact.state.value
    temporal = one.fact.temporal
    values[_AT["temporal"]] = None if temporal is None else [getattr(temporal, name) for name in Temporal.__dataclass_fields__]
    return [one.path, one.edited, one.blob, key, values]


def _read(row: list[Any]) -> tuple[ReadFact, str]:
    path, edited, blob, key, values = row
    if not isinstance(path, str) or not isinstance(key, str) or len(values) != len(_FIELDS):
        raise ValueError("no row of a fact")
    if not all(isinstance(values[at], str) for at in _TEXTS):
        raise ValueError("no row of a fact")
    values[_KIND], values[_STATE] = FactKind(values[_KIND]), State(values[_STATE])
    values[_TAGS] = tuple(map(str, values[_TAGS]))
    values[_SOURCES] = tuple(FactSource(str(session), int(seq), str(quoted)) for session, seq, quoted in values[_SOURCES])
    values[_TEMPORAL] = None if values[_TEMPORAL] is None else Temporal(*map(str, values[_TEMPORAL]))
    return ReadFact(Fact(*values), RepoPath(path), bool(edited), str(blob)), key
