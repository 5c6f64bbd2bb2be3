"""Names for versions that cannot stand where they were: a second version of a file, a file in the way of a folder.

Whether a name is free must not depend on which side of the merge asks: only what the merge holds counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count

from memtree.engine.merge.outcome import Conflict, ConflictKind, second_name
from memtree.tree.objects import FOLDER, Entry, no_folder
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
    names = _Names(results, present)
    for path, name, entry in seconds:
        free = names.free(path, name, entry)
        results[free] = entry
        conflicts = [replace(one, second=free) if (one.path, one.second) == (path, name) else one for one in conflicts]
    return (*conflicts, *(_step_aside(path, names, results) for path in names.clashing()))


class _Names:
    """What stands under a name when the merge is done."""

    def __init__(self, results: Results, present: Present) -> None:
        self._results = results
        self._present = present
        self._folders = _folders(path for path, entry in results.items() if entry is not None)

    def file_at(self, path: RepoPath) -> Entry | None:
        if path in self._results:
            return self._results[path]
        return no_folder(self._present.entry(path))

    def is_folder(self, path: RepoPath) -> bool:
        return path in self._folders or self._keeps_files(path)

    def _keeps_files(self, path: RepoPath) -> bool:
        """Whether the merge leaves files in a folder of that name as they are."""
        here = self._present.entry(path)
        if here is None or here.mode != FOLDER:
            return False
        return any(self._results.get(inner, entry) is not None for inner, entry in self._present.files(path))

    def free(self, path: RepoPath, name: RepoPath, entry: Entry) -> RepoPath:
        """The wanted name, or a longer one where something else has it."""
        longer = (path.beside(f"{entry.id}-{number}") for number in count(2))
        for candidate in chain((name, second_name(path, entry, 16), second_name(path, entry, 40)), longer):
            if self.file_at(candidate) in (None, entry) and not self.is_folder(candidate):
                return candidate
        raise AssertionError("names never end")

    def clashing(self) -> list[RepoPath]:
        """The files that have a folder's name; a new file may stand over an old folder, and an old one over a new folder."""
        changed = (path for path, entry in self._results.items() if entry is not None and self._keeps_files(path))
        return sorted({*(RepoPath(folder) for folder in self._folders if self.file_at(RepoPath(folder)) is not None), *changed})


def _folders(paths: Iterable[RepoPath]) -> set[str]:
    """Every folder above one of the paths."""
    found: set[str] = set()
    for path in paths:
        folder = path.folder
        while folder and folder not in found:
            found.add(folder)
            folder = RepoPath(folder).folder
    return found


def _step_aside(path: RepoPath, names: _Names, results: Results) -> Conflict:
    """Where a file and a folder claim one name, the folder keeps it and the file gets a second name."""
    entry = names.file_at(path)
    assert entry is not None
    name = names.free(path, second_name(path, entry), entry)
    results[path] = None
    results[name] = entry
    return Conflict(path, ConflictKind.FILE_AND_FOLDER, name)
