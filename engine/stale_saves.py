"""Stale saves: an editor that saves a buffer opened before a pull must not revert the pull.

The save is committed as it is, so its words are in history. Then what the pull had brought is merged back, from what the buffer had
started from, by a commit of its own that `undo` takes back.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from memtree.engine.repo import Repo
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.check_outs import KEPT, CheckOut
from memtree.engine.store.report import CommitReport
from memtree.engine.store.store import Store
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.settling import settles
from memtree.tree.stale import saved_from_before

_SETTLED_WITHIN = 256 * 1024  # bytes; a person settles callouts in notes, not in logs
_LARGEST = 4 * 1024 * 1024  # bytes; above it no two versions are compared


class StaleSaves:
    """Looks at what captures commit, as long as a check-out of the last hour could matter."""

    def __init__(self, repo: Repo, store: Store, clock: Callable[[], float]) -> None:
        self._repo = repo
        self._store = store
        self._clock = clock
        self._mark = os.path.join(store.places.folder, "capturing")

    def around(self, capture: Callable[[], CommitReport]) -> CommitReport:
        """Run a capture, and merge the saves from before a pull that it committed; one report of both."""
        known = self._known()
        if not known:
            return capture()
        # A kill between the two commits must not leave the pull reverted: the next capture finds this and goes on.
        self._store.files.replace(self._mark, (self._repo.tip(self._store.ref) or "").encode())
        report = self._merged(capture(), known)
        self._store.files.unlink(self._mark)
        return report

    def resume(self) -> None:
        """Do what a killed run had still to do; costs a look at a name."""
        if not os.path.exists(self._mark):
            return
        from memtree.engine.history import writer_of  # after a kill alone

        with open(self._mark, encoding="ascii", errors="replace") as file:
            before = CommitId(file.read())
        tip = self._repo.tip(self._store.ref)
        if tip is not None and tip != before:
            info = self._repo.commit(tip)
            if info.parents == (before,) and writer_of(info) == "editor":
                known = self._known()
                self._merged(CommitReport(before, tip, paths=tuple(known)), known)
        self._store.files.unlink(self._mark)

    def _known(self) -> dict[RepoPath, list[CheckOut]]:
        return self._store.recent.check_outs.since(self._clock() - KEPT)

    def _merged(self, report: CommitReport, known: dict[RepoPath, list[CheckOut]]) -> CommitReport:
        done = report
        for path in report.paths:
            before, saved = self._repo.entry(report.before, path), self._repo.entry(report.after, path)
            if path not in known or before is None or saved is None or before == saved:
                continue
            base = self._base(known[path], saved, before)
            if base is not None:
                # Made once more, just this save is meant: who undoes the merge by hand is not merged with again.
                self._store.recent.check_outs.note([CheckOut(self._clock(), path, saved, saved)])
                message = f"merge a save of {path} from before the pull\n\nMemtree-Writer: editor\n"
                merged = self._store.apply_edits({path: (base, before)}, message=message)
                done = replace(done, after=merged.after, conflicts=(*done.conflicts, *merged.conflicts))
                self._store.said.append(
                    f"{path} was saved from a buffer that was opened before a pull: both were merged "
                    f"(memtree undo {str(merged.after)[:10]} keeps the save as it was; reload the file in the editor)"
                )
        return done

    def _base(self, check_outs: list[CheckOut], saved: Entry, present: Entry) -> Entry | None:
        """What the buffer had started from: what the oldest of the check-outs replaced that it has nothing of."""
        if any(one.replaced == one.arrived == saved for one in check_outs) or self._settles(present, saved):
            return None
        base = None
        for one in check_outs:
            stale = self._is_stale(one, saved, present)
            if stale is None:
                continue
            if not stale:
                break
            base = one.replaced
        return base

    def _settles(self, present: Entry, saved: Entry) -> bool:
        small = present.is_file and saved.is_file and self._repo.size(present.id) <= _SETTLED_WITHIN
        return small and settles(self._repo.blob(present.id), self._repo.blob(saved.id))

    def _is_stale(self, one: CheckOut, saved: Entry, present: Entry) -> bool | None:
        entries = (one.replaced, one.arrived, saved, present)
        try:
            if any(not entry.is_file or self._repo.size(entry.id) > _LARGEST for entry in entries):
                return None
            replaced, arrived, mine, here = (self._repo.blob(entry.id) for entry in entries)
        except MissingObject:
            return None  # purged since
        return saved_from_before(replaced, arrived, mine, here)
