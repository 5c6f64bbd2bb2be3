"""Embedder: turns texts into vectors whose dot product says how near they are in meaning.

Vectors are float32 rows of length 1; a text that says nothing to the model has a row of zeros. The model's id is stored with every
index made from it: vectors of two models cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from memtree.tree.errors import StateError, TransientError

Vectors = npt.NDArray[np.float32]
TokenCodes = npt.NDArray[np.int8]


class EmbedderUnavailable(TransientError):
    """The model cannot be reached at the moment."""

    hint = "searching by words goes on; vectors are completed when the embedder answers again"


class EmbedderBroken(StateError):
    """The model, or what stands behind its address, does not do what an embedder does."""

    hint = "check the embedder's address, model and key in the settings"


class Embedder(Protocol):
    """A model for whole texts."""

    @property
    def model_id(self) -> str:
        """Names the model and everything else that shapes its vectors; asking never needs the model itself."""

    @property
    def dimensions(self) -> int:
        """The length of a vector. May raise EmbedderUnavailable where the model must be asked."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text, shape (texts, dimensions). Raise EmbedderUnavailable or EmbedderBroken."""

    def embed_query(self, text: str) -> Vectors:
        """Return a query's vector, shape (dimensions,)."""


@runtime_checkable
class TokenEmbedder(Protocol):
    """A model whose vectors for words are the same in every text, for matching word by word."""

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Return one normalised row a word, shape (words, dimensions)."""

    def total(self, text: str) -> Vectors:
        """Return the sum of the text's token vectors as the model weighs them, shape (dimensions,): sums of texts can be added."""


class Word(NamedTuple):
    """Where a word stands in a text, as offsets of characters, and what it is."""

    start: int
    end: int
    text: str


@runtime_checkable
class ContextEmbedder(Protocol):
    """A model whose vectors for a text's tokens come from reading the whole text. So they are made once, and kept as bytes."""

    @property
    def token_width(self) -> int:
        """The length of a token's vector."""

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenCodes]]:
        """Return what `embed` returns, and each text's tokens, shape (tokens, token_width), as `token_vectors.coded` has them."""

    def read_query(self, text: str) -> tuple[Vectors, Vectors, list[Word]]:
        """Return a query's vector, one normalised row a token, shape (tokens, token_width), and where each token stands."""


def normalised(vectors: Vectors) -> Vectors:
    """Bring rows to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return found
