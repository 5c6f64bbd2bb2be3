"""OpenClaw's legacy transcripts: `agents/<agent>/sessions/<session>.jsonl`, a tree of entries below a line that names the session.

Read as well as it can be: newer versions keep their sessions in a database, which is not read. The program wakes the agent every
half hour with a prompt of its own; that prompt and its answer are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from memtree.engine.transcripts.chain import Link, living
from memtree.engine.transcripts.lines import Lines, Value
from memtree.engine.transcripts.reading import (
    OPENCLAW,
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

_MACHINE = "Read HEARTBEAT.md if it exists"
_CALLS = ("toolCall", "tool_use", "toolUse")


def read_openclaw(path: str | os.PathLike[str]) -> Transcript:
    """The turns of a session; raise UnreadableTranscript. Ids are unique within a session only, so each begins with it."""
    name = os.fspath(path)
    session, cwd = text_of(os.path.basename(name).split(".jsonl")[0]), ""
    lines = Lines(name, lambda _line: True)
    links: list[Link] = []
    known: set[str] = set()
    kept: list[tuple[Value, int | None] | None] = []
    for number, value in lines:
        if value.get("type") == "session":
            if not links:
                session, cwd = id_of(value.get("id")) or session, text_of(value.get("cwd"))
            continue
        place = id_of(value.get("id")) or f"#{number}"
        if place in known:
            continue
        known.add(place)
        before = id_of(value.get("parentId")) if "parentId" in value else (links[-1].id if links else "")
        links.append(Link(place, before))
        kept.append(_slim(value) if value.get("type") == "message" else None)
    alive = living(links)
    said = ((links[place].id, one) for place, one in enumerate(kept) if one is not None and place in alive)
    return Transcript(session, cwd, tuple(turn.closed() for turn in _turns(session, said)), lines.problems, lines.complete)


def _slim(value: Value) -> tuple[Value, int | None]:
    """A message without what no turn needs."""
    message = object_of(value.get("message"))
    time = time_of(value.get("timestamp"))
    slim: Value = {"role": message.get("role")}
    content = message.get("content")
    match slim["role"]:
        case "user":
            slim["text"] = text_in(content).strip("\n")
        case "assistant":
            slim["text"] = text_in(content)
            slim["calls"] = [
                (id_of(one.get("id")), text_of(one.get("name")), bounded(one.get("arguments", one.get("input"))))
                for one in objects_of(content)
                if one.get("type") in _CALLS
            ]
            slim["model"] = text_of(message.get("model"))
            slim["cost"] = money_of(object_of(object_of(message.get("usage")).get("cost")).get("total"))
        case "toolResult":
            failed = message.get("isError") is True
            slim["call"] = id_of(message.get("toolCallId"))
            slim["result"] = Result(failed, str(bounded(text_in(content))) if failed else "")
    return slim, time


def _turns(session: str, said: Iterator[tuple[str, tuple[Value, int | None]]]) -> list[OpenTurn]:
    turns: list[OpenTurn] = []
    turn: OpenTurn | None = None
    calls: dict[str, OpenTurn] = {}
    for place, (message, time) in said:
        key = f"{session}:{place}"
        match message["role"]:
            case "user" if message["text"].startswith(_MACHINE):
                turn = None
            case "user" if message["text"].strip():
                turn = OpenTurn(session, key, key, message["text"], time, OPENCLAW)
                turns.append(turn)
            case "assistant" if turn is not None:
                _answer(turn, message, key)
                calls.update((call[0], turn) for call in message["calls"])
            case "toolResult" if message["call"] in calls:
                calls[message["call"]].answered(message["call"], message["result"], key)
    return turns


def _answer(turn: OpenTurn, message: Value, key: str) -> None:
    turn.say(message["text"], key)
    for id, name, given in message["calls"]:  # noqa: A001
        turn.call(id, name, given, key)
    turn.model = message["model"] or turn.model
    turn.pay(message["cost"])
