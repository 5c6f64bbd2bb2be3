"""Planner: turns a change into a plan on the present tip. It makes objects, but moves nothing that anybody could see."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from memtree.engine.merge.outcome import Conflict, ConflictKind, MergeRule, second_name
from memtree.engine.repo import ENGINE, Repo
from memtree.engine.store.index_file import IndexFile
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.plan import Layer, Plan, PlanKind, PlannedPath
from memtree.engine.store.working_copy import PathBlocked, WorkingCopy, writes_file
from memtree.tree.objects import FOLDER, GITLINK, CommitId, Entry
from memtree.tree.paths import RepoPath

Edit = tuple[Entry | None, Entry | None]  # what its maker started from, what it wants

MERGE_MESSAGE = "memtree: merge\n\nMemtree-Writer: sync\n"


@dataclass(frozen=True, slots=True)
class Request:
    """A change as its maker meant it. `known` are paths whose content on disk was just read or placed."""

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


@dataclass(frozen=True, slots=True)
class Planned:
    plan: Plan
    conflicts: tuple[Conflict, ...]


class Planner:
    def __init__(
        self, repo: Repo, objects: ObjectWriter, working_copy: WorkingCopy, merge: MergeRule, sign: Callable[[str], str]
    ) -> None:
        self._repo = repo
        self._objects = objects
        self._working_copy = working_copy
        self._merge = merge
        self._sign = sign  # adds this machine's trailers to a message

    def plan(self, request: Request, index: IndexFile) -> Planned:
        """Bring the request's change onto the present tip. Outside edits on its paths become commits below it."""
        old = self._repo.tip(request.ref)
        raced, known = dict(request.raced), dict(request.known)
        while True:
            layers = self._layers(request, index, old, raced, known)
            tip = self._commit_layers(old, layers, request.time)
            results, conflicts = self._results(request, tip, known)
            found = self._unseen(results, tip, raced, known) if request.kind is not PlanKind.CAPTURE else {}
            if not found:
                break
            raced.update(found)
            known.update(found)
        new = self._commit(request, tip, results)
        paths = self._paths(request, index, results, known)
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
        # Edited once more after the first edit had been displaced: that version lies above the first one.
        seen = {p.path: (None, p.result, raced[p.path]) for p in plan.paths if p.path in raced}
        later = {path: known[path] for path, versions in seen.items() if known.get(path) not in versions}
        request = Request(
            kind=plan.kind,
            ref=plan.ref,
            edits=edits,
            message=plan.message,
            time=plan.time,
            theirs=plan.theirs,
            layers=plan.layers,
            raced=raced,
            later=later,
            known=known,
        )
        return self.plan(request, index)

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
            if held.entry not in elsewhere:
                staged[path] = held.entry  # a staged version that exists nowhere else goes into history first
        edits = (("staged edit", staged), ("outside edit", raced), ("outside edit", request.later))
        fresh = [Layer(subject, tuple(entries.items())) for subject, entries in edits]
        return (*request.layers, *(layer for layer in fresh if layer.entries))

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
                # A submodule's folder belongs to the other repository; what is recorded here is taken to be there.
                submodule = here is not None and here.mode == GITLINK and (result is None or result.mode == GITLINK)
                known[path] = here if submodule else copy.look(path).entry
                if known[path] not in (here, result):
                    found[path] = copy.look(path, store=True).entry
            above = copy.obstacle(path) if result is not None else None
            if above is not None and above not in raced and above not in results:
                found[above] = copy.look(above, store=True).entry
                if found[above] is None:
                    raise PathBlocked(above, "a device, pipe or socket")
        return found

    def _file_at(self, commit: CommitId | None, path: str) -> Entry | None:
        entry = self._repo.entry(commit, path)
        return None if entry is not None and entry.mode == FOLDER else entry

    # -- the result
    def _results(
        self, request: Request, tip: CommitId | None, known: Mapping[RepoPath, Entry | None]
    ) -> tuple[dict[RepoPath, Entry | None], tuple[Conflict, ...]]:
        results: dict[RepoPath, Entry | None] = {}
        conflicts: list[Conflict] = []
        seconds: list[tuple[RepoPath, RepoPath, Entry]] = []
        for path, (base, wanted) in request.edits.items():
            if request.kind is PlanKind.CAPTURE and path in known and known[path] == wanted:
                results[path] = wanted  # it stands on the disk already; what the user had staged lies below it in history
                continue
            here = self._file_at(tip, path)
            merged = self._merge(path, base, here, wanted)
            results[path] = merged.entry
            seconds += [(path, name, entry) for name, entry in merged.extra]
            if merged.conflict is not None:
                conflicts.append(merged.conflict)
        # Named last: whether a name is free must not depend on which side of the merge we are.
        for path, name, entry in seconds:
            free = self._free_name(path, name, entry, results, tip)
            results[free] = entry
            conflicts = [replace(c, second=free) if (c.path, c.second) == (path, name) else c for c in conflicts]
        conflicts += self._separate(results, tip)
        return results, tuple(conflicts)

    def _free_name(
        self, path: RepoPath, name: RepoPath, entry: Entry, results: Mapping[RepoPath, Entry | None], tip: CommitId | None
    ) -> RepoPath:
        for candidate in (name, second_name(path, entry, 16), second_name(path, entry, 40)):
            taken = results[candidate] if candidate in results else self._repo.entry(tip, candidate)
            if taken in (None, entry):
                return candidate
        return second_name(path, entry, 40)

    def _separate(self, results: dict[RepoPath, Entry | None], tip: CommitId | None) -> list[Conflict]:
        """Where a file and a folder claim one name, the folder keeps it and the file gets a second name."""
        conflicts = []
        free: set[str] = {""}
        for path in [path for path, entry in results.items() if entry is not None]:
            above = RepoPath(path.folder)
            while above not in free:
                free.add(above)
                entry = results[above] if above in results else self._file_at(tip, above)
                if entry is not None:
                    conflicts.append(self._step_aside(above, entry, results, tip))
                above = RepoPath(above.folder)
            entry = results[path]
            if entry is not None and self._has_files_below(path, results, tip):
                conflicts.append(self._step_aside(path, entry, results, tip))
        return conflicts

    def _step_aside(self, path: RepoPath, entry: Entry, results: dict[RepoPath, Entry | None], tip: CommitId | None) -> Conflict:
        name = self._free_name(path, second_name(path, entry), entry, results, tip)
        results[path] = None
        results[name] = entry
        return Conflict(path, ConflictKind.FILE_AND_FOLDER, name)

    def _has_files_below(self, path: RepoPath, results: Mapping[RepoPath, Entry | None], tip: CommitId | None) -> bool:
        here = self._repo.entry(tip, path)
        if here is None or here.mode != FOLDER:
            return False
        return any(results.get(inner, entry) is not None for inner, entry in self._repo.files(tip, path))

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
    ) -> tuple[PlannedPath, ...]:
        transaction = os.urandom(4).hex()
        planned = []
        for number, (path, result) in enumerate(sorted(results.items(), key=lambda item: (item[1] is not None, item[0]))):
            base, wanted = request.edits.get(path, (None, None))
            derived = path not in request.edits or (base is None and wanted is None)
            held = index.find(path)
            disk = known[path] if path in known else self._working_copy.look(path).entry
            staged = held.entry if held is not None else None
            planned.append(PlannedPath(path, base, wanted, disk, result, staged, f"{transaction}.{number}", derived))
        return tuple(planned)

    def _refuse_blocked(self, paths: tuple[PlannedPath, ...]) -> None:
        going = {p.path for p in paths if p.result is None}
        for planned in paths:
            if planned.result is not None and planned.disk is None and writes_file(planned):
                self._working_copy.refuse_blocked(planned.path, going)
