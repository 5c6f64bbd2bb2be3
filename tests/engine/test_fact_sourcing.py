"""Which turns a statement rests on: those that were named and are there, else those with its words."""

from __future__ import annotations

import pytest

from memtree.engine.facts.sourcing import sourced
from memtree.engine.facts.support import is_answer
from support.said import WHEN, extracted, said


def _seqs(text: str, *turns: str, seqs: tuple[int, ...] = ()) -> tuple[int, ...]:
    (one,) = sourced([extracted(text, *seqs)], said(*turns))
    assert one.seqs == tuple(source.seq for source in one.sources)
    return one.seqs


@pytest.mark.parametrize(
    ("text", "turns", "seqs", "found"),
    [
        ("User lives in Lisbon", ("I like tea.", "I live in Lisbon."), (), (2,)),
        ("User lives in Lisbon", ("I like tea.", "I live in Lisbon."), (2,), (2,)),
        ("User lives in Lisbon", ("I like tea.", "I live in Lisbon."), (77,), (2,)),
        ("User is a lawyer from Peru", ("I like tea.",), (), ()),
        ("用户住在里斯本的老城区", ("我喜欢喝茶。", "我家住在里斯本，老城区那边。"), (), (2,)),
        ("用户住在里斯本", ("我住在里斯本。", "里斯本的房租很贵，我住在里斯本很久了。"), (), (1, 2)),
        ("User will meet Ana on Friday", ("Shall I meet Ana this week?", "yes, on Friday"), (2,), (1, 2)),
        ("User will meet Ana on Friday", ("Shall I meet Ana this week?", "yes, on Friday", "I like tea."), (), (1, 2)),
        ("用户周五和安娜见面", ("我这周要不要和安娜见面？", "好，周五吧"), (2,), (1, 2)),
        ("I am allergic to nuts", ("I am allergic to penicillin.", "I am allergic to nuts."), (2,), (2,)),
        ("我在里斯本工作", ("我住在波尔图。", "我在里斯本工作。"), (2,), (2,)),
        ("User wants answers in British English", ("I like tea.", "From now on, answer me in British English."), (2,), (2,)),
    ],
)
def test_turns_that_a_statement_rests_on(text: str, turns: tuple[str, ...], seqs: tuple[int, ...], found: tuple[int, ...]) -> None:
    assert _seqs(text, *turns, seqs=seqs) == found


def test_at_most_six_turns_in_their_order() -> None:
    turns = ("I drink green tea every morning.",) * 9
    assert _seqs("User drinks green tea every morning", *turns) == (1, 2, 3, 4, 5, 6)
    assert len(_seqs("User drinks green tea every morning", *turns, seqs=(9, 8, 7, 6, 5, 4, 3))) == 6


def test_what_is_cited_is_what_the_file_holds() -> None:
    turns = said("I live in Lisbon.")
    (one,) = sourced([extracted("User lives in Lisbon")], turns)
    assert one.sources == (turns[0].source,)
    assert one.observed == WHEN


@pytest.mark.parametrize(
    ("text", "is_one"), [("yes, on Friday", True), ("周五吧", True), ("From now on, use tabs", False), ("I live in Rome", False)]
)
def test_short_answers(text: str, is_one: bool) -> None:
    assert is_answer(text) is is_one
