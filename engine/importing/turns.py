"""Turns: who said what, when and in which conversation, from one line of a chat export. Every program names these differently."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memtree.engine.importing.encoding import cleaned, moment, one_line

_WHO = ("speaker", "name", "author", "sender", "from", "user", "username", "role")
_TEXT = ("content", "text", "message", "body", "value", "parts")
_TIME = ("timestamp", "time", "created_at", "createdAt", "create_time", "sent_at", "date", "ts")
_CONVERSATION = (
    "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "chatId",
    "conversation", "session", "thread", "chat", "channel",
)  # fmt: skip
_TITLE = ("title", "conversation_title", "subject")
_MANY = ("messages", "turns", "conversations", "conversation")
_DEEP = 6


@dataclass(frozen=True, slots=True)
class Turn:
    """`conversation` is '' when the line names none."""

    who: str
    text: str
    time: str
    conversation: str
    title: str = ""

    def render(self) -> str:
        """The turn as markdown. Not a heading: search would cut the conversation into single turns there."""
        when = f" ({self.time})" if self.time else ""
        return f"**{self.who}**{when}\n\n{self.text}\n"


class BadLine(ValueError):
    """A line that is no JSON object."""


def parse_line(line: bytes) -> tuple[Turn, ...]:
    """The turns of a line; none when it holds no text (an export's own records). Raise BadLine."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadLine from error
    if not isinstance(value, Mapping):
        raise BadLine
    many = next((value[key] for key in _MANY if isinstance(value.get(key), list)), None)
    if many is None:
        return tuple(_turn(value, {}))
    inner = [turn for item in many if isinstance(item, Mapping) for turn in _turn(item, value)]
    if not inner or inner[0].conversation:
        return tuple(inner)
    # A line that is a whole conversation and has no name: named from how it began, which stays when it grows.
    name = _scalar(value.get("id")) or hashlib.sha256(inner[0].render().encode()).hexdigest()[:16]
    return tuple(Turn(turn.who, turn.text, turn.time, name, turn.title) for turn in inner)


def _turn(value: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Turn]:
    nested: Mapping[str, Any] = next((value[key] for key in ("message", "msg", "data") if isinstance(value.get(key), Mapping)), {})
    layers: tuple[Mapping[str, Any], ...] = (nested, value)
    text = next((found for layer in layers for key in _TEXT if (found := _text(layer.get(key)))), "")
    if text:
        yield Turn(
            who=_first(layers, _WHO) or "unknown",
            text=text,
            time=next((found for layer in (value, nested) for key in _TIME if (found := moment(layer.get(key)))), ""),
            conversation=_first((value, nested, outer), _CONVERSATION),
            title=_first((value, outer), _TITLE),
        )


def _first(layers: tuple[Mapping[str, Any], ...], keys: tuple[str, ...]) -> str:
    return next((found for layer in layers for key in keys if (found := _scalar(layer.get(key)))), "")


def _scalar(value: object) -> str:
    """A name or an id: a text, a number, or an object that has one."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("name", "id", "role", "username") if value.get(key)), "")
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        try:
            return one_line(str(value), 200)
        except ValueError:  # a number of more digits than Python prints
            return ""
    return ""


def _text(value: object, deep: int = 0) -> str:
    """A content's text; what is no text (an image, the call of a tool) is only named."""
    if isinstance(value, str):
        return cleaned(value).strip()
    if deep > _DEEP:
        return ""
    if isinstance(value, list):
        return "\n\n".join(filter(None, (_text(item, deep + 1) for item in value)))
    if isinstance(value, Mapping):
        found = next((text for key in ("text", "content", "parts", "value") if (text := _text(value.get(key), deep + 1))), "")
        kind = _scalar(value.get("type"))
        return found or (f"[{kind} {_scalar(value.get('name'))}".rstrip() + "]" if kind and deep else "")
    return ""
