"""One score: how much of a query a passage answers. Near 1 for what answers it, near 0 for what has nothing to do with it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.memory_tree.scoring import Scorer, Words
from memtree.indexers.wordllama_model import WordLlamaEmbedder

WORDS = Words(
    lambda text: [word.rstrip("s") for word in re.findall(r"[^\W_]+", text)], lambda stem: {"common": 900}.get(stem, 3), 1_000
)


def score(query: str, text: str, cosine: float | None = None, groups: dict[str, list[str]] | None = None) -> float:
    return Scorer(query, WORDS, groups).score(text, cosine)


@pytest.mark.parametrize(
    ("query", "text", "low", "high"),
    [
        ("certificate renewal", "the certificate renewal is in may", 1.0, 1.0),
        ("certificate renewal", "a certificate", 0.4, 0.6),
        ("certificate renewal", "tomatoes after the frost", 0.0, 0.0),
        ("where is the certificate", "certificates", 1.0, 1.0),
        ("common certificate", "certificate", 0.9, 1.0),
        ("common certificate", "common", 0.0, 0.1),
        ("全文检索", "讨论了全文检索。", 1.0, 1.0),
        ("全文检索", "图书馆的同事", 0.0, 0.0),
        ("engine/store.py", "see engine/store.py here", 1.0, 1.0),
        ("engine/store.py", "the engine has a store of py", 0.0, 0.9),
        ("well-known certificate", "a certificate, well known", 1.0, 1.0),
        ("京", "北京", 1.0, 1.0),
        ("the", "the", 0.0, 0.0),
        ("", "text", 0.0, 0.0),
    ],
)
def test_words(query: str, text: str, low: float, high: float) -> None:
    assert low <= score(query, text) <= high


def test_each_part_counts_where_it_can_be_told() -> None:
    text, groups = "grace hopper has a certificate", {"name:grace hopper": ["name:grace hopper"]}
    words_alone = score("certificate renewal", text)
    assert score("certificate renewal", text, 0.9) > words_alone > score("certificate renewal", text, 0.0)
    assert score("certificate renewal", text, None, groups) > words_alone
    assert score("certificate renewal", "a certificate", None, groups) < words_alone
    assert score("the", text, 0.9) == 1.0


def test_an_entity_is_known_by_each_of_its_names_as_a_word_of_its_own() -> None:
    scorer = Scorer(
        "q", WORDS, {"a": ["name:ada", "name:ada lovelace", "email:ada@example.org"], "m": ["name:王小明"], "p": ["path:x/y.md"]}
    )
    assert scorer.entities_in("Ask ADA today") == ("a",)
    assert scorer.entities_in("Ada\nLovelace") == ("a",)
    assert scorer.entities_in("ada@example.org wrote") == ("a",)
    assert scorer.entities_in("Adana and Armada") == ()
    assert scorer.entities_in("和王小明开会") == ("m",)
    assert scorer.entities_in("in y.md it stands") == ("p",)


_TEXT = st.lists(st.sampled_from(["certificate", "renewal", "may", "common", "frost", "ada"]), max_size=8).map(" ".join)
_COSINE = st.none() | st.floats(-1, 1)


@given(query=_TEXT, text=_TEXT, more=_TEXT, cosine=_COSINE)
def test_a_text_that_holds_more_answers_no_less(query: str, text: str, more: str, cosine: float | None) -> None:
    groups = {"name:ada": ["name:ada"]}
    before, after = (score(query, one, cosine, groups) for one in (text, f"{text} {more}"))
    assert 0.0 <= before <= after <= 1.0


@given(query=_TEXT, text=_TEXT, low=st.floats(-1, 1), high=st.floats(-1, 1))
def test_what_is_nearer_answers_no_less(query: str, text: str, low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert score(query, text, low) <= score(query, text, high)


@given(query=st.text(max_size=60), text=st.text(max_size=60), value=st.text(max_size=20), cosine=_COSINE)
def test_any_text_has_a_score(query: str, text: str, value: str, cosine: float | None) -> None:
    ids = [f"name:{value}"] if value.strip() else []
    assert 0.0 <= score(query, text, cosine, {"name:x": ids}) <= 1.0


@pytest.mark.parametrize(
    ("query", "answers", "unrelated"),
    [
        ("when is the certificate renewal due", "The certificate renewal is due in May.", "Tomatoes go out after the last frost."),
        ("where does Grace live", "Grace lives in a small house near Bletchley.", "The invoice was paid by bank transfer."),
        ("how do I repair my bike", "To repair a flat bike tyre, patch the tube.", "We discussed the quarterly budget at length."),
        ("全文检索怎么做", "今天讨论了全文检索怎么做。", "番茄在霜冻之后种下。"),
    ],
)
def test_with_the_model_an_answer_is_near_one_and_what_is_unrelated_near_nothing(query: str, answers: str, unrelated: str) -> None:
    model = WordLlamaEmbedder()
    vectors = model.embed([answers, unrelated])
    near, far = (float(one @ model.embed_query(query)) for one in vectors)
    assert score(query, answers, near) > 0.7
    assert score(query, unrelated, far) < 0.2
