"""Codex's transcripts: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`, lines in the order of what happened.

What a person typed is a message of the role `user` whose parts are named `user.text`; the same role carries what the program tells
the agent of its surroundings. Older versions do not name the parts: there the text's beginning tells them apart. Still older ones
have no messages at all, only the events that were shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from memtree.engine.transcripts.codex_tools import call_in, failure_in, result_in
from memtree.engine.transcripts.lines import Lines, Value
from memtree.engine.transcripts.reading import (
    CODEX,
    OpenTurn,
    Result,
    Transcript,
    id_of,
    object_of,
    objects_of,
    text_in,
    text_of,
    time_of,
)

_TIMED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")  # a UUID of version 7
_NAME = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)")
# Lines that repeat whole conversations for the program itself, and can be tells from their first bytes.
_UNWANTED = re.compile(rb'"type"\s*:\s*"(?:compacted|world_state|token_usage_record)"')
_HEAD = 200
_ITEMS = ("message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call")
_MACHINE = (
    "<environment_context>",
    "# AGENTS.md",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<hook_prompt",
    "<skill>",
)
# What an editor's extension puts before what was typed there.
_EDITOR, _ASKED = "# Context from my IDE setup:", "## My request for Codex:"
_NOT_A_PERSONS = ("subagent", "thread_spawn", "internal")


@dataclass(slots=True)
class _Talk:
    """The turns so far. `id` is the program's own id of the running turn, '' where it gives none."""

    session: str
    sessions: set[str] = field(default_factory=set)  # this one and those that it was copied from
    turns: list[OpenTurn] = field(default_factory=list)
    owns: list[str] = field(default_factory=list)  # for each turn the program's turn that it is part of
    calls: dict[str, OpenTurn] = field(default_factory=dict)
    failed: dict[str, Result] = field(default_factory=dict)  # by their calls' ids; the output comes after that
    id: str = ""
    model: str = ""

    def ask(self, text: str, time: int | None, number: int) -> None:
        """Begin a turn. A second prompt within one of the program's turns has the number of its line in its key."""
        own = self.id or f"{self.session}:{number}"
        key = f"{own}:{number}" if own in self.owns[-1:] else own
        self.turns.append(OpenTurn(self._owner(), key, key, text, time, CODEX, model=self.model))
        self.owns.append(own)

    def take_back(self, count: object) -> None:
        """A person went back: the program's last turns are no part of the conversation any more."""
        if isinstance(count, int) and not isinstance(count, bool) and count > 0:
            gone = set(list(dict.fromkeys(reversed(self.owns)))[:count])
            while self.owns and self.owns[-1] in gone:
                self.owns.pop()
                self.turns.pop()

    def _owner(self) -> str:
        """The session whose turn the running one is: ids of this form sort by time, and a copied turn is older than its copy."""
        if not _TIMED.fullmatch(self.id):
            return self.session
        before = [one for one in self.sessions if _TIMED.fullmatch(one) and one <= self.id]
        return max(before, default=self.session)


def _next(turn: OpenTurn) -> str:
    """The id of what is added to a turn: never the turn's own, or more of an answer would pass for known."""
    return f"{turn.prompt}:{turn.added + 1}"


@dataclass(slots=True)
class _File:
    items: _Talk
    events: _Talk | None
    cwd: str = ""
    begun: bool = False  # its own first line was seen
    ours: bool = True


def read_codex(path: str | os.PathLike[str]) -> Transcript:
    """The turns of a rollout; none for a sub-agent's, nor for that of the agent which keeps Codex's own memory.

    Raise UnreadableTranscript. A turn's key is the id that Codex gives it, which its hooks name too, or else the session with the
    number of the line. A turn that was copied from another session (by forking it) names that session.
    """
    name = os.fspath(path)
    stem = text_of(os.path.splitext(os.path.basename(name))[0])
    named = _NAME.fullmatch(stem)
    session = named[1] if named else stem
    lines = Lines(name, lambda line: not _UNWANTED.search(line, 0, _HEAD))
    file = _File(_Talk(session), _Talk(session))
    for number, value in lines:
        _take(file, number, value)
    talk = file.items if file.events is None else file.events
    turns = tuple(turn.closed() for turn in talk.turns) if file.ours and not _is_memory_agent(file.cwd) else ()
    return Transcript(talk.session, file.cwd, turns, lines.problems, lines.complete)


