"""The `[wiki]` table of `memtree.toml`: when summaries are made, and how large. It travels, so all machines make the same tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memtree.engine.search_settings import BadTable

_BOUNDS = {
    "seal_tokens": (500, 1_000_000),
    "fan_in": (2, 100),
    "stale_days": (1, 3_650),
    "summary_tokens": (50, 50_000),
}
_SWITCHES = ("enabled", "calendar")


@dataclass(frozen=True, slots=True)
class WikiSettings:
    """`enabled`: the librarian keeps the summary tree; `calendar`: also one node for each day, week and month.

    Leaves of a source are sealed under a node when they come to `seal_tokens`, or when for `stale_days` none came; nodes are sealed
    under one of the next level when there are `fan_in` of them. A model's summary has at most `summary_tokens`.
    """

    enabled: bool = True
    calendar: bool = True
    seal_tokens: int = 50_000
    fan_in: int = 10
    stale_days: int = 7
    summary_tokens: int = 5_000


def wiki_settings(raw: Any) -> WikiSettings:
    """Read the `[wiki]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("wiki must be a table: [wiki]")
    known = [field.name for field in fields(WikiSettings)]
    if raw.keys() - set(known):
        raise BadTable(f"wiki has the unknown key {min(raw.keys() - set(known))!r}; it may hold {', '.join(known)}")
    chosen: dict[str, Any] = {}
    for key, value in raw.items():
        if key in _SWITCHES:
            if not isinstance(value, bool):
                raise BadTable(f"wiki.{key} must be true or false")
        else:
            low, high = _BOUNDS[key]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise BadTable(f"wiki.{key} must be a whole number from {low:,} to {high:,}")
        chosen[key] = value
    return WikiSettings(**chosen)
