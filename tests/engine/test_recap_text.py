"""A segment told in sentences that were said in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.closing.recap_text import CANDIDATES, TOKENS, candidates, extractive_recap
from memtree.indexers.wordllama_model import WordLlamaEmbedder
from memtree.tree.prose import prose_of
from memtree.tree.segments import Message, Reason, Segment, exchanges
from memtree.tree.token_count import count_tokens
from support.topic_texts import CHINESE, ENGLISH

MODEL = WordLlamaEmbedder()


def segment(*said: tuple[str, str] | tuple[str, str, str]) -> Segment:
    messages = [Message(seq, role, text, None, *name) for seq, (role, text, *name) in enumerate(said, 1)]
    return Segment("s", tuple(exchanges(messages)), Reason.SESSION_END)


def test_it_reads_as_a_short_talk_in_its_order() -> None:
    recap = extractive_recap(
        segment(
            ("user", "Hi there! The login page throws a 500 when the password contains a percent sign."),
            (
                "assistant",
                "Let me look.\n\n```python\ndecode(decode(body))\n```\n\nThe proxy and the handler both decode the body.",
            ),
            ("user", "ok"),
            ("assistant", "| a | b |\n|---|---|\n| 1 | 2 |\n\n1. The handler now decodes the body exactly once."),
        ),
        MODEL,
    )
    assert recap == (
        "User: The login page throws a 500 when the password contains a percent sign.\n\n"
        "Agent: The proxy and the handler both decode the body. The handler now decodes the body exactly once."
    )


def test_chinese_is_told_in_chinese() -> None:
    recap = extractive_recap(segment(("user", CHINESE[2][0]), ("assistant", "面团太湿了，少放一点水；烤箱要提前预热")), MODEL)
    assert recap == f"用户：{CHINESE[2][0]}\n\n助手：面团太湿了，少放一点水；烤箱要提前预热。"


def test_people_are_named() -> None:
    recap = extractive_recap(segment(("user", ENGLISH[2][0], "Caro*line*"), ("other", ENGLISH[2][4], "## Mel\n: x")), None)
    assert [line.split(":")[0] for line in recap.split("\n\n")] == ["Caro line", "Mel x"]


def test_how_it_began_and_how_it_ended_is_told() -> None:
    turns = [message for topic in ENGLISH[3:7] for turn in topic for message in (("user", turn), ("assistant", ENGLISH[8][1]))]
    recap = extractive_recap(segment(("assistant", ENGLISH[9][4]), *turns, ("assistant", ENGLISH[10][4])), MODEL)
    assert f"User: {ENGLISH[3][0]}" in recap
    assert recap.endswith(ENGLISH[10][4])
    assert recap.count("\n\n") < 30


@pytest.mark.parametrize("embedder", [MODEL, None], ids=["meaning", "words"])
@pytest.mark.parametrize("text", ["ok", "好的", "👍", "`ls`", "> quoted", "| a |\n|---|", "```\nx = 1\n```", "1", "спасибо"])
def test_one_word_is_a_recap_too(text: str, embedder: WordLlamaEmbedder | None) -> None:
    assert extractive_recap(segment(("user", text)), embedder)


@pytest.mark.parametrize("text", ["", " \n", '{"tool": "Bash"}', "<tool_call>ls</tool_call>"])
def test_no_words_are_no_recap(text: str) -> None:
    assert extractive_recap(segment(("assistant", text)), MODEL) == ""


def test_a_very_long_message_is_read_at_both_ends() -> None:
    book = (
        f"{ENGLISH[2][0]}\n" + "The bread rose and fell again in silence, says line one of many lines.\n" * 50_000 + ENGLISH[2][5]
    )
    found = [one.text for one in candidates(segment(("user", book)))]
    assert (found[0], found[-1]) == (ENGLISH[2][0], ENGLISH[2][5])
    word = "longest" * 500_000
    assert len(extractive_recap(segment(("user", word)), MODEL)) < 400


def test_candidates_come_from_all_over_a_long_segment() -> None:
    said = [("user", f"Number {number} of the bread recipes needs flour, water and {number} eggs.") for number in range(500)]
    found = candidates(segment(*said))
    assert len(found) == CANDIDATES
    assert (found[0].text, found[-1].text) == (said[0][1], said[-1][1])


def test_nothing_in_it_begins_another_block_or_is_an_id() -> None:
    said = [
        "# The heading of the bread recipe",
        "The bread recipe says <!-- hidden %% of flour",
        "The bread and the oven agree ^e-12ab",
    ]
    recap = extractive_recap(segment(*(("user", text) for text in said)), None)
    assert not re.search(r"<!--|%%|(?m:^#)|\^e-", recap)


pieces = st.sampled_from(
    [*ENGLISH[0], *CHINESE[0], "ok", "👍", "```", "# x", "- a", "^id", "<!--", "\n", "\ud800", "> q", "| a |", "$$", "\x00"]
)
texts = st.lists(pieces, max_size=6).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), texts, texts), min_size=1, max_size=8), st.booleans())
def test_any_segment_has_a_sound_recap(said: list[tuple[str, str, str]], words: bool) -> None:
    one = segment(*said)
    embedder = None if words else MODEL
    recap = extractive_recap(one, embedder)
    assert recap == extractive_recap(one, embedder) == recap.strip()
    assert count_tokens(recap.encode("utf-8", "replace")) <= TOKENS
    assert not re.search(r"<!--|%%|\$\$|```|(?m:^(?:#|>|[ \t]|- ))", recap)
    assert bool(recap) >= any(any(map(str.isalnum, prose_of(text))) for _, text, _ in said)
