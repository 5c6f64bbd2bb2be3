"""Building: the summary tree is brought up to date, pass by pass, each one commit.

A pass plans on the tip, makes the texts, and plans again under the write lock on the tip as it is then: only what is wanted there
is written. Texts are named by what they are made of, so whatever came meanwhile, no text is written that is not of its children.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.librarian import require_librarian
from memtree.engine.local_state import keep_state, read_state
from memtree.engine.store.report import CommitReport, WrongBranch
from memtree.engine.wiki.drafts import Draft, Plan
from memtree.engine.wiki.leaves import Leaf, Leaves, LeftOut
from memtree.engine.wiki.making import Maker
from memtree.engine.wiki.planning import Allowance, Gate, Wanted, is_stale, make_plan
from memtree.engine.wiki.view import STATE, WikiView
from memtree.tree.errors import StateError
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

PASS = 200  # nodes of one commit
_PASSES = 1_000

READING, WRITING = "reading", "writing"
Progress = Callable[[str, int], None]  # what is being done, and how much of it is


class WikiOff(StateError):
    """The settings want no summary tree."""

    def __init__(self) -> None:
        super().__init__("the summary tree is switched off", hint="set enabled = true in the [wiki] table of memtree.toml")


@dataclass(frozen=True, slots=True)
class WikiReport:
    """What a build did. `more`: it came to its limit, and another one would go on. `left_out` are files that cannot be leaves."""

    commit: CommitReport
    made: int = 0
    removed: int = 0
    passes: int = 0
    more: bool = False
    edited: tuple[RepoPath, ...] = ()
    unreadable: tuple[RepoPath, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The tree as a commit has it: its leaves, its nodes, and the source of time and patience that plans go by."""

    workspace: Workspace
    leaves: Leaves
    view: WikiView
    waiting: Waiting

    @classmethod
    def at(cls, workspace: Workspace, commit: CommitId | None, waiting: Waiting, progress: Progress | None = None) -> Survey:
        tell = None if progress is None else lambda count: progress(READING, count)
        return cls(workspace, Leaves.at(workspace, commit, progress=tell), WikiView.at(workspace, commit), waiting)

    def plan(self, allow: Callable[[Sequence[Draft]], bool], ours: Collection[RepoPath] = ()) -> Plan:
        """What is due, as far as it is allowed."""
        settings = self.workspace.settings
        wanted = Wanted(settings.wiki, settings.content, self.waiting.now, allow, self.waiting.is_over, ours)
        return make_plan(self.leaves.by_path.values(), self.view.by_path.values(), wanted)

    def free(self, draft: Draft) -> bool:
        """Whether nothing lies where a node is to be put. What does is a person's, for no node of ours can be read in it."""
        return self.workspace.repo.entry(self.leaves.commit, draft.path) is None

    def blobs(self) -> Mapping[RepoPath, str]:
        """The files that are children of something."""
        nodes = {path: node.blob for path, node in self.view.by_path.items()}
        return nodes | {path: leaf.blob for path, leaf in self.leaves.by_path.items()}


