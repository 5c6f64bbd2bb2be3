"""Recording: an open workspace into which events go, and what has to follow when they did."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence

from memtree.engine.closing.closer import everything, nothing
from memtree.engine.closing.ending import close_or_wait
from memtree.engine.transcripts.agents import AGENTS, kind_of_transcript, read_transcript
from memtree.engine.transcripts.lines import UnreadableTranscript
from memtree.engine.transcripts.reading import CLAUDE_CODE, CODEX, Transcript
from memtree.engine.workspace import Workspace
from memtree.engine.writers.copies import Copies
from memtree.engine.writers.ledger import Ledger
from memtree.engine.writers.many_turns import record_turns
from memtree.engine.writers.turn_plan import Outcome, is_known
from memtree.engine.writers.turns import ledger_of
from memtree.hooks.codex import find_rollout
from memtree.hooks.daemon.client import Client, Unreachable
from memtree.hooks.delivery import from_event, from_transcript, is_late
from memtree.hooks.events import Kind
from memtree.hooks.outbox import Entry
from memtree.hooks.place import Place
from memtree.hooks.surroundings import Surroundings
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.episode import session_folder
from memtree.tree.errors import Error, UserError

PATIENCE = 2.0  # seconds for an agent to write down what it said
_LOOK = 0.1  # seconds between two looks
_FEW = 5  # turns that become a commit each; more become one


class Recording:
    """Takes entries of the outbox, one after the other."""

    def __init__(self, workspace: Workspace, around: Surroundings) -> None:
        self._workspace = workspace
        self._around = around
        self._read: dict[str, tuple[tuple[int, int], Transcript]] = {}
        self._touched: set[str] = set()  # the folders of the sessions in which something was recorded

    @classmethod
    @contextlib.contextmanager
    def opened(cls, root: str, around: Surroundings) -> Iterator[Recording]:
        """Open the workspace for as long as entries are taken. Raises what opening raises."""
        with Workspace.open(root, around.options) as workspace:
            yield cls(workspace, around)

    def deliver(self, entry: Entry) -> tuple[int, list[str]]:
        """Record what an entry brings: how many turns that were, and what a person should know. Raises what recording raises."""
        if entry.event.kind is Kind.SESSION_START or not self._workspace.settings.learning.episodic_capture_enabled:
            return 0, []
        count, notes = self._recorded(entry)
        if entry.event.kind is Kind.SESSION_END:
            self._touched.discard(folder := self._folder(entry.event.session))
            notes = [*notes, *close_or_wait(self._workspace, [folder], whole=everything).notes]
        return count, notes

    def _recorded(self, entry: Entry) -> tuple[int, list[str]]:
        path = self._transcript_path(entry)
        try:
            turns = self._settled(entry, path) if path else None
        except UnreadableTranscript:
            if from_event(entry) is None and entry.event.kind is Kind.TURN:
                raise
            turns = None
        if turns is None:
            said = from_event(entry)
            turns = [said] if said is not None else []
        return self._record(turns, entry)

    def finish(self) -> list[str]:
        """What every later look profits from: what has ended is closed, edits are captured, the indexes brought to HEAD."""
        touched, self._touched = sorted(self._touched), set()
        closed = close_or_wait(self._workspace, touched, whole=nothing).notes if touched else []
        return [*closed, *self._workspace.capture_quietly(), *self._workspace.refresh_index()]

    def _folder(self, session: str) -> str:
        return session_folder(self._workspace.redactor.id(session))

    @staticmethod
    def sync(place: Place, around: Surroundings) -> bool:
        """Exchange with the remotes, where there are any and the settings want it; whether it was done. Raises as a sync.

        Where a daemon serves the workspace, it is asked to: it knows which remotes are away.
        """
        with Workspace.open(place.root, around.options) as workspace:
            if not workspace.settings.hooks.sync or not workspace.remotes.all() or _left_to_daemon(place):
                return False
            workspace.sync()
            return True

    @staticmethod
    def follow_up(place: Place, around: Surroundings) -> list[str]:
        """Do what waits to be done with closed conversations; what a person should know. Raises what opening raises."""
        from memtree.engine.closing.later import Later

        with Workspace.open(place.root, around.options) as workspace:
            return Later(workspace).run().notes

    def _transcript_path(self, entry: Entry) -> str:
        event = entry.event
        if event.agent not in AGENTS or event.kind is Kind.PROMPT or event.turn is not None:
            return ""
        if event.transcript or event.agent != CODEX:
            return event.transcript
        home = self._around.environment.get("CODEX_HOME") or os.path.expanduser("~/.codex")
        return find_rollout(home, event.session)

    def _settled(self, entry: Entry, path: str) -> list[AgentTurn]:
        """The transcript's turns, when it has what the event says or will not have it soon; raise UnreadableTranscript."""
        deadline = self._around.clock() + PATIENCE
        redactor = self._workspace.redactor
        while True:
            try:
                turns: Sequence[AgentTurn] = self._transcript(entry.event.agent, path).turns
            except UnreadableTranscript:
                if entry.event.kind is not Kind.TURN or self._around.clock() >= deadline:
                    raise
            else:
                if not is_late(entry, turns, redactor) or self._around.clock() >= deadline:
                    if not turns and entry.event.kind is Kind.TURN and not kind_of_transcript(path):
                        raise UnreadableTranscript(path, "it holds no line that is known")
                    return from_transcript(entry, turns, redactor)
            self._around.sleep(_LOOK)

    def _transcript(self, agent: str, path: str) -> Transcript:
        """A transcript, read again only when its file changed."""
        stamp = _stamp(path)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            self._read.clear()  # one at a time: some are large
            known = self._read[path] = (stamp, read_transcript(agent, path))
        return known[1]

    def _record(self, turns: Sequence[AgentTurn], entry: Entry) -> tuple[int, list[str]]:
        new = self._uncopied(self._unknown(turns), entry)
        if not new:
            return 0, []
        self._touched.update(self._folder(turn.session) for turn in new if turn.session.strip())
        if len(new) > _FEW:
            message = f"{len(new)} turns ({entry.event.agent})\n\nMemtree-Writer: archivist\n"
            report = record_turns(self._workspace, lambda: new, message=message)
            return report.stored + report.grown, [*(reason for _, reason in report.refused), *report.notes]
        count, notes = 0, []
        for turn in new:
            try:
                done = self._workspace.record_turn(turn)
            except UserError as error:
                if len(turns) == 1:
                    raise
                notes.append(f"a turn is not recorded: {error}")
                continue
            count += done.outcome is not Outcome.KNOWN
            notes += done.notes
        return count, notes

    def _unknown(self, turns: Sequence[AgentTurn]) -> list[AgentTurn]:
        """The turns that are not recorded as they are now. A long session has hundreds that are."""
        ledgers: dict[str, Ledger] = {}
        found = []
        for turn in turns:
            if turn.session not in ledgers:
                ledgers[turn.session] = ledger_of(self._workspace, self._workspace.redactor.id(turn.session))
            if not is_known(turn, ledgers[turn.session]):
                found.append(turn)
        return found

    def _uncopied(self, turns: list[AgentTurn], entry: Entry) -> list[AgentTurn]:
        """The turns without those of another session. The one turn that has just ended is none of them."""
        if entry.event.agent != CLAUDE_CODE or not turns or (len(turns) == 1 and entry.event.kind is Kind.TURN):
            return turns
        copies = Copies(self._workspace.places.folder)
        return [turn for turn in turns if not copies.left_out(turn)]


def _left_to_daemon(place: Place) -> bool:
    """Whether there is a daemon, which syncs now."""
    client = Client.of(place)
    if client is None:
        return False
    with client:
        try:
            client.call("sync", {})
        except (Unreachable, Error):
            return False
    return True


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a path can hold what no file's name can
        return (-1, -1)
    return found.st_mtime_ns, found.st_size
