"""The gate of facts: what is kept, what drops and why, and that nothing can make it slow or fail."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.fact_gate import Reason, Verdict, judge
from memtree.tree.fact_script import simplified
from support.gate_sentences import DURABLE, labelled

SENTENCES = list(labelled())

# What another memory's guard drops although it lasts, in our words and in its own.
LASTS = """
User should eat gluten-free from today because of celiac disease
I must eat gluten-free from now on, the tests showed celiac disease
User will exercise more from now on
User had weight-loss surgery in 2021
I had a gastric bypass in 2019
User had never had dinner before 8pm since childhood
I have never eaten breakfast since I was a child
User recorded a podcast about sleep
Recorded a radio play about insomnia
Debug log level must be WARN in production
The debug log must stay off in production
Debugging session exposed that Redis is the source of truth
Debugging the outage showed that the ledger is the source of truth
用户想吃素
我想以后吃全素
用户准备训练一个大模型
我打算训练一个语音识别模型
用户想锻炼英语口语
我想锻炼一下表达能力
用户想喝酒但医生禁止饮酒
医生不让我喝酒
用户正在休息一年间隔年
我正在休息，给自己放一年假
用户记录体重使用小米秤
我记录血压用的是欧姆龙的血压计
Omar is working out now
Dinner with Ana tomorrow
dinner with bob tomorrow night
Having dinner with my parents tomorrow
Lunch with a friend from university tomorrow
User has a visa interview tomorrow
I have surgery tomorrow morning
The grant application is due tomorrow
The proposal requires confirmation today
The visa requires confirmation today
I'm training a new employee this month
The cron job is configured to run daily
The smoke test is implemented with a headless browser
User recorded an album
User logged an incident with the landlord about the heating
I completed a sleep study last week
Finished her PhD in June
User slept in Kyoto and then in a hotel in Nara in 2022
I lost 15 kg after the illness
My birth weight was 2.1 kg
User wants to create a startup
User wants to set up a nonprofit
User is debugging a memory leak in the billing service for the customer launch in May
I usually sleep seven hours
The default serving size is 40 g
I changed my fitness focus to mobility
User took a trip to Norway last week
I'm calling my uncle in Canada next month
"""
# What slips through that guard although nobody needs it tomorrow, and what it rightly drops.
PASSES = """
transient_status | User is hungry
transient_status | I am so thirsty
transient_status | Is in a meeting now
transient_status | In a meeting right now
transient_status | The weather in Oslo is rainy today
transient_status | It's pretty cold in Malmö today
activity_log | User ran 5 km this morning
activity_log | I jogged three miles this morning
ephemeral_intent | User wants to set up a reminder
ephemeral_intent | I want to set an alarm
query_intent | What is the capital of Peru?
query_intent | how tall is the eiffel tower
activity_log | I had lunch with a fork
activity_log | Had breakfast with a big spoon
transient_status | 我现在正在健身
transient_status | 我正在跑步机上跑步
activity_log | 用户今天体重79.7kg
activity_log | 今天体重61.2公斤
operational_log | 冒烟测试已通过
operational_log | 单元测试全部通过
query_intent | 帮我查下部署日志
query_intent | 帮忙看看服务器日志
ephemeral_intent | User wants to restart the task
ephemeral_intent | User wants to restore the task with default configuration
ephemeral_intent | User wants to log a weight for a long-term goal
ephemeral_intent | User plans to supplement magnesium tonight with water
transient_status | User is currently working out
activity_log | User recorded a weight of 80.1 kg with a smart scale
activity_log | User slept 6 hours
activity_log | Slept badly
operational_log | The debug log error shows a null pointer
operational_log | Import task finished
operational_log | Assistant ETA is tomorrow
operational_log | The system requires confirmation today
operational_log | The temporary workspace path is /tmp/ws-3
"""


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_lasts_is_kept_and_little_else(lang: str) -> None:
    lasting = [one.text for one in SENTENCES if one.lang == lang and one.label == DURABLE]
    others = [one for one in SENTENCES if one.lang == lang and one.label != DURABLE]
    lost = [text for text in lasting if not judge(text).keep]
    slipped = [(one.label, one.text) for one in others if judge(one.text).keep]
    kept = len(lasting) - len(lost)
    assert kept >= 0.98 * len(lasting), lost
    assert kept >= 0.95 * (kept + len(slipped)), slipped


def test_there_are_sentences_of_every_class_in_both_languages() -> None:
    for lang in ("en", "zh"):
        for label in (DURABLE, *Reason):
            assert sum(one.lang == lang and one.label == label for one in SENTENCES) >= 40


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_reason_is_mostly_the_one_that_a_person_would_give(lang: str) -> None:
    others = [one for one in SENTENCES if one.lang == lang and one.label != DURABLE]
    wrong = [(one.label, judge(one.text).reason, one.text) for one in others if judge(one.text).reason != one.label]
    assert len(wrong) <= 0.12 * len(others), wrong


@pytest.mark.parametrize("text", lines(LASTS))
def test_what_lasts_is_kept_although_it_sounds_like_the_moment(text: str) -> None:
    assert judge(text).keep, judge(text)


@pytest.mark.parametrize("line", lines(PASSES))
def test_what_passes_drops_with_its_reason(line: str) -> None:
    reason, text = line.split(" | ")
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
