"""context: what an agent is told of memory."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Look, Span

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


@click.command()
@click.argument("query", nargs=-1)
@click.option("--session", default="", metavar="ID", help="The session that asks: what it said itself is left out.")
@click.option("--budget", type=click.IntRange(200, 100_000), default=2_000, show_default=True, help="At most this many characters.")
@json_option
@opens_workspace
def context(workspace: Workspace, query: tuple[str, ...], session: str, budget: int, as_json: bool) -> None:
    """Print what an agent is told of memory, for a prompt or, without one, as a session begins.

    Example: memtree context where do we deploy to
    """
    from memtree.engine.retrieval.context import load_context

    asked = " ".join(query)
    found = load_context(workspace, asked, session=session, budget=budget, now=time.time())
    if as_json:
        screen().json({"query": asked, "text": found.text, "citations": found.citations, "notes": found.notes})
        return
    if found.text:
        say_lines((Span(line),) for line in found.text.split("\n"))
    else:
        say("Memory has nothing to say to that.", Look.FAINT)
    notes(found.notes)
