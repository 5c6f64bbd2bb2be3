"""What stands inside a block: titles, items, links, ids; nothing from code."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.block_parts import Callout, callout, fence_info, heading_text, list_items
from memtree.tree.blocks import BlockKind, scan
from memtree.tree.references import block_ids, is_own_line_id, links


def found_links(text: str) -> list[tuple[str, str, bool]]:
    data = text.encode()
    return [(link.target, link.label, link.embed) for block in scan(data) for link in links(data, block)]


def found_ids(text: str) -> list[str]:
    data = text.encode()
    ids = [one for block in scan(data) for one in block_ids(data, block)]
    assert all(data[one.start : one.end].decode() == f"^{one.id}" for one in ids)
    return [one.id for one in ids]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[a]] and ![[b#c|d]]", [("a", "", False), ("b#c", "d", True)]),
        ("| x |\n|---|\n| [[a\\|b]] |", [("a", "b", False)]),
        ("> - [[北京|x]]", [("北京", "x", False)]),
        ("`[[no]]` ``a ` [[no]] `` [[yes]]", [("yes", "", False)]),
        ("`open [[yes]]\n\nnext `[[no]]`", [("yes", "", False)]),
        ("`a\n[[no]]` [[yes]]", [("yes", "", False)]),
        ("\\`[[yes]]`", [("yes", "", False)]),
        ("`\\` [[yes]]", [("yes", "", False)]),
        ("\\[[no]] [[ ]] [[]] [[a\nb]] [x]", []),
        ("```\n[[no]]\n```\n\n    [[no]]\n\n$$\n[[no]]\n$$", []),
        ("- x\n  ```\n  [[no]]\n  ```\n  [[yes]]", [("yes", "", False)]),
        ("%% [[yes]] %%", [("yes", "", False)]),
    ],
)
def test_links(text: str, expected: list[tuple[str, str, bool]]) -> None:
    assert found_links(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text ^a-1", ["a-1"]),
        ("# Head ^h\n", ["h"]),
        ("line ^no\nline ^yes  ", ["yes"]),
        ("- one ^a\n- two\n  - three ^b\n", ["a", "b"]),
        ("> q\n> ^q1\n", ["q1"]),
        ("| a |\n|---|\n^t", ["t"]),
        ("- x\n\n^own\n", ["own"]),
        ("x^2 and ^", []),
        ("`^no`", []),
        ("```\nx ^no\n```", []),
        ("- ```\n  x ^no\n  ```\n  ^yes", ["yes"]),
        ("text ^北", []),
    ],
)
def test_ids(text: str, expected: list[str]) -> None:
    assert found_ids(text) == expected


def test_an_id_on_its_own_line_is_known() -> None:
    data = b"- x\n\n^a\n\n^b c\n\ntext\n^c\n"
    assert [is_own_line_id(data, block) for block in scan(data)] == [False, True, False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One", "One"),
        ("\ufeff## Two ##", "Two"),
        ("# C#", "C#"),
        ("#", ""),
        ("# #", ""),
        ("   ###   x  #  ", "x"),
        ("two\n lines \n===", "two lines"),
        ("a\r\nb\r\n---", "a b"),
        ("#tag\n---", "#tag"),
    ],
)
def test_heading_texts(text: str, expected: str) -> None:
    data = text.encode()
    (block,) = scan(data)
    assert block.kind is BlockKind.HEADING
    assert heading_text(data, block) == expected


def test_fences_and_callouts() -> None:
    data = b"~~~ python x\n~~~\n\n> [!NOTE]- Read *this*\n> text\n\n> [!tip]\n\n> q\n"
    blocks = scan(data)
    assert [fence_info(data, block) for block in blocks] == ["python x", "", "", ""]
    assert [callout(data, block) for block in blocks] == [None, Callout("note", "-", "Read *this*"), Callout("tip", "", ""), None]


def test_items_know_how_deep_they_are() -> None:
    data = b"text\n\n- a\n  - b\n\n    more\n    1. c\n- d\n\nend"
    block = scan(data)[1]
    items = list(list_items(data, block))
    assert [(data[item.start : item.content_end], item.depth) for item in items] == [
        (b"- a", 1),
        (b"  - b\n\n    more", 2),
        (b"    1. c", 3),
        (b"- d", 1),
    ]
    assert [item.start for item in items if item.depth == 1] == list(block.parts)


_LINE = st.tuples(
    st.sampled_from(["", "  ", "    ", "\t", "> "]),
    st.sampled_from(["- x", "1. y", "* ", "text", "```", "", "- - z", "[[a]]", "`b", "``", "^id", "# h", "- ^i", "| a |", "|---|"]),
).map("".join)


@given(st.lists(_LINE, max_size=15).map("\n".join), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_is_found_lies_inside_its_block(text: str, end: str) -> None:
    data = text.replace("\n", end).encode()
    for block in scan(data):
        spans = [(one.start, one.end) for one in links(data, block)]
        spans += [(one.start, one.end) for one in block_ids(data, block)]
        assert all(block.start <= start < stop <= block.content_end for start, stop in spans)
        heading_text(data, block)
        if block.kind is BlockKind.LIST:
            items = list(list_items(data, block))
            assert [item.start for item in items if item.depth == 1] == list(block.parts)
            assert [item.end for item in items] == [*[item.start for item in items[1:]], block.end]


@pytest.mark.parametrize(
    "data",
    [
        b"`" * 10**6,
        b"` " * 500_000,
        b"[[" * 500_000,
        b"[[a" * 300_000,
        b"`a``b" * 200_000,
        b"- x ^a\n" * 100_000,
        b"a ^" * 300_000,
        b"\\" * 10**6,
        b"`a ``b ```c " * 80_000,
        b"- " * 60 + b"x\n" + b"  - y\n" * 100_000,
    ],
    ids=range(10),
)
def test_hostile_input_takes_linear_time(data: bytes) -> None:
    start = time.process_time()
    for block in scan(data):
        list(links(data, block))
        list(block_ids(data, block))
        if block.kind is BlockKind.LIST:
            list(list_items(data, block))
    assert time.process_time() - start < 15
