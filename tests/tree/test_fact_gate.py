"""The gate of facts: what is kept, what drops and why, and that nothing can make it slow or fail."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.fact_gate import Reason, Verdict, judge
from memtree.tree.fact_script import simplified
from support.gate_pairs import LASTS, PASSES
from support.gate_sentences import DURABLE, labelled

SENTENCES = list(labelled())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_lasts_is_kept_and_little_else(lang: str) -> None:
    lasting = [one.text for one in SENTENCES if one.lang == lang and one.label == DURABLE]
    others = [one for one in SENTENCES if one.lang == lang and one.label != DURABLE]
    lost = [text for text in lasting if not judge(text).keep]
    slipped = [(one.label, one.text) for one in others if judge(one.text).keep]
    kept = len(lasting) - len(lost)
    assert kept >= 0.99 * len(lasting), lost
    assert kept >= 0.98 * (kept + len(slipped)), slipped


def test_there_are_sentences_of_every_class_in_both_languages() -> None:
    for lang in ("en", "zh"):
        for label in (DURABLE, *Reason):
            assert sum(one.lang == lang and one.label == label for one in SENTENCES) >= 40


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reason_is_mostly_the_one_that_a_person_would_give(lang: str) -> None:
    others = [one for one in SENTENCES if one.lang == lang and one.label != DURABLE]
    wrong = [(one.label, judge(one.text).reason, one.text) for one in others if judge(one.text).reason != one.label]
    assert len(wrong) <= 0.12 * len(others), wrong


@pytest.mark.parametrize("text", LASTS)
def test_what_lasts_is_kept_although_it_sounds_like_the_moment(text: str) -> None:
    assert judge(text).keep, judge(text)


@pytest.mark.parametrize(("text", "reason"), PASSES.items())
def test_what_passes_drops_with_its_reason(text: str, reason: str) -> None:
    assert judge(text) == Verdict(False, reason)


def test_a_cue_is_named() -> None:
    assert judge("I run every morning before work").cue == "habit"
    assert judge("User is allergic to shellfish").cue == "health"
    assert judge("从现在开始用中文回答我").cue == "for good"
    assert judge("Our lighthouse is white") == Verdict(True)


def test_a_type_that_drops_does_so_unless_a_strong_cue_speaks_against_it() -> None:
    assert judge("The lighthouse keeper whistles", "activity_log") == Verdict(False, "activity_log")
    assert judge("The lighthouse keeper whistles", " Transient_Status ") == Verdict(False, "transient_status")
    assert judge("User is allergic to shellfish", "transient_status") == Verdict(True, "", "health")
    assert judge("用户对花生过敏", "QUERY_INTENT").keep
    assert judge("What am I allergic to?", "activity_log") == Verdict(False, "query_intent")


@pytest.mark.parametrize("fact_type", ["fact", "", "FACT", "whatever", "raw_fallback"])
def test_any_other_type_says_nothing(fact_type: str) -> None:
    assert judge("The lighthouse keeper whistles", fact_type).keep
    assert judge("I'm hungry", fact_type) == Verdict(False, "transient_status")


def test_a_question_drops_but_for_what_is_told_before_it() -> None:
    assert judge("I'm hungry, what should I cook?").reason == "query_intent"
    assert judge("I'm allergic to nuts, what should I cook?") == Verdict(True, "", "health")
    assert judge("I'm allergic to nuts. What can I eat?").keep
    assert judge("我对花生过敏，晚饭吃什么？").keep
    assert judge("我家水槽漏水了，怎么办？").reason == "query_intent"
    assert judge("Could you answer in French from now on?").keep


def test_one_sentence_that_lasts_keeps_the_text() -> None:
    assert judge("I'm tired. I have been a vegetarian since 2010.").keep
    assert not judge("I'm tired. The bus is late. It's raining outside.").keep


def test_nothing_is_kept_as_it_says_nothing_against_it() -> None:
    for text in ("", " ", "…", "?!", "\n\t"):
        assert judge(text) == Verdict(True)


@pytest.mark.parametrize(
    ("traditional", "plain"),
    [("用戶對花生過敏", "用户对花生过敏"), ("我現在正在開會", "我现在正在开会"), ("幫我查一下部署日誌", "帮我查一下部署日志")],
)
def test_traditional_characters_are_read_as_simplified_ones(traditional: str, plain: str) -> None:
    assert simplified(traditional) == plain
    assert judge(traditional) == judge(plain)


texts = st.one_of(st.text(max_size=300), st.sampled_from([one.text for one in SENTENCES]))


@given(texts, st.text(max_size=20))
def test_it_never_fails(text: str, fact_type: str) -> None:
    verdict = judge(text, fact_type)
    assert verdict.keep == (verdict.reason == "")
    assert verdict.keep or verdict.reason in set(Reason)


@given(st.sampled_from(SENTENCES), st.sampled_from([" ", "  ", "\t", "\u3000", "\n"]), st.booleans())
@settings(max_examples=200)
def test_case_width_and_spacing_do_not_matter(one, space, wide) -> None:  # type: ignore[no-untyped-def]
    changed = space + one.text.upper().replace(" ", space) + space
    if wide:
        changed = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in changed)
    assert unicodedata.normalize("NFKC", changed).split() == one.text.upper().split() or one.lang == "zh"
    assert judge(changed) == judge(one.text)


@given(st.sampled_from(SENTENCES))
def test_a_full_stop_more_does_not_matter(one) -> None:  # type: ignore[no-untyped-def]
    assert judge(one.text + ".") == judge(one.text)
    assert judge(one.text + "。") == judge(one.text)
    assert judge(one.text.rstrip(".。")) == judge(one.text)


HOSTILE = (
    *(
        "a",
        " ",
        "i ",
        "user ",
        "i am ",
        "very ",
        "to ",
        "the ",
        "had a ",
        "ate ",
        "1",
        "1 ",
        "-",
        ".",
        ". ",
        "?",
        "? ",
        ",",
        ", ",
        "'",
    ),
    *(
        "`",
        '"',
        "now ",
        "with my ",
        "every ",
        "test ",
        "tests are ",
        "set a ",
        "i'm ",
        "because ",
        "x.",
        "\ufdfa",
        "ok, ",
        "1.",
        "\n",
    ),
    *(
        "我",
        "刚",
        "今天",
        "刚刚",
        "在",
        "了",
        "先",
        "看了",
        "吃了一个",
        "的",
        "用户",
        "，",
        "？",
        "。",
        "想要",
        "正在",
        "测试",
        "把",
        "三点",
    ),
    *("\u3000", "🙂", "é", "_", "*", "我想去看一集", "i will go to the ", "刚刚刚今天早上", "请帮我"),
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_anything_is_quick(unit: str) -> None:
    judge("I am warm")
    judge("我暖和")
    few = unit * (400 // len(unit))
    for text in (unit * (1_000_000 // len(unit)), few + "x", "i " + few, "用户" + few):
        began = time.process_time()
        judge(text)
        assert time.process_time() - began < 1.0, unit


@pytest.mark.parametrize(
    "text", ["The payment service retries three times before it gives up.", "明天晚上八点和罗莎吃饭。", "接口限流是每分钟600次。"]
)
def test_how_a_service_is_set_up_and_whom_somebody_meets_lasts(text: str) -> None:
    assert judge(text).keep


@pytest.mark.parametrize(
    ("passes", "lasts"),
    [
        ("I have the flu this week.", "I have a cold every November."),
        ("Can't find my glasses.", "User cannot find work in Porto because of the strike."),
        ("User is nearly done with the report.", "User is nearly blind in one eye."),
        ("Dinner is in the oven.", "Dinner is always at seven at our house."),
        ("User has his headphones on.", "User has a hearing aid on the left side."),
        ("I've got five tabs of docs open.", "I've got five sisters."),
        ("User's flight is boarding.", "User's flight to Oslo is on 3 May 2027."),
        ("I have a call in ten minutes.", "I have a call with the notary every first Monday."),
        ("I'm at my cousin's birthday right now and can't talk.", "I'm at my cousin's birthday every June."),
        ("User is having coffee with a colleague right now.", "I'm taking care of my father right now since his stroke."),
        ("I'm soaked because I forgot my umbrella.", "I'm cold because I have anemia."),
        ("User is tired because he slept four hours.", "I'm tired because of my thyroid condition."),
        ("User is at a wedding and will reply later.", "User was at his sister's wedding in May 2024."),
        ("I'm in Zurich for the day.", "I'm in Zurich for two years."),
        ("The bathroom is occupied.", "The bathroom was renovated in 2019."),
    ],
)
def test_a_state_of_the_moment_passes_and_what_resembles_it_lasts(passes: str, lasts: str) -> None:
    assert judge(passes).reason == Reason.TRANSIENT
    assert judge(lasts).keep
