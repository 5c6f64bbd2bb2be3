"""Store: the one place where refs move and files change, by a protocol that survives a kill at every step.

Order: write lock, recover, heal, index.lock, objects, staged contents, journal, files, index, ref, journal away, index.lock away.
Index before ref: `git commit` reads HEAD and index before it locks; with the ref first a git in between would silently revert us.
The normal run and recovery execute the same `_apply`; every one of its steps may be repeated.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from memtree.engine.files import Files
from memtree.engine.git import NO_HOOKS, Git
from memtree.engine.locks import WriteLock
from memtree.engine.merge.files import FileMerge
from memtree.engine.merge.outcome import ContentRule
from memtree.engine.merge.trees import TreeMerge, TreeMerger
from memtree.engine.repo import Repo
from memtree.engine.store.displaced import Displaced, LateWrites, Temps
from memtree.engine.store.filters import Filters
from memtree.engine.store.git_index import GitIndex
from memtree.engine.store.healing import Healing
from memtree.engine.store.index_file import Replacement
from memtree.engine.store.object_writer import ObjectWriter
from memtree.engine.store.places import Places
from memtree.engine.store.plan import Plan, PlanKind, decode, encode, is_submodule, writes_file
from memtree.engine.store.planner import Edit, Planned, Planner, Request
from memtree.engine.store.recent import Recent
from memtree.engine.store.refs import HeadMoved, RefMover
from memtree.engine.store.report import CommitReport, GitBusy, TooManyRaces, WrongBranch
from memtree.engine.store.staged import staged_later, staged_since
from memtree.engine.store.withholding import Holds, give_back
from memtree.engine.store.working_copy import PathBlocked, WorkingCopy
from memtree.tree.errors import StateError
from memtree.tree.objects import FILE, GITLINK, CommitId, Entry, no_folder
from memtree.tree.paths import RepoPath

_MAX_RACES = 50
_BULK = 300  # paths; from here on files are synced all at once before the journal, and moves before the ref


@dataclass(slots=True)
class Store:
    """Owns the write side of a workspace's repository. Safe to use from several threads and processes."""

    repo: Repo
    files: Files
    places: Places
    git: Git
    ref: str
    rule_for: Callable[[RepoPath], ContentRule | None]
    sign: Callable[[str], str]
    clock: Callable[[], float] = time.time
    lock_timeout: float = 30.0
    git_lock_timeout: float = 10.0
    said: list[str] = field(default_factory=list)  # what recovery and healing did, for the user
    filters: Filters = field(init=False)
    objects: ObjectWriter = field(init=False)
    working_copy: WorkingCopy = field(init=False)
    merge: FileMerge = field(init=False)
    trees: TreeMerger = field(init=False)
    recent: Recent = field(init=False)
    displaced: Displaced = field(init=False)
    _planner: Planner = field(init=False)
    _temps: Temps = field(init=False)
    _healing: Healing = field(init=False)
    _refs: RefMover = field(init=False)
    git_index: GitIndex = field(init=False)

    def __post_init__(self) -> None:
        self.filters = Filters(self.repo, self.git)
        self.objects = ObjectWriter(self.repo, self.files)
        self.working_copy = WorkingCopy(self.repo, self.files, self.filters, self.places, self.objects)
        self.recent = Recent(self.places.recent, self.files)
        self.displaced = Displaced(self.places.displaced, self.files, self.clock)
        self.merge = FileMerge(self.repo.blob, self.repo.size, self.objects.blob, self.rule_for)
        self.trees = TreeMerger(self.repo, self.merge, self.objects.tree)
        self._planner = Planner(self.repo, self.objects, self.working_copy, self.merge, self.trees, self.sign)
        self.git_index = GitIndex(self.files, self.places, self.git_lock_timeout)
        self._temps = Temps(self.places, self.files, self.displaced, self.working_copy)
        self._healing = Healing(self.repo, self.ref, self.git_index, self.recent, self.working_copy, self.clock)
        self._refs = RefMover(self.repo, self.files, self.places, timeout=self.git_lock_timeout)

    # -- operations
    def write(
        self,
        contents: Mapping[RepoPath, bytes | None] | Callable[[], Mapping[RepoPath, bytes | None]],
        *,
        message: str,
        bases: Mapping[RepoPath, Entry | None] | None = None,
    ) -> CommitReport:
        """Commit a writer's contents (None deletes) and bring them to the files; a function is asked for them under the lock.

        `bases` says what the writer had read; without it the present tip. Outside edits on the same paths are committed first and
        merged with, never overwritten. The contents are a file's bytes: a path's git filter is applied to them.
        """

        def request() -> Request:
            tip = self.repo.tip(self.ref)
            edits: dict[RepoPath, Edit] = {}
            for path, data in (contents() if callable(contents) else contents).items():
                base = bases[path] if bases is not None and path in bases else self._present(tip, path)
                mode = base.mode if base is not None and base.is_file else FILE  # text in place of a link is no link
                edits[path] = (base, Entry(mode, self.working_copy.stored(path, data, keep=True)) if data is not None else None)
            return replace(self._request(PlanKind.WRITE, edits, message), written=True)

        return self._transact(request)

    def _present(self, tip: CommitId | None, path: RepoPath) -> Entry | None:
        """What a writer's contents take the place of; a folder is not one of those. Raise PathBlocked for a submodule."""
        if (entry := self._file_at(tip, path)) is not None and entry.mode == GITLINK:
            raise PathBlocked(path, "a submodule")
        return entry

    def _file_at(self, tip: CommitId | None, path: RepoPath) -> Entry | None:
        return no_folder(self.repo.entry(tip, path))

    def restore(self, entries: Mapping[RepoPath, Entry | None], *, message: str) -> CommitReport:
        """Commit entries that the repository already holds (an older version), and bring them to the files."""

        def request() -> Request:
            # From what is on disk: an unsaved edit becomes a commit below, and the restored version is what the path holds.
            edits: dict[RepoPath, Edit] = {
                path: (self.working_copy.look(path, store=True).entry, entry) for path, entry in entries.items()
            }
            return self._request(PlanKind.WRITE, edits, message)

        return self._transact(request)

    def apply_edits(self, edits: Mapping[RepoPath, Edit], *, message: str) -> CommitReport:
        """Bring changes (from -> to, entries the repository holds) onto the present tip, merging where it moved on."""
        return self.apply_found(lambda: edits, message)

    def bring_in(self, edits: Callable[[], Mapping[RepoPath, Edit]], *, message: str) -> CommitReport:
        """Merge what is on disk, as changes of versions that the tip has left behind. `edits` is asked under the lock."""

        def request() -> Request:
            found = dict(edits())
            return self._request(PlanKind.WRITE, found, message, known={path: edit[1] for path, edit in found.items()})

        return self._transact(request)

    def apply_found(self, edits: Callable[[], Mapping[RepoPath, Edit]], message: str) -> CommitReport:
        """The same, with edits that are asked for under the lock."""
        return self._transact(lambda: self._request(PlanKind.WRITE, dict(edits()), message))

    def capture(self, paths: Callable[[], Mapping[RepoPath, Entry | None]], *, message: str | Callable[[], str]) -> CommitReport:
        """Commit what is on disk. `paths` is asked under the lock and answers with the stored entries, then the message is."""

        def request() -> Request | None:
            tip = self.repo.tip(self.ref)
            pairs = {path: (self.repo.entry(tip, path), entry) for path, entry in paths().items()}
            edits: dict[RepoPath, Edit] = {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}
            if not edits:
                return None
            said = message if isinstance(message, str) else message()
            return self._request(PlanKind.CAPTURE, edits, said, known={path: edit[1] for path, edit in edits.items()})

        return self._transact(request)

    def check_out(self, theirs: CommitId, check: Callable[[CommitId | None, TreeMerge], None]) -> CommitReport:
        """Merge `theirs` into the branch. `check` sees, under the lock, what that changes on the tip, and may raise."""

        def request() -> Request | None:
            tip = self.repo.tip(self.ref)
            if self.repo.contains(tip, theirs):
                return None
            merged = self.trees.commits(tip, theirs)
            check(tip, merged)
            edits = {path: (self._file_at(tip, path), entry) for path, entry in merged.changes.items()}
            return self._request(PlanKind.CHECK_OUT, edits, "memtree: merge", theirs=theirs)

        return self._transact(request)

    def withhold(self, holds: Holds) -> None:
        """Say which edits must not be committed; their files are left alone when the branch moves on."""
        self._planner.holds = holds

    def recover(self) -> None:
        """Finish what a killed run left behind, and bring late edits back; cheap when there is nothing."""
        if self.leftovers():
            with self._lock().held():
                self._recover()
        LateWrites(self.repo, self.displaced, self.working_copy, self._planner.holds).bring_back(self.apply_found, self.said)

    def leftovers(self) -> bool:
        """Whether a killed run (or one that runs right now) left something to look at."""
        places = self.places
        marks = (places.journal, places.journal + ".new", places.index_new, places.index_full, places.ref_new)
        return any(os.path.lexists(path) for path in marks) or bool(self._temps.all())

    def lock_holder(self) -> str:
        """Who is writing right now, or ''."""
        return self._lock().holder()

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the write lock for maintenance, with everything recovered."""
        with self._lock().held():
            self._recover()
            yield

    # -- the transaction
    def _lock(self) -> WriteLock:
        self.places.make()
        return WriteLock(self.places.write_lock, self.lock_timeout)

    def _request(
        self,
        kind: PlanKind,
        edits: Mapping[RepoPath, Edit],
        message: str,
        *,
        theirs: CommitId | None = None,
        known: Mapping[RepoPath, Entry | None] | None = None,
    ) -> Request:
        return Request(kind, self.ref, edits, message, int(self.clock()), theirs=theirs, known=known or {})

    def _transact(self, make: Callable[[], Request | None]) -> CommitReport:
        with self._lock().held():
            self.filters.refresh()
            self._recover()
            self.git_index.take_lock()
            try:
                self._ready(self.ref)
                request = make()
                if request is None or (not request.edits and request.theirs is None):
                    self.git_index.drop_lock()
                    tip = self.repo.tip(self.ref)
                    return CommitReport(tip, tip)
                planned = self._planner.plan(request, self.git_index.load())
                if planned.plan.new == planned.plan.old and all(p.disk == p.result or p.left for p in planned.plan.paths):
                    self.git_index.drop_lock()
                    return CommitReport(planned.plan.old, planned.plan.old)
                self._commit_to(planned.plan)
            except BaseException:
                self.git_index.drop_lock()
                self._temps.clean()
                raise
            # From here an exception leaves everything to recovery: the journal only rolls forward.
            return self._apply(planned, recovering=False)

    def _commit_to(self, plan: Plan) -> None:
        """Stage the contents, bring all to the disk, write the journal: the point of no return."""
        if plan.kind is not PlanKind.CAPTURE:
            staged = [p for p in plan.paths if p.result is not None and not is_submodule(p.result) and writes_file(p)]
            if len(staged) >= _BULK:
                self.working_copy.stage_all(staged, self.files.unsynced())
                self.files.sync_all(self.places.temps)
            else:
                for planned in staged:
                    self.working_copy.stage(planned)
                self.files.sync_folder(self.places.temps)
        self.objects.sync()
        self.files.replace(self.places.journal, encode(plan))

    def _apply(self, planned: Planned, *, recovering: bool) -> CommitReport:
        """Roll a plan forward: files, index, ref. Races make a new plan, a kill makes another process run this again."""
        first, plan = planned.plan.old, planned.plan
        outside: dict[RepoPath, None] = {}
        for _ in range(_MAX_RACES):
            tip = self.repo.tip(plan.ref)
            done = self._ref_done(plan, tip)
            if not done and recovering and self._refs.was_reached(plan.ref, plan.new):
                break  # a person moved the branch away from our commit since: not done again
            if not done or plan.new == plan.old:
                raced, known = self._place(plan)
                staged = recovering and staged_since(plan, self.git_index.load(), partial(self.repo.entry, tip))
                if raced or staged or tip != plan.old:
                    outside.update(dict.fromkeys(raced))
                    planned = self._plan_again(plan, raced, known)
                    plan = planned.plan
                    continue
            self._write_index(plan, keep_staged=done)
            if not done:
                try:
                    self._refs.move(plan.ref, plan.old, plan.new, reason=plan.kind.value, when=plan.time)
                except HeadMoved:
                    planned = self._plan_again(plan, {}, {})
                    plan = planned.plan
                    continue
            break
        else:
            raise TooManyRaces
        self._finish(plan)
        edited = {path for layer in plan.layers for path, _ in layer.entries}
        return CommitReport(
            first, plan.new, planned.conflicts, tuple(p.path for p in plan.paths), tuple(sorted({*outside, *edited}))
        )

    def _ref_done(self, plan: Plan, tip: CommitId | None) -> bool:
        if tip == plan.new:
            return True
        return tip is not None and tip != plan.old and self.repo.contains(tip, plan.new)

    def _place(self, plan: Plan) -> tuple[dict[RepoPath, Entry | None], dict[RepoPath, Entry | None]]:
        """Bring the contents under their paths; answer with the edits that raced in and what is on disk now."""
        raced: dict[RepoPath, Entry | None] = {}
        known: dict[RepoPath, Entry | None] = {}
        if plan.kind is PlanKind.CAPTURE:
            return raced, {p.path: self.working_copy.look(p.path).entry for p in plan.paths} if self.repo.tip(
                plan.ref
            ) != plan.old else known
        bulk = len(plan.paths) >= _BULK
        copy = self.working_copy.passing(self.files.unsynced()) if bulk else self.working_copy
        for planned in plan.paths:
            found = copy.place(planned)
            placed = planned.disk if planned.left else planned.result
            known[planned.path] = placed if found is None else found.disk
            if found is not None:
                raced[planned.path] = found.edit
        if bulk:
            self.files.sync_all(self.repo.folder)
        return raced, known

    def _plan_again(self, plan: Plan, raced: Mapping[RepoPath, Entry | None], known: Mapping[RepoPath, Entry | None]) -> Planned:
        now = {p.path: self.working_copy.look(p.path).entry for p in plan.paths} | dict(known)
        committed = give_back(self._planner.holds, self.working_copy, self.files, plan, raced, now)
        planned = self._planner.again(plan, self.git_index.load(), committed, now)
        self._commit_to(planned.plan)
        for old in plan.paths:
            self._temps.put_aside(old, raced.get(old.path, old.disk))
        return planned

    # -- the index
    def _write_index(self, plan: Plan, *, keep_staged: bool) -> None:
        index = self.git_index.load()
        changes: dict[str, Replacement] = dict(self._healing.stale(index))
        copy = self.working_copy.passing()
        for planned in plan.paths:
            if keep_staged and staged_later(planned, index, partial(self.repo.entry, plan.old)):
                continue
            disk = copy.look(planned.path)
            changes[planned.path] = Replacement(planned.result, disk.stat if disk.entry == planned.result else None)
        self.git_index.install(changes)

    def _ready(self, ref: str) -> None:
        """The files must be this branch's: on another branch, or inside a merge of the user's, everything waits."""
        busy = self.repo.busy_with()
        if busy:
            raise GitBusy(busy)
        head = self.repo.head()
        if head != ref:
            raise WrongBranch(ref, head)

    # -- recovery
    def _recover(self) -> None:
        """Under the write lock: whoever made anything found here is dead."""
        self._refs.drop_lock(self.ref)
        plan = self._read_journal()
        if plan is None:
            if self.leftovers():
                self.git_index.drop_lock()
                self._temps.clean()
            self._healing.heal(self.said)
            return
        self._refs.drop_lock(plan.ref)
        try:
            self._ready(plan.ref)  # not the branch of the settings, which may be another one by now
            self.git_index.take_lock()
            self._ready(plan.ref)
        except StateError:
            self.git_index.drop_lock()  # the way back to the plan's branch is a git command, which needs the lock
            raise
        report = self._apply(Planned(plan, ()), recovering=True)
        self.said.append(f"finished a {plan.kind.value} of {len(report.paths)} files that {plan.maker} left unfinished")

    def _read_journal(self) -> Plan | None:
        try:
            with open(self.places.journal, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None
        return decode(data, self.places.journal)

    def _finish(self, plan: Plan) -> None:
        self.recent.note(plan, self.clock(), partial(self.repo.entry, plan.old))
        for planned in plan.paths:
            self._temps.put_aside(planned, planned.disk)
        self.files.unlink(self.places.journal)
        self.files.sync_folder(self.places.folder)
        self.git_index.drop_lock()
        self._temps.clean()
        if self.displaced.overdue():
            self.displaced.drop()

    # -- care
    def refresh_index_times(self, *, force: bool = False) -> None:
        """Let git compare the index with the files and rewrite it with a new time, when scans have become slow."""
        if not (force or self.git_index.wants_refresh()) or not Git.available():
            return
        with self.exclusive():
            done = self.git.call(*NO_HOOKS, "update-index", "-q", "--refresh", "--force-write-index", check=False)
            if not done.stderr:
                self.git_index.refreshed()
