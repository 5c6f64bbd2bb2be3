"""What ranking wants to know of a turn's text and of a question: counted once a text, without looking at any other."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memtree.indexers.embedder import TokenEmbedder, Vectors, Word
from memtree.indexers.question_words import asks_for_several, only_asks
from memtree.indexers.tokens import STOP_WORDS, fold, pairs, spaced

_WORD = re.compile(r"[^\W_]+")
_GRAM = 4
QUERY_LIMIT = 2_000  # characters of a question that are looked at
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
_JOINED = r"\s*(?:,|&|/|、|和|与|跟|或|还是|\band\b|\bor\b)\s*"
_BOTH = re.compile(r"\bboth\b|都")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b|((?:19|20)\d\d)年")
_DAY = re.compile(r"\b([0-9]{1,2})(?:st|nd|rd|th)?\b")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A turn's text, counted. `vectors` are those of its distinct words, normalised; `vector_sum` is that of the whole text."""

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


class Signs(NamedTuple):
    """What kind of sentence a turn is: how many words, how many of them with a capital inside a sentence."""

    words: int
    capitals: int
    is_question: bool
    has_question: bool
    names_time: bool


def signs_of(speaker: str, text: str) -> Signs:
    return Signs(
        words=len(text.split()),
        capitals=len(_CAPITAL_INSIDE.findall(text)),
        is_question=text.rstrip().endswith(("?", "？")),
        has_question="?" in text or "？" in text,
        names_time=bool(_TIME_WORDS.search(fold(f"{speaker} {text}"))),
    )


def prepare(speaker: str, text: str, stem: Callable[[str], list[str]], embedder: TokenEmbedder | None) -> Prepared:
    """Count a turn's text; the speaker's name counts as said."""
    folded = fold(f"{speaker} {text}")
    stems = Counter(_stems(folded, stem))
    grams = Counter(gram for word in _WORD.findall(fold(text)) if word not in STOP_WORDS for gram in _grams(word))
    telling = [unit for unit in units_of(fold(text)) if unit not in STOP_WORDS]
    return Prepared(
        stems=stems,
        length=sum(stems.values()),
        grams=grams,
        gram_count=sum(grams.values()),
        **signs_of(speaker, text)._asdict(),
        vectors=embedder.word_vectors(telling) if embedder is not None else np.zeros((0, 1), np.float32),
        vector_sum=embedder.total(text) if embedder is not None else np.zeros(1, np.float32),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart: distinct stems of its content words, letter pieces, and what it says of people and times."""

    text: str
    stems: tuple[str, ...]
    grams: tuple[str, ...]
    telling: tuple[str, ...]  # words and character pairs that say what it is about, folded
    asks_when: bool
    asks_for_several: bool
    months: frozenset[int]
    years: frozenset[int]
    days: frozenset[int]

    def named(self, speakers: Iterable[str]) -> list[str]:
        """The speakers that the question names, in the order it names them."""
        folded = fold(self.text)
        found = ((re.search(_as_name(fold(speaker)), folded), speaker) for speaker in speakers if speaker)
        return [speaker for _, speaker in sorted((match.start(), speaker) for match, speaker in found if match)]

    def subject(self, named: Sequence[str]) -> str:
        """Whose turns answer: the one who is named, or of several the first ("What did Ada recommend to Bob?").

        '' where nobody is named, or two together ("Ada and Bob").
        """
        if len(named) < 2:
            return "".join(named)
        first, second = (fold(name) for name in named[:2])
        joined = re.search(rf"{re.escape(first)}(?:'s)?{_JOINED}{re.escape(second)}", fold(self.text))
        return "" if joined or _BOTH.search(fold(self.text)) else named[0]

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

    def about(self, names: Iterable[str] = ()) -> tuple[str, list[str]]:
        """What is asked without how, and without these people: who they are tells nothing of what they said.

        The text, and its telling words; neither is ever empty where there are words.
        """
        known = {word for name in names for word in units_of(fold(name))}
        words = [word for word in _WORD.findall(self.text) if fold(word) not in known and not only_asks(fold(word))]
        return " ".join(words) or self.text, [word for word in self.telling if word not in known] or list(self.telling)


def written_words(query: str) -> list[Word]:
    """The words of a text, in their order."""
    return [Word(found.start(), found.end(), found.group()) for found in _WORD.finditer(query)]


def ask(query: str, stem: Callable[[str], list[str]]) -> Asked:
    """Take a question apart. Stop words go, unless there is nothing else."""
    query = query[:QUERY_LIMIT]
    written = _WORD.findall(query)
    content = [word for word in written if fold(word) not in STOP_WORDS] or written
    content = list(dict.fromkeys(content))[:64]
    folded = fold(query)
    units = [unit for unit in units_of(folded) if unit not in STOP_WORDS] or units_of(folded)
    numbers = [int(number) for number in _DAY.findall(folded)]
    return Asked(
        text=query,
        stems=tuple(dict.fromkeys(token for word in content for token in _stems(fold(word), stem)))[:64],
        grams=tuple(dict.fromkeys(gram for word in content for gram in _grams(fold(word))))[:256],
        telling=tuple([unit for unit in units if not only_asks(unit)] or units)[:64],
        asks_when=bool(_ASKS_WHEN.search(folded) if not folded.isascii() else _ASKS_WHEN.match(folded)),
        asks_for_several=asks_for_several(folded),
        months=frozenset(_months(folded)),
        years=frozenset(int(one or other) for one, other in _YEAR.findall(folded)),
        days=frozenset(number for number in numbers if 0 < number < 32),
    )


def _stems(folded: str, stem: Callable[[str], list[str]]) -> Iterator[str]:
    """The index's own tokens: stems of words, character pairs of scripts without spaces."""
    yield from stem(spaced(folded))
    yield from pairs(folded)


def units_of(folded: str) -> list[str]:
    """The distinct words of a text, and character pairs of scripts without spaces."""
    return list(dict.fromkeys((*_WORD.findall(spaced(folded)), *pairs(folded))))


def _as_name(folded: str) -> str:
    """An expression for a name as a word of its own; scripts without spaces have no such edges."""
    name = re.escape(folded)
    return rf"(?<!\w){name}(?!\w)" if spaced(folded) == folded else name


def _grams(word: str) -> list[str]:
    return [word[at : at + _GRAM] for at in range(len(word) - _GRAM + 1)] or [word]


def _months(folded: str) -> Iterator[int]:
    words = set(_WORD.findall(folded))
    for names in _MONTHS:
        yield from (number for number, name in enumerate(names, 1) if name in words)
    yield from (int(number) for number in re.findall(r"(?<!\d)(1[0-2]|0?[1-9])月", folded))
