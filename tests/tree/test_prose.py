"""Prose of messages: what was said stays, what a program put there goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.prose import prose_of

_MUCH = 250_000  # characters: what costs the square of it never ends

LONG_CODE = "```py\n" + "print('x')\n" * 12 + "```"
SHORT_CODE = "```sh\nmake test\n```"
WORDS = st.lists(
    st.sampled_from(["I", "like", "tabs.", "我", "喜欢", "a < b", "[1]", "- x", "(y)", "*z*", "3 > 2", "`code`"]), min_size=1
)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("Fix it.\n\n" + LONG_CODE + "\n\nThanks", "Fix it.\n\nThanks"),
        ("Run\n\n" + SHORT_CODE + "\n\nplease", "Run\n\n" + SHORT_CODE + "\n\nplease"),
        ("open\n\n```\n" + "x\n" * 20, "open"),
        ("Look: [Image #1] nice", "Look:  nice"),
        ("![shot](a.png) see", "see"),
        ("<img src='x'> see [image: /tmp/a.png]", "see"),
        ("icon data:image/png;base64,iVBORw0KGgo= here", "icon  here"),
        ("key " + "Ab1" * 100 + " end", "key  end"),
        ('<tool_call>{"name": "x"}</tool_call>Done.', "Done."),
        ("<function_calls>\n<invoke name='a'>\nb\n</invoke>\n</function_calls>\nDone.", "Done."),
        ("Hi <system-reminder>be nice</system-reminder> there", "Hi  there"),
        ("Hi <tool_result>never closed", "Hi"),
        ("İ <TOOL_CALL>x</Tool_Call >İ said it", "İ İ said it"),
        ("Make the <image> lazy. I prefer it.", "Make the  lazy. I prefer it."),
        ("What does `<tool_call>` mean here?", "What does `<tool_call>` mean here?"),
        ("Done <tool_use/>now", "Done now"),
        ("[TOOL_CALL]{x}[/TOOL_CALL] ok", "ok"),
        ('{"tool": "grep", "args": {"a": [1]}}\nFound it.', "Found it."),
        ('Result:\n[{"a": 1}, {"b": 2}]\nok', "Result:\n\nok"),
        ("[1] see the note\n{not json}", "[1] see the note\n{not json}"),
        ("a <!-- b --> c", "a  c"),
        ("\x1b[31mred\x1b[0m\x00", "red"),
        ("if x < 3 and y > 2 then List<String>", "if x < 3 and y > 2 then List<String>"),
        (
            'look:\nTraceback (most recent call last):\n  File "a.py", line 1\n  File "b.py"\n  File "c.py"\nValueError: x\nwhy?',
            "look:\n\nwhy?",
        ),
        ("- one;\n- two;\n- three;\n- four;\n- five;", "- one;\n- two;\n- three;\n- four;\n- five;"),
        ("a\r\n\r\n\r\n\r\nb  ", "a\n\nb"),
        ("", ""),
    ],
)
def test_what_stays_and_what_goes(text: str, prose: str) -> None:
    assert prose_of(text) == prose


@given(WORDS)
def test_prose_stays_as_it_is(words: list[str]) -> None:
    text = " ".join(words)
    assert prose_of(text) == text
    assert prose_of(f"{text}\n\n{LONG_CODE}\n\n{text}") == f"{text}\n\n{text}"


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            ["<tool_call>", "</tool_call>", "{", "}", "[", "```", "\n", "<!--", "-->", "x", '"a":1', "![", "](", "data:a/b,"]
        )
    ).map("".join)
)
def test_no_text_is_too_odd(text: str) -> None:
    assert len(prose_of(text)) <= len(text)


@pytest.mark.parametrize(
    "piece",
    [
        '{"a":',
        "{\n",
        "[\n",
        "{}\n",
        "<tool_call>",
        "<image>",
        "<",
        "data:a/b;",
        "A",
        "[image ",
        "[TOOL_CALL]",
        "```\n",
        "<!--",
        "\n",
        "\x1b[",
        "![a",
    ],
)
def test_a_long_text_of_one_thing_is_no_trouble(piece: str) -> None:
    text = piece * (_MUCH // len(piece))
    assert len(prose_of(text)) <= len(text)
