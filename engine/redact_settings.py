"""The `[redact]` table of `memtree.toml`: which classes of personal data writers take out beside the secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtree.engine.search_settings import BadTable
from memtree.tree.pii_rules import PiiClass


@dataclass(frozen=True, slots=True)
class RedactSettings:
    """`pii` are the classes that are taken out; none by default, for a person may want a friend's number in a note."""

    pii: frozenset[PiiClass] = frozenset()


def redact_settings(raw: Any) -> RedactSettings:
    """Read the `[redact]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("redact must be a table: [redact]")
    if raw.keys() - {"pii"}:
        raise BadTable(f"redact has the unknown key {min(raw.keys() - {'pii'})!r}; it may hold pii")
    names = raw.get("pii", [])
    known = {one.value: one for one in PiiClass}
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadTable(f"redact.pii must be a list of names in quotes, of these: {', '.join(known)}")
    for name in names:
        if name not in known:
            raise BadTable(f"redact.pii has the unknown class {name!r}; known are {', '.join(known)}")
    return RedactSettings(frozenset(known[name] for name in names))
