"""Catching up: segments that were closed before facts were learned from them are put into the queue, as if they were closed now."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.queue import FACTS, Queue, Step
from memtree.engine.facts.known import Known
from memtree.engine.facts.learned_spans import learned_spans
from memtree.tree.episode import session_of
from memtree.tree.errors import Error
from memtree.tree.fact import FOLDER as FACTS_FOLDER
from memtree.tree.fact import is_fact_file
from memtree.tree.paths import RepoPath
from memtree.tree.recap import span_of

if TYPE_CHECKING:
    from memtree.engine.facts.view import FactView
    from memtree.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """How many segments wait now to be learned from, of how many sessions; `known` are those that were learned from before."""

    queued: int = 0
    sessions: int = 0
    known: int = 0


def learn_sessions(
    workspace: Workspace,
    sessions: Iterable[str] = (),
    *,
    again: bool = False,
    progress: Callable[[int], None] | None = None,
) -> CaughtUp:
    """Have facts learned from the closed segments of sessions, named by id or folder; for none named of all.

    A segment that was learned from here, or that facts rest on already, is left alone unless `again`. What was queued is done by
    `Later(workspace).run_facts()`. `progress` is told of each session. Raises NoSuchSession, and OSError for a full disk.
    """
    from memtree.engine.facts.diagnosis import folder_named
    from memtree.engine.facts.view import FactView

    found, view = Sessions.of(workspace), FactView.look(workspace)
    Known(workspace.places.folder).add(_deleted(workspace, view))
    folders = [folder_named(workspace, found, session) for session in sessions] or found.folders()
    queue = Queue(workspace.places.folder)
    waiting = {step.name for step in queue.steps(FACTS)}
    queued = known = touched = 0
    for folder in dict.fromkeys(folders):
        before = queued
        done = learned_spans(workspace, folder)
        for span in sorted({span for path, _ in found.recaps(folder) if (span := span_of(path.name)) is not None}):
            step = Step(FACTS, folder, *span)
            if not again and (span in done or _rests_on(view, session_of(folder) or folder, span)):
                known += 1
                continue
            if step.name not in waiting:
                queue.put(step)
            queued += 1
        touched += queued > before
        if progress is not None:
            progress(1)
    return CaughtUp(queued, touched, known)


def _deleted(workspace: Workspace, view: FactView) -> set[str]:
    """The ids of facts that history has and the branch has not: wherever somebody deleted them, they are not learned again here."""
    tip = workspace.repo.tip(workspace.settings.ref)
    if tip is None:
        return set()
    content = workspace.settings.content
    folder = f"{content}/{FACTS_FOLDER}" if content else FACTS_FOLDER
    listed = ("log", "--full-history", "--diff-filter=D", "--no-renames", "--name-only", "--format=", "-z", tip, "--", folder)
    with contextlib.suppress(Error, OSError):
        paths = workspace.git.run(*listed, timeout=None).decode("utf-8", "surrogateescape").split("\0")
        names = {path.strip("\n").rpartition("/")[2] for path in paths}
        return {name[:-3] for name in names if is_fact_file(RepoPath(f"{FACTS_FOLDER}/{name}"))} - view.by_id.keys()
    return set()


def _rests_on(view: FactView, session: str, span: tuple[int, int]) -> bool:
    """Whether a fact rests on one of a segment's turns: another machine learned from it, most likely."""
    return any(view.resting_on(session, seq) for seq in range(span[0], span[1] + 1))
