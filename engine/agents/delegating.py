"""Delegating: an agent that works has the memory agent answer a question, where its definition names that agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtree.engine.agents.callers import Caller
from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.agents.definition import Definition
from memtree.tree.context_fence import fenced

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST = 3  # questions of one run


class Delegation:
    """The tool call_memory_agent of one run, which lasts as long as its agent's turn."""

    def __init__(self, workspace: Workspace, definition: Definition) -> None:
        self._workspace = workspace
        self._caller = Caller.agent(definition)
        self._asked = 0

    def call_memory_agent(self, query: str, context: str = "", max_turns: int | None = None) -> str:
        from memtree.engine.agents.memory_agent import call_memory_agent

        if self._asked >= MOST:
            raise ToolRefused(f"{MOST} questions were asked already", hint="go on with what was answered")
        answer = call_memory_agent(self._workspace, query, caller=self._caller, context=context, max_turns=max_turns)
        self._asked += 1
        return fenced(answer.rendered)
