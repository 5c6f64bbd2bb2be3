"""Answers made of sentences: what a question asks for, on which lines a sentence stands, and which sentences are chosen."""

from __future__ import annotations

import random

import pytest

from memtree.engine.agents.extractive_answer import Extract, Words, extractive_answer
from memtree.engine.agents.passages import Passage
from memtree.engine.agents.question import Wants, holds, is_question, wanted
from memtree.engine.agents.sentence_lines import stretches
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

DAY = 1_772_000_000  # 2026-02-25


def passage(number: int, text: str, *, start: int = 1, time: int | None = None, title: str = "") -> Passage:
    end = start + text.count("\n")
    return Passage(number, RepoPath(f"notes/{number}.md"), start, end, CommitId("c" * 40), Kind.NOTE, title, time, text)


def answer(query: str, *texts: str, time: int | None = None) -> Extract:
    words = Words(query, str.split, lambda _: 1, 1_000)
    return extractive_answer(query, [passage(number, text, time=time) for number, text in enumerate(texts, 1)], words)


@pytest.mark.parametrize(
    ("query", "wants"),
    [
        ("who wrote it", Wants.WHO),
        ("Whose boat is that?", Wants.WHO),
        ("when is it due", Wants.WHEN),
        ("do you remember when we met", Wants.WHEN),
        ("what day was it", Wants.WHEN),
        ("how long ago was that", Wants.WHEN),
        ("where does Ada live", Wants.WHERE),
        ("which city did they choose", Wants.WHERE),
        ("how many boats are there", Wants.MANY),
        ("how long did it take", Wants.MANY),
        ("what are my goals", Wants.LIST),
        ("which tools do we use", Wants.LIST),
        ("list everything I lent", Wants.LIST),
        ("why did it fail", Wants.WHY),
        ("为什么选它", Wants.WHY),
        ("who is Ada Lovelace?", Wants.PERSON),
        ("who is on the team", Wants.WHO),
        ("who is leading it", Wants.WHO),
        ("李明是谁", Wants.PERSON),
        ("公司的联系人是谁", Wants.WHO),
        ("it rains whenever I sail", Wants.ANYTHING),
        ("谁来过", Wants.WHO),
        ("什么时候到期", Wants.WHEN),
        ("会议在哪里", Wants.WHERE),
        ("有几个人", Wants.MANY),
        ("多少钱", Wants.MANY),
        ("用了哪些工具", Wants.LIST),
        ("", Wants.ANYTHING),
    ],
)
def test_what_a_question_asks_for(query: str, wants: Wants) -> None:
    assert wanted(query) is wants


@pytest.mark.parametrize(
    ("wants", "yes", "no"),
    [
        (Wants.WHEN, "It is due in May.", "It is due soon enough."),
        (Wants.WHEN, "会议是三月九日开的。", "会议开完了。"),
        (Wants.WHO, "Ada Lovelace renews it.", "The certificate renewal is due in May."),
        (Wants.WHO, "We met Grace there.", "The ferry leaves from Stralsund."),
        (Wants.MANY, "There are 12 plants.", "There are plants."),
        (Wants.WHERE, "It leaves from Stralsund.", "It leaves."),
        (Wants.WHERE, "会议在三楼。", "会议很长。"),
    ],
)
def test_whether_a_sentence_holds_it(wants: Wants, yes: str, no: str) -> None:
    assert holds(wants, yes)
    assert not holds(wants, no)


def test_who_the_question_names_is_no_answer_to_it() -> None:
    assert not holds(Wants.WHO, "Ada sailed.", "who sailed with Ada?")
    assert holds(Wants.WHO, "Ada sailed with Grace.", "who sailed with Ada?")


def test_questions_are_told() -> None:
    assert all(map(is_question, ("Why?", "Really?”", "好吗？", "到了吗。")))
    assert not any(map(is_question, ("Why not.", "A quiz? No.", "好。")))


TEXT = """# Heron

The **certificate** renewal is due [in May](https://example.org/may). It was moved
from April.

- Bob pays 40 euros
- [ ] call Carol

| port | what |
|------|------|
| 8080 | staging |

```sh
make deploy
```
今天开会。下周再谈。"""


def test_every_sentence_has_its_lines() -> None:
    found = [(one.text, one.first + 1, one.last + 1, one.item) for one in stretches(TEXT)]
    assert ("The certificate renewal is due in May.", 3, 3, False) in found
    assert ("It was moved from April.", 3, 4, False) in found
    assert ("Bob pays 40 euros", 6, 6, True) in found
    assert ("8080, staging", 11, 11, False) in found
    assert ("make deploy", 14, 14, False) in found
    assert ("今天开会。", 16, 16, False) in found
    assert ("下周再谈。", 16, 16, False) in found
    assert not any("Heron" in text or "---" in text for text, *_ in found)


