"""Renames: which deleted file became which added one. Identical content decides first, then at least half the lines in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memtree.engine.repo import Repo
from memtree.tree.objects import FOLDER, Change, ChangeKind, CommitId, Entry, pair_renames
from memtree.tree.paths import RepoPath

_ALIKE = 0.5
# Comparing contents costs a read of each. Above this many pairs only files of the same name are compared.
_MOST_PAIRS = 10_000
_MOST_BYTES = 1 << 20


def paired(repo: Repo, changes: list[Change]) -> list[Change]:
    """The same changes, sorted by path, each delete joined with the add that continues it."""
    result = pair_renames(changes)
    gone = [change for change in result if change.kind is ChangeKind.DELETED and _comparable(repo, change.before)]
    if not gone:
        return result
    new = [change for change in result if change.kind is ChangeKind.ADDED and _comparable(repo, change.after)]
    used: set[RepoPath] = set()
    for source, target in _candidates(repo, gone, new):
        if source.path not in used and target.path not in used:
            used.update((source.path, target.path))
            result.append(Change(ChangeKind.RENAMED, target.path, source.before, target.after, source.path))
    kept = [change for change in result if change.kind is ChangeKind.RENAMED or change.path not in used]
    return sorted(kept, key=lambda change: change.path)


def _comparable(repo: Repo, entry: Entry | None) -> bool:
    return entry is not None and entry.is_file and 0 < repo.size(entry.id) <= _MOST_BYTES


def _candidates(repo: Repo, gone: list[Change], new: list[Change]) -> list[tuple[Change, Change]]:
    """Pairs that are alike enough, the best first; at the same likeness the same name wins, then the first by path."""
    same_name = len(gone) * len(new) > _MOST_PAIRS
    bags = _Bags(repo)
    found: list[tuple[float, bool, RepoPath, RepoPath, Change, Change]] = []
    names: dict[str, list[Change]] = {}
    for target in new:
        names.setdefault(target.path.name if same_name else "", []).append(target)
    for source in gone:
        for target in names.get(source.path.name if same_name else "", []):
            score = bags.likeness(source.before, target.after)
            if score >= _ALIKE:
                found.append((-score, source.path.name != target.path.name, source.path, target.path, source, target))
    return [(row[4], row[5]) for row in sorted(found, key=lambda row: row[:4])]


def likeness(repo: Repo, one: Entry | None, two: Entry | None) -> float:
    """The share of the larger file's bytes that stand in lines both have, from 0 to 1."""
    return _Bags(repo).likeness(one, two)


class _Bags:
    """The lines of blobs, counted; each blob is read once."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._known: dict[str, Counter[bytes]] = {}

    def likeness(self, one: Entry | None, two: Entry | None) -> float:
        """The share of the larger file's bytes that stand in lines both have, from 0 to 1."""
        if one is None or two is None:
            return 0.0
        sizes = self._repo.size(one.id), self._repo.size(two.id)
        if min(sizes) < _ALIKE * max(sizes):
            return 0.0
        left, right = self._bag(one.id), self._bag(two.id)
        return sum(len(line) * min(count, right[line]) for line, count in left.items()) / max(sizes)

    def _bag(self, blob: str) -> Counter[bytes]:
        if blob not in self._known:
            self._known[blob] = Counter(self._repo.blob(blob).splitlines(keepends=True))
        return self._known[blob]


def any_deleted(repo: Repo, before: CommitId, after: CommitId) -> bool:
    """Whether `after` lacks a path of `before`. Never opens a folder that is new, so a large import costs nothing."""
    return next(_deleted(repo, repo.tree(before), repo.tree(after)), False)


def _deleted(repo: Repo, before: str, after: str) -> Iterator[bool]:
    if before == after:
        return
    old, new = repo.items(before), repo.items(after)
    for name, entry in old.items():
        there = new.get(name)
        if there is None or (there.mode == FOLDER) is not (entry.mode == FOLDER):
            yield True
        elif entry.mode == FOLDER:
            yield from _deleted(repo, entry.id, there.id)
