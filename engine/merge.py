"""Merging one path that two sides changed: for now both versions are kept, as two files named so that replicas agree.

A rule is a pure function of (path, base, ours, theirs) and symmetric in ours and theirs; a conflict is a value, never an exception.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from memtree.tree.objects import GITLINK, Entry
from memtree.tree.paths import RepoPath


class ConflictKind(enum.Enum):
    BOTH_CHANGED = "both sides changed it; both versions are kept"
    CHANGED_AND_DELETED = "one side deleted it, the other changed it; the change is kept"
    FILE_AND_FOLDER = "one side has a file where the other has a folder; the file was renamed"
    SUBMODULE = "both sides moved the submodule; one commit was chosen"


@dataclass(frozen=True, slots=True)
class Conflict:
    """What a merge could not settle silently. `second` names the file that holds the other version, where there is one."""

    path: RepoPath
    kind: ConflictKind
    second: RepoPath | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome for one path: its entry (None: deleted), further files, and what to report."""

    entry: Entry | None
    extra: tuple[tuple[RepoPath, Entry], ...] = ()
    conflict: Conflict | None = None


MergeRule = Callable[[RepoPath, Entry | None, Entry | None, Entry | None], Merged]


def second_name(path: RepoPath, entry: Entry, digits: int = 8) -> RepoPath:
    """The name of a second version: from its content, so that two machines that resolve apart do not conflict again."""
    return path.beside(entry.id[:digits])


def keep_both(path: RepoPath, base: Entry | None, ours: Entry | None, theirs: Entry | None) -> Merged:
    """Three-way by whole files; where both sides changed one, the smaller blob id keeps the name, the other gets a second file."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is None or theirs is None:
        kept = ours if theirs is None else theirs
        return Merged(kept, conflict=Conflict(path, ConflictKind.CHANGED_AND_DELETED))
    if ours.id == theirs.id:
        changed = [entry for entry in (ours, theirs) if base is None or entry.mode != base.mode]
        return Merged(max(changed))
    if GITLINK in (ours.mode, theirs.mode):
        return Merged(_submodule(ours, theirs), conflict=Conflict(path, ConflictKind.SUBMODULE))
    first, second = sorted((ours, theirs), key=lambda entry: (entry.id, entry.mode))
    name = second_name(path, second)
    return Merged(first, ((name, second),), Conflict(path, ConflictKind.BOTH_CHANGED, name))


def _submodule(ours: Entry, theirs: Entry) -> Entry:
    links = [entry for entry in (ours, theirs) if entry.mode == GITLINK]
    return max(links, key=lambda entry: entry.id)
