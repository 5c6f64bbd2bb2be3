"""What the modes of the memory tree are asked with and answer: values that every way of asking shares.

A score means the same in every mode: how much of what was asked a passage answers, from 0 to 1 (`scoring`). Where nothing was asked
there is none. A node is a summary or a leaf; the id of a leaf is its path and its number in the file, `notes/heron.md#2`.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from memtree.indexers.query import Standing
from memtree.tree.errors import UserError
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

MOST = 100  # hits of one answer
MOST_COVERED = 1_000  # of cover_window
MOST_LEAVES = 20  # that are fetched at once


class BadRequest(UserError):
    """A parameter that cannot be used; `parameter` names it."""

    def __init__(self, parameter: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.parameter = parameter


class NodeKind(enum.StrEnum):
    LEAF = "leaf"
    SUMMARY = "summary"


class Window(NamedTuple):
    """Epoch seconds, both inclusive; None is open. What has no time of its own lies in an open window only."""

    since: int | None = None
    until: int | None = None

    @property
    def is_open(self) -> bool:
        return self.since is None and self.until is None

    def holds(self, start: int | None, end: int | None = None) -> bool:
        """Whether a time, or any part of a span of time, lies in it."""
        if self.is_open:
            return True
        if start is None:
            return False
        last = start if end is None else end
        return (self.since is None or last >= self.since) and (self.until is None or start <= self.until)


class Narrowed(NamedTuple):
    """What an answer is limited to, before anything is cut off. `sources` are names (tree/source_names); none admits all."""

    window: Window = Window()
    sources: tuple[str, ...] = ()
    source_kind: str = ""


class TreeHit(NamedTuple):
    """A node that answers. Lines are 1-based and inclusive; `entities` are ids of those asked for that it speaks of.

    `text` is what is shown: the best stretch of a leaf, the beginning of a summary. Times are epoch seconds. `fact` is how a fact
    stands, None for what is none.
    """

    node_id: str
    node_kind: NodeKind
    path: RepoPath
    start_line: int
    end_line: int
    commit: CommitId
    kind: Kind
    source: str
    level: int
    title: str
    text: str
    entities: tuple[str, ...] = ()
    time_start: int | None = None
    time_end: int | None = None
    score: float | None = None
    children: tuple[str, ...] = ()
    source_ref: str = ""
    fact: Standing | None = None

    @property
    def lines(self) -> str:
        return f"{self.start_line}" if self.start_line == self.end_line else f"{self.start_line}-{self.end_line}"


class Envelope(NamedTuple):
    """Hits, best first; `total` is how many there were before the limit. `route` says how they were found.

    `route` is `local` (by connected entities), `dense` (by words and meaning), `entity`, `source`, `time`, `tree` or `nothing`.
    """

    hits: tuple[TreeHit, ...]
    total: int
    commit: CommitId | None
    route: str = ""
    entities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def truncated(self) -> bool:
        return self.total > len(self.hits)


class FoundEntity(NamedTuple):
    """An entity as the graph knows it: how it is written, by which other ids it goes, in how many chunks it occurs, when last."""

    canonical_id: str
    kind: str
    surface: str
    aliases: tuple[str, ...]
    mention_count: int
    last_seen: int | None


class Entities(NamedTuple):
    """Entities, the best known first."""

    entities: tuple[FoundEntity, ...]
    commit: CommitId | None
    notes: tuple[str, ...] = ()


class FoundSource(NamedTuple):
    """A source: what it holds, from when to when, and how many summaries of each level tell of it."""

    name: str
    kind: str
    files: int
    chunks: int
    first: int | None
    last: int | None
    summaries: tuple[tuple[int, int], ...]


class SourceList(NamedTuple):
    sources: tuple[FoundSource, ...]
    commit: CommitId | None
    notes: tuple[str, ...] = ()


class Ingested(NamedTuple):
    """What became of a document: `change` is `new`, `updated` or `unchanged`."""

    path: RepoPath
    change: str
    commit: CommitId | None
    notes: tuple[str, ...] = ()


Answer = Envelope | Entities | SourceList | Ingested
