"""What is asked of an index and what it answers: named tuples, as whoever asks a daemon waits for everything that is imported."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from memtree.tree.source_names import Place

if TYPE_CHECKING:
    from memtree.tree.objects import CommitId


class Mode(enum.Enum):
    """Which legs of a search count: the words, the meaning, or both."""

    HYBRID = "hybrid"
    TEXT = "text"
    VECTOR = "vector"


class Query(NamedTuple):
    """Words as a person typed them, and filters; an unset filter admits everything.

    `past` is whether facts that hold no longer, or not yet, come too, below all that does. With `as_of` (epoch seconds) facts come
    as they stood then, and nothing that is dated later.

    `path` is a folder (or file) or a glob with `*`, `?` and `**`. Of the `places` one must hold a file. `since` and `until` are
    epoch seconds, inclusive. A document with a time of its own is judged by that; an undated one is inside the window only if its
    path is in `changed`.
    """

    text: str
    limit: int = 10
    kinds: tuple[Kind, ...] = ()
    path: str = ""
    since: int | None = None
    until: int | None = None
    changed: frozenset[str] | None = None
    mode: Mode = Mode.HYBRID
    places: tuple[Place, ...] = ()
    past: bool = True
    as_of: int | None = None


class Standing(NamedTuple):
    """How a fact stands now: its id and state, from when and until when it holds (ISO, '' for open).

    `mark` is what is said of one that does not hold now, such as `superseded 2026-03-01`; '' for the others.
    """

    id: str
    state: str
    valid_at: str
    invalid_at: str
    mark: str = ""


class Hit(NamedTuple):
    """A stretch of a file that answers a query, as of `commit`. `highlights` are character ranges in `snippet`.

    `parts` are what the score is the sum of, by name, where a ranking knows them. `fact` is how a fact stands, None for others.
    """

    path: RepoPath
    kind: Kind
    title: str
    heading: str
    start_line: int
    end_line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    time: int | None
    commit: CommitId
    parts: tuple[tuple[str, float], ...] = ()
    fact: Standing | None = None
