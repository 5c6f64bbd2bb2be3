"""Hybrid search: candidates by words and by meaning, fused; turns of conversations ranked by what stands around them.

Both indexes stay what they are: this asks them, and combines what they say. Without vectors (none built yet, or no embedder) the
words answer alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtree.indexers.conversation import Statistics, Turn, TurnRanker
from memtree.indexers.embedder import ContextEmbedder, Embedder, TokenEmbedder
from memtree.indexers.evidence_first import evidence_first, is_summary
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.fusion import CANDIDATES, Key, Parts, fuse, merged, ranked, without_repeats
from memtree.indexers.query import Hit, Mode, Query
from memtree.indexers.records import Record
from memtree.indexers.turn_reading import TurnReader
from memtree.indexers.vectors import VectorIndex
from memtree.indexers.weights import Ranking
from memtree.tree.kinds import Kind

_PER_FILE = 2
_AROUND = 2  # turns on either side of a candidate that may answer in its place
_VIEW = 3_000  # turns looked at for one query


@dataclass(frozen=True, slots=True)
class _Found:
    """Candidates by key, what each leg says of them, and what ranking needs to know. `records` are those that were read so far."""

    records: dict[Key, Record] = field(default_factory=dict)
    text: dict[Key, float] = field(default_factory=dict)
    vector: dict[Key, float] = field(default_factory=dict)
    kinds: dict[Key, Kind] = field(default_factory=dict)
    times: dict[Key, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Keys best first, their scores, what each is made of (of notes their fusion says it), and records beside the candidates'."""

    keys: Sequence[Key] = ()
    scores: Mapping[Key, float] = field(default_factory=dict)
    explained: Mapping[Key, Mapping[str, float]] = field(default_factory=dict)
    records: Mapping[Key, Record] = field(default_factory=dict)


