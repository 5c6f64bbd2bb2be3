"""TreeMerge: two commits merged in memory. Only folders whose ids differ are opened, only files that both sides changed are read.

The result is a function of the three trees: which side is called ours changes nothing of it, only how it is written down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from memtree.engine.merge.moves import folder_moves, moves, replaced
from memtree.engine.merge.names import Present, Results, Second, place_all
from memtree.engine.merge.outcome import Conflict, ConflictKind, MergeRule
from memtree.engine.merge.units import Changes, Side, Unit, may_have_moved, units
from memtree.engine.repo import Repo
from memtree.engine.tree_diff import diff_trees
from memtree.tree.objects import FOLDER, ChangeKind, CommitId, Entry, TreeId, no_folder
from memtree.tree.paths import RepoPath

MakeTree = Callable[[TreeId | None, Mapping[RepoPath, Entry | None]], TreeId]
_DEEPEST = 64  # merge bases of merge bases; deeper crossings take one of them


@dataclass(frozen=True, slots=True)
class TreeMerge:
    """`changes` turn our tree into the merged one, sorted by path."""

    changes: Mapping[RepoPath, Entry | None]
    conflicts: tuple[Conflict, ...] = ()


class TreeMerger:
    """Merges commits by their trees. Makes blobs and, for several merge bases, trees; moves nothing that anybody could see."""

    def __init__(self, repo: Repo, rule: MergeRule, make_tree: MakeTree) -> None:
        self._repo = repo
        self._rule = rule
        self._make_tree = make_tree
        self._bases: dict[tuple[CommitId, CommitId, int], TreeId | None] = {}
        self._last: tuple[tuple[CommitId | None, CommitId], TreeMerge] | None = None

    def commits(self, ours: CommitId | None, theirs: CommitId) -> TreeMerge:
        """What merging `theirs` into `ours` changes; where they have no commit in common, the base is the empty tree."""
        if self._last is None or self._last[0] != (ours, theirs):
            tree = self._repo.tree(theirs)
            if ours is None:
                merged = self.trees(None, None, tree)
            else:
                merged = self.trees(self.base(ours, theirs), self._repo.tree(ours), tree)
            self._last = (ours, theirs), merged
        return self._last[1]

    def base(self, one: CommitId, two: CommitId) -> TreeId | None:
        """The tree both sides started from: the merge base's, or the merge of several ones by these same rules."""
        return self._base(one, two, _DEEPEST)

    def _base(self, one: CommitId, two: CommitId, depth: int) -> TreeId | None:
        key = (min(one, two), max(one, two), depth)  # with the depth: what is known already must not show in the result
        if key not in self._bases:
            found = self._repo.merge_bases(one, two)
            tree = self._repo.tree(found[0]) if found else None
            for other in found[1:] if depth else ():
                shared = self._base(found[0], other, depth - 1)
                tree = self._make_tree(tree, self.trees(shared, tree, self._repo.tree(other)).changes)
            self._bases[key] = tree
        return self._bases[key]

    def trees(self, base: TreeId | None, ours: TreeId | None, theirs: TreeId) -> TreeMerge:
        """Merge three trees; None is the empty one."""
        mine, other = ({change.path: change for change in diff_trees(self._repo, base, side)} for side in (ours, theirs))
        if not mine:
            changes = {path: change.after for path, change in sorted(other.items())}
            return TreeMerge(changes)
        if not other:
            return TreeMerge({})
        found = units(self._side(mine, other, base, ours), self._side(other, mine, base, theirs))
        present = Present(partial(self._repo.entry_in, ours), partial(self._repo.files_in, ours))

        def now(path: RepoPath) -> Entry | None:
            if path in mine:
                return mine[path].after
            return no_folder(present.entry(path))

        results, seconds, conflicts = self._merged(found, lambda path: None if path in mine or path in other else now(path))
        told = place_all(results, seconds, conflicts, present)
        changes = {path: entry for path, entry in sorted(results.items()) if entry != now(path)}
        return TreeMerge(changes, told)

    def _side(self, changes: Changes, other: Changes, base: TreeId | None, tree: TreeId | None) -> Side:
        def is_gone(folder: str) -> bool:
            there = self._repo.entry_in(tree, folder)
            return there is None or there.mode != FOLDER

        homeless = self._left_behind((path for path, c in other.items() if c.kind is ChangeKind.ADDED), base, is_gone)
        moved = replaced(self._repo, changes, other)
        if not homeless and not may_have_moved(changes, other):
            return Side(changes, moved)
        taken = {*moved, *moved.values()}
        moved |= moves(self._repo, (change for path, change in changes.items() if path not in taken))
        return Side(changes, moved, folder_moves(moved, is_gone) if homeless else {})

    def _left_behind(self, added: Iterable[RepoPath], base: TreeId | None, is_gone: Callable[[str], bool]) -> bool:
        """Whether the other side added a file to a folder that this one no longer has."""
        folders: set[str] = set()
        for path in added:
            folder = path.folder
            while folder and folder not in folders:
                folders.add(folder)
                folder = RepoPath(folder).folder
        return any(self._repo.entry_in(base, folder) is not None and is_gone(folder) for folder in sorted(folders))

    def _merged(
        self, found: list[Unit], untouched: Callable[[RepoPath], Entry | None]
    ) -> tuple[Results, list[Second], list[Conflict]]:
        """`untouched` answers with the file that neither side changed."""
        results: Results = {}
        seconds: list[Second] = []
        conflicts: list[Conflict] = []

        def merge(path: RepoPath, base: Entry | None, one: Entry | None, two: Entry | None) -> Entry | None:
            merged = self._rule(path, base, one, two)
            seconds.extend((path, name, entry) for name, entry in merged.extra)
            conflicts.extend([merged.conflict] if merged.conflict is not None else [])
            return merged.entry

        for unit in found:
            before = results[unit.path] if unit.path in results else untouched(unit.path)
            entry = merge(unit.path, unit.base, unit.one, unit.two)
            if before is not None and entry is not None:
                # Two files came to one path: a move on one side, an addition on the other, or a folder moved onto another one.
                entry = merge(unit.path, None, before, entry)
            results[unit.path] = entry if entry is not None else before
            if unit.named_twice:
                conflicts.append(Conflict(unit.path, ConflictKind.RENAMED_TWICE))
        return results, seconds, conflicts
