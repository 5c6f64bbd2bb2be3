"""Matching: what a query asks of the fields of an index, as a tree of plain values.

Scores come from terms: any of them matches, rarer ones and those in a title count more, and there is a modest bonus where all
of them or their phrase occur. Filters admit or refuse and add nothing to a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memtree.indexers.query import Query
from memtree.indexers.records import glob_pattern, path_key
from memtree.indexers.tokens import Terms
from memtree.tree.source_names import Place

WORD_BOOSTS = {"title": 3.0, "headings": 2.0, "labels": 1.5, "body": 1.0}
PAIR_BOOSTS = {"name_pairs": 2.0, "body_pairs": 1.0}
EXACT_BOOST = 2.0
PHRASE_BOOST = 0.5
ALL_TERMS_BONUS = 1.0
_BONUS_TERMS = 8
_FAR = 2**62


@dataclass(frozen=True, slots=True)
class Term:
    """One token in one field."""

    field: str
    text: str
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression over a field's whole tokens."""

    field: str
    expression: str
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens at about these distances from each other."""

    field: str
    words: tuple[tuple[int, str], ...]
    boost: float = 1.0


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of many tokens, all worth the same."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A number in a range, both ends included."""

    field: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part; scores add up."""

    parts: tuple[Matching, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part; with a `score`, that is all it counts."""

    parts: tuple[Matching, ...]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Filtered:
    """`wanted` where every filter admits it."""

    wanted: Matching
    filters: tuple[Matching, ...]


Matching = Term | Pattern | Phrase | OneOf | Between | AnyOf | AllOf | Filtered


@dataclass(frozen=True, slots=True)
class Plan:
    """What to look for, and the stems that show in a text why it was found."""

    matching: Matching
    stems: frozenset[str]


def plan(terms: Terms, query: Query, stem: Callable[[str], list[str]]) -> Plan:
    """Turn a query's terms and filters into what to look for; `stem` is the index's own analyser."""
    places = tuple((place, stem_) for place, word in terms.words for stem_ in stem(word)[:1])
    wanted = AnyOf((*_words(places), *_literals(terms), *_bonuses(places)))
    filters = tuple(_filters(query))
    return Plan(Filtered(wanted, filters) if filters else wanted, frozenset(text for _, text in places))


def _words(places: tuple[tuple[int, str], ...]) -> Iterator[Matching]:
    for text in dict.fromkeys(text for _, text in places):
        yield from (Term(field, text, boost) for field, boost in WORD_BOOSTS.items())


def _literals(terms: Terms) -> Iterator[Matching]:
    for field, boost in PAIR_BOOSTS.items():
        yield from (Term(field, pair, boost) for pair in terms.pairs)
        # Every character of a run starts some token of it.
        yield from (Pattern(field, f"{single}.?", boost) for single in terms.singles)
    yield from (Term("exact", token, EXACT_BOOST) for token in terms.exact)


def _bonuses(places: tuple[tuple[int, str], ...]) -> Iterator[Matching]:
    stems = sorted({text for _, text in places})
    if len(stems) >= 2 and len(places) <= _BONUS_TERMS:
        first = places[0][0]
        yield Phrase("body", tuple((place - first, text) for place, text in places), PHRASE_BOOST)
        yield AllOf(tuple(Term("body", text) for text in stems), ALL_TERMS_BONUS)


def _filters(query: Query) -> Iterator[Matching]:
    if query.kinds:
        yield OneOf("kind", tuple(kind.value for kind in query.kinds))
    path = query.path.strip("/")
    if path:
        folder = OneOf("within", (path_key(path),))
        # A file may really be called `What?.md`, so a pattern is also taken by its letter.
        yield AnyOf((folder, Pattern("key", glob_pattern(path)))) if set("*?") & set(path) else folder
    if query.places:
        yield AnyOf(tuple(_places(query.places)))
    if query.since is not None or query.until is not None:
        yield _during(query)


def _places(places: Iterable[Place]) -> Iterator[Matching]:
    """Places of a kind as one matching: there may be a thousand."""
    below: dict[str, list[str]] = {}
    for place in places:
        if place.direct:
            yield AllOf((OneOf("kind", (place.kind.value,)), Pattern("key", glob_pattern(f"{place.folder}/*"))))
        else:
            below.setdefault(place.kind.value, []).append(place.folder)
    for kind, folders in below.items():
        of_kind = OneOf("kind", (kind,))
        yield of_kind if "" in folders else AllOf((of_kind, OneOf("within", tuple(map(path_key, folders)))))


def _during(query: Query) -> Matching:
    low = -_FAR if query.since is None else max(-_FAR, min(_FAR, query.since))
    high = _FAR if query.until is None else max(-_FAR, min(_FAR, query.until))
    dated = Between("time", low, high)
    if not query.changed:
        return dated
    changed = OneOf("key", tuple(path_key(path) for path in sorted(query.changed)))
    return AnyOf((dated, AllOf((OneOf("undated", ("yes",)), changed))))
