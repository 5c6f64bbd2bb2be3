"""Scope: which paths belong to the workspace, by settings and ignore file alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.scope import IGNORE_FILE, ROOT_FILES, TEMPORARY, Scope
from memtree.engine.settings import Settings
from support.gitrepo import GitRepo

EVERYTHING = Settings()
CODE = Settings(capture=())
SOME = Settings(content="brain", capture=("notes/", "*.txt", "!secret.txt", "/top.md"))


@pytest.mark.parametrize(
    ("settings", "path", "held"),
    [
        (EVERYTHING, "any/where.bin", True),
        (CODE, "src/main.py", False),
        (CODE, "memory_tree/content/a.md", True),
        (CODE, "memory_tree/content", False),
        (CODE, "memory_tree/contents/a.md", False),
        (CODE, "memory_tree/other.md", False),
        (CODE, "sub/MEMORY.md", False),
        (SOME, "brain/x", True),
        (SOME, "memory_tree/content/a.md", False),
        (SOME, "notes/deep/a.bin", True),
        (SOME, "deep/notes/a.bin", True),
        (SOME, "a.txt", True),
        (SOME, "secret.txt", False),
        (SOME, "top.md", True),
        (SOME, "deep/top.md", False),
        *((CODE, name, True) for name in ROOT_FILES),
    ],
)
def test_a_path_belongs_by_content_root_root_files_and_patterns(settings: Settings, path: str, held: bool) -> None:
    assert Scope(settings).holds(path) is held


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("a.md", True),
        ("drafts/a.md", False),
        ("deep/drafts/a.md", False),
        ("x.raw", False),
        ("keep.raw", True),
        ("MEMORY.md", False),
    ],
)
def test_the_ignore_file_takes_away_also_from_the_root_files(path: str, held: bool) -> None:
    scope = Scope(EVERYTHING, ("# a comment", "", "  ", "drafts/", "*.raw", "!keep.raw", "/MEMORY.md"))
    assert scope.holds(path) is held


@pytest.mark.parametrize(
    ("path", "searched"),
    [
        ("a.md", True),
        (".hidden.md", False),
        (".obsidian/app.json", False),
        ("a/.b/c.md", False),
        ("memtree.toml", False),
        ("a.b.md", True),
    ],
)
def test_hidden_files_and_the_settings_are_not_searched(path: str, searched: bool) -> None:
    assert Scope(EVERYTHING).indexes(path) is searched


def test_the_fingerprint_tells_what_shapes_an_index() -> None:
    prints = [
        Scope(EVERYTHING).fingerprint,
        Scope(CODE).fingerprint,
        Scope(SOME).fingerprint,
        Scope(EVERYTHING, ("x",)).fingerprint,
        Scope(EVERYTHING, ("y",)).fingerprint,
    ]
    assert len(set(prints)) == len(prints)
    assert Scope(Settings(branch="other")).fingerprint == Scope(EVERYTHING).fingerprint


def test_the_ignore_file_is_read_as_it_is_now(tmp_path: Path) -> None:
    assert Scope.read(str(tmp_path), EVERYTHING).holds("a.md")
    (tmp_path / IGNORE_FILE).write_bytes(b"a.md\r\n\xff\n")
    assert not Scope.read(str(tmp_path), EVERYTHING).holds("a.md")
    (tmp_path / IGNORE_FILE).write_bytes(b"\xef\xbb\xbfa.md\n")
    assert not Scope.read(str(tmp_path), EVERYTHING).holds("a.md")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("drafts/", "drafts/a.md"), ("*.raw", "deep/x.raw"), ("/a/*/c", "a/b/c"), ("**/x", "a/b/x"), ("a/**", "a/b/c"), ("\\#x", "#x"),
     ("[ab].md", "a.md"), ("x ", "x"), ("x\\ ", "x "), ("!x", "x"), ("/", "x"), ("a", "b/a/c")],
)  # fmt: skip
def test_a_pattern_means_what_it_means_to_git(tmp_path: Path, pattern: str, path: str) -> None:
    git = GitRepo(tmp_path)
    git.write(".gitignore", pattern + "\n")
    git.write(path, "x")
    said = subprocess.run(("git", "check-ignore", "-q", path), cwd=tmp_path, check=False).returncode == 0
    assert Scope(EVERYTHING, (pattern,)).holds(path) is not said


def test_every_temporary_name_is_one_to_git_too(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write(".git/info/exclude", "\n".join(TEMPORARY) + "\n")
    for name in ("a.swp", "4913", "a~", ".#a", "#a#", "a.tmp", "a.sb-1", ".~lock.a#", "~$a", ".a.icloud", ".DS_Store", ".trash/a"):
        git.write(f"notes/{name}", "x")
    git.write("notes/a.md", "x")
    git.write("notes/# a heading.md", "x")
    assert sorted(git.git("status", "--porcelain", "-uall").splitlines()) == ['?? "notes/# a heading.md"', "?? notes/a.md"]


@pytest.mark.parametrize(
    ("capture", "folder", "may"),
    [
        (["**"], "any/where", True),
        ([], "memory_tree", True),
        ([], "memory_tree/content/raw", True),
        ([], "src", False),
        ([], "memory_tree_old", False),
        (["notes/"], "src", True),  # `notes/` matches at every depth, as git reads it
        (["/notes/"], "src", False),
        (["docs/notes/*.md"], "docs", True),
        (["docs/notes/*.md"], "docs/notes/deep", True),
        (["docs/notes/*.md"], "docs/other", False),
        (["docs/*/notes/**"], "docs/other", True),
        (["docs/*/notes/**"], "src", False),
        (["*.md"], "src", True),
        (["/docs/a/", "!docs/a/b/"], "src", True),
    ],
)
def test_a_folder_that_can_hold_nothing_need_not_be_looked_into(capture: list[str], folder: str, may: bool) -> None:
    assert Scope(Settings(capture=tuple(capture))).may_hold(folder) is may


@given(st.sampled_from(["**", "notes/", "/notes/", "a/b/", "a/*.md", "*.md", "a/**/b.md", "a/b/c.md", "/c", "!a/b"]), st.data())
def test_no_folder_is_passed_over_that_holds_something(pattern: str, data: st.DataObject) -> None:
    path = "/".join(data.draw(st.lists(st.sampled_from(["a", "b", "c", "notes", "b.md", "c.md"]), min_size=2, max_size=4)))
    scope = Scope(Settings(capture=(pattern,)))
    if scope.holds(path):
        folders = path.split("/")[:-1]
        assert all(scope.may_hold("/".join(folders[:depth])) for depth in range(1, len(folders) + 1))
