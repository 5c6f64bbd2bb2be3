"""RepoSource: what an index reads of a repository. It passes the suite that every source and index passes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.files import Durability, Files
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.scope import Scope
from memtree.engine.settings import Settings
from memtree.engine.source import RepoSource
from memtree.engine.store.object_writer import ObjectWriter
from memtree.indexers.base import Index
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.query import Query
from memtree.tree.objects import FILE, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath
from support.gitrepo import START, GitRepo
from support.index_suite import SNAPSHOTS, IndexSuite, Recorder


class Commits(RepoSource):
    """A source that a test can add commits to, as snapshots."""

    def __init__(self, folder: Path) -> None:
        repo = Repo.open(GitRepo(folder).path)
        super().__init__(repo, Scope(Settings()))
        self._objects = ObjectWriter(repo, Files(Durability.FAST))
        self._tips: list[CommitId] = []

    def commit(self, files: Mapping[str, bytes]) -> CommitId:
        entries = {RepoPath(path): Entry(FILE, self._objects.blob(data)) for path, data in files.items()}
        tree = self._objects.tree(None, entries)
        self._tips = [self._objects.commit(tree, self._tips, str(len(self._tips)), author=ENGINE, time=START)]
        return self._tips[0]


class TestSuite(IndexSuite):
    def make_source(self, folder: Path) -> Recorder:
        return Commits(folder)

    def make_index(self, folder: Path) -> Index:
        return FullTextIndex.open(folder, "settings")

    @settings(max_examples=20)
    @given(snapshots=SNAPSHOTS, stops=st.lists(st.booleans(), min_size=6, max_size=6))
    def test_an_incremental_index_equals_a_rebuilt_one(self, snapshots: list[dict[str, bytes]], stops: list[bool]) -> None:
        """Fewer examples than over the source in memory: what is tested here is reading, not the index."""
        IndexSuite.test_an_incremental_index_equals_a_rebuilt_one.hypothesis.inner_test(self, snapshots, stops)  # type: ignore[attr-defined]

    def dump(self, index: Index) -> object:
        queries = ["head", "words", "北京", "long text", "t", "x", "y", "a.md", "broken", "deep", "weird", "图"]
        return [{(hit.path, hit.title, hit.start_line) for hit in index.search(Query(text, limit=1_000))} for text in queries]


def source(git: GitRepo, chosen: Settings | None = None, ignored: tuple[str, ...] = ()) -> RepoSource:
    return RepoSource(Repo.open(git.path), Scope(chosen or Settings(), ignored))


def changes(git: GitRepo, before: str | None, after: str, **scope: Any) -> list[tuple[str, ChangeKind]]:
    found = source(git, **scope).changes(CommitId(before) if before else None, CommitId(after))
    return [(str(change.path), change.kind) for change in found]


def test_only_what_is_in_scope_is_read(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    for path in ("a.md", ".hidden.md", "memtree.toml", "draft.md", "src/x.py", "memory_tree/content/m.md"):
        git.write(path, "x\n")
    tip = git.commit()
    added = ChangeKind.ADDED
    assert changes(git, None, tip, ignored=("draft.md",)) == [
        ("a.md", added),
        ("memory_tree/content/m.md", added),
        ("src/x.py", added),
    ]
    assert changes(git, None, tip, chosen=Settings(capture=())) == [("memory_tree/content/m.md", added)]


def test_a_link_in_place_of_a_file_is_nothing_there(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write("a.md", "x\n")
    git.write("b.md", "x\n")
    os.symlink("a.md", git.path + "/link.md")
    one = git.commit()
    git.remove("a.md")
    os.symlink("b.md", git.path + "/a.md")
    git.remove("link.md")
    git.write("link.md", "a file now\n")
    two = git.commit()
    assert changes(git, None, one) == [("a.md", ChangeKind.ADDED), ("b.md", ChangeKind.ADDED)]
    assert changes(git, one, two) == [("a.md", ChangeKind.DELETED), ("link.md", ChangeKind.ADDED)]


def test_a_changed_mode_is_a_change_of_the_file(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write("a.md", "x\n")
    one = git.commit()
    os.chmod(git.path + "/a.md", 0o755)
    assert changes(git, one, git.commit()) == [("a.md", ChangeKind.MODIFIED)]


def test_a_commit_that_is_not_there_is_told(tmp_path: Path) -> None:
    git = GitRepo(tmp_path)
    git.write("a.md", "x\n")
    tip = git.commit()
    reader = source(git)
    assert reader.has_commit(tip)
    for other in ("0" * 40, "nonsense", "", git.git("rev-parse", "HEAD:a.md")):
        assert not reader.has_commit(other)
    assert reader.blob(git.git("rev-parse", "HEAD:a.md")) == b"x\n"
