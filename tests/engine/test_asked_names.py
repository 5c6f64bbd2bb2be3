"""Questions that name somebody: by other names too, and nothing is said of others in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.agents.asked_names import Name
from support.questions import ask, memory

NOTES = {
    "kitchen.md": "# 厨房\n\n装修公司的联系人是王小明，电话 13800138000。\n",
    "message.md": "# Messages\n\n- Send a message to a phone number:\n\n`send`\n\n- List the phone numbers:\n\n`list`\n",
    "letters.md": "# Letters\n\nThe capital letters of a heading are set by hand.\n",
    "memory_tree/content/entities/person/wang.md": (
        "---\nkind: person\nname: Wang Xiaoming\naliases: 王小明\nemails: wang@example.org\n---\n"
    ),
}


@pytest.mark.parametrize(
    ("spelling", "text", "yes"),
    [
        ("grace hopper", "Grace leads it.", True),
        ("grace hopper", "The gracefulness of hops.", False),
        ("ada@example.org", "See https://example.org/more.", False),
        ("ada@example.org", "Write to ada@example.org.", True),
        ("王小明", "今天和王小明开会。", True),
        ("王小明", "王大明来了。", False),
        ("bob", "Connect to bob.example.com.", False),
        ("bob", "He is Bob. And she is Ada.", True),
        ("van der berg", "van life", False),
    ],
)
def test_whether_a_text_says_a_name(spelling: str, text: str, yes: bool) -> None:
    assert Name(spelling, frozenset((spelling,))).said_in(text) is yes


def test_who_is_asked_for_by_one_name_is_found_by_another(tmp_path: Path) -> None:
    with memory(tmp_path / "w", notes=NOTES) as workspace:
        answer = ask(workspace, "what is the phone number of Wang Xiaoming")
    assert [(one.path, one.start_line) for one in answer.sources][:1] == [("kitchen.md", 3)]
    assert "13800138000" in answer.text.splitlines()[0]
    assert "Send a message" not in answer.text


@pytest.mark.parametrize(
    "query", ["who is france", "who is France", "what is the capital of France", "what is the capital of France, and of Spain?"]
)
def test_what_speaks_of_none_of_those_a_question_names_is_no_answer(tmp_path: Path, query: str) -> None:
    with memory(tmp_path / "w", notes=NOTES) as workspace:
        assert not ask(workspace, query).found
        assert ask(workspace, "how are the capital letters of a heading set").found


def test_a_name_that_nothing_speaks_of_is_told(tmp_path: Path) -> None:
    with memory(tmp_path / "w", notes=NOTES) as workspace:
        answer = ask(workspace, "how are the capital letters of a heading set at Oxford")
    assert "The capital letters of a heading are set by hand. [1]" in answer.text
    assert "nothing of this speaks of Oxford: it may not answer the question" in answer.notes


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("who is Alan?", "Alan Turing leads the export."),
        ("who is alan", "Alan Turing leads the export."),
        ("和谁开会", "今天和王小明开会。"),
    ],
)
def test_a_question_of_one_word_that_is_not_rare(tmp_path: Path, query: str, says: str) -> None:
    notes = {"alan.md": "# Export\n\nAlan Turing leads the export.\n", "today.md": "今天和王小明开会。\n"}
    notes |= {f"{number}.md": f"Letter {number} went to Alan Turing. 开会。\n" for number in range(6)}
    with memory(tmp_path / "w", notes=notes) as workspace:
        assert says in ask(workspace, query).text
