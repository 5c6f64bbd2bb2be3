"""Marker repair: conflict markers that an outside merge left in a commit become what a sync would have made of the two sides.

The commit with the markers stays as it is; the repair is an ordinary commit above it, and travels as one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.merge.files import LARGEST
from memtree.engine.merge.mending import shown_base
from memtree.engine.merge.outcome import Merged
from memtree.engine.repo import CommitInfo, Repo
from memtree.engine.scope import Scope
from memtree.engine.store.planner import Edit
from memtree.engine.store.store import Store
from memtree.engine.tree_diff import diff_commits
from memtree.tree.conflict_markers import OPENING, Region, Side, left_by_merge, regions_in, with_side
from memtree.tree.kinds import is_binary, is_markdown
from memtree.tree.objects import ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath

_MOST_COMMITS = 5000  # looked at in one go, the newest first
_FIRST_TIME = 50  # the same where nothing was ever looked at

Labels = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class _Torn:
    """A file at the tip with the stretches to repair."""

    path: RepoPath
    entry: Entry
    regions: tuple[Region, ...]


class MarkerRepair:
    """Repairs what belongs to the workspace. Remembers the commit up to which everything was looked at."""

    def __init__(self, repo: Repo, store: Store, scope: Callable[[], Scope]) -> None:
        self._repo = repo
        self._store = store
        self._scope = scope
        self._state = os.path.join(store.places.folder, "markers.json")

    def run(self) -> list[str]:
        """Repair what came since the last time; answer with what to tell. Costs one look at a file when nothing came."""
        tip = self._repo.tip(self._store.ref)
        seen = read_state(self._state).get("commit")
        if tip is None or tip == seen:
            return []
        if self._repo.busy_with() or self._repo.head() != self._store.ref:
            return []  # the files are not this branch's now; later
        known = CommitId(seen) if isinstance(seen, str) and self._repo.has_commit(CommitId(seen)) else None
        torn = list(self._torn(tip, known))
        # Somebody is typing there: markers that changed on one side and were repaired on the other do not merge well.
        ready = [one for one in torn if self._store.working_copy.look(one.path).entry == one.entry]
        notes = self._repair(ready) if ready else []
        if ready == torn:
            keep_state(self._state, {"commit": self._repo.tip(self._store.ref)})
        return notes

    # -- finding
    def _torn(self, tip: CommitId, known: CommitId | None) -> Iterator[_Torn]:
        commits = self._repo.walk([tip], hide=[known] if known is not None else [])
        left: dict[RepoPath, set[Labels]] = {}
        scope = self._scope()
        for info in islice(commits, _MOST_COMMITS if known is not None else _FIRST_TIME):
            for path in self._own_changes(info, scope):
                labels = self._left_in(info, path)
                if labels:
                    left.setdefault(path, set()).update(labels)
        for path, labels in sorted(left.items()):
            entry = self._file(tip, path)
            data = self._text(entry)
            regions = tuple(region for region in regions_in(data) if region.labels in labels)
            if entry is not None and regions:
                yield _Torn(path, entry, regions)

    def _own_changes(self, info: CommitInfo, scope: Scope) -> list[RepoPath]:
        """The files that a commit changed against every parent; one that no parent has is new, and no merge left it."""
        if not info.parents:
            return []
        changes = [{one.path: one.kind for one in diff_commits(self._repo, parent, info.id)} for parent in info.parents]
        return [
            path
            for path in changes[0]
            if all(path in others for others in changes)
            and any(others[path] is ChangeKind.MODIFIED for others in changes)
            and scope.holds(path)
            and not is_binary(path)
        ]

    def _left_in(self, info: CommitInfo, path: RepoPath) -> set[Labels]:
        data = self._text(self._file(info.id, path))
        if OPENING not in data:
            return set()
        before = [self._file(parent, path) for parent in info.parents]
        parents = [self._text(entry) for entry in before if entry is not None]
        return {region.labels for region in left_by_merge(data, parents, markdown=is_markdown(path))}

    def _file(self, commit: CommitId, path: RepoPath) -> Entry | None:
        entry = self._repo.entry(commit, path)
        return entry if entry is not None and entry.is_file else None

    def _text(self, entry: Entry | None) -> bytes:
        return self._repo.blob(entry.id) if entry is not None and self._repo.size(entry.id) <= LARGEST else b""

    # -- repairing
    def _repair(self, torn: list[_Torn]) -> list[str]:
        edits: dict[RepoPath, Edit] = {}
        notes: list[str] = []
        for one in torn:
            merged = self._merged(one)
            edits[one.path] = (one.entry, merged.entry)
            edits.update({name: (None, entry) for name, entry in merged.extra})
            notes.append(_told(one.path, merged))
        what = torn[0].path if len(torn) == 1 else f"{len(torn)} files"
        self._store.apply_edits(edits, message=f"repair conflict markers in {what}\n\nMemtree-Writer: sync\n")
        return notes

    def _merged(self, one: _Torn) -> Merged:
        data = self._repo.blob(one.entry.id)

        def version(side: Side) -> Entry:
            return Entry(one.entry.mode, self._store.objects.blob(with_side(data, one.regions, side)))

        return self._store.merge(
            one.path, version(shown_base), version(lambda region: region.ours), version(lambda region: region.theirs)
        )


def _told(path: RepoPath, merged: Merged) -> str:
    conflict = merged.conflict
    how = f"; {conflict.kind.value}" if conflict is not None else ""
    where = f": see {conflict.second}" if conflict is not None and conflict.second is not None else ""
    return f"{path}: the conflict markers that another program's merge left are repaired{how}{where}"
