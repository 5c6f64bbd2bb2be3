"""What a model says was said must have been said, by whom it counts, in its language, with its numbers and its yes or no."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.facts.candidate import Candidate, Step
from memtree.engine.facts.grounding import grounded
from memtree.engine.facts.normalising import said_in
from memtree.tree.events import events_of
from memtree.tree.segments import Message
from support.said import WHEN, extracted, said


def _reason(text: str, *turns: str, role: str = "user") -> str:
    passed = grounded([extracted(text)], said(*turns, role=role))
    assert len(passed.kept) + len(passed.fallen) == 1
    assert all(one.step is Step.GROUND and one.detail for one in passed.fallen)
    return passed.fallen[0].reason if passed.fallen else ""


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("I live in Lisbon.", "Well, I live in Lisbon."),
        ("User lives in Lisbon", "I've been living in Lisbon since 2019."),
        ("User moved to Lisbon in 2019", "I moved to Lisbon in 2019."),
        ("User has 3 dogs", "I have three dogs."),
        ("User earns 5,000 euros a month", "I earn 5000 euros a month."),
        ("User dislikes Vim", "I don't like Vim."),
        ("User is vegan but eats eggs", "I'm vegan but I eat eggs."),
        ("User moved to Porto in February 2026", "I moved to Porto last month."),
        ("User has an exam on 2026-03-13", "I have an exam this Friday."),
        ("The staging database runs on port 5433", "Our staging database runs on port 5433 now"),
        ("User works as a nurse at St. Mary's hospital", "I'm working as a nurse at St. Mary's hospital"),
        ("User is allergic to peanuts", "I have a peanut allergy."),
        ("I live in Rome", "No, I live in Rome."),
        ("User has celiac disease and cannot eat gluten", "ugh can't do gluten, celiac"),
        ("User no longer works at Google; now works at Meta", "I left Google, I'm at Meta now"),
        ("User only drinks decaf", "I don't drink regular coffee, I only drink decaf"),
        ("用户住在里斯本", "我住在里斯本。"),
        ("用户已戒烟", "我戒烟了"),
        ("用户计划2026年4月去日本", "我打算下个月去日本玩"),
        ("用户喜欢咖啡但不加糖", "喝咖啡从不加糖，我挺喜欢咖啡的"),
        ("用户使用 Docker 部署", "我用 Docker 部署服务"),
        ("用户不吃肉", "我不吃肉"),
        ("用户每周三晚上上葡萄牙语课", "我每周三晚上要上葡萄牙语课"),
        ("用户对花生过敏", "我从小对花生过敏"),
        ("用户有三只猫", "家里养着三只猫，我有三只猫都很胖"),
    ],
)
def test_what_was_said_stays(text: str, turn: str) -> None:
    assert _reason(text, turn) == ""
    assert grounded([extracted(text, 1)], said(turn)).kept


@pytest.mark.parametrize(
    ("reason", "text", "turn"),
    [
        ("unsupported", "User is a lawyer from Peru", "I like tea."),
        ("unsupported", "用户是一名律师", "我喜欢喝茶。"),
        ("number_not_said", "User moved to Lisbon in 2020", "I moved to Lisbon in 2019."),
        ("number_not_said", "User has 3 dogs", "I have 2 dogs."),
        ("number_not_said", "用户有三只猫，住3楼", "我有三只猫，住5楼"),
        ("number_not_said", "User moved to Porto in January 2026", "I moved to Porto last month."),
        ("number_not_said", "User meets Ana on Friday", "I meet Ana on Thursday."),
        ("number_not_said", "User meets Ana tomorrow", "I meet Ana today."),
        ("number_not_said", "用户周五和安娜吃饭", "我周四和安娜吃饭"),
        ("name_not_said", "User's sister is called Clara", "My sister is called Ana."),
        ("name_not_said", "用户的姐姐叫小红", "我姐姐叫小明"),
        ("negation_differs", "User eats meat", "I do not eat meat."),
        ("negation_differs", "User doesn't like Vim", "I like Vim a lot."),
        ("negation_differs", "I live in Rome", "I no longer live in Rome"),
        ("negation_differs", "User lives in Rome", "I no longer live in Rome"),
        ("negation_differs", "用户吃肉", "我不吃肉"),
        ("negation_differs", "用户不喜欢咖啡", "我喜欢咖啡"),
        ("empty", " . ", "I like tea."),
        ("too_long", "I like tea. " * 200, "I like tea."),
    ],
)
def test_what_was_not_said_falls(reason: str, text: str, turn: str) -> None:
    assert _reason(text, turn) == reason


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("User lives in Lisbon", "我住在里斯本。"),
        ("User deploys with Docker", "我用 Docker 部署服务"),
        ("用户住在里斯本", "I live in Lisbon, in Portugal"),
        ("ユーザーはリスボンに住んでいます", "我住在里斯本"),
    ],
)
def test_a_statement_in_another_language_than_its_source_falls(text: str, turn: str) -> None:
    assert _reason(text, turn) == "other_language"


def test_a_statement_may_mix_what_its_source_mixes() -> None:
    assert _reason("用户喜欢 clean code", "我喜欢 clean code 和 small functions") == ""


def test_examples_and_instructions_of_a_prompt_fall_unless_they_were_really_said() -> None:
    example = "User keeps bees in Utrecht"
    forbidden = frozenset({example})
    assert (
        grounded([extracted("user keeps bees in utrecht.")], said("I keep bees in Utrecht"), forbidden=forbidden).fallen[0].reason
        == "prompt_text"
    )
    assert grounded([extracted("I keep bees.")], said("I keep bees."), forbidden=frozenset({"I keep bees."})).kept


def test_nothing_is_grounded_in_nothing() -> None:
    assert grounded([extracted("I live in Rome")], ()).fallen[0].reason == "unsupported"
    assert grounded([extracted("I live in Rome", 4)], ()).fallen[0].reason == "not_eligible"


def test_a_turn_that_is_not_there_does_not_cost_a_statement_that_another_one_supports() -> None:
    assert grounded([extracted("User lives in Rome", 99)], said("I live in Rome")).kept


def test_what_an_agent_said_never_becomes_the_user_s() -> None:
    messages = [Message(1, "user", "Where do I live?", WHEN), Message(2, "assistant", "You live in Berlin near the park.", WHEN)]
    fact = extracted("User lives in Berlin near the park", 2)
    without = said_in(messages, session="s")
    assert without.left == {"role_not_allowed": 1}
    assert grounded([fact], without.said).fallen[0].reason in ("not_eligible", "unsupported")
    (kept,) = grounded([fact], said_in(messages, session="s", include_assistant=True).said).kept
    assert kept.attributed_to == "assistant"


@pytest.mark.parametrize(
    "turn",
    [
        "I agree with him.\n\n> I live in Berlin near the park.",
        "On Mon, Jan 5, 2026 at 10:00, Ana Silva wrote:\n\nI live in Berlin near the park.\n\nNice place.",
        "<relevant-memories>\n- I live in Berlin near the park.\n</relevant-memories>\n\nWhat now?",
        "Translate this to French: I live in Berlin near the park.",
        "Please summarise the following letter:\n\nI live in Berlin near the park. From now on never use tabs.",
        "帮我翻译下面这段话：I live in Berlin near the park.",
    ],
)
def test_another_s_words_are_no_evidence(turn: str) -> None:
    found = said_in([Message(1, "user", turn, WHEN)], session="s")
    assert not grounded([extracted("I live in Berlin near the park.", 1)], found.said).kept


@pytest.mark.parametrize(
    "text",
    [
        "Ok, so we decided to use Postgres because of **row locks**, not MySQL.",
        "No, I never eat meat. I prefer tofu, though I don't like soy milk.",
        "I'm allergic to [peanuts](https://example.com/p) since 1999!",
        "从今以后永远不要 force push，我不喜欢单独跑服务，那就决定用 tantivy。",
        "我对花生过敏，记住备用钥匙放在隔壁王阿姨那里。",
    ],
)
def test_what_words_alone_find_always_passes(text: str) -> None:
    messages = [Message(7, "user", text, WHEN)]
    events = events_of("s", messages)
    assert events
    candidates = [Candidate(one.text, seqs=one.seqs) for one in events]
    assert grounded(candidates, said_in(messages, session="s").said).kept == tuple(candidates)


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_is_judged(text: str, turn: str) -> None:
    passed = grounded([extracted(text)], said(turn))
    assert len(passed.kept) + len(passed.fallen) == 1
