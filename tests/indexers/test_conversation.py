"""Ranking turns: each feature by the smallest conversation that shows it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.conversation import Statistics, Turn, TurnRanker
from memtree.indexers.text_queries import analyser
from memtree.indexers.turn_text import ask
from memtree.indexers.weights import TurnWeights
from memtree.indexers.wordllama_model import WordLlamaEmbedder

ANALYSE = analyser().analyze
EMBEDDER = WordLlamaEmbedder()
MAY_8, JUNE_9 = 1_683_550_000, 1_686_300_000
EVEN = Statistics(100, lambda _stem: 5)


def best(query: str, *turns: Turn, embedder: WordLlamaEmbedder | None = EMBEDDER) -> Turn:
    ranker = TurnRanker(ANALYSE, embedder, TurnWeights())
    totals = [sum(parts.values()) for parts in ranker.rank(query, turns, EVEN)]
    return turns[totals.index(max(totals))]


def said(order: int, speaker: str, text: str, *, session: str = "s1", time: int | None = None) -> Turn:
    return Turn(session, order, speaker, text, time)


def test_the_turn_with_the_words_wins() -> None:
    turns = (said(0, "Ada", "The garden needs rain."), said(1, "Bob", "My charity race was on Sunday morning."))
    assert best("charity race", *turns) is turns[1]


def test_the_named_speaker_wins_among_equals() -> None:
    turns = (said(0, "Ada", "I painted a sunrise."), said(1, "Bob", "I painted a sunrise."))
    assert best("What did Bob paint?", *turns) is turns[1]
    assert best("What did Ada paint?", *turns) is turns[0]


def test_an_answer_is_found_by_the_question_before_it() -> None:
    filler = [said(at, "Bob", "Nice weather over here again, is it not?", session="s0") for at in range(4)]
    turns = (
        *filler,
        said(0, "Ada", "What pets do you keep at home?"),
        said(1, "Bob", "Two cats and an old tortoise, they get along well."),
    )
    assert best("Which pets are kept at home?", *turns, embedder=None) in turns[-2:]
    with_meaning = best("Which animals does Bob keep?", *turns)
    assert with_meaning is turns[-1]


def test_the_month_in_the_question_picks_the_session() -> None:
    turns = (
        said(0, "Ada", "We went hiking together.", session="s1", time=MAY_8),
        said(0, "Ada", "We went hiking together.", session="s2", time=JUNE_9),
    )
    assert best("Where did they hike in June 2023?", *turns) is turns[1]
    assert best("Where did they hike in May?", *turns) is turns[0]


def test_windows_never_cross_sessions() -> None:
    turns = (
        said(0, "Ada", "quokka quokka quokka", session="s1"),
        said(0, "Bob", "plain words in another session", session="s2"),
        said(1, "Bob", "plain words in another session", session="s2"),
    )
    parts = TurnRanker(ANALYSE, None, TurnWeights()).rank("quokka", turns, EVEN)
    assert "words_5" in parts[0]
    assert "words_5" not in parts[1]


def test_chinese_turns_are_ranked_by_their_characters() -> None:
    turns = (said(0, "小明", "今天天气很好。"), said(1, "小红", "我在图书馆借了三本书。"))
    assert best("图书馆", *turns, embedder=None) is turns[1]


def test_a_question_says_what_it_asks_for() -> None:
    asked = ask("When did Melanie go camping in June, on the 9th, 2023?", ANALYSE)
    assert (asked.asks_when, asked.months, asked.years) == (True, {6}, {2023})
    assert asked.named({"Melanie", "Mel"}) == {"Melanie"}
    assert asked.date_match(JUNE_9) == pytest.approx(1.0)
    assert asked.date_match(MAY_8) == pytest.approx(0.25)
    assert asked.date_match(None) == 0
    assert asked.date_match(10**18) == 0


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.sampled_from(["s1", "s2"]), st.text(max_size=5), st.text(max_size=60)), max_size=6),
    st.booleans(),
)
def test_any_text_gives_a_finite_score_for_every_turn(query: str, raw: list[tuple[str, str, str]], with_meaning: bool) -> None:
    turns = [Turn(session, at, speaker, text) for at, (session, speaker, text) in enumerate(sorted(raw))]
    ranker = TurnRanker(ANALYSE, EMBEDDER if with_meaning else None, TurnWeights())
    found = ranker.rank(query, turns, EVEN)
    assert len(found) == len(turns)
    assert all(math.isfinite(value) for parts in found for value in parts.values())
