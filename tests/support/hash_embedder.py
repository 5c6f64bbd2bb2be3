"""HashEmbedder: an embedder whose vectors are counts of words, quick and the same everywhere; it can be made to fail."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from memtree.indexers.embedder import EmbedderUnavailable, TokenCodes, Vectors, Word, normalised
from memtree.indexers.token_vectors import coded


class HashEmbedder:
    """`seen` are the texts that were embedded; after `fail_after` of them the model is away."""

    def __init__(self, model_id: str = "hash/1", dimensions: int = 24, fail_after: int | None = None) -> None:
        self.model_id = model_id
        self.dimensions = dimensions
        self.fail_after = fail_after
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fail_after is not None and len(self.seen) + len(texts) > self.fail_after:
            raise EmbedderUnavailable("the model is away")
        self.seen += texts
        return normalised(np.array([self._counts(text) for text in texts], np.float32).reshape(-1, self.dimensions))

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = normalised(np.array([self._counts(text)], np.float32))[0]
        return vector

    def _counts(self, text: str) -> list[float]:
        counts = [0.0] * self.dimensions
        for word in re.findall(r"\w+", text.lower()):
            counts[_number(word) % self.dimensions] += 1
        return counts


class HashContextEmbedder(HashEmbedder):
    """The same as a model that reads whole texts: a word's vector depends on the word and on the one before it."""

    token_width = 16

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenCodes]]:
        return self.embed(texts), [coded(self._tokens(text)[0]) for text in texts]

    def read_query(self, text: str) -> tuple[Vectors, Vectors, list[Word]]:
        return self.embed_query(text), *self._tokens(text)

    def _tokens(self, text: str) -> tuple[Vectors, list[Word]]:
        words = [Word(found.start(), found.end(), found.group()) for found in re.finditer(r"\w+", text)]
        rows = np.zeros((len(words), self.token_width), np.float32)
        for number, word in enumerate(words):
            rows[number, _number(word.text.lower()) % self.token_width] = 1
            if number:
                rows[number, _number(words[number - 1].text.lower()) % self.token_width] += 0.25
        return normalised(rows), words


def _number(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest())
