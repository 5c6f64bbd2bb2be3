"""sync, pull, push: exchanging commits with other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
)
from memtree.tools.render import Look
from memtree.tools.render_views import change_lines

if TYPE_CHECKING:
    from memtree.engine.sync import SyncReport
    from memtree.engine.workspace import Workspace

_MOST = 20


@click.command()
@click.argument("remote", required=False)
@click.option("--accept-rewritten", is_flag=True, help="Go on although the remote's history was replaced.")
@click.option("--accept-unrelated", is_flag=True, help="Join a remote that has another history; nothing is dropped.")
@click.option("--allow-mass-delete", is_flag=True, help="Go on although very many files are gone, here or there.")
@json_option
@opens_workspace
def sync(
    workspace: Workspace, remote: str | None, accept_rewritten: bool, accept_unrelated: bool, allow_mass_delete: bool, as_json: bool
) -> None:
    """Capture edits, fetch, merge and push, with REMOTE or with all remotes.

    Nothing is lost: where both sides changed a note, both versions stay, and this says where.

    Example: memtree sync
    """
    from memtree.engine.sync import Accept

    accept = Accept(accept_rewritten, accept_unrelated, allow_mass_delete)
    _exchange(workspace, remote, accept, pull=True, push=True, as_json=as_json)


@click.command()
@click.argument("remote", required=False)
@json_option
@opens_workspace
def pull(workspace: Workspace, remote: str | None, as_json: bool) -> None:
    """Capture edits, fetch and merge, without pushing."""
    from memtree.engine.sync import Accept

    _exchange(workspace, remote, Accept(), pull=True, push=False, as_json=as_json)


@click.command()
@click.argument("remote", required=False)
@json_option
@opens_workspace
def push(workspace: Workspace, remote: str | None, as_json: bool) -> None:
    """Capture edits and push, without fetching."""
    from memtree.engine.sync import Accept

    _exchange(workspace, remote, Accept(), pull=False, push=True, as_json=as_json)


def _exchange(workspace: Workspace, remote: str | None, accept: object, *, pull: bool, push: bool, as_json: bool) -> None:
    from memtree.engine.maintain import is_due, maintain_quietly
    from memtree.engine.sync import Accept

    assert isinstance(accept, Accept)
    with progress("indexing") as step:
        reports, remarks = workspace.sync(remote, accept, pull=pull, push=push, allow_mass_delete=accept.mass_delete, progress=step)
    if as_json:
        screen().json({"remotes": reports, "notes": remarks})
    else:
        for report in reports:
            _tell(report)
        notes(remarks)
    if is_due(workspace):
        maintain_quietly(workspace)


def _moved(report: SyncReport) -> str:
    moved = (("received", report.received), ("sent", report.sent))
    return ", ".join(f"{verb} {counted(number, 'commit')}" for verb, number in moved if number) or "in step now"


def _tell(report: SyncReport) -> None:
    if not report.received and not report.sent and report.before == report.after:
        say(f"{report.remote}: already in step.")
        return
    say(f"{report.remote}: {_moved(report)}.")
    say_lines(change_lines(report.changes[:_MOST]))
    if len(report.changes) > _MOST:
        say(f"... and {len(report.changes) - _MOST:,} more", Look.FAINT)
    for path in report.outside_edits:
        say(f"{path}: an edit made meanwhile was committed and merged with", Look.FAINT)
    say_lines(conflict_lines(report.conflicts, "sync"))
