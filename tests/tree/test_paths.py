"""RepoPath: what may be a path of a workspace, and what another system would make of it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.errors import UserError
from memtree.tree.paths import InvalidPath, RepoPath, fold, portability_warning, refusal, twins

REFUSED = {
    "": "empty",
    "/etc/passwd": "absolute",
    "/": "absolute",
    "..": "'..'",
    "a/../b": "'..'",
    "../a": "'..'",
    ".": "'.'",
    "./a": "'.'",
    "a/./b": "'.'",
    "a//b": "empty part",
    "a/": "empty part",
    "a\nb": "control character",
    "a\x00b": "control character",
    "a\x7fb": "control character",
    "\tx": "control character",
    "caf\udce9.md": "not UTF-8",
    ".git": ".git",
    ".git/config": ".git",
    "sub/.git/hooks/x": ".git",
    ".GIT/config": ".git",
    ".Git": ".git",
    ".git.": ".git",
    ".git ": ".git",
    ".git. .": ".git",
    "git~1": ".git",
    "GIT~1/config": ".git",
    ".g\u200cit/config": ".git",
    "\ufeff.git": ".git",
    ".git\u200d/x": ".git",
}

FINE = [
    "a",
    "a/b.md",
    ".gitignore",
    ".gitattributes",
    ".github/x",
    "git",
    "a.git/x",
    "git~2",
    "...",
    "..a",
    "a..",
    "a b/c d.md",
    " a",
    "a\\b",
    "What?.md",
    "图/北京.md",
    "😀.md",
    "-dash",
    "~",
    "a:b",
    "x" * 4000,
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_could_leave_or_damage_is_refused_with_the_reason(text: str) -> None:
    assert REFUSED[text] in refusal(text)
    with pytest.raises(InvalidPath) as caught:
        RepoPath.parse(text)
    assert isinstance(caught.value, UserError)
    assert (caught.value.text, caught.value.reason) == (text, refusal(text))
    str(caught.value).encode()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", FINE)
def test_everything_else_is_a_path_and_stays_as_it_is(text: str) -> None:
    path = RepoPath.parse(text)
    assert path == text
    assert refusal(path) == ""


@given(st.text())
def test_parsing_answers_or_refuses_and_nothing_else(text: str) -> None:
    reason = refusal(text)
    if reason:
        with pytest.raises(InvalidPath):
            RepoPath.parse(text)
    else:
        parts = RepoPath.parse(text).split("/")
        assert not {"", ".", ".."} & set(parts)
        assert text.encode()


def test_the_parts_of_a_path() -> None:
    path = RepoPath("notes/2024/Plan.MD")
    assert (path.name, path.folder, path.suffix) == ("Plan.MD", "notes/2024", ".md")
    top = RepoPath("README")
    assert (top.name, top.folder, top.suffix) == ("README", "", "")
    assert RepoPath(".hidden").suffix == ""


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("a.md", "a-12ab.md"),
        ("notes/a.tar.gz", "notes/a.tar-12ab.gz"),
        ("notes.v2/README", "notes.v2/README-12ab"),
        (".hidden", ".hidden-12ab"),
        ("notes/.hidden.md", "notes/.hidden-12ab.md"),
    ],
)
def test_a_second_version_stands_beside_the_first(path: str, named: str) -> None:
    assert RepoPath(path).beside("12ab") == named


@given(st.text(st.characters(codec="utf-8", exclude_characters="/\0", min_codepoint=33), min_size=1, max_size=255))
def test_a_second_version_of_any_name_that_a_file_system_holds_is_held_too(name: str) -> None:
    name = name.encode()[:255].decode(errors="ignore")
    second = RepoPath(f"notes/{name}").beside("0123456789abcdef" * 2 + "01234567")
    assert second.folder == "notes"
    assert len(second.name.encode()) <= 255
    assert second.suffix in (RepoPath(name).suffix, "")
    assert "-0123456789abcdef" in second


@pytest.mark.parametrize(
    ("path", "folder", "inside"),
    [
        ("a/b", "a", True),
        ("a/b", "a/b", True),
        ("a/b", "", True),
        ("ab", "a", False),
        ("a", "a/b", False),
        ("a/b", "b", False),
    ],
)
def test_what_lies_within_a_folder(path: str, folder: str, inside: bool) -> None:
    assert RepoPath(path).within(folder) is inside


@pytest.mark.parametrize(
    ("path", "warned"),
    [
        ("notes/a.md", False),
        ("图/北京.md", False),
        ("a b.md", False),
        ("What?.md", True),
        ("a\\b", True),
        ("x/con", True),
        ("CON.md", True),
        ("lpt1/x", True),
        ("console.md", False),
        ("trail ", True),
        ("dot.", True),
        ("dot./x", True),
        (unicodedata.normalize("NFD", "é.md"), True),
        (unicodedata.normalize("NFC", "é.md"), False),
        ("x" * 256, True),
        ("é" * 128, True),
        ("x" * 255, False),
    ],
)
def test_names_that_other_systems_cannot_hold_are_warned_about(path: str, warned: bool) -> None:
    assert bool(portability_warning(path)) is warned


def test_twins_are_names_that_fall_together_elsewhere() -> None:
    composed, decomposed = unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")
    assert fold(composed) == fold(decomposed)
    assert twins(["a.md", "b.md"]) == []
    assert twins(["A.md", "a.md", "b.md"]) == [("A.md", "a.md")]
    assert twins([composed, decomposed]) == [tuple(sorted((composed, decomposed)))]
    assert twins(["Notes/a.md", "notes/b.md"]) == [("Notes", "notes")]
    assert twins(["a.md", "a.md"]) == []
    assert twins([]) == []


@given(st.lists(st.sampled_from(["a", "A", "b", "x/a", "X/a", "x/A", "é", "e\u0301"])))
def test_twins_do_not_depend_on_the_order(paths: list[str]) -> None:
    assert twins(paths) == twins(list(reversed(paths)))
    for group in twins(paths):
        assert len(group) > 1
        assert len({fold(path) for path in group}) == 1


def test_all_folders_above_are_told_from_the_root_on() -> None:
    assert RepoPath("a/b/c.md").above == ["a", "a/b"]
    assert RepoPath("c.md").above == []
