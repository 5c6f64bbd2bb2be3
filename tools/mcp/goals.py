"""The tools for long-term goals: listing them, and changing one. Which one is told by its id, not by what it says."""

from __future__ import annotations

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memtree.engine.writers.goals import GoalReport, add_goal, delete_goal, edit_goal, list_goals
from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import Answer, Retrieved, answered
from memtree.tools.mcp.keeping import Keeper
from memtree.tree.goal_edits import MOST, MOST_BYTES


class Goal(BaseModel):
    """A goal and where it stands."""

    id: str
    text: str
    line: int = Field(description="Of MEMORY_GOALS.md, counted from 1")


class GoalsAnswer(Retrieved):
    goals: list[Goal]
    bytes: int = Field(description=f"What the goals take; the most is {MOST_BYTES:,}")
    free: int = Field(description="How many goals can be added before one must go")


class GoalAnswer(Answer):
    message: str
    id: str
    line: int = Field(description="Where the goal stands in MEMORY_GOALS.md now; 0 when it is deleted")
    commit: str | None


def goals_list(keeper: Keeper) -> CallToolResult:
    workspace = keeper.workspace()
    found = list_goals(workspace)
    fields = GoalsAnswer(
        goals=[Goal(id=goal.id, text=goal.text, line=goal.first_line) for goal in found.goals],
        bytes=found.size,
        free=max(0, MOST - len(found.goals)),
        notes=[*found.notes, *workspace.said()],
    )
    return answered(found.markdown or "There are no goals yet.", fields)


def goals_add(keeper: Keeper, text: str) -> CallToolResult:
    return _changed(keeper, add_goal(keeper.workspace(), arguments.text("text", text)))


def goals_edit(keeper: Keeper, goal: str, text: str) -> CallToolResult:
    return _changed(keeper, edit_goal(keeper.workspace(), arguments.text("id", goal), arguments.text("text", text)))


def goals_delete(keeper: Keeper, goal: str) -> CallToolResult:
    return _changed(keeper, delete_goal(keeper.workspace(), arguments.text("id", goal)))


def _changed(keeper: Keeper, done: GoalReport) -> CallToolResult:
    notes = [*done.notes, *keeper.workspace().said()]
    return answered(
        done.message, GoalAnswer(message=done.message, id=done.id, line=done.line, commit=done.commit.after, notes=notes)
    )
