"""Conversations for benchmarks: transcripts as Claude Code writes them, of sessions of fifty turns, the same for the same seed."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator
from itertools import accumulate, groupby
from random import Random

from memtree.tools.bench.vocabulary import vocabulary
from memtree.tree.agent_turn import AgentTurn, ToolCall

TURNS = 50  # of a session
_ASKED, _ANSWERED = 30, 90  # words
_START = dt.datetime(2025, 1, 1, 8, tzinfo=dt.UTC)


def turns(count: int, seed: int) -> Iterator[AgentTurn]:
    """`count` turns, session after session."""
    random, english = Random(seed), vocabulary()
    weights = list(accumulate(1.0 / rank for rank in range(1, len(english) + 1)))
    for number in range(count):
        session = f"{seed:08x}-0000-4000-8000-{number // TURNS:012d}"
        asked = " ".join(random.choices(english, cum_weights=weights, k=_ASKED))
        answered = " ".join(random.choices(english, cum_weights=weights, k=_ANSWERED))
        time = _START + dt.timedelta(minutes=7 * number)
        call = ToolCall(
            "Bash", {"command": f"grep -rn {english[number % len(english)]} src"}, failed=number % 20 == 0, error="exit 2"
        )
        yield AgentTurn(
            session=session,
            user=f"{asked.capitalize()}?",
            assistant=f"{answered.capitalize()}.",
            timestamp=int(time.timestamp() * 1000),
            uuid=f"{seed:08x}-0000-4000-9000-{number:012d}",
            prompt_uuid=f"{seed:08x}-0000-4000-a000-{number:012d}",
            tool_calls=(call,) if number % 3 == 0 else (),
            model="claude-made-1",
            source="claude-code",
        )


def write_transcripts(home: str, count: int, seed: int) -> int:
    """Write the turns below `home` as Claude Code does; return how many transcripts they fill."""
    folder = os.path.join(home, "projects", "-w-demo")
    os.makedirs(folder)
    transcripts = 0
    for session, of_session in groupby(turns(count, seed), key=lambda turn: turn.session):
        parent: str | None = None
        with open(os.path.join(folder, f"{session}.jsonl"), "w", encoding="utf-8") as file:
            for turn in of_session:
                file.writelines(json.dumps(line) + "\n" for line in _lines(turn, parent))
                parent = turn.uuid
        transcripts += 1
    return transcripts


def _lines(turn: AgentTurn, parent: str | None) -> Iterator[dict[str, object]]:
    """A prompt, the calls of tools with their results, the answer."""
    assert turn.timestamp is not None
    moment = dt.datetime.fromtimestamp(turn.timestamp / 1000, dt.UTC)

    def line(kind: str, uuid: str, above: str | None, content: object, **fields: object) -> dict[str, object]:
        nonlocal moment
        moment += dt.timedelta(seconds=1)
        message = {"role": kind, "content": content, **fields}
        own = {"type": kind, "uuid": uuid, "parentUuid": above, "isSidechain": False, "sessionId": turn.session, "cwd": "/w/demo"}
        return {**own, "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}.000Z", "version": "2.1.0", "message": message}

    yield line("user", turn.prompt_uuid, parent, turn.user)
    last = turn.prompt_uuid
    for at, call in enumerate(turn.tool_calls):
        asked, answered, id_ = f"{turn.uuid}-{at}a", f"{turn.uuid}-{at}b", f"toolu_{turn.uuid[-12:]}{at}"
        block = {"type": "tool_use", "id": id_, "name": call.name, "input": call.input}
        result = {"type": "tool_result", "tool_use_id": id_, "content": call.error, "is_error": call.failed}
        yield line("assistant", asked, last, [block], id=f"msg_{asked}", model=turn.model)
        yield line("user", answered, asked, [result])
        last = answered
    yield line("assistant", turn.uuid, last, [{"type": "text", "text": turn.assistant}], id=f"msg_{turn.uuid}", model=turn.model)
