"""Ranking turns of conversations: what a turn says is often only clear from the turns around it.

Every feature is computed at query time from the candidates' neighbours, so the index holds each turn once and a late turn
changes nothing stored. Scores are brought to 0..1 within the list (min-max), then added with weights. Both come from a study
on LoCoMo conversations, learned on one half and measured on the other; `memtree bench recall` measures them here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from memtree.indexers.embedder import TokenEmbedder, Vectors, normalised
from memtree.indexers.tokens import fold
from memtree.indexers.turn_text import Asked, Prepared, ask, prepare
from memtree.indexers.weights import TurnWeights

Floats = npt.NDArray[np.float64]

_K1, _B = 1.2, 0.75  # BM25's usual constants
_ROOM = 128 * 2**20  # bytes of texts kept prepared; one of a hundred words takes some 150 kB
_COUNTED = 150  # bytes of a word or piece with its count


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it is ranked. `order` is its place in the session; `time` epoch seconds."""

    session: str
    order: int
    speaker: str
    text: str
    time: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A question's words and its whole, each turn's tokens and its whole, as vectors.

    `words` has shape (words, d) and `tokens` (tokens, d) for each turn, normalised; `stems` are the words' own, for their rarity.
    `whole` has shape (D,) and `wholes` (turns, D); those of neighbours are added where turns are looked at together.
    """

    words: Vectors
    stems: Sequence[str]
    whole: Vectors
    tokens: Sequence[Vectors]
    wholes: Vectors

    def without(self, stems: AbstractSet[str]) -> Reading:
        """The same where words with these stems do not count, unless there are no others."""
        kept = [number for number, stem in enumerate(self.stems) if stem not in stems]
        if not kept or len(kept) == len(self.stems):
            return self
        return replace(self, words=self.words[kept], stems=[self.stems[number] for number in kept])


_MEANING = (
    "meaning",
    "meaning_2",
    "meaning_22",
    "tokens",
    "tokens_rare",
    "tokens_2",
    "tokens_2_rare",
    "tokens_5_rare",
    "tokens_next",
    "meaning_answers",
    "static_22",
)
_NEAR_WORDS = ("words_1", "words_5", "covered_2", "covered_22")
_LEXICAL = (*_NEAR_WORDS, "session", "grams")
_SCALED = ("words_1", "words_5", "session", "grams", "answers", *_MEANING)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the index knows of words: how many documents it holds, and in how many a stem occurs."""

    documents: int
    frequency: Callable[[str], int]

    def weight(self, stem: str) -> float:
        """Inverse document frequency, as BM25 has it."""
        found = self.frequency(stem)
        return math.log(1 + (max(self.documents, found) - found + 0.5) / (found + 0.5))


class TurnRanker:
    """Ranks turns. Keeps what it prepared of texts, because neighbours come again with every query."""

    def __init__(self, stem: Callable[[str], list[str]], embedder: TokenEmbedder | None, weights: TurnWeights) -> None:
        self._stem = stem
        self._embedder = embedder
        self._weights = weights
        self._prepared: dict[tuple[str, str], Prepared] = {}  # used last, last
        self._held = 0  # bytes

    def rank(
        self, query: str, turns: Sequence[Turn], statistics: Statistics, read: Reading | None = None
    ) -> list[dict[str, float]]:
        """Per turn what each feature adds to its score. `turns` are sorted by session and order, neighbours included.

        `read` is what a model that reads whole texts made of the question and of these turns. It stands in for the embedder, which
        then adds one feature of its own.
        """
        if not turns:
            return []
        asked = ask(query, self._stem)
        named = asked.named({turn.speaker for turn in turns})
        around = _Around([turn.session for turn in turns])
        prepared = [self._prepare(turn) for turn in turns]
        found = _words(asked, prepared, around, statistics)
        found.update(_signs(asked, asked.subject(named), turns, prepared, around))
        own = _read(*asked.about(named), prepared, self._embedder, self._stem) if self._embedder is not None else None
        meant = read.without(self._stems_of(named)) if read is not None else own
        if meant is not None:
            found.update(_meaning(meant, around, statistics))
            asks = np.array([float(one.has_question) for one in prepared])
            found["meaning_answers"] = around.shifted(found["meaning"] * asks, -1)
        if read is not None and own is not None:
            found["static_22"] = _cosine(around.total(own.wholes.astype(np.float64), 2, 2), own.whole)
        return self._weighted(found, self._factors(asked, words_alone=meant is None), len(turns))

    def _stems_of(self, names: Sequence[str]) -> frozenset[str]:
        return frozenset(stem for name in names for word in name.split() for stem in self._stem(fold(word))[:1])

    def _prepare(self, turn: Turn) -> Prepared:
        key = (turn.speaker, turn.text)
        known = self._prepared.pop(key, None)
        if known is None:
            known = prepare(turn.speaker, turn.text, self._stem, self._embedder)
            self._held += _size(known)
        self._prepared[key] = known
        while self._held > _ROOM and len(self._prepared) > 1:
            # The one used just before: a search goes through whole sessions in their order, and of what is gone through again and
            # again, dropping what was used longest ago would leave nothing that is met again.
            newest = reversed(self._prepared)
            next(newest)
            self._held -= _size(self._prepared.pop(next(newest)))
        return known

    def _factors(self, asked: Asked, *, words_alone: bool) -> dict[str, float]:
        """What words count more or less than their weights say."""
        if words_alone:
            return dict.fromkeys(_LEXICAL, self._weights.words_alone)
        # What belongs to a list is said here and there, each in its own words: those of the question keep to one place.
        return dict.fromkeys(_NEAR_WORDS, self._weights.words_of_lists) if asked.asks_for_several else {}

    def _weighted(self, found: Mapping[str, Floats], factors: Mapping[str, float], count: int) -> list[dict[str, float]]:
        columns = {
            name: getattr(self._weights, name) * factors.get(name, 1.0) * (_min_max(values) if name in _SCALED else values)
            for name, values in found.items()
        }
        return [{name: float(column[row]) for name, column in columns.items() if column[row]} for row in range(count)]


