"""Recording very many turns, as an import brings them: through one pack, in one commit, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.store.bulk_writer import BulkWriter
from memtree.engine.store.planner import Edit
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.ledger import Ledger
from memtree.engine.writers.turn_plan import Outcome, plan_turn, prepared
from memtree.engine.writers.turns import ledger_of
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.episode import episode_path
from memtree.tree.errors import TransientError, UserError
from memtree.tree.objects import FILE, Entry
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_TRIES = 5


class SessionsMoved(TransientError):
    """Somebody recorded turns of the same sessions meanwhile."""

    hint = "the agent is still at work there; try again in a moment"

    def __init__(self) -> None:
        super().__init__("turns of the same sessions were recorded meanwhile, again and again")


@dataclass(slots=True)
class TurnsReport:
    """How many turns were stored, had grown or were known; each one that could not be stored with the reason.

    `folders` are those of the sessions in which something is new.
    """

    commit: CommitReport
    stored: int = 0
    grown: int = 0
    known: int = 0
    sessions: int = 0
    folders: tuple[str, ...] = ()
    refused: list[tuple[str, str]] = field(default_factory=list)  # session, reason
    notes: tuple[str, ...] = ()

    def count(self, outcome: Outcome) -> None:
        setattr(self, outcome.value, getattr(self, outcome.value) + 1)


def record_turns(
    workspace: Workspace,
    turns: Callable[[], Iterable[AgentTurn]],
    *,
    message: str,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> TurnsReport:
    """Commit the turns in one commit. They are asked for again when somebody else recorded in the same sessions meanwhile.

    `message` is the commit's. A turn that cannot be stored is told in the report; the others are. Raises what the store raises,
    and SessionsMoved; nothing is stored then.
    """
    if not dry_run:
        workspace.store.recover()  # where all is known nothing is written, and what a killed run left would stay
    for _ in range(_TRIES):
        many = _ManyTurns(workspace, dry_run=dry_run)
        try:
            return many.record(turns(), message, progress)
        except _Moved:
            continue
    raise SessionsMoved


class _Moved(Exception):
    """A session is not any more as it was when its turns were planned."""


class _ManyTurns:
    def __init__(self, workspace: Workspace, *, dry_run: bool) -> None:
        self._workspace = workspace
        self._dry = dry_run
        self._ledgers: dict[str, Ledger] = {}
        self._edits: dict[RepoPath, Edit] = {}
        self._bulk = BulkWriter(workspace.repo, workspace.files, workspace.git, workspace.places, dry=dry_run)
        tip = workspace.repo.tip(workspace.settings.ref)
        self._report = TurnsReport(CommitReport(tip, tip))

    def record(self, turns: Iterable[AgentTurn], message: str, progress: Callable[[int], None] | None) -> TurnsReport:
        now = int(self._workspace.options.clock() * 1000)
        with self._bulk.packing():
            for turn in turns:
                try:
                    self._add(prepared(turn, self._workspace.redactor, now))
                except UserError as error:
                    self._report.refused.append((self._workspace.redactor.text(turn.session), str(error)))
                if progress is not None:
                    progress(1)
        if self._edits and not self._dry:
            self._report.commit = self._workspace.store.apply_found(self._still_right, message)
            for ledger in self._ledgers.values():
                ledger.keep()
        self._report.sessions = len(self._ledgers)
        self._report.folders = tuple(sorted({RepoPath(path.folder).name for path in self._edits}))
        self._report.notes = tuple(self._workspace.said())
        return self._report

    def _add(self, turn: AgentTurn) -> None:
        ledger = self._ledgers.get(turn.session)
        if ledger is None:
            ledger = self._ledgers[turn.session] = ledger_of(self._workspace, turn.session)
        planned = plan_turn(turn, ledger)
        self._report.count(planned.outcome)
        for path, data in planned.files.items():
            self._edits[path] = (ledger.files.get(path), Entry(FILE, self._bulk.stored(path, data)))

    def _still_right(self) -> Mapping[RepoPath, Edit]:
        """The edits, under the lock; raise _Moved when a session of theirs holds something else by now."""
        repo, settings = self._workspace.repo, self._workspace.settings
        tip = repo.tip(settings.ref)
        for session, ledger in self._ledgers.items():
            folder = RepoPath(episode_path(session, 0, settings.content)).folder
            if dict(repo.files(tip, folder)) != ledger.files:
                raise _Moved
        return self._edits
