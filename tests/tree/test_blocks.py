"""Blocks: they tile any bytes, and they begin where another CommonMark parser says they do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pyromark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.blocks import BlockKind, scan

_LINES = """
text;more words;# h;## h ##;#no;===;---;- - -;***;___;- item;* item;+ x;-;*;1. one;2) two;12. x;2.;> q;>;> > deep;```;```py;````;~~~
``` a`b;| a | b |;a | b;<div>;</div>;<!-- x;-->;<?php;?>;<!D>;<![CDATA[;]]>;<script>;<a href="x">;<b>x;</b>;北京;- ```;> ```;- > q
> - x;- - x;1. - x;- # h;-     code;^id;_ _ _;> | a | b |;0;000000001. x;1234567890. x;`x`;**b**;[link](x);![[embed]];\\# no
"""
_INDENTS = st.sampled_from(["", "", "", "", " ", "  ", "   ", "    ", "      ", "> ", "- ", "1. "])
_PLAIN = st.sampled_from([*_LINES.strip().replace("\n", ";").split(";"), "", "", "", ""])
_TABLES = st.sampled_from(
    ["\n| a | b |\n|---|---|\n", "\na | b\n:-:|--\nc\n", "\n> | a | b |\n> |---|---|\n", "\n|a|\n|-|\n|x|y|\n"]
)
_LINE = st.one_of(*[st.tuples(_INDENTS, _PLAIN).map("".join)] * 9, _TABLES)
_BODY = st.lists(_LINE, max_size=14).map("\n".join)
# Documents that both parsers read alike. Left out is what the oracle does in its own way: a table right below a paragraph's
# text or a bare `1.`, rows indented by four or more, a one-column table without pipes, tabs after `>`, `<textarea>` ended by
# another tag's end, link reference definitions (it shows none). No front matter: to it a second `---` may lie anywhere.
alike = st.tuples(_BODY, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\n\n"])).map(
    lambda made: ("first\n\n" + made[0] + made[2]).replace("\n", made[1])
)
_MARKS = st.sampled_from(
    [
        *" \t\n\r#>`~-+*_=<|:019.)[]^$%!/a\"'\\",
        "\ufeff",
        "\0",
        "\n- ",
        "\n> ",
        "\n\t",
        "---\n",
        "$$\n",
        "%%\n",
        "|-|\n",
        "\x0c",
        "\u2028",
    ]
)
anything = st.one_of(
    st.binary(max_size=80),
    st.lists(_MARKS, max_size=60).map(lambda marks: "".join(marks).encode()),
    st.tuples(st.sampled_from(["", "\ufeff", "---\n", "\ufeff---\r\n"]), _BODY, st.sampled_from(["", "\n---\n", "\n\xff"])).map(
        lambda made: "".join(made).encode("utf-8")
    ),
)


def shown(text: str) -> list[tuple[str, str]]:
    data = text.encode()
    return [(block.kind.value, data[block.start : block.content_end].decode()) for block in scan(data)]


# -- promises


@given(anything)
def test_blocks_tile_any_bytes(data: bytes) -> None:
    at = 0
    for number, block in enumerate(scan(data)):
        assert at == block.start <= block.content_end <= block.end
        assert block.start < block.end
        assert not data[block.content_end : block.end].strip(
            b" \t\r\n" if block.kind is not BlockKind.BLANK else b" \t\r\n\xef\xbb\xbf"
        )
        assert block.start == 0 or data[block.start - 1 : block.start] in (b"\n", b"\r")
        assert (block.kind is BlockKind.BLANK) == (block.content_end == block.start)
        assert block.kind is not BlockKind.BLANK or number == 0
        assert (block.level > 0) == (block.kind is BlockKind.HEADING)
        at = block.end
    assert at == len(data)


@given(anything)
def test_parts_begin_at_lines_and_rise(data: bytes) -> None:
    for block in scan(data):
        assert bool(block.parts) == (block.kind in (BlockKind.LIST, BlockKind.TABLE))
        assert list(block.parts) == sorted(set(block.parts))
        assert not block.parts or (block.parts[0] == block.start and block.parts[-1] < block.content_end)
        assert all(data[at - 1 : at] in (b"\n", b"\r") for at in block.parts[1:])


@given(alike)
def test_text_below_leaves_the_blocks_above_alone(above: str) -> None:
    before = [block[:3] for block in scan(above.encode())]
    after = [block[:3] for block in scan(f"{above}\n\nlast words".encode())]
    # The last block may go on: a fence that is open, a comment that is not closed.
    assert after[: len(before) - 1] == before[:-1]


# -- the oracle


def starts(text: str) -> list[int]:
    """Where blocks begin, a list's items included."""
    found = {at for block in scan(text.encode()) for at in (block.start, *(block.parts if block.kind is BlockKind.LIST else ()))}
    return sorted(found - ({0} if text[:1] in "\r\n" else set()))


def oracle_starts(text: str) -> list[int]:
    """Where pyromark sees blocks and items of the root begin, moved to the start of their lines."""
    data = text.encode()
    found: set[int] = set()
    depth = 0
    for event, span in pyromark.events_with_range(text, options=pyromark.Options.ENABLE_TABLES):
        opens = isinstance(event, dict) and "Start" in event
        if (depth == 0 and (opens or event == "Rule")) or (depth == 1 and opens and "Item" in str(event)):
            at = span["start"]
            found.add(max(data.rfind(b"\n", 0, at), data.rfind(b"\r", 0, at)) + 1)
        depth += opens - (isinstance(event, dict) and "End" in event)
    return sorted(found)


