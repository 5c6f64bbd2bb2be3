"""A node of the summary tree: the same file wherever it is made, read back as it was written, whatever names it is made of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.document import Document
from memtree.tree.generated import Author
from memtree.tree.paths import RepoPath, refusal
from memtree.tree.summary import (
    Child,
    Sealed,
    Summary,
    link_to,
    linked,
    namespace_of,
    node_id_of,
    read_summary,
    rewritten,
    summary_path,
)

NOTES = (Child.leaf(RepoPath("notes/heron.md"), "a" * 40), Child.leaf(RepoPath("notes/otter.txt"), "b" * 40))
LETTERS = st.characters(exclude_categories=("Cs", "Cc"))


def made(
    children: tuple[Child, ...] = NOTES, *, source: str = "notes", title: str = "notes, 2026", prose: str = "It rained."
) -> Summary:
    return Summary(namespace_of(source), 1, children, title, prose, 49_213, Sealed.BUDGET, 1_800_000_000, 1_800_003_600, source)


def test_a_node_is_read_as_it_was_written() -> None:
    summary = made()
    found = read_summary(summary.path(), summary.render(), "c" * 40)
    assert found is not None
    assert (found.node_id, found.namespace, found.level, found.source) == (summary.node_id, "source-notes", 1, "notes")
    assert found.children == ("notes/heron.md", "notes/otter.txt")
    assert (found.time_start, found.time_end, found.tokens, found.sealed) == (1_800_000_000, 1_800_003_600, 49_213, "budget")
    assert (found.title, found.prose, found.blob) == ("notes, 2026", "It rained.", "c" * 40)
    assert found.author is Author.EXTRACTION
    assert found.may_get_better
    assert not found.is_persons


def test_its_header_is_what_obsidian_and_people_read() -> None:
    front = Document.parse(made().render()).front_matter()
    assert front.problem == ""
    assert front.values["children"] == ("[[notes/heron]]", "[[notes/otter.txt]]")
    assert front.text("time_range_start") == "2027-01-15T08:00:00Z"
    assert front.text("child_count") == "2"
    assert front.text("refresh") == "true"


def test_the_id_is_that_of_its_children_in_whatever_order() -> None:
    one, two = (child.identity for child in NOTES)
    assert node_id_of("day", 1, [one, two]) == node_id_of("day", 1, [two, one])
    assert re.fullmatch("[0-9a-f]{32}", node_id_of("day", 1, [one]))
    others = {node_id_of("day", 1, [one]), node_id_of("day", 2, [one]), node_id_of("week", 1, [one]), node_id_of("day", 1, [two])}
    assert len(others) == 4
    edited = (Child.leaf(NOTES[0].path, "d" * 40), NOTES[1])
    assert made(edited).node_id != made().node_id


def test_what_a_person_changed_is_theirs() -> None:
    data = made().render()
    path = made().path()
    text = read_summary(path, data.replace(b"It rained.", b"It poured."))
    tagged = read_summary(path, data.replace(b"refresh: true\n", b"refresh: true\ntags: [rain]\n"))
    windows = read_summary(path, data.replace(b"\n", b"\r\n"))
    assert text is not None
    assert tagged is not None
    assert windows is not None
    assert (text.is_persons, tagged.is_persons, windows.is_persons) == (True, True, False)
    assert not text.may_get_better
    assert not tagged.may_get_better


def test_a_model_writes_the_text_and_nothing_else() -> None:
    data = made().render()
    found = read_summary(made().path(), rewritten(data, "# Rain\n\nIt rained all day.", "made-1"))
    assert found is not None
    assert found.author is Author.MODEL
    assert not found.refresh
    assert found.title == "notes, 2026"
    assert found.prose == "\\# Rain\n\nIt rained all day."
    assert found.children == ("notes/heron.md", "notes/otter.txt")
    assert found.summary_tokens > 0


@pytest.mark.parametrize(
    "path",
    [
        "memory_tree/content/wiki/summaries/day/L1/x.md",
        "memory_tree/content/wiki/summaries/day/L0/" + "a" * 32 + ".md",
        "memory_tree/content/wiki/summaries/" + "a" * 32 + ".md",
        "memory_tree/content/wiki/summaries/day/L1/" + "a" * 32 + ".txt",
        "notes/" + "a" * 32 + ".md",
    ],
)
def test_what_lies_elsewhere_is_no_node(path: str) -> None:
    assert read_summary(RepoPath(path), made().render()) is None


@pytest.mark.parametrize(
    "data", [b"", b"---\n", b"---\nchildren: 5\n---\n", b"---\nchildren: [[a]]\n---\n", b"\xff\xfe\0", b"---\n- a\n---"]
)
def test_a_file_without_children_is_no_node(data: bytes) -> None:
    assert read_summary(made().path(), data) is None


@pytest.mark.parametrize("path", [".md", "notes/.md", ".txt", ".md.md", "]].md", "a|b.md"])
def test_odd_paths_come_back_too(path: str) -> None:
    assert linked(link_to(RepoPath(path))) == path


@given(st.text(LETTERS, min_size=1, max_size=60))
def test_every_path_comes_back_from_its_link(name: str) -> None:
    for path in (name, f"{name}.md", f"notes/{name}.txt", f"{name}.md.md", f"{name}.csv.md"):
        if not refusal(path) and path.lower().endswith((".md", ".txt")):
            assert linked(link_to(RepoPath(path))) == path


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=200))
def test_no_name_breaks_the_header(source: str, title: str, prose: str) -> None:
    """Sources and titles are other people's words: none of them becomes a key, and the text is still what was signed."""
    summary = made(source=source or "x", title=title or "x", prose=prose)
    data = summary.render()
    front = Document.parse(data).front_matter()
    found = read_summary(summary.path(), data)
    assert front.problem == ""
    assert found is not None
    assert found.as_made
    assert found.author is Author.EXTRACTION
    assert len(found.children) == 2
    again = read_summary(summary.path(), rewritten(data, prose, "made-1"))
    assert again is not None
    assert again.author is Author.MODEL
    assert again.as_made


@given(st.lists(st.text(max_size=40), unique=True, max_size=6))
def test_sources_have_trees_of_their_own_with_names_for_every_file_system(sources: list[str]) -> None:
    names = [namespace_of(source) for source in sources]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert re.fullmatch(r"source-[a-z0-9._-]+", name)
        assert not name.endswith(".")
        assert read_summary(summary_path(name, 1, "a" * 32), made().render()) is not None
