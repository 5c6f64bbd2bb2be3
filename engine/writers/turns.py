"""Recording a turn: its two files in one commit, each turn once, however often it is delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import one_line
from memtree.engine.incoming import refuse_unportable
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.ledger import Ledger
from memtree.engine.writers.turn_plan import Outcome, Planned, plan_turn, prepared
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.episode import session_folder, short_folder
from memtree.tree.errors import StateError
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TurnReport:
    """What became of a turn, in which files. `commit.changed` is False for a turn that was here already."""

    commit: CommitReport
    outcome: Outcome
    paths: tuple[RepoPath, ...]
    notes: tuple[str, ...] = ()


class CaptureOff(StateError):
    """Conversations are not recorded here."""

    def __init__(self) -> None:
        super().__init__(
            "conversations are not recorded here: learning.episodic_capture_enabled is off",
            hint="set it to true in memtree.toml, or unset MEMTREE_LEARNING_EPISODIC_CAPTURE_ENABLED",
        )


def record_turn(workspace: Workspace, turn: AgentTurn) -> TurnReport:
    """Commit a turn as its two files. Raises InvalidEpisode, TurnRefused and CaptureOff, and what the store raises.

    Nothing is stored then.
    """
    if not workspace.settings.learning.episodic_capture_enabled:
        raise CaptureOff
    turn = prepared(turn, workspace.redactor, int(workspace.options.clock() * 1000))
    planned = Planned(Outcome.KNOWN, {})
    ledger: Ledger | None = None

    def contents() -> dict[RepoPath, bytes | None]:
        # Under the lock: nobody else gives a number of this session away meanwhile.
        nonlocal planned, ledger
        ledger = ledger_of(workspace, turn.session)
        planned = plan_turn(turn, ledger)
        for path in planned.files:
            refuse_unportable(workspace.repo, workspace.repo.tip(workspace.settings.ref), path)
        return dict(planned.files)

    commit = workspace.store.write(contents, message=_message(turn.session, turn.source))
    if ledger is not None:
        ledger.keep()
    return TurnReport(commit, planned.outcome, tuple(planned.files), tuple(workspace.said()))


def ledger_of(workspace: Workspace, session: str) -> Ledger:
    """What the branch, the disk and this machine's memory know of a session's turns."""
    tip = workspace.repo.tip(workspace.settings.ref)
    copy, state = workspace.store.working_copy, workspace.places.folder
    return Ledger.read(workspace.repo, copy, tip, state, session, workspace.settings.content)


def _message(session: str, source: str) -> str:
    folder = session_folder(session)  # no line end is in it that could begin a trailer
    short = short_folder(folder)
    whence = one_line(source, 40)
    return f"turn of session {short}{f' ({whence})' if whence else ''}\n\nMemtree-Writer: archivist\nMemtree-Session: {folder}\n"
