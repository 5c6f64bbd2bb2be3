"""Where no sign speaks, words alone decide: the weights are what the labelled sentences make, small, quick and sure."""

from __future__ import annotations

import time

import pytest

from memtree.tree import fact_wording
from memtree.tree.fact_gate import WORDING, Reason, judge
from memtree.tree.fact_gate_text import HAN, sentences_in
from memtree.tree.fact_wording import LABELS, Told, packed, told_by_words, unpacked
from support.gate_fresh_two import SENTENCES
from support.gate_sentences import DURABLE, wide
from support.gate_training import inputs, made, sentences


def told(text: str) -> Told | None:
    return told_by_words(next(sentences_in(text)), HAN.search(text) is not None)


def test_the_weights_are_those_of_these_sentences() -> None:
    header, tables = unpacked(fact_wording.weights())
    assert header["inputs"] == inputs(), "run support.gate_training"
    assert header["labels"] == list(LABELS) == [DURABLE, *Reason]
    assert len(fact_wording.weights()) < 150_000
    assert packed(header, tables) == fact_wording.weights()


def test_the_same_sentences_make_the_same_weights() -> None:
    few = sentences()[::25]
    assert made(few, {}) == made(few, {})


@pytest.mark.parametrize(
    "text",
    ["The wifi here is terrible.", "My glasses are fogged up.", "早上到处是雾。", "从订单表取到214行。"],
)
def test_what_words_alone_drop_is_told_as_that(text: str) -> None:
    verdict = judge(text)
    assert not verdict.keep
    assert verdict.reason in set(Reason)
    assert verdict.cue == WORDING


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_lasts_of_many_topics_is_kept(lang: str) -> None:
    lasting = [one.text for one in wide() if one.lang == lang and one.label == DURABLE]
    others = [one.text for one in wide() if one.lang == lang and one.label != DURABLE]
    kept = sum(judge(text).keep for text in lasting)
    slipped = sum(judge(text).keep for text in others)
    assert len(lasting) >= 250
    assert kept >= 0.96 * len(lasting)
    assert kept >= 0.88 * (kept + slipped)


def test_it_holds_for_sentences_that_it_was_not_made_of() -> None:
    lasting = [text for label, text in SENTENCES if label == DURABLE]
    others = [text for label, text in SENTENCES if label != DURABLE]
    assert not {one.text for one in sentences()} & {*lasting, *others}
    kept = sum(judge(text).keep for text in lasting)
    assert kept >= 0.97 * len(lasting)
    assert kept >= 0.9 * (kept + sum(judge(text).keep for text in others))


def test_nothing_is_said_of_words_that_nobody_knows() -> None:
    assert told("Xylqor vremish ploondar zegrith") is None
    assert told("鼹鳞鳍麒麟") is None
    assert judge("Xylqor vremish ploondar zegrith").keep


def test_signs_are_stronger_than_words() -> None:
    assert judge("I am allergic to the kettle that is boiling over").cue == "health"
    assert judge("From now on my glasses are fogged up").keep


def test_it_is_quick() -> None:
    one = next(sentences_in("I'm typing with one thumb because the kids are jumping on the bed behind me"))
    told_by_words(one, chinese=False)
    began = time.process_time()
    for _ in range(100):
        told_by_words(one, chinese=False)
    assert time.process_time() - began < 5  # a bound, no measure
