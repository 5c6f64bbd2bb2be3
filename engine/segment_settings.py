"""The `[segments]` table of `memtree.toml`: when a stretch of a conversation ends. It travels, so all machines cut alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memtree.engine.search_settings import BadTable
from memtree.tree.segments import Limits

_BOUNDS = {
    "max_turns_per_segment": (1, 1_000),
    "max_time_gap_secs": (1, 31_536_000),
    "min_cosine_similarity": (-1, 1),
    "close_idle_secs": (60, 31_536_000),
}
_KEYS = (*_BOUNDS, "markers")
_MARKERS, _LONGEST = 500, 200  # of them; characters


@dataclass(frozen=True, slots=True)
class SegmentSettings:
    """`limits` say where a segment ends; a session that has been silent for `close_idle` seconds counts as over."""

    limits: Limits = field(default_factory=Limits)
    close_idle: float = 21_600.0


def segment_settings(raw: Any) -> SegmentSettings:
    """Read the `[segments]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("segments must be a table: [segments]")
    if raw.keys() - set(_KEYS):
        raise BadTable(f"segments has the unknown key {min(raw.keys() - set(_KEYS))!r}; it may hold {', '.join(_KEYS)}")
    usual = Limits()
    limits = Limits(
        max_turns=int(_number(raw, "max_turns_per_segment", usual.max_turns)),
        max_gap=_number(raw, "max_time_gap_secs", usual.max_gap),
        min_cosine=_number(raw, "min_cosine_similarity", usual.min_cosine),
        markers=_markers(raw.get("markers", list(usual.markers))),
    )
    return SegmentSettings(limits, _number(raw, "close_idle_secs", SegmentSettings().close_idle))


def _number(raw: Mapping[str, Any], key: str, usual: float) -> float:
    value = raw.get(key, usual)
    low, high = _BOUNDS[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadTable(f"segments.{key} must be a number from {low:,} to {high:,}")
    if key == "max_turns_per_segment" and value != int(value):
        raise BadTable(f"segments.{key} must be a whole number")
    return float(value)


def _markers(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() and len(one) <= _LONGEST for one in value):
        raise BadTable('segments.markers must be a list of phrases, for example ["new topic", "by the way"]')
    if len(value) > _MARKERS:
        raise BadTable(f"segments.markers has {len(value):,} phrases, more than {_MARKERS}")
    return tuple(dict.fromkeys(one.strip() for one in value))
