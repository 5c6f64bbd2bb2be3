"""Forget: a text leaves the newest version of every file, the indexes and what the engine kept aside; with `purge` also history.

First what is on the disk only, then HEAD in one commit, then the rest, so that a run that ends in between has forgotten less, never
written more. `plan` only looks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memtree.engine import settings
from memtree.engine.capture import LARGE
from memtree.engine.purging import Purged, purge
from memtree.engine.scrubbing import scrub_file, scrub_staged
from memtree.engine.store.check_outs import CheckOut
from memtree.engine.store.filters import Conversion
from memtree.engine.store.report import CommitReport
from memtree.engine.store.working_copy import read_file
from memtree.engine.traces import TRAILER, Pushed, Traces
from memtree.engine.waiting import forget_waiting, waiting_with
from memtree.engine.workspace import Progress, Workspace
from memtree.tree.errors import UserError
from memtree.tree.forgetting import CannotForget, Forgetting
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath
from memtree.tree.stubbing import stub_lines

NOWHERE = RepoPath("")
BENCH_LOGS = "bench"  # below the state folder; what was asked stands in them
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Target:
    """What a person named: a file or folder, some lines (from 1) of a file, or a text (within a file or folder, or anywhere)."""

    path: RepoPath = NOWHERE
    lines: tuple[int, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A file and the lines that are forgotten in it; none for a file that goes as a whole."""

    path: RepoPath
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What a forget does. `unpushed` commits still hold it, `pushed` ones are out of reach.

    `elsewhere` names branches, tags and stashes here that hold it too; `left` are files that it cannot look into; `waiting` counts
    events of agents that hold it and are not recorded yet.
    """

    places: tuple[Place, ...]
    unpushed: int
    pushed: tuple[Pushed, ...]
    elsewhere: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    waiting: int = 0

    @property
    def count(self) -> int:
        return sum(max(1, len(place.lines)) for place in self.places)


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was forgotten; the plan's history is as it stands afterwards."""

    commit: CommitReport
    done: ForgetPlan
    purged: Purged | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Version:
    """A file as its person sees it, and the entry at HEAD. `on_disk`: the two differ."""

    data: bytes
    entry: Entry | None
    on_disk: bool


class NothingToForget(CannotForget):
    """No file holds it. `unpushed` commits may all the same."""

    def __init__(self, unpushed: int = 0) -> None:
        cure = "capitals and spaces count; memtree search shows where a text stands"
        if unpushed:
            cure = f"{unpushed:,} commits that were never pushed hold it: the same command with --purge"
        super().__init__("nothing of that stands in any file, and nothing was changed", hint=cure)
        self.unpushed = unpushed


def plan(workspace: Workspace, target: Target) -> ForgetPlan:
    """What `forget` would do, without writing anything; raise NothingToForget."""
    job = _Job(workspace, target)
    found = job.history(job.places())
    found = replace(found, waiting=waiting_with(workspace.places.folder, job.forgetting))
    if not any((found.places, found.unpushed, found.pushed, found.elsewhere, found.waiting)):
        raise NothingToForget
    return found


def forget(workspace: Workspace, target: Target, *, history: bool = False, progress: Progress | None = None) -> ForgetReport:
    """Forget it now; with `history` also in the commits that were never pushed. Raise NothingToForget, CannotForget."""
    from memtree.engine.agents.agent_tasks import forget_results
    from memtree.engine.closing.learning import still_known
    from memtree.engine.facts.forgotten import forget_in_facts
    from memtree.engine.facts.quarantine import forget_local
    from memtree.engine.wiki.forgotten import forget_in_summaries

    workspace.store.recover()
    job = _Job(workspace, target)
    before = job.places()
    if history and not job.recognisable:
        raise CannotForget(
            "lines this short, and headings, cannot be told from others in older versions",
            hint="name the text: memtree forget --match TEXT --purge",
        )
    waiting = forget_waiting(workspace.places.folder, workspace.files, job.forgetting)  # first: a worker may be about to record it
    if not before.places and not history and not waiting:
        raise NothingToForget(job.history(before).unpushed)
    workspace.searching.expect_remains()
    shutil.rmtree(os.path.join(workspace.places.folder, BENCH_LOGS), ignore_errors=True)
    forget_results(workspace)
    changed = [place.path for place in before.places]
    forget_local(workspace, job.forgetting, changed)
    commit = job.forget_now()
    forget_results(workspace)  # of questions that were begun meanwhile
    forget_local(workspace, job.forgetting, changed)
    facts = forget_in_facts(workspace, commit.before)
    commit = commit if facts.commit is None else commit.then(facts.commit)
    summaries, told_of = forget_in_summaries(workspace, commit.before)
    commit = commit if summaries is None else commit.then(summaries)
    purged = None
    if history:
        purged = purge(workspace, job.forgetting)
        for path in facts.gone:  # in words of their own
            purged = purged.and_then(purge(workspace, Forgetting(whole=path)))
        commit = replace(commit, after=workspace.repo.tip(workspace.settings.ref))
    if purged is not None and purged.commits:
        _, told = workspace.searching.rebuild(progress)  # the commits that the indexes reflect are gone
    else:
        told = workspace.refresh_index(progress)
    notes = (*workspace.said(), *told, *facts.notes, *told_of, *still_known(workspace, changed))
    if not before.places and not waiting and not (purged and (purged.commits or purged.objects)):
        raise NothingToForget
    return ForgetReport(commit, replace(job.history(before), waiting=waiting), purged, notes)


