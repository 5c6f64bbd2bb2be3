"""What a turn answers where it stands: the same whatever else is looked at, and more for what fits better."""

from __future__ import annotations

import re

from memtree.indexers.conversation import Statistics, Turn
from memtree.indexers.coverage import Coverage
from memtree.indexers.turn_relevance import TurnRelevance
from memtree.indexers.wordllama_model import WordLlamaEmbedder

TALK = [
    Turn("s", 1, "Ada", "Good morning, how was the weekend?", 1_700_000_000),
    Turn("s", 2, "Bob", "Which animal did you adopt from the shelter?", 1_700_000_000),
    Turn("s", 3, "Ada", "A small grey one that purrs all day long.", 1_700_000_000),
    Turn("s", 4, "Bob", "Lovely. The budget is late again.", 1_700_000_000),
    Turn("t", 1, "Bob", "Tomatoes go out after the last frost.", 1_700_000_000),
]


def stem(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def scores(query: str, turns: list[Turn], model: WordLlamaEmbedder | None = None) -> list[float]:
    coverage = Coverage(stem(query), [], stem, lambda _: 1, 100)
    relevance = TurnRelevance(query, stem, coverage, Statistics(100, lambda _: 1), model)
    cosines: list[float | None] = [None] * len(turns)
    if model is not None:
        cosines = [float(one) for one in model.embed([turn.text for turn in turns]) @ model.embed_query(query)]
    return relevance.judge(turns, cosines, range(len(turns)))


def test_an_answer_counts_for_the_question_before_it() -> None:
    alone = scores("animal adopted shelter", [TALK[2]])
    among = scores("animal adopted shelter", TALK)
    assert alone == [0.0]
    assert among[2] > among[3] > among[4] == 0.0


def test_what_a_turn_gets_depends_on_nothing_but_the_query_and_the_turns_around() -> None:
    model = WordLlamaEmbedder()
    query = "Which animal did Ada adopt?"
    far = [Turn("u", number, "Bob", f"Which animal did Ada adopt in year {number}?", None) for number in range(20)]
    for chosen in (model, None):
        assert scores(query, TALK[:4], chosen) == scores(query, [*TALK[:4], *far], chosen)[:4]


def test_who_speaks_and_when_counts() -> None:
    same = "I painted the kitchen."
    ada, bob = (Turn(name, 1, name, same, 1_700_000_000) for name in ("Ada", "Bob"))  # November 2023
    first, second = scores("What did Ada paint in the kitchen?", [ada, bob])
    assert first > second > 0.0
    late = Turn("Ada", 1, "Ada", same, 1_690_000_000)
    assert scores("kitchen in November 2023", [ada]) > scores("kitchen in November 2023", [late])


def test_any_turn_has_a_score_between_0_and_1() -> None:
    for query in ("", "the", "全文检索", "x" * 3_000, "?"):
        for one in scores(query, [*TALK, Turn("z", 1, "", "", None)], WordLlamaEmbedder()):
            assert 0.0 <= one <= 1.0
