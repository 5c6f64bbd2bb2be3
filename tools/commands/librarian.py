"""librarian: which machine does what only one of them must, such as asking a model about the goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, screen
from memtree.tools.render import Look
from memtree.tools.render_views import short

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


@click.group()
def librarian() -> None:
    """The one machine that does what two would do differently: summaries, and reviewing the goals with a model."""


@librarian.command("show")
@json_option
@opens_workspace
def librarian_show(workspace: Workspace, as_json: bool) -> None:
    """Say which machine it is."""
    from memtree.engine.librarian import librarian_of

    found, device = librarian_of(workspace), workspace.device
    if as_json:
        screen().json({"librarian": found, "device": device, "here": found == device, "named": bool(workspace.settings.librarian)})
    elif not found:
        say(f"No machine is the librarian; to make this one it ({device}): memtree librarian take")
    elif found != device:
        say(f"{found} is the librarian; this machine is {device}.")
    elif workspace.settings.librarian:
        say(f"This machine ({device}) is the librarian.")
    else:
        say(f"This machine ({device}) is the librarian, for there is no remote.")


@librarian.command("take")
@json_option
@opens_workspace
def librarian_take(workspace: Workspace, as_json: bool) -> None:
    """Make this machine the librarian, in memtree.toml; the others learn it with their next sync."""
    from memtree.engine.librarian import take

    done = take(workspace)
    remarks = workspace.said()
    if as_json:
        screen().json(
            {
                "librarian": done.librarian,
                "before": done.before,
                "commit": done.commit.after,
                "changed": done.commit.changed,
                "notes": remarks,
            }
        )
        return
    if not done.commit.changed:
        say(f"This machine ({done.librarian}) is the librarian already; nothing changed.")
    else:
        say(f"This machine ({done.librarian}) is the librarian as of {short(done.commit.after or '')}.")
        if done.before not in ("", done.librarian):
            say(f"It was {done.before}, which learns that with its next sync.", Look.FAINT)
    notes(remarks)
