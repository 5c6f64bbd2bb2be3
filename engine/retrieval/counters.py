"""Counters: how much there is on each stage from a file to an answer, as far as it can be measured."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from memtree.engine.capture import Survey
from memtree.engine.closing.queue import Queue
from memtree.engine.conflicts import OpenConflicts
from memtree.engine.facts.counting import fact_counts
from memtree.engine.outbox_state import OUTBOX, entry_names, outbox_status
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.indexers.entity_answers import GraphSize
    from memtree.tree.summary import Node

T = TypeVar("T")


class Counters(NamedTuple):
    """How much there is; None where it cannot be measured. `extraction_coverage` is the share of all chunks, from 0 to 1, in which
    entities were looked for.
    """

    files: int | None = None
    chunks: int | None = None
    entities: int | None = None
    vectors: int | None = None
    turns_waiting: int | None = None
    steps_waiting: int | None = None
    steps_failing: int | None = None
    held: int | None = None
    conflicts: int | None = None
    summaries: int | None = None
    summaries_to_refresh: int | None = None
    facts: int | None = None
    facts_pinned: int | None = None
    facts_superseded: int | None = None
    facts_retracted: int | None = None
    facts_quarantined: int | None = None
    facts_waiting: int | None = None
    extraction_coverage: float | None = None


class Sized(Protocol):
    """A view that can be counted."""

    def position(self) -> CommitId | None: ...

    def size(self) -> int: ...


class Seen:
    """A workspace, and what several stages and counters ask of it, looked at once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.head = workspace.repo.tip("HEAD")
        self._survey: Survey | None = None

    def survey(self) -> Survey:
        """What differs between HEAD and the disk."""
        if self._survey is None:
            self._survey = self.workspace.capture.survey()
        return self._survey

    def summaries(self) -> list[Node]:
        """The nodes of the summary tree."""
        from memtree.engine.wiki.view import WikiView

        return list(WikiView.at(self.workspace, self.head).by_path.values()) if self.head is not None else []

    def entities(self) -> GraphSize | None:
        """How much the entity graph holds, None before it was built."""
        with self.workspace.searching.turn:
            graph = self.workspace.searching.graph()
            return graph.size() if graph.exists() and graph.position() is not None else None

    def text_position(self) -> CommitId | None:
        """The commit that the full-text index reflects."""
        with self.workspace.searching.turn:
            return self.workspace.searching.index().position()

    def oldest_event(self) -> float:
        """For how many seconds the event that came first has waited to be recorded; 0 where none waits."""
        folder = os.path.join(self.workspace.places.folder, OUTBOX)
        times = []
        for name in entry_names(folder):
            with contextlib.suppress(FileNotFoundError):  # recorded just now
                times.append(os.stat(os.path.join(folder, name)).st_mtime)
        return self.workspace.options.clock() - min(times) if times else 0.0

    def paths(self) -> Iterator[str]:
        """The files of HEAD that are searched."""
        scope = self.workspace.scope()
        return (path for path, entry in self.workspace.repo.files(self.head) if entry.is_file and scope.indexes(path))

    def size(self, index: Sized) -> int | None:
        """How much an index holds, None before it was built."""
        with self.workspace.searching.turn:
            return index.size() if index.position() is not None or self.head is None else None

    def vectors(self) -> int | None:
        """How many vectors there are, None where they are left out or were never made."""
        vectors = self.workspace.searching.meaning().vectors
        return self.size(vectors) if vectors is not None else None


def counters_of(seen: Seen) -> Counters:
    """What there is to count; what cannot be measured is None."""
    state = seen.workspace.places.folder
    steps, nodes = _measured(Queue(state).status), _measured(seen.summaries)
    facts = _measured(lambda: fact_counts(seen.workspace))
    chunks, extracted = _measured(lambda: seen.size(seen.workspace.searching.index())), _measured(seen.entities)
    return Counters(
        files=_measured(lambda: sum(1 for _ in seen.paths())),
        chunks=chunks,
        entities=extracted.entities if extracted is not None else None,
        vectors=_measured(seen.vectors),
        turns_waiting=_measured(lambda: outbox_status(state).waiting),
        steps_waiting=steps.waiting if steps is not None else None,
        steps_failing=steps.failing if steps is not None else None,
        held=_measured(lambda: len(seen.survey().held)),
        conflicts=_measured(OpenConflicts(seen.workspace.repo, state).count),
        summaries=len(nodes) if nodes is not None else None,
        facts=facts.active if facts is not None else None,
        facts_pinned=facts.pinned if facts is not None else None,
        facts_superseded=facts.superseded if facts is not None else None,
        facts_retracted=facts.retracted if facts is not None else None,
        facts_quarantined=facts.quarantined if facts is not None else None,
        facts_waiting=facts.waiting if facts is not None else None,
        summaries_to_refresh=sum(node.may_get_better for node in nodes) if nodes is not None else None,
        extraction_coverage=_share(extracted.chunks, chunks) if extracted is not None else None,
    )


def _share(part: int, whole: int | None) -> float | None:
    return round(min(1.0, part / whole), 4) if whole else None


def _measured(measure: Callable[[], T | None]) -> T | None:
    try:
        return measure()
    except (Error, OSError):
        return None  # the stage that it belongs to tells why
