"""Turns are ranked by what a model made of them when they were indexed, once it has read them all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memtree.indexers.catch_up import catch_up
from memtree.indexers.conversation import Reading, Statistics, Turn, TurnRanker
from memtree.indexers.embedder import Word
from memtree.indexers.text_queries import analyser
from memtree.indexers.turn_reading import TurnReader, content_tokens
from memtree.indexers.vectors import VectorIndex
from memtree.indexers.weights import MINILM_TURNS
from memtree.tree.episode import Episode, episode_path
from support.hash_embedder import HashContextEmbedder
from support.memory_source import MemorySource

ANALYSE = analyser().analyze
EVEN = Statistics(100, lambda _stem: 5)
TEXTS = ("the garden needs rain", "my quokka sleeps all day", "a heron stands in the river")
FILES = {
    episode_path("s1", seq, "memory_tree/content"): Episode("s1", seq, text, timestamp=seq, speaker="Ada").render()
    for seq, text in enumerate(TEXTS)
}
PLACES = [(path, 0) for path in FILES]


def pieces(text: str, *lengths: int) -> list[Word]:
    """A text cut as a model's tokenizer would, a space between words left out."""
    found, at = [], 0
    for length in lengths:
        at += text[at:].startswith(" ")
        found.append(Word(at, at + length, text[at : at + length]))
        at += length
    return found


def test_tokens_of_content_words_are_matched_each_with_its_word() -> None:
    text = "what does the quokka eat?"
    places = pieces(text, 4, 4, 3, 4, 2, 3, 1)
    assert content_tokens(text, places) == ([3, 4, 5], ["quokka", "quokka", "eat"])


def test_a_question_of_stop_words_is_matched_as_it_is() -> None:
    text = "who is it?"
    assert content_tokens(text, pieces(text, 3, 2, 2, 1)) == ([0, 1, 2, 3], ["who", "is", "it", "?"])
    assert content_tokens("", []) == ([], [])


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


def reader(index: VectorIndex) -> TurnReader:
    return TurnReader(index, HashContextEmbedder(), ANALYSE)


def test_a_reading_holds_the_question_and_every_turn(tmp_path: Path, source: MemorySource) -> None:
    index = VectorIndex.open(tmp_path / "index", "settings", HashContextEmbedder())
    catch_up(index, source, source.commit(FILES))
    reading = reader(index).read("Where does the quokka sleep?", PLACES)
    assert reading is not None
    assert list(reading.stems) == ["quokka", "sleep"]
    assert reading.words.shape == (2, HashContextEmbedder.token_width)
    # The speaker's name is said too.
    assert [len(tokens) for tokens in reading.tokens] == [1 + len(text.split()) for text in TEXTS]
    best = [float((tokens @ reading.words[0]).max()) for tokens in reading.tokens]
    assert best[1] == max(best)
    assert reading.wholes.shape == (3, HashContextEmbedder().dimensions)


def test_as_long_as_a_turn_is_not_embedded_there_is_no_reading(tmp_path: Path, source: MemorySource) -> None:
    ticks = iter(range(0, 10_000, 2))
    index = VectorIndex.open(tmp_path / "index", "settings", HashContextEmbedder(), patience=1.0, clock=lambda: float(next(ticks)))
    catch_up(index, source, source.commit(FILES))
    assert index.coverage().embedded == 0
    assert reader(index).read("Where does the quokka sleep?", PLACES) is None
    VectorIndex.open(tmp_path / "index", "settings", HashContextEmbedder()).complete(source, 1000.0)
    assert reader(index).read("Where does the quokka sleep?", PLACES) is not None
    assert reader(index).read("Where does the quokka sleep?", [*PLACES, ("elsewhere.md", 0)]) is None


def test_the_turn_whose_tokens_match_wins() -> None:
    turns = [Turn("s1", seq, "Ada", text) for seq, text in enumerate(("alpha beta", "gamma delta", "omega sigma"))]
    axes = np.eye(6, dtype=np.float32)
    tokens = [axes[:2], axes[2:4], axes[4:]]
    wholes = np.ones((3, 4), np.float32)
    reading = Reading(axes[2:3], ["unheard"], np.ones(4, np.float32), tokens, wholes)
    found = TurnRanker(ANALYSE, None, MINILM_TURNS).rank("unheard", turns, EVEN, reading)
    totals = [sum(parts.values()) for parts in found]
    assert totals.index(max(totals)) == 1
    assert found[1]["tokens"] == pytest.approx(MINILM_TURNS.tokens)
    assert "tokens_next" in found[0]
    assert "static_22" not in found[0]


def test_who_is_named_tells_nothing_of_what_was_said() -> None:
    """The name is said in every turn of hers; its token must not decide."""
    turns = [Turn("s1", seq, "Ada", text) for seq, text in enumerate(("alpha beta", "gamma delta"))]
    axes = np.eye(4, dtype=np.float32)
    reading = Reading(axes[:2], ["ada", "gamma"], np.ones(4, np.float32), [axes[:1], axes[1:2]], np.ones((2, 4), np.float32))
    ranker = TurnRanker(ANALYSE, None, MINILM_TURNS)
    found = ranker.rank("what did Ada say of gamma", turns, EVEN, reading)
    assert "tokens" not in found[0]
    assert found[1]["tokens"] == pytest.approx(MINILM_TURNS.tokens)
    alone = ranker.rank("Ada", turns, EVEN, reading.without({"gamma"}))
    assert alone[0]["tokens"] == pytest.approx(MINILM_TURNS.tokens)
