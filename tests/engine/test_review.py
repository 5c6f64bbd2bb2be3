"""The review: what is new since the mark, who wrote it, and what happens to a mark that history lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.repo import Repo
from memtree.engine.review import Basis, Review, mark, marked, pending
from memtree.tree.objects import ChangeKind, CommitId
from memtree.tree.words import Mark
from support.gitrepo import GitRepo


@pytest.fixture
def git(tmp_path: Path) -> GitRepo:
    git = GitRepo(tmp_path / "work")
    git.write("a.md", "the old text\nand more of it\nand a third line\n")
    git.write("b.md", "b\n")
    git.commit("root")
    return git


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")


def tip(git: GitRepo, revision: str = "HEAD") -> CommitId:
    return CommitId(git.git("rev-parse", revision))


def look(git: GitRepo, state: str) -> Review:
    return pending(Repo.open(git.path), state, tip(git))


def test_the_first_review_is_everything(git: GitRepo, state: str) -> None:
    review = look(git, state)
    assert (review.since, review.basis) == (None, Basis.FIRST)
    assert [(file.change.path, file.writers, file.commits) for file in review.files] == [
        ("a.md", ("git",), 1),
        ("b.md", ("git",), 1),
    ]


def test_after_the_mark_only_the_news_is_left(git: GitRepo, state: str) -> None:
    mark(state, tip(git))
    assert look(git, state).files == ()
    git.write("a.md", "the new text\nand more of it\nand a third line\n")
    git.commit("edit", trailers={"Memtree-Writer": "archivist"})
    git.move("a.md", "c.md")
    git.commit("move")
    review = look(git, state)
    (file,) = review.files
    assert review.basis is Basis.MARK
    assert (file.change.kind, file.change.path, file.change.old_path) == (ChangeKind.RENAMED, "c.md", "a.md")
    assert (file.writers, file.commits) == (("archivist", "git"), 2)
    assert file.diff is not None
    changed = [line for hunk in file.diff.hunks for line in hunk.lines if line.kind is Mark.CHANGED]
    assert [piece.text for piece in changed[0].pieces] == ["the ", "old", "new", " text\n"]


def test_a_merge_is_not_the_writer_of_what_it_only_brought(git: GitRepo, state: str) -> None:
    mark(state, tip(git))
    git.git("checkout", "-qb", "side")
    git.write("x.md", "x\n")
    git.commit("theirs", trailers={"Memtree-Writer": "facts"})
    git.git("checkout", "-q", "main")
    git.write("y.md", "y\n")
    git.commit("ours", trailers={"Memtree-Writer": "goals"})
    git.merge("side")
    assert [(file.change.path, file.writers, file.commits) for file in look(git, state).files] == [
        ("x.md", ("facts",), 1),
        ("y.md", ("goals",), 1),
    ]


def test_a_rewritten_mark_falls_back_to_what_is_shared(git: GitRepo, state: str) -> None:
    root = tip(git)
    git.write("b.md", "gone\n")
    mark(state, CommitId(git.commit("will be rewritten")))
    git.git("reset", "-q", "--hard", root)
    git.write("b.md", "other\n")
    git.commit("instead")
    review = look(git, state)
    assert (review.since, review.basis) == (root, Basis.REWRITTEN)
    assert [file.change.path for file in review.files] == ["b.md"]


@pytest.mark.parametrize("text", ["", "HEAD", "0" * 40, "é"])
def test_a_lost_mark_falls_back_to_everything(git: GitRepo, state: str, text: str) -> None:
    Path(state).mkdir()
    (Path(state) / "reviewed").write_text(text, encoding="utf-8")
    review = look(git, state)
    assert (review.since, review.basis, len(review.files)) == (None, Basis.LOST, 2)


def test_an_unrelated_mark_falls_back_to_everything(git: GitRepo, state: str) -> None:
    git.git("checkout", "-q", "--orphan", "other")
    other = git.commit("another root")
    git.git("checkout", "-q", "main")
    mark(state, CommitId(other))
    assert look(git, state).basis is Basis.LOST


def test_the_mark_is_kept_whole(git: GitRepo, state: str) -> None:
    assert marked(state) is None
    mark(state, tip(git))
    assert marked(state) == tip(git)
    assert [path.name for path in Path(state).iterdir()] == ["reviewed"]


def test_texts_are_compared_for_as_many_files_as_asked(git: GitRepo, state: str) -> None:
    files = pending(Repo.open(git.path), state, tip(git), diffs=1).files
    assert [file.diff is None for file in files] == [False, True]


def test_a_long_conversation_is_a_heap_below_what_came_of_it(git: GitRepo, state: str) -> None:
    mark(state, tip(git))
    for number in range(1, 10):
        git.write(f"c/episodic/long/{number:06}.md", f"said {number}\n")
    git.write("c/episodic/short/000001.md", "said\n")
    git.write("c/chat/conversations-agent/ab/abc.md", "said again\n")
    git.write("c/recap/long/000001-000009.md", "what it came to\n")
    git.commit("talk")
    review = pending(Repo.open(git.path), state, tip(git), diffs=2, content="c")
    seen = [(file.change.path, file.heap, file.diff is not None) for file in review.files]
    assert seen[:3] == [
        ("c/episodic/short/000001.md", "", True),
        ("c/recap/long/000001-000009.md", "", True),
        ("c/chat/conversations-agent/ab/abc.md", "c/chat/conversations-agent", False),
    ]
    assert seen[3:] == [(f"c/episodic/long/{number:06}.md", "c/episodic/long", False) for number in range(1, 10)]
    assert not any(file.heap for file in look(git, state).files)  # who asks for all of it gets it


def test_a_turn_that_somebody_changed_is_in_no_heap(git: GitRepo, state: str) -> None:
    for number in range(1, 11):
        git.write(f"c/episodic/long/{number:06}.md", f"said {number}\n")
    mark(state, CommitId(git.commit("talk")))
    for number in range(1, 11):
        git.write(f"c/episodic/long/{number:06}.md", f"never said {number}\n")
    git.commit("edited")
    files = pending(Repo.open(git.path), state, tip(git), content="c").files
    assert len(files) == 10
    assert not any(file.heap for file in files)
