"""Events: what a user decides, promises, prefers and tells of themselves, and the line of each."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtree.tree.blocks import BlockKind, scan
from memtree.tree.event_patterns import levelled
from memtree.tree.events import LONGEST, Event, EventClass, event_line, events_of, normalised, read_event_line
from memtree.tree.references import block_ids
from memtree.tree.segments import Message
from support.event_sentences import CHINESE, ENGLISH, MIXED, labelled

_MUCH = 250_000  # characters: what costs the square of it never ends

CASES = [case for block in (ENGLISH, CHINESE, MIXED) for case in labelled(block)]
TELLING = [sentence for sentence, kind in CASES if kind]
IDS = st.text("0123456789abcdef", min_size=12, max_size=12).map("e-{}".format)
# What anybody may write, with pieces that mean something to markdown or to the line of an event.
PIECES = st.sampled_from(
    [
        "I prefer tabs",
        "我们决定用 Go",
        " (turns 1, 2; confidence 0.6) ^e-1a2b3c4d5e6f",
        "`",
        "```\n",
        "<!--",
        "-->",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "# ",
        "| a |",
        "? ",
        ". ",
        "。",
        ", ",
        "%%",
        "$$",
        "“",
        '"',
        "[secret: password]",
        " ^id",
        "\x00",
        "\ud800",
        "\u2028",
        "I will ",
        "我",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


def told(*texts: str) -> list[Event]:
    return events_of("s", [Message(seq, "user", text) for seq, text in enumerate(texts, start=1)])


@pytest.mark.parametrize(("sentence", "kind"), CASES)
def test_a_sentence_tells_its_kind_of_event_or_none(sentence: str, kind: str) -> None:
    assert [event.kind.value for event in told(sentence)] == ([kind] if kind else [])


def test_both_languages_have_as_many_near_misses_as_events() -> None:
    for block in (ENGLISH, CHINESE):
        kinds = [kind for _, kind in labelled(block)]
        assert len(kinds) >= 150
        assert 0.4 <= kinds.count("") / len(kinds) <= 0.6
        assert {kind for kind in kinds if kind} == set(EventClass)


def test_only_the_user_tells_events() -> None:
    messages = [Message(1, "assistant", "I prefer tabs."), Message(2, "tool", "I live in Rome."), Message(3, "user", "ok")]
    assert events_of("s", messages) == []


def test_the_same_said_twice_is_one_event_with_both_numbers() -> None:
    first, second = told(
        "I prefer tabs. I live in Rome.", "ok", "Well, i prefer TABS!", "I prefer tabs and I prefer tabs. I prefer tabs."
    )[:2]
    assert (first.kind, first.text, first.seqs) == (EventClass.PREFERENCE, "I prefer tabs.", (1, 3, 4))
    assert second.seqs == (1,)


def test_ids_depend_on_session_number_kind_and_words() -> None:
    one = events_of("a", [Message(1, "user", "I prefer tabs.")])[0]
    ids = {
        one.id,
        events_of("b", [Message(1, "user", "I prefer tabs.")])[0].id,
        events_of("a", [Message(2, "user", "I prefer tabs.")])[0].id,
        events_of("a", [Message(1, "user", "I prefer spaces.")])[0].id,
    }
    assert len(ids) == 4
    assert events_of("a", [Message(1, "user", "ok, i prefer tabs")])[0].id == one.id


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("ok, so let's go with `uv`.", "Let's go with `uv`."),
        ("btw, I live in Oslo, what's the weather?", "I live in Oslo"),
        ("I have a flight on Friday at 7am, remind me to pack.", "I have a flight on Friday at 7am"),
        ("好的，我们决定用 Go。", "我们决定用 Go。"),
        ("我住在深圳，明天天气怎么样？", "我住在深圳"),
        ("- **I prefer tabs** over [spaces](http://example.com/a_b).", "I prefer tabs over spaces."),
        ("- [ ] I'll call the bank on Monday", "I'll call the bank on Monday"),
        ("I prefer a warm cache", "I prefer a warm cache"),
        ("I prefer tabs <!-- always --> here", "I prefer tabs here"),
    ],
)
def test_an_events_text_reads_well_alone(said: str, shown: str) -> None:
    assert [event.text for event in told(said)] == [shown]


def test_a_long_sentence_is_told_from_its_last_clause_and_cut() -> None:
    ramble = "the build took ages and nobody knew why the cache was cold, " * 8
    assert told(f"{ramble}so I prefer a warm cache over everything.")[0].text == "I prefer a warm cache over everything."
    long = told("I prefer tabs and " + "spaces and " * 60 + "nothing.")[0].text
    assert 250 < len(long) <= LONGEST
    assert long.endswith("…")


@pytest.mark.parametrize(
    "material",
    [
        "Translate to French:\n\nI live in Berlin. I prefer tea.",
        "Please proofread the following text\n\nI am a doctor. We decided to leave.",
        "Summarize this email:\nI will be in Paris on Monday. I love tea.",
        "翻译成英文：\n我住在北京。我喜欢猫。",
        "帮我润色下面这段文字\n\n我是一名医生。我们决定离开。",
        "She wrote:\nI will quit by Friday.",
        "> I prefer tabs.\n> We decided to use Go.\n\nWhat do you make of this?",
        "```\nI prefer tabs.\n```",
        "<tool_result>I live in Rome.</tool_result>",
        "| who | what |\n|---|---|\n| me | I prefer tabs |",
    ],
)
def test_what_is_handed_over_or_quoted_is_said_by_nobody(material: str) -> None:
    assert told(material) == []


def test_what_was_said_before_a_text_is_handed_over_counts() -> None:
    assert [event.text for event in told("I'm a German teacher. Translate this: I live in Rome.")] == ["I'm a German teacher."]


@given(
    st.builds(
        Event,
        IDS,
        st.sampled_from(EventClass),
        st.lists(st.text(st.characters(blacklist_categories=["Z", "C"]), min_size=1, max_size=12), min_size=1, max_size=6).map(
            " ".join
        ),
        st.lists(st.integers(0, 999_999), min_size=1, max_size=5).map(tuple),
        st.floats(0, 1),
    )
)
@example(Event("e-1a2b3c4d5e6f", EventClass.FACT, "x (turn 1; confidence 0.6) ^e-1a2b3c4d5e6f", (4, 8)))
def test_a_line_is_read_as_the_event_that_wrote_it(event: Event) -> None:
    assert read_event_line(event_line(event)) == event


def test_the_line_of_an_event() -> None:
    event = Event("e-1a2b3c4d5e6f", EventClass.DECISION, "We'll use tantivy for search.", (4, 8))
    line = "- decision: We'll use tantivy for search. (turns 4, 8; confidence 0.6) ^e-1a2b3c4d5e6f"
    assert event_line(event) == line
    assert read_event_line(line + "\r\n") == event


@pytest.mark.parametrize(
    "line",
    [
        "",
        "- a note of mine",
        "- decision: We use Go.",
        "- decision: We use Go. (turns 4; confidence 0.6)",
        "- wish: We use Go. (turn 4; confidence 0.6) ^e-1a2b3c4d5e6f",
        "- decision: We use Go. (turn 4; confidence 6) ^e-1a2b3c4d5e6f",
        "- decision: We use Go. (turn 4; confidence e) ^e-1a2b3c4d5e6f",
        "- decision: We use Go. (turn ; confidence 0.6) ^e-1a2b3c4d5e6f",
        "- decision: We use Go. (turn 4; confidence 0.6) ^m-1a2b3c4d5e6f",
    ],
)
def test_what_is_no_line_of_an_event_is_read_as_none(line: str) -> None:
    assert read_event_line(line) is None


@given(TEXTS)
@example("I prefer <!-- x")
@example("I prefer tabs ^id")
@example("I prefer $$ and %% and ``` and ~~~ tabs")
def test_every_event_is_one_item_of_a_list_and_comes_back(text: str) -> None:
    for event in told(text):
        assert 0 < len(event.text) <= LONGEST
        line = event_line(event)
        assert read_event_line(line) == event
        data = f"## Events\n\n{line}\n".encode("utf-8", "replace")
        heading, items = scan(data)
        assert (heading.kind, items.kind, len(items.parts)) == (BlockKind.HEADING, BlockKind.LIST, 1)
        assert [found.id for found in block_ids(data, items)] == [event.id]


@given(st.sampled_from(TELLING), st.sampled_from(TELLING))
def test_messages_tell_the_same_in_any_company(one: str, two: str) -> None:
    both = told(one, two)
    assert {(event.kind, normalised(event.text)) for event in both} == {
        (event.kind, normalised(event.text)) for event in (*told(one), *told(two))
    }
    assert told(one, two) == both


@given(st.text(max_size=40))
def test_levelling_takes_any_text(text: str) -> None:
    assert "\n" not in levelled(text)


@pytest.mark.parametrize(
    "piece",
    ["I prefer ", "I will, ", "我会", "ok, so and ", "for a b c d e i ", "'a ", "“", '"a', "我周三", "a, what? ", "I like x. "],
)
def test_a_long_text_of_one_thing_is_no_trouble(piece: str) -> None:
    assert len(told(piece * (_MUCH // len(piece)))) <= 400