def _size(prepared: Prepared) -> int:
    return prepared.vectors.nbytes + prepared.vector_sum.nbytes + _COUNTED * (len(prepared.stems) + len(prepared.grams))


class _Around:
    """Sums over windows of neighbouring rows that never leave the session."""

    def __init__(self, sessions: Sequence[str]) -> None:
        self.count = len(sessions)
        starts = [row for row in range(self.count) if row == 0 or sessions[row] != sessions[row - 1]]
        ends = [*starts[1:], self.count]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        self._first = np.repeat(np.array(starts), lengths)
        self._end = np.repeat(np.array(ends), lengths)
        self.place = np.arange(self.count) - self._first

    def total(self, values: Floats, before: int, after: int) -> Floats:
        """The sum of each row's window: `before` rows up to `after` rows on."""
        summed = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
        rows = np.arange(self.count)
        low = np.maximum(rows - before, self._first)
        high = np.minimum(rows + after + 1, self._end)
        result: Floats = summed[high] - summed[low]
        return result

    def whole(self, values: Floats) -> Floats:
        """The sum of each row's session."""
        summed = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
        result: Floats = summed[self._end] - summed[self._first]
        return result

    def highest(self, values: Floats, before: int, after: int) -> Floats:
        """The largest of each row's window, column by column."""
        found = values.copy()
        for by in range(1, max(before, after) + 1):
            if by <= before:
                rows = np.flatnonzero(self.place >= by)
                found[rows] = np.maximum(found[rows], values[rows - by])
            if by <= after:
                rows = np.flatnonzero(self._first + self.place + by < self._end)
                found[rows] = np.maximum(found[rows], values[rows + by])
        return found

    def shifted(self, values: Floats, by: int) -> Floats:
        """Each row's value `by` rows away, 0 beyond the session."""
        rows = np.arange(self.count) + by
        inside = (rows >= self._first) & (rows < self._end)
        result: Floats = np.where(inside, values[np.clip(rows, 0, self.count - 1)], 0.0)
        return result


def _words(asked: Asked, prepared: Sequence[Prepared], around: _Around, statistics: Statistics) -> dict[str, Floats]:
    counts = _counts([one.stems for one in prepared], asked.stems)
    lengths = np.array([float(one.length) for one in prepared])
    rarity = np.array([statistics.weight(stem) for stem in asked.stems])
    average = max(1.0, float(lengths.mean()))

    def bm25(before: int, after: int) -> Floats:
        size = around.total(lengths, before, after)
        return _bm25(around.total(counts, before, after), size, average * (1 + before + after), rarity)

    alone = bm25(0, 0)
    questions = np.array([float(one.has_question) for one in prepared])
    sessions = around.whole(lengths)
    grams = _counts([one.grams for one in prepared], asked.grams)
    gram_sizes = np.array([float(one.gram_count) for one in prepared])
    present = (grams > 0).sum(axis=0)
    gram_rarity = np.log(1 + (len(prepared) - present + 0.5) / (present + 0.5))
    return {
        "words_1": bm25(1, 0),
        "words_5": bm25(5, 5),
        "session": _bm25(around.whole(counts), sessions, max(1.0, float(sessions.mean())), rarity),
        "grams": _bm25(grams, gram_sizes, max(1.0, float(gram_sizes.mean())), gram_rarity),
        "covered_2": _covered(around.total(counts, 2, 0), rarity),
        "covered_22": _covered(around.total(counts, 2, 2), rarity),
        "answers": around.shifted(alone * questions, -1),
    }


