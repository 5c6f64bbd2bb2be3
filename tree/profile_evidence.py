"""What speaks for an entry of a profile: events, each with its day, its confidence and the value that it speaks for.

    <!-- evidence: e-1a2b3c4d5e6f 2026-12-01 0.6 9c1e, e-3c4d5e6f7a8b - 0.6 - -->

The last part is the fingerprint of a value; `-` stands for a day that is unknown, and for a value where a person chose the words:
what speaks for those must not count against them later. How often and when something was said is never written: it follows.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_NONE = "-"
_DIGITS = 4
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_BETWEEN = ".,;:!?\"'()[]*_`“”‘’。，；：！？…"
MOST_OF_A_VALUE = 16  # the newest events are kept: a line stays readable
MOST_VALUES = 4


class Seen(NamedTuple):
    """An event that speaks for a value; `value` is its fingerprint, '' for none, `day` is '' where it is unknown."""

    event: str
    day: str
    confidence: float
    value: str


class Strength(NamedTuple):
    """How strong what speaks for a value is: the surest event, how many, the newest day, the last place among all events."""

    confidence: float
    events: int
    day: str
    place: int


def fingerprint(value: str) -> str:
    """Four hex digits of a value; its case and the marks around its words do not count."""
    words = (word.strip(_BETWEEN) for word in unicodedata.normalize("NFKC", value).casefold().split())
    return hashlib.sha256(" ".join(word for word in words if word).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def read_seen(item: bytes) -> Seen:
    """An item of evidence; what a person or an older program wrote there counts for as much as it says."""
    parts = item.decode("utf-8", "replace").split()
    event, day, confidence, value = (*parts[:4], *[""] * (4 - len(parts[:4])))
    return Seen(event, day if _DAY.fullmatch(day) else "", _number(confidence), "" if value == _NONE else value)


def written_seen(seen: Seen) -> bytes:
    """The item as it stands in the file."""
    return f"{seen.event} {seen.day or _NONE} {seen.confidence:g} {seen.value or _NONE}".encode()


def strength(items: Sequence[Seen], value: str) -> Strength | None:
    """How strong what speaks for a value is, None when nothing does. An event counts once."""
    own = [(place, seen) for place, seen in enumerate(items) if seen.value == value]
    if not own or not value:
        return None
    events = {seen.event for _, seen in own}
    return Strength(max(seen.confidence for _, seen in own), len(events), max(seen.day for _, seen in own), own[-1][0])


def kept(items: Sequence[tuple[bytes, Seen]], present: str) -> list[bytes]:
    """The items that are kept, in their order: the newest ones of the strongest values, always those of the present one."""
    every = [seen for _, seen in items]
    values = {seen.value for seen in every}
    if len(items) <= MOST_OF_A_VALUE and len(values) <= MOST_VALUES:
        return [item for item, _ in items]
    ranked = sorted(values - {present, ""}, key=lambda value: (_lasting(every, value), value), reverse=True)
    chosen: set[bytes] = set()
    for value in (present, "", *ranked[: MOST_VALUES - 1]):
        own = sorted((seen.day, seen.event, item) for item, seen in items if seen.value == value)
        chosen.update(item for _, _, item in own[-MOST_OF_A_VALUE:])
    return [item for item, _ in items if item in chosen]


def _lasting(items: Sequence[Seen], value: str) -> tuple[float, int, str]:
    """Its strength without its place, which changes when it is said again."""
    found = strength(items, value)
    return found[:3] if found is not None else (0.0, 0, "")


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if 0.0 <= number <= 1.0 else 0.0
