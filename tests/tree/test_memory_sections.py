"""Sections of memory files: one is replaced or added to, and every other byte of the file stays; entries keep their ids."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtree.tree.blocks import BlockKind, scan
from memtree.tree.memory_entry import MemoryFileOpen
from memtree.tree.memory_items import items_of, with_ids
from memtree.tree.memory_sections import (
    OpenConflict,
    Section,
    TwoSections,
    UnfitContent,
    UnfitTitle,
    Wanted,
    as_body,
    body_of,
    section_of,
    sections,
    title_of,
    wanted,
    with_section,
    with_text,
)

A, B, C = (f"m-01k3v9f4xq8d2m7b{number:02}" for number in range(3))
_LINES = st.sampled_from(
    [
        "# Memory",
        "## Notes",
        "## notes ##",
        "### Notes below",
        "## Other",
        "- one",
        f"- two ^{A}",
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
        "> ## Notes",
        "| a | b |",
        "|---|---|",
        "---",
        "<div>",
        "\t## Notes",
        "Notes",
        "===",
        "~~~",
        "[^1]: foot",
        "tail  ",
    ]
)
_FILES = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf"]), st.lists(_LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans()
).map(lambda drawn: drawn[0] + (drawn[2].join(drawn[1]) + (drawn[2] if drawn[3] else "")).encode())
_BODIES = st.lists(_LINES, max_size=8).map("\n".join)


def outside(data: bytes, section: Section | None) -> tuple[bytes, bytes]:
    return (data[: section.body], data[section.end :]) if section is not None else (data, b"")


@given(_FILES, _BODIES, st.sampled_from(["Notes", "## notes", "Other", "New"]), st.booleans())
@example(b"## Notes\nx\n## Other\ny", "a", "Notes", True)
@example(b"# Memory\n## Notes\nx", "a", "Memory", True)
@example(b"Notes\n===\n- one", "- a", "Notes", False)
def test_one_section_changes_and_no_other_byte(data: bytes, content: str, title: str, whole: bool) -> None:
    try:
        old = section_of(data, title, first=not whole)
        body = as_body(content, title, old.level if old is not None else 2).text.encode()
        made = with_section(data, title, body) if whole else with_text(data, body, title)
    except (TwoSections, UnfitContent, MemoryFileOpen):
        return
    before, after = outside(data, old)
    assert made.startswith(before)
    assert made.endswith(after)
    new = next(one for one in sections(made) if one.start >= (old.start if old is not None else len(data)))
    assert new.start == old.start if old is not None else made[len(data) : new.start].strip() == b""
    assert new.title.casefold() == title_of(title).casefold()
    assert len(made) - new.end == len(after)
    if whole:
        assert body_of(made, new) == body.strip(b"\n").rstrip()
        assert with_section(made, title, body) == made  # the same again changes nothing
    elif body:
        assert body_of(made, new).endswith(body.strip(b"\n").rstrip())
    assert [(one.title, one.level) for one in sections(data) if old is None or not old.start <= one.start < old.end] == [
        (one.title, one.level) for one in sections(made) if not new.start <= one.start < new.end
    ]


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Patterns", "Patterns"),
        ("## Patterns", "Patterns"),
        (" ###  Two  words ## ", "Two words"),
        ("C#", "C#"),
        ("# C#", "C#"),
        ("#", ""),
    ],
)
def test_a_title_may_come_with_its_marks(given: str, title: str) -> None:
    assert title_of(given) == title


FILE = b"# Memory\n\nAbout.\n\n## Patterns\n\n- one ^m-1\n\n### Deep\n\nx\n\n## Facts\n- two\n"


def test_a_section_ends_at_the_next_heading_of_its_level_and_a_title_at_any() -> None:
    assert with_section(FILE, "Patterns", b"- new") == FILE.replace(b"- one ^m-1\n\n### Deep\n\nx\n", b"- new\n")
    assert with_section(FILE, "deep", b"") == FILE.replace(b"### Deep\n\nx\n", b"### Deep\n")
    assert with_section(FILE, "Memory", b"Of me.") == FILE.replace(b"About.", b"Of me.")
    assert with_section(FILE, "Facts", b"- 2") == FILE.replace(b"two", b"2")
    assert with_section(FILE, "Facts", b"") == FILE.replace(b"- two\n", b"")
    assert with_section(FILE, "New", b"- n") == FILE + b"\n## New\n\n- n\n"
    assert with_section(b"", "New", b"") == b"## New\n"
    assert with_section(b"text", "New", b"n") == b"text\n\n## New\n\nn\n"
    assert with_section(b"a\r\n\r\n## B\r\nx", "B", b"y\nz") == b"a\r\n\r\n## B\r\ny\r\nz\r\n"


def test_a_text_that_is_added_leaves_the_spaces_before_it_where_they_are() -> None:
    assert with_text(b"## N\n\n- z  \n\n## O\n", b"new", "N") == b"## N\n\n- z  \n\nnew\n\n## O\n"
    assert with_text(b"## N\n\n- z \t", b"new", "N") == b"## N\n\n- z \t\n\nnew\n"


def test_what_only_looks_like_a_section_is_none() -> None:
    data = b"```\n## Facts\n```\n\n> [!note] x\n> ## Facts\n\n<!--\n## Facts\n-->\n"
    assert sections(data) == []
    assert with_section(data, "Facts", b"- f") == data + b"\n## Facts\n\n- f\n"


def test_two_sections_of_one_title_are_told_with_their_lines() -> None:
    data = b"## A\n\nx\n\n## B\n\n# a\n\ny\n"
    with pytest.raises(TwoSections, match="lines 1, 7"):
        with_section(data, "A", b"z")
    assert with_text(data, b"z", "A") == data.replace(b"x\n", b"x\n\nz\n")


def test_an_open_conflict_is_not_settled_by_the_way() -> None:
    callout = b"> [!conflict] c-1a2b3c4d\n> > one\n>\n> > two\n"
    data = b"## A\n\nx\n\n" + callout + b"\n## B\n"
    with pytest.raises(OpenConflict, match="line 5"):
        with_section(data, "A", b"z")
    assert with_section(data, "A", b"z\n\n" + callout.rstrip()) == data.replace(b"x\n", b"z\n")
    assert with_section(data, "B", b"z") == data.rstrip(b"\n") + b"\n\nz\n"


@pytest.mark.parametrize("body", [b"```\nopen", b"<!-- open", b"$$\nx", b"%%\nx", b"a\n\n~~~~\n~~~"])
@pytest.mark.parametrize("data", [b"## A\n\nx\n", b"## A\n\nx\n\n## B\n\ny\n", b""])
def test_a_body_that_does_not_end_is_refused(data: bytes, body: bytes) -> None:
    with pytest.raises(UnfitContent):
        with_section(data, "A", body)
    with pytest.raises(UnfitContent):
        with_text(data, body, "A")


def test_a_file_in_which_something_is_open_takes_no_section() -> None:
    for data in (b"```\nopen\n", b"<!-- open\n", b"## A\n\n~~~\n"):
        with pytest.raises(MemoryFileOpen):
            with_section(data, "New", b"x")
    with pytest.raises(UnfitTitle):
        with_section(b"", " ## ", b"x")


def test_headings_of_a_body_stand_below_its_section() -> None:
    assert as_body("## A\n\n- x", "a", 2) == ("- x", 0)
    assert as_body("## Other\n\n### Deep\n\nx", "A", 2) == ("### Other\n\n#### Deep\n\nx", 1)
    assert as_body("Other\n===\n\nx", "A", 2) == ("### Other\n\nx", 2)
    assert as_body("### Fits\n", "A", 2) == ("### Fits", 0)
    assert as_body("---\ntitle: x\n---\n\n# B", "A", 2).text == "---\n#### title: x\n\n### B"
    assert as_body("# 1\n\n###### 6", "A", 2).text == "### 1\n\n###### 6"
    assert as_body("```\n## code\n```", "A", 2) == ("```\n## code\n```", 0)
    assert as_body("\ufeffa\r\nb\r\n", "A", 2) == ("a\nb", 0)


@given(_BODIES, st.integers(1, 6))
def test_no_heading_of_a_body_reaches_the_level_of_its_section(content: str, level: int) -> None:
    body = as_body(content, "Notes", level).text
    levels = [block.level for block in scan(b"\n" + body.encode()) if block.kind is BlockKind.HEADING]
    assert all(one > level or one == 6 for one in levels)


# -- entries
def stamped(body: str, old: str = "", taken: tuple[str, ...] = ()) -> str:
    ids = (f"new{number}" for number in itertools.count(1))
    return with_ids(body.encode(), list(items_of(old.encode())), frozenset(taken), lambda: next(ids))[0].decode()


OLD = f"- Port is 8443. ^{A}\n- Prefers tabs. ^{B}\n- by hand\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- a\n- b\n", "- a ^new1\n- b ^new2\n"),
        (f"- prefers **tabs**\n- Port is 8443. ^{A}\n", f"- prefers **tabs** ^{B}\n- Port is 8443. ^{A}\n"),
        (f"- Port is 9000. ^{A}\n- Port is 8443.\n", f"- Port is 9000. ^{A}\n- Port is 8443. ^new1\n"),
        (f"- x ^{A}\n- y ^{A}\n", f"- x ^{A}\n- y ^new1\n"),
        (f"- x ^{C}\n", "- x ^new1\n"),  # made up
        ("- x ^mine\n", "- x ^mine\n"),
        ("- x ^away\n", "- x ^new1\n"),
        ("- by hand\n", "- by hand\n"),
        ("- By hand!\n", "- By hand! ^new1\n"),
        ("1. a\n2. b", "1. a ^new1\n2. b ^new2"),
        ("- [ ] a\n  more\n  - inner\n\n  far\n- b\n", "- [ ] a\n  more ^new1\n  - inner\n\n  far\n- b ^new2\n"),
        ("- one\n- One.\n- c\n", "- one ^new1\n- c ^new2\n"),
        ("- ```\n  code\n  ```\n- x\n", "- ```\n  code\n  ```\n- x ^new1\n"),
        ("text\n\n- \n", "text\n\n- \n"),
        ("```\n- a\n```\n\n> - b\n", "```\n- a\n```\n\n> - b\n"),
    ],
)
def test_entries_that_stay_keep_their_ids_and_new_ones_get_one(body: str, expected: str) -> None:
    assert stamped(body, OLD, ("away",)) == expected


@given(_BODIES, _BODIES)
def test_no_id_is_given_twice_and_a_stamped_body_stays_as_it_is(body: str, old: str) -> None:
    made = stamped(body, old)
    ids = [item.id for item in items_of(made.encode()) if item.id]
    assert len(ids) == len(set(ids))
    assert stamped(made, made) == made


def test_statements_are_told_from_other_texts() -> None:
    assert wanted("Deploys go out on Tuesdays.\nAlways.") == [Wanted("", "Deploys go out on Tuesdays.\nAlways.")]
    assert wanted("## Patterns\n- a\n* b ^x\n\n# Facts\nc") == [
        Wanted("Patterns", "a"),
        Wanted("Patterns", "b"),
        Wanted("Facts", "c"),
    ]
    for text in ("```\ncode\n```", "- a\n  - b", "First:\n- a", "| a |\n|---|", "> quote", "x" * 2_001, "- a\n\n  b"):
        assert wanted(text) is None
    assert wanted("") == []
