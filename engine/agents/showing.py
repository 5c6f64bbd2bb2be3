"""Showing an agent: its definition, who changed it, its tools, and the very prompt that it would begin with now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtree.engine.agents.definition import as_keys
from memtree.engine.agents.finding import ARCHIVIST, GOALS, NAMES, Found, find_agent, strangers
from memtree.engine.agents.prompt import Prompt, agent_prompt
from memtree.engine.agents.tool_facts import Granted, granted
from memtree.engine.librarian import is_librarian
from memtree.engine.llm.roles import Models

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AgentView:
    """An agent as a person sees it. `why_not` is '' when it could run; `changed` are the keys that a file of the workspace sets."""

    name: str
    keys: Mapping[str, Any]
    changed: Mapping[str, str]
    tools: Granted
    why_not: str
    notes: tuple[str, ...]


def list_agents(workspace: Workspace) -> tuple[list[AgentView], list[str]]:
    """Every agent, and what a person should know of the folder `agents/`; raise BadDefinition."""
    notes = [f"{folder} changes no agent of memtree: those are {', '.join(NAMES)}" for folder in strangers(workspace.root)]
    return [_view(workspace, find_agent(workspace.root, name)) for name in NAMES], notes


def show_agent(workspace: Workspace, name: str) -> tuple[AgentView, Prompt]:
    """An agent with its prompt; raise NoSuchAgent, BadDefinition."""
    found = find_agent(workspace.root, name)
    view = _view(workspace, found)
    return view, agent_prompt(workspace, found, view.tools.tools)


def _view(workspace: Workspace, found: Found) -> AgentView:
    definition = found.definition
    tools = granted(definition)
    notes = [*found.notes]
    if tools.withheld:
        mode = f"sandbox_mode is {definition.sandbox_mode}"
        notes.append(f"{definition.id} does not get {', '.join(tools.withheld)}: they write, and its {mode}")
    if "sandbox_mode" in found.changed and definition.sandbox_mode.may_write:
        notes.append(f"{found.changed['sandbox_mode']} lets {definition.id} write")
    return AgentView(found.name, as_keys(definition), found.changed, tools, _why_not(workspace, found, tools), tuple(notes))


def _why_not(workspace: Workspace, found: Found, tools: Granted) -> str:
    """What keeps an agent from running on this machine now, '' for nothing."""
    if tools.missing:
        return f"there is no tool {', '.join(tools.missing)}"
    if found.name == ARCHIVIST and not workspace.settings.learning.enabled:
        return "it is off: enabled = true under [learning] in memtree.toml turns it on"
    if found.name == GOALS and not is_librarian(workspace):
        return "this machine is not the librarian"
    return Models.of(workspace).why_not(found.definition.hint.value)
