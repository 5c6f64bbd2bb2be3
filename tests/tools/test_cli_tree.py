"""`memtree tree`: a subcommand a mode, for people and as JSON."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from memtree.engine.memory_tree.modes import MODES
from memtree.tools.commands.tree import tree
from support.cli import memtree
from support.memory_lab import made, note, summarised

FILES = {
    "notes/heron.md": note("# Heron\n\nThe certificate renewal is due in May, says Ada Lovelace.", "2026-03-01"),
    "notes/ada.md": note("Ada Lovelace works with Grace Hopper.", "2026-03-02"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with made(tmp_path, FILES) as workspace:
        summarised(
            workspace, ["notes/heron.md", "notes/ada.md"], "Two of them.", source="notes", span=(1_772_323_200, 1_772_409_600)
        )
    return tmp_path / "w"


def test_without_a_mode_the_modes_are_listed(tmp_path: Path) -> None:
    said = memtree("tree", cwd=tmp_path).out
    assert all(mode.replace("_", "-") in said for mode in MODES)
    assert set(tree.list_commands(click.Context(tree))) == {mode.replace("_", "-") for mode in MODES}


def test_a_walk_shows_places_and_texts(root: Path) -> None:
    said = memtree("tree", "walk", "who", "renews", "the", "certificate", cwd=root)
    assert said.lines[:2] == ["notes/heron.md:5-7  Heron", "    # Heron The certificate renewal is due in May, says Ada Lovelace."]
    assert said.err == ""
    assert memtree("tree", "walk", "zeppelin", cwd=root).out == "Nothing found.\n"


@pytest.mark.parametrize("mode", ["smart-walk", "smart_walk"])
def test_modes_have_dashes_or_underscores(root: Path, mode: str) -> None:
    found = memtree("tree", mode, "certificate", "--json", cwd=root).json
    assert (found["mode"], found["route"], found["total"], found["truncated"]) == ("smart_walk", "dense", 1, False)
    (hit,) = found["hits"]
    assert (hit["path"], hit["lines"], hit["node_id"], hit["node_kind"]) == ("notes/heron.md", "5-7", "notes/heron.md#1", "leaf")
    assert 0.9 < hit["score"] <= 1
    assert hit["time_start_at"] == "2026-03-01T00:00:00Z"
    assert len(hit["commit"]) == 40


def test_every_mode_answers(root: Path) -> None:
    def lines(*words: str) -> list[str]:
        return memtree("tree", *words, cwd=root).lines

    assert lines("search-entities", "hopper")[1].split() == ["name:grace", "hopper", "Grace", "Hopper", "1", "2026-03-02"]
    assert lines("query-source", "--source-id", "notes")[0].endswith("Two of them")
    assert lines("query-global", "certificate")[0] == "notes/heron.md:5-7  Heron"
    assert lines("query-topic", "name:grace", "hopper", "--query", "works")[0] == "notes/ada.md:5-5  ada"
    covered = lines("cover-window", "--since", "2026-02-01", "--until", "2026-04-01")
    assert covered[2].startswith("    summary of 2 children, level 1: ")
    node = covered[2].rpartition(" ")[2]
    assert lines("drill-down", node, "--max-depth", "2")[0] == "notes/heron.md:5-7  Heron"
    assert lines("fetch-leaves", "notes/ada.md", "[[notes/heron]]")[0] == "notes/ada.md:5-5  ada"
    assert lines("list-sources")[1].split()[:4] == ["notes", "document", "2", "2"]


def test_a_document_comes_from_a_file_or_standard_input(root: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Otters hold hands.\n", encoding="utf-8")
    asked = ("tree", "ingest-document", str(page), "--title", "Otters", "--source-id", "x")
    first = memtree(*asked, cwd=root).out
    assert first.startswith("Kept as memory_tree/content/raw/agent/")
    found = memtree(*asked, "--json", cwd=root).json
    assert (found["mode"], found["change"]) == ("ingest_document", "unchanged")
    assert memtree("tree", "walk", "otters", cwd=root).lines[0].startswith(found["path"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("walk", "x", "--limit", "0"), "limit is 0"),
        (("walk", " "), "query is blank"),
        (("walk", "x", "--since", "whenever"), "cannot read 'whenever' as a time"),
        (("walk", "x", "--source", "note"), "there is no source 'note'"),
        (("cover-window",), "since is missing"),
        (("cover-window", "--since", "2026-03-02", "--until", "2026-03-01"), "ends before it begins"),
        (("drill-down", "abc"), "there is no node 'abc'"),
        (("search-entities", "x", "--kind", "people"), "kinds is 'people'"),
        (("query-topic", "zebra:ada"), "no entity's id"),
        (("walks", "x"), "No such command"),
    ],
)
def test_what_cannot_be_used_ends_with_exit_code_2(root: Path, words: tuple[str, ...], said: str) -> None:
    outcome = memtree("tree", *words, cwd=root, code=2)
    assert said in outcome.err
    assert "Traceback" not in outcome.err
