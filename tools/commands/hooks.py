"""hooks: connecting an agent's hooks, or git's, to a workspace, and disconnecting them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from memtree.hooks.connect.agent_hooks import AGENTS
from memtree.hooks.connect.connecting import hooks_target
from memtree.hooks.serving import SWITCH
from memtree.tools.commands import connections
from memtree.tools.commands.common import json_option, notes, open_workspace, opens_workspace

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_BY = "hooks"
_GIT = "git"
_AGENT = click.argument("agent", type=click.Choice([*AGENTS, _GIT]))


@click.group()
def hooks() -> None:
    """Connect an agent's hooks, or git's, to a workspace, and disconnect them."""


@hooks.command("install", short_help="Let an agent remember here, or git tell what it did.")
@_AGENT
@connections.dry_run_option
@json_option
@opens_workspace
def hooks_install(workspace: Workspace, agent: str, dry_run: bool, as_json: bool) -> None:
    """Let AGENT remember in this workspace: its user settings get hooks that call memtree.

    Nothing else in the settings is touched; they are copied first. An agent is connected to one workspace.

    AGENT may be git: the repository of this workspace gets hooks that let the daemon know of commits, merges and check-outs, and
    look a push through for secrets. A hook that is there already is kept and runs first.

    Example: memtree hooks install claude-code
    """
    if agent == _GIT:
        from memtree.tools.commands.git_hooks import install_git_hooks

        install_git_hooks(workspace, dry_run=dry_run, as_json=as_json)
        return
    connections.install(hooks_target(agent, os.environ), _BY, workspace.root, dry_run=dry_run, as_json=as_json)


@hooks.command("uninstall", short_help="Take memtree out of an agent's settings.")
@_AGENT
@connections.dry_run_option
@json_option
@click.pass_obj
def hooks_uninstall(folder: str | None, agent: str, dry_run: bool, as_json: bool) -> None:
    """Take memtree's hooks out of the settings of AGENT, or out of this repository for git; what was remembered stays.

    Example: memtree hooks uninstall claude-code
    """
    if agent == _GIT:
        from memtree.tools.commands.git_hooks import uninstall_git_hooks

        with open_workspace(folder) as workspace:
            uninstall_git_hooks(workspace, dry_run=dry_run, as_json=as_json)
        return
    connections.uninstall(hooks_target(agent, os.environ), _BY, dry_run=dry_run, as_json=as_json)


@hooks.command("status", short_help="List what is connected to which workspace.")
@json_option
@click.pass_obj
def hooks_status(folder: str | None, as_json: bool) -> None:
    """List which agents' hooks are connected to which workspace; inside one also git's."""
    targets = [(agent, hooks_target(agent, os.environ)) for agent in AGENTS]
    connections.tell_status(targets, more=_git_hooks(folder), as_json=as_json)
    if os.environ.get(SWITCH, "").lower() == "off":
        notes([f"{SWITCH}=off stands in the environment: agents that are started from here record and recall nothing"])


def _git_hooks(folder: str | None) -> list[dict[str, str]]:
    from memtree.engine.workspace import NotAWorkspace
    from memtree.tools.commands.git_hooks import git_connection

    try:
        with open_workspace(folder) as workspace:
            return [git_connection(workspace)]
    except NotAWorkspace:
        if folder is not None:
            raise
        return []
