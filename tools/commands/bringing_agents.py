"""What an import of an agent's conversations tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtree.tools.commands.common import counted, notes, say, some
from memtree.tools.render_views import short

if TYPE_CHECKING:
    from memtree.engine.importing.agents import AgentReport

_TOLD = 5
_ALL = "--json lists them all"


def tell_agent(report: AgentReport, dry_run: bool) -> None:
    """Say what came of an agent's transcripts and notes."""
    turns = report.turns
    say(
        f"{report.agent}: {counted(turns.stored, 'turn')} recorded, {turns.grown:,} grown, {turns.known:,} known, "
        f"of {counted(turns.sessions, 'session')} in {counted(report.transcripts, 'transcript')}"
    )
    for source in report.notes.sources if report.notes is not None else ():
        say(
            f"{report.agent}'s own notes: {source.imported:,} imported, {source.updated:,} updated, "
            f"{source.unchanged:,} unchanged, {len(source.skipped):,} skipped"
        )
    if dry_run:
        say("Nothing was written: this was a dry run.")
    elif not report.changed:
        say("Nothing new.")
    elif turns.commit.changed and turns.commit.after is not None:
        say(f"Recorded as {short(turns.commit.after)}.")
    if report.closed is not None and report.closed.closed:
        closed = report.closed
        say(f"Closed {counted(len(closed.closed), 'segment')} of {counted(closed.sessions, 'conversation')}, each with a recap.")
    refused = [f"not recorded: a turn of session {session!r} ({reason})" for session, reason in turns.refused]
    skipped = [f"{one.place}: {one.reason}" for one in report.remarks]
    if report.notes is not None:
        skipped += [f"{one.place}: {one.reason}" for source in report.notes.sources for one in (*source.skipped, *source.remarks)]
    unclosed = report.closed.notes if report.closed is not None else []
    notes([*some(unclosed, _TOLD, _ALL), *some(refused, _TOLD, _ALL), *some(skipped, _TOLD, _ALL)])


def agent_json(report: AgentReport, dry_run: bool, remarks: list[str]) -> dict[str, object]:
    """The same for a program."""
    turns = report.turns
    return {
        "agent": report.agent,
        "dry_run": dry_run,
        "transcripts": report.transcripts,
        "turns": {"stored": turns.stored, "grown": turns.grown, "known": turns.known, "sessions": turns.sessions},
        "refused": [{"session": session, "reason": reason} for session, reason in turns.refused],
        "commit": turns.commit.after if turns.commit.changed else None,
        "closed": report.closed.closed if report.closed is not None else (),
        "own_notes": report.notes.sources if report.notes is not None else (),
        "remarks": report.remarks,
        "notes": [*remarks, *(report.closed.notes if report.closed is not None else ())],
    }
