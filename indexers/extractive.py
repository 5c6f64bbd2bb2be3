"""Extractive: the few sentences that stand for many.

Taken one by one: near the middle of all, and not near to what was taken already (maximal marginal relevance). With an embedder near
means by meaning, without one by words. The same texts and the same model give the same choice on every machine.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from memtree.indexers.embedder import Embedder, Vectors, normalised
from memtree.indexers.everyday import common_vector, is_chinese
from memtree.indexers.relevance import telling_words
from memtree.indexers.tokens import fold, pairs

_SAME = 0.95  # cosine from which two sentences say the same
_DIGITS = 4  # of a score: below them machines differ
_STEM = 5  # letters


def central_sentences(
    texts: Sequence[str],
    embedder: Embedder | None,
    *,
    count: int,
    characters: int,
    balance: float = 0.7,
    always: Sequence[int] = (),
) -> list[int]:
    """The indices, rising, of at most `count` sentences of together at most so many characters.

    `balance` is what being central counts against being new, from 0 to 1. `always` are indices that are taken first, as long as
    they fit. A sentence that says nothing is never taken otherwise. May raise what the embedder raises.
    """
    if not texts or count <= 0:
        return []
    vectors = _by_words(texts) if embedder is None else _by_meaning(texts, embedder)
    central = vectors @ normalised(vectors.sum(axis=0))
    nearest = np.full(len(texts), -1.0, np.float32)
    left = (vectors != 0).any(axis=1)
    taken: list[int] = []
    wanted = [at for at in dict.fromkeys(always) if 0 <= at < len(texts)]
    while len(taken) < count and (wanted or left.any()):
        if wanted:
            best = wanted.pop(0)
        else:
            scores = balance * central - (1 - balance) * np.maximum(nearest, 0)
            best = int(np.argmax(np.where(left, scores.round(_DIGITS), -math.inf)))
        left[best] = False
        if len(texts[best]) > characters:
            continue
        characters -= len(texts[best])
        taken.append(best)
        alike = vectors @ vectors[best]
        nearest = np.maximum(nearest, alike)
        left &= alike < _SAME
    return sorted(taken)


def _by_meaning(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Vectors without what all texts of the language have in common; rows of zeros say nothing."""
    found = embedder.embed(texts)
    common = common_vector(embedder, chinese=is_chinese("".join(texts)))
    return np.where(found.any(axis=1, keepdims=True), normalised(found - common), np.float32(0))


def _by_words(texts: Sequence[str]) -> Vectors:
    """Vectors of words and Chinese pairs, rare ones weighing more."""
    counts = [Counter([*(word[:_STEM] for word in telling_words(text)), *pairs(fold(text))]) for text in texts]
    spread = Counter(term for count in counts for term in count)
    columns = {term: at for at, term in enumerate(sorted(spread))}
    found = np.zeros((len(texts), max(1, len(columns))), np.float32)
    for row, count in enumerate(counts):
        for term, times in count.items():
            found[row, columns[term]] = math.sqrt(times) * math.log(1 + len(texts) / spread[term])
    return normalised(found)
