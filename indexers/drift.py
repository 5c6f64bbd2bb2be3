"""Drift: whether what a user says now still has to do with what they said before.

The plain cosine of two short texts says little: with the default model, turns of one topic lie at 0.16 to 0.28 in English and
strangers at 0.08, in Chinese at 0.62 to 0.76 and 0.67 to 0.76. So two things are taken out. What a model gives to every text of a
language, by subtracting the mean of everyday sentences; and how near turns of one topic lie at all, by dividing through a share of
the cosine that the turns before have with one another. What is left means the same in both languages: 1 goes on, 0 is new.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from memtree.indexers.embedder import Embedder, Vectors, normalised
from memtree.indexers.everyday import common_vector
from memtree.indexers.relevance import telling_words
from memtree.indexers.tokens import fold, pairs
from memtree.tree.prose import prose_of

# Measured with the default model on conversations in both languages; see docs/performance.md.
_WORDS = 4.0  # telling words that a turn needs to be judged
_WORDS_BEFORE = 3.0  # and to be judged by
_TURNS = 3  # of those before
_BEFORE = 40  # turns that are looked at
_PAIR = 0.6  # words that two neighbouring Chinese characters count as
_TYPICAL = 0.15  # cosine of a further turn of one topic to the turns before it, where too few turns tell
_TYPICAL_TURNS = 4  # how many turns that guess counts as
_LEAST = 0.1
_GOES_ON = 0.4  # what a turn needs of the usual nearness to be as near as can be: one topic moves on with every turn
_LAST = 3  # turns in which a word said again shows that the topic is still the same
_STEM = 5  # letters

_READ, _LONGEST = 8_000, 2_000  # characters of a turn that are read, and of its prose that are looked at
_KEPT = 128  # turns

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]{2}")
# Pairs with these tell nothing of a topic.
_COMMON = re.compile("[的了是在我你他她它们也就都要会不有这那什么怎吗呢吧和与把给让请还可以多少哪个帮]")
_LAST_LATIN = "\u024f"
# What people ask for in every conversation, whatever it is about: the last requests of one topic are often made of nothing else.
_REQUESTS = """
add added adds again all also answer ask branch bug bump call called change changed changes check clean code command
commit compare complete copy create default delete deleted describe design document documentation documented draft
edit error example examples explain fail failed fails file files fix fixed folder function green issue line lines list
merge message move name new number numbers old open page pass passes prepare print pull push put read readme release
remove rename repair repeat replace report request require result results review rewrite run runs save script send
separate set shorten show simplify start step steps suggest summarise summarize summary table test tests text title
translate turn update upgrade usage value values version write written wrote
"""
_NOT_TELLING = frozenset(_REQUESTS.split())


@dataclass(frozen=True, slots=True)
class _Turn:
    """A text with its script, how many telling words it has, the terms themselves, and its vector."""

    chinese: bool
    words: float
    terms: frozenset[str]
    vector: Vectors


class Drift:
    """Judges turns with one embedder; what it prepared of the latest turns is kept, so each is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turns: dict[str, _Turn] = {}

    def nearness(self, before: Sequence[str], now: str) -> float | None:
        """How near a text is to the earlier ones: from -1 to 1, about 0 for another topic.

        None where that cannot be told: fewer than four telling words, fewer than three earlier turns with three of them in the
        same script, or a script that was never measured. May raise what the embedder raises.
        """
        turn = self._turn(now)
        if turn.words < _WORDS:
            return None
        held = [one for one in map(self._turn, before[-_BEFORE:]) if one.words >= _WORDS_BEFORE and one.chinese is turn.chinese]
        if len(held) < _TURNS:
            return None
        if any(turn.terms & one.terms for one in held[-_LAST:]):
            return 1.0
        vectors = np.stack([one.vector for one in held])
        usual = _GOES_ON * _usual(vectors)
        to_all = float(normalised(vectors.sum(axis=0)) @ turn.vector) / usual
        to_last = float(vectors[-1] @ turn.vector) / usual
        return round(min(1.0, max(-1.0, to_all, _GOES_ON * to_last)), 4)

    def _turn(self, text: str) -> _Turn:
        text = text[:_READ]
        found = self._turns.get(text)
        if found is None:
            if len(self._turns) >= _KEPT:
                self._turns.clear()
            found = self._turns[text] = self._prepared(text)
        return found

    def _prepared(self, text: str) -> _Turn:
        said = prose_of(text)[:_LONGEST]
        words = [word for word in telling_words(said) if word[0] <= _LAST_LATIN and word not in _NOT_TELLING]
        found = [pair for pair in pairs(fold(said)) if _HAN.fullmatch(pair) and not _COMMON.search(pair)]
        chinese = len(found) > len(words)
        count = len(set(words)) + _PAIR * len(set(found))
        terms = frozenset({word[:_STEM] for word in words}.union(found))
        if count < _WORDS_BEFORE:
            return _Turn(chinese, 0.0, terms, np.zeros(0, np.float32))
        vector = normalised(self._embedder.embed([said])[0] - common_vector(self._embedder, chinese=chinese))
        return _Turn(chinese, count, terms, vector)


def nearness(before: Sequence[str], now: str, embedder: Embedder) -> float | None:
    """The same without an object to hold on to; see Drift.nearness."""
    return _drift(cast("Hashable", embedder)).nearness(before, now)


@lru_cache(maxsize=1)
def _drift(embedder: Hashable) -> Drift:
    return Drift(cast("Embedder", embedder))


def _usual(vectors: Vectors) -> float:
    """The cosine that a turn has with the others, on average; a guess counts too, the more the fewer they are."""
    total = vectors.sum(axis=0)
    others = normalised(total - vectors)
    found = float((others * vectors).sum())
    return max(_LEAST, (found + _TYPICAL * _TYPICAL_TURNS) / (len(vectors) + _TYPICAL_TURNS))
