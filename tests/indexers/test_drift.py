"""Where a conversation turns to something else: how often that is seen, and how seldom a topic is cut in two."""

from __future__ import annotations

import itertools

import pytest

from memtree.indexers.drift import Drift, nearness
from memtree.indexers.embedder import EmbedderUnavailable
from memtree.indexers.wordllama_model import WordLlamaEmbedder
from memtree.tree.segments import Limits
from support.hash_embedder import HashEmbedder
from support.topic_texts import CHINESE, ENGLISH, MORE_CHINESE, MORE_ENGLISH, UNSEEN_ENGLISH

CUT = Limits().min_cosine
Conversations = tuple[tuple[str, ...], ...]


@pytest.fixture(scope="module")
def drift() -> Drift:
    return Drift(WordLlamaEmbedder())


def share_cut(found: list[float | None]) -> float:
    return sum(near is not None and near < CUT for near in found) / len(found)


@pytest.mark.parametrize(
    ("conversations", "seen"),
    [(ENGLISH, 0.38), (MORE_ENGLISH, 0.33), (UNSEEN_ENGLISH, 0.36), (CHINESE, 0.22), (MORE_CHINESE, 0.28)],
    ids=["english", "more-english", "unseen-english", "chinese", "more-chinese"],
)
def test_a_topic_is_seldom_cut_and_another_topic_often_seen(drift: Drift, conversations: Conversations, seen: float) -> None:
    others = [([turn for turn in turns if turn != now], now) for turns in conversations for now in turns]
    going_on = [drift.nearness(before, now) for before, now in others]
    new = [drift.nearness(one, two[0]) for one, two in itertools.permutations(conversations, 2)]
    assert share_cut(going_on) <= 0.03
    assert share_cut(new) >= seen


def test_what_says_too_little_is_not_judged(drift: Drift) -> None:
    about_bread = list(ENGLISH[2])
    assert drift.nearness(about_bread, "Yes, please do that.") is None
    assert drift.nearness(about_bread, "") is None
    assert drift.nearness(about_bread, "👍 https://example.org/") is None
    assert drift.nearness(about_bread, "好的，谢谢，请继续。") is None
    assert drift.nearness(about_bread[:2], ENGLISH[3][0]) is None
    assert drift.nearness(["ok", "go on", "yes", *about_bread[:2]], ENGLISH[3][0]) is None
    assert drift.nearness([], ENGLISH[3][0]) is None


def test_another_language_is_no_other_topic(drift: Drift) -> None:
    assert drift.nearness(ENGLISH[2], CHINESE[2][3]) is None
    assert drift.nearness(CHINESE[2], ENGLISH[2][3]) is None
    assert drift.nearness(ENGLISH[2], "Почему хлеб получается таким плотным и плоским каждый раз в духовке") is None


def test_a_telling_word_said_again_goes_on(drift: Drift) -> None:
    assert drift.nearness(ENGLISH[0][:4], "Our landlord broke the session heating radiators plumber in January") is not None
    assert drift.nearness(ENGLISH[0][:4], "Our landlord broke the cookie heating radiators plumber; decoded letters") == 1.0


def test_what_was_prepared_is_kept_and_changes_nothing() -> None:
    embedder, other = HashEmbedder(), HashEmbedder()
    drift = Drift(embedder)
    found = [drift.nearness(turns[:4], turns[4]) for turns in (*ENGLISH, *ENGLISH)]
    assert found == [nearness(turns[:4], turns[4], other) for turns in (*ENGLISH, *ENGLISH)]
    assert len(embedder.seen) == len(other.seen) < 2 * len(ENGLISH) * 5
    assert all(near is None or -1 <= near <= 1 for near in found)


def test_a_very_long_turn_is_looked_at_in_part(drift: Drift) -> None:
    pasted = " ".join(ENGLISH[3]) + " log" * 1_000_000
    assert drift.nearness(ENGLISH[2], pasted) is not None


def test_an_embedder_that_is_away_says_so() -> None:
    with pytest.raises(EmbedderUnavailable):
        nearness(ENGLISH[2], ENGLISH[3][0], HashEmbedder(fail_after=0))
