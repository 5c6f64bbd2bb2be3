"""The few sentences that stand for many."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.indexers.embedder import Embedder
from memtree.indexers.extractive import central_sentences
from memtree.indexers.wordllama_model import WordLlamaEmbedder
from support.hash_embedder import HashEmbedder
from support.topic_texts import CHINESE, ENGLISH

MODEL = WordLlamaEmbedder()
LONG = 10_000
Conversation = tuple[str, ...]


@pytest.mark.parametrize("embedder", [MODEL, None], ids=["meaning", "words"])
@pytest.mark.parametrize("turns", [ENGLISH[2], CHINESE[7]], ids=["english", "chinese"])
def test_a_stranger_among_sentences_is_not_taken(embedder: Embedder | None, turns: Conversation) -> None:
    stranger = (ENGLISH if turns in ENGLISH else CHINESE)[14][1]
    texts = [*turns[:3], stranger, *turns[3:]]
    assert 3 not in central_sentences(texts, embedder, count=4, characters=LONG)


@pytest.mark.parametrize("embedder", [MODEL, None], ids=["meaning", "words"])
def test_what_was_said_twice_is_taken_once(embedder: Embedder | None) -> None:
    texts = [*ENGLISH[2][:3], ENGLISH[2][0].upper().lower(), *ENGLISH[2][3:]]
    taken = central_sentences(texts, embedder, count=len(texts), characters=LONG)
    assert len(taken) == len(texts) - 1
    assert not {0, 3} <= set(taken)


def test_being_new_counts_beside_being_central() -> None:
    texts = [
        "the bread dough rises",
        "the bread dough rises well",
        "the bread dough rises slowly",
        "the bread crust browns in the oven",
    ]
    assert 3 not in central_sentences(texts, None, count=2, characters=LONG, balance=1.0)
    assert 3 in central_sentences(texts, None, count=2, characters=LONG, balance=0.4)


def test_what_must_be_there_is_taken_first_and_what_does_not_fit_is_left_out() -> None:
    texts = list(ENGLISH[3])
    assert 5 in central_sentences(texts, MODEL, count=2, characters=LONG, always=[5, 5, 99, -1])
    sizes = [len(text) for text in texts]
    assert central_sentences(texts, MODEL, count=6, characters=min(sizes)) == [sizes.index(min(sizes))]
    assert central_sentences(texts, MODEL, count=6, characters=min(sizes) - 1) == []


@pytest.mark.parametrize("embedder", [MODEL, None, HashEmbedder()], ids=["meaning", "words", "counts"])
def test_nothing_comes_of_nothing(embedder: Embedder | None) -> None:
    assert central_sentences([], embedder, count=3, characters=LONG) == []
    assert central_sentences(["bread"], embedder, count=0, characters=LONG) == []
    assert central_sentences(["", "   "], embedder, count=3, characters=LONG) == []


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.sampled_from([*ENGLISH[0], *CHINESE[0], "", "ok", "👍", "\ud800"]), max_size=12),
    count=st.integers(-1, 14),
    characters=st.integers(0, 600),
    always=st.lists(st.integers(-2, 14), max_size=3),
    words=st.booleans(),
)
def test_any_choice_keeps_its_promises(texts: list[str], count: int, characters: int, always: list[int], words: bool) -> None:
    embedder = None if words else MODEL
    taken = central_sentences(texts, embedder, count=count, characters=characters, always=always)
    assert taken == sorted(set(taken))
    assert len(taken) <= max(count, 0)
    assert sum(len(texts[at]) for at in taken) <= characters
    assert taken == central_sentences(texts, embedder, count=count, characters=characters, always=always)
