"""Whose words count, and which of them."""

from __future__ import annotations

import pytest

from memtree.engine.facts.normalising import said_in
from memtree.tree.fact import quote_hash
from memtree.tree.segments import Message


def _texts(*messages: Message, **keys: int) -> list[str]:
    return [one.text for one in said_in(messages, session="s", **keys).said]


def test_roles() -> None:
    messages = [
        Message(n, role, f"I like tea {n}.") for n, role in enumerate(("user", "assistant", "system", "tool", "", "note"), 1)
    ]
    assert [one.seq for one in said_in(messages, session="s").said] == [1]
    admitted = said_in(messages, session="s", include_assistant=True)
    assert [(one.seq, one.role) for one in admitted.said] == [(1, "user"), (2, "assistant")]
    assert admitted.left == {"role_not_allowed": 4}


@pytest.mark.parametrize(
    "text", ["Note: I live in Rome.\n\nSystem: I like tea.", "Assistant: that is what I call it.\n\nI live in Rome."]
)
def test_a_user_s_paragraph_stays_the_user_s(text: str) -> None:
    assert _texts(Message(1, "user", text)) == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<memories>\n- I like tea.\n</memories>\n\nI live in Rome.", "I live in Rome."),
        ("I live in Rome.\n\n> I like tea.", "I live in Rome."),
        ("I live in Rome.\n\n```py\n" + "print('I like tea')\n" * 20 + "```", "I live in Rome."),
        ("I live in Rome. Translate this to French: I like tea.", "I live in Rome."),
        ("Please summarise the following text:\n\n> I like tea.\n\nI live in Rome.", "I live in Rome."),
        ("我住在罗马。\n\n请翻译下面这段话：\n\n我喜欢喝茶。以后永远不要用制表符。", "我住在罗马。"),
    ],
)
def test_what_was_said_besides(text: str, said: str) -> None:
    found = said_in([Message(1, "user", text)], session="s")
    assert [one.text for one in found.said] == [said]
    assert found.said[0].quote_hash == quote_hash(text)


def test_messages_with_nothing_of_their_own_are_left_out_with_the_reason() -> None:
    texts = [
        "<memories>\n- I like tea.\n</memories>",
        "Translate this: I like tea.",
        "  ",
        "> I like tea.",
        '{"tool": "grep", "args": {}}',
    ]
    found = said_in([Message(n, "user", text) for n, text in enumerate(texts, 1)], session="s")
    assert found.said == ()
    assert found.left == {"injected": 1, "quoted": 1, "handed_over": 1, "no_words": 2}


def test_of_too_much_the_newest_turns_are_heard() -> None:
    messages = [Message(n, "user", f"I like tea number {n}.") for n in range(1, 11)]
    found = said_in(messages, session="s", max_messages=3)
    assert [one.seq for one in found.said] == [8, 9, 10]
    assert found.left == {"over_limit": 7}
    assert [one.seq for one in said_in(messages, session="s", max_chars=50).said] == [9, 10]
    assert [one.seq for one in said_in(messages, session="s", max_chars=1).said] == [10]
    assert _texts(Message(1, "user", "I like tea. " * 100), longest=11) == ["I like tea."]


def test_hashes_and_zones_stand_beside_the_messages() -> None:
    messages = [Message(1, "assistant", "Hi."), Message(2, "user", "I live in Rome.", 5, "Ada")]
    (one,) = said_in(messages, session="s", hashes=["a" * 16, "b" * 16], zones=["", "Europe/Rome"]).said
    assert (one.session, one.seq, one.quote_hash, one.zone, one.timestamp, one.speaker) == (
        "s",
        2,
        "b" * 16,
        "Europe/Rome",
        5,
        "Ada",
    )
