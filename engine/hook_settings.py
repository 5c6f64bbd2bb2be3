"""The `[hooks]` table of `memtree.toml`: what agents' hooks do beside recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtree.engine.search_settings import BadTable


@dataclass(frozen=True, slots=True)
class HookSettings:
    """`sync`: whether the remotes are synced with when a session begins and ends."""

    sync: bool = True


def hook_settings(raw: Any) -> HookSettings:
    """Read the `[hooks]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("hooks must be a table: [hooks]")
    if raw.keys() - {"sync"}:
        raise BadTable(f"hooks has the unknown key {min(raw.keys() - {'sync'})!r}; it may hold sync")
    sync = raw.get("sync", True)
    if not isinstance(sync, bool):
        raise BadTable("hooks.sync must be true or false")
    return HookSettings(sync)