@dataclass(slots=True)
class Waiting:
    """Since when a source has had the leaves that wait for a node. `flush`: none waits any longer."""

    days: int
    now: float
    flush: bool = False
    seen: dict[str, tuple[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Workspace, *, flush: bool = False) -> Waiting:
        """What this machine remembers of it; what is lost begins anew."""
        kept = read_state(_place(workspace))
        now = workspace.options.clock()
        known = kept.get("seen")
        seen = {
            source: (str(row[0]), min(float(row[1]), now))
            for source, row in (known.items() if isinstance(known, dict) else ())
            if isinstance(row, list) and len(row) == 2 and isinstance(row[1], int | float)
        }
        return cls(workspace.settings.wiki.stale_days, now, flush, seen)

    def is_over(self, source: str, leaves: Sequence[Leaf]) -> bool:
        """Whether leaves that no node covers have waited for long enough. Asking has them remembered."""
        if self.flush:
            return True
        digest = hashlib.sha256("\n".join(leaf.child.identity for leaf in leaves).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        known = self.seen.get(source)
        since = known[1] if known is not None and known[0] == digest else self.now
        self.seen[source] = digest, since
        return is_stale(leaves, since, self.now, self.days)

    def keep(self, workspace: Workspace) -> None:
        place = _place(workspace)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        keep_state(place, {"seen": self.seen})


def build(
    workspace: Workspace,
    *,
    flush: bool = False,
    limit: int | None = None,
    progress: Progress | None = None,
) -> WikiReport:
    """Make and mend what is due, at most `limit` nodes. With `flush` also leaves that would wait for more are sealed.

    Raises NotTheLibrarian on another machine, WikiOff, and what the store raises; a second build commits nothing.
    """
    require_librarian(workspace)
    if not workspace.settings.wiki.enabled:
        raise WikiOff
    head = workspace.repo.head()
    if head != workspace.settings.ref:
        raise WrongBranch(workspace.settings.ref, head)
    waiting = Waiting.of(workspace, flush=flush)
    tip = workspace.repo.tip(workspace.settings.ref)
    report = WikiReport(CommitReport(tip, tip))
    for done in _passes(workspace, waiting, limit, progress):
        report = WikiReport(
            report.commit.then(done.commit),
            report.made + done.made,
            report.removed + done.removed,
            report.passes + (done.made + done.removed > 0),
            done.more,
            done.edited,
            tuple(dict.fromkeys((*report.unreadable, *done.unreadable))),
            done.left_out,
        )
    waiting.keep(workspace)
    return report


def _passes(workspace: Workspace, waiting: Waiting, limit: int | None, progress: Progress | None) -> Iterator[WikiReport]:
    left, made = limit, 0
    for _ in range(_PASSES):
        most = PASS if left is None else min(PASS, left)
        done = one_pass(workspace, waiting, Allowance(most), progress=_further(progress, made))
        made += done.made
        yield done
        left = None if left is None else left - done.made
        if not done.more or not done.commit.changed or (left is not None and left <= 0):
            return


def _further(progress: Progress | None, made: int) -> Progress | None:
    """The progress of a pass as that of the whole build."""
    return None if progress is None else lambda what, count: progress(what, count + (made if what == WRITING else 0))


def one_pass(
    workspace: Workspace,
    waiting: Waiting,
    allowance: Gate,
    *,
    ours: Collection[RepoPath] = (),
    progress: Progress | None = None,
    subject: str = "",
) -> WikiReport:
    """Plan, make, and commit once. `ours` are files that only seem to be a person's."""
    tip = workspace.repo.tip(workspace.settings.ref)
    survey = Survey.at(workspace, tip, waiting, progress)
    plan = survey.plan(lambda drafts: all(map(survey.free, drafts)) and allowance(drafts), ours)
    maker = Maker(workspace, survey.blobs())
    for number, draft in enumerate(plan.makes, 1):
        maker.make(draft)
        if progress is not None:
            progress(WRITING, number)
    done: list[Plan] = []

    def contents() -> Mapping[RepoPath, bytes | None]:
        now = workspace.repo.tip(workspace.settings.ref)
        wanted = plan
        if now != tip:
            later = Survey.at(workspace, now, waiting)
            wanted = later.plan(lambda drafts: all(later.free(one) and one.path in maker.made for one in drafts), ours)
        done[:] = [wanted]
        return {**dict.fromkeys(wanted.removes), **{draft.path: maker.made[draft.path] for draft in wanted.makes}}

    if not plan.makes and not plan.removes:
        return _report(CommitReport(tip, tip), plan, survey, maker, allowance)
    commit = workspace.store.write(contents, message=_message(plan, subject))
    return _report(commit, done[0] if commit.changed else Plan(edited=plan.edited), survey, maker, allowance)


def _report(commit: CommitReport, plan: Plan, survey: Survey, maker: Maker, allowance: Gate) -> WikiReport:
    return WikiReport(
        commit,
        len(plan.makes),
        len(plan.removes),
        more=allowance.refused > 0,
        edited=tuple(node.path for node in plan.edited),
        unreadable=tuple(maker.unreadable),
        left_out=survey.leaves.left_out,
    )


def _message(plan: Plan, subject: str) -> str:
    made, gone = len(plan.makes), len(plan.removes)
    parts = [f"{made} made" if made else "", f"{gone} removed" if gone else ""]
    return f"{subject or 'summaries'}: {', '.join(filter(None, parts))}\n\nMemtree-Writer: wiki\n"


def _place(workspace: Workspace) -> str:
    return os.path.join(workspace.places.folder, STATE, "waiting.json")
