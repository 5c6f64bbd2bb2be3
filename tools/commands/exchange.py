"""sync, pull, push: exchanging commits with other machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from memtree.tools.commands.common import (
    conflict_lines,
    counted,
    json_option,
    notes,
    opens_workspace,
    progress,
    say,
    say_lines,
    screen,
    status_line,
)
from memtree.tools.exits import explain
from memtree.tools.render import Look
from memtree.tools.render_views import change_lines

if TYPE_CHECKING:
    from memtree.engine.exchange import Exchanged, PlannedSync, Wanted
    from memtree.engine.sync import SyncReport
    from memtree.engine.workspace import Workspace
    from memtree.tree.objects import Change

_MOST = 20


def _dry_run_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--dry-run", is_flag=True, help="Ask the remotes and print the plan; change nothing.")(command)


@click.command()
@click.argument("remote", required=False)
@click.option("--accept-rewritten", is_flag=True, help="Go on although the remote's history was replaced.")
@click.option("--accept-unrelated", is_flag=True, help="Join a remote that has another history; nothing is dropped.")
@click.option("--allow-mass-delete", is_flag=True, help="Go on although very many files are gone, here or there.")
@_dry_run_option
@json_option
@opens_workspace
def sync(
    workspace: Workspace,
    remote: str | None,
    accept_rewritten: bool,
    accept_unrelated: bool,
    allow_mass_delete: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Capture edits, fetch, merge and push, with REMOTE or with all remotes.

    Nothing is lost: what both sides changed is merged, or both versions stay, and this says where.

    Example: memtree sync
    """
    from memtree.engine.arrivals import Accept
    from memtree.engine.exchange import Wanted

    accept = Accept(accept_rewritten, accept_unrelated, allow_mass_delete)
    _run(workspace, Wanted(remote, accept, allow_mass_delete=allow_mass_delete), dry_run, as_json)


@click.command()
@click.argument("remote", required=False)
@_dry_run_option
@json_option
@opens_workspace
def pull(workspace: Workspace, remote: str | None, dry_run: bool, as_json: bool) -> None:
    """Capture edits, fetch and merge, without pushing."""
    from memtree.engine.exchange import Wanted

    _run(workspace, Wanted(remote, push=False), dry_run, as_json)


@click.command()
@click.argument("remote", required=False)
@_dry_run_option
@json_option
@opens_workspace
def push(workspace: Workspace, remote: str | None, dry_run: bool, as_json: bool) -> None:
    """Capture edits and push; what the remote has is looked at for alarms, not merged."""
    from memtree.engine.exchange import Wanted

    _run(workspace, Wanted(remote, pull=False), dry_run, as_json)


def _run(workspace: Workspace, wanted: Wanted, dry_run: bool, as_json: bool) -> None:
    from memtree.engine.exchange import exchange, plan
    from memtree.engine.maintain import is_due, maintain_quietly

    with status_line() as show, progress("indexing") as count:

        def step(text: str) -> None:
            show(f"{text} ...")

        if dry_run:
            planned = plan(workspace, wanted, say=step)
        else:
            done = exchange(workspace, wanted, say=step, progress=count)
    if dry_run:
        _tell_plan(workspace, planned, as_json)
        return
    _tell_all(done, as_json)
    if is_due(workspace):
        maintain_quietly(workspace)
    for _, error in sorted(done.failures, key=lambda failure: _passing(failure[1]))[:1]:
        if as_json and done.reports:
            raise click.exceptions.Exit(explain(error).code)  # it was told among the results: one answer is one object
        raise error


def _passing(error: Exception) -> bool:
    from memtree.tree.errors import TransientError

    return isinstance(error, TransientError)


def _tell_all(done: Exchanged, as_json: bool) -> None:
    failures = [{"remote": remote, "error": str(error), "hint": error.hint} for remote, error in done.failures]
    if as_json:
        # With one remote, or when all of them failed, the error itself says everything.
        if done.reports:
            screen().json({"remotes": done.reports, "failed": failures, "notes": done.notes})
        return
    for report in done.reports:
        _tell(report)
    # The worst one is told as the command's own error.
    worst = sorted(done.failures, key=lambda failure: _passing(failure[1]))[1:]
    notes([*done.notes, *(f"{remote}: {error}; {error.hint}" for remote, error in worst)])


def _moved(received: int, sent: int, verbs: tuple[str, str]) -> str:
    moved = ((verbs[0], received), (verbs[1], sent))
    return ", ".join(f"{verb} {counted(number, 'commit')}" for verb, number in moved if number)


def _tell(report: SyncReport) -> None:
    if not report.received and not report.sent and report.before == report.after:
        say(f"{report.remote}: already in step.")
        return
    say(f"{report.remote}: {_moved(report.received, report.sent, ('received', 'sent')) or 'in step now'}.")
    _tell_changes(report.changes)
    for path in report.outside_edits:
        say(f"{path}: an edit made meanwhile was committed and merged with", Look.FAINT)
    say_lines(conflict_lines(report.conflicts, "sync"))


def _tell_changes(changes: tuple[Change, ...]) -> None:
    say_lines(change_lines(changes[:_MOST]))
    if len(changes) > _MOST:
        say(f"... and {len(changes) - _MOST:,} more", Look.FAINT)


def _tell_plan(workspace: Workspace, planned: list[PlannedSync], as_json: bool) -> None:
    unsaved = workspace.capture.survey().due
    if as_json:
        screen().json({"remotes": planned, "unsaved": unsaved})
        return
    if unsaved:
        say(f"would first save {counted(len(unsaved), 'edited file')}", Look.FAINT)
    for one in planned:
        moved = _moved(one.receives, one.sends, ("would receive", "would send"))
        if one.alarm:
            say(f"{one.remote}: would stop{f'; allowed to go on, it {moved}' if moved else ''}.")
        else:
            say(f"{one.remote}: {moved or 'nothing to do'}.")
        _tell_changes(one.changes)
        say_lines(conflict_lines(one.conflicts, "sync"))
        notes([f"{one.remote}: {words}" for words in (one.alarm, one.blocked) if words])
