"""Diagnosis: why a session has the facts that it has: for each stretch the steps in their order, and where each statement fell.

What was done is read from the records beside memory. Of a stretch without one it is told what rules would do with it now, and
nothing is written.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.closing.queue import CLOSE, CLOSE_WHOLE, FACTS, Queue
from memtree.engine.facts.candidate import Step
from memtree.engine.facts.diagnosis_records import RULES, Record, kept_records
from memtree.tree.episode import InvalidEpisode, session_folder, session_of
from memtree.tree.errors import UserError
from memtree.tree.recap import span_of

if TYPE_CHECKING:
    from memtree.engine.closing.queue import Step as QueueStep
    from memtree.engine.workspace import Workspace

_NEAR = 3  # names that are offered in the place of one that is not known
_TRIED = 40  # stretches of which it is told what would be done


class NoSuchSession(UserError):
    """No turn of it is here. `near` are sessions with a name like it."""

    def __init__(self, session: str, near: tuple[str, ...]) -> None:
        hint = f"did you mean {', '.join(near)}?" if near else "memtree facts list --json names the sessions that facts come from"
        super().__init__(f"no turn of a session {session[:60]!r} is recorded here", hint=hint)
        self.near = near


@dataclass(frozen=True, slots=True)
class Waiting:
    """A stretch that waits to be learned from, -1 for the closing of a session. `due` is in epoch seconds."""

    first: int
    last: int
    tries: int
    reason: str
    due: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What became of a session. `records` are by their turns; a dry one tells what would be done.

    `open_turns` are not closed yet, so nothing was looked for in them. `notes` say in words what explains it all, the first things
    first.
    """

    session: str
    folder: str
    records: tuple[Record, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    open_turns: int = 0
    notes: tuple[str, ...] = ()

    @property
    def dry(self) -> bool:
        """Whether some of it was not done, but only tried."""
        return any(record.dry for record in self.records)


def diagnose(workspace: Workspace, session: str) -> Diagnosis:
    """What became of a session, by its id or its folder's name; raise NoSuchSession. Nothing is written, and no model asked."""
    sessions = Sessions.of(workspace)
    folder = folder_named(workspace, sessions, session)
    known = {(one.first, one.last): one for one in kept_records(workspace, folder)}
    spans = [span for path, _ in sessions.recaps(folder) if (span := span_of(path.name)) is not None]
    untold = [span for span in sorted(spans) if not any(span[0] <= first and last <= span[1] for first, last in known)]
    records = [*known.values(), *_dry(workspace, folder, untold[:_TRIED])]
    found = sessions.open_turns(folder)
    waiting = tuple(_waiting(workspace, folder))
    diagnosis = Diagnosis(
        session_of(folder) or folder,
        folder,
        tuple(sorted(records, key=lambda one: (one.first, one.last))),
        waiting,
        0 if found is None else len(found.turns),
    )
    return replace(diagnosis, notes=tuple(_notes(workspace, diagnosis, len(untold))))


def folder_named(workspace: Workspace, sessions: Sessions, session: str) -> str:
    """The folder of a session that a person names by its id or folder; raise NoSuchSession."""
    folders = sessions.folders()
    try:
        wanted = session_folder(workspace.redactor.id(session)) if session.strip() else ""
    except InvalidEpisode:
        wanted = ""
    for name in (wanted, session):
        if name in folders:
            return name
    names = {session_of(folder) or folder: folder for folder in folders}
    near = [name for name in names if session and name.startswith(session)][:_NEAR]
    near += [name for name in difflib.get_close_matches(session, list(names)[:5_000], _NEAR) if name not in near]
    raise NoSuchSession(workspace.redactor.id(session), tuple(near[:_NEAR]))


def _dry(workspace: Workspace, folder: str, spans: list[tuple[int, int]]) -> Iterator[Record]:
    """What rules would do with stretches now, each by itself."""
    if not spans:
        return
    from memtree.engine.facts.pipeline import prepare
    from memtree.engine.facts.reconciling import reconcile
    from memtree.engine.facts.view import FactView

    view, now = FactView.look(workspace), workspace.options.clock()
    for each in prepare(workspace, [(folder, first, last) for first, last in spans]):
        decisions = reconcile(view, each.candidates, now_ms=int(now * 1000)).decisions
        told = each.heard
        yield Record(
            folder, told.first, told.last, int(now), RULES, each.counts, told.left_out, each.fallen, decisions, "", dry=True
        )


def _waiting(workspace: Workspace, folder: str) -> Iterator[Waiting]:
    steps: list[QueueStep] = Queue(workspace.places.folder).steps(FACTS, CLOSE, CLOSE_WHOLE)
    for step in steps:
        if step.session == folder:
            yield Waiting(step.first, step.last, step.tries, step.reason, step.due)


def _notes(workspace: Workspace, found: Diagnosis, untold: int) -> Iterator[str]:
    """What explains it, in the order in which one looks: what was not tried, whose words count, who answered, what was dropped."""
    settings = workspace.settings.facts
    if not settings.enabled:
        yield "facts are not learned here: memtree.toml says [facts] enabled = false"
    if found.open_turns:
        turns = "1 turn is" if found.open_turns == 1 else f"{found.open_turns:,} turns are"
        yield f"{turns} not closed yet: what is said there is looked at when the conversation is over (memtree hook session-end)"
    if not any(not record.dry for record in found.records) and not found.waiting and found.records:
        yield "this session was closed before facts were learned here, or its records are gone: memtree facts learn looks at it"
    for step in found.waiting:
        where = "closing it" if step.first < 0 else f"turns {step.first}-{step.last}"
        yield f"{where} waits" + (
            f", tried {step.tries} times: {step.reason}" if step.tries else " to be looked at: memtree hook flush"
        )
    out: dict[str, int] = {}
    for left in (left for record in found.records for left in record.left_out):
        out[left.reason] = out.get(left.reason, 0) + left.count
    for reason, count in out.items():
        messages = "1 message was" if count == 1 else f"{count:,} messages were"
        yield f"{messages} left out: {_LEFT_OUT.get(reason, reason.replace('_', ' '))}"
    yield from _of_models(workspace, found)
    if untold:
        yield f"for {untold} of its segments this is what would be found without a model; nothing was written"


def _of_models(workspace: Workspace, found: Diagnosis) -> Iterator[str]:
    for trouble in dict.fromkeys(record.trouble for record in found.records if record.trouble):
        yield f"a model was not asked or not understood, so that words alone were looked at: {trouble}"
    for record in found.records:
        extract = next((count for count in record.counts if count.step is Step.EXTRACT), None)
        if record.by != RULES and extract is not None and extract.entered and not extract.kept:
            yield f"{record.by} found nothing that lasts in turns {record.first}-{record.last}"
    zone = workspace.settings.facts.timezone
    if zone and not _is_known(zone):
        yield f"the time zone {zone} is not known on this machine: no time is counted from when a turn was said"


def _is_known(zone: str) -> bool:
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


_LEFT_OUT = {
    "role_not_allowed": "of their role no facts are learned",
    "injected": "nothing but what a program put there stands in them",
    "quoted": "nothing but another's words stands in them",
    "no_words": "nothing is said in them",
    "handed_over": "a text was handed over in them to be worked on, and it is nobody's statement",
    "too_long": "their end, as they are very long",
    "over_limit": "there were too many",
}