def test_any_text_has_its_lines_in_order() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    made = random.Random(seed)
    pieces = (
        "Ada sails. ",
        "好。",
        "\n",
        "\n\n",
        "- ",
        "| a | b |\n",
        "```\n",
        "# H\n",
        "**x**",
        "[l](u)",
        "> ",
        "1. ",
        " ",
        "? ",
        "\t",
        "…",
    )
    for _ in range(300):
        text = "".join(made.choice(pieces) for _ in range(made.randrange(30)))
        last = text.count("\n")
        found = stretches(text)
        assert all(0 <= one.first <= one.last <= last for one in found)
        assert [one.first for one in found] == sorted(one.first for one in found)


def test_the_best_sentences_come_first_with_their_lines() -> None:
    found = answer(
        "when is the renewal due", "# Heron\n\nThe renewal is costly. The renewal is due in May.\nGulls are loud.", "Nothing of it."
    )
    assert found.text.splitlines()[0].endswith("The renewal is due in May. [1]")
    assert found.sources[0].line == "1. notes/1.md:3 — The renewal is costly. The renewal is due in May."
    assert "Gulls" not in found.text


def test_what_says_the_same_is_said_once() -> None:
    found = answer(
        "when is the renewal due", "The renewal is due in May.", "the renewal is due in May!", "**The renewal is due in May.**"
    )
    assert (found.text, len(found.sources)) == ("The renewal is due in May. [1]", 1)


def test_what_a_summary_says_again_is_said_once() -> None:
    said = "The renewal of the certificate is due in May."
    found = answer("when is the renewal due", said, f"Agent: {said}", f"- decision: {said}", f"**Steering, 11 April**: {said}")
    assert (found.text, len(found.sources)) == (f"{said} [1]", 1)


def test_a_reason_answers_why() -> None:
    found = answer(
        "why was the launch moved", "We decided that the launch was moved.", "The launch moved, since the audit is not finished."
    )
    assert found.text.splitlines()[0].startswith("- The launch moved, since the audit is not finished.")


def test_who_somebody_is_tells_a_sentence_about_them() -> None:
    found = answer("who is Grace Hopper", "Present: Grace Hopper, Alan Turing.", "Grace Hopper leads the compiler team.")
    assert found.text.splitlines()[0].startswith("- Grace Hopper leads the compiler team.")


def test_code_comes_with_what_announces_it() -> None:
    found = answer("how do I unpack an archive", "# tar\n\n- Make an archive:\n\n`tar cf`\n\n- Unpack an archive:\n\n`tar xf`\n")
    assert found.text.splitlines()[0].endswith("Unpack an archive: `tar xf` [1]")
    assert found.sources[0].line.startswith("1. notes/1.md:7-9 — ")


def test_half_of_a_question_of_which_memory_never_heard_a_word_is_little() -> None:
    text = "The capital letters are large."
    for unknown, little in ((0, True), (1, False)):
        words = Words("capital of france", str.split, lambda stem, unknown=unknown: unknown if stem == "france" else 30, 1_000)  # type: ignore[misc]
        assert extractive_answer("capital of france", [passage(1, text)], words).little is little


def test_nods_answer_nothing() -> None:
    found = answer("我住在哪里", "好的，了解。", "我住在上海。")
    assert found.text == "我住在上海。 [1]"


def test_who_she_is_stands_before_what_she_does() -> None:
    words = Words("who reports to Margaret Hamilton", str.split, lambda _: 1, 1_000)
    texts = ("# Grace Hopper\n\nShe reports to Margaret Hamilton.", "Lead: Margaret Hamilton.")
    found = [
        passage(number, text, title=title) for number, (text, title) in enumerate(zip(texts, ("Grace Hopper", ""), strict=True), 1)
    ]
    answered = extractive_answer("who reports to Margaret Hamilton", found, words)
    assert answered.text.splitlines()[0].removeprefix("- ") == "Grace Hopper: She reports to Margaret Hamilton. [1]"


def test_greetings_answer_nothing() -> None:
    found = answer("what does Ada play", "Thanks, Ada! Hello Ada.", "Ada can play the violin.")
    assert found.text.splitlines()[0].removeprefix("- ") == "Ada can play the violin. [1]"


def test_questions_and_the_asked_words_themselves_are_no_answer() -> None:
    found = answer("the renewal of the heron", "When is the renewal of the heron due?", "The renewal of the heron")
    assert (found.text, found.sources) == ("", ())


def test_days_stand_before_what_was_said_on_them() -> None:
    assert answer("when is the renewal due", "The renewal is due next week.", time=DAY).text.startswith("(2026-02-25) ")


def test_a_sentence_has_no_marks_of_its_own() -> None:
    assert answer("what nests there", "The heron nests there [12] and [x] and arr[3].").text == (
        "The heron nests there (12) and [x] and arr(3). [1]"
    )


def test_nothing_is_found_in_nothing() -> None:
    assert answer("when", "").sources == ()
    assert answer("when").sources == ()
    assert answer("", "Some text.").text


def test_long_texts_are_bounded() -> None:
    found = answer("which otters swim", *("The otter swims. " * 5_000 for _ in range(40)))
    assert len(found.text) < 3_000
    found = answer("which otters swim", "otter " * 100_000)
    assert len(found.text) < 500
