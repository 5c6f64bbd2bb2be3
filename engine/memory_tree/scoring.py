"""The one score: how much of a query a passage answers, 0 to 1, the same for every hit of every mode.

It is a weighted mean of up to three parts: the share of the query's words that the passage holds, rare ones counting more; how near
both are in meaning; and the share of the query's entities that the passage speaks of. A part that cannot be told (no model, no
entity in the query) is left out, so a score means the same with and without it. A turn of a conversation is judged where it stands:
by what it and the turns around it say, who speaks and when (indexers/turn_relevance), in place of its own words and meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from memtree.indexers.coverage import Coverage
from memtree.indexers.relevance import Judge
from memtree.indexers.tokens import STOP_WORDS, analyse, fold
from memtree.tree.entity import EntityKind, parse_entity

WORDS, MEANING, ENTITIES = 0.5, 0.3, 0.2
# Cosines of the model that comes with memtree: of unrelated passages nearly all are below the first, of answers that say the same
# in other words about half are above the second. Its vectors of Chinese texts lie nearer to each other (relevance.py).
_NONE, _FULL = 0.1, 0.6
_NONE_UNSPACED, _FULL_UNSPACED = 0.35, 0.8
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_WRITTEN_TOGETHER = re.compile("[\u0e00-\u0eff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


class Words(NamedTuple):
    """What a full-text index knows of words: how it stems, in how many chunks a stem occurs, and how many chunks there are."""

    stem: Callable[[str], list[str]]
    frequency: Callable[[str], int]
    size: int


class Scorer:
    """Scores passages against one query. `groups` are its entities, each with all its ids, by the id that stands for it."""

    def __init__(self, query: str, words: Words, groups: Mapping[str, Iterable[str]] | None = None) -> None:
        self.query = query
        terms = analyse(query)
        asked = [word for _, word in terms.words if word not in STOP_WORDS]
        stems = [one for word in asked for one in words.stem(word)[:1]]
        exact = [token for token in terms.exact if not _HYPHENATED.fullmatch(token)]
        self.coverage = Coverage(stems, terms.pairs, words.stem, words.frequency, words.size, (*exact, *terms.singles))
        self._groups = {id_: _spelling(ids) for id_, ids in (groups or {}).items()}
        self._ends = (_NONE_UNSPACED, _FULL_UNSPACED) if self.coverage.is_unspaced else (_NONE, _FULL)

    def entities_in(self, text: str) -> tuple[str, ...]:
        """The query's entities that a text speaks of, by their ids."""
        folded = fold(text) if self._groups else ""
        return tuple(id_ for id_, spelling in self._groups.items() if spelling.search(folded))

    def score(
        self, text: str, cosine: float | None = None, entities: Sequence[str] | None = None, in_context: float | None = None
    ) -> float:
        """How much of the query the text answers. `cosine` of both; `entities` as `entities_in` finds them, looked up if None.

        `in_context` is how much a turn answers where it stands: it takes the place of its own words and meaning.
        """
        parts: list[tuple[float, float]] = []
        if in_context is not None:
            parts.append((WORDS + MEANING, in_context))
        elif self.coverage.terms:
            parts.append((WORDS, self.coverage.held(text) / self.coverage.asked))
        if cosine is not None and in_context is None:
            parts.append((MEANING, self._nearness(cosine)))
        if self._groups:
            found = entities if entities is not None else self.entities_in(text)
            parts.append((ENTITIES, len(set(found) & self._groups.keys()) / len(self._groups)))
        total = sum(weight for weight, _ in parts)
        return round(sum(weight * part for weight, part in parts) / total, 4) if total else 0.0

    def _nearness(self, cosine: float) -> float:
        none, full = self._ends
        return max(0.0, min(1.0, (cosine - none) / (full - none)))


def says_nothing(query: str, words: Words) -> bool:
    """Whether a query is small talk, which no passage answers."""
    return not Judge(query, words.stem, words.frequency, words.size).asks


def _spelling(ids: Iterable[str]) -> re.Pattern[str]:
    """What finds an entity in a folded text however it is called, as a word of its own where words are written apart."""
    values = sorted({_written(id_) for id_ in ids} - {""}, key=lambda value: (-len(value), value))
    return re.compile("|".join(map(_bounded, values)) or r"(?!)")


def _written(id_: str) -> str:
    entity = parse_entity(id_)
    value = fold(entity.value)
    return value.rpartition("/")[2] or value if entity.kind is EntityKind.PATH else value


def _bounded(value: str) -> str:
    # Blanks of a name may be a line's end in the text.
    body = r"\s+".join(map(re.escape, value.split()))
    if _WRITTEN_TOGETHER.search(value):
        return body
    return (r"(?<!\w)" if value[0].isalnum() else "") + body + (r"(?!\w)" if value[-1].isalnum() else "")
