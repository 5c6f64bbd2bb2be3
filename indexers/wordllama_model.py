"""WordLlamaEmbedder: the default model, static token vectors that the wordllama wheel carries.

A text's vector is the mean of its tokens' vectors. Two files are read and nothing else of that package is imported: its own loader
looks for the tokenizer in another folder than the wheel has and would then try to download it. No network, ever.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from memtree.indexers.embedder import EmbedderBroken, Vectors, normalised

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_WEIGHTS = os.path.join("weights", "l2_supercat_256.safetensors")
_TOKENIZER = os.path.join("tokenizers", "l2_supercat_tokenizer_config.json")
_TENSOR = "embedding.weight"
# Chunks are shorter; a longer text is a query that somebody pasted a book into.
_TEXT_LIMIT = 20_000
_BATCH = 64
_SPACE = "▁"  # as the tokenizer writes it
_HEADER_LIMIT = 1_000_000
_INSTALL = "install memtree again, with its dependencies"


class WordLlamaEmbedder:
    """An `Embedder` and `TokenEmbedder`. Nothing is read before the first text."""

    model_id = "wordllama/l2_supercat_256"
    dimensions = 256

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text; a blank text has a row of zeros."""
        table = self._quick_table if len(texts) > _BATCH else self._mapped
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [_clean(text) for text in texts[start : start + _BATCH]]
            for row, encoded in enumerate(self._encoded(batch), start):
                if ids := encoded.ids:
                    found[row] = _rows(table, ids).sum(axis=0, dtype=np.float32) / np.float32(len(ids))
        return normalised(found)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector

    def word_vectors(self, words: Sequence[str]) -> Vectors:
        """Return one normalised row a word, the mean of its tokens."""
        found = np.zeros((len(words), self.dimensions), np.float32)
        encoded = self._encoded([_clean(" ".join(words))])[0]
        # A space alone is a token before scripts without spaces, else a part of the word's first one.
        kept = [row for row, token in enumerate(encoded.tokens) if token != _SPACE]
        ids, offsets = encoded.ids, encoded.offsets  # each is made anew, whole, whenever it is asked for
        if kept:
            after = np.cumsum([len(word) + 1 for word in words])
            owners = np.searchsorted(after, [offsets[row][1] - 1 for row in kept], side="right")
            firsts = np.flatnonzero(np.diff(owners, prepend=-1))
            rows = _rows(self._mapped, [ids[row] for row in kept]).astype(np.float32)
            found[owners[firsts]] = np.add.reduceat(rows, firsts)
        return normalised(found)

    def total(self, text: str) -> Vectors:
        """Return the sum of the text's tokens: those that say much are longer, so sums weigh them as the model does."""
        ids = self._tokenizer.encode(_clean(text), add_special_tokens=False).ids
        total: Vectors = _rows(self._mapped, ids).sum(axis=0, dtype=np.float32)
        return total

    def _encoded(self, texts: list[str]) -> list[Encoding]:
        if len(texts) == 1:
            # Without the library's threads: on a busy machine waking them takes longer than one text does.
            return [self._tokenizer.encode(texts[0], add_special_tokens=False)]
        return self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return _tokenizer_at(self._file(_TOKENIZER))

    @cached_property
    def _mapped(self) -> npt.NDArray[np.float16]:
        """The token vectors as they lie in the file: a query touches a few rows of 16 MB."""
        path = self._file(_WEIGHTS)
        try:
            table = _tensor(path, _TENSOR)
        except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
            raise EmbedderBroken(f"the model's weights cannot be read: {path}", hint=_INSTALL) from error
        if table.ndim != 2 or table.shape[1] != self.dimensions:
            raise EmbedderBroken(f"the model's weights have another shape: {table.shape}", hint=_INSTALL)
        return table

    @cached_property
    def _quick_table(self) -> Vectors:
        """The same as float32, for many texts: sums need no conversion."""
        return self._mapped.astype(np.float32)

    def _file(self, name: str) -> str:
        if self._folder is None:
            # Finding a package runs none of its code, unlike importing it.
            spec = find_spec("wordllama")
            if spec is None or spec.origin is None:
                raise EmbedderBroken("the package wordllama, which carries the model, is not installed", hint=_INSTALL)
            self._folder = os.path.dirname(spec.origin)
        return os.path.join(self._folder, name)


# Reading it costs more than all else that a first save does, and a process may hold many workspaces.
@lru_cache(maxsize=1)
def _tokenizer_at(path: str) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # the library raises plain Exception
        raise EmbedderBroken(f"the model's tokenizer cannot be read: {path}", hint=_INSTALL) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _clean(text: str) -> str:
    """What the tokenizer can take: lone surrogates cannot be encoded, and a blank text has no tokens."""
    if not text or text.isspace():
        return ""
    text = text[:_TEXT_LIMIT]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _rows(table: npt.NDArray[Any], ids: list[int]) -> npt.NDArray[Any]:
    # A token id past the table is taken for the last one, as the model's own code does.
    return table[np.minimum(np.asarray(ids, np.intp), len(table) - 1)]


def _tensor(path: str, name: str) -> npt.NDArray[np.float16]:
    """Map one float16 tensor of a safetensors file: a header length, a JSON header, the data."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > _HEADER_LIMIT:
            raise ValueError("the header is too long")
        entry = json.loads(file.read(length))[name]
    first, end = entry["data_offsets"]
    if entry["dtype"] != "F16" or 8 + length + end > os.path.getsize(path):
        raise ValueError("the tensor is no float16, or cut off")
    count = (end - first) // 2
    table: npt.NDArray[np.float16] = np.memmap(path, np.dtype("<f2"), "r", 8 + length + first, (count,)).reshape(entry["shape"])
    return table
