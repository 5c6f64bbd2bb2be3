"""A search as it was typed: what its words, times and folders mean, and what is said beside the hits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.asked import KINDS, MODES, Asked, answer, asked
from memtree.engine.typed_paths import OutsideWorkspace
from memtree.engine.when import UnknownTime
from memtree.engine.workspace import Workspace
from memtree.indexers.query import Mode
from memtree.tree.kinds import Kind

NOON = 1_750_000_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace without a model, in which only words count."""
    folder = tmp_path_factory.mktemp("asked") / "w"
    for name, text in {
        "memtree.toml": 'durability = "fast"\n[embedding]\nmodel = "none"\n[search]\nmode = "text"\n',
        "projects/heron.md": "# Heron\n\nThe certificate is due in May.\n",
        "projects/more/ibis.md": "# Ibis\n\nNo certificate yet.\n",
        "tern.md": "# Tern\n\nA certificate for the tern.\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Workspace.init(str(folder))[0] as opened:
        opened.save("start")
        yield opened


def paths(workspace: Workspace, folder: str, cwd: str = "") -> set[str]:
    found = answer(workspace, Asked(("certificate",), folder=folder, cwd=str(Path(workspace.root, cwd))))
    return {str(hit.path) for hit in found.hits}


@pytest.mark.parametrize(
    ("folder", "cwd", "names"),
    [
        ("", "projects", {"heron", "ibis", "tern"}),
        ("projects", "", {"heron", "ibis"}),
        ("projects/", "", {"heron", "ibis"}),
        ("more", "projects", {"ibis"}),
        (".", "projects", {"heron", "ibis"}),
        ("..", "projects", {"heron", "ibis", "tern"}),
        ("projects", "projects/more", {"heron", "ibis"}),  # from the root, as it is not below the current folder
        ("projects/*.md", "projects/more", {"heron"}),
        ("tern.md", "", {"tern"}),
        ("nowhere/", "", set()),
    ],
)
def test_a_folder_counts_from_the_current_one_and_a_glob_from_the_root(
    workspace: Workspace, folder: str, cwd: str, names: set[str]
) -> None:
    assert {Path(path).stem for path in paths(workspace, folder, cwd)} == names


def test_a_folder_outside_is_refused(workspace: Workspace) -> None:
    with pytest.raises(OutsideWorkspace):
        paths(workspace, "../..")


def test_words_are_one_query_in_the_settings_mode(workspace: Workspace) -> None:
    found = answer(workspace, Asked(("tern", "certificate"), limit=1))
    assert (found.text, found.commit, found.remarks) == ("tern certificate", workspace.repo.tip("HEAD"), ())
    assert [hit.path for hit in found.hits] == ["tern.md"]


def test_what_a_capture_left_to_be_known_comes_first(workspace: Workspace) -> None:
    found = answer(workspace, Asked(("tern",), mode=Mode.VECTOR), capture=False, remarks=["not committed"])
    assert found.remarks == ("not committed", "nothing is found by meaning: embedding.model in memtree.toml is none")


def test_an_edit_is_found_where_it_is_captured(workspace: Workspace) -> None:
    path = Path(workspace.root, "late.md")
    path.write_text("A kingfisher.\n")
    question = Asked(("kingfisher",))
    assert answer(workspace, question, capture=False).hits == ()
    assert [hit.path for hit in answer(workspace, question).hits] == ["late.md"]


def test_what_was_typed_is_read() -> None:
    assert asked(("a", "b"), NOON) == Asked(("a", "b"))
    found = asked(
        ("a",), NOON, limit=3, kinds=("note", "wiki"), folder="f", since="1h", until="2025-06-15", mode="text", cwd="/here"
    )
    assert (found.limit, found.kinds, found.folder, found.mode, found.cwd) == (3, (Kind.NOTE, Kind.WIKI), "f", Mode.TEXT, "/here")
    assert found.since == NOON - 3600
    assert asked(("a",), NOON, since="2025-06-15").since == (found.until or 0) - 86_399  # a day ends with its last second
    assert asked(("a",), NOON, since="", until="", mode="") == Asked(("a",))


def test_a_time_that_is_none_is_refused() -> None:
    for limits in ({"since": "whenever"}, {"until": "whenever"}):
        with pytest.raises(UnknownTime):
            asked(("a",), NOON, **limits)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "narrowed"),
    [
        ({}, False),
        ({"limit": 1}, False),
        ({"kinds": ("note",)}, True),
        ({"folder": "f"}, True),
        ({"since": "1970-01-01T00:00Z"}, True),
        ({"until": "1d"}, True),
    ],
)
def test_only_limits_can_hide_something(limits: dict[str, object], narrowed: bool) -> None:
    assert asked(("a",), NOON, **limits).narrowed is narrowed  # type: ignore[arg-type]


def test_what_can_be_typed_is_every_kind_and_mode() -> None:
    assert [Kind(kind) for kind in KINDS] == list(Kind)
    assert [Mode(mode) for mode in MODES] == list(Mode)
