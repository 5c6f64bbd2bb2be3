"""Planner: turns a change into a plan on the present tip. It makes objects, but moves nothing that anybody could see."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from memtree.engine.incoming import stays_inside
from memtree.engine.merge.names import Present, Results, Second, place_all
from memtree.engine.merge.outcome import Conflict, MergeRule
from memtree.engine.merge.trees import TreeMerger
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.index_file import IndexFile
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.plan import Layer, Plan, PlanKind, PlannedPath, is_submodule, writes_file
from memtree.engine.store.withholding import Holds, NoHolds, SecretWritten, StagedSecret
from memtree.engine.store.working_copy import PathBlocked, WorkingCopy
from memtree.tree.objects import SYMLINK, CommitId, Entry, no_folder
from memtree.tree.paths import RepoPath

Edit = tuple[Entry | None, Entry | None]  # what its maker started from, what it wants

MERGE_MESSAGE = "memtree: merge\n\nMemtree-Writer: sync\n"


@dataclass(frozen=True, slots=True)
class Request:
    """A change as its maker meant it. `known` are paths whose content on disk was just read or placed.

    With `theirs` the change is what merging that commit makes, and `edits` only name paths that are looked at as well.
    """

    kind: PlanKind
    ref: str
    edits: Mapping[RepoPath, Edit]
    message: str
    time: int
    theirs: CommitId | None = None
    layers: tuple[Layer, ...] = ()
    raced: Mapping[RepoPath, Entry | None] = field(default_factory=dict)
    later: Mapping[RepoPath, Entry | None] = field(default_factory=dict)
    known: Mapping[RepoPath, Entry | None] = field(default_factory=dict)
    written: bool = False  # by a writer, from contents that no version holds yet
    journaled: bool = False  # an earlier plan is under way, and can only go forward


@dataclass(frozen=True, slots=True)
class Planned:
    plan: Plan
    conflicts: tuple[Conflict, ...]


class Planner:
    def __init__(
        self,
        repo: Repo,
        objects: ObjectWriter,
        working_copy: WorkingCopy,
        merge: MergeRule,
        trees: TreeMerger,
        sign: Callable[[str], str],
    ) -> None:
        self._repo = repo
        self._objects = objects
        self._working_copy = working_copy
        self._merge = merge
        self._trees = trees
        self._sign = sign  # adds this machine's trailers to a message
        self.holds: Holds = NoHolds()

    def plan(self, request: Request, index: IndexFile) -> Planned:
        """Bring the request's change onto the present tip. Outside edits on its paths become commits below it."""
        old = self._repo.tip(request.ref)
        raced, known = dict(request.raced), dict(request.known)
        while True:
            layers = self._layers(request, index, old, raced, known)
            tip = self._commit_layers(old, layers, request.time)
            results, conflicts = self._results(request, tip, known)
            found: dict[RepoPath, Entry | None] = {}
            left: set[RepoPath] = set()
            if request.kind is not PlanKind.CAPTURE:
                found = self._unseen(results, tip, raced, known)
                left = self._left(results, tip, found, known)
            if not found:
                break
            raced.update(found)
            known.update(found)
        if request.written:
            self._refuse_secrets(results)
        new = self._commit(request, tip, results)
        paths = self._paths(request, index, results, known, left)
        if request.kind is not PlanKind.CAPTURE:
            self._refuse_blocked(paths)
        plan = Plan(
            transaction=os.urandom(6).hex(),
            kind=request.kind,
            ref=request.ref,
            old=old,
            new=new,
            theirs=request.theirs,
            message=request.message,
            time=request.time,
            layers=layers,
            paths=paths,
            maker=f"process {os.getpid()} at {time.time():.0f}",
        )
        return Planned(plan, conflicts)

    def again(
        self, plan: Plan, index: IndexFile, raced: Mapping[RepoPath, Entry | None], known: Mapping[RepoPath, Entry | None]
    ) -> Planned:
        """The same change on a tip that moved, or with outside edits that raced in.

        Paths that only the earlier plan's merge brought forth are planned away first; the new merge may bring them back.
        """
        edits: dict[RepoPath, Edit] = {p.path: (None, None) for p in plan.paths if p.derived}
        edits.update({p.path: (p.base, p.wanted) for p in plan.paths if not p.derived})
        first = {
            p.path: self._upon(plan, p.path, self._below(plan, p.path), p.disk, raced[p.path])
            for p in plan.paths
            if p.path in raced
        }
        # Edited once more after the first edit had been displaced: what was done to our version comes above the first edit.
        seen = {p.path: (p.result, (None, p.result, raced[p.path])) for p in plan.paths if p.path in raced}
        later = {
            path: self._upon(plan, path, first[path], result, known[path])
            for path, (result, versions) in seen.items()
            if known.get(path) not in versions
        }
        request = Request(
            kind=plan.kind,
            ref=plan.ref,
            edits=edits,
            message=plan.message,
            time=plan.time,
            theirs=plan.theirs,
            layers=plan.layers,
            raced={**raced, **first},
            later=later,
            known=known,
            journaled=True,
        )
        return self.plan(request, index)

    def _below(self, plan: Plan, path: RepoPath) -> Entry | None:
        """What the branch and the outside edits known so far hold."""
        found = self._file_at(self._repo.tip(plan.ref), path)
        for layer in plan.layers:
            found = dict(layer.entries).get(path, found)
        return found

    def _upon(self, plan: Plan, path: RepoPath, below: Entry | None, base: Entry | None, edit: Entry | None) -> Entry | None:
        """An outside edit of `base`, which we may have put there ourselves, as it comes to lie above another version in history.

        It must not take back what that version brought, unless it has seen it, as a later save from the same editor has.
        """
        if edit is None or below is None or below == base:
            return edit
        if self._merge(path, self._file_at(plan.old, path), below, edit).entry == edit:
            return edit
        merged = self._merge(path, base, below, edit)
        return edit if merged.extra else merged.entry

    # -- outside edits
    def _layers(
        self,
        request: Request,
        index: IndexFile,
        old: CommitId | None,
        raced: Mapping[RepoPath, Entry | None],
        known: Mapping[RepoPath, Entry | None],
    ) -> tuple[Layer, ...]:
        staged: dict[RepoPath, Entry | None] = {}
        for path, edit in request.edits.items():
            held = index.find(path)
            if held is None or held.unmerged:
                continue
            elsewhere = (self._repo.entry(old, path), raced.get(path), known.get(path), *edit)
            if held.entry not in elsewhere and self._may_be_committed(request, path, held.entry):
                staged[path] = held.entry  # a staged version that exists nowhere else goes into history first
        edits = (("staged edit", staged), ("outside edit", raced), ("outside edit", request.later))
        fresh = [Layer(subject, tuple(entries.items())) for subject, entries in edits]
        return (*request.layers, *(layer for layer in fresh if layer.entries))

    def _may_be_committed(self, request: Request, path: RepoPath, staged: Entry) -> bool:
        reason = self.holds.reason(path, staged)
        if not reason:
            return True
        if not request.journaled and self._working_copy.look(path).entry != staged:
            raise StagedSecret(path, reason)
        return False

    def _refuse_secrets(self, results: Mapping[RepoPath, Entry | None]) -> None:
        """A text that moves between the files of one change is not new."""
        for path, entry in results.items():
            if reason := self.holds.reason(path, entry, results):
                raise SecretWritten(path, reason)

    def _commit_layers(self, old: CommitId | None, layers: tuple[Layer, ...], when: int) -> CommitId | None:
        tip = old
        for layer in layers:
            entries = {path: entry for path, entry in layer.entries if entry != self._repo.entry(tip, path)}
            if entries:
                tree = self._objects.tree(self._repo.tree(tip) if tip is not None else None, entries)
                message = self._sign(f"{layer.subject}\n\nMemtree-Writer: editor\n")
                tip = self._objects.commit(tree, [tip] if tip else [], message, author=self._repo.author(), time=when)
        return tip

    def _unseen(
        self,
        results: Mapping[RepoPath, Entry | None],
        tip: CommitId | None,
        raced: Mapping[RepoPath, Entry | None],
        known: dict[RepoPath, Entry | None],
    ) -> dict[RepoPath, Entry | None]:
        """Outside edits on the result's paths, and files where it needs folders, that the plan does not know yet."""
        found: dict[RepoPath, Entry | None] = {}
        copy = self._working_copy.passing()
        for path, result in results.items():
            if path not in known:
                here = self._file_at(tip, path)
                known[path] = copy.look(path).entry
                if known[path] is None and is_submodule(here):
                    known[path] = here  # its folder belongs to another repository; what is recorded here is taken to be there
                if known[path] not in (here, result):
                    found[path] = copy.look(path, store=True).entry
                    self._refuse_link(path, found[path])
            above = copy.obstacle(path) if result is not None else None
            if above is not None and above not in raced and above not in results:
                found[above] = copy.look(above, store=True).entry
                if found[above] is None:
                    raise PathBlocked(above, "a device, pipe or socket")
                self._refuse_link(above, found[above])
                if reason := self.holds.reason(above, found[above]):
                    raise PathBlocked(above, f"a file that holds {reason}")
        return found

    def _refuse_link(self, path: RepoPath, entry: Entry | None) -> None:
        """A link that a capture would not commit must not be committed either because it is in the way."""
        if entry is not None and entry.mode == SYMLINK:
            target = self._repo.blob(entry.id).decode("utf-8", "surrogateescape")
            if not stays_inside(path, target):
                raise PathBlocked(path, "a symbolic link that leaves the workspace")

    def _left(
        self,
        results: Mapping[RepoPath, Entry | None],
        tip: CommitId | None,
        found: dict[RepoPath, Entry | None],
        known: Mapping[RepoPath, Entry | None],
    ) -> set[RepoPath]:
        """The paths whose edits on disk must not be committed; they are taken out of `found`."""
        left = set()
        for path, result in results.items():
            disk = known.get(path)
            if disk is not None and disk not in (result, self._file_at(tip, path)) and self.holds.withholds(path, disk):
                left.add(path)
                found.pop(path, None)
        return left

    def _file_at(self, commit: CommitId | None, path: str) -> Entry | None:
        return no_folder(self._repo.entry(commit, path))

    # -- the result
    def _results(
        self, request: Request, tip: CommitId | None, known: Mapping[RepoPath, Entry | None]
    ) -> tuple[Results, tuple[Conflict, ...]]:
        if request.theirs is not None:
            merged = self._trees.commits(tip, request.theirs)
            # What an earlier plan placed and the new merge leaves alone goes back to what the branch holds.
            return {path: self._file_at(tip, path) for path in request.edits} | dict(merged.changes), merged.conflicts
        results: Results = {}
        conflicts: list[Conflict] = []
        seconds: list[Second] = []
        for path, (base, wanted) in request.edits.items():
            if request.kind is PlanKind.CAPTURE and path in known and known[path] == wanted:
                results[path] = wanted  # it stands on the disk already; what the user had staged lies below it in history
                continue
            one = self._merge(path, base, self._file_at(tip, path), wanted)
            results[path] = one.entry
            seconds += [(path, name, entry) for name, entry in one.extra]
            conflicts += [one.conflict] if one.conflict is not None else []
        present = Present(partial(self._repo.entry, tip), partial(self._repo.files, tip))
        return results, place_all(results, seconds, conflicts, present)

    def _commit(self, request: Request, tip: CommitId | None, results: Mapping[RepoPath, Entry | None]) -> CommitId:
        theirs = request.theirs
        if theirs is not None and self._repo.contains(theirs, tip):
            return theirs  # nothing of ours is missing there: fast-forward
        base = self._repo.tree(tip) if tip is not None else None
        tree = self._objects.tree(base, results) if results or base is None else base
        if theirs is not None:
            assert tip is not None
            when = max(self._repo.commit(tip).time, self._repo.commit(theirs).time)
            return self._objects.commit(tree, sorted((tip, theirs)), MERGE_MESSAGE, author=ENGINE, time=when)
        if tip is not None and tree == base:
            return tip
        author = self._repo.author()
        return self._objects.commit(tree, [tip] if tip else [], self._sign(request.message), author=author, time=request.time)

    # -- the paths
    def _paths(
        self,
        request: Request,
        index: IndexFile,
        results: Mapping[RepoPath, Entry | None],
        known: Mapping[RepoPath, Entry | None],
        left: set[RepoPath],
    ) -> tuple[PlannedPath, ...]:
        transaction = os.urandom(4).hex()
        planned = []
        for number, (path, result) in enumerate(sorted(results.items(), key=lambda item: (item[1] is not None, item[0]))):
            base, wanted = request.edits.get(path, (None, None))
            derived = path not in request.edits or (base is None and wanted is None)
            held = index.find(path)
            disk = known[path] if path in known else self._working_copy.look(path).entry
            if is_submodule(disk) and result is not None and not is_submodule(result):
                disk = None  # its folder gives way to a file where it is empty
            staged = held.entry if held is not None else None
            temp = f"{transaction}.{number}"
            planned.append(PlannedPath(path, base, wanted, disk, result, staged, temp, derived, path in left))
        return tuple(planned)

    def _refuse_blocked(self, paths: tuple[PlannedPath, ...]) -> None:
        going = {p.path for p in paths if p.result is None and not p.left}
        staying = {p.path for p in paths if p.left}
        for planned in paths:
            if planned.result is not None and planned.disk is None and writes_file(planned):
                for above in staying.intersection(_above(planned.path)):
                    raise PathBlocked(above, "a file with an edit that is held back")
                self._working_copy.refuse_blocked(planned.path, going)


def _above(path: RepoPath) -> Iterator[str]:
    folder = path.folder
    while folder:
        yield folder
        folder = os.path.dirname(folder)