def _take(file: _File, number: int, value: Value) -> None:
    kind, payload = value.get("type"), object_of(value.get("payload"))
    if "payload" not in value:
        # The first versions wrote the bare items below a line that is the session's.
        kind, payload = ("response_item" if kind in _ITEMS else "session_meta" if "type" not in value else kind), value
    time = time_of(value.get("timestamp"))
    match kind:
        case "session_meta":
            _begin(file, payload)
        case "turn_context":
            for talk in _talks(file):
                talk.id = id_of(payload.get("turn_id")) or talk.id
                talk.model = text_of(payload.get("model")) or talk.model
            file.cwd = file.cwd or text_of(payload.get("cwd"))
        case "response_item":
            _item(file, number, payload, time)
        case "event_msg":
            _event(file, number, payload, time)


def _talks(file: _File) -> Iterator[_Talk]:
    yield file.items
    if file.events is not None:
        yield file.events


def _begin(file: _File, payload: Value) -> None:
    session = id_of(payload.get("id")) or id_of(payload.get("session_id"))
    if not session:
        return
    for talk in _talks(file):
        talk.sessions.update(filter(None, (session, id_of(payload.get("forked_from_id")))))
        talk.session = talk.session if file.begun else session
    if file.begun:  # a copy repeats the line of what it was copied from
        return
    file.begun = True
    file.cwd = text_of(payload.get("cwd"))
    origin = payload.get("source")
    named = isinstance(origin, dict) and any(name in origin for name in _NOT_A_PERSONS)
    file.ours = not named and payload.get("thread_source") != "subagent"


def _is_memory_agent(cwd: str) -> bool:
    return "/.codex/memories" in cwd.replace("\\", "/")


def _item(file: _File, number: int, payload: Value, time: int | None) -> None:
    talk = file.items
    if payload.get("type") == "message":
        _message(talk, number, payload, time)
        if talk.turns:
            file.events = None  # what was shown repeats what was said
        return
    place = id_of(payload.get("call_id"))
    if (result := result_in(payload)) is not None:
        failure = talk.failed.pop(place, result)
        if place in talk.calls:
            talk.calls[place].answered(place, result if result.failed else failure, _next(talk.calls[place]))
    elif talk.turns and (call := call_in(payload)) is not None:
        turn = talk.turns[-1]
        turn.call(place, *call, _next(turn))
        turn.model = talk.model or turn.model
        talk.calls[place] = turn


def _message(talk: _Talk, number: int, payload: Value, time: int | None) -> None:
    if payload.get("role") == "user":
        passed = object_of(payload.get("internal_chat_message_metadata_passthrough"))
        text = _typed(payload.get("content"), passed.get("content_item_kinds"))
        if text.strip():
            talk.id = id_of(passed.get("turn_id")) or talk.id
            talk.ask(text, time, number)
    elif payload.get("role") == "assistant" and talk.turns:
        turn = talk.turns[-1]
        turn.say(text_in(payload.get("content"), "output_text"), _next(turn))
        turn.model = talk.model or turn.model


def _typed(content: object, kinds: object) -> str:
    """What a person typed in a message of the role `user`, '' for a message of the program's own."""
    if isinstance(kinds, list) and kinds:
        if "user.text" not in kinds:
            return ""
        blocks = objects_of(content)
        if len(blocks) == len(kinds):
            named = zip(blocks, kinds, strict=True)
            content = [one for one, kind in named if kind == "user.text" or one.get("type") == "input_image"]
        return text_in(content, "input_text").strip("\n")
    if isinstance(content, str):
        content = [{"type": "input_text", "text": content}]
    kept = [one for one in objects_of(content) if not text_of(one.get("text")).lstrip().startswith(_MACHINE)]
    return _asked(text_in(kept, "input_text")).strip("\n")


def _asked(text: str) -> str:
    return text.partition(_ASKED)[2] if text.startswith(_EDITOR) and _ASKED in text else text


def _event(file: _File, number: int, payload: Value, time: int | None) -> None:
    kind = payload.get("type")
    for talk in _talks(file):
        match kind:
            case "task_started" | "turn_started":
                talk.id = id_of(payload.get("turn_id"))
            case "task_complete" | "turn_complete" | "turn_aborted":
                talk.id = ""
            case "thread_rolled_back":
                talk.take_back(payload.get("num_turns"))
            case "item_completed" if (failure := failure_in(object_of(payload.get("item")))) is not None:
                talk.failed[failure[0]] = failure[1]
    shown, text = file.events, text_of(payload.get("message"))
    if shown is None or not text.strip():
        return
    if kind == "user_message" and not text.lstrip().startswith(_MACHINE):
        shown.ask(_asked(text).strip("\n"), time, number)
    elif kind == "agent_message" and shown.turns:
        shown.turns[-1].say(text, _next(shown.turns[-1]))
