"""The `[watch]` table of `memtree.toml`: how soon edits become commits by themselves, and when the remotes are synced with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from memtree.engine.search_settings import BadTable

_BOUNDS = {
    "quiet": (0.05, 60.0),
    "maximum": (0.1, 600.0),
    "scan": (5.0, 86_400.0),
    "sync_interval": (10.0, 86_400.0),
    "sync_delay": (0.0, 3_600.0),
}


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """Seconds. Edits are committed `quiet` after the last one, but at the latest `maximum` after the first.

    Everything is looked through every `scan`, should an event have been missed. With `sync` the remotes are synced with every
    `sync_interval`, and `sync_delay` after a commit.
    """

    quiet: float = 0.5
    maximum: float = 5.0
    scan: float = 300.0
    sync: bool = True
    sync_interval: float = 300.0
    sync_delay: float = 5.0


def watch_settings(raw: Any) -> WatchSettings:
    """Read the `[watch]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("watch must be a table: [watch]")
    known = [field.name for field in fields(WatchSettings)]
    if raw.keys() - set(known):
        raise BadTable(f"watch has the unknown key {min(raw.keys() - set(known))!r}; it may hold {', '.join(known)}")
    sync = raw.get("sync", True)
    if not isinstance(sync, bool):
        raise BadTable("watch.sync must be true or false")
    chosen = WatchSettings(**{key: _seconds(key, raw[key]) for key in _BOUNDS if key in raw}, sync=sync)
    if chosen.maximum < chosen.quiet:
        raise BadTable(f"watch.maximum ({chosen.maximum:g}) must not be below watch.quiet ({chosen.quiet:g})")
    return chosen


def _seconds(key: str, value: object) -> float:
    low, high = _BOUNDS[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadTable(f"watch.{key} must be a number of seconds from {low:g} to {high:g}")
    return float(value)
