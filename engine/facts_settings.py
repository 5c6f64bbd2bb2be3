"""The `[facts]` table of `memtree.toml`: what lasts of what was said, and within which limits it is looked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memtree.engine.search_settings import BadTable

_BOUNDS = {"max_messages": (1, 10_000), "max_chars": (1_000, 2_000_000), "max_facts": (1, 500)}
_YES_OR_NO = ("enabled", "include_assistant")
# A name by its form only: a machine with older tables of zones must still be able to read the file.
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,40}(?:/[A-Za-z0-9_+-]{1,40}){0,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class FactsSettings:
    """`include_assistant`: what an agent says may be a fact too. `timezone` is the IANA name of the zone in which "yesterday" is
    meant, '' for the machine's own. `max_messages`, `max_chars` and `max_facts` bound one pass over a segment.
    """

    enabled: bool = True
    include_assistant: bool = False
    timezone: str = ""
    max_messages: int = 200
    max_chars: int = 100_000
    max_facts: int = 50


_KEYS = tuple(field.name for field in fields(FactsSettings))


def facts_settings(raw: Any) -> FactsSettings:
    """Read the `[facts]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("facts must be a table: [facts]")
    if raw.keys() - set(_KEYS):
        raise BadTable(f"facts has the unknown key {min(raw.keys() - set(_KEYS))!r}; it may hold {', '.join(_KEYS)}")
    for name in _YES_OR_NO:
        if not isinstance(raw.get(name, True), bool):
            raise BadTable(f"facts.{name} must be true or false")
    for name, (low, high) in _BOUNDS.items():
        value = raw.get(name, low)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadTable(f"facts.{name} must be a whole number from {low:,} to {high:,}")
    zone = raw.get("timezone", "")
    if not isinstance(zone, str) or (zone and not _ZONE.fullmatch(zone)):
        raise BadTable('facts.timezone must be the name of a zone, for example "Europe/Berlin", or "" for the machine\'s own')
    return FactsSettings(**raw)