@given(alike)
def test_blocks_begin_where_the_oracle_says(text: str) -> None:
    assert starts(text) == oracle_starts(text)


def test_blocks_of_real_pages_begin_where_the_oracle_says() -> None:
    folder = os.environ.get("MEMTREE_TEST_DATA")
    pages = sorted(Path(folder).rglob("*.md")) if folder else []
    if not pages:
        pytest.skip("MEMTREE_TEST_DATA names no folder with markdown pages (the tldr pages, unpacked)")
    texts = {page: page.read_bytes().decode() for page in pages}
    assert [page for page, text in texts.items() if starts(text) != oracle_starts(text)] == []


# -- kinds


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("\n \n", [("blank", "")]),
        ("\ufeff\n\nx", [("blank", ""), ("paragraph", "x")]),
        ("\ufeff# x", [("heading", "\ufeff# x")]),
        ("---\na: b\n---\n\nx", [("front matter", "---\na: b\n---"), ("paragraph", "x")]),
        ("\ufeff---\r\na: b\r\n...\r\n# x", [("front matter", "\ufeff---\r\na: b\r\n..."), ("heading", "# x")]),
        ("x\n---\ny", [("heading", "x\n---"), ("paragraph", "y")]),
        ("---\nx", [("rule", "---"), ("paragraph", "x")]),
        ("- a\n\n  b\n- c\n* d", [("list", "- a\n\n  b\n- c"), ("list", "* d")]),
        ("- a\nlazy\n\nb", [("list", "- a\nlazy"), ("paragraph", "b")]),
        ("```\n\n# x\n", [("fence", "```\n\n# x")]),
        ("- ```\n# x", [("list", "- ```"), ("heading", "# x")]),
        ("    a\n\n    b\nc", [("code", "    a\n\n    b"), ("paragraph", "c")]),
        ("text\na | b\n-|-\n1 | 2\n\nx", [("paragraph", "text"), ("table", "a | b\n-|-\n1 | 2"), ("paragraph", "x")]),
        ("> [!note]+ Title\n> x\n\n> q", [("callout", "> [!note]+ Title\n> x"), ("quote", "> q")]),
        ("> q\n[!no]", [("quote", "> q\n[!no]")]),
        ("[^1]: note\n\n    more\n\nx", [("footnote", "[^1]: note\n\n    more"), ("paragraph", "x")]),
        ("$$\na\n\nb\n$$\nx", [("math", "$$\na\n\nb\n$$"), ("paragraph", "x")]),
        ("$$\na\n\nb", [("paragraph", "$$\na"), ("paragraph", "b")]),
        ("%%\n# x\n\n%%\ny", [("comment", "%%\n# x\n\n%%"), ("paragraph", "y")]),
        ("%%\n# x", [("paragraph", "%%"), ("heading", "# x")]),
        ("<div>\n# x\n\n# y", [("html", "<div>\n# x"), ("heading", "# y")]),
        ("<!-- a\n\nb --> c\nd", [("html", "<!-- a\n\nb --> c"), ("paragraph", "d")]),
        ("a\u2028b\x0cc\x85d\n\x0c", [("paragraph", "a\u2028b\x0cc\x85d\n\x0c")]),
        ("# x\r\r- a\r- b\r", [("heading", "# x"), ("list", "- a\r- b")]),
    ],
)
def test_blocks_by_example(text: str, blocks: list[tuple[str, str]]) -> None:
    assert shown(text) == blocks


def test_lists_and_tables_know_where_their_parts_begin() -> None:
    (one,) = scan(b"1. a\n   - b\n2. c\n\n   more\n10. d\n")
    assert one.parts == (0, 12, 26)
    (table,) = scan(b"|a|\r\n|-|\r\n|x|\r\n\r\n")
    assert (table.parts, table.content_end, table.end) == ((0, 5, 10), 13, 17)


def test_headings_know_their_level() -> None:
    assert [block.level for block in scan(b"# a\n### b\nc\n===\nd\n---\ne")] == [1, 3, 1, 2, 0]


# -- size


@pytest.mark.parametrize(
    "data",
    [
        b">" * 1_000_000,
        b"> " * 500_000,
        b"\n" * 1_000_000,
        b"[" * 1_000_000,
        b"[^" * 500_000,
        b"`" * 1_000_000 + b"x\n`",
        b"- " * 500_000,
        b"* - " * 250_000,
        b"- " * 70 + b"\n" * 1_000_000,
        b"- " * 63 + b"a\n" + b" \n" * 300_000,
        b"|a|\n|-|\n" + b"|x|\n" * 250_000,
        b"a\n:-" + b" " * 1_000_000 + b"x",
        b"a|b\n" + b"|-" * 500_000,
        b"<a" + b" b" * 500_000,
        b"<a" + b" " * 1_000_000 + b"=",
        b"a\n%%\n" * 200_000,
        b"$$ $\n" * 200_000,
        b"---\n" + b"--- x\n" * 170_000,
        b"\t" * 1_000_000,
    ],
    ids=range(19),
)
def test_hostile_input_takes_linear_time(data: bytes) -> None:
    start = time.process_time()
    assert scan(data)[-1].end == len(data)
    # Quadratic code would take minutes to hours here; the limit only has to be safe on a busy machine.
    assert time.process_time() - start < 15
