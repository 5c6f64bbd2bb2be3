"""The memory agent over MCP: a question with its answer, at once or in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import Retrieved, answered, iso
from memtree.tools.mcp.keeping import Keeper
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.agents.agent_tasks import TaskResult
    from memtree.engine.agents.answers import MemoryAnswer

_CONTEXT = 50_000  # characters


class CitedSource(BaseModel):
    """What a mark in the answer, such as [1], stands for: words that stand on these lines."""

    number: int
    path: str
    start_line: int
    end_line: int
    snippet: str
    commit: str
    time: str | None


class AgentAnswer(Retrieved):
    status: str = Field(
        description="completed, awaiting_user (ask again, with what it asks for as context), incomplete, running, or failed"
    )
    task_id: str = Field(description="For memory_agent_result, while the status is running")
    text: str = Field(description="The answer, with a mark such as [1] for each source")
    sources: list[CitedSource] = Field(default=[])
    found: bool = Field(default=False, description="Whether memory had anything to say")
    dropped: list[str] = Field(default=[], description="Citations that were taken out: they name what was not read")
    suggestions: list[str] = Field(default=[], description="What may be meant, with a question back")
    iterations: int = Field(default=0, description="Requests to a model")
    seconds: float = 0.0


def call_memory_agent(keeper: Keeper, query: str, context: str, max_turns: int | None, *, later: bool) -> CallToolResult:
    from memtree.engine.agents.memory_agent import Caller
    from memtree.engine.agents.memory_agent import call_memory_agent as call

    workspace = keeper.workspace()
    asked, besides = arguments.needed("query", query, arguments.QUERY), arguments.text("context", context, _CONTEXT)
    notes = keeper.fresh(workspace)
    if later:
        from memtree.engine.agents.agent_tasks import start

        task = start(
            workspace,
            asked,
            caller=Caller.mcp(),
            context=besides,
            max_turns=max_turns,
            prepare=lambda: keeper.connect(workspace),
        )
        return _running(task, notes)
    keeper.connect(workspace)
    return _told(call(workspace, asked, caller=Caller.mcp(), context=besides, max_turns=max_turns), notes)


def memory_agent_result(keeper: Keeper, task_id: str) -> CallToolResult:
    from memtree.engine.agents.agent_tasks import State, result

    found = result(keeper.workspace(), arguments.needed("task_id", task_id))
    if found.answer is not None:
        return _told(found.answer, ())
    return _running(found.task_id, ()) if found.state is State.RUNNING else _failed(found)


def _running(task: str, notes: Any) -> CallToolResult:
    text = f"{task} is being worked on: memory_agent_result tells what came of it."
    return answered(text, AgentAnswer(status="running", task_id=task, text="", notes=list(notes)))


def _failed(found: TaskResult) -> CallToolResult:
    reason = clean("; ".join(filter(None, (found.reason, found.hint))))
    fields = AgentAnswer(status="failed", task_id=found.task_id, text="", notes=[reason])
    return answered(f"{found.task_id} failed.", fields)


def _told(found: MemoryAnswer, notes: Any) -> CallToolResult:
    fields = AgentAnswer(
        status=found.status.value,
        task_id=found.task_id,
        text=clean(found.text),
        sources=[
            CitedSource(
                number=one.number,
                path=clean(one.path),
                start_line=one.start_line,
                end_line=one.end_line,
                snippet=clean(one.snippet),
                commit=one.commit,
                time=iso(one.time),
            )
            for one in found.sources
        ],
        found=found.found,
        dropped=[clean(one) for one in found.dropped],
        suggestions=[clean(one) for one in found.suggestions],
        iterations=found.iterations,
        seconds=found.seconds,
        notes=[*notes, *found.warnings, *found.notes],
    )
    return answered(f"{found.body}\n\n---\n{found.footer}", fields)
