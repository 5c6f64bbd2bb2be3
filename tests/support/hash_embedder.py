"""HashEmbedder: an embedder whose vectors are counts of words, quick and the same everywhere; it can be made to fail."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from memtree.indexers.embedder import EmbedderUnavailable, Vectors, normalised


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
            counts[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest()) % self.dimensions] += 1
        return counts
