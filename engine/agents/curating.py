"""Curating: the agent for goals brings the list of long-term goals up to date, with as few changes as it can.

It works on a draft of the list. What differs in the end is one commit; a run that breaks off has changed nothing, and of one that
did not come to an end no deletion is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.agents.delegating import Delegation
from memtree.engine.agents.finding import GOALS
from memtree.engine.agents.goal_tools import GoalTools
from memtree.engine.agents.recalling import Recall
from memtree.engine.agents.running import ready, runnable
from memtree.engine.librarian import require_librarian
from memtree.engine.llm.usage import Usage, trailers
from memtree.engine.writers.goals import goals_file
from memtree.tree.context_fence import fenced, without_fenced
from memtree.tree.goal_edits import standing
from memtree.tree.objects import CommitId
from memtree.tree.token_count import count_tokens

if TYPE_CHECKING:
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

_NOTHING_SPENT = Usage()
_READ = 200_000  # characters of a context; far fewer fit
_REVIEW = "Review the long-term goals against recent memory and update the list."
_WITH = "A conversation has ended. Its recap:\n\n{recap}\n\nBring the list of long-term goals up to date with it."
_EMPTY = "The list is empty so far: add the goals that memory clearly shows."
_THERE = "The list has {count}: list them first, and change as little as possible."
_END = "End by saying what you changed."


@dataclass(frozen=True, slots=True)
class EnrichReport:
    """What an enrichment came to. `message` ends by saying what changed; `said` is what the model said of it.

    `changes` are such as `Added goal g4.`, `commit` brought them (None: nothing changed). `first_run`: there was no goal before.
    """

    message: str
    changes: tuple[str, ...] = ()
    first_run: bool = False
    usage: Usage = _NOTHING_SPENT
    commit: CommitId | None = None
    said: str = ""
    calls: tuple[str, ...] = ()
    incomplete: bool = False
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def enrich_goals(workspace: Workspace, context: str = "", *, asker: Asker | None = None) -> EnrichReport:
    """Let a model bring the goals up to date with `context` (a recap), or without one with recent memory.

    Raises NotTheLibrarian, ModelNotConfigured, BadDefinition, MissingTools, GoalsUnreadable and GoalsHeld (a list that
    cannot be read is no empty one), and what the asker raises. Nothing is changed then.
    """
    require_librarian(workspace)
    found, _ = runnable(workspace, GOALS)
    asker = asker or _asker(workspace, found.definition.id)
    data = goals_file(workspace)
    able = ready(workspace, GOALS, asker)
    count = len(standing(data))
    recap = _bounded(workspace.redactor.text(without_fenced(context[:_READ])).strip(), able.room)
    tools = GoalTools(workspace, data, recap)
    run = able.run(workspace, asker, _request(recap, count), tools, Recall(workspace), Delegation(workspace, able.found.definition))
    changes, commit, left = tools.write(trailers(run.usage), deleting=not run.incomplete)
    stopped = "The model did not come to an end. " if run.incomplete else ""
    return EnrichReport(
        f"{stopped}{changes.told}",
        changes.sentences,
        count == 0,
        run.usage,
        commit,
        run.said,
        run.calls,
        run.incomplete,
        run.refused,
        (*run.notes, *left, *workspace.said()),
    )


def _asker(workspace: Workspace, agent: str) -> Asker:
    from memtree.engine.llm.asking import Asker

    return Asker(workspace, agent=agent)


def _request(recap: str, count: int) -> str:
    asked = _WITH.format(recap=fenced(recap)) if recap else _REVIEW
    there = _THERE.format(count="one goal" if count == 1 else f"{count} goals") if count else _EMPTY
    return f"{asked}\n\n{there} {_END}"


def _bounded(text: str, tokens: float) -> str:
    """As much of the beginning of a text as there is room for."""
    size = count_tokens(text.encode("utf-8", "replace"))
    return text if size <= tokens else f"{text[: int(len(text) * tokens / size)].rstrip()}…"
