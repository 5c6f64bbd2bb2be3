"""The tools that write: a note, an entry of MEMORY.md, a turn of a conversation. What they answer is what is on the disk then."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.engine.writers.memory_file import MEMORY, remember
from memtree.engine.writers.notes import store_note
from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import StoredAnswer, TurnAnswer, answered
from memtree.tools.mcp.keeping import Keeper
from memtree.tree.agent_turn import AgentTurn, ToolCall
from memtree.tree.document import Document

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

SOURCE = "mcp"


class CallArgument(BaseModel):
    """A call of a tool as a client tells it."""

    name: str
    input: Any = None
    failed: bool = False
    error: str = Field(default="", description="What a call that failed said")


def memory_store(keeper: Keeper, content: str, kind: str, title: str, section: str, tags: Sequence[str]) -> CallToolResult:
    text = arguments.needed("content", content, arguments.TEXT)
    named, heading = arguments.text("title", title), arguments.text("section", section)
    words = [arguments.text("tags", tag) for tag in tags]
    workspace = keeper.workspace()
    if kind == "note":
        note = store_note(workspace, text, title=named, source=SOURCE)
        fields = StoredAnswer(
            stored=True,
            path=note.path,
            start_line=1,
            end_line=note.lines,
            commit=note.commit.after,
            id="",
            title=note.title,
            notes=workspace.said(),
        )
        return answered(f"Stored as {note.path} in commit {(note.commit.after or '')[:12]}.", fields)
    if kind == "fact":
        return _fact(workspace, text, words)
    entry = remember(workspace, text, section=heading)
    fields = StoredAnswer(
        stored=entry.stored,
        path=MEMORY,
        start_line=entry.place.first,
        end_line=entry.place.last,
        commit=entry.commit.after,
        id=entry.place.id,
        title="",
        notes=workspace.said(),
    )
    if not entry.on_disk:
        fields.notes.append(
            f"{MEMORY} is held back (sync_status): the entry is committed, and comes to the file with its next commit"
        )
    where = f"{MEMORY}:{entry.place.first}"
    if not entry.stored:
        return answered(f"An entry that says the same is there already: {where}. Nothing was stored.", fields)
    return answered(f"Stored as {where} in commit {(entry.commit.after or '')[:12]}.", fields)


def _fact(workspace: Workspace, text: str, tags: Sequence[str]) -> CallToolResult:
    from memtree.engine.facts.managing import add_fact

    added = add_fact(workspace, text, pin=True, tags=tags, source=SOURCE)
    assert added.fact is not None
    data = added.fact.fact.render()
    first = data[: len(data) - len(Document.parse(data).body_bytes().lstrip(b"\n"))].count(b"\n") + 1
    fields = StoredAnswer(
        stored=added.commit.changed,
        path=added.fact.path,
        start_line=first,
        end_line=first + added.fact.fact.text.count("\n"),
        commit=added.commit.after,
        id=added.fact.fact.id,
        title="",
        notes=[*added.notes],
    )
    return answered(f"Pinned as the fact {added.fact.fact.id} in commit {(added.commit.after or '')[:12]}.", fields)


def record_turn(
    keeper: Keeper,
    session_id: str,
    user: str,
    assistant: str,
    uuid: str,
    timestamp: str | float | None,
    model: str,
    tool_calls: Sequence[CallArgument],
    cost: float | None,
) -> CallToolResult:
    turn = AgentTurn(
        session=arguments.needed("session_id", session_id),
        user=arguments.text("user", user, arguments.TEXT),
        assistant=arguments.text("assistant", assistant, arguments.TEXT),
        timestamp=arguments.milliseconds(timestamp),
        uuid=arguments.text("uuid", uuid),
        tool_calls=_calls(tool_calls),
        model=arguments.text("model", model),
        cost=cost,
        source=SOURCE,
    )
    report = keeper.workspace().record_turn(turn)
    fields = TurnAnswer(
        outcome=report.outcome.value, paths=list(report.paths), commit=report.commit.after, notes=list(report.notes)
    )
    where = f" as {', '.join(report.paths)}" if report.paths else ""
    return answered(f"The turn is {report.outcome.value}{where}.", fields)


def _calls(given: Sequence[CallArgument]) -> tuple[ToolCall, ...]:
    if len(given) > arguments.CALLS:
        raise arguments.UnfitArgument(
            f"tool_calls has {len(given):,} calls, more than {arguments.CALLS}", hint="send the ones that matter"
        )
    return tuple(_call(one) for one in given)


def _call(given: CallArgument) -> ToolCall:
    try:
        size = len(json.dumps(given.input))
    except (ValueError, RecursionError) as error:
        raise arguments.UnfitArgument("tool_calls holds an input that is no JSON", hint="send JSON values") from error
    if size > arguments.TEXT:
        raise arguments.UnfitArgument(f"tool_calls holds an input of {size:,} characters", hint="send a shorter one")
    error_text = arguments.text("tool_calls", given.error, arguments.TEXT)
    return ToolCall(arguments.text("tool_calls", given.name), given.input, given.failed, error_text)
