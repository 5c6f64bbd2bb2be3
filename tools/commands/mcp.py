"""mcp: serving memory over MCP, and connecting clients to it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from memtree.hooks.connect.connecting import Target, server_target
from memtree.hooks.connect.mcp_servers import CLIENTS
from memtree.tools.commands import connections
from memtree.tools.commands.common import json_option, notes, opens_workspace

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_BY = "MCP"
_CLIENT = click.argument("client", type=click.Choice(list(CLIENTS)))


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(ctx: click.Context) -> None:
    """Serve memory over MCP on standard input and output, as a client starts it; or connect a client to that.

    Example: memtree mcp install claude-code
    """
    if ctx.invoked_subcommand is None:
        from memtree.tools.mcp.server import run_stdio

        if sys.stdin.isatty():
            notes(
                ["a client starts this by itself (memtree mcp install CLIENT); from a terminal it waits for JSON: Ctrl-C ends it"]
            )
        run_stdio(ctx.obj)


@mcp.command("install", short_help="Let a client read and write this workspace.")
@_CLIENT
@connections.dry_run_option
@json_option
@opens_workspace
def mcp_install(workspace: Workspace, client: str, dry_run: bool, as_json: bool) -> None:
    """Let CLIENT read and write this workspace over MCP: its user settings get a server called memtree.

    Nothing else in the settings is touched; they are copied first. A client is connected to one workspace.

    Example: memtree mcp install cursor
    """
    connections.install(_target(client), _BY, workspace.root, dry_run=dry_run, as_json=as_json)


@mcp.command("uninstall", short_help="Take memtree out of a client's settings.")
@_CLIENT
@connections.dry_run_option
@json_option
def mcp_uninstall(client: str, dry_run: bool, as_json: bool) -> None:
    """Take memtree's server out of the settings of CLIENT; what was remembered stays.

    Example: memtree mcp uninstall cursor
    """
    connections.uninstall(_target(client), _BY, dry_run=dry_run, as_json=as_json)


@mcp.command("status", short_help="List what is connected to which workspace.")
@json_option
def mcp_status(as_json: bool) -> None:
    """List which MCP clients are connected to which workspace."""
    connections.tell_status([(client, _target(client)) for client in CLIENTS], as_json=as_json)


def _target(client: str) -> Target:
    return server_target(client, os.environ, sys.platform)
