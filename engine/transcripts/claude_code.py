"""Claude Code's transcripts: `~/.claude/projects/<folder>/<session>.jsonl`, a tree of lines.

A turn begins with what a person typed and ends before the next. What the program itself says to the agent (the end of a background
task, a command's output, a summary) begins no turn: nobody asked it, but the person reads the answer, so the answer belongs to the
turn that it follows. An answer before the first prompt belongs to none.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memtree.engine.transcripts.chain import Link, living
from memtree.engine.transcripts.lines import Lines, Value
from memtree.engine.transcripts.reading import (
    CLAUDE_CODE,
    OpenTurn,
    Result,
    Transcript,
    bounded,
    id_of,
    money_of,
    object_of,
    objects_of,
    text_in,
    text_of,
    time_of,
)
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.redactor import Json

# Nobody types these: the program puts them where a prompt would stand.
_MACHINE = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "[Request interrupted",
)
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_LINKED = b'"parentUuid"'
_NO_MODEL = "<synthetic>"
_ERROR_TAGS = re.compile(r"\A<tool_use_error>(.*)</tool_use_error>\Z", re.DOTALL)


class _Key(NamedTuple):
    """What a line is known by: its own session and uuid, or those of the line that it is a copy of."""

    session: str
    uuid: str


class _Prompt(NamedTuple):
    key: _Key
    text: str
    time: int | None


class _Call(NamedTuple):
    id: str
    name: str
    input: Json


class _Answer(NamedTuple):
    key: _Key
    message: str
    parts: tuple[str | _Call, ...]
    model: str
    cost: float | None


class _Results(NamedTuple):
    key: _Key
    results: tuple[tuple[str, Result], ...]


_Said = _Prompt | _Answer | _Results | None


@dataclass(slots=True)
class _Talk:
    """What is kept of a file: a link for each line of the tree, and what it said where it said something."""

    links: list[Link] = field(default_factory=list)
    said: list[_Said] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    sessions: Counter[str] = field(default_factory=Counter)
    cwd: str = ""
    last_session: str = ""


def read_claude(path: str | os.PathLike[str]) -> Transcript:
    """The turns of a transcript, those before a compaction too, without sub-agents and without what was taken back by going back.

    Raise UnreadableTranscript. A turn whose lines were copied from another session (by forking it) names that session and the ids
    that it has there, so that it is known as the same turn.
    """
    name = os.fspath(path)
    stem = text_of(os.path.splitext(os.path.basename(name))[0])
    lines = Lines(name, lambda line: _LINKED in line)
    talk = _Talk(last_session=stem)
    for _, value in lines:
        _take(talk, value)
    # The file is named after its session; a copy of it under another name is not.
    session = stem if stem in talk.sessions or not talk.sessions else talk.sessions.most_common(1)[0][0]
    return Transcript(session, talk.cwd, tuple(_turns(talk)), lines.problems, lines.complete)


def _take(talk: _Talk, value: Value) -> None:
    uuid = id_of(value.get("uuid"))
    if not uuid or "parentUuid" not in value or _is_sidechain(value) or uuid in talk.known:
        return  # a line that was written again says nothing new
    talk.known.add(uuid)
    session = id_of(value.get("sessionId"))
    if session:
        talk.sessions[session] += 1
        talk.last_session = session
    talk.cwd = talk.cwd or text_of(value.get("cwd"))
    anew = value.get("subtype") == "compact_boundary" or value.get("isCompactSummary") is True
    origin = object_of(value.get("forkedFrom"))
    key = _Key(id_of(origin.get("sessionId")) or talk.last_session, id_of(origin.get("messageUuid")) or uuid)
    said = _said(value, key)
    talk.said.append(said)
    meta = value.get("isMeta") is True
    # A command that a person gave begins no turn, but it can be taken back as a prompt can.
    follows = not isinstance(said, _Prompt) and (value.get("type") != "user" or meta or isinstance(said, _Results))
    talk.links.append(Link(uuid, id_of(value.get("parentUuid")), anew, not meta, follows))


def _is_sidechain(value: Value) -> bool:
    sidechain = value.get("isSidechain")
    return sidechain is True or (sidechain is not False and bool(id_of(value.get("agentId"))))


def _said(value: Value, key: _Key) -> _Said:
    message = object_of(value.get("message"))
    match value.get("type"):
        case "user":
            results = tuple(_results(message.get("content")))
            if results:
                return _Results(key, results)
            return _prompt(key, text_in(message.get("content")), value) if _is_typed(value) else None
        case "assistant":
            return _answer(message, value, key)
        case "attachment":
            return _queued(value, key)
    return None


def _is_typed(value: Value) -> bool:
    """Whether a person can have typed it, by what the line says of itself."""
    kind = object_of(value.get("origin")).get("kind")
    return (
        not any(value.get(mark) is True for mark in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
        and (not isinstance(kind, str) or kind == "human")
        and value.get("promptSource") != "system"
    )


def _prompt(key: _Key, text: str, value: Value) -> _Prompt | None:
    text = _without_reminders(text).strip("\n")
    if not text.strip() or text.lstrip().startswith(_MACHINE):
        return None
    return _Prompt(key, text, time_of(value.get("timestamp")))


def _queued(value: Value, key: _Key) -> _Prompt | None:
    """What a person typed while the agent was at work: the one kind of attachment that is not put there by a program."""
    command = object_of(value.get("attachment"))
    if command.get("type") != "queued_command" or command.get("commandMode", "prompt") != "prompt" or not _is_typed(command):
        return None
    return _prompt(key, text_in(command.get("prompt")), value)


def _without_reminders(text: str) -> str:
    kept, at = [], 0
    while (start := text.find(_REMINDER, at)) >= 0 and (end := text.find(_REMINDER_END, start)) >= 0:
        kept.append(text[at:start])
        at = end + len(_REMINDER_END)
    return "".join(kept) + text[at:] if kept else text


def _results(content: object) -> Iterator[tuple[str, Result]]:
    for block in objects_of(content):
        if block.get("type") == "tool_result":
            failed = block.get("is_error") is True
            yield id_of(block.get("tool_use_id")), Result(failed, _first_text(block.get("content")) if failed else "")


def _first_text(content: object) -> str:
    blocks = objects_of(content)
    text = content if isinstance(content, str) else next((found for one in blocks if (found := text_of(one.get("text")))), "")
    tagged = _ERROR_TAGS.match(text)
    return str(bounded(tagged[1] if tagged else text))


def _answer(message: Value, value: Value, key: _Key) -> _Answer | None:
    # What the program says when no model answered is no answer.
    if value.get("isApiErrorMessage") is True or message.get("model") == _NO_MODEL:
        return None
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
    parts: list[str | _Call] = []
    for block in blocks:
        if block.get("type") == "text":
            parts.append(text_of(block.get("text")))
        elif block.get("type") == "tool_use":
            parts.append(_Call(id_of(block.get("id")), text_of(block.get("name")), bounded(block.get("input"))))
    return _Answer(key, id_of(message.get("id")), tuple(parts), text_of(message.get("model")), money_of(value.get("costUSD")))


def _turns(talk: _Talk) -> Iterator[AgentTurn]:
    turn: OpenTurn | None = None
    paid: set[str] = set()
    calls: dict[str, OpenTurn] = {}
    turns: list[OpenTurn] = []
    for place in sorted(living(talk.links)):
        said = talk.said[place]
        if isinstance(said, _Prompt):
            turn = OpenTurn(said.key.session, said.key.uuid, said.key.uuid, said.text, said.time, CLAUDE_CODE)
            turns.append(turn)
        elif isinstance(said, _Answer) and turn is not None:
            _add(turn, said, paid, calls)
        elif isinstance(said, _Results):
            for id, result in said.results:  # noqa: A001
                if id in calls:
                    calls[id].answered(id, result, said.key.uuid)
    return (one.closed() for one in turns)


def _add(turn: OpenTurn, answer: _Answer, paid: set[str], calls: dict[str, OpenTurn]) -> None:
    for part in answer.parts:
        if isinstance(part, str):
            turn.say(part, answer.key.uuid)
        else:
            turn.call(part.id, part.name, part.input, answer.key.uuid)
            calls[part.id] = turn
    turn.model = answer.model or turn.model
    # Every line of a message repeats what the whole message cost.
    if not answer.message or answer.message not in paid:
        turn.pay(answer.cost)
        paid.add(answer.message)
