"""What an answer is limited to, as each index understands it: kinds and places of files, and which summaries are wholly inside.

A window admits a passage by its own time; a summary only when all of its evidence lies in the window.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memtree.engine.memory_tree.hits import BadRequest, Narrowed, Window
from memtree.indexers.entity_answers import EntityFilter
from memtree.indexers.query import Query
from memtree.tree.kinds import Kind
from memtree.tree.objects import FOLDER, CommitId
from memtree.tree.source_names import CONVERSATIONS, Place, places_of, source_kind_of, source_of
from memtree.tree.summary import Node, summaries_folder

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_OWN = {
    CONVERSATIONS: "chat",
    "notes": "document",
    "memory": "memory",
    "facts": "memory",
    "profile": "memory",
    "entities": "memory",
    "wiki": "memory",
}
_NAMED_BY_FOLDER = {"chat": "chat", "raw": "document"}
_LEAVES = tuple(kind for kind in Kind if kind is not Kind.WIKI)
_NOWHERE = "/"  # no source has this name
_MOST_NAMED = 12

Sources = Mapping[str, frozenset[str]]  # the names of sources, and of which kinds their files are


def sources_of(workspace: Workspace, tip: CommitId | None) -> Sources:
    """All sources that the layout has at a commit: memtree's own, and those that were imported; sorted by name."""
    repo, content = workspace.repo, workspace.settings.content
    found = {name: {kind} for name, kind in _OWN.items()}
    for folder, kind in _NAMED_BY_FOLDER.items():
        entry = repo.entry(tip, "/".join(filter(None, (content, folder))))
        if entry is not None and entry.mode == FOLDER:
            for name, item in repo.items(entry.id).items():
                found.setdefault(name if item.mode == FOLDER else folder, set()).add(kind)
    return {name: frozenset(found[name]) for name in sorted(found)}


def refuse_unknown(parameter: str, names: Iterable[str], sources: Sources) -> None:
    """Raise BadRequest for a name that is no source's, with those that are like it."""
    known = list(sources)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name[:200].casefold(), known, 3, 0.5)
            some = ", ".join(known[:_MOST_NAMED]) + (", …" if len(known) > _MOST_NAMED else "")
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {some}"
            raise BadRequest(parameter, f"there is no source {name[:80]!r}", hint)


def admits(narrowed: Narrowed, source: str, kind: Kind) -> bool:
    """Whether a file of a source and kind is admitted, its time aside."""
    if narrowed.sources and source not in narrowed.sources:
        return False
    return not narrowed.source_kind or source_kind_of(kind) == narrowed.source_kind


def leaf_query(text: str, narrowed: Narrowed, content: str, pages: Iterable[Place]) -> Query:
    """A search for leaves, limited before anything is cut off. `pages` is what the wiki holds beside summaries."""
    kinds: tuple[Kind, ...] = tuple(kind for kind in _LEAVES if _is_of(kind, narrowed.source_kind))
    own = tuple(pages) if _is_of(Kind.WIKI, narrowed.source_kind) else ()
    places: tuple[Place, ...] = ()
    if narrowed.sources:
        found = (place for source in narrowed.sources for place in places_of(source, content))
        places = tuple(place for one in found for place in (own if one == Place(Kind.WIKI) else (one,)))
        kinds, places = (*kinds, Kind.WIKI), places or (Place(Kind.NOTE, summaries_folder(content)),)  # where no note lies
    elif own:
        kinds, places = (), (*map(Place, kinds), *own)
    return Query(text, kinds=kinds, since=narrowed.window.since, until=narrowed.window.until, places=places)


def entity_filter(narrowed: Narrowed, kinds: Iterable[Kind] = ()) -> EntityFilter:
    """The same for the entity graph: its chunks of these kinds, by default of all but the wiki's."""
    chosen = tuple(kind for kind in tuple(kinds) or _LEAVES if _is_of(kind, narrowed.source_kind))
    sources = narrowed.sources if chosen else (_NOWHERE,)
    return EntityFilter(narrowed.window.since, narrowed.window.until, sources, chosen)


def _is_of(kind: Kind, source_kind: str) -> bool:
    return source_kind in ("", source_kind_of(kind))


def summary_query(text: str, admitted: Iterable[Node]) -> Query:
    """A search for summaries of these nodes and no others."""
    return Query(text, kinds=(Kind.WIKI,), places=tuple(Place(Kind.WIKI, node.path) for node in admitted))


def admits_node(narrowed: Narrowed, node: Node, sources: Sources) -> bool:
    """Whether all that a summary tells is admitted. One of a day, a week or a month tells of every source."""
    if not inside(narrowed.window, node.time_start, node.time_end):
        return False
    if narrowed.sources and source_of_node(node) not in narrowed.sources:
        return False
    return not narrowed.source_kind or sources.get(source_of_node(node), frozenset()) == frozenset((narrowed.source_kind,))


def source_of_node(node: Node) -> str:
    """The source that a summary tells of; `wiki` for one of a day, a week or a month."""
    return node.source or source_of(node.path)


def inside(window: Window, start: int | None, end: int | None) -> bool:
    """Whether a span of time lies wholly in a window."""
    if window.is_open:
        return True
    if start is None:
        return False
    return (window.since is None or start >= window.since) and (
        window.until is None or (start if end is None else end) <= window.until
    )
