"""facts quarantine, diagnose, learn: what became of what was said on its way to be a fact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, progress, say, say_lines, screen, some
from memtree.tools.render import Look

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_TOLD = 20  # statements that are shown without --limit


@click.group()
def quarantine() -> None:
    """Show statements that were found in conversations and did not become facts, with the reason; keep or drop them.

    They lie in .git/memtree, without secrets, and are never synced; the oldest go by themselves.
    """


@quarantine.command("list")
@click.option("--reason", default="", metavar="WORD", help="Only what fell for this reason, such as transient_status.")
@click.option("--session", default="", metavar="ID", help="Only of this session.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=_TOLD, show_default=True, help="At most so many.")
@json_option
@opens_workspace
def quarantine_list(workspace: Workspace, reason: str, session: str, limit: int, as_json: bool) -> None:
    """List what fell, the newest first.

    Example: memtree facts quarantine list --reason activity_log
    """
    from memtree.engine.facts.quarantine import listed
    from memtree.tools.facts_view import quarantined_json, quarantined_lines
    from memtree.tree.episode import session_folder

    found = listed(workspace, session_folder(workspace.redactor.id(session)) if session.strip() else "")
    chosen = [one for one in found if reason.strip().casefold() in ("", one.reason)]
    if as_json:
        screen().json({"statements": [quarantined_json(one) for one in chosen[:limit]], "total": len(chosen)})
        return
    if not chosen:
        told = ", ".join(sorted({one.reason for one in found}))
        say(f"Nothing fell for that reason; there is {told}." if found else "Nothing is in quarantine.")
    say_lines(quarantined_lines(chosen[:limit]))
    if len(chosen) > limit:
        say(f"{limit:,} of {len(chosen):,}; --limit shows more", Look.FAINT)


@quarantine.command("keep")
@click.argument("statement", metavar="ID")
@json_option
@opens_workspace
def quarantine_keep(workspace: Workspace, statement: str, as_json: bool) -> None:
    """Make a statement a fact after all: you say that it lasts.

    Example: memtree facts quarantine keep q-3f1c2b4a
    """
    from memtree.engine.facts.quarantine import release
    from memtree.tools.facts_view import decision_json, decision_lines, fallen_json, fallen_lines

    learned = release(workspace, statement)
    remarks = [*learned.notes, *workspace.said(), *(workspace.refresh_index() if learned.commits else ())]
    if as_json:
        screen().json(
            {
                "commits": learned.commits,
                "decisions": [decision_json(one) for one in learned.decisions],
                "fallen": [fallen_json(one) for one in learned.fallen],
                "notes": remarks,
            }
        )
        return
    if not learned.decisions:
        say("It is no fact, and stays where it is.", Look.WARNING)
    say_lines([*decision_lines(learned.decisions), *fallen_lines(learned.fallen)])
    notes(remarks)


@quarantine.command("drop")
@click.argument("statements", nargs=-1, required=True, metavar="ID...")
@json_option
@opens_workspace
def quarantine_drop(workspace: Workspace, statements: tuple[str, ...], as_json: bool) -> None:
    """Remove statements from quarantine for good; what was said stays in its conversation.

    Example: memtree facts quarantine drop q-3f1c2b4a
    """
    from memtree.engine.facts.quarantine import drop, get
    from memtree.tools.facts_view import quarantined_json

    for one in statements:
        get(workspace, one)  # a wrong id among them removes none
    gone = [drop(workspace, one) for one in statements]
    if as_json:
        screen().json({"dropped": [quarantined_json(one) for one in gone]})
        return
    say(f"Dropped {counted(len(gone), 'statement')}.")


@click.command()
@click.argument("session")
@json_option
@opens_workspace
def diagnose(workspace: Workspace, session: str, as_json: bool) -> None:
    """Tell why a SESSION has the facts that it has, step by step, and where each statement fell.

    Example: memtree facts diagnose 2026-03-09-standup
    """
    from memtree.engine.facts.diagnosis import diagnose as look
    from memtree.tools.facts_view import diagnosis_lines, record_json

    found = look(workspace, session)
    if as_json:
        screen().json(
            {
                "session": found.session,
                "records": [record_json(one) for one in found.records],
                "waiting": found.waiting,
                "open_turns": found.open_turns,
                "dry": found.dry,
                "notes": found.notes,
            }
        )
        return
    say_lines(diagnosis_lines(found))
    notes(found.notes)


@click.command()
@click.argument("sessions", nargs=-1, metavar="[SESSION...]")
@click.option("--all", "every", is_flag=True, help="Of every session that was closed before facts were learned here.")
@click.option("--again", is_flag=True, help="Also of what was learned from before.")
@json_option
@opens_workspace
def learn(workspace: Workspace, sessions: tuple[str, ...], every: bool, again: bool, as_json: bool) -> None:
    """Learn facts from the closed parts of SESSIONS, now. It happens by itself when a conversation ends.

    Example: memtree facts learn --all
    """
    from memtree.engine.closing.later import Later
    from memtree.engine.facts.catching_up import learn_sessions

    if bool(sessions) == every:
        raise click.UsageError("name sessions, or say --all")
    with progress("looking for facts", "session") as step:
        found = learn_sessions(workspace, sessions, again=again, progress=step)
        report = Later(workspace).run_facts()
    remarks = [*report.notes, *workspace.said(), *(workspace.refresh_index() if report.done else ())]
    if as_json:
        screen().json({**_values(found), "done": report.done, "waiting": report.waiting, "busy": report.busy, "notes": remarks})
        return
    if report.busy:
        say("Another process is at it; what was found waits for it.")
    for line in some(report.done, _TOLD, "memtree facts list shows what there is now"):
        say(line)
    if not report.done and not report.busy:
        say("Nothing new was learned." if found.queued else "There is nothing to learn from that was not looked at before.")
    notes(remarks)


def _values(found: object) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(found)  # type: ignore[call-overload,no-any-return]
