"""Comparing trees by subtree id; `git diff-tree` is the oracle."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from memtree.engine.repo import Repo
from memtree.engine.tree_diff import diff_commits
from memtree.engine.window import paths_changed_between
from memtree.tree.objects import ChangeKind, CommitId
from support.gitrepo import START, STEP, GitRepo

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_LETTER = {ChangeKind.ADDED: "A", ChangeKind.DELETED: "D", ChangeKind.MODIFIED: "M"}


@pytest.fixture
def git(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path)


def ours(git: GitRepo, before: str | None, after: str | None, folder: str = "") -> list[str]:
    repo = Repo.open(git.path)
    changes = diff_commits(repo, CommitId(before) if before else None, CommitId(after) if after else None, folder=folder)
    assert [change.path for change in changes] == sorted(change.path for change in changes)
    return sorted(f"{_LETTER[change.kind]}\t{change.path}" for change in changes)


def stock(git: GitRepo, before: str | None, after: str | None, folder: str = "") -> list[str]:
    arguments = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", before or EMPTY_TREE, after or EMPTY_TREE]
    fields = git.git(*arguments, *(["--", folder] if folder else [])).split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return sorted(f"{'M' if letter == 'T' else letter}\t{path}" for letter, path in pairs)


def test_every_kind_of_change_is_what_git_says(git: GitRepo) -> None:
    git.write("same/deep/a.md", "same\n")
    git.write("edited.md", "one\n")
    git.write("deleted.md", "gone\n")
    git.write("run.sh", "x\n")
    git.write("thing", "a file\n")
    git.write("folder/a.md", "a\n")
    git.write("to-link", "x\n")
    one = git.commit()
    git.write("edited.md", "two\n")
    git.remove("deleted.md")
    os.chmod(git.path + "/run.sh", 0o755)
    git.remove("thing")
    git.write("thing/inside.md", "x\n")
    git.remove("folder/a.md")
    os.rmdir(git.path + "/folder")
    git.write("folder", "now a file\n")
    git.remove("to-link")
    os.symlink("edited.md", git.path + "/to-link")
    git.write("new/deep/er.md", "new\n")
    two = git.commit()
    assert ours(git, one, two) == stock(git, one, two)
    assert "M\tto-link" in ours(git, one, two)
    assert {"D\tthing", "A\tthing/inside.md", "D\tfolder/a.md", "A\tfolder"} <= set(ours(git, one, two))
    assert ours(git, two, one) == stock(git, two, one)
    assert ours(git, None, two) == stock(git, None, two)
    assert ours(git, two, None) == stock(git, two, None)
    assert ours(git, two, two) == ours(git, None, None) == []


@pytest.mark.parametrize("folder", ["notes", "notes/a.md", "notes/deep", "nowhere", "note", "notes/a.md/x"])
def test_a_walk_is_limited_to_one_path(git: GitRepo, folder: str) -> None:
    for path in ("notes/a.md", "notes/deep/b.md", "notebook.md", "other/c.md"):
        git.write(path, "1\n")
    one = git.commit()
    for path in ("notes/a.md", "notes/deep/b.md", "notebook.md", "other/c.md"):
        git.write(path, "2\n")
    two = git.commit()
    assert ours(git, one, two, folder) == stock(git, one, two, folder)


def test_random_trees_differ_as_git_says(git: GitRepo) -> None:
    random = Random(7)
    names = ["a", "b.md", "c", "图.md", "Z", "a.b"]
    commits: list[str | None] = [None]
    for _ in range(12):
        for _ in range(random.randint(1, 6)):
            path = "/".join(random.choices(names, k=random.randint(1, 3)))
            full = os.path.join(git.path, path)
            try:
                if os.path.isfile(full) and random.random() < 0.5:
                    git.remove(path)
                else:
                    git.write(path, f"{random.random()}\n")
            except (NotADirectoryError, IsADirectoryError, FileExistsError):
                continue
        commits.append(git.commit())
    for _ in range(30):
        before, after = random.choice(commits), random.choice(commits)
        assert ours(git, before, after) == stock(git, before, after)


def test_an_unchanged_folder_is_never_opened(git: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    git.write("same/a.md", "same\n")
    git.write("changed/a.md", "1\n")
    one = git.commit()
    git.write("changed/a.md", "2\n")
    two = git.commit()
    unchanged = git.git("rev-parse", "HEAD:same")
    opened: list[str] = []
    items = Repo.items
    monkeypatch.setattr(Repo, "items", lambda self, tree: (opened.append(tree), items(self, tree))[1])
    assert ours(git, one, two) == ["M\tchanged/a.md"]
    assert unchanged not in opened


def test_the_paths_of_a_stretch_of_time(git: GitRepo) -> None:
    for name in "abcd":
        git.write(f"{name}.md", name)
        git.commit(name)
    git.remove("a.md")
    git.write("b.md", "again")
    tip = CommitId(git.commit("late"))
    repo = Repo.open(git.path)
    assert paths_changed_between(repo, tip, None, None) == {"a.md", "b.md", "c.md", "d.md"}
    assert paths_changed_between(repo, tip, START + STEP, START + 2 * STEP) == {"b.md", "c.md"}
    assert paths_changed_between(repo, tip, START + 4 * STEP, None) == {"b.md"}
    assert paths_changed_between(repo, tip, None, START) == {"a.md"}
    assert paths_changed_between(repo, tip, START + 5 * STEP, None) == set()


def test_a_commit_of_a_slow_clock_does_not_end_the_search(git: GitRepo) -> None:
    git.write("a.md", "a")
    git.commit("in the window", time=START + 1000)
    git.write("b.md", "b")
    tip = CommitId(git.commit("by a slow clock", time=START - 1000))
    assert paths_changed_between(Repo.open(git.path), tip, START, None) == {"a.md"}
