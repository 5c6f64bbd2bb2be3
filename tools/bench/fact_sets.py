"""Labelled sentences and times that the gate of facts and the reading of dates are measured on, in two halves.

One half is there to improve the rules on, the other to tell how good they are with sentences that nobody improved them on: whoever
changes a rule looks at the first only. Both are written by hand, half of each in English and half in Chinese, on different topics.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

DURABLE = "durable"
DROPPED = ("query_intent", "transient_status", "ephemeral_intent", "activity_log", "operational_log")
LANGUAGES = ("en", "zh")


class Half(enum.StrEnum):
    TUNING = "tuning"
    HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, its language, and what a careful person says of it: durable, or the reason to drop it."""

    text: str
    language: str
    label: str


@dataclass(frozen=True, slots=True)
class Span:
    """Days, both included."""

    start: str
    end: str
    granularity: str


@dataclass(frozen=True, slots=True)
class Timed:
    """A sentence, when and in which zone it was said, and the times that it names, in their order; none is an answer too."""

    text: str
    language: str
    anchor: dt.datetime
    zone: str
    want: tuple[Span, ...]


def labelled(half: Half) -> tuple[Sentence, ...]:
    return tuple(Sentence(row["text"], row["lang"], row["label"]) for row in _rows(f"facts_{half}.jsonl"))


def timed(half: Half) -> tuple[Timed, ...]:
    return tuple(
        Timed(
            row["text"],
            row["lang"],
            dt.datetime.fromisoformat(row["anchor"]),
            row["zone"],
            tuple(Span(**one) for one in row["want"]),
        )
        for row in _rows(f"times_{half}.jsonl")
    )


def _rows(name: str) -> Iterator[dict[str, Any]]:
    text = resources.files("memtree.tools.bench").joinpath(name).read_text(encoding="utf-8")
    return (json.loads(line) for line in text.splitlines())
