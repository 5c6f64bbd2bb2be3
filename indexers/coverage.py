"""Coverage: how much of what a query asks a text holds, rare words counting more. It means the same for every query and index."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from memtree.indexers.tokens import fold, spaced
from memtree.indexers.tokens import pairs as pairs_of

PAIR = 0.5  # weight of two neighbouring characters in scripts without spaces
_FEW = 1_000  # in an index smaller than this no word is taken for common because of its size
_SHORT = 4  # letters: of shorter stems only the first is sure to begin their words (die: dying)

Stem = Callable[[str], list[str]]


class Coverage:
    """The weights of a query's stems, character pairs and exact tokens.

    `stem` is an index' analyser; `frequency` says in how many of its `size` chunks a stem occurs, and a word that is in hardly any
    of them weighs 1.
    """

    def __init__(
        self,
        stems: Sequence[str],
        pairs: Sequence[str],
        stem: Stem,
        frequency: Callable[[str], int],
        size: int,
        exact: Sequence[str] = (),
    ) -> None:
        self._stem = stem
        self._stems: Mapping[str, float] = {one: _rarity(frequency(one), size) for one in dict.fromkeys(stems)}
        self._pairs = frozenset(pairs)
        self._exact = tuple(dict.fromkeys(exact))
        self._numbers = {key: number for number, key in enumerate((*self._stems, *((pair,) for pair in sorted(self._pairs))))}
        self._weights = [*self._stems.values(), *[PAIR] * len(self._pairs), *[1.0] * len(self._exact)]
        self._beginnings = _beginnings(self._stems)
        self._known: dict[str, list[str]] = {}
        self.asked = sum(self._stems.values()) + PAIR * len(self._pairs) + len(self._exact)

    @property
    def terms(self) -> int:
        """How many things are asked for; 0 where the query says nothing."""
        return len(self._stems) + len(self._pairs) + len(self._exact)

    @property
    def is_unspaced(self) -> bool:
        """Whether most of the query is in scripts without spaces."""
        return len(self._pairs) > len(self._stems)

    def held(self, text: str) -> float:
        """The weight of what a text holds of it, up to `asked`."""
        return self.weight(self.terms_in(text))

    def terms_in(self, text: str) -> frozenset[int]:
        """The numbers of the terms that a text holds: those of several texts can be put together."""
        folded = fold(text)
        found = self._stems_in(folded)
        pairs = self._pairs.intersection(pairs_of(folded)) if self._pairs else ()
        held = [*(stem for stem in self._stems if stem in found), *((one,) for one in pairs)]
        numbers = [self._numbers[one] for one in held]
        first = len(self._stems) + len(self._pairs)
        return frozenset((*numbers, *(first + at for at, token in enumerate(self._exact) if token in folded)))

    def weight(self, terms: frozenset[int]) -> float:
        """What terms weigh together."""
        return sum(self._weights[number] for number in sorted(terms))

    def _stems_in(self, folded: str) -> set[str]:
        if not folded.isascii():  # the analyser brings other letters into plain ones
            return set(self._stem(spaced(folded)))
        found: set[str] = set()
        for word in self._beginnings.findall(folded) if self._stems else ():
            stems = self._known.get(word)
            if stems is None:
                stems = self._known[word] = self._stem(word)
            found.update(stems)
        return found


def _beginnings(stems: Mapping[str, float]) -> re.Pattern[str]:
    """Finds the words that may have one of the stems: to stem all words of a text takes five times as long."""
    starts = {stem[:-1] if len(stem) >= _SHORT else stem[:1] for stem in stems}
    some = "|".join(re.escape(start) for start in sorted(starts))
    return re.compile(rf"(?<![^\W_])(?:{some})[^\W_]*", re.ASCII)


def _rarity(frequency: int, size: int) -> float:
    """Inverse document frequency as BM25 has it, brought to 0..1."""
    size = max(size, frequency, _FEW)
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5)) / math.log(1 + (size + 0.5) / 0.5)
