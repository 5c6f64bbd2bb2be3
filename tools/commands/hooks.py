"""hooks: connecting an agent's hooks to a workspace, and disconnecting them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memtree.hooks.connect.agent_hooks import AGENTS
from memtree.hooks.connect.connecting import hooks_target
from memtree.hooks.serving import SWITCH
from memtree.tools.commands import connections
from memtree.tools.commands.common import json_option, notes, opens_workspace

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_BY = "hooks"
_AGENT = click.argument("agent", type=click.Choice(list(AGENTS)))


@click.group()
def hooks() -> None:
    """Connect an agent's hooks to a workspace, and disconnect them."""


@hooks.command("install", short_help="Let an agent remember in this workspace.")
@_AGENT
@connections.dry_run_option
@json_option
@opens_workspace
def hooks_install(workspace: Workspace, agent: str, dry_run: bool, as_json: bool) -> None:
    """Let AGENT remember in this workspace: its user settings get hooks that call memtree.

    Nothing else in the settings is touched; they are copied first. An agent is connected to one workspace.

    Example: memtree hooks install claude-code
    """
    connections.install(hooks_target(agent, os.environ), _BY, workspace.root, dry_run=dry_run, as_json=as_json)


@hooks.command("uninstall", short_help="Take memtree out of an agent's settings.")
@_AGENT
@connections.dry_run_option
@json_option
def hooks_uninstall(agent: str, dry_run: bool, as_json: bool) -> None:
    """Take memtree's hooks out of the settings of AGENT; what it remembered stays.

    Example: memtree hooks uninstall claude-code
    """
    connections.uninstall(hooks_target(agent, os.environ), _BY, dry_run=dry_run, as_json=as_json)


@hooks.command("status", short_help="List what is connected to which workspace.")
@json_option
def hooks_status(as_json: bool) -> None:
    """List which agents' hooks are connected to which workspace."""
    connections.tell_status([(agent, hooks_target(agent, os.environ)) for agent in AGENTS], as_json=as_json)
    if os.environ.get(SWITCH, "").lower() == "off":
        notes([f"{SWITCH}=off stands in the environment: agents that are started from here record and recall nothing"])
