"""Plain chat: chat completions in the form that the servers of open models understand, on the way there and back.

Their templates mostly want one system message at the beginning and then user and assistant in turn; what a client leaves otherwise
is put right. What nobody reads and clients insist on is filled in.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]

_COUNTS = ("prompt_tokens", "completion_tokens", "total_tokens")
_MOST = 10**12  # no answer has more tokens


def plain_request(body: dict[str, Any]) -> dict[str, Any]:
    """A request whose system messages stand at the beginning, as one, and in which nobody speaks twice in a row as a user."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return body
    found: list[Message] = []
    for message in messages:
        if found and message.get("role") == "system" and any(one["role"] != "system" for one in found):
            message = {**message, "role": "user"}
        last = found[-1] if found else {}
        if message.get("role") in ("system", "user") and last.get("role") == message["role"] and _texts(last, message):
            found[-1] = {**last, "content": f"{last['content']}\n\n{message['content']}"}
        else:
            found.append(message)
    return {**body, "messages": found}


def _texts(*messages: Message) -> bool:
    return all(isinstance(message.get("content"), str) for message in messages)


def full_answer(found: dict[str, Any], model: str) -> dict[str, Any]:
    """An answer with the fields that every client insists on. Counts that are none are left out, calls told apart by ids."""
    choices = found.get("choices")
    if not isinstance(choices, Sequence):
        return found
    made = {"id": "", "object": "chat.completion", "created": 0, "model": model} | found
    if not _counts(made.get("usage")):
        made.pop("usage", None)
    return made | {"choices": [_whole(one) for one in choices]}


def _counts(usage: Any) -> bool:
    numbers = [usage.get(name, 0) for name in _COUNTS] if isinstance(usage, dict) else [None]
    return all(type(number) is int and 0 <= number <= _MOST for number in numbers)


def _whole(choice: Any) -> Any:
    """A choice whose calls of tools each have an id of their own, and their arguments as a text."""
    message = choice.get("message") if isinstance(choice, dict) else None
    given = message.get("tool_calls") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(given, list):
        return choice
    calls: list[dict[str, Any]] = [call for call in given if isinstance(call, dict) and isinstance(call.get("function"), dict)]
    if len(calls) < len(given):
        return choice
    ids = [call.get("id") for call in calls]
    apart = all(isinstance(one, str) and one for one in ids) and len(set(ids)) == len(ids)
    whole = [
        {**call, "id": call["id"] if apart else f"call-{number}", "type": "function", "function": _with_text(call["function"])}
        for number, call in enumerate(calls, 1)
    ]
    return {**choice, "message": {**message, "tool_calls": whole}}


def _with_text(function: dict[str, Any]) -> dict[str, Any]:
    arguments = function.get("arguments")
    return {**function, "arguments": json.dumps(arguments)} if isinstance(arguments, dict) else function
