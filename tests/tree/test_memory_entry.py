"""Entries of MEMORY.md: one line each, in their section, and never at the cost of another byte."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtree.tree.blocks import BlockKind, scan
from memtree.tree.memory_entry import (
    LONGEST,
    MemoryFileOpen,
    UnfitEntry,
    entry_id,
    known,
    one_entry,
    place_of,
    with_entries,
    with_entry,
)
from memtree.tree.references import block_ids

_LINES = st.sampled_from(
    [
        "# Memory",
        "## Notes",
        "## notes ##",
        "## Other",
        "- one",
        "* two",
        "1. three",
        "  more of it",
        "",
        "words",
        "```",
        "<!-- a",
        "-->",
        "%%",
        "$$",
        "> [!note] x",
        "| a | b |",
        "|---|---|",
        "- [ ] todo",
        "---",
        "<div>",
        "\ttab",
        "[^1]: foot",
        "- x ^m-1",
        "~~~",
        "Notes",
        "===",
    ]
)
_FILES = st.tuples(st.lists(_LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda drawn: (drawn[1].join(drawn[0]) + (drawn[1] if drawn[2] else "")).encode()
)
_TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ["#", "- ", "1. ", ">", "```", "$$", "%%", "<!--", "---", "^m-1", "word", " ", "\n", "|", "[^1]:", "`", "*"]
        )
    ).map("".join),
)
ID = "m-01k3v9f4xq8d2m7b5c"


def _is_inserted(old: bytes, new: bytes) -> bool:
    """Whether `new` is `old` with one stretch put in somewhere."""
    same = next((at for at, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new)))
    return new.endswith(old[same:])


@given(_FILES, _TEXTS)
@example(b"", "word")
@example(b"## Notes\n\n- one", "## a heading")
def test_an_entry_is_added_and_nothing_else_changes(data: bytes, text: str) -> None:
    try:
        entry = one_entry(text)
        made = with_entry(data, entry, ID)
    except (UnfitEntry, MemoryFileOpen):
        return
    line = f"{entry} ^{ID}".encode()
    at = made.index(line)
    assert made.count(b"^" + ID.encode()) == 1
    assert _is_inserted(data, made) or not data.strip()
    place = place_of(made, ID)
    assert place is not None
    assert place.first == made[:at].count(b"\n") + 1
    again = known(made, entry)
    assert again is not None
    assert again.first <= place.first


@given(_TEXTS)
def test_the_line_of_an_entry_is_one_item_of_one_paragraph(text: str) -> None:
    try:
        entry = one_entry(text)
    except UnfitEntry:
        return
    data = f"- {entry} ^{ID}\n\nAfter it.\n".encode()
    blocks = scan(data)
    assert [block.kind for block in blocks] == [BlockKind.LIST, BlockKind.PARAGRAPH]
    assert [found.id for found in block_ids(data, blocks[0])] == [ID]
    inside = scan(f"{entry} ^{ID}\n".encode())
    assert [block.kind for block in inside] == [BlockKind.PARAGRAPH]


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("Prefers tabs.", "prefers **tabs**", True),
        ("Deploys go out “Tuesdays”", "deploys go out tuesdays!", True),
        ("- Uses C++ ^m-1", "uses C++", True),
        ("uses C++", "uses C#", False),
        ("port 8443", "port 8444", False),
        ("A calls B", "B calls A", False),
        ("enable it", "disable it", False),
        ("offset -1", "offset 1", False),
        ("1986. A good year.", "1987. A good year.", False),
        ("2. A good year.", "A good year", True),
    ],
)
def test_which_entries_say_the_same(one: str, two: str, same: bool) -> None:
    data = with_entry(b"", one_entry(one), ID)
    assert (known(data, one_entry(two)) is not None) is same


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"## Notes\n\n- one  \n", b"## Notes\n\n- one  \n- x ^ID\n"),
        (b"## Notes\n\n- one\t", b"## Notes\n\n- one\t\n- x ^ID\n"),
        (b"## Notes\r\n\r\n- one  \r\n\r\n## B\r\n", b"## Notes\r\n\r\n- one  \r\n- x ^ID\r\n\r\n## B\r\n"),
        (b"## Notes\n\nwords  \n", b"## Notes\n\nwords  \n\n- x ^ID\n"),
        (b"## Notes\nTitle\n---\n", b"## Notes\n\n- x ^ID\n\nTitle\n---\n"),
        (b"words  \n\n\n", b"words  \n\n\n## Notes\n\n- x ^ID\n"),
        (b"words  ", b"words  \n\n## Notes\n\n- x ^ID\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf## Notes\n\n- x ^ID\n"),
    ],
)
def test_spaces_and_blank_lines_stay_where_they_are(before: bytes, after: bytes) -> None:
    assert with_entry(before, "x", ID) == after.replace(b"ID", ID.encode())
    both = with_entries(before, [("x", ID), ("y", ID[:-1] + "d")])
    assert both == with_entry(with_entry(before, "x", ID), "y", ID[:-1] + "d")


def test_a_year_at_the_beginning_is_no_list_mark() -> None:
    assert one_entry("1986. A good year.") == "1986\\. A good year."
    assert one_entry("12. A good year.") == "A good year."
    data = with_entry(b"", one_entry("- 1986. A good year."), ID)
    assert known(data, one_entry("1986. A good year!")) is not None


def test_ids_sort_by_time_and_differ_by_noise() -> None:
    ids = [entry_id(time, noise) for time in (1, 2, 1_764_521_371_000) for noise in (b"aaaaa", b"bbbbb")]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert {len(one) for one in ids} == {20}


def test_what_is_no_entry_is_refused() -> None:
    for text in ("", " \n", "^m-1", "- "):
        with pytest.raises(UnfitEntry):
            one_entry(text)
    with pytest.raises(UnfitEntry, match="more than 2,000"):
        one_entry("x" * (LONGEST + 1))
    with pytest.raises(MemoryFileOpen):
        with_entry(b"words\n\n```\nnever closed", "x", ID)
