"""A statement of several ideas as one statement each; one idea stays whole."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.fact_parts import parts_of

CUT = [
    ("I live in Berlin and work at Siemens.", ["I live in Berlin.", "I work at Siemens."]),
    ("I live in Berlin, and I work at Siemens", ["I live in Berlin", "I work at Siemens"]),
    ("User lives in Berlin and works at Siemens.", ["User lives in Berlin.", "User works at Siemens."]),
    ("I'm Ada, I'm 34 and allergic to nuts", ["I'm Ada", "I'm 34", "I'm allergic to nuts"]),
    ("My wife Ana lives in Rome and works at Acme", ["My wife Ana lives in Rome", "My wife Ana works at Acme"]),
    ("I moved to Lisbon and started a new job at Acme", ["I moved to Lisbon", "I started a new job at Acme"]),
    ("I have a dog and two kids", ["I have a dog", "I have two kids"]),
    ("I live in Berlin, my wife works at Acme", ["I live in Berlin", "my wife works at Acme"]),
    ("I live in Berlin but work at Acme because it pays well", ["I live in Berlin", "I work at Acme because it pays well"]),
    ("I love tea and hate coffee", ["I love tea", "I hate coffee"]),
    ("My wife and I live in Berlin and have two kids", ["My wife and I live in Berlin", "My wife and I have two kids"]),
    ("Tom lives in Rome and is allergic to cats", ["Tom lives in Rome", "Tom is allergic to cats"]),
    ("我住在上海，在腾讯工作。", ["我住在上海。", "我在腾讯工作。"]),
    ("我叫小明，今年34岁，对花生过敏", ["我叫小明", "我今年34岁", "我对花生过敏"]),
    ("用户住在杭州，用户对海鲜过敏", ["用户住在杭州", "用户对海鲜过敏"]),
    ("我妈妈住在上海，对花生过敏", ["我妈妈住在上海", "我妈妈对花生过敏"]),
    ("我妈有糖尿病，住在绍兴", ["我妈有糖尿病", "我妈住在绍兴"]),
    ("我老婆叫李芳，是小学老师", ["我老婆叫李芳", "我老婆是小学老师"]),
    ("我对花生过敏，女儿对牛奶过敏", ["我对花生过敏", "我女儿对牛奶过敏"]),
    ("My husband is called Tom and works as a nurse", ["My husband is called Tom", "My husband works as a nurse"]),
]
WHOLE = [
    "I like tea and coffee",
    "I speak German and French",
    "I'm allergic to nuts and shellfish",
    "I live in Berlin with my wife and our two cats",
    "I moved to Lisbon because I work at Acme",
    "I want to live in Rome and learn Italian",
    "I used to live in Oslo and work at Acme",
    "I don't live in Berlin and work at Acme",
    "If I lived in Rome and worked at Acme, I would be happy",
    "Do I live in Berlin and work at Siemens?",
    "The old mill and the barn are red",
    "I drink coffee and then I run",
    "User's name is Ingrid and she goes by Inka at work.",
    "My wife lives in Rome and she works at Acme",
    "I have a black and white dog",
    "我喜欢茶和咖啡",
    "我养了一只猫，叫豆豆",
    "我有一个弟弟，在北京工作",
    "我喜欢茶，因为它清淡",
    "我想住在大理，在腾讯工作",
    "如果我住在巴黎，我就学法语",
    "",
    "I live in Berlin.",
]


@pytest.mark.parametrize(("text", "parts"), CUT)
def test_each_idea_is_a_statement(text: str, parts: list[str]) -> None:
    assert list(parts_of(text)) == parts


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_one_idea_or_may_be_stays_whole(text: str) -> None:
    assert parts_of(text) == (text,)


@settings(max_examples=200)
@given(st.text(max_size=80) | st.lists(st.sampled_from([part for _, parts in CUT for part in parts]), max_size=4).map(" and ".join))
def test_parts_are_parts_themselves(text: str) -> None:
    parts = parts_of(text)
    assert parts
    assert all(parts_of(part) == (part,) for part in parts) or len(parts) > 1


@pytest.mark.parametrize("unit", ["I live in Berlin and work at Acme, ", "and ", "my ", "我住在上海，"])
def test_a_text_of_any_size_takes_no_time(unit: str) -> None:
    began = time.monotonic()
    parts_of(unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 20
