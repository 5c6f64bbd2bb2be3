"""memory_doctor: how memory stands for who asks it, stage by stage. It only looks: nothing is repaired, no model is asked.

What a person left out on purpose, such as vectors or models, is no trouble. What cannot be measured is None and never 0.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.closing.queue import Queue
from memtree.engine.mass_deletion import MassDeletion
from memtree.engine.outbox_state import outbox_status
from memtree.engine.retrieval.counters import Counters, Seen, counters_of
from memtree.engine.retrieval.plain import one_line
from memtree.engine.search_settings import NONE
from memtree.engine.store.plan import JournalDamaged, decode
from memtree.indexers.base import IndexCorrupt
from memtree.indexers.query import Mode
from memtree.tree.errors import Error, StateError, TransientError
from memtree.tree.objects import CommitId
from memtree.tree.redaction import without_credentials

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_ROOM = 1_000_000  # bytes that must be free for anything to be stored
_LONG = 3600.0  # seconds; an event of an agent that waits longer than this is not being recorded by anybody
_NOTE = 300  # characters
_AGAIN = "that is put right (memtree doctor tells more)"


class Failure(enum.StrEnum):
    """What keeps a stage from working."""

    STORAGE_UNAVAILABLE = "storage_unavailable"
    STORAGE_DAMAGED = "storage_damaged"
    DISK_FULL = "disk_full"
    OFF_BRANCH = "off_branch"
    GIT_BUSY = "git_busy"
    MASS_DELETION = "mass_deletion"
    INDEX_UNAVAILABLE = "index_unavailable"
    INDEX_DAMAGED = "index_damaged"
    EMBEDDINGS_UNAVAILABLE = "embeddings_unavailable"
    EMBEDDINGS_BEHIND = "embeddings_behind"
    TURNS_FAILED = "turns_failed"
    TURNS_STUCK = "turns_stuck"
    STEPS_FAILING = "steps_failing"
    MODEL_UNAVAILABLE = "model_unavailable"
    SUMMARIES_UNREADABLE = "summaries_unreadable"
    SYNC_FAILED = "sync_failed"
    UNREADABLE = "unreadable"


class Stage(NamedTuple):
    """One stage on the way from a file to an answer. `note` says how it stands in a few words without a full stop.

    `remedy` is what must have happened before a stage that is not `ok` works again.
    """

    stage: str
    ok: bool
    failure: Failure | None = None
    note: str = ""
    remedy: str = ""


class CheckUp(NamedTuple):
    """How memory stands. `degraded` is whether answers may lack something that was saved.

    `reason` and `remedy` complete the sentence "memory is currently degraded: {reason}. Results may be incomplete until {remedy}.";
    both are '' where it is not.
    """

    healthy: bool
    stages: tuple[Stage, ...]
    first_blocking_cause: Failure | None
    degraded: bool
    reason: str
    remedy: str
    counters: Counters


# A model that cannot be asked costs better words, and no passage.
_HARMLESS = frozenset({"models"})


def check_up(workspace: Workspace) -> CheckUp:
    """How memory stands now. Raises nothing that a stage meets: it is told there."""
    seen = Seen(workspace)
    stages = tuple(_looked(name, look, seen) for name, look in _STAGES.items())
    bad = [stage for stage in stages if not stage.ok]
    missing = next((stage for stage in bad if stage.stage not in _HARMLESS), None)
    return CheckUp(
        healthy=not bad,
        stages=stages,
        first_blocking_cause=bad[0].failure if bad else None,
        degraded=missing is not None,
        reason=missing.note if missing is not None else "",
        remedy=missing.remedy if missing is not None else "",
        counters=counters_of(seen),
    )


def _looked(name: str, look: Callable[[Seen], Stage], seen: Seen) -> Stage:
    """A stage; trouble that keeps it from being looked at is how it stands."""
    try:
        stage = look(seen)
    except IndexCorrupt as error:
        stage = Stage(name, False, Failure.INDEX_DAMAGED, str(error), "it is built anew (memtree reindex)")
    except (TransientError, OSError) as error:
        code = Failure.INDEX_UNAVAILABLE if name in ("text_index", "entity_graph") else _UNREADABLE.get(name, Failure.UNREADABLE)
        stage = Stage(name, False, code, str(error), _AGAIN)
    except Error as error:
        stage = Stage(name, False, _UNREADABLE.get(name, Failure.UNREADABLE), str(error), _AGAIN)
    redacted = seen.workspace.redactor.text
    return stage._replace(
        note=one_line(redacted(without_credentials(stage.note)), _NOTE),
        remedy=one_line(redacted(without_credentials(stage.remedy)), _NOTE),
    )


_UNREADABLE = {
    "storage": Failure.STORAGE_DAMAGED,
    "embeddings": Failure.EMBEDDINGS_UNAVAILABLE,
    "summary_tree": Failure.SUMMARIES_UNREADABLE,
}


def _storage(seen: Seen) -> Stage:
    places = seen.workspace.places
    try:
        with open(places.journal, "rb") as file:
            plan = decode(file.read(), places.journal)
    except FileNotFoundError:
        note = ""
    except JournalDamaged as error:
        return Stage("storage", False, Failure.STORAGE_DAMAGED, str(error), "memtree doctor --repair has set it aside")
    else:
        note = f"a {plan.kind.value} by {plan.maker} is unfinished; the next command finishes it"
    count = sum(1 for _ in seen.paths())  # what cannot be read raises
    if not all(os.access(folder, os.W_OK) for folder in (seen.workspace.root, places.folder)):
        return Stage(
            "storage", False, Failure.STORAGE_UNAVAILABLE, "the workspace cannot be written", "its folder may be written to"
        )
    if _free(places.folder) < _ROOM:
        return Stage("storage", False, Failure.DISK_FULL, "the disk is full: nothing new is kept", "there is room on the disk")
    return Stage("storage", True, note=note or (f"{count:,} files" if seen.head is not None else "nothing has been saved yet"))


def _free(folder: str) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _capture(seen: Seen) -> Stage:
    repo, settings = seen.workspace.repo, seen.workspace.settings
    if repo.head() != settings.ref:
        note = f"the work tree is not on {settings.branch}: edits made meanwhile are not kept"
        return Stage("capture", False, Failure.OFF_BRANCH, note, f"it is on {settings.branch} again (git switch {settings.branch})")
    busy = repo.busy_with()
    if busy:
        note = f"a {busy} of git's is in progress: edits made meanwhile are not kept"
        return Stage("capture", False, Failure.GIT_BUSY, note, "it is finished or aborted with git")
    survey = seen.survey()
    try:
        seen.workspace.capture.guard(survey)
    except MassDeletion as error:
        remedy = "the files are back, or a person has agreed (memtree save --allow-mass-delete)"
        return Stage("capture", False, Failure.MASS_DELETION, str(error), remedy)
    facts = (
        (len(survey.due), "not saved yet"),
        (len(survey.held), "held back"),
        (len(survey.left) - len(survey.held), "left alone"),
    )
    return Stage("capture", True, note="; ".join(f"{_files(number)} {what}" for number, what in facts if number > 0))


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def _text_index(seen: Seen) -> Stage:
    searching = seen.workspace.searching
    with searching.turn:
        index = searching.index()
        at, vacancy = index.position(), index.vacancy()
    return _kept_up("text_index", seen, at, vacancy)


def _kept_up(stage: str, seen: Seen, at: CommitId | None, vacancy: str) -> Stage:
    """How a view stands that every search brings to the present commit by itself."""
    if seen.head is None:
        return Stage(stage, True, note="nothing has been saved yet")
    if at == seen.head:
        return Stage(stage, True, note="up to date")
    return Stage(stage, True, note=f"{vacancy or 'behind the present commit'}; the next search brings it up to date")


def _embeddings(seen: Seen) -> Stage:
    workspace = seen.workspace
    chosen = workspace.settings.embedding
    if chosen.model == NONE:
        return Stage("embeddings", True, note="left out: embedding.model is none")
    try:
        vectors = workspace.searching.meaning().vectors
    except StateError as error:
        return Stage("embeddings", False, Failure.EMBEDDINGS_UNAVAILABLE, str(error), f"it is allowed ({error.hint})")
    assert vectors is not None
    with workspace.searching.turn:
        at, vacancy = vectors.position(), vectors.vacancy()
    if workspace.settings.search.mode is Mode.TEXT:
        return Stage("embeddings", True, note="not kept up to date: search.mode is text")
    stage = _kept_up("embeddings", seen, at, vacancy)
    # A model on this machine has caught up before the next answer; an address that is away has not, and words alone are searched.
    if seen.head in (None, at) or not chosen.url or seen.text_position() != seen.head:
        return stage
    note = "passages saved lately are found by their words only, because their vectors are not there"
    return Stage("embeddings", False, Failure.EMBEDDINGS_BEHIND, note, "the embedding address answers and memtree reindex has run")


def _entity_graph(seen: Seen) -> Stage:
    searching = seen.workspace.searching
    with searching.turn:
        graph = searching.graph()
        if not graph.exists():
            return Stage("entity_graph", True, note="not built yet; the first question that needs it builds it")
        at, vacancy = graph.position(), graph.vacancy()
    return _kept_up("entity_graph", seen, at, vacancy)


def _summary_tree(seen: Seen) -> Stage:
    nodes = seen.summaries()
    if not nodes:
        return Stage("summary_tree", True, note="not built; passages are found without it")
    waiting = sum(node.may_get_better for node in nodes)
    note = f"summaries: {len(nodes):,}" + (f", of which a model may improve {waiting:,}" if waiting else "")
    return Stage("summary_tree", True, note=note)


def _queue(seen: Seen) -> Stage:
    state = seen.workspace.places.folder
    events, steps = outbox_status(state), Queue(state).status()
    if events.failed:
        note = f"turns of conversations could not be recorded: {events.failed:,}"
        return Stage("queue", False, Failure.TURNS_FAILED, note, "they are recorded (memtree hook flush --again)")
    if events.waiting and seen.oldest_event() > _LONG:
        note = f"turns of conversations have waited for more than an hour to be recorded: {events.waiting:,}"
        return Stage("queue", False, Failure.TURNS_STUCK, note, "they are recorded (memtree hook flush)")
    if steps.failing:
        note = f"steps of closed conversations fail: {steps.failing:,} ({steps.reason})"
        return Stage("queue", False, Failure.STEPS_FAILING, note, "they are done (memtree hook session-end --again)")
    facts = ((events.waiting, "turns wait to be recorded"), (steps.waiting, "steps of closed conversations wait"))
    dropped = f"turns were dropped because too many waited: {events.dropped:,}" if events.dropped else ""
    return Stage(
        "queue", True, note="; ".join((*(f"{what}: {number:,}" for number, what in facts if number), *filter(None, (dropped,))))
    )


def _models(seen: Seen) -> Stage:
    from memtree.engine.llm.roles import Models, hindrances

    models = Models.of(seen.workspace)
    asked = models.roles()
    if not asked:
        return Stage("models", True, note="none is configured; everything works without one")
    for why, roles in hindrances(models).items():
        return Stage(
            "models", False, Failure.MODEL_UNAVAILABLE, f"{', '.join(roles)}: {why.message}", f"it can be asked ({why.cure})"
        )
    return Stage("models", True, note=f"configured for {', '.join(asked)}")


def _sync(seen: Seen) -> Stage:
    workspace = seen.workspace
    remotes = workspace.remotes.all()
    if not remotes:
        return Stage("sync", True, note="no remote: this machine alone has this memory")
    for remote in remotes:
        error = workspace.sync_state.of(remote.name).error
        if error:
            note = f"what other machines wrote may be missing: the last sync with {remote.name} failed: {error}"
            return Stage("sync", False, Failure.SYNC_FAILED, note, f"a sync with {remote.name} has worked (memtree sync)")
    return Stage("sync", True, note=f"with {', '.join(remote.name for remote in remotes)}")


_STAGES: dict[str, Callable[[Seen], Stage]] = {
    "storage": _storage,
    "capture": _capture,
    "text_index": _text_index,
    "embeddings": _embeddings,
    "entity_graph": _entity_graph,
    "queue": _queue,
    "models": _models,
    "summary_tree": _summary_tree,
    "sync": _sync,
}
