"""The default model: the vectors of its own package, from its files alone, and no network."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.embedder import EmbedderBroken, TokenEmbedder, normalised
from memtree.indexers.wordllama_model import WordLlamaEmbedder

MODEL = WordLlamaEmbedder()
# Computed with the package's own code, `embed(text, norm=True)`: the first three values of a vector and its last.
OWN = {
    "The cat sat on the mat.": (-0.047799, 0.028404, -0.047002, -0.019068),
    "北京大学的学生": (-0.143703, 0.133742, 0.060875, -0.061364),
    "naïve 🎉 café — x": (-0.046473, 0.031945, 0.036871, -0.044015),
}


@pytest.mark.parametrize("text", sorted(OWN))
def test_vectors_are_those_of_the_models_own_code(text: str) -> None:
    vector = MODEL.embed_query(text)
    assert [*vector[:3], vector[255]] == pytest.approx(OWN[text], abs=1e-6)


def test_vectors_are_unit_rows_of_256() -> None:
    found = MODEL.embed(["one text", "another", "第三"])
    assert (found.shape, found.dtype) == ((3, MODEL.dimensions), np.float32)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_text_has_a_row_of_zeros(blank: str) -> None:
    assert not MODEL.embed([blank]).any()
    assert not MODEL.embed_query(blank).any()
    assert MODEL.embed([]).shape == (0, 256)


def test_what_means_the_same_is_nearer() -> None:
    cat, kitten, budget = MODEL.embed(["the cat sleeps", "a kitten naps", "quarterly budget review"])
    assert cat @ kitten > cat @ budget + 0.2


def test_many_texts_have_the_vectors_of_each_alone() -> None:
    texts = [f"note {number} about {'x' * (number % 7)} things" for number in range(150)]
    assert np.array_equal(MODEL.embed(texts), np.stack([MODEL.embed_query(text) for text in texts]))


@given(st.text(max_size=60))
def test_any_text_has_a_vector(text: str) -> None:
    length = np.linalg.norm(MODEL.embed_query(text))
    assert length == pytest.approx(1, abs=1e-5) or (not length and not text.strip())


def test_lone_surrogates_and_books_are_taken() -> None:
    assert MODEL.embed_query("half of a pair \ud83d").any()
    assert MODEL.embed_query("word " * 1_000_000).any()


def test_words_have_vectors_too() -> None:
    assert isinstance(MODEL, TokenEmbedder)
    words = ["cat", "unbelievably", "sat", "图书"]
    found = MODEL.word_vectors(words)
    assert found.shape == (4, 256)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.allclose(found, np.concatenate([MODEL.word_vectors([word]) for word in words]), atol=1e-5)
    assert MODEL.word_vectors([]).shape == (0, 256)


@given(st.lists(st.from_regex(r"\A\w{1,9}\Z"), max_size=6))
def test_any_words_have_one_vector_each(words: list[str]) -> None:
    found = MODEL.word_vectors(words)
    assert found.shape == (len(words), 256)
    assert np.isfinite(found).all()


def test_the_sum_of_a_text_points_where_its_vector_does() -> None:
    total = MODEL.total("the cat sleeps")
    assert normalised(total) == pytest.approx(MODEL.embed_query("the cat sleeps"), abs=1e-5)
    assert np.linalg.norm(total) > 1
    assert not MODEL.total("").any()


def test_rows_of_zeros_stay_zero() -> None:
    assert normalised(np.array([[3, 4], [0, 0]], np.float32)).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def _weights(folder: Path, data: bytes) -> WordLlamaEmbedder:
    (folder / "weights").mkdir()
    (folder / "weights" / "l2_supercat_256.safetensors").write_bytes(data)
    return WordLlamaEmbedder(str(folder))


def _header(**entry: object) -> bytes:
    header = json.dumps({"embedding.weight": entry}).encode()
    return struct.pack("<Q", len(header)) + header


DAMAGED = {
    "empty": b"",
    "no length": b"\x01",
    "endless header": struct.pack("<Q", 2**60),
    "no JSON": struct.pack("<Q", 3) + b"abc",
    "no tensor": struct.pack("<Q", 2) + b"{}",
    "cut off": _header(dtype="F16", shape=[2, 256], data_offsets=[0, 1024]) + b"\0" * 1000,
    "another type": _header(dtype="F32", shape=[1, 256], data_offsets=[0, 1024]) + b"\0" * 1024,
    "another width": _header(dtype="F16", shape=[4, 128], data_offsets=[0, 1024]) + b"\0" * 1024,
}


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_damaged_weights_are_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(EmbedderBroken, match="weights"):
        _ = _weights(tmp_path, DAMAGED[name])._mapped


def test_a_missing_tokenizer_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbedderBroken, match="tokenizer"):
        WordLlamaEmbedder(str(tmp_path)).embed_query("text")


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtree.indexers.wordllama_model.find_spec", lambda name: None)
    with pytest.raises(EmbedderBroken, match="not installed"):
        WordLlamaEmbedder().embed_query("text")


def test_the_model_loads_without_its_package_and_without_a_network() -> None:
    code = """
import socket, sys
def refuse(*_): raise AssertionError("network")
socket.socket.connect = socket.getaddrinfo = refuse
from memtree.indexers.wordllama_model import WordLlamaEmbedder
assert WordLlamaEmbedder().embed_query("hello").any()
loaded = {name.split(".")[0] for name in sys.modules}
assert not loaded & {"wordllama", "huggingface_hub", "requests", "safetensors"}, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_opening_a_workspace_needs_none_of_it() -> None:
    code = """
import sys, memtree.engine.workspace
assert not {"numpy", "hnswlib", "tokenizers", "sqlite3"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
