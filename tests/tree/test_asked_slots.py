"""Which slot a question asks for."""

from __future__ import annotations

import time

import pytest

from memtree.tree.asked_slots import asked_slots


@pytest.mark.parametrize(
    ("question", "slot"),
    [
        ("where do I live", "environment.home"),
        ("Where does the user live now?", "environment.home"),
        ("Which city do I live in?", "environment.home"),
        ("我住在哪里？", "environment.home"),
        ("我现在住哪儿", "environment.home"),
        ("Where do I work?", "work.employer"),
        ("Who is my employer?", "work.employer"),
        ("我在哪家公司上班？", "work.employer"),
        ("What's my name?", "identity.name"),
        ("我叫什么名字？", "identity.name"),
    ],
)
def test_a_slot_is_asked_for(question: str, slot: str) -> None:
    assert [one.slot for one in asked_slots(question)] == [slot]


@pytest.mark.parametrize(
    "text",
    ["", "I live in Rome", "Where does Tom live?", "我妈住在哪里？", "What is the name of the branch?", "Where do logs live?"],
)
def test_others_ask_for_none(text: str) -> None:
    assert asked_slots(text) == ()


@pytest.mark.parametrize("unit", ["where do I ", "我", " ", "what's my "])
def test_a_text_of_any_size_takes_no_time(unit: str) -> None:
    began = time.monotonic()
    asked_slots(unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 20
