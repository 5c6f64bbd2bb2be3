"""goals: the long-term goals of MEMORY_GOALS.md, listed, changed, and curated by an agent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Look, Span, table

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.engine.writers.goals import GoalReport


@click.group()
def goals() -> None:
    """Your long-term goals, which every agent is told: at most 8, one line each, in MEMORY_GOALS.md."""


@goals.command("list")
@json_option
@opens_workspace
def goals_list(workspace: Workspace, as_json: bool) -> None:
    """List the goals with their ids; what you wrote into the file a moment ago is there too."""
    from memtree.engine.writers.goals import list_goals
    from memtree.tree.goal_edits import MOST, MOST_BYTES

    found = list_goals(workspace)
    remarks = (*found.notes, *workspace.said())
    if as_json:
        screen().json(
            {
                "goals": found.goals,
                "exists": found.exists,
                "bytes": found.size,
                "most": MOST,
                "most_bytes": MOST_BYTES,
                "notes": remarks,
            }
        )
        return
    if found.goals:
        say_lines(table(("ID", "GOAL"), [(goal.id, " ".join(goal.text.split())) for goal in found.goals]))
        say_lines([(Span(f"{len(found.goals)} of {MOST} goals, {found.size:,} of {MOST_BYTES:,} bytes", Look.FAINT),)])
    else:
        say("There are no goals yet: memtree goals add TEXT")
    notes(remarks)


@goals.command("add")
@click.argument("text", nargs=-1, required=True)
@json_option
@opens_workspace
def goals_add(workspace: Workspace, text: tuple[str, ...], as_json: bool) -> None:
    """Add a goal. A list that is full is left as it is, and its oldest goal named.

    Example: memtree goals add Learn to row before summer
    """
    from memtree.engine.writers.goals import add_goal

    _tell(workspace, add_goal(workspace, " ".join(text)), as_json=as_json)


@goals.command("edit")
@click.argument("goal_id", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@json_option
@opens_workspace
def goals_edit(workspace: Workspace, goal_id: str, text: tuple[str, ...], as_json: bool) -> None:
    """Say a goal in other words; it keeps its ID.

    Example: memtree goals edit g1 Learn to row before autumn
    """
    from memtree.engine.writers.goals import edit_goal

    _tell(workspace, edit_goal(workspace, goal_id, " ".join(text)), as_json=as_json)


@goals.command("delete")
@click.argument("goal_id", metavar="ID")
@json_option
@opens_workspace
def goals_delete(workspace: Workspace, goal_id: str, as_json: bool) -> None:
    """Delete a goal; its ID is never given again.

    Example: memtree goals delete g1
    """
    from memtree.engine.writers.goals import delete_goal

    _tell(workspace, delete_goal(workspace, goal_id), as_json=as_json)


def _tell(workspace: Workspace, done: GoalReport, *, as_json: bool) -> None:
    remarks = (*done.notes, *workspace.said())
    if as_json:
        answer = {"message": done.message, "id": done.id, "text": done.text, "line": done.line, "commit": done.commit.after}
        screen().json({**answer, "changed": done.commit.changed, "on_disk": done.on_disk, "notes": remarks})
        return
    say(done.message)
    notes(remarks)


@goals.command("enrich")
@click.option("--context", default="", metavar="TEXT", help="What to learn goals from, such as a recap; else recent memory.")
@json_option
@opens_workspace
def goals_enrich(workspace: Workspace, context: str, as_json: bool) -> None:
    """Have an agent review the goals and change as little as it must; needs a model, and runs on the librarian machine."""
    from memtree.engine.agents.curating import enrich_goals

    done = enrich_goals(workspace, context)
    remarks = (*done.notes, *workspace.said())
    if as_json:
        screen().json(replace(done, notes=remarks))
        return
    say(done.message)
    notes((*remarks, *(f"refused: {reason}" for reason in done.refused)))
