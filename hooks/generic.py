"""Hooks of any other agent: our own JSON for its events, published as a schema and checked by hand, for a hook must be quick."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from memtree.hooks.events import LONGEST_ID, AgentEvent, BadField, Ignored, Kind, Payload, by_machine

AGENT = "generic"

_TEXT = {"type": "string"}
_ID = {"type": "string", "pattern": r"\S", "maxLength": LONGEST_ID}
_CALL = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {**_TEXT, "description": "The tool."},
        "input": {"description": "What it was called with: any JSON value."},
        "failed": {"type": "boolean"},
        "error": {**_TEXT, "description": "What a call that failed said."},
    },
}
TURN: dict[str, Any] = {
    "type": "object",
    "description": "What the user asked and the agent answered; at least one of user, assistant and tool_calls says something.",
    "properties": {
        "user": _TEXT,
        "assistant": _TEXT,
        "uuid": {"type": "string", "maxLength": LONGEST_ID, "description": "The turn's id: one that is told twice is kept once."},
        "timestamp": {
            "type": ["number", "string", "null"],
            "description": "When the user spoke: seconds or milliseconds since 1970, or RFC 3339; now when it is missing.",
        },
        "model": _TEXT,
        "cost": {"type": ["number", "null"], "minimum": 0, "description": "In US dollars."},
        "tool_calls": {"type": "array", "items": _CALL},
    },
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "An event for memtree hook generic",
    "description": 'One object on standard input. The answer is {"context": TEXT} or nothing. Unknown keys are ignored.',
    "type": "object",
    "required": ["event", "session_id"],
    "properties": {
        "event": {
            "enum": [kind.value for kind in Kind],
            "description": "session_start and prompt are answered with what memory knows; turn is recorded; "
            "flush and session_end see to it that everything is.",
        },
        "session_id": {**_ID, "description": "The conversation."},
        "agent": {**_TEXT, "description": "The agent's name."},
        "prompt": {**_TEXT, "description": "What the user asks, for the event prompt."},
        "turn": TURN,
    },
    "allOf": [
        {"if": {"properties": {"event": {"const": "prompt"}}, "required": ["event"]}, "then": {"required": ["prompt"]}},
        {"if": {"properties": {"event": {"const": "turn"}}, "required": ["event"]}, "then": {"required": ["turn"]}},
    ],
}


def read(payload: Payload) -> AgentEvent | Ignored:
    """The event, or why it is ignored: its prompt is no person's words. Raise BadField: who wrote the caller should know."""
    event = parse(payload)
    if event.kind is Kind.PROMPT and by_machine(event.prompt):
        return Ignored("not a person's words", event.name, event.session)
    return event


def answer(event: AgentEvent, context: str) -> dict[str, Any]:  # noqa: ARG001 - one form for all agents
    """The object that hands a text to the agent."""
    return {"context": context}


def parse(payload: Payload) -> AgentEvent:
    """The event that the object describes; raise BadField where it does not keep to the schema."""
    for key, check in _EVENT.items():
        if key in payload:
            check(payload[key], key)
    for key in SCHEMA["required"]:
        if key not in payload:
            raise BadField(f"{key} is missing")
    kind = Kind(payload["event"])
    needed = {Kind.PROMPT: "prompt", Kind.TURN: "turn"}.get(kind)
    if needed is not None and needed not in payload:
        raise BadField(f"the event {kind.value} needs {needed}")
    turn = _checked(payload["turn"]) if kind is Kind.TURN else None
    return AgentEvent(
        kind,
        payload.get("agent", "") or AGENT,
        payload["session_id"],
        kind.value,
        prompt=payload["prompt"] if kind is Kind.PROMPT else "",
        turn=turn,
    )


def _checked(turn: dict[str, Any]) -> dict[str, Any]:
    """The turn with the keys that we know; raise BadField for what no schema can tell."""
    from memtree.tree.moments import BadMoment, epoch_ms

    try:
        epoch_ms(turn.get("timestamp"))
    except BadMoment as error:
        raise BadField(f"turn.timestamp: {error}") from error
    if not any((turn.get("user", "").strip(), turn.get("assistant", "").strip(), turn.get("tool_calls"))):
        raise BadField("the turn says nothing: it needs user, assistant or tool_calls")
    return {key: turn[key] for key in TURN["properties"] if key in turn}


def _event(value: object, where: str) -> None:
    if not isinstance(value, str) or value not in {kind.value for kind in Kind}:
        raise BadField(f"{where} must be one of {', '.join(kind.value for kind in Kind)}")


def _text(value: object, where: str) -> None:
    if not isinstance(value, str):
        raise BadField(f"{where} must be a text")


def _id(value: object, where: str) -> None:
    _text(value, where)
    if not str(value).strip():
        raise BadField(f"{where} is blank")
    _short(value, where)


def _short(value: object, where: str) -> None:
    _text(value, where)
    if len(str(value)) > LONGEST_ID:
        raise BadField(f"{where} is longer than {LONGEST_ID} characters")


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _time(value: object, where: str) -> None:
    if value is not None and not isinstance(value, str) and not _number(value):
        raise BadField(f"{where} must be a number or a text")


def _cost(value: object, where: str) -> None:
    if value is not None and not (_number(value) and isinstance(value, (int, float)) and value >= 0):
        raise BadField(f"{where} must be a number that is not below 0")


def _flag(value: object, where: str) -> None:
    if not isinstance(value, bool):
        raise BadField(f"{where} must be true or false")


def _calls(value: object, where: str) -> None:
    if not isinstance(value, list):
        raise BadField(f"{where} must be a list")
    for at, call in enumerate(value):
        place = f"{where}[{at}]"
        if not isinstance(call, dict):
            raise BadField(f"{place} must be an object")
        if "name" not in call:
            raise BadField(f"{place}.name is missing")
        _fields(call, _CALL_FIELDS, f"{place}.")


def _turn(value: object, where: str) -> None:
    if not isinstance(value, dict):
        raise BadField(f"{where} must be an object")
    _fields(value, _TURN_FIELDS, f"{where}.")


Check = Callable[[object, str], None]


def _fields(value: dict[str, Any], checks: dict[str, Check], before: str) -> None:
    for key, check in checks.items():
        if key in value:
            check(value[key], before + key)


_CALL_FIELDS: dict[str, Check] = {"name": _text, "failed": _flag, "error": _text}
_TURN_FIELDS: dict[str, Check] = {
    "user": _text,
    "assistant": _text,
    "uuid": _short,
    "timestamp": _time,
    "model": _text,
    "cost": _cost,
    "tool_calls": _calls,
}
_EVENT: dict[str, Check] = {"event": _event, "session_id": _id, "agent": _text, "prompt": _text, "turn": _turn}
