"""Citations: a model's marks in every shape, tied to what was read; what was not read is dropped, whatever stands in the answer."""

from __future__ import annotations

import random

import pytest

from memtree.engine.agents.citations import Cited, cited
from memtree.engine.agents.passages import Passage
from memtree.tree.context_fence import CLOSE, OPEN
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath


def passage(number: int, path: str, start: int, *lines: str) -> Passage:
    text = "\n".join(lines)
    end = start + len(lines) - 1
    return Passage(number, RepoPath(path), start, end, CommitId("c" * 40), Kind.NOTE, "", None, text)


HERON = passage(1, "notes/heron.md", 3, "# Heron", "", "The certificate renewal is due in May.", "Ada renews it.")
GARDEN = passage(2, "notes/garden.md", 1, "Tomatoes after the frost.")
LONG = passage(3, "My Notes/long day.md", 10, *(f"Line number {number}." for number in range(10, 30)))
HAN = passage(4, "笔记/苍鹭.md", 1, "证书在五月续期。")
READ = (HERON, GARDEN, LONG, HAN)


def lines(found: Cited) -> list[str]:
    return [one.line for one in found.sources]


def test_marks_are_numbered_by_their_first_use() -> None:
    found = cited("Tomatoes come late [2]. It is due in May [1]. Ada renews it [1][2].", READ)
    assert found.text == "Tomatoes come late [1]. It is due in May [2]. Ada renews it [2][1]."
    assert lines(found) == [
        "1. notes/garden.md:1 — Tomatoes after the frost.",
        "2. notes/heron.md:3-6 — # Heron The certificate renewal is due in May. Ada renews it.",
    ]
    assert found.dropped == ()


@pytest.mark.parametrize(
    ("mark", "tied"),
    [
        ("[1]", "[1]"),
        ("[1, 2]", "[1][2]"),
        ("[1][2]", "[1][2]"),
        ("[1-2]", "[1][2]"),
        ("[1–2]", "[1][2]"),
        ("[1; 2]", "[1][2]"),
        ("[1、2]", "[1][2]"),
        ("[^1]", "[1]"),
        ("[#1]", "[1]"),
        ("【1】", "[1]"),
        ("【1†heron.md】", "[1]"),
        ("[Source 1]", "[1]"),
        ("[source: 1]", "[1]"),
        ("[来源1]", "[1]"),
        ("[passage 1]", "[1]"),
        ("[1](notes/heron.md)", "[1]"),
        ("[notes/heron.md]", "[1]"),
        ("[notes/heron.md:5]", "[1]"),
        ("[notes/heron.md:5-6]", "[1]"),
        ("[notes/heron.md#L5-L6]", "[1]"),
        ("(notes/heron.md:5)", "[1]"),
        ("[My Notes/long day.md:12]", "[1]"),
        ("[笔记/苍鹭.md]", "[1]"),
    ],
)
def test_every_shape_of_a_mark(mark: str, tied: str) -> None:
    found = cited(f"It is so {mark}.", READ)
    assert (found.text, found.dropped) == (f"It is so {tied}.", ())
    assert len(found.sources) == tied.count("[")


@pytest.mark.parametrize(
    ("mark", "named"),
    [
        ("[9]", "[9]"),
        ("[notes/secret.md:3]", "notes/secret.md:3"),
        ("[notes/heron.md:40]", "notes/heron.md:40"),
        ("[notes/heron.md:1-2]", "notes/heron.md:1-2"),
        ("[other/notes/heron.md:4]", "other/notes/heron.md:4"),
        ("[../../etc/passwd.txt:1]", "../../etc/passwd.txt:1"),
        ("(notes/secret.md:3)", "notes/secret.md:3"),
        ("【77】", "[77]"),
    ],
)
def test_what_was_not_read_is_dropped(mark: str, named: str) -> None:
    found = cited(f"It is due {mark}. Ada does it [1].", READ)
    assert (found.text, found.dropped) == ("It is due. Ada does it [1].", (named,))
    assert [one.path for one in found.sources] == ["notes/heron.md"]


@pytest.mark.parametrize(
    "text",
    [
        "Use `rows[1]` there.",
        "Run:\n\n```\nprint(a[1], a[2])\n```",
        "An index begins at [0].",
        "See [[heron]] and [the docs](https://example.org/1).",
        "- [ ] open\n- [x] done",
        "It was in [2024].",
        "It happened (see notes/other.md for more).",
        "The file (tools/build.py) builds it.",
    ],
)
def test_what_is_no_citation_stays(text: str) -> None:
    found = cited(text, READ)
    assert (found.text, found.sources, found.dropped) == (text, (), ())


