"""Names for versions that cannot stand where they were: a second version of a file, a file in the way of a folder.

Whether a name is free must not depend on which side of the merge asks: only what the merge holds counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from memtree.engine.merge.outcome import Conflict, ConflictKind, second_name
from memtree.tree.objects import FOLDER, Entry
from memtree.tree.paths import RepoPath

Results = dict[RepoPath, Entry | None]
Second = tuple[RepoPath, RepoPath, Entry]  # the file's path, the name that is wanted, the version


@dataclass(frozen=True, slots=True)
class Present:
    """What stands where the merge changes nothing: `entry` answers for a path (folders too), `files` for what is in a folder."""

    entry: Callable[[str], Entry | None]
    files: Callable[[str], Iterable[tuple[RepoPath, Entry]]]


def place_all(results: Results, seconds: list[Second], conflicts: list[Conflict], present: Present) -> tuple[Conflict, ...]:
    """Give second versions free names and files that claim a folder's name another one; both are added to `results`.

    Answer with the conflicts, the given ones with the names that were found in the end.
    """
    for path, name, entry in seconds:
        free = _free(path, name, entry, results, present)
        results[free] = entry
        conflicts = [replace(one, second=free) if (one.path, one.second) == (path, name) else one for one in conflicts]
    return (*conflicts, *_separate(results, present))


def _free(path: RepoPath, name: RepoPath, entry: Entry, results: Mapping[RepoPath, Entry | None], present: Present) -> RepoPath:
    for candidate in (name, second_name(path, entry, 16), second_name(path, entry, 40)):
        taken = results[candidate] if candidate in results else present.entry(candidate)
        if taken in (None, entry):
            return candidate
    return second_name(path, entry, 40)


def _separate(results: Results, present: Present) -> list[Conflict]:
    """Where a file and a folder claim one name, the folder keeps it and the file gets a second name."""
    conflicts = []
    free: set[str] = {""}
    for path in [path for path, entry in results.items() if entry is not None]:
        above = RepoPath(path.folder)
        while above not in free:
            free.add(above)
            entry = results[above] if above in results else _file(present.entry(above))
            if entry is not None:
                conflicts.append(_step_aside(above, entry, results, present))
            above = RepoPath(above.folder)
        entry = results[path]
        if entry is not None and _has_files_below(path, results, present):
            conflicts.append(_step_aside(path, entry, results, present))
    return conflicts


def _step_aside(path: RepoPath, entry: Entry, results: Results, present: Present) -> Conflict:
    name = _free(path, second_name(path, entry), entry, results, present)
    results[path] = None
    results[name] = entry
    return Conflict(path, ConflictKind.FILE_AND_FOLDER, name)


def _has_files_below(path: RepoPath, results: Mapping[RepoPath, Entry | None], present: Present) -> bool:
    here = present.entry(path)
    if here is None or here.mode != FOLDER:
        return False
    return any(results.get(inner, entry) is not None for inner, entry in present.files(path))


def _file(entry: Entry | None) -> Entry | None:
    return None if entry is not None and entry.mode == FOLDER else entry
