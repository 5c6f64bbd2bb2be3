"""An answer without a model: the few sentences of what was found that answer best, each with where it stands.

A sentence counts for the words of the question that it holds (rare ones more), for what its passage holds besides, for holding the
kind of thing that is asked for, and a little for how early its passage was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.agents.asked_names import Name, with_names
from memtree.engine.agents.passages import Passage
from memtree.engine.agents.question import Wants, holds, is_question, wanted, without_asking
from memtree.engine.agents.sentence_lines import Stretch, stretches
from memtree.engine.agents.sources import Source, source
from memtree.engine.retrieval.layout import day
from memtree.engine.retrieval.plain import one_line, shortened
from memtree.indexers.coverage import Coverage
from memtree.indexers.relevance import telling_words
from memtree.indexers.tokens import STOP_WORDS, analyse, fold
from memtree.tree.kinds import Kind
from memtree.tree.near_duplicate import near_duplicate

if TYPE_CHECKING:
    from memtree.indexers.embedder import Embedder

MOST, MOST_LISTED = 3, 5  # sentences of an answer; of one that lists
LONGEST = 400  # characters of a sentence as it is shown
_PASSAGES = 12  # that are looked at
_SENTENCES = 300  # that are weighed
# And whose meaning is looked at by a model that reads them anew, at some twenty a second, while other searches wait.
_SLOWLY = 32
_OWN = 0.5  # of what a sentence's words count: those of its own, the others with its headings
_WORDS, _PASSAGE, _KIND, _EARLY = 0.5, 0.2, 0.35, 0.3  # what the signs count for
_MEANING = 0.3  # and nearness in meaning, where there is an embedder
# Of questions that LoCoMo's conversations answer 15 % of the best sentences hold less than this, of others' questions 80 %.
_LITTLE, _NEAR = 0.3, 0.5  # share of the question's words; nearness in meaning
_HALF = 0.5  # of a question about somebody of whom a sentence does not speak: what holds less of the words is about something else
_STRANGE = 0.5  # what a sentence counts for each name of the question of which its passage does not speak
_SPOKEN = frozenset({Kind.EPISODE, Kind.CHAT, Kind.RECAP})  # who speaks of himself does not say his name
_EMPTY = 0.4  # what a sentence counts that says nothing new
_TOLD = re.compile(r"[\d\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # numbers, and scripts without spaces
_PRONOUN = re.compile(r"(?:he|she|they|his|her|their)\b|[他她](?!人)", re.IGNORECASE)
_NODS = re.compile(r"(?:好的?|了解|明白了?|收到|知道了|记下了|没问题|不客气|谢谢|嗯|是的|可以|\W)+")
# What summaries say before what was said: `Agent: …`, `decision: …`, `Heron steering, 11 April: …`.
_LABEL = re.compile(r"\w[\w ,.'-]{1,60}[:：]\s*")
_NEAR_BEST = 0.75  # of the best sentence's score: what is worse is left out


class Words:
    """The words of a question, weighed. `stem` takes a text apart; `frequency` says in how many of `size` chunks a stem occurs."""

    def __init__(self, query: str, stem: Callable[[str], list[str]], frequency: Callable[[str], int], size: int) -> None:
        terms = analyse(without_asking(query))
        words = [word for _, word in terms.words if word not in STOP_WORDS]
        stems = [one for word in words for one in stem(word)[:1]]
        self._coverage = Coverage(stems, terms.pairs, stem, frequency, size)
        self.strange = any(frequency(one) == 0 for one in stems)  # whether memory has never heard one of the words

    def covered(self, text: str) -> float:
        """The share of the question's weight that a text holds, from 0 to 1."""
        return self._coverage.held(text) / self._coverage.asked if self._coverage.terms else 0.0


@dataclass(frozen=True, slots=True)
class Extract:
    """An answer made of sentences of memory, with marks, and what these stand for; no sources: nothing answers.

    `little`: even the best holds little of what was asked; `unnamed` are names of the question of which nothing here speaks.
    """

    text: str
    sources: tuple[Source, ...]
    little: bool = False
    unnamed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Weighed:
    passage: Passage
    stretch: Stretch
    score: float
    little: bool
    foreign: bool
    unnamed: frozenset[Name]
    meaning: float  # what nearness in meaning adds to the score


def extractive_answer(
    query: str, passages: Sequence[Passage], words: Words, embedder: Embedder | None = None, names: Sequence[Name] = ()
) -> Extract:
    """The sentences of passages (best first) that answer a question, best first, one a line. May raise what the embedder raises.

    `names` are those that the question names.
    """
    wants = wanted(query)
    weighed = _weighed(query, passages[:_PASSAGES], words, names, embedder)
    chosen = _chosen(weighed, MOST_LISTED if wants is Wants.LIST else MOST)
    if chosen and chosen[0].foreign:
        return Extract("", ())
    sources: list[Source] = []
    lines = [f"{_told(one, query)} [{_cited(sources, one)}]" for one in chosen]
    text = "\n".join(f"- {line}" for line in lines) if len(lines) > 1 else "".join(lines)
    unnamed = tuple(name.surface for name in names if chosen and all(name in one.unnamed for one in chosen))
    return Extract(text, tuple(sources), bool(chosen) and chosen[0].little, unnamed)