def _signs(asked: Asked, subject: str, turns: Sequence[Turn], prepared: Sequence[Prepared], around: _Around) -> dict[str, Floats]:
    """Features that are no scores: who speaks, when, and what kind of sentence it is."""
    return {
        "speaker": np.array([float(bool(subject) and turn.speaker == subject) for turn in turns]),
        "question": np.array([float(one.is_question) for one in prepared]),
        "date": np.array([asked.date_match(turn.time) for turn in turns]),
        "when": np.array([float(asked.asks_when and one.names_time) for one in prepared]),
        "time_word": np.array([float(one.names_time) for one in prepared]),
        "length": np.array([math.log(1 + one.words) / 5 for one in prepared]),
        "names": np.array([math.log(1 + one.capitals) / 3 for one in prepared]),
        "opening": (around.place < 2).astype(np.float64),
    }


def _read(
    text: str, words: Sequence[str], prepared: Sequence[Prepared], embedder: TokenEmbedder, stem: Callable[[str], list[str]]
) -> Reading:
    wholes = np.stack([one.vector_sum for one in prepared])
    stems = [(stem(word) or [word])[0] for word in words]
    whole = normalised(embedder.total(text))
    return Reading(embedder.word_vectors(words), stems, whole, [one.vectors for one in prepared], wholes)


def _meaning(read: Reading, around: _Around, statistics: Statistics) -> dict[str, Floats]:
    query, sums = read.whole, read.wholes.astype(np.float64)
    best = np.stack([_best(read.words, tokens) for tokens in read.tokens])
    rarity = np.array([statistics.weight(stem) for stem in read.stems]) if len(read.words) else np.ones(1)
    rarity = rarity / max(float(rarity.sum()), 1e-9)
    before = around.highest(best, 2, 0)
    return {
        "meaning": _cosine(sums, query),
        "meaning_2": _cosine(around.total(sums, 2, 0), query),
        "meaning_22": _cosine(around.total(sums, 2, 2), query),
        "tokens": best.mean(axis=1),
        "tokens_rare": best @ rarity,
        "tokens_2": before.mean(axis=1),
        "tokens_2_rare": before @ rarity,
        "tokens_5_rare": around.highest(best, 5, 5) @ rarity,
        "tokens_next": around.shifted(best @ rarity, 1),
    }


def _best(words: npt.NDArray[np.float32], tokens: npt.NDArray[np.float32]) -> Floats:
    """For each query word the best cosine among a turn's tokens."""
    if not len(words):
        return np.zeros(1)
    if not len(tokens):
        return np.zeros(len(words))
    return np.asarray((words @ tokens.T).max(axis=1), np.float64)


def _cosine(rows: Floats, query: npt.NDArray[np.float32]) -> Floats:
    lengths = np.linalg.norm(rows, axis=1)
    found: Floats = np.divide(rows @ query.astype(np.float64), lengths, out=np.zeros(len(rows)), where=lengths > 0)
    return found


def _counts(texts: Sequence[Mapping[str, int]], wanted: Sequence[str]) -> Floats:
    """How often each wanted term occurs in each text, shape (texts, terms)."""
    column = {term: at for at, term in enumerate(wanted)}
    found = np.zeros((len(texts), max(1, len(wanted))))
    for row, text in enumerate(texts):
        for term in text.keys() & column.keys():
            found[row, column[term]] = text[term]
    return found


def _bm25(counts: Floats, sizes: Floats, average: float, rarity: Floats) -> Floats:
    if not rarity.size:
        return np.zeros(len(counts))
    norm = _K1 * (1 - _B + _B * sizes / average)[:, None]
    result: Floats = (counts * (_K1 + 1) / (counts + norm)) @ rarity
    return result


def _covered(counts: Floats, rarity: Floats) -> Floats:
    if not rarity.size or not rarity.sum():
        return np.zeros(len(counts))
    result: Floats = (counts > 0) @ rarity / rarity.sum()
    return result


def _min_max(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    scaled: Floats = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return scaled
