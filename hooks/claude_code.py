"""Claude Code's hooks: its JSON as an event, and what it takes as an answer."""

from __future__ import annotations

from typing import Any

from memtree.hooks.events import AgentEvent, BadField, Ignored, Kind, Payload, by_machine, id_field, text_field

AGENT = "claude-code"
KINDS = {
    "SessionStart": Kind.SESSION_START,
    "UserPromptSubmit": Kind.PROMPT,
    "Stop": Kind.TURN,
    "PreCompact": Kind.FLUSH,
    "SessionEnd": Kind.SESSION_END,
}


def read(payload: Payload) -> AgentEvent | Ignored:
    """The event, or why it is ignored: unknown to us, a sub-agent's, a machine's words, of the wrong form."""
    return read_shared(payload, AGENT, turn_key="prompt_id")


def read_shared(payload: Payload, agent: str, turn_key: str) -> AgentEvent | Ignored:
    """What the programs that took over this form share; `turn_key` names the field with the turn's id."""
    name, session = payload.get("hook_event_name"), payload.get("session_id")
    name, session = name if isinstance(name, str) else "", session if isinstance(session, str) else ""
    kind = KINDS.get(name)
    if kind is None:
        return Ignored("not an event for memory", name, session)
    if payload.get("agent_id"):
        return Ignored("a sub-agent's", name, session)
    try:
        event = AgentEvent(
            kind,
            agent,
            id_field(payload, "session_id"),
            name,
            transcript=text_field(payload, "transcript_path"),
            cwd=text_field(payload, "cwd"),
            prompt=text_field(payload, "prompt") if kind is Kind.PROMPT else "",
            last_message=text_field(payload, "last_assistant_message") if kind is Kind.TURN else "",
            turn_id=text_field(payload, turn_key),
        )
    except BadField as error:
        return Ignored(str(error), name, session)
    if kind is Kind.PROMPT and by_machine(event.prompt):
        return Ignored("not a person's words", name, session)
    return event


def answer(event: AgentEvent, context: str) -> dict[str, Any]:
    """The object that puts a text before the model."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def warning(text: str) -> dict[str, Any]:
    """The object that puts a text before the person, not the model."""
    return {"systemMessage": text}
