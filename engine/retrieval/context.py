"""Context: what memory has to say to an agent, in few words, each with where it stands.

It runs while an agent waits: nothing is captured, indexed or waited for, and whatever is damaged costs its own part only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from memtree.engine.retrieval.conversations import important_recaps, latest_turns, other_sessions
from memtree.engine.retrieval.layout import Block, Citation, laid_out
from memtree.engine.retrieval.recall import recalled
from memtree.engine.retrieval.shelf import Shelf, folder_of
from memtree.engine.retrieval.standing import FACETS, GOALS, MEMORY, curated, goals, profile, profile_path
from memtree.tree.errors import Error

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

BUDGET = 2_000
_MEMORY_SHARE = 0.25  # of the room: a long MEMORY.md must not be all that is said

_Loaded = TypeVar("_Loaded")


@dataclass(frozen=True, slots=True)
class Context:
    """`text` is fenced, '' when memory has nothing to say; each `[n]` at the start of an item is the citation of that id."""

    text: str
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()


def load_context(
    workspace: Workspace, query: str = "", *, session: str = "", budget: int = BUDGET, now: float, standing: bool = True
) -> Context:
    """What memory has to say to a session, in at most `budget` characters: to a query, or without one as the session begins.

    Without `standing`, only what answers the query: goals, profile and curated memory were said before. `now` is in epoch seconds.
    Never raises for what files, indexes or history hold.
    """
    notes: list[str] = []
    try:
        tip = workspace.repo.tip("HEAD")
        if tip is None:
            return Context("")
        folder = folder_of(workspace.redactor.id(session))
        shelf = Shelf(workspace.repo, tip, workspace.settings.content, folder, workspace.redactor, notes)
    except (Error, OSError) as error:
        return Context("", notes=(f"memory cannot be read: {error}",))
    text, citations = laid_out(_blocks(workspace, shelf, query.strip(), now, standing=standing), budget)
    return Context(text, citations, tuple(dict.fromkeys(notes)))


def _blocks(workspace: Workspace, shelf: Shelf, query: str, now: float, *, standing: bool) -> list[Block]:
    """The blocks in their order. A part that cannot be read is noted."""

    def part(name: str, load: Callable[[], list[_Loaded]], wanted: bool = True) -> list[_Loaded]:
        try:
            return load() if wanted else []
        except (Error, OSError, ValueError) as error:
            shelf.notes.append(f"{name} cannot be read: {error}")
            return []

    shown = {GOALS, *(profile_path(shelf, facet) for facet in FACETS)} if standing else set()
    at_start = (standing or not query) and workspace.settings.learning.stm_recall_enabled
    sessions = part("recent commits", lambda: other_sessions(shelf), at_start)
    if query:
        snippets = part("what was asked for", lambda: recalled(workspace, shelf, query, shown))
    else:
        snippets = part("earlier turns", lambda: latest_turns(shelf, sessions), at_start)
    said = " ".join(item.text for item in snippets if item.path == MEMORY)
    memory = [item for item in part("memory", lambda: curated(shelf), standing) if item.text not in said]
    return [
        Block("Goals", part("goals", lambda: goals(shelf), standing), 0.2),
        Block("About the user", part("the profile", lambda: profile(shelf), standing), 0.2),
        Block("Remembered", memory, 0.15, _MEMORY_SHARE),
        Block("Earlier conversations", part("recaps", lambda: important_recaps(shelf, sessions, now), at_start), 0.15),
        Block("From memory" if query else "Said lately in other sessions", snippets, 0.3),
    ]
