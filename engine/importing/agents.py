"""Agents: the transcripts that a program keeps become turns, the notes that it keeps become documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.importing.importer import import_from, refuse_unready
from memtree.engine.importing.report import ImportReport, NothingToImport, Remark
from memtree.engine.importing.sources import Source, real_place, refuse_name
from memtree.engine.importing.walking import Format, Found
from memtree.engine.transcripts.agents import read_transcript
from memtree.engine.transcripts.finding import memory_files, transcript_files
from memtree.engine.transcripts.lines import UnreadableTranscript
from memtree.engine.transcripts.reading import CLAUDE_CODE, CODEX, OPENCLAW
from memtree.engine.writers.copies import Copies
from memtree.engine.writers.many_turns import TurnsReport, record_turns
from memtree.tree.agent_turn import AgentTurn

if TYPE_CHECKING:
    from memtree.engine.closing.closer import CloseReport
    from memtree.engine.workspace import Workspace

Progress = Callable[[int], None]
# Where the program keeps its things unless the variable says otherwise.
_HOMES = {
    CLAUDE_CODE: ("CLAUDE_CONFIG_DIR", "~/.claude"),
    CODEX: ("CODEX_HOME", "~/.codex"),
    OPENCLAW: ("OPENCLAW_HOME", "~/.openclaw"),
}
# Below these stand an agent's notes; what leads to them differs between machines.
_ANCHORS = ("projects", "memories_v2", "memories", "workspace")


@dataclass(slots=True)
class AgentReport:
    """What came of an agent's home: the turns of its transcripts, and its own notes (None where it keeps none).

    `closed` are the segments of the conversations that were closed with that.
    """

    agent: str
    turns: TurnsReport
    transcripts: int = 0
    notes: ImportReport | None = None
    closed: CloseReport | None = None
    remarks: list[Remark] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return self.turns.commit.changed or (self.notes is not None and self.notes.commit.changed)


def agent_home(agent: str, environment: dict[str, str]) -> str:
    """Where an agent's program keeps its things."""
    variable, usual = _HOMES[agent]
    return environment.get(variable) or usual


def import_agent(
    workspace: Workspace, agent: str, places: Sequence[str], *, dry_run: bool = False, progress: Progress | None = None
) -> AgentReport:
    """Bring an agent's conversations in as turns, and its notes as documents under its name; each only once.

    Raises NothingToImport where there are neither, else what the store raises.
    """
    workspace.store.recover()
    refuse_unready(workspace)
    refuse_name(workspace, agent)
    reading = _Reading(agent)
    roots = [real_place(workspace, place) for place in places]
    transcripts = [path for root in roots for path in transcript_files(agent, root, reading.tell) if path.endswith(".jsonl")]
    notes = [_found(path, root) for root in roots for path in memory_files(agent, root, reading.tell) if path.endswith(".md")]
    if not transcripts and not notes:
        raise NothingToImport(
            [Remark(root, f"without transcripts or notes of {agent}") for root in roots],
            hint=f"name the folder where {agent} keeps them, such as {_HOMES[agent][1]}",
        )
    message = f"import conversations of {agent}\n\nMemtree-Writer: import\nMemtree-Source: {agent}\n"
    turns = record_turns(
        workspace,
        lambda: reading.turns(transcripts, Copies(workspace.places.folder)),
        message=message,
        dry_run=dry_run,
        progress=progress,
    )
    report = AgentReport(agent, turns, len(transcripts), remarks=list(reading.remarks.values()))
    if not dry_run and turns.folders:
        report.closed = _closed(workspace, turns.folders)
    if notes:
        source = Source(agent, roots[0], tuple({one.id: one for one in notes}.values()))
        report.notes = import_from(workspace, [source], dry_run=dry_run, progress=progress)
    return report


def _closed(workspace: Workspace, folders: Sequence[str]) -> CloseReport:
    """Close what was brought in; a conversation that goes on is only closed as far as it has."""
    from memtree.engine.closing.closer import silent
    from memtree.engine.closing.ending import close_or_wait

    return close_or_wait(workspace, folders, whole=silent(workspace.options.clock(), workspace.settings.segments.close_idle))


class _Reading:
    """Reads transcripts one at a time; what could not be read is told once, however often they are read."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self.remarks: dict[tuple[str, str], Remark] = {}

    def tell(self, place: str, reason: str) -> None:
        self.remarks[place, reason] = Remark(place, reason)

    def turns(self, paths: Sequence[str], copies: Copies) -> Iterator[AgentTurn]:
        for path in paths:
            try:
                transcript = read_transcript(self._agent, path)
            except UnreadableTranscript as error:
                self.tell(path, str(error))
                continue
            for problem in transcript.problems:
                self.tell(path, problem)
            yield from (turn for turn in transcript.turns if self._agent != CLAUDE_CODE or not copies.left_out(turn))


def _found(path: str, root: str) -> Found:
    """An agent's note as a document. Its id is the same whichever folder above it was named."""
    parts = path.split(os.sep)
    below = max((at for at, part in enumerate(parts[:-1]) if part in _ANCHORS), default=-1)
    inner = (
        "/".join(parts[below + 1 :])
        if below >= 0
        else os.path.relpath(path, root if os.path.isdir(root) else os.path.dirname(root))
    )
    return Found(path, inner, Format.MARKDOWN)
