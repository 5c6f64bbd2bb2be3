"""AgentEvent: what an agent's program tells a hook, in one form for all programs; and reading payloads that may hold anything."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

Payload = Mapping[str, Any]

LONGEST_ID = 500  # characters
_ENOUGH = 10  # letters of a prompt that asks something
_COMMAND = re.compile(r"/[\w:-]+(?:\s|\Z)")
# What programs put in a user's place themselves.
_MACHINE = ("<task-notification>", "<command-", "<local-command-", "<bash-", "[Request interrupted")


class Kind(enum.Enum):
    """What happened. FLUSH: the agent is about to forget what was said; TURN: it has answered."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    TURN = "turn"
    FLUSH = "flush"
    SESSION_END = "session_end"


# Tuples: what it takes to make dataclasses costs a hook more than all it does.
class AgentEvent(NamedTuple):
    """One event. `name` is the agent's own word for it.

    `transcript` is the path of the file that the agent writes, '' for none. `turn_id` is the agent's id of the turn, '' for none.
    `last_message` is what the agent answered last. `turn` is a whole turn as the generic schema describes it.
    """

    kind: Kind
    agent: str
    session: str
    name: str = ""
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    last_message: str = ""
    turn_id: str = ""
    turn: dict[str, Any] | None = None


class Ignored(NamedTuple):
    """An event that is none of memory's business, and why."""

    reason: str
    name: str = ""
    session: str = ""


class BadField(ValueError):
    """A field that holds something of the wrong type."""


def text_field(payload: Payload, key: str) -> str:
    """A text, '' when it is missing or null; raise BadField for anything else."""
    value = payload.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadField(f"{key} is no text")
    return value


def id_field(payload: Payload, key: str) -> str:
    """An id; raise BadField when it is missing, blank, too long or no text."""
    value = text_field(payload, key)
    if not value.strip():
        raise BadField(f"{key} is missing")
    if len(value) > LONGEST_ID:
        raise BadField(f"{key} is longer than {LONGEST_ID} characters")
    return value


def by_machine(prompt: str) -> bool:
    """Whether a prompt is no person's words: a notice of the program, a command to it, nothing at all."""
    prompt = prompt.lstrip()
    return not prompt or prompt.startswith(_MACHINE) or _COMMAND.match(prompt) is not None


def asks_something(prompt: str) -> bool:
    """Whether a prompt says enough to look for: `yes` and `go on` do not, a few characters of Chinese do."""
    said = 0
    for letter in prompt:
        said += 0 if not letter.isalnum() else 1 if letter.isascii() else 3
        if said >= _ENOUGH:
            return True  # what is pasted below may be megabytes
    return False
