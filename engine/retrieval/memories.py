"""memory_recall: the passages that a search by words and meaning ranks first, each with the one score that every answer has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from memtree.engine.facts.recalling import ANSWERS
from memtree.engine.memory_tree.finding import Finder
from memtree.engine.memory_tree.hits import BadRequest, Envelope, Narrowed, TreeHit
from memtree.engine.memory_tree.leaves import leaf, passage, records_of
from memtree.engine.memory_tree.modes import EMPTY
from memtree.engine.memory_tree.narrowing import leaf_query, refuse_unknown
from memtree.engine.memory_tree.present import Present, present
from memtree.engine.memory_tree.query_entities import entities_of
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.memory_tree.turns import in_context
from memtree.engine.memory_tree.walking import FLOOR
from memtree.indexers.query import Hit, Query
from memtree.indexers.records import Record
from memtree.tree.errors import Error
from memtree.tree.kinds import Kind

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

NOTHING = "No memories found matching that query."
MOST = 50
_QUERY = 10_000  # characters


def recall_memories(
    workspace: Workspace,
    query: str,
    *,
    limit: int = 5,
    kinds: Sequence[Kind] = (),
    sources: Sequence[str] = (),
    as_of: int | None = None,
    past: bool = False,
) -> Envelope:
    """Passages in the order in which a search ranks them; none where the best of them has nothing to do with the query.

    Facts come that hold, with `as_of` (epoch seconds) those that did so then, whenever memory learned of them, and nothing that was
    said later; with `past` the others too, below them.
    A score is the one that every mode gives; what a search ranks by is made of more, so scores need not fall from hit to hit.
    What is not saved is not captured. Raise BadRequest.
    """
    if not query.strip():
        raise BadRequest("query", "query is blank", "give a few telling words, or a question")
    if len(query) > _QUERY:
        raise BadRequest("query", f"query has {len(query):,} characters", f"at most {_QUERY:,} are read")
    if not 1 <= limit <= MOST:
        raise BadRequest("limit", f"limit is {limit:,}", f"it may be 1 to {MOST}")
    with workspace.searching.turn:
        now = present(workspace, as_of=as_of)
        if now is None:
            return Envelope((), 0, None, "nothing", notes=(EMPTY,))
        refuse_unknown("sources", sources, now.sources)
        asked = Query(query, kinds=tuple(kinds))
        if sources:
            narrowed = leaf_query(query, Narrowed(sources=tuple(sources)), now.content, now.pages)
            asked = narrowed._replace(kinds=asked.kinds or narrowed.kinds)
        mode = workspace.settings.search.mode
        report = workspace.searching.search(asked._replace(limit=limit, mode=mode, past=past, as_of=as_of))
        for note in report.notes:
            now.note(note)
        hits = tuple(_scored(now, query, report.hits))
        answered = any(name == ANSWERS for hit in report.hits for name, _ in hit.parts)
        kept = hits if answered or any((hit.score or 0.0) >= FLOOR for hit in hits) else ()
        return Envelope(kept, len(kept), now.tip, "dense" if kept else "nothing", notes=tuple(now.notes))


def _scored(now: Present, query: str, hits: Iterable[Hit]) -> Iterator[TreeHit]:
    scorer = _scorer(now, query)
    records = [record for hit in hits if (record := _record(now, hit)) is not None]
    finder = Finder(now, query)
    for candidate in in_context(now, finder, scorer, finder.with_cosines(records)):
        text = passage(candidate.record)
        entities = scorer.entities_in(text)
        score = scorer.score(text, candidate.cosine, entities, candidate.in_context)
        yield leaf(now, candidate.record, scorer)._replace(score=score, entities=entities)


def _scorer(now: Present, query: str) -> Scorer:
    """Who or what the query speaks of counts where the graph knows it; recalling builds no graph."""
    try:
        built = now.workspace.searching.graph().position() is not None
    except (Error, OSError):
        built = False
    groups = entities_of(now, query) if built else {}
    return Scorer(query, now.words, {group.id: group.ids for group in groups.values()})


def _record(now: Present, hit: Hit) -> Record | None:
    """The chunk that a search found, None where its file does not hold it any more."""
    there = records_of(now, hit.path)
    exact = (one for one in there if (one.start_line, one.end_line) == (hit.start_line, hit.end_line))
    return next(exact, None) or next((one for one in there if one.start_line <= hit.start_line <= one.end_line), None)