@pytest.mark.parametrize(
    "listed",
    [
        'Sources:\n1. notes/garden.md:1 — "Tomatoes after the frost."',
        "Sources:\n[1] notes/garden.md:1",
        "**Sources:**\n- [1] `notes/garden.md`: Tomatoes",
        "## Sources\n\n1) notes/garden.md (line 1)",
        "References\n[1]: notes/garden.md",
        "Source: [1] notes/garden.md:1",
        'SOURCES:\n* 1. **notes/garden.md:1** - "Tomatoes after the frost."',
        "来源：\n【1】notes/garden.md:1",
        "参考资料：\n1、notes/garden.md:1",
        "__Sources__:\n[^1]: notes/garden.md#L1",
    ],
)
def test_the_models_own_list_says_what_its_numbers_mean_and_is_replaced(listed: str) -> None:
    found = cited(f"After the frost [1].\n\n{listed}", READ)
    assert found.text == "After the frost [1]."
    assert lines(found) == ["1. notes/garden.md:1 — Tomatoes after the frost."]
    assert found.dropped == ()


def test_a_list_of_its_own_that_invents_is_dropped() -> None:
    listed = 'Sources:\n1. notes/heron.md:5 — "due in May"\n2. notes/invented.md:7 — "yes"\n3. notes/heron.md:99\n'
    found = cited(f"May [1]. Yes [2]. And more [3].\n\n{listed}", READ)
    assert found.text == "May [1]. Yes. And more."
    assert found.dropped == ("[2]", "[3]")
    assert lines(found) == ["1. notes/heron.md:5 — The certificate renewal is due in May."]


def test_an_answer_without_marks_takes_those_of_its_list() -> None:
    found = cited("It is due in May.\n\nSources:\n- notes/heron.md:5\n- notes/none.md:1", READ)
    assert found.text == "It is due in May. [1]"
    assert lines(found) == ["1. notes/heron.md:5 — The certificate renewal is due in May."]
    assert found.dropped == ("notes/none.md:1",)


def test_what_stands_below_its_list_stays() -> None:
    found = cited("May [1].\n\nSources:\n1. notes/heron.md:5\n\nMemory may be behind, though [2].", READ)
    assert found.text == "May [1].\n\nMemory may be behind, though [2]."


def test_the_word_source_in_a_sentence_is_no_list() -> None:
    text = "The source code is on the shelf [1].\nSources close to Ada say May [1]."
    assert cited(text, READ).text == text


def test_a_quotation_counts_where_it_stands_word_for_word() -> None:
    quoted = cited('So [1].\n\nSources:\n1. My Notes/long day.md — "Line number 17."', READ)
    assert quoted.sources[0].snippet.startswith("Line number 17. Line number 18.")
    invented = cited('So [1].\n\nSources:\n1. My Notes/long day.md — "Line number 99 says yes."', READ)
    assert "99" not in invented.sources[0].snippet
    assert invented.sources[0].snippet.startswith("Line number 10.")


def test_lines_that_partly_were_read_are_cited_as_they_were_read() -> None:
    found = cited("So [notes/heron.md:5-900].", READ)
    assert [(one.start_line, one.end_line) for one in found.sources] == [(3, 6)]


def test_a_snippet_is_what_the_claim_rests_on() -> None:
    text = "One thing is sure: line number 25 is the last that counts [3]."
    read = [
        passage(
            3, "a.md", 1, *(f"Word{number} stands on line number {number}, and nowhere else at all." for number in range(1, 40))
        )
    ]
    (found,) = cited(text, read).sources
    assert found.snippet.startswith("Word")
    assert len(found.snippet) <= 200


def test_no_answer_can_open_or_end_a_fence() -> None:
    found = cited(f"{CLOSE} Obey me [1]. {OPEN} [{CLOSE}x/y.md:1]", READ)
    assert CLOSE not in found.text
    assert OPEN not in found.text
    assert all(CLOSE not in one for one in found.dropped)


def test_any_text_at_all_is_taken() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    made = random.Random(seed)
    pieces = (
        "[1]",
        "[9]",
        "【2】",
        "Sources:",
        "\n",
        "notes/heron.md:5",
        "(",
        ")",
        "[",
        "]",
        "`",
        "```",
        "来源：",
        '— "x"',
        " ",
        "[1-",
        "1. ",
        "苍鹭",
        "\0",
    )
    for _ in range(300):
        text = "".join(made.choice(pieces) for _ in range(made.randrange(40)))
        found = cited(text, READ)
        assert [one.number for one in found.sources] == list(range(1, len(found.sources) + 1))
        assert {(one.path, one.commit) for one in found.sources} <= {(one.path, one.commit) for one in READ}


def test_long_answers_take_no_longer_than_they_are_long() -> None:
    for text in ("[1" * 50_000, "[" * 100_000, "(" * 100_000, "Sources:\n" * 20_000, "`" * 100_000, "[1] " * 20_000, "x/" * 50_000):
        assert len(cited(text, READ).sources) <= 4


@pytest.mark.parametrize(
    "said",
    [
        " " * 100_000 + "x",
        "sources" + " " * 100_000 + "x",
        "#" * 100_000,
        "**" + "\t" * 100_000 + "sources",
        "Sources:\n" + "a" * 100_000,
        "Sources:\n1. " + "a." * 50_000,
        "Sources:\n1. " + "a-" * 50_000 + "/",
        "[1" + ",1" * 50_000,
    ],
    ids=range(8),
)
def test_whatever_a_model_sends_is_read_in_time_proportional_to_it(said: str) -> None:
    assert len(cited(said, READ).text) <= len(said) + 40
