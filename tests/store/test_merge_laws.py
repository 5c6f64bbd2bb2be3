"""Keeping both sides: the laws that make replicas agree, for single paths and through the planner."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtree.engine.merge.files import FileMerge
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.index_file import IndexFile
from memtree.engine.store.plan import PlanKind
from memtree.engine.store.planner import Request
from memtree.engine.tree_diff import diff_commits
from memtree.engine.workspace import Options, Workspace
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath
from support.faultscenarios import start

PATH = RepoPath("notes/a.md")
keep_both = FileMerge(str.encode, lambda _: 40, Repo.hash_blob, lambda _: None)
modes = st.sampled_from((0o100644, 0o100755, 0o120000, 0o160000))
entries = st.none() | st.builds(Entry, modes, st.integers(1, 4).map(lambda n: f"{n:040x}"))


@given(entries, entries, entries)
def test_merging_is_symmetric(base: Entry | None, ours: Entry | None, theirs: Entry | None) -> None:
    assert keep_both(PATH, base, ours, theirs) == keep_both(PATH, base, theirs, ours)


@given(entries, entries)
def test_one_changed_side_wins_and_equal_sides_are_the_result(base: Entry | None, side: Entry | None) -> None:
    for merged in (keep_both(PATH, base, side, base), keep_both(PATH, base, base, side), keep_both(PATH, base, side, side)):
        assert (merged.entry, merged.extra, merged.conflict) == (side, (), None)


@given(entries, entries, entries)
def test_no_changed_version_is_dropped(base: Entry | None, ours: Entry | None, theirs: Entry | None) -> None:
    merged = keep_both(PATH, base, ours, theirs)
    kept = {entry.id for entry in (merged.entry, *(entry for _, entry in merged.extra)) if entry is not None}
    gitlink = any(side is not None and side.mode == 0o160000 for side in (ours, theirs))
    for side, other in ((ours, theirs), (theirs, ours)):
        if side not in (None, base) and not (gitlink and other is not None):
            assert side is not None
            assert side.id in kept


names = st.sampled_from(("a.md", "a.md/b.md", "a.md/b.md/c.md", "d/e.md", "d", "d/f.md", "g.md"))
trees = st.dictionaries(names, st.integers(0, 3), max_size=5).map(
    lambda tree: {name: n for name, n in tree.items() if not any(name.startswith(f"{other}/") for other in tree)}
)


class Machine:
    """Plans merges of made-up commits, without moving anything."""

    def __init__(self, folder: str) -> None:
        self.workspace = Workspace.open(start(folder, {}).path, Options())
        self.store = self.workspace.store
        self.blobs = [self.store.objects.blob(f"\0binary {n}\n".encode()) for n in range(6)]
        self.empty = self.workspace.repo.create_tree(None, {})

    def commit(self, tree: dict[str, int], *parents: CommitId) -> CommitId:
        entries = {RepoPath(path): Entry(0o100644, self.blobs[n]) for path, n in tree.items()}
        made = self.store.objects.tree(self.empty, entries)
        return self.workspace.repo.create_commit(made, parents, "made", author=ENGINE, time=1_750_000_000)

    def merge(self, base: CommitId, ours: CommitId, theirs: CommitId) -> CommitId:
        """The merge commit's id, planned on a work tree that stands at `ours`."""
        repo = self.workspace.repo
        edits = {change.path: (change.before, change.after) for change in diff_commits(repo, base, theirs)}
        now = dict(repo.files(ours))
        known = {RepoPath(path): now.get(RepoPath(path)) for path in [*edits, *now]}
        tips = self.store._planner._repo
        request = Request(PlanKind.CHECK_OUT, "refs/heads/merging", edits, "merge", 1_750_000_000, theirs=theirs, known=known)
        self.workspace.git.run("update-ref", request.ref, ours)
        assert tips.tip(request.ref) == ours
        return self.store._planner.plan(request, IndexFile.empty()).plan.new


_machines: dict[str, Machine] = {}


def machine(tmp_path: Path) -> Machine:
    if "one" not in _machines:
        _machines["one"] = Machine(str(tmp_path))
    return _machines["one"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(trees, trees, trees)
def test_two_machines_make_the_same_merge_commit_with_files_and_folders_in_each_others_way(
    tmp_path: Path, base: dict[str, int], ours: dict[str, int], theirs: dict[str, int]
) -> None:
    one = machine(tmp_path)
    root = one.commit({**base, "same.md": 0})
    left, right = one.commit({**ours, "same.md": 0, "left.md": 4}, root), one.commit({**theirs, "same.md": 0, "right.md": 5}, root)
    merged = one.merge(root, left, right)
    assert merged == one.merge(root, right, left)
    result = {path: entry.id for path, entry in one.workspace.repo.files(merged)}
    for tree in (ours, theirs):
        for path, number in tree.items():
            if number not in base.values():  # what a side only moved may hold the other side's edit now
                assert one.blobs[number] in result.values(), f"{path} of a side is lost"
    assert {"same.md", "left.md", "right.md"} <= result.keys()
