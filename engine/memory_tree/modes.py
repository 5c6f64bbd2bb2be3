"""The modes of the memory tree: their names, their parameters, and the one way that every caller asks them.

A command, an MCP tool and an agent's tool all come in by `run_mode`, and turn what comes back into JSON by `as_json`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.memory_tree import asked as parameters_of
from memtree.engine.memory_tree.asked import NARROWING, Asked, Parameter, read
from memtree.engine.memory_tree.covering import cover_window
from memtree.engine.memory_tree.drilling import drill_down
from memtree.engine.memory_tree.entity_modes import query_topic, search_entities
from memtree.engine.memory_tree.fetching import fetch_leaves
from memtree.engine.memory_tree.hits import Answer, BadRequest, Entities, Envelope, SourceList
from memtree.engine.memory_tree.ingesting import ingest_document
from memtree.engine.memory_tree.narrowing import refuse_unknown
from memtree.engine.memory_tree.present import Present, Progress, now, present
from memtree.engine.memory_tree.source_modes import list_sources, query_global, query_source, with_source
from memtree.engine.memory_tree.walking import walk

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

EMPTY = "nothing has been saved here yet"


class ModeFacts(NamedTuple):
    """What a mode does and is asked with. `empty` is its answer where nothing was ever saved."""

    about: str
    parameters: tuple[Parameter, ...]
    answer: Callable[[Present, Asked], Answer]
    empty: Answer = Envelope((), 0, None, "nothing", notes=(EMPTY,))


class WriteFacts(NamedTuple):
    """The same for a mode that writes."""

    about: str
    parameters: tuple[Parameter, ...]
    write: Callable[[Workspace, Asked], Answer]


def _cover_window(present: Present, asked: Asked) -> Envelope:
    return cover_window(present, asked._replace(narrowed=with_source(present, asked)))


_NO_ENTITIES, _NO_SOURCES = Entities((), None, (EMPTY,)), SourceList((), None, (EMPTY,))

_WALK = (parameters_of.QUERY, parameters_of.LIMIT, parameters_of.HOPS, *NARROWING)
_LISTED = (parameters_of.MAYBE_QUERY, parameters_of.LIMIT, *NARROWING)

MODES: Mapping[str, ModeFacts | WriteFacts] = {
    "walk": ModeFacts(
        "Passages that answer a question: by the entities in it and how they are connected, by words and by meaning.", _WALK, walk
    ),
    "smart_walk": ModeFacts("The same as walk.", _WALK, walk),
    "search_entities": ModeFacts(
        "Who and what memory speaks of, by name or a part of it: ids, and how often.",
        (parameters_of.ENTITY_QUERY, parameters_of.KINDS, parameters_of.FEW, *NARROWING),
        search_entities,
        _NO_ENTITIES,
    ),
    "query_source": ModeFacts(
        "What one source, or the sources of a kind, tell: summaries, and what none of them tells yet.",
        (parameters_of.SOURCE, *_LISTED),
        query_source,
    ),
    "query_global": ModeFacts("The same of all sources.", _LISTED, query_global),
    "query_topic": ModeFacts("Passages that speak of an entity.", (parameters_of.ENTITY, *_LISTED), query_topic),
    "cover_window": ModeFacts(
        "All of a stretch of time in the fewest nodes: the topmost summaries inside, and the leaves that none of them tells.",
        (parameters_of.SOURCE, parameters_of.COVER_LIMIT, *NARROWING),
        _cover_window,
    ),
    "drill_down": ModeFacts(
        "What a summary tells of, down to the leaves.",
        (parameters_of.NODE, parameters_of.DEPTH, *_LISTED),
        drill_down,
    ),
    "fetch_leaves": ModeFacts("Passages by their ids, whole.", (parameters_of.LEAVES, *NARROWING), fetch_leaves),
    "list_sources": ModeFacts(
        "The sources of memory: what they hold, from when to when, and their summaries.", NARROWING, list_sources, _NO_SOURCES
    ),
    "ingest_document": WriteFacts(
        "Keep a document as evidence; one of the same source_id takes its place.",
        (
            parameters_of.TITLE,
            parameters_of.BODY,
            parameters_of.ORIGIN,
            parameters_of.PROVIDER,
            parameters_of.REFERENCE,
        ),
        ingest_document,
    ),
}


def writes(mode: str) -> bool:
    """Whether a mode changes memory; raise BadRequest for one that there is not."""
    return isinstance(MODES[mode_named(mode)], WriteFacts)


def mode_named(mode: object) -> str:
    """A mode's name, with dashes or underscores; raise BadRequest for one that there is not."""
    name = mode.strip().casefold().replace("-", "_") if isinstance(mode, str) else ""
    if name not in MODES:
        near = difflib.get_close_matches(name[:40], MODES, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise BadRequest("mode", f"there is no mode {str(mode)[:80]!r}", f"{meant}Modes are {', '.join(MODES)}")
    return name


def run_mode(
    workspace: Workspace,
    mode: object,
    parameters: Mapping[str, object],
    *,
    may_write: bool = True,
    capture: bool = True,
    progress: Progress | None = None,
) -> Answer:
    """Ask a mode. Raises BadRequest for what cannot be used; one that writes also what the store raises.

    Edits made outside are captured first, unless `capture` was done by the caller, and the indexes brought to HEAD.
    """
    name = mode_named(mode)
    facts = MODES[name]
    if isinstance(facts, WriteFacts) and not may_write:
        raise BadRequest("mode", f"{name} writes, and only reading is allowed here", f"ask {', '.join(_reading())}")
    asked = read(parameters, facts.parameters, now(workspace))
    if isinstance(facts, WriteFacts):
        return facts.write(workspace, asked)
    notes = workspace.capture_quietly() if capture else []
    with workspace.searching.turn:
        found = present(workspace, progress=progress)
        if found is None:
            return facts.empty._replace(notes=(*notes, *facts.empty.notes))
        for note in notes:
            found.note(note)
        refuse_unknown("sources", asked.narrowed.sources, found.sources)
        return facts.answer(found, asked)


def _reading() -> list[str]:
    return [name for name, facts in MODES.items() if isinstance(facts, ModeFacts)]


class MemoryTree:
    """The modes for Python: `MemoryTree(workspace).walk(query="who renews the certificate?", since="30d")`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def __getattr__(self, mode: str) -> Callable[..., Answer]:
        if mode not in MODES:
            raise AttributeError(mode)
        return lambda **parameters: run_mode(self._workspace, mode, parameters)
