"""agents: which agents work on memory by themselves, and what they are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span

if TYPE_CHECKING:
    from memtree.engine.agents.showing import AgentView
    from memtree.engine.workspace import Workspace

_WIDTH = 21


@click.group()
def agents() -> None:
    """Show the agents that work on memory with a model, and what they are told."""


@agents.command("list", short_help="List the agents.")
@json_option
@opens_workspace
def agents_list(workspace: Workspace, as_json: bool) -> None:
    """List the agents: what each is for, which model it asks, and which files of the workspace change it."""
    from memtree.engine.agents.showing import list_agents

    found, remarks = list_agents(workspace)
    remarks += [note for view in found for note in view.notes]
    if as_json:
        screen().json({"agents": [_as_json(view) for view in found], "notes": remarks})
        return
    for view in found:
        say_lines(_entry(view))
    notes(remarks)


@agents.command("show", short_help="Print an agent's definition and prompt.")
@click.argument("name")
@json_option
@opens_workspace
def agents_show(workspace: Workspace, name: str, as_json: bool) -> None:
    """Print the definition of the agent NAME and the very prompt that it would begin with now.

    Files in the workspace change both: agents/ID/agent.toml single keys, agents/ID/prompt.md the text it begins with.

    Example: memtree agents show archivist
    """
    from memtree.engine.agents.showing import show_agent

    view, prompt = show_agent(workspace, name)
    remarks = [*dict.fromkeys((*view.notes, *prompt.notes))]
    if as_json:
        parts = [{"title": part.title, "text": part.text} for part in prompt.parts]
        screen().json(_as_json(view) | {"prompt": prompt.text, "parts": parts, "notes": remarks})
        return
    say_lines(_definition(view))
    say("")
    say_lines((Span(line),) for line in prompt.text.rstrip("\n").split("\n"))
    notes(remarks)


def _as_json(view: AgentView) -> dict[str, Any]:
    return {
        "name": view.name,
        "definition": view.keys,
        "changed": view.changed,
        "tools": [
            {"name": one.name, "permission": one.permission, "scope": one.scope, "concurrent": one.concurrent, "writes": one.writes}
            for one in view.tools.tools
        ],
        "missing_tools": view.tools.missing,
        "withheld_tools": view.tools.withheld,
        "runs": not view.why_not,
        "why_not": view.why_not,
    }


def _entry(view: AgentView) -> Iterator[Line]:
    keys = view.keys
    facts = [f"model {keys['model.hint']}", *(["in the background"] if keys["background"] else [])]
    facts += [f"changed by {path}" for path in dict.fromkeys(view.changed.values())]
    yield (Span(view.name, Look.STRONG), Span(f"  {keys['id']}, {keys['delegate_name']} ({'; '.join(facts)})", Look.FAINT))
    yield (Span(f"    {keys['when_to_use']}"),)
    if view.why_not:
        yield (Span(f"    cannot run now: {view.why_not}", Look.WARNING),)


def _definition(view: AgentView) -> Iterator[Line]:
    for key, value in view.keys.items():
        changed = f"  ({view.changed[key]})" if key in view.changed else ""
        yield (Span(f"{key:<{_WIDTH}} ", Look.FAINT), Span(_shown(value)), Span(changed, Look.PLACE))
    if "prompt" in view.changed:
        yield (Span(f"{'prompt':<{_WIDTH}} ", Look.FAINT), Span(view.changed["prompt"], Look.PLACE))
    for one in view.tools.tools:
        together = "" if one.concurrent else ", one at a time"
        yield (
            Span(f"{'tool':<{_WIDTH}} ", Look.FAINT),
            Span(one.name),
            Span(f"  {one.permission}, {one.scope}{together}", Look.FAINT),
        )
    if view.why_not:
        yield (Span(f"cannot run now: {view.why_not}", Look.WARNING),)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
