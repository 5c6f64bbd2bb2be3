"""Callers: who may have an agent work. A person and an MCP client may; an agent where its definition names it, within its turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from memtree.engine.agents.definition import Definition
from memtree.tree.errors import StateError, UserError


class NotInAgentTurn(StateError):
    """An agent was called by what is in no agent's turn."""

    def __init__(self, agent: str) -> None:
        super().__init__(
            f"{agent} is called within an agent's turn only",
            hint="call it from an agent that works right now, over MCP, or as a person: memtree ask",
        )


class DelegateNotAllowed(UserError):
    """An agent called another one that its definition does not name."""

    def __init__(self, caller: str, delegate: str, agent: str) -> None:
        itself = caller == agent
        super().__init__(
            f"{caller} cannot call itself" if itself else f"{caller} may not call {delegate}",
            hint="answer with what you have found"
            if itself
            else f'its definition would have to allow it: named = ["{delegate}"] under [delegates] in agents/{caller}/agent.toml',
        )


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. `delegates` are the names by which it may call others, None for all of them."""

    name: str
    delegates: tuple[str, ...] | None
    in_turn: bool

    @classmethod
    def person(cls) -> Self:
        """Somebody at a terminal (`memtree ask`)."""
        return cls("person", None, in_turn=True)

    @classmethod
    def mcp(cls) -> Self:
        """An agent whose program calls over MCP: the call is part of its turn."""
        return cls("mcp", None, in_turn=True)

    @classmethod
    def agent(cls, definition: Definition, *, in_turn: bool = True) -> Self:
        """An agent of ours; `in_turn` is whether it works right now."""
        return cls(definition.id, definition.delegates, in_turn)

    @classmethod
    def background(cls) -> Self:
        """What works by itself: a hook, a daemon, a program that imports memtree."""
        return cls("background", (), in_turn=False)


def require_allowed(caller: Caller, called: Definition) -> None:
    """Raise NotInAgentTurn and DelegateNotAllowed for who may not call an agent."""
    if not caller.in_turn:
        raise NotInAgentTurn(called.id)
    if caller.name == called.id or (caller.delegates is not None and called.delegate_name not in caller.delegates):
        raise DelegateNotAllowed(caller.name, called.delegate_name, called.id)
