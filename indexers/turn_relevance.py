"""Relevance of turns: how much of a query a turn answers where it stands, 0 to 1, the same in every list and for every index.

`conversation` ranks the turns of one search: it scales what it finds within the list, so its figures cannot be compared with those
of another. Here every feature has a scale of its own, only two turns on either side are looked at, and what a turn gets depends on
nothing but the query and those. The weights were learned on LoCoMo conversations by listwise softmax; the sum is brought to 0..1 by
a logistic curve on which turns that answer, and turns that do not, have on average the scores that their words and meaning alone
have (0.56 and 0.24): so turns and notes can stand in one list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from memtree.indexers.conversation import Statistics, Turn
from memtree.indexers.coverage import Coverage
from memtree.indexers.embedder import TokenEmbedder, Vectors
from memtree.indexers.tokens import STOP_WORDS, fold
from memtree.indexers.turn_text import Signs, ask, signs_of, units_of

AROUND = 2  # turns on either side
_KEPT = 20_000  # words whose vectors are kept, some 20 MB
_BATCH = 1_000  # words embedded at once
_SUPPORT = 0.15  # what holds less than this of a query, with the turns around, counts less

Floats = npt.NDArray[np.float64]


class Weights(NamedTuple):
    """What each feature counts, and the logistic curve: its middle and its width."""

    own: float  # share of the query's words in the turn
    near: float  # in the turn and two on either side
    answers: float  # in the turn before, where that is a question
    words: float  # best cosine per query word, rare ones counting more
    words_near: float  # of two on either side
    meaning: float  # cosine of the turn
    meaning_near: float  # mean of two on either side
    speaker: float = 2.4  # the query asks what this speaker said or did
    question: float = -0.6  # the turn is a question itself
    date: float = 6.0  # a month, year or day in the query matches the turn's; 9 was learned, where most dates are those of turns
    when: float = 2.4  # the query asks for a time and the turn names one
    length: float = 2.6
    names: float = 1.3
    middle: float = 12.7
    width: float = 5.1


MEANT = Weights(0.4, 2.2, 2.7, 2.4, 5.3, 1.8, 6.5)
WORDS_ALONE = Weights(3.7, 8.0, 2.5, 0.0, 0.0, 0.0, 0.0, length=2.2, names=1.7, middle=10.4, width=4.7)


class TurnRelevance:
    """Judges turns against one query. Without an embedder, or where a turn's cosine is not known, words alone decide."""

    def __init__(
        self,
        query: str,
        stem: Callable[[str], list[str]],
        coverage: Coverage,
        statistics: Statistics,
        embedder: TokenEmbedder | None,
    ) -> None:
        self._asked = ask(query, stem)
        self._coverage = coverage
        self._embedder = embedder
        self._words = self._asked.about()[1]
        self._rarity = np.array([statistics.weight((stem(word) or [word])[0]) for word in self._words])
        self._subjects: dict[frozenset[str], tuple[str, Floats]] = {}

    def judge(self, turns: Sequence[Turn], cosines: Sequence[float | None], wanted: Sequence[int]) -> list[float]:
        """How much of the query each of the turns at the `wanted` places answers; all the others only stand around them."""
        at = {(turn.session, turn.order): row for row, turn in reversed(list(enumerate(turns)))}
        held = [self._coverage.terms_in(f"{turn.speaker}\n{turn.text}") for turn in turns]
        signs = [signs_of(turn.speaker, turn.text) for turn in turns]
        best = self._best(turns) if self._embedder is not None and self._words else None
        return [self._one(row, list(_window(turns[row], row, at)), turns, cosines, held, signs, best, at) for row in wanted]

    def _one(
        self,
        row: int,
        window: Sequence[int],
        turns: Sequence[Turn],
        cosines: Sequence[float | None],
        held: Sequence[frozenset[int]],
        signs: Sequence[Signs],
        best: Floats | None,
        at: Mapping[tuple[str, int], int],
    ) -> float:
        turn, asked, coverage = turns[row], self._asked, self._coverage
        cosine, sign = cosines[row], signs[row]
        weights = MEANT if cosine is not None and best is not None else WORDS_ALONE
        subject, rarity = self._subject(frozenset(turns[one].speaker for one in window))
        near = self._share(frozenset().union(*(held[one] for one in window)))
        before = at.get((turn.session, turn.order - 1))
        total = weights.own * self._share(held[row]) + weights.near * near
        if before is not None and signs[before].has_question:
            total += weights.answers * self._share(held[before])
        support = near
        if cosine is not None and best is not None:
            known = [one for place in window if (one := cosines[place]) is not None]
            together = sum(known) / len(known)
            total += weights.words * float(best[row] @ rarity) + weights.words_near * float(best[list(window)].max(axis=0) @ rarity)
            total += weights.meaning * cosine + weights.meaning_near * together
            support = max(near, 2 * (max(cosine, together) - 0.1))
        total += weights.speaker * (bool(subject) and turn.speaker == subject) + weights.question * sign.is_question
        total += weights.date * asked.date_match(turn.time) + weights.when * (asked.asks_when and sign.names_time)
        total += weights.length * math.log(1 + sign.words) / 5 + weights.names * math.log(1 + sign.capitals) / 3
        share = 1 / (1 + math.exp((weights.middle - total) / weights.width))
        return share * max(0.0, min(1.0, support / _SUPPORT)) if coverage.terms or cosine is not None else 0.0

    def _share(self, held: frozenset[int]) -> float:
        return self._coverage.weight(held) / self._coverage.asked if self._coverage.asked else 0.0

    def _subject(self, speakers: frozenset[str]) -> tuple[str, Floats]:
        """Of those who speak hereabouts whose turns answer, and what the query's words weigh: who speaks tells nothing of what."""
        found = self._subjects.get(speakers)
        if found is None:
            named = self._asked.named(speakers)
            names = {word for name in named for word in units_of(fold(name))}
            rarity = self._rarity * np.array([word not in names for word in self._words], np.float64)
            rarity = rarity if rarity.any() else self._rarity
            total = max(float(rarity.sum()), 1e-9)
            found = self._subjects[speakers] = self._asked.subject(named), rarity / total
        return found

    def _best(self, turns: Sequence[Turn]) -> Floats:
        """Per turn and query word the best cosine among the turn's words."""
        assert self._embedder is not None
        texts = [[word for word in units_of(fold(turn.text)) if word not in STOP_WORDS] for turn in turns]
        number = {word: place for place, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
        asked = self._embedder.word_vectors(self._words).T
        some = _vectors(self._embedder, list(number)) @ asked
        near = np.concatenate([some, np.zeros((1, len(self._words)), np.float32)])
        rows = [[number[word] for word in text] or [len(number)] for text in texts]
        starts = np.cumsum([0, *(len(row) for row in rows[:-1])])
        found: Floats = np.maximum.reduceat(near[[one for row in rows for one in row]], starts).astype(np.float64)
        return found


def _window(turn: Turn, row: int, at: Mapping[tuple[str, int], int]) -> Iterator[int]:
    for by in range(-AROUND, AROUND + 1):
        place = at.get((turn.session, turn.order + by)) if by else row
        if place is not None:
            yield place


_KNOWN: WeakKeyDictionary[TokenEmbedder, dict[str, Vectors]] = WeakKeyDictionary()  # most words come again with every query


def _vectors(embedder: TokenEmbedder, words: list[str]) -> Vectors:
    """One row a word. Who asks holds the turn of the indexes that the embedder belongs to."""
    known = _KNOWN.setdefault(embedder, {})
    if len(known) > _KEPT:
        known.clear()
    for part in _parts([word for word in words if word not in known]):
        known.update(zip(part, embedder.word_vectors(part), strict=True))
    return np.stack([known[word] for word in words]) if words else np.zeros((0, embedder.word_vectors(["a"]).shape[1]), np.float32)


def _parts(words: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(words), _BATCH):
        yield words[start : start + _BATCH]
