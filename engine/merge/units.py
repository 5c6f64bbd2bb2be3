"""Which versions of which files are merged with each other, when files and folders may have moved on either side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memtree.engine.merge.moves import moved_along
from memtree.tree.objects import SYMLINK, Change, ChangeKind, Entry
from memtree.tree.paths import RepoPath

Changes = Mapping[RepoPath, Change]


@dataclass(frozen=True, slots=True)
class Unit:
    """One file through the merge: where it ends up, and its three versions. `named_twice` when the sides disagree on its name."""

    path: RepoPath
    base: Entry | None
    one: Entry | None
    two: Entry | None
    named_twice: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """What one side did: its changes by path, the files that moved (old to new), and the folders that did."""

    changes: Changes
    moved: Mapping[RepoPath, RepoPath] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)


def may_have_moved(side: Changes, other: Changes) -> bool:
    """Whether it matters to the merge what this side's deleted files became: the other side touched one of them."""
    added = any(change.kind is ChangeKind.ADDED for change in side.values())
    return added and any(
        change.kind is ChangeKind.DELETED and path in other and (other[path].after is not None or _adds(other))
        for path, change in side.items()
    )


def _adds(side: Changes) -> bool:
    return any(change.kind is ChangeKind.ADDED for change in side.values())


def units(one: Side, two: Side) -> list[Unit]:
    """Every file that a side changed, each once; the order does not depend on which side is which."""
    used: tuple[set[RepoPath], set[RepoPath]] = set(), set()
    found = [*_moved(one, two, used), *_carried(one, two, used[1]), *_carried(two, one, used[0])]
    found += _in_place(one, two, used)
    return sorted(found, key=lambda unit: (unit.path, _rank(unit.base), *sorted((_rank(unit.one), _rank(unit.two)))))


def _rank(entry: Entry | None) -> tuple[int, str]:
    return entry if entry is not None else (0, "")


def _moved(one: Side, two: Side, used: tuple[set[RepoPath], set[RepoPath]]) -> Iterator[Unit]:
    for old in sorted({*one.moved, *two.moved}):
        here, there = one.changes.get(old), two.changes.get(old)
        if here is None or there is None:
            continue  # the other side left it alone: the new name stands by itself
        names = one.moved.get(old, old), two.moved.get(old, old)
        versions = one.changes[names[0]].after, two.changes[names[1]].after
        if None in versions:
            continue  # the other side deleted it, and what has a new name was not deleted
        used[0].update({old, names[0]})
        used[1].update({old, names[1]})
        chosen = min(name for name in names if name != old)
        yield Unit(chosen, here.before, *versions, named_twice=old not in names and names[0] != names[1])
        yield from (Unit(name, None, None, None) for name in sorted({old, *names} - {chosen}))
        yield from (Unit(old, None, side.changes[old].after, None) for side in (one, two) if _is_new(side, old))


def _is_new(side: Side, old: RepoPath) -> bool:
    """Whether something new took the name of a file that moved away."""
    return old in side.moved and side.changes[old].after is not None and old not in side.moved.values()


def _carried(mover: Side, adder: Side, used: set[RepoPath]) -> Iterator[Unit]:
    """New files in a folder that the other side moved go along with it; a link only where it cannot come to leave the workspace."""
    for path, change in adder.changes.items():
        target = moved_along(path, mover.folders) if change.kind is ChangeKind.ADDED and path not in used else None
        is_link = change.after is not None and change.after.mode == SYMLINK
        if target is not None and not (is_link and target.count("/") < path.count("/")):
            used.add(path)
            yield Unit(target, None, None, change.after)
            yield Unit(path, None, None, None)


def _in_place(one: Side, two: Side, used: tuple[set[RepoPath], set[RepoPath]]) -> Iterator[Unit]:
    for path in {*one.changes, *two.changes}:
        pair = [side.changes.get(path) if path not in taken else None for side, taken in zip((one, two), used, strict=True)]
        touched = pair[0] or pair[1]
        if touched is not None:
            versions = [change.after if change is not None else touched.before for change in pair]
            yield Unit(path, touched.before, versions[0], versions[1])
