"""Whether a passage has to do with a query, by words alone and with a model."""

from __future__ import annotations

import pytest

from memtree.indexers.relevance import Judge, sentences
from memtree.indexers.wordllama_model import WordLlamaEmbedder

COMMON = {"river": 400, "water": 300}
PASSAGES = ["The quokka lives on Rottnest island.", "The river carries much water.", "", "小袋鼠住在罗特内斯特岛上。"]


def judge(query: str, embedder: WordLlamaEmbedder | None = None) -> Judge:
    return Judge(query, str.split, lambda stem: COMMON.get(stem, 1), 1_000, embedder)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("quokka rottnest", [True, False, False, False]),
        ("quokka rottnest together with penguins ravens lizards", [False] * 4),
        ("river water", [False] * 4),  # words that stand in every other passage
        ("罗特内斯特岛", [False, False, False, True]),
    ],
)
def test_words_count_by_how_rare_they_are_and_by_how_many_are_there(query: str, expected: list[bool]) -> None:
    assert judge(query).relevant(PASSAGES) == expected


@pytest.mark.parametrize("query", ["", "ok, thanks", "yes", "好的，谢谢", "¿?", "what do you think?", "ja, bitte weiter"])
def test_small_talk_asks_nothing(query: str) -> None:
    asked = judge(query, WordLlamaEmbedder())
    assert not asked.asks
    assert asked.relevant([query, "ok"]) == [False, False]


def test_meaning_is_enough() -> None:
    query, passages = "what pets do the children have?", ["My kids love their dog and two cats.", "Tax forms are due in May."]
    assert judge(query, WordLlamaEmbedder()).relevant(passages) == [True, False]
    assert judge(query).relevant(passages) == [False, False]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which port does v1.2 use?", []),
        ("Fix a.py. Which port?\nThanks", ["Fix a.py.", "Which port?", "Thanks"]),
        ("one\ntwo\n\nthree", ["one\ntwo", "three"]),
        ("修好它。端口是什么？", ["修好它。", "端口是什么？"]),
        ("x. " * 100, ["x."] * 8),
    ],
)
def test_a_query_is_its_sentences_where_it_has_several(query: str, expected: list[str]) -> None:
    assert sentences(query) == expected
