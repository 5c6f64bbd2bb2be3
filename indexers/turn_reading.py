"""What a model that reads whole texts made of turns, beside what it makes of a question: for ranking turns word by word.

The turns' part was made when they were indexed and is read from there; only the question is read now. Each of its tokens is matched
with the tokens of a turn (MaxSim, as ColBERT has it: Khattab and Zaharia, 2020), so a word finds the one that means the same where
it stands, which a text's one vector blurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from memtree.indexers.conversation import Reading
from memtree.indexers.embedder import ContextEmbedder, Word
from memtree.indexers.token_vectors import decoded
from memtree.indexers.tokens import STOP_WORDS, fold
from memtree.indexers.turn_text import QUERY_LIMIT, written_words
from memtree.indexers.vectors import VectorIndex


class TurnReader:
    """Reads turns from a vector index, and questions with its model."""

    def __init__(self, vectors: VectorIndex, embedder: ContextEmbedder, stem: Callable[[str], list[str]]) -> None:
        self._vectors = vectors
        self._embedder = embedder
        self._stem = stem

    def read(self, query: str, places: Sequence[tuple[str, int]]) -> Reading | None:
        """A question and the turns at some places (path, ordinal); None where one of these is not embedded yet.

        What ranks by tokens would put it behind all others, whatever it says.
        """
        query = query[:QUERY_LIMIT]
        whole, rows, stand = self._embedder.read_query(query)
        chosen, words = content_tokens(query, stand)
        wholes, tokens = self._vectors.read_again(places)
        if not wholes.any(axis=1).all():
            return None
        stems = [(self._stem(fold(word)) or [fold(word)])[0] for word in words]
        # All at once: a small call for each turn would take longer than the work.
        every = decoded(np.concatenate(tokens)) if any(map(len, tokens)) else np.zeros((0, self._embedder.token_width), np.float32)
        ends = np.cumsum([len(one) for one in tokens])[:-1]
        return Reading(rows[chosen], stems, whole, np.split(every, ends), wholes)


def content_tokens(query: str, places: Sequence[Word]) -> tuple[list[int], list[str]]:
    """Which tokens of a query belong to its content words, and each one's word; all tokens where there is no such word."""
    found: list[int] = []
    words: list[str] = []
    spans = written_words(query)
    at = 0
    for number, place in enumerate(places):
        while at < len(spans) and spans[at].end <= place.start:
            at += 1
        if at < len(spans) and spans[at].start <= place.start and fold(spans[at].text) not in STOP_WORDS:
            found.append(number)
            words.append(spans[at].text)
    if found:
        return found, words
    return [*range(len(places))], [place.text for place in places]
