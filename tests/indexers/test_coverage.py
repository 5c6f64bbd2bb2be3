"""Looking for the words that may have a stem finds what stemming every word finds."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.coverage import Coverage
from memtree.indexers.text_queries import analyser
from memtree.indexers.tokens import fold, spaced

ANALYSER = analyser()
WORDS = [
    *(
        "renewal",
        "renewed",
        "renew",
        "happy",
        "happier",
        "happiness",
        "dying",
        "die",
        "dies",
        "tying",
        "lying",
        "lie",
        "skis",
        "sky",
    ),
    *("skies", "news", "organization", "organise", "relational", "hoping", "hopping", "hope", "hop", "probability", "probable"),
    *(
        "conflated",
        "gently",
        "singly",
        "ugly",
        "early",
        "only",
        "idly",
        "university",
        "universal",
        "feed",
        "agreed",
        "owed",
        "a",
        "an",
    ),
    *("I", "7", "42", "v1", "x_y", "foo_bar", "don't", "Straße", "café", "naïve", "ponies", "caresses", "knives", "running", "ran"),
]


def stem(text: str) -> list[str]:
    return list(ANALYSER.analyze(text))


def every(query: list[str], text: str) -> float:
    found = set(stem(spaced(fold(text))))
    return float(sum(one in found for one in dict.fromkeys(query)))


def held(query: list[str], text: str) -> float:
    coverage = Coverage(query, (), stem, lambda _: 0, 1)
    return round(coverage.held(text) * len(dict.fromkeys(query)) / coverage.asked, 6) if query else coverage.held(text)


def test_pairs_of_words() -> None:
    for asked, word in itertools.product(WORDS, WORDS):
        query = stem(spaced(fold(asked)))
        assert held(query, f"So {word}, it is.") == every(query, f"So {word}, it is."), (asked, word)


@given(
    query=st.lists(st.sampled_from(WORDS) | st.text("abceilnorsty", min_size=1, max_size=9), min_size=1, max_size=4),
    words=st.lists(st.sampled_from(WORDS) | st.text("abceilnorsty", min_size=1, max_size=9), max_size=8),
    space=st.sampled_from([" ", "_", "-", ". ", "\n", "é"]),
)
def test_any_words(query: list[str], words: list[str], space: str) -> None:
    asked = [one for word in query for one in stem(spaced(fold(word)))]
    text = space.join(words)
    assert held(asked, text) == every(asked, text)
