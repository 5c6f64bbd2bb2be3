"""What ranking wants to know of a turn's text and of a question: counted once a text, without looking at any other."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from memtree.indexers.embedder import TokenEmbedder, Vectors
from memtree.indexers.tokens import STOP_WORDS, fold, pairs, spaced

_WORD = re.compile(r"[^\W_]+")
_GRAM = 4
_MONTHS = (
    ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"],
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
)
_TIME_WORDS = re.compile(
    r"\b(yesterday|today|tomorrow|tonight|last|next|ago|weeks?|weekend|months?|years?|days?|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|morning|evening|night|recently|since|soon|january|february|march|april|june|july|august|september|october"
    r"|november|december|summer|winter|spring|fall|autumn|(?:19|20)\d\d)\b|昨天|今天|明天|上周|下周|上个月|下个月|去年|明年|年|月|天前"
)
_ASKS_WHEN = re.compile(
    r"\s*(when|how long|what (date|day|month|year|time)|how many (days|weeks|months|years))\b|什么时候|何时|几点|哪年|多久"
)
_CAPITAL_INSIDE = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b|((?:19|20)\d\d)年")
_DAY = re.compile(r"\b([0-9]{1,2})(?:st|nd|rd|th)?\b")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn's text, counted. `vectors` are its tokens', normalised; `vector_sum` their sum."""

    stems: Mapping[str, int]
    length: int
    grams: Mapping[str, int]
    gram_count: int
    words: int
    capitals: int
    is_question: bool
    has_question: bool
    names_time: bool
    vectors: Vectors
    vector_sum: Vectors


def prepare(speaker: str, text: str, stem: Callable[[str], list[str]], embedder: TokenEmbedder | None) -> Prepared:
    """Count a turn's text; the speaker's name counts as said."""
    folded = fold(f"{speaker} {text}")
    stems = Counter(_stems(folded, stem))
    grams = Counter(gram for word in _WORD.findall(fold(text)) if word not in STOP_WORDS for gram in _grams(word))
    vectors = (
        embedder.token_vectors(f"{speaker}: {text}" if speaker else text) if embedder is not None else np.zeros((0, 1), np.float32)
    )
    return Prepared(
        stems=stems,
        length=sum(stems.values()),
        grams=grams,
        gram_count=sum(grams.values()),
        words=len(text.split()),
        capitals=len(_CAPITAL_INSIDE.findall(text)),
        is_question=text.rstrip().endswith(("?", "？")),
        has_question="?" in text or "？" in text,
        names_time=bool(_TIME_WORDS.search(folded)),
        vectors=vectors,
        vector_sum=vectors.sum(axis=0),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart: distinct stems of its content words, letter pieces, and what it says of people and times."""

    text: str
    stems: tuple[str, ...]
    grams: tuple[str, ...]
    content: tuple[str, ...]  # the content words as written
    word_stems: tuple[str, ...]  # one for each of them
    asks_when: bool
    months: frozenset[int]
    years: frozenset[int]
    days: frozenset[int]

    def named(self, speakers: Iterable[str]) -> set[str]:
        """The speakers that the question names."""
        folded = fold(self.text)
        return {speaker for speaker in speakers if re.search(rf"(?<!\w){re.escape(fold(speaker))}(?!\w)", folded)}

    def date_match(self, time: int | None) -> float:
        """How well the question's month, year and day fit a time (epoch seconds, UTC), 0 to 1."""
        if time is None or not (self.months or self.years):
            return 0.0
        try:
            day = dt.datetime.fromtimestamp(time, dt.UTC)
        except (ValueError, OverflowError, OSError):
            return 0.0
        month = 0.5 * (day.month in self.months)
        return month + 0.25 * (day.year in self.years) + 0.25 * (bool(self.months) and day.day in self.days)

    def vectors(self, embedder: TokenEmbedder) -> tuple[Vectors, Vectors]:
        """A normalised vector for each content word, shape (words, d), and one for the whole question, shape (d,)."""
        whole = _mean(embedder.token_vectors(self.text))
        words = [_mean(embedder.token_vectors(word)) for word in self.content]
        return (np.stack(words) if words else np.zeros((0, len(whole)), np.float32)), whole


def ask(query: str, stem: Callable[[str], list[str]]) -> Asked:
    """Take a question apart. Stop words go, unless there is nothing else."""
    query = query[:2_000]
    written = _WORD.findall(query)
    content = [word for word in written if fold(word) not in STOP_WORDS] or written
    content = list(dict.fromkeys(content))[:64]
    folded = fold(query)
    numbers = [int(number) for number in _DAY.findall(folded)]
    return Asked(
        text=query,
        stems=tuple(dict.fromkeys(token for word in content for token in _stems(fold(word), stem)))[:64],
        grams=tuple(dict.fromkeys(gram for word in content for gram in _grams(fold(word))))[:256],
        content=tuple(content),
        word_stems=tuple((stem(fold(word)) or [fold(word)])[0] for word in content),
        asks_when=bool(_ASKS_WHEN.search(folded) if not folded.isascii() else _ASKS_WHEN.match(folded)),
        months=frozenset(_months(folded)),
        years=frozenset(int(one or other) for one, other in _YEAR.findall(folded)),
        days=frozenset(number for number in numbers if 0 < number < 32),
    )


def _stems(folded: str, stem: Callable[[str], list[str]]) -> Iterator[str]:
    """The index's own tokens: stems of words, character pairs of scripts without spaces."""
    yield from stem(spaced(folded))
    yield from pairs(folded)


def _grams(word: str) -> list[str]:
    return [word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1)] or [word]


def _months(folded: str) -> Iterator[int]:
    words = set(_WORD.findall(folded))
    for names in _MONTHS:
        yield from (number for number, name in enumerate(names, 1) if name in words)
    yield from (int(number) for number in re.findall(r"(?<!\d)(1[0-2]|0?[1-9])月", folded))


def _mean(vectors: Vectors) -> Vectors:
    """The normalised mean of token vectors."""
    total = vectors.sum(axis=0)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else total, np.float32)
