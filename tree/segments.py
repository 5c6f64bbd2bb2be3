"""Segments: the stretches of a conversation that are closed one by one, each with a recap of its own.

A turn is what the user said with everything until they speak again. Turns are told by their numbers, never by windows of time: two
machines that hold the same files cut the same segments. Of four checks, cheap to dear, the first that holds begins a new segment.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.agent_turn import USER
from memtree.tree.topic_markers import DEFAULT_MARKERS, marker_in

_ID = 24  # hex digits


class Reason(enum.StrEnum):
    """Why a segment ended."""

    TURN_COUNT = "turn_count_exceeded"
    TIME_GAP = "time_gap"
    MARKER = "explicit_marker"
    DRIFT = "embedding_drift"
    SESSION_END = "session_end"


class Message(NamedTuple):
    """One message: its number in the session, who spoke, what was said, and when (UTC epoch milliseconds, None: unknown)."""

    seq: int
    role: str
    text: str
    timestamp: int | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A turn: what the user said and what followed. `messages` are never none."""

    messages: tuple[Message, ...]

    @property
    def first(self) -> int:
        return self.messages[0].seq

    @property
    def last(self) -> int:
        return self.messages[-1].seq

    @property
    def asked(self) -> str:
        """What the user said, '' where the answer stands alone."""
        return "\n\n".join(message.text for message in self.messages if message.role == USER)

    @property
    def began(self) -> int | None:
        return next((message.timestamp for message in self.messages if message.timestamp is not None), None)

    @property
    def ended(self) -> int | None:
        return next((message.timestamp for message in reversed(self.messages) if message.timestamp is not None), None)


@dataclass(frozen=True, slots=True)
class Segment:
    """A closed stretch of a session."""

    session: str
    turns: tuple[Exchange, ...]
    reason: Reason

    @property
    def id(self) -> str:
        return segment_id(self.session, self.first)

    @property
    def first(self) -> int:
        return self.turns[0].first

    @property
    def last(self) -> int:
        return self.turns[-1].last

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(message for turn in self.turns for message in turn.messages)

    @property
    def began(self) -> int | None:
        return next((turn.began for turn in self.turns if turn.began is not None), None)

    @property
    def ended(self) -> int | None:
        return next((turn.ended for turn in reversed(self.turns) if turn.ended is not None), None)


@dataclass(frozen=True, slots=True)
class Limits:
    """When a segment ends. `max_gap` is in seconds, `min_cosine` in [-1, 1]: below it the user speaks of something else."""

    max_turns: int = 20
    max_gap: float = 600.0
    min_cosine: float = 0.4
    markers: tuple[str, ...] = DEFAULT_MARKERS


# How near what the user says now is to what they said before, as a cosine; None where that cannot be told.
Nearness = Callable[[Sequence[Exchange], Exchange], float | None]


def segment_id(session: str, first: int) -> str:
    """The id of the segment that begins with a session's message of that number: the same on every machine."""
    return "seg-" + hashlib.sha256(f"{session}\0{first}".encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The turns of messages in their order. What an agent says before the user ever spoke is a turn of its own.

    Messages of one number, which two machines gave, are in one turn: no segment ends between them.
    """
    found: list[list[Message]] = []
    for message in messages:
        if not found or (message.role == USER and message.seq > found[-1][-1].seq):
            found.append([])
        found[-1].append(message)
    return [Exchange(tuple(turn)) for turn in found]


def cut(
    session: str, turns: Sequence[Exchange], limits: Limits, nearness: Nearness, *, whole: bool = False
) -> tuple[list[Segment], tuple[Exchange, ...]]:
    """The segments that have ended, and the turns of the open one; `whole`: the session is over, and nothing stays open."""
    closed: list[Segment] = []
    held: list[Exchange] = []
    for turn in turns:
        reason = boundary(held, turn, limits, nearness) if held else None
        if reason is not None:
            closed.append(Segment(session, tuple(held), reason))
            held = []
        held.append(turn)
    if whole and held:
        closed.append(Segment(session, tuple(held), Reason.SESSION_END))
        held = []
    return closed, tuple(held)


def boundary(held: Sequence[Exchange], turn: Exchange, limits: Limits, nearness: Nearness) -> Reason | None:
    """Why a turn begins a new segment after those that are held; None when it goes on with them."""
    if len(held) >= limits.max_turns:
        return Reason.TURN_COUNT
    before, now = held[-1].ended, turn.began
    if before is not None and now is not None and now - before > limits.max_gap * 1000:
        return Reason.TIME_GAP
    if marker_in(turn.asked, limits.markers):
        return Reason.MARKER
    near = nearness(held, turn)
    return Reason.DRIFT if near is not None and near < limits.min_cosine else None
