"""Delivery: which turns an event brings, from its transcript or from what it said itself. Nothing is read or written here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memtree.hooks.events import Kind
from memtree.hooks.outbox import Entry
from memtree.tree.agent_turn import AgentTurn, ToolCall
from memtree.tree.context_fence import without_fenced
from memtree.tree.moments import epoch_ms
from memtree.tree.redactor import Redactor


def is_late(entry: Entry, turns: Sequence[AgentTurn], redactor: Redactor) -> bool:
    """Whether a transcript lacks yet what the event says was answered: programs write it a moment later."""
    if entry.event.kind is not Kind.TURN:
        return False
    return not turns or not _answers(turns[-1]) or not _said(entry.event.last_message, turns, redactor)


def from_transcript(entry: Entry, turns: Sequence[AgentTurn], redactor: Redactor) -> list[AgentTurn]:
    """The turns to record: all that the transcript has, with the answer that it lacks still.

    A prompt without an answer waits for it, unless the session is over.
    """
    found = list(turns)
    last = entry.event.last_message
    if last.strip() and not _said(last, turns, redactor):
        asked = [at for at, turn in enumerate(found) if turn.timestamp is None or turn.timestamp <= entry.time]
        if asked:
            found[asked[-1]] = _with_answer(found[asked[-1]], last)
    if found and not _answers(found[-1]) and entry.event.kind is not Kind.SESSION_END:
        found.pop()
    return found


def from_event(entry: Entry) -> AgentTurn | None:
    """The turn that an event says itself, for an agent without a transcript; None when it says none. Raise BadMoment.

    A prompt and its answer come as two events of one turn.
    """
    event = entry.event
    if event.turn is not None:
        return turn_of(event.turn, event.session, source=event.agent, default_id=entry.id, default_time=entry.time)
    if not event.prompt.strip() and not event.last_message.strip():
        return None
    key = event.turn_id or entry.id
    turn = AgentTurn(event.session, event.prompt, "", entry.time, prompt_uuid=key, source=event.agent)
    return replace(turn, assistant=event.last_message, uuid=f"{key}:answer") if event.kind is Kind.TURN else turn


def turn_of(
    turn: Mapping[str, Any], session: str, *, source: str, default_id: str = "", default_time: int | None = None
) -> AgentTurn:
    """A turn as the generic schema describes it, as a value; raise BadMoment. It must keep to the schema."""
    time = epoch_ms(turn.get("timestamp"))
    return AgentTurn(
        session,
        turn.get("user", ""),
        turn.get("assistant", ""),
        default_time if time is None else time,
        turn.get("uuid", "") or default_id,
        tool_calls=tuple(
            ToolCall(call["name"], call.get("input"), call.get("failed", False), call.get("error", ""))
            for call in turn.get("tool_calls", [])
        ),
        model=turn.get("model", ""),
        cost=turn.get("cost"),
        source=source,
    )


def _answers(turn: AgentTurn) -> bool:
    return bool(turn.assistant.strip() or turn.tool_calls)


def _said(message: str, turns: Sequence[AgentTurn], redactor: Redactor) -> bool:
    """Whether one of the turns, as it will be stored, has a message that was redacted before."""
    wanted = "".join(message.split())
    return any(wanted in "".join(redactor.text(without_fenced(turn.assistant)).split()) for turn in reversed(turns))


def _with_answer(turn: AgentTurn, message: str) -> AgentTurn:
    # An id of its own: the transcript's own last line, when it comes, is then more of this turn and not known yet.
    mark = hashlib.sha256(message.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    answer = "\n\n".join(part for part in (turn.assistant.strip("\n"), message) if part)
    return replace(turn, assistant=answer, uuid=f"{turn.uuid}:{mark}")
