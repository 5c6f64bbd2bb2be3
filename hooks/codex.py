"""Codex's hooks and its `notify` program: its JSON as an event, and what it takes as an answer."""

from __future__ import annotations

import os
import re
from typing import Any

from memtree.hooks import claude_code
from memtree.hooks.events import AgentEvent, BadField, Ignored, Kind, Payload, by_machine, id_field, text_field

AGENT = "codex"
NOTIFY = "agent-turn-complete"
_OWN_MEMORY = re.compile(r"(?:\A|/)(?:\.codex/memories[^/]*|memories_v[0-9]+)(?:/|\Z)")


def read(payload: Payload) -> AgentEvent | Ignored:
    """The event, or why it is ignored: also when it is of the agent that keeps Codex's own memory."""
    if "hook_event_name" not in payload and isinstance(payload.get("type"), str):
        return _notified(payload)
    found = claude_code.read_shared(payload, AGENT, turn_key="turn_id")
    if isinstance(found, AgentEvent) and not found.transcript and _OWN_MEMORY.search(found.cwd):
        return Ignored("Codex's own memory agent", found.name, found.session)
    return found


def answer(event: AgentEvent, context: str) -> dict[str, Any]:
    """The object that puts a text before the model; one with any other key would be refused."""
    return claude_code.answer(event, context)


def _notified(payload: Payload) -> AgentEvent | Ignored:
    """A turn as `notify` tells it: no transcript is named, the user's words and the answer are there."""
    name, session = payload["type"], payload.get("thread-id")
    session = session if isinstance(session, str) else ""
    if name != NOTIFY:
        return Ignored("not an event for memory", name, session)
    try:
        words = payload.get("input-messages") or []
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise BadField("input-messages is no list of texts")
        return AgentEvent(
            Kind.TURN,
            AGENT,
            id_field(payload, "thread-id"),
            name,
            cwd=text_field(payload, "cwd"),
            prompt="\n\n".join(word for word in words if not by_machine(word)),
            last_message=text_field(payload, "last-assistant-message"),
            turn_id=text_field(payload, "turn-id"),
        )
    except BadField as error:
        return Ignored(str(error), name, session)


def find_rollout(home: str, session: str) -> str:
    """The file that Codex writes for a session, below its folder; '' when there is none or the id could not be in a name."""
    if not re.fullmatch(r"[0-9A-Za-z-]{8,64}", session):
        return ""
    import glob  # only a turn that names no file needs it

    found = glob.glob(os.path.join(glob.escape(home), "sessions", "*", "*", "*", f"rollout-*-{session}.jsonl"))
    return max(found, default="")