class _Job:
    """One target, as it is found in the workspace."""

    def __init__(self, workspace: Workspace, target: Target) -> None:
        self._workspace = workspace
        self._repo = workspace.repo
        self._store = workspace.store
        self._scope = workspace.scope()
        self._store.filters.refresh()
        self._touched = self._repo.touched()
        self._lines = target.lines
        self._target = target
        self._old: set[str] = set()  # what the files were before
        self._captured: set[RepoPath] = set()  # edits that a capture has dealt with
        self.forgetting = self._recognised()

    @property
    def recognisable(self) -> bool:
        return bool(self.forgetting.whole or self.forgetting.text or self.forgetting.lines)

    def _recognised(self) -> Forgetting:
        target = self._target
        if target.text:
            return Forgetting.of_text(target.text, target.path)
        if not target.lines:
            return Forgetting(whole=target.path)
        version = self._version(target.path, self._head().get(target.path))
        if version is None:
            raise CannotForget(f"{target.path} is no file with lines", hint="name a file, or forget it as a whole")
        count = len(version.data.splitlines())
        if not 0 < min(target.lines) <= max(target.lines) <= count:
            raise CannotForget(f"{target.path} has lines 1 to {count:,}", hint=f"memtree blame {target.path} shows them")
        return Forgetting.of_lines(version.data, target.lines)

    # -- looking
    def places(self) -> ForgetPlan:
        """The files that would change, and those that cannot be looked into."""
        places = tuple(Place(path, tuple(n for n in self._numbers(path, version) if n)) for path, version in self._found())
        return ForgetPlan(places, 0, (), left=tuple(self._left()))

    def history(self, found: ForgetPlan) -> ForgetPlan:
        """The plan with what history holds now."""
        if not self.recognisable:
            return found
        traces = Traces(self._repo, self.forgetting, self._scope.holds)
        tip = self._repo.tip(self._store.ref)
        unpushed = len(traces.unpushed([tip])) if tip is not None else 0
        return replace(found, unpushed=unpushed, pushed=traces.pushed(), elsewhere=tuple(traces.elsewhere(self._store.ref)))

    def _head(self) -> dict[RepoPath, Entry]:
        return dict(self._repo.files(self._repo.tip(self._store.ref)))

    def _found(self) -> Iterator[tuple[RepoPath, _Version]]:
        """The files that change: at HEAD or on the disk they hold something of it."""
        head = self._head()
        new = {path for path in map(RepoPath, self._touched) if path not in head and not path.endswith("/")}
        for path in sorted(head.keys() | new):
            if not self._scope.holds(path) or not (self.forgetting.reaches(path) or path == self._target.path):
                continue
            version = self._version(path, head.get(path))
            if version is not None and self._holds(path, version):
                self._refuse_settings(path, version)
                yield path, version

    def _refuse_settings(self, path: RepoPath, version: _Version) -> None:
        """Settings that could not be read any more would end the workspace."""
        if path != settings.FILE_NAME:
            return
        try:
            if self.forgetting.whole:
                raise settings.InvalidSettings(path, "it would be empty")
            settings.parse(self._without(path, version.data))
        except UserError as error:
            raise CannotForget(f"{path} would not be settings any more", hint="take it out in an editor, and save") from error

    def _version(self, path: RepoPath, entry: Entry | None) -> _Version | None:
        """A file that can be looked into; None for links, submodules, and what no filter here can read."""
        conversion = self._store.filters.conversion(path)
        if conversion is Conversion.MISSING or (entry is not None and not entry.is_file):
            return None
        full = self._store.working_copy.full(path)
        if path not in self._touched and conversion is Conversion.NONE:
            return _Version(self._repo.blob(entry.id), entry, on_disk=False) if entry is not None else None
        if os.path.islink(full) or not os.path.isfile(full) or os.path.getsize(full) > LARGE:
            return None
        return _Version(read_file(full), entry, on_disk=path in self._touched)

    def _left(self) -> Iterator[str]:
        for path, entry in self._head().items():
            if self.forgetting.reaches(path) and entry.is_file and self._store.filters.conversion(path) is Conversion.MISSING:
                yield path

    def _holds(self, path: RepoPath, version: _Version) -> bool:
        if self._without(path, version.data) != version.data:
            return True
        at_head = version.entry is not None and version.on_disk and self._store.filters.conversion(path) is Conversion.NONE
        if not at_head or version.entry is None:
            return False
        data = self._repo.blob(version.entry.id)
        return self.forgetting.applied(path, data) != data

    def _without(self, path: RepoPath, data: bytes) -> bytes:
        if self._lines and path == self._target.path:
            data = stub_lines(path, data, self._lines)
        return self.forgetting.applied(path, data)

    def _numbers(self, path: RepoPath, version: _Version) -> tuple[int, ...]:
        found = set(self.forgetting.places(path, version.data)) if self.recognisable else set()
        if self._lines and path == self._target.path:
            found |= {n for n in self._lines if stub_lines(path, version.data, (n,)) != version.data}
        return tuple(sorted(found)) if not self.forgetting.text else self.forgetting.places(path, version.data)

    # -- doing
    def forget_now(self) -> CommitReport:
        """Commit every file without it, until none is left, and drop what was kept aside of them."""
        tip = self._repo.tip(self._store.ref)
        report = CommitReport(tip, tip)
        staged = [RepoPath(path) for path, flags in self._touched.items() if "INDEX_" in (flags.name or "")]
        in_scope = [path for path in staged if self._scope.holds(path)]
        if in_scope:
            self._old |= scrub_staged(self._workspace, self.forgetting, in_scope)
        for _ in range(_ROUNDS):
            found = dict(self._found())
            if not found:
                break
            report = replace(self._commit(found), before=tip)
            self._lines = ()  # they are counted as the file was
            self._touched = self._repo.touched()
        with self._store.exclusive():
            self._store.displaced.forget(self._is_kept)
        return report

    def _commit(self, found: Mapping[RepoPath, _Version]) -> CommitReport:
        message = self._message(found)
        fresh = [path for path, version in found.items() if version.on_disk and path not in self._captured]
        if fresh:
            # An outside edit would become a commit of its own below ours, and be in history for ever. A capture knows what else
            # must not be committed, and what an edit that was held is merged from.
            for path in fresh:
                self._scrub(path, found[path])
            self._captured.update(fresh)
            return self._workspace.capture.take(message=message, include_staged=True, only=fresh)[0]
        contents: dict[RepoPath, bytes] = {}
        for path, version in found.items():
            data = version.data
            if version.on_disk:  # held back still: its file is left alone, and HEAD is without it
                self._scrub(path, version)
                data = self._repo.blob(version.entry.id) if version.entry is not None else data
            if version.entry is not None:
                self._old.add(self._repo.hash_blob(data))
                contents[path] = self._without(path, data)
        bases: Mapping[RepoPath, Entry | None] = {path: found[path].entry for path in contents}
        report = self._store.write(contents, message=message, bases=bases)
        self._expect_stale_saves(bases, report)
        return report

    def _expect_stale_saves(self, bases: Mapping[RepoPath, Entry | None], report: CommitReport) -> None:
        """An editor that still has a file open must not bring the text back by saving it, no more than after a pull."""
        now = self._store.clock()
        entries = ((path, entry, self._repo.entry(report.after, path)) for path, entry in bases.items())
        self._store.recent.check_outs.note(
            CheckOut(now, path, before, after) for path, before, after in entries if before is not None and after is not None
        )

    def _scrub(self, path: RepoPath, version: _Version) -> None:
        new = self._without(path, version.data)
        if new != version.data:
            self._old.add(self._repo.hash_blob(version.data))
            scrub_file(self._workspace, path, version.data, new)

    def _is_kept(self, path: RepoPath | None, data: bytes) -> bool:
        """Whether a file that was kept aside holds it."""
        if self._repo.hash_blob(data) in self._old:
            return True
        known = path or RepoPath("kept.md")
        return (path is not None or not self.forgetting.whole) and self.forgetting.applied(known, data) != data

    def _message(self, found: Mapping[RepoPath, _Version]) -> str:
        files = f"{len(found)} files" if len(found) > 1 else str(next(iter(found)))
        what = files if self.forgetting.whole else f"a text in {files}"
        if self._lines:
            what = f"{spelled(self._lines)} of {self._target.path}"
        subject = self.forgetting.in_message(f"forget {what}".encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
        return f"{subject}\n\nMemtree-Writer: cli\n{TRAILER}: yes\n"


def spelled(numbers: tuple[int, ...]) -> str:
    """Such as `line 12` or `lines 12, 20-22`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    text = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return f"line{'s' if len(set(numbers)) > 1 else ''} {text}"
