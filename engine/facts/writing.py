"""Writing facts: a plan made on the facts as they are, and committed only if they still are so when the lock is held.

The plan is made outside the lock, because a judge may think for long; where facts have changed meanwhile it is made anew. What is
committed is whole: a fact that is closed comes with the one that took its place, or neither does.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.facts.candidate import Decision, Outcome
from memtree.engine.facts.known import Known
from memtree.engine.facts.reconciling import Plan
from memtree.engine.facts.view import FactView
from memtree.engine.quietly import capture_quietly
from memtree.engine.store.bulk_writer import BulkWriter
from memtree.engine.store.planner import Edit
from memtree.engine.store.report import CommitReport, TooManyRaces
from memtree.engine.store.withholding import SecretWritten
from memtree.engine.store.working_copy import PathBlocked
from memtree.tree.episode import short_folder
from memtree.tree.fact import FOLDER, fact_path
from memtree.tree.objects import FILE, Entry
from memtree.tree.objects import FOLDER as TREE
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MakePlan = Callable[[FactView, frozenset[str]], Plan]  # of the facts there are, and what is known (`known`)

_ROUNDS = 8  # how often a plan is made anew that others overtake
_FEW = 100  # files; more of them are written through a pack
_TRAILERS = 20  # sessions or facts that a message names


@dataclass(frozen=True, slots=True)
class FactReport:
    """What was decided of each candidate, the commit, and what a person should know.

    `blocked` are decisions that could not be written, because a secret or a file stood in their way; nothing of them was.
    """

    commit: CommitReport
    decisions: tuple[Decision, ...] = ()
    notes: tuple[str, ...] = ()
    blocked: tuple[Decision, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """How many candidates had an outcome and were written."""
        return sum(one.outcome is outcome for one in self.decisions if one not in self.blocked)


def commit_plan(
    workspace: Workspace, make_plan: MakePlan, *, session: str = "", segment: str = "", sessions: Sequence[str] = ()
) -> FactReport:
    """Make a plan on the present facts and commit it, in one commit or none.

    `session` is a folder and `segment` an id, for the commit's message; `sessions` are several folders. Raises what the store
    raises, TooManyRaces, and what making the plan does; nothing is written then.
    """
    sessions = [session] if session else sessions
    notes = [*capture_quietly(workspace, hints=[f"{folder_of(workspace)}/"]).notes]
    known = Known(workspace.places.folder)
    blocked: list[Decision] = []
    races = 0
    while races < _ROUNDS:
        view = FactView.look(workspace)
        whole = plan = make_plan(view, known.read())
        for one in (*blocked, *_deleted(workspace, view, plan)):
            plan = without(plan, one, workspace.settings.content)
        try:
            _see_free(workspace, plan)
            commit = write_files(workspace, view, plan.files, _message(plan, sessions, segment))
        except (PathBlocked, SecretWritten) as error:
            stuck = [one for one in plan.decisions if error.path in _paths(one, workspace.settings.content) and one not in blocked]
            if not stuck:
                raise
            blocked += stuck
            notes.append(f"a fact is not stored: {error}; {error.hint}")
            continue
        if commit is None:
            races += 1
            continue
        known.add(one for each in plan.told for one in each)
        lost = tuple(one for one in whole.decisions if one not in plan.decisions) if plan is not whole else ()
        return FactReport(commit, whole.decisions, (*notes, *whole.notes, *workspace.said()), lost)
    raise TooManyRaces


def write_files(workspace: Workspace, view: FactView, files: Mapping[RepoPath, bytes | None], message: str) -> CommitReport | None:
    """Commit what was made of a view; None, and no commit, when facts are no longer as the view has them."""
    tip = workspace.repo.tip(workspace.settings.ref)
    if not files:
        return CommitReport(tip, tip)
    overtaken = False

    def still() -> bool:
        nonlocal overtaken
        overtaken = FactView.look(workspace).tree != view.tree
        return not overtaken

    if len(files) > _FEW:
        commit = _many(workspace, files, message, still)
    else:
        commit = workspace.store.write(lambda: files if still() else {}, message=message)
    return None if overtaken else commit


def folder_of(workspace: Workspace) -> RepoPath:
    """Where the facts of a workspace lie."""
    content = workspace.settings.content
    return RepoPath(f"{content}/{FOLDER}" if content else FOLDER)


def without(plan: Plan, stuck: Decision, content: str) -> Plan:
    """The plan without a decision, and without those that touch the same facts: a pair is written whole or not at all."""
    ids = {stuck.fact, stuck.target} - {""}
    while more := {i for one in plan.decisions for i in (one.fact, one.target) if i and ids & {one.fact, one.target}} - ids:
        ids |= more
    gone = {fact_path(one, content) for one in ids}
    kept = [number for number, one in enumerate(plan.decisions) if not ids & {one.fact, one.target}]
    return replace(
        plan,
        decisions=tuple(plan.decisions[number] for number in kept),
        told=tuple(plan.told[number] for number in kept),
        files={path: data for path, data in plan.files.items() if path not in gone},
    )


def _deleted(workspace: Workspace, view: FactView, plan: Plan) -> list[Decision]:
    """What touches facts whose files a person has just deleted: it would bring them back before that is committed."""
    full = workspace.store.working_copy.full
    gone = {one.path for one in view.facts if one.path in plan.files and not os.path.lexists(full(one.path))}
    return [one for one in plan.decisions if gone & _paths(one, workspace.settings.content)]


def _see_free(workspace: Workspace, plan: Plan) -> None:
    """Raise PathBlocked for a path under which, or on the way to which, a person stored something else: it is not replaced."""
    tip, root = workspace.repo.tip(workspace.settings.ref), folder_of(workspace)
    seen: dict[RepoPath, Entry | None] = {}
    for path in plan.files:
        folder = RepoPath(path.folder)
        for one in dict.fromkeys((root, folder, path)):
            if one not in seen:
                seen[one] = workspace.repo.entry(tip, one)
            entry = seen[one]
            if entry is not None and (not entry.is_file if one == path else entry.mode != TREE):
                raise PathBlocked(path, f"not free, because {one} is another {'folder' if entry.mode == TREE else 'file'}")


def _paths(one: Decision, content: str) -> set[RepoPath]:
    return {fact_path(each, content) for each in (one.fact, one.target) if each}


def _many(workspace: Workspace, files: Mapping[RepoPath, bytes | None], message: str, still: Callable[[], bool]) -> CommitReport:
    bulk = BulkWriter(workspace.repo, workspace.files, workspace.git, workspace.places)
    with bulk.packing():
        blobs = {path: None if data is None else bulk.stored(path, data) for path, data in files.items()}

    def edits() -> Mapping[RepoPath, Edit]:
        if not still():
            return {}
        tip = workspace.repo.tip(workspace.settings.ref)
        return {
            path: (workspace.repo.entry(tip, path), None if blob is None else Entry(FILE, blob)) for path, blob in blobs.items()
        }

    return workspace.store.apply_found(edits, message)


def _message(plan: Plan, sessions: Sequence[str], segment: str) -> str:
    """Ids and numbers only: a text that is forgotten must stand in no message either."""
    counts: Counter[Outcome] = Counter(one.outcome for one in plan.decisions)
    told = ", ".join(f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome]) or "sources of facts"
    where = f" of session {short_folder(sessions[0])}" if len(sessions) == 1 else f" of {len(sessions)} sessions" * bool(sessions)
    trailers = "".join(f"Memtree-Session: {one}\n" for one in sessions[:_TRAILERS])
    trailers += f"Memtree-Segment: {segment}\n" * bool(segment)
    touched = "".join(f"{one.outcome.value} {one.fact}\n" for one in plan.decisions if one.outcome is not Outcome.NOOP)
    listed = "\n".join(touched.splitlines()[:_TRAILERS])
    return f"facts{where}: {told}\n\n" + f"{listed}\n\n" * bool(listed) + f"Memtree-Writer: facts\n{trailers}"


_WORDS = {Outcome.ADD: "added", Outcome.UPDATE: "updated", Outcome.SUPERSEDE: "superseded", Outcome.RETRACT: "retracted"}
