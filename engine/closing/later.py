"""Later: what follows a closed segment in the background, step by step, each tried again when it failed.

First what needs no model: sessions whose closing failed, and those that have fallen silent, and summaries; facts too, where no
model can be asked. Then, where one can be: facts, better recaps, lessons, the goals, better summaries. One process at a time does
this for a workspace; while a model thinks, nobody waits for the write lock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.closing.better import better_recap, redo_failed
from memtree.engine.closing.closer import Closer, CloseReport, everything, nothing, silent
from memtree.engine.closing.learning import learn_again
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.queue import (
    ARCHIVE,
    BETTER,
    CLOSE,
    CLOSE_WHOLE,
    FACTS,
    FOLDER,
    GOALS,
    PROFILE,
    RECAP,
    SUMMARY,
    WIKI,
    Queue,
    Step,
)
from memtree.engine.closing.recap_view import RecapView, at_tip
from memtree.engine.local_state import keep_state, read_state
from memtree.engine.locks import LockBusy, WriteLock
from memtree.tree.errors import Error, StateError
from memtree.tree.paths import RepoPath
from memtree.tree.recap import ReadRecap, span_of
from memtree.tree.segments import Reason, Segment, exchanges

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_RECAPS = 50  # that one run has a model write, and segments that it has it read for facts
_CONTEXT = 5  # recaps that the goals are reviewed with
_LONGEST = 6_000  # characters of them
_HOPELESS = 5  # tries of what a model answers with nonsense
_DAY = 86_400.0  # seconds
_WAITS = {
    BETTER: "a better recap",
    ARCHIVE: "lessons",
    CLOSE: "closing",
    CLOSE_WHOLE: "closing",
    SUMMARY: "a better summary",
    WIKI: "summaries",
    FACTS: "facts",
}  # what a step brings, in words
_AWAY = 60.0  # seconds for which all leave a model alone that is away


class NotLearned(StateError):
    """A file of the profile that cannot be changed as it is."""


@dataclass(slots=True)
class LaterReport:
    """What was done, in words; what a person should know; how many steps wait. `busy`: another process is at it."""

    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    closed: CloseReport = field(default_factory=CloseReport)
    waiting: int = 0
    busy: bool = False


class Later:
    """The steps of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._learning = workspace.settings.learning
        self._folder = os.path.join(workspace.places.folder, FOLDER)
        self._queue = Queue(workspace.places.folder)
        self._report = LaterReport()

    def run(self, do: Callable[[], None] | None = None) -> LaterReport:
        """Do what is due, or only what `do` does. Raises nothing but what is a bug: what fails waits, and is told."""
        os.makedirs(self._folder, exist_ok=True)
        try:
            with WriteLock(os.path.join(self._folder, "lock"), 0.0).held():
                self._queue.sweep(self._workspace.options.clock())
                (do or self._run)()
        except LockBusy:
            self._report.busy = True
        self._report.waiting = len(self._queue.steps())
        return self._report

    def run_facts(self) -> LaterReport:
        """The same for facts only, and for all of them."""
        return self.run(lambda: self._facts(None))

    def again(self) -> None:
        """Have everything tried at once that failed, also what waits for a model that was away. Raises OSError."""
        self._queue.again()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, "away.json"))

    def _run(self) -> None:
        for step in self._due(CLOSE, CLOSE_WHOLE):
            self._step(step, self._close_again)
        self._close_silent()
        for step in self._due(RECAP):
            self._step(step, self._redo)
        for step in self._due(PROFILE):
            self._step(step, self._learn)
        self._facts()
        summaries = self._summaries()
        view = RecapView.look(self._workspace, os.path.join(self._folder, "recaps.json"))
        self._better(view)
        if self._learning.enabled and self._may_ask("archivist"):
            for step in self._due(ARCHIVE):
                if not self._paused():
                    self._step(step, self._archive)
        self._goals(view)
        if summaries:
            self._better_summaries()

    # -- without a model
    def _close_again(self, step: Step) -> None:
        whole = everything if step.kind == CLOSE_WHOLE else nothing
        self._take(Closer(self._workspace).close([step.session], whole=whole))

    def _close_silent(self) -> None:
        """Close the sessions recorded here that have been silent for long: their program never said that they are over."""
        now, idle = self._workspace.options.clock(), self._workspace.settings.segments.close_idle
        place = os.path.join(self._folder, "silent.json")
        looked = read_state(place).get("looked", 0.0)
        # A look in the future was one by a clock that was wrong: nothing is known to have been looked at.
        since = float(looked) - idle - 1 if isinstance(looked, int | float) and looked <= now else 0.0
        folders = [folder for folder, changed in self.recorded_here() if since <= changed <= now - idle]
        try:
            if folders:
                self._take(Closer(self._workspace).close(folders, whole=silent(now, idle, ahead=_DAY)))
            keep_state(place, {"looked": now})
        except (Error, OSError) as error:
            self._report.notes.append(f"silent sessions are not closed yet: {error}")

    def recorded_here(self) -> Iterator[tuple[str, float]]:
        """The folders of the sessions that this machine recorded, and when it did last, in epoch seconds."""
        place = os.path.join(self._workspace.places.folder, "turns")
        try:
            with os.scandir(place) as found:
                for entry in found:
                    yield entry.name, entry.stat().st_mtime
        except OSError:
            return

    def _redo(self, step: Step) -> None:
        if redo_failed(self._workspace, self._recap_of(step), self._segment(step)):
            self._report.done.append(f"recap of {_turns(step)}")

    def _learn(self, step: Step) -> None:
        recap = self._recap_of(step)
        if recap is not None and self._learning.explicit_preferences_enabled:
            _, notes = learn_again(self._workspace, recap)
            if notes:
                raise NotLearned(notes[0])

    def _facts(self, most: int | None = _RECAPS) -> None:
        """Learn what lasts of what was said: by a model where one may be asked, else by words, of many segments in one commit."""
        steps = self._due(FACTS)
        if not self._workspace.settings.facts.enabled:
            for step in steps:
                self._queue.done(step)  # they are not wanted; memtree facts learn finds their segments again
            return
        settling = self._waiting(Step(FACTS, "")) if steps or self._unsettled() else None
        if not steps and settling is None:
            return  # what follows takes a while to load
        from memtree.engine.facts.due import ROLE, FactsDue

        due = FactsDue(self._workspace, self._queue, self._report.done)
        if not steps or self._role_ready(ROLE):
            for step in steps[:most]:
                if not self._paused():
                    self._step(step, due.by_model)
        else:
            due.by_rules(steps, self._step)
        if settling is not None:
            self._step(settling, due.settle)

    def _unsettled(self) -> bool:
        """Whether facts have changed since they were settled last."""
        content = self._workspace.settings.content
        root = RepoPath(f"{content}/facts" if content else "facts")
        entry = self._workspace.repo.entry(self._workspace.repo.tip(self._workspace.settings.ref), root)
        known = read_state(os.path.join(self._workspace.places.folder, "facts", "settled.json")).get("tree")
        return entry is not None and entry.id != known

    def _summaries(self) -> bool:
        """Bring the summary tree up to date on the machine that does; whether this is it."""
        from memtree.engine.librarian import is_librarian

        if not self._workspace.settings.wiki.enabled or not is_librarian(self._workspace):
            return False
        from memtree.engine.wiki.background import build_if_due

        step = self._waiting(Step(WIKI, ""))
        if step is not None:
            self._step(step, lambda _: self._report.done.extend(build_if_due(self._workspace)))
        return True

    # -- with one
    def _better(self, view: RecapView) -> None:
        """Have a model write the recaps that none has written."""
        if not view.plain or not self._role_ready("summarization"):
            return
        ours = {folder for folder, _ in self.recorded_here()} | self._everybodys(view)
        waiting = {step.name: step for step in self._queue.steps(BETTER)}
        asked = 0
        for path in list(view.plain):
            folder, span = RepoPath(path.folder).name, span_of(path.name)
            if folder not in ours or span is None:
                continue
            step = Step(BETTER, folder, *span)
            step = waiting.get(step.name, step)
            if step.due > self._workspace.options.clock():
                continue  # it waits, and keeps no other waiting
            if asked >= _RECAPS or self._paused():
                break
            if self._segment(step) is None:
                view.plain.remove(path)  # nothing is left that could be told
                self._queue.done(step)
                continue
            asked += 1
            self._step(step, self._write_better)
        view.keep(os.path.join(self._folder, "recaps.json"))

    def _waiting(self, step: Step) -> Step | None:
        """The step as the queue has it, with what it failed at before; None when it is not due yet."""
        known = next((one for one in self._queue.steps(step.kind) if one.name == step.name), step)
        return known if known.due <= self._workspace.options.clock() else None

    def _everybodys(self, view: RecapView) -> set[str]:
        """The sessions of other machines, where this one does what concerns all of them."""
        from memtree.engine.librarian import is_librarian

        return {RepoPath(path.folder).name for path in view.plain} if is_librarian(self._workspace) else set()

    def _write_better(self, step: Step) -> None:
        recap, segment = self._recap_of(step), self._segment(step)
        if recap is None or segment is None or not recap.may_get_better:
            return
        usage = better_recap(self._workspace, recap, segment, lambda: self._segment(step))
        self._report.done.append(f"recap of {_turns(step)} by {usage.model}")

    def _archive(self, step: Step) -> None:
        from memtree.engine.agents.archiving import archive
        from memtree.engine.llm.asking import Asker

        segment = self._segment(step)
        if segment is not None:
            done = archive(self._workspace, segment, Asker(self._workspace, agent="archivist"))
            self._report.done.append(f"lessons of {_turns(step)}: {done.message}")

    def _goals(self, view: RecapView) -> None:
        """Review the goals with the recaps that have arrived, on the one machine that does."""
        from memtree.engine.librarian import is_librarian

        if not view.arrived or not self._learning.goals_enrichment_enabled or not is_librarian(self._workspace):
            return
        step = self._waiting(Step(GOALS, ""))
        if step is None or self._paused() or not self._may_ask("goals"):
            return

        def enrich(_: Step) -> None:
            from memtree.engine.agents.curating import enrich_goals

            newest = sorted(at_tip(self._workspace, view.arrived), key=lambda recap: (recap.ended or 0, recap.path))[-_CONTEXT:]
            done = enrich_goals(self._workspace, _context(newest))
            view.arrived = []
            view.keep(os.path.join(self._folder, "recaps.json"))
            self._report.done.append(f"goals: {done.message}")

        self._step(step, enrich)

    def _better_summaries(self) -> None:
        """Have a model write the summaries that none has written, a few at a time."""
        from memtree.engine.wiki.background import REFRESHED
        from memtree.engine.wiki.refreshing import refresh, refreshable

        if self._workspace.settings.models.named("summarization") is None:
            return
        found = refreshable(self._workspace)
        if not found or not self._role_ready("summarization"):
            return
        waiting = {step.name: step for step in self._queue.steps(SUMMARY)}
        steps = [Step(SUMMARY, node.path) for node in found]
        for name in waiting.keys() - {step.name for step in steps}:
            self._queue.done(waiting[name])  # its node is another by now, or a person's

        def write(step: Step) -> None:
            usage = refresh(self._workspace, RepoPath(step.session))
            if usage is not None:
                self._report.done.append(f"summary by {usage.model}")

        due = [waiting.get(step.name, step) for step in steps]
        for step in [step for step in due if step.due <= self._workspace.options.clock()][:REFRESHED]:
            if self._paused():
                break
            self._step(step, write)

    def _may_ask(self, agent: str) -> bool:
        from memtree.engine.agents.finding import find_agent

        try:
            return self._role_ready(find_agent(self._workspace.root, agent).definition.hint.value)
        except (Error, OSError) as error:
            self._report.notes.append(str(error))
            return False

    def _role_ready(self, role: str) -> bool:
        if self._workspace.settings.models.named(role) is None:
            return False  # without one there is nothing to say: everything goes without it
        from memtree.engine.llm.roles import Models

        why = Models.of(self._workspace).why_not(role)
        if why and why not in self._report.notes:
            self._report.notes.append(why)
        return not why

    def _paused(self) -> bool:
        """Whether the models are left alone for a while, because one was away."""
        until = read_state(os.path.join(self._folder, "away.json")).get("until", 0)
        return isinstance(until, int | float) and until > self._workspace.options.clock()

    # -- steps
    def _due(self, *kinds: str) -> list[Step]:
        return list(self._queue.due(self._workspace.options.clock(), *kinds))

    def _step(self, step: Step, do: Callable[[Step], None]) -> None:
        try:
            do(step)
        except Exception as error:  # noqa: BLE001 - whatever one step does to us, the others are done
            self._failed(step, error)
        else:
            self._queue.done(step)

    def _failed(self, step: Step, error: Exception) -> None:
        from memtree.engine.llm.errors import BadReply, ModelAway, ModelBroken

        now = self._workspace.options.clock()
        reason = str(error) if isinstance(error, Error) else f"{type(error).__name__}: a bug, or a disk that fails"
        after = error.after if isinstance(error, ModelAway) else 0.0
        hopeless = isinstance(error, BadReply) and step.tries >= _HOPELESS
        try:
            self._queue.failed(step, reason, now, after=max(after, _DAY if hopeless else 0.0))
        except OSError as full:
            self._report.notes.append(f"a step of closing cannot wait for later: {full.strerror}")
            return
        if isinstance(error, ModelAway | ModelBroken):
            # By its own pause, not by that of a step which has failed often before.
            keep_state(os.path.join(self._folder, "away.json"), {"until": now + max(after, _AWAY)})
        self._report.notes.append(f"{_WAITS.get(step.kind, step.kind)} must wait: {reason}")

    def _take(self, closed: CloseReport) -> None:
        self._report.closed.closed += closed.closed
        self._report.closed.commits += closed.commits
        self._report.notes += closed.notes

    def _sessions(self) -> Sessions:
        return Sessions.of(self._workspace)

    def _segment(self, step: Step) -> Segment | None:
        """The segment as its messages are now; None when they are gone."""
        messages = self._sessions().messages(step.session, step.first, step.last)
        recap = self._recap_of(step)
        if not messages or recap is None:
            return None
        redact = self._workspace.redactor.text
        safe = [one._replace(text=redact(one.text), speaker=redact(one.speaker)) for one in messages]
        reason = Reason(recap.reason) if recap.reason in [*Reason] else Reason.SESSION_END
        return Segment(recap.session, tuple(exchanges(safe)), reason)

    def _recap_of(self, step: Step) -> ReadRecap | None:
        paths = [path for path, _ in self._sessions().recaps(step.session) if span_of(path.name) == (step.first, step.last)]
        return next(iter(at_tip(self._workspace, paths)), None)


def _turns(step: Step) -> str:
    return f"turns {step.first}-{step.last} of session {step.session}"


def _context(recaps: list[ReadRecap]) -> str:
    return "\n\n".join(recap.body.strip() for recap in recaps)[-_LONGEST:]
