"""Relevance: whether a passage has to do with a query at all. A ranking only tells better from worse, and always has a first.

Two signs are looked at, and one is enough: how near both are in meaning, and how much of what the query asks for the passage holds,
rare words counting more. Both mean the same for every query and every index.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from memtree.indexers.coverage import Coverage
from memtree.indexers.tokens import STOP_WORDS, analyse, fold, spaced

if TYPE_CHECKING:  # numpy comes with it, and words alone do without
    from memtree.indexers.embedder import Embedder

# Measured on LoCoMo's development half (392 questions, 5 conversations of about 600 turns, the best 3 of 12 hits): with these
# figures 97 % of the questions recall something, and 90 % of those that the first three hits answer still are. Of 48 pieces of
# small talk 5 % recall something, of 34 programmers' orders 4 %, of questions about other people's conversations 21 % (without a
# judge: all three above 93 %). A cosine of 0.30 lets in 34 % of the strangers' questions, 0.40 loses the answers to 5 % more.
NEAR = 0.35  # cosine of query and passage, with the model that comes with memtree
# Its vectors of Chinese texts lie nearer to each other: unrelated ones up to 0.50, related ones from 0.52.
NEAR_UNSPACED = 0.5
COVERED = 0.4  # share of the weight of the query's words that the passage holds
WHOLE = 0.45  # the weight that is enough where a question asks for no more and the passage holds it all
TELLING = 0.8  # and the weight itself, where a word that is in hardly any passage weighs 1

# A prompt of several sentences asks several things, and no passage holds 40 % of them all. With two or three sentences of orders
# before 60 of those questions, the whole alone recalls what answers 8 % of them, with its sentences 33 % (48 % without orders);
# orders alone recall something 4 % of the time instead of never.
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])|\n\s*\n")
_SENTENCES = 8  # of a prompt; what has more of them is mostly pasted
_TWO = 2  # words that a sentence needs: one word alone is found in too many places

# What people say to an agent without saying what about.
_SMALL_TALK = (
    "afternoon ahead alright anyway awesome believe bye cheers continue cool correct done else evening everything exactly "
    "excellent explain fine first get give go going good goodbye got great guess hello help hey hi hmm keep know last later "
    "let lets like ll look looks lot make makes many maybe mean mind morning much nah need never next nice night nope now "
    "ok okay one otherwise perfect please pls proceed really right say see something sorry sound sounds still stop sure "
    "tell thank thanks thing things think thx today too try trying two um understand us use wait want way well went worked "
    "working works wow wrong yeah yep yes yet yup bitte danke gut hallo ja nein weiter gracias hola merci oui si"
)
_SAYS_NOTHING = STOP_WORDS | frozenset(_SMALL_TALK.split())
_WORD = re.compile(r"[^\W_]+")
_SMALL_TALK_UNSPACED = re.compile(
    "好的|谢谢|多谢|是的|不是|继续|可以|没问题|没有|你好|您好|请|嗯|对|好|行|はい|いいえ|ありがとう|네|감사합니다"
)


class Judge:
    """Judges passages against one query.

    `frequency` says in how many of an index's `size` chunks a stem occurs. Without an embedder words alone decide. A `question` was
    asked of memory, so what holds all its words has to do with it though they are no rare ones: who is Alan.
    """

    def __init__(
        self,
        query: str,
        stem: Callable[[str], list[str]],
        frequency: Callable[[str], int],
        size: int,
        embedder: Embedder | None = None,
        *,
        question: bool = False,
    ) -> None:
        self._query = query
        self._question = question
        self._embedder = embedder
        terms = analyse(_SMALL_TALK_UNSPACED.sub(" ", query))
        words = [word for _, word in terms.words if word not in _SAYS_NOTHING]
        self._coverage = Coverage([one for word in words for one in stem(word)[:1]], terms.pairs, stem, frequency, size)

    @property
    def asks(self) -> bool:
        """Whether the query is about anything; small talk is not."""
        return bool(self._coverage.terms)

    @property
    def asks_alone(self) -> bool:
        """Whether that is enough for a sentence out of a longer query."""
        return self._coverage.terms >= _TWO

    def relevant(self, passages: Sequence[str]) -> list[bool]:
        """For each passage whether it has to do with the query. May raise what the embedder raises."""
        if not self.asks or not passages:
            return [False] * len(passages)
        return [near or self._covers(passage) for near, passage in zip(self._near(passages), passages, strict=True)]

    def _near(self, passages: Sequence[str]) -> Iterable[bool]:
        if self._embedder is None:
            return [False] * len(passages)
        floor = NEAR_UNSPACED if self._coverage.is_unspaced else NEAR
        vectors = self._embedder.embed([self._query, *passages])
        return (bool(score >= floor) for score in vectors[1:] @ vectors[0])

    def _covers(self, passage: str) -> bool:
        held = self._coverage.held(passage)
        if self._question and held >= WHOLE and math.isclose(held, self._coverage.asked):
            return True
        return held >= TELLING and held >= COVERED * self._coverage.asked


def sentences(query: str) -> list[str]:
    """The first sentences of a query; none where it is but one."""
    found = [part for part in _SENTENCE_END.split(query) if part.strip()]
    return found[:_SENTENCES] if len(found) > 1 else []


def telling_words(text: str) -> list[str]:
    """The words of a text that say what it is about, folded, in scripts that are written with spaces; numbers are left out."""
    return [word for word in _WORD.findall(spaced(fold(text))) if word not in _SAYS_NOTHING and not word.isdigit()]


def says_something(text: str) -> bool:
    """Whether a text is about anything, in any language; small talk is not."""
    return Judge(text, lambda word: [word], lambda _: 0, 0).asks
