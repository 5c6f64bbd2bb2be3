"""Ranking turns of conversations: what a turn says is often only clear from the turns around it.

Every feature is computed at query time from the candidates' neighbours, so the index holds each turn once and a late turn
changes nothing stored. Scores are brought to 0..1 within the list (min-max), then added with weights. Both come from a study
on LoCoMo conversations, learned on one half and measured on the other; `memtree bench recall` measures them here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memtree.indexers.embedder import TokenEmbedder
from memtree.indexers.turn_text import Asked, Prepared, ask, prepare
from memtree.indexers.weights import TurnWeights

Floats = npt.NDArray[np.float64]

_K1, _B = 1.2, 0.75  # BM25's usual constants
_MANY = 4_000  # texts kept prepared


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it is ranked. `order` is its place in the session; `time` epoch seconds."""

    session: str
    order: int
    speaker: str
    text: str
    time: int | None = None


_MEANING = ("meaning", "meaning_2", "meaning_22", "tokens", "tokens_rare", "tokens_2", "tokens_2_rare", "tokens_next")
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
        self._prepared: dict[tuple[str, str], Prepared] = {}

    def rank(self, query: str, turns: Sequence[Turn], statistics: Statistics) -> list[dict[str, float]]:
        """Per turn what each feature adds to its score. `turns` are sorted by session and order, neighbours included."""
        if not turns:
            return []
        asked = ask(query, self._stem)
        around = _Around([turn.session for turn in turns])
        prepared = [self._prepare(turn) for turn in turns]
        found = _words(asked, prepared, around, statistics)
        found.update(_signs(asked, turns, prepared, around))
        if self._embedder is not None:
            found.update(_meaning(asked, prepared, around, statistics, self._embedder))
        return self._weighted(found, len(turns))

    def _prepare(self, turn: Turn) -> Prepared:
        key = (turn.speaker, turn.text)
        known = self._prepared.get(key)
        if known is None:
            if len(self._prepared) >= _MANY:
                self._prepared.clear()
            known = prepare(turn.speaker, turn.text, self._stem, self._embedder)
            self._prepared[key] = known
        return known

    def _weighted(self, found: Mapping[str, Floats], count: int) -> list[dict[str, float]]:
        columns = {
            name: getattr(self._weights, name) * (_min_max(values) if name in _SCALED else values) for name, values in found.items()
        }
        return [{name: float(column[row]) for name, column in columns.items() if column[row]} for row in range(count)]


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


def _signs(asked: Asked, turns: Sequence[Turn], prepared: Sequence[Prepared], around: _Around) -> dict[str, Floats]:
    """Features that are no scores: who speaks, when, and what kind of sentence it is."""
    speakers = {turn.speaker for turn in turns if turn.speaker}
    named = asked.named(speakers)
    return {
        "speaker": np.array([float(len(named) == 1 and turn.speaker in named) for turn in turns]),
        "question": np.array([float(one.is_question) for one in prepared]),
        "date": np.array([asked.date_match(turn.time) for turn in turns]),
        "when": np.array([float(asked.asks_when and one.names_time) for one in prepared]),
        "time_word": np.array([float(one.names_time) for one in prepared]),
        "length": np.array([math.log(1 + one.words) / 5 for one in prepared]),
        "names": np.array([math.log(1 + one.capitals) / 3 for one in prepared]),
        "opening": (around.place < 2).astype(np.float64),
    }


def _meaning(
    asked: Asked, prepared: Sequence[Prepared], around: _Around, statistics: Statistics, embedder: TokenEmbedder
) -> dict[str, Floats]:
    words, query = asked.vectors(embedder)
    sums = np.stack([one.vector_sum for one in prepared]).astype(np.float64)
    best = np.stack([_best(words, one.vectors) for one in prepared])
    rarity = np.array([statistics.weight(stem) for stem in asked.word_stems]) if len(words) else np.ones(1)
    rarity = rarity / max(float(rarity.sum()), 1e-9)
    window = np.maximum(best, np.maximum(_moved(around, best, -1), _moved(around, best, -2)))
    return {
        "meaning": _cosine(sums, query),
        "meaning_2": _cosine(around.total(sums, 2, 0), query),
        "meaning_22": _cosine(around.total(sums, 2, 2), query),
        "tokens": best.mean(axis=1),
        "tokens_rare": best @ rarity,
        "tokens_2": window.mean(axis=1),
        "tokens_2_rare": window @ rarity,
        "tokens_next": around.shifted(best @ rarity, 1),
    }


def _moved(around: _Around, best: Floats, by: int) -> Floats:
    return np.stack([around.shifted(best[:, column], by) for column in range(best.shape[1])], axis=1)


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
