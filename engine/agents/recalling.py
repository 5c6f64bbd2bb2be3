"""memory_recall: searching memory for an agent. What comes back is fenced as data, without secrets, and short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.memory_tree.hits import TreeHit
from memtree.engine.retrieval.layout import day
from memtree.engine.retrieval.memories import NOTHING, recall_memories
from memtree.engine.retrieval.plain import one_line, told
from memtree.engine.when import UnknownTime
from memtree.tree.context_fence import fenced
from memtree.tree.fact import LONGEST

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST = 8
_PASSAGE, _FACT = 360, LONGEST + 100  # characters: of a fact all, with the time that it speaks of at its end
_QUERY = 500


class Recall:
    """Searches what is saved; it captures nothing and changes nothing."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def memory_recall(self, query: str, limit: int = 5, as_of: str = "") -> str:
        if not query.strip():
            raise ToolRefused("there is nothing to search for", hint="give a few telling words")
        then = moment_asked(self._workspace, as_of)
        found = recall_memories(self._workspace, query[:_QUERY], limit=max(1, min(limit, MOST)), as_of=then)
        if not found.hits:
            return NOTHING
        return fenced("\n".join(self._shown(number, hit) for number, hit in enumerate(found.hits, 1)))

    def _shown(self, number: int, hit: TreeHit) -> str:
        mark = hit.fact.mark if hit.fact is not None else ""
        facts = ", ".join(filter(None, (hit.kind.value, mark, day(hit.time_start))))
        text = told(hit.text, self._workspace.redactor, _PASSAGE if hit.fact is None else _FACT)
        return f"[{number}] {one_line(hit.path, 200)}:{hit.lines} ({facts})\n{text}"


def moment_asked(workspace: Workspace, as_of: str) -> int | None:
    """The date that a model asks for in epoch seconds, None for none; raise ToolRefused for what is none."""
    from memtree.engine.facts.recalling import moment_of

    try:
        return moment_of(as_of[:100], int(workspace.options.clock())) if as_of.strip() else None
    except UnknownTime as error:
        raise ToolRefused(str(error), hint=error.hint) from error