class Hybrid:
    def __init__(
        self,
        text: FullTextIndex,
        vectors: VectorIndex | None,
        embedder: Embedder | None,
        ranking: Ranking,
        clock: Callable[[], float],
        static: TokenEmbedder | None = None,
    ) -> None:
        """`static` stands beside an embedder that reads whole texts: it ranks turns until that one has read them all."""
        self._text = text
        self._vectors = vectors
        self._embedder = embedder
        self._ranking = ranking
        self._clock = clock
        alone = embedder if isinstance(embedder, TokenEmbedder) else None
        context = embedder if embedder is not None and isinstance(embedder, ContextEmbedder) else None
        tokens = alone if static is None else static
        self._turns = TurnRanker(text.stem, tokens, ranking.turns)
        self._words_alone = TurnRanker(text.stem, None, ranking.turns)
        self._read_turns = TurnRanker(text.stem, tokens, ranking.read_turns)
        self._reader: TurnReader | None = (
            TurnReader(vectors, context, text.stem) if vectors is not None and context is not None else None
        )

    def search(self, query: Query) -> list[Hit]:
        """Return the best hits, best first; never raises for what the text holds."""
        if query.limit < 1 or not query.text.strip():
            return []
        found = self._candidates(query)
        plain = self._fused(found)
        # Asked for meaning alone, turns are ranked by it as everything else is: what stands around them is mostly words.
        alone = query.mode is Mode.VECTOR
        turns = _Ranked() if alone else self._conversations(query, found, plain)
        groups = [self._notes(found, plain, by_meaning_alone=alone), turns]
        scores = dict(merged([(group.keys, group.scores) for group in groups]))
        scores = evidence_first(query, scores, lambda key: is_summary(key[0], found.kinds.get(key)))
        records = {**found.records, **turns.records}
        show = self._text.shower(query)
        hits = ((key, show(records[key], round(scores[key], 4))) for key in self._kept(list(scores), records, query.limit))
        return [_with_parts(hit, turns.explained.get(key) or _parts(plain[key], scores[key])) for key, hit in hits]

    # -- candidates
    def _candidates(self, query: Query) -> _Found:
        found = _Found()
        if query.mode is not Mode.VECTOR:
            for record, score in self._text.candidates(query, CANDIDATES):
                key: Key = (record.path, record.ordinal)
                found.records[key], found.text[key] = record, score
                found.kinds[key], found.times[key] = record.kind, record.time
        if query.mode is not Mode.TEXT and self._vectors is not None and self._embedder is not None:
            for near in self._vectors.nearest(self._embedder.embed_query(query.text), CANDIDATES, allowed=query):
                if near.score >= self._ranking.fusion.floor:
                    key = near.path, near.ordinal
                    found.vector[key] = near.score
                    found.kinds.setdefault(key, near.kind)
                    found.times.setdefault(key, near.time)
        turns = [key for key in found.vector if key not in found.records and found.kinds[key] is Kind.EPISODE]
        self._read(turns, found.records)
        for key in turns:
            if key not in found.records:  # what one index has and the other has not (yet) is no answer: a hit must be shown
                del found.vector[key]
        return found

    def _read(self, keys: Iterable[Key], records: dict[Key, Record]) -> None:
        """Add what is stored of chunks; those that are not there stay missing."""
        for record in self._text.records_at(keys):
            records[record.path, record.ordinal] = record

    def _kept(self, keys: list[Key], records: dict[Key, Record], limit: int) -> list[Key]:
        """The best keys that are shown. Chunks are read as far as needed: most candidates never are."""
        episodes = [record for record in records.values() if record.kind is Kind.EPISODE]
        looked_at = 4 * limit + 20
        while True:
            some = keys[:looked_at]
            self._read([key for key in some if key not in records], records)
            there = _one_of_a_turn([key for key in some if key in records], records, episodes)
            kept = without_repeats(there, lambda key: records[key].text, per_file=_PER_FILE, limit=limit)
            if len(kept) == limit or looked_at >= len(keys):
                return kept
            looked_at *= 4

    def _fused(self, found: _Found) -> dict[Key, Parts]:
        weights = self._ranking.fusion
        if not found.vector:
            weights = replace(weights, text=weights.text + weights.vector, vector=0.0)
        elif not found.text:
            weights = replace(weights, vector=weights.text + weights.vector, text=0.0)
        return fuse(found.text, found.vector, weights, times=found.times, now=self._clock())

    # -- ranking
    def _notes(self, found: _Found, plain: Mapping[Key, Parts], *, by_meaning_alone: bool) -> _Ranked:
        totals = {key: part.total for key, part in plain.items() if by_meaning_alone or found.kinds[key] is not Kind.EPISODE}
        return _Ranked(ranked(totals), totals)

    def _conversations(self, query: Query, found: _Found, plain: Mapping[Key, Parts]) -> _Ranked:
        """Turns, the candidates' neighbours among them, on the scale of the plain scores."""
        chosen = [key for key in plain if found.kinds[key] is Kind.EPISODE]
        if not chosen:
            return _Ranked()
        view = self._view(found, chosen)
        turns = [_turn(record) for record in view]
        keys: list[Key] = [(str(record.path), record.ordinal) for record in view]
        by_words = query.mode is Mode.TEXT or self._vectors is None
        read = self._reader.read(query.text, keys) if self._reader is not None and not by_words else None
        ranker = self._words_alone if by_words else self._turns if read is None else self._read_turns
        features = ranker.rank(query.text, turns, Statistics(self._text.size(), self._text.frequency), read)
        may_answer = self._admitted(query, keys, view, set(chosen))
        totals = {key: sum(parts.values()) for key, parts in zip(keys, features, strict=True) if key in may_answer}
        best_plain = max(plain[key].total for key in chosen)
        low, high = min(totals.values()), max(totals.values())
        # Onto the scale of the plain scores: the best turn counts as its best plain score, the last as nothing.
        scale, offset = (best_plain / (high - low), -low) if high > low else (0.0, 0.0)
        scores = {key: scale * (total + offset) if scale else best_plain for key, total in totals.items()}
        explained = {
            key: {**{name: scale * value for name, value in parts.items()}, "scale": scale * offset if scale else best_plain}
            for key, parts in zip(keys, features, strict=True)
        }
        order = sorted(scores, key=lambda key: (-scores[key], key))
        return _Ranked(order, scores, explained, dict(zip(keys, view, strict=True)))

    def _view(self, found: _Found, chosen: Iterable[Key]) -> list[Record]:
        """The candidates' sessions, or of very long ones what stands around the candidates; sorted by session and order."""
        folders = sorted({found.records[key].path.folder for key in chosen})
        records: dict[Key, Record] = {(one.path, one.ordinal): one for one in self._text.records_in(folders, _VIEW)}
        records.update((key, found.records[key]) for key in chosen)
        turns = [one for one in records.values() if one.kind is Kind.EPISODE]
        return sorted(turns, key=lambda one: (*(one.turn.key if one.turn else (one.path.folder, 0)), one.path, one.ordinal))

    def _admitted(self, query: Query, keys: Sequence[Key], view: Sequence[Record], chosen: set[Key]) -> set[Key]:
        """The candidates, and their neighbours where no filter speaks of single files."""
        if query.since is not None or query.until is not None or set("*?") & set(query.path):
            return chosen
        rows = [row for row, key in enumerate(keys) if key in chosen]
        near = {row + by for row in rows for by in range(-_AROUND, _AROUND + 1)}
        folder = query.path.strip("/")
        sessions = {view[row].path.folder for row in rows}
        return chosen | {
            keys[row]
            for row in near
            if 0 <= row < len(keys)
            and view[row].path.folder in sessions
            and view[row].path.within(folder)
            and _of_a_place(view[row], query)
        }


def _of_a_place(record: Record, query: Query) -> bool:
    return not query.places or any(place.holds(record.path, record.kind) for place in query.places)


def _parts(found: Parts, score: float) -> dict[str, float]:
    """What a score is made of; of a summary that stands below its evidence also what that costs it."""
    return {**found._asdict(), "summary": score - found.total if abs(score - found.total) > 1e-6 else 0.0}


def _with_parts(hit: Hit, parts: Mapping[str, float]) -> Hit:
    return hit._replace(parts=tuple((name, round(value, 4)) for name, value in parts.items() if value))


_TELLING = 20  # characters of a turn that tell it from others


def _one_of_a_turn(keys: Iterable[Key], records: Mapping[Key, Record], episodes: Iterable[Record]) -> list[Key]:
    """A turn that stands in `episodic/` and in `chat/` is one answer: the episode's."""
    turns = {one.turn.key for one in episodes if one.turn is not None}
    texts = {_said(one.text) for one in episodes}
    long = [text for text in texts if len(text) >= _TELLING]

    def repeats(record: Record) -> bool:
        if record.turn is not None and record.turn.key in turns:
            return True
        said = _said(record.text)
        return said in texts or any(text in said for text in long)

    return [key for key in keys if records[key].kind is not Kind.CHAT or not repeats(records[key])]


def _turn(record: Record) -> Turn:
    said = record.turn
    if said is None:
        return Turn(record.path.folder, record.ordinal, "", record.text, record.time)
    return Turn(said.session, said.seq, said.speaker or said.role, record.text, record.time)


def _said(text: str) -> str:
    return " ".join(text.split())
