"""Turns of conversations as candidates: what each answers where it stands, and those beside the best as candidates too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memtree.engine.memory_tree.finding import Candidate, Finder, Key, admitted_leaf
from memtree.engine.memory_tree.hits import Narrowed
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.indexers.records import Record
from memtree.tree.episode import is_turn_file
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath

AROUND = 2  # turns on either side that a turn is judged with, and that may answer in its place


def in_context(present: Present, finder: Finder, scorer: Scorer, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, turns with how much of the query they answer where they stand."""
    candidates = list(candidates)
    turns = [one for one in candidates if is_turn(one.record)]
    if not turns:
        return candidates
    view = _view(present, finder, turns, AROUND)
    judged = _judged(present, scorer, view, [(one.record.path, one.record.ordinal) for one in turns])
    return [one._replace(in_context=judged.get((one.record.path, one.record.ordinal))) for one in candidates]


def with_neighbours(
    present: Present, finder: Finder, scorer: Scorer, turns: Sequence[Candidate], narrowed: Narrowed
) -> list[Candidate]:
    """Turns and those beside them that are admitted, each with how much of the query it answers where it stands."""
    view = _view(present, finder, turns, 2 * AROUND)
    seeds = {(one.record.path, one.record.ordinal) for one in turns}
    near = {key for one in turns for key in _beside(one.record, AROUND)}
    kept = [
        key
        for key, one in view.items()
        if key in seeds or (key in near and is_turn(one.record) and admitted_leaf(present, one.record, narrowed))
    ]
    judged = _judged(present, scorer, view, kept)
    return [view[key]._replace(in_context=judged[key]) for key in kept]


def is_turn(record: Record) -> bool:
    """Whether a chunk is a turn that stands among others."""
    return record.kind is Kind.EPISODE and record.turn is not None and is_turn_file(record.path)


def _beside(record: Record, reach: int) -> list[Key]:
    assert record.turn is not None
    seq, folder = record.turn.seq, record.path.folder
    return [(RepoPath(f"{folder}/{place:06}.md"), 0) for place in range(max(0, seq - reach), seq + reach + 1) if place != seq]


def _view(present: Present, finder: Finder, turns: Iterable[Candidate], reach: int) -> dict[Key, Candidate]:
    """Turns with those around them, by place."""
    view: dict[Key, Candidate] = {(one.record.path, one.record.ordinal): one for one in turns}
    missing = list(dict.fromkeys(key for one in view.values() for key in _beside(one.record, reach) if key not in view))
    found = (present.healed(lambda: present.text.records_at(missing)) if missing else None) or []
    for one in finder.with_cosines(record for record in found if is_turn(record)):
        view[one.record.path, one.record.ordinal] = one
    return dict(sorted(view.items()))


def _judged(present: Present, scorer: Scorer, view: dict[Key, Candidate], wanted: Iterable[Key]) -> dict[Key, float]:
    from memtree.indexers.conversation import Statistics, Turn
    from memtree.indexers.turn_relevance import TurnRelevance

    words = present.words
    relevance = TurnRelevance(
        scorer.query, words.stem, scorer.coverage, Statistics(words.size, words.frequency), present.word_model
    )
    turns = [
        Turn(
            one.record.path.folder,
            one.record.turn.seq,
            one.record.turn.speaker or one.record.turn.role,
            one.record.text,
            one.record.time,
        )
        for one in view.values()
        if one.record.turn is not None
    ]
    rows = {key: row for row, key in enumerate(view)}
    keys = list(wanted)
    scores = relevance.judge(turns, [one.cosine for one in view.values()], [rows[key] for key in keys])
    return dict(zip(keys, scores, strict=True))
