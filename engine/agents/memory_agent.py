"""The memory agent: from a question to an answer with sources. It looks first and asks a model second, so that most of the time one
request is enough, an empty memory costs none, and without a model there is an answer all the same.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.agents.answers import MemoryAnswer as MemoryAnswer
from memtree.engine.agents.answers import Status, nothing_found
from memtree.engine.agents.callers import Caller as Caller
from memtree.engine.agents.callers import require_allowed
from memtree.engine.agents.finding import MEMORY, Found, find_agent
from memtree.engine.llm.usage import Usage
from memtree.engine.memory_tree.hits import BadRequest
from memtree.engine.retrieval.checkup import check_up
from memtree.indexers.query import Mode
from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import Error
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

LONGEST_QUERY, LONGEST_CONTEXT = 10_000, 50_000  # characters
MOST_TURNS = 20
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOTHING_SPENT = Usage()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, what the asker knows besides, and how many requests it may cost (None: as the agent is defined)."""

    query: str
    context: str = ""
    max_turns: int | None = None


def question(query: str, context: str = "", max_turns: int | None = None) -> Question:
    """A question of any origin, checked; raise BadRequest."""
    asked = _plain("query", query, LONGEST_QUERY)
    if not asked:
        raise BadRequest("query", "there is no question", "ask one, such as: when is the renewal due?")
    if max_turns is not None and (isinstance(max_turns, bool) or not 1 <= max_turns <= MOST_TURNS):
        raise BadRequest("max_turns", f"max_turns is {str(max_turns)[:20]}", f"it may be 1 to {MOST_TURNS}")
    return Question(asked, _plain("context", without_fenced(context[: 2 * LONGEST_CONTEXT]), LONGEST_CONTEXT), max_turns)


def _plain(name: str, text: str, most: int) -> str:
    if len(text) > most:
        raise BadRequest(name, f"the {name} has {len(text):,} characters, more than {most:,}", f"send a shorter {name}")
    return _CONTROL.sub(" ", clean(text).replace("\r\n", "\n").replace("\r", "\n")).strip()


def new_task_id() -> str:
    """An id of a call, such as `mem-` and 32 hex digits."""
    return f"mem-{os.urandom(16).hex()}"


def call_memory_agent(
    workspace: Workspace,
    query: str,
    *,
    caller: Caller,
    context: str = "",
    max_turns: int | None = None,
    asker: Asker | None = None,
    task_id: str = "",
) -> MemoryAnswer:
    """Answer a question from memory as it is saved, with sources; nothing is written.

    `context` is what the asker knows besides, such as the answer to a question back. `max_turns` (1 to 20) is how many requests may
    be made in place of the definition's limit; the model's own limit holds all the same. What keeps a model from being asked is a
    note, and the answer is then made of sentences that were found.
    Raises BadRequest, NotInAgentTurn, DelegateNotAllowed, BadDefinition, MissingTools; CorruptionError where memory is unreadable.
    """
    started = time.monotonic()
    found = find_agent(workspace.root, MEMORY)
    require_allowed(caller, found.definition)
    asked = question(query, context, max_turns)
    answer = _answer(workspace, found, asked, asker)
    seconds = round(time.monotonic() - started, 3)
    return replace(answer, seconds=seconds, task_id=task_id or new_task_id(), iterations=answer.usage.requests)


def _answer(workspace: Workspace, found: Found, asked: Question, asker: Asker | None) -> MemoryAnswer:
    notes = workspace.searching.refresh(mode=Mode.TEXT)
    if is_empty(workspace):
        return nothing(workspace, ())
    from memtree.engine.agents.answering import answer  # what there is to answer from is worth loading it

    return answer(workspace, found, asked, notes, asker)


def is_empty(workspace: Workspace) -> bool:
    """Whether nothing was ever saved here that could be found."""
    tip = workspace.repo.tip("HEAD")
    if tip is None:
        return True
    try:
        with workspace.searching.turn:
            index = workspace.searching.index()
            return index.position() == tip and not index.size()
    except (Error, OSError):
        return False


def nothing(workspace: Workspace, notes: tuple[str, ...], usage: Usage = _NOTHING_SPENT) -> MemoryAnswer:
    """The answer that memory has nothing, and what may be lacking where it is degraded."""
    health = check_up(workspace)
    text = nothing_found(health.reason, health.remedy) if health.degraded else nothing_found()
    return MemoryAnswer(Status.COMPLETED, text, found=False, usage=usage, notes=notes)
