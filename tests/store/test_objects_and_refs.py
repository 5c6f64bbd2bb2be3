"""Trees as `git write-tree` makes them, and refs moved by git's own locking protocol."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtree.engine.files import Durability, Files
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.places import Places
from memtree.engine.store.refs import GitLockBusy, HeadMoved, RefMover
from memtree.tree.objects import CommitId, Entry, TreeId
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo

_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
segments = st.sampled_from(("a", "b", "a.b", "a0", "é", "日本", "Z"))
paths = st.lists(segments, min_size=1, max_size=3).map("/".join)
modes = st.sampled_from((0o100644, 0o100755, 0o120000))


@pytest.fixture(scope="module")
def git_repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    return GitRepo(tmp_path_factory.mktemp("objects") / "repo")


def objects(repo: GitRepo) -> ObjectWriter:
    return ObjectWriter(Repo.open(repo.path), Files(Durability.FAST))


def apart(entries: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Without a name that is both a file and a folder: the shorter one stays."""
    return {p: e for p, e in entries.items() if not any(p.startswith(f"{other}/") for other in entries)}


@_SHARED
@given(
    first=st.dictionaries(paths, st.tuples(modes, st.integers(0, 3)), max_size=8).map(apart),
    then=st.dictionaries(paths, st.none() | st.tuples(modes, st.integers(0, 3)), max_size=5),
)
def test_trees_are_the_ones_that_git_writes(
    git_repo: GitRepo, first: dict[str, tuple[int, int]], then: dict[str, tuple[int, int] | None]
) -> None:
    writer = objects(git_repo)
    blobs = [writer.blob(f"content {n}".encode()) for n in range(4)]

    def entry(value: tuple[int, int] | None) -> Entry | None:
        return Entry(value[0], blobs[value[1]]) if value is not None else None

    made = writer.tree(None, {RepoPath(path): entry(value) for path, value in first.items()})
    assert made == written_by_git(git_repo, {path: Entry(mode, blobs[n]) for path, (mode, n) in first.items()})
    model = dict(first)
    changes = {path: value for path, value in then.items() if not any(_clash(path, other) for other in {*model, *then} - {path})}
    for path, value in changes.items():
        model.pop(path, None)
        if value is not None:
            model[path] = value
    changed = writer.tree(made, {RepoPath(path): entry(value) for path, value in changes.items()})
    assert changed == written_by_git(git_repo, {path: Entry(mode, blobs[n]) for path, (mode, n) in model.items()})


def _clash(one: str, two: str) -> bool:
    return one.startswith(f"{two}/") or two.startswith(f"{one}/")


def written_by_git(repo: GitRepo, entries: dict[str, Entry]) -> str:
    env = {"GIT_INDEX_FILE": os.path.join(repo.path, ".git", "other-index")}
    repo.git("read-tree", "--empty", env=env)
    rows = b"".join(f"{entry.mode:o} {entry.id} 0\t{path}\0".encode() for path, entry in entries.items())
    repo.git("update-index", "-z", "--index-info", stdin=rows, env=env)
    return repo.git("write-tree", env=env)


# -- refs


class Refs:
    def __init__(self, path: Path, branch: str) -> None:
        self.git = GitRepo(path, branch=branch)
        self.ref = f"refs/heads/{branch}"
        self.repo = Repo.open(self.git.path)
        self.mover = RefMover(self.repo, Files(Durability.FULL), Places.of(self.repo), timeout=0.1)
        self.tree = TreeId(self.git.git("hash-object", "-w", "-t", "tree", "--stdin"))

    def commit(self, message: str, *parents: CommitId) -> CommitId:
        return self.repo.create_commit(self.tree, parents, message, author=ENGINE, time=1_750_000_000)

    def move(self, old: CommitId | None, new: CommitId) -> None:
        self.mover.move(self.ref, old, new, reason="test", when=1_750_000_000)

    def now(self) -> str:
        return self.git.git("rev-parse", self.ref)


@pytest.mark.parametrize("branch", ["main", "team/notes/mine", "mit-ümlaut"])
def test_a_ref_is_made_and_moved_and_its_log_is_gits(tmp_path: Path, branch: str) -> None:
    refs = Refs(tmp_path / "repo", branch)
    one = refs.commit("one")
    two = refs.commit("two", one)
    refs.move(None, one)  # unborn
    refs.move(one, two)
    assert refs.now() == two
    assert refs.git.git("reflog", "show", "--format=%H %gs", branch).splitlines() == [
        f"{two} memtree: test",
        f"{one} memtree: test",
    ]
    assert refs.git.git("reflog", "show", "--format=%H %gs", "HEAD").splitlines()[0] == f"{two} memtree: test"
    assert refs.git.git("rev-parse", f"{branch}@{{1}}") == one
    refs.git.git("reflog", "expire", "--expire=all", "--all")
    assert refs.git.git("fsck", "--strict") == ""
    assert [name for name in os.listdir(refs.repo.git_folder) if name.endswith(".lock")] == []


def test_a_packed_ref_is_compared_and_moved(tmp_path: Path) -> None:
    refs = Refs(tmp_path / "repo", "main")
    one = refs.commit("one")
    refs.move(None, one)
    refs.git.git("pack-refs", "--all", "--prune")
    assert not os.path.exists(os.path.join(refs.repo.git_folder, refs.ref))
    two = refs.commit("two", one)
    with pytest.raises(HeadMoved):
        refs.move(two, refs.commit("three", two))
    refs.move(one, two)
    assert refs.now() == two
    refs.git.git("pack-refs", "--all")
    refs.git.git("update-ref", refs.ref, one, two)
    refs.move(one, two)
    assert refs.now() == two


def test_a_ref_that_stands_elsewhere_is_not_moved_and_no_lock_is_left(tmp_path: Path) -> None:
    refs = Refs(tmp_path / "repo", "main")
    one = refs.commit("one")
    two = refs.commit("two", one)
    refs.move(None, one)
    refs.git.git("update-ref", refs.ref, two)
    with pytest.raises(HeadMoved) as moved:
        refs.move(one, refs.commit("three", one))
    assert moved.value.now == two
    with pytest.raises(HeadMoved):
        refs.move(None, one)
    assert refs.now() == two
    refs.git.git("update-ref", refs.ref, one)  # takes the lock


def test_a_locked_ref_is_not_moved_and_the_lock_is_left(tmp_path: Path) -> None:
    refs = Refs(tmp_path / "repo", "main")
    one = refs.commit("one")
    refs.move(None, one)
    lock = refs.mover.lock_path(refs.ref)
    with open(lock, "xb"):
        pass
    with pytest.raises(GitLockBusy) as busy:
        refs.move(one, refs.commit("two", one))
    assert busy.value.path == lock
    assert os.path.getsize(lock) == 0
    assert refs.now() == one


def test_a_commit_that_a_person_moved_away_from_is_known_by_the_log(tmp_path: Path) -> None:
    refs = Refs(tmp_path / "repo", "main")
    one = refs.commit("one")
    two = refs.commit("two", one)
    refs.move(None, one)
    assert not refs.mover.was_reached(refs.ref, two)
    refs.move(one, two)
    assert not refs.mover.was_reached(refs.ref, two)
    refs.git.git("update-ref", "-m", "a person's", refs.ref, one)
    assert refs.mover.was_reached(refs.ref, two)
