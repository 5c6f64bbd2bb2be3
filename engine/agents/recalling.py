"""memory_recall: searching memory for an agent. What comes back is fenced as data, without secrets, and short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtree.engine.agents.deeds import ToolRefused
from memtree.engine.memory_tree.hits import TreeHit
from memtree.engine.retrieval.layout import day
from memtree.engine.retrieval.memories import NOTHING, recall_memories
from memtree.engine.retrieval.plain import one_line, told
from memtree.tree.context_fence import fenced

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST = 8
_PASSAGE = 360  # characters
_QUERY = 500


class Recall:
    """Searches what is saved; it captures nothing and changes nothing."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def memory_recall(self, query: str, limit: int = 5) -> str:
        if not query.strip():
            raise ToolRefused("there is nothing to search for", hint="give a few telling words")
        found = recall_memories(self._workspace, query[:_QUERY], limit=max(1, min(limit, MOST)))
        if not found.hits:
            return NOTHING
        return fenced("\n".join(self._shown(number, hit) for number, hit in enumerate(found.hits, 1)))

    def _shown(self, number: int, hit: TreeHit) -> str:
        facts = ", ".join(filter(None, (hit.kind.value, day(hit.time_start))))
        return f"[{number}] {one_line(hit.path, 200)}:{hit.lines} ({facts})\n{told(hit.text, self._workspace.redactor, _PASSAGE)}"
