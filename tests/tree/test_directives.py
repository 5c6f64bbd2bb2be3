"""Directives: which sentences are rules for good, under which facet and key they stand, and how they read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.directive_notes import note_of
from memtree.tree.directives import directive
from memtree.tree.event_patterns import levelled
from memtree.tree.events import EventClass, event_line, events_of, read_event_line
from memtree.tree.facets import LONGEST_KEY, Observation, normal_key, observations_of
from memtree.tree.segments import Message
from support.directive_sentences import CHINESE, ENGLISH, labelled

CASES = [case for block in (ENGLISH, CHINESE) for case in labelled(block)]
RULES = [sentence for facet, _, sentence in CASES if facet]
FACETS = ("directives", "anti_preferences", "communication")


def learnt(text: str) -> list[Observation]:
    """What a message makes of the facets that hold rules, by way of the lines of its events."""
    lines = [event_line(event) for event in events_of("s", [Message(1, "user", text)])]
    events = [event for line in lines if (event := read_event_line(line)) is not None]
    return [one for one in observations_of(events, lambda event: "2026-12-01") if one.facet in FACETS]


def test_each_sentence_is_a_rule_for_good_or_none() -> None:
    wrong: list[tuple[str, list[tuple[str, str]]]] = []
    for facet, key, sentence in CASES:
        found = [(one.facet, one.key) for one in learnt(sentence)]
        if [(one, "*" if key == "*" else other) for one, other in found] != ([(facet, key)] if facet else []):
            wrong.append((sentence, found))
    assert wrong == []


def test_both_languages_have_as_many_near_misses_as_rules() -> None:
    for block in (ENGLISH, CHINESE):
        facets = [facet for facet, _, _ in labelled(block)]
        assert len(facets) >= 80
        assert 0.4 <= facets.count("") / len(facets) <= 0.6
        assert set(facets) == {"", *FACETS}


def test_every_rule_is_a_preference_with_a_sound_key() -> None:
    for sentence in RULES:
        assert [event.kind for event in events_of("s", [Message(1, "user", sentence)])] == [EventClass.PREFERENCE], sentence
        (one,) = learnt(sentence)
        assert 0 < len(one.key) <= LONGEST_KEY, sentence
        assert normal_key(one.key) == one.key, sentence


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("ok, from now on please always run the linter first", "Always run the linter first"),
        ("Please don't use emojis.", "Don't use emojis"),
        ("Keep answers short from now on", "Keep answers short"),
        ("You should never push to main", "Never push to main"),
        ("I want you to always explain the trade-offs.", "Always explain the trade-offs"),
        ("Could you answer in French from now on?", "Answer in French"),
        ("The build broke again, never push to main!", "Never push to main"),
        ("stop apologising", "Stop apologising"),
        ("By default, answer in two sentences.", "Answer in two sentences"),
        ("Always, always run the linter.", "Always run the linter"),
        ("永远不要直接推送到主分支。", "永远不要直接推送到主分支"),
        ("好的，以后都用中文回答吧。", "以后都用中文回答"),
    ],
)
def test_a_rule_reads_as_one(said: str, value: str) -> None:
    assert [one.value for one in learnt(said)] == [value]


@pytest.mark.parametrize(
    "ways",
    [
        ("Never push to main.", "Please never push directly to main!", "Don't ever push to main", "Don't push to main ever again."),
        ("Please don't use emojis.", "no emojis please", "From now on, use emojis in your answers.", "不要再用表情符号。"),
        (
            "Always run the tests before you commit.",
            "Every time you change a file, run the tests.",
            "from now on run the tests first",
        ),
        ("Answer in German from now on", "Please reply in Spanish.", "以后都用中文回答。", "Always respond in English"),
        ("please be brief", "Keep your answers short", "Don't be so verbose", "请简洁一点。"),
        ("永远不要推送到主分支", "不要再推送到主分支", "以后别直接推送到主分支"),
    ],
)
def test_what_is_said_again_meets_the_same_key(ways: tuple[str, ...]) -> None:
    assert len({(one.facet, one.key) for text in ways for one in learnt(text)}) == 1
    assert all(learnt(text) for text in ways)


def test_rules_that_differ_have_keys_of_their_own() -> None:
    rules = (
        "Always sign your commits.",
        "Always squash your commits.",
        "Always run the linter before you commit.",
        "Never amend commits.",
    )
    assert len({(one.facet, one.key) for text in rules for one in learnt(text)}) == len(rules)


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("That was far too long. Please be brief.", 1),
        ("Please be brief. No emojis.", 2),
        ("What is a monad? Please be brief.", 0),
        ("Please be brief. Write a poem about the sea.", 0),
        ("What is a monad? From now on, be brief.", 1),
        ("Fix the tests. Never push to main.", 1),
        ("什么是闭包？请简洁一点。", 0),
        ("帮我写一首诗。以后都用中文回答。", 1),
        ("> Never push to main.\n\nWhat does this mean?", 0),
        ("```\nNever push to main.\n```", 0),
    ],
)
def test_how_to_talk_is_said_of_one_answer_where_one_is_asked_for(message: str, count: int) -> None:
    assert len(learnt(message)) == count


_PIECES = st.sampled_from(
    [
        "always",
        "never",
        "don't",
        "from now on",
        "please",
        "answer",
        "in German",
        "emojis",
        "be brief",
        "run",
        "it",
        ",",
        "and",
        ":",
        "?",
    ]
) | st.sampled_from(["以后", "不要", "用", "中文", "回答", "[secret: x]", "`x`", "**", "\n", "。"])


@given(st.lists(_PIECES | st.text(max_size=6), max_size=10).map(" ".join))
def test_any_text_makes_a_sound_note_or_none(text: str) -> None:
    note = note_of(text)
    assert note is None or (
        normal_key(note.key) == note.key and 0 < len(note.key) <= LONGEST_KEY and note.value.strip() and note.facet in FACETS
    )


@pytest.mark.parametrize(
    "piece",
    ["always ", "never run ", "from now on, ", "don't use x ", "and always ", "emojis ", "以后", "请", "不要再", "answer in "],
)
def test_long_texts_are_no_trouble(piece: str) -> None:
    directive(levelled((piece * 20_000)[:100_000])[:1_200])
    assert len(learnt(piece * 20_000)) <= 1
