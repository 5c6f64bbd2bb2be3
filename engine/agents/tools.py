"""The tools of a run, by name: what an agent's definition grants, made of what the run has, and nothing else."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from memtree.engine.agents.tool_facts import ToolFacts
from memtree.engine.llm.asking import Tool
from memtree.tree.errors import Error


def tools_of(granted: Iterable[ToolFacts], benches: Iterable[object], refused: list[str]) -> list[Tool]:
    """The granted tools, each with the method of that name of one of the benches; those that no bench has are left out.

    What a tool refuses is told to the model, and noted in `refused`.
    """
    benches = tuple(benches)
    found: list[Tool] = []
    for facts in granted:
        function = next((method for bench in benches if (method := getattr(bench, facts.name, None)) is not None), None)
        if function is not None:
            found.append(Tool(facts.name, facts.description, _noting(function, facts.name, refused), facts.writes))
    return found


def _noting(function: Callable[..., str], name: str, refused: list[str]) -> Callable[..., str]:
    @functools.wraps(function)
    def called(*positional: Any, **named: Any) -> str:
        try:
            return function(*positional, **named)
        except Error as error:
            refused.append(f"{name}: {error}")
            raise

    return called