def _weighed(
    query: str, passages: Sequence[Passage], words: Words, names: Sequence[Name], embedder: Embedder | None
) -> list[_Weighed]:
    wants = wanted(query)
    asked = " ".join(query.split()).casefold()
    found = [
        (rank, passage, stretch)
        for rank, passage in enumerate(passages)
        for stretch in stretches(passage.text)
        if not is_question(stretch.text) and stretch.text.casefold() != asked
    ][:_SENTENCES]
    context = [words.covered(with_names(f"{passage.title}\n{passage.text}", names)) for passage in passages]
    unnamed = [_unnamed(passage, names) for passage in passages]
    heads = ["\n".join((one.title, *(line for line in one.text.split("\n") if line.startswith("#")))) for one in passages]
    weighed: list[_Weighed] = []
    little = _HALF if words.strange else _LITTLE
    asking = frozenset(telling_words(query))
    for rank, passage, stretch in found:
        # What the headings above it say, a sentence need not say again.
        headed = words.covered(with_names(f"{heads[rank]}\n{stretch.text}", names))
        share = _OWN * words.covered(with_names(stretch.text, names)) + (1 - _OWN) * headed
        kind = holds(wants, stretch.text, query) or (wants is Wants.LIST and stretch.item)
        score = _WORDS * share + _PASSAGE * context[rank] + _EARLY / (1 + rank)
        score += _KIND * kind * (0.4 + 0.6 * (share > 0))
        counts = 1.0 if _tells(stretch.text, asking) else _EMPTY
        counts *= _STRANGE ** len(unnamed[rank])
        foreign = bool(names) and len(unnamed[rank]) == len(names) and headed < _HALF
        weighed.append(_Weighed(passage, stretch, counts * score, headed < little, foreign, unnamed[rank], counts * _MEANING))
    return _best_first(_with_meaning(query, _best_first(weighed), embedder))


def _best_first(weighed: Iterable[_Weighed]) -> list[_Weighed]:
    return sorted(weighed, key=lambda one: -one.score)


def _with_meaning(query: str, weighed: Sequence[_Weighed], embedder: Embedder | None) -> Iterator[_Weighed]:
    """The sentences, best first, with how near they are in meaning; the last ones stay as they are where a model is slow."""
    if embedder is None or not weighed:
        yield from weighed
        return
    from memtree.indexers.embedder import TokenEmbedder

    most = _SENTENCES if isinstance(embedder, TokenEmbedder) else _SLOWLY
    vectors = embedder.embed([query, *(one.stretch.text for one in weighed[:most])])
    for one, cosine in zip(weighed, vectors[1:] @ vectors[0], strict=False):
        near = max(0.0, float(cosine))
        yield replace(
            one, score=one.score + one.meaning * near, little=one.little and near < _NEAR, foreign=one.foreign and near < _NEAR
        )
    yield from weighed[most:]


def _unnamed(passage: Passage, names: Sequence[Name]) -> frozenset[Name]:
    """The names of which a passage does not speak; none where it is part of a conversation."""
    if passage.kind in _SPOKEN:
        return frozenset()
    text = f"{passage.path}\n{passage.title}\n{passage.text}"
    return frozenset(name for name in names if not name.said_in(text))


def _tells(sentence: str, asking: frozenset[str]) -> bool:
    """Whether a sentence says anything that the question does not: `Thanks, Ada!` tells nothing of Ada, `She knows Ada.` does."""
    if _NODS.fullmatch(sentence):
        return False
    return not asking.issuperset(telling_words(sentence)) or any(sign(sentence) for sign in (_TOLD.search, _PRONOUN.match))


def _chosen(weighed: Sequence[_Weighed], most: int) -> list[_Weighed]:
    """The best, and those nearly as good that say something else."""
    chosen: list[_Weighed] = []
    for one in weighed:
        if len(chosen) == most or one.score < _NEAR_BEST * weighed[0].score:
            break
        if not any(_same(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _same(one: _Weighed, other: _Weighed) -> bool:
    a, b = (_unlabelled(two.stretch.text) for two in (one, other))
    return fold(a) == fold(b) or near_duplicate(one.stretch.text, other.stretch.text) or near_duplicate(a, b)


def _unlabelled(text: str) -> str:
    label = _LABEL.match(text)
    return text[label.end() :] if label is not None else text


def _told(one: _Weighed, query: str) -> str:
    """The sentence with the day that its passage is of, and without marks of its own that would look like ours.

    Where it says `she`, the passage's title stands before it: it mostly says who that is.
    """
    text = shortened(one_line(one.stretch.text, LONGEST + 1), LONGEST)
    lead = f"({when}) " if (when := day(one.passage.time)) else ""
    title = one.passage.title.partition(" › ")[0]
    if title and one.passage.kind not in _SPOKEN and _PRONOUN.match(text) and fold(title) not in fold(query):
        lead += f"{title}: "
    return "".join(_unnumbered(lead + text)) + _behind(one.passage.more)


def _behind(more: str) -> str:
    return f" {one_line(more, LONGEST)}" if more else ""


def _unnumbered(text: str) -> Iterator[str]:
    start = 0
    while (at := text.find("[", start)) >= 0:
        end = text.find("]", at)
        inside = text[at + 1 : end] if end > at else ""
        yield text[start:at]
        if inside.isdigit():
            yield f"({inside})"
            start = end + 1
        else:
            yield "["
            start = at + 1
    yield text[start:]


def _cited(sources: list[Source], one: _Weighed) -> int:
    """The number of the source of a sentence, which is added where it is new."""
    passage, stretch = one.passage, one.stretch
    whole = passage.text.count("\n") == passage.end_line - passage.start_line
    first = passage.start_line + stretch.first if whole else passage.start_line
    last = passage.start_line + stretch.last if whole else passage.end_line
    known = next((s.number for s in sources if (s.path, s.start_line, s.end_line) == (passage.path, first, last)), 0)
    if known:
        return known
    sources.append(source(len(sources) + 1, passage, stretch.text, (first, last)))
    return len(sources)
