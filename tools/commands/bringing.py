"""import: bringing documents, mail and chats from elsewhere into memory."""

from __future__ import annotations

import itertools
import os
from collections import Counter
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
    some,
)
from memtree.tools.render_views import short
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.importing.report import ImportReport, Remark, SourceReport
    from memtree.engine.workspace import Workspace

_TOLD = 5
_ALL = "--json lists them all"


@click.command("import")
@click.argument("places", nargs=-1, required=True, metavar="SRC...")
@click.option("--source", "name", default="", metavar="NAME", help="What to call where they come from; else the folder's name.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@json_option
@opens_workspace
def import_(workspace: Workspace, places: tuple[str, ...], name: str, dry_run: bool, as_json: bool) -> None:
    """Bring files and folders from elsewhere into memory, as markdown, in one commit.

    Reads markdown, text, HTML, mail (.mbox, .eml) and chats (.jsonl, one turn a line). Run it again whenever you like: what is
    there already is left alone, what changed takes the old version's place, what is gone at the source stays.

    After the name of an agent, claude-code, codex or openclaw, its transcripts become turns and its own notes documents; without a
    SRC it looks where that program keeps them.

    Example: memtree import ~/Downloads/mail.mbox ~/old-notes

    Example: memtree import claude-code ~/.claude
    """
    from memtree.engine.transcripts.reading import AGENTS

    # A folder of that name that is meant itself is told apart by the path to it: ./codex
    if places[0] in AGENTS and (len(places) > 1 or not os.path.exists(places[0])):
        if name:
            raise click.UsageError("--source is for files and folders; an agent's turns stand under their sessions")
        _import_agent(workspace, places[0], places[1:], dry_run, as_json)
        return
    if not os.path.exists(places[0]) and (meant := [agent for agent in AGENTS if agent.startswith(places[0].lower())]):
        raise UserError(f"there is no {places[0]}", hint=f"for what that agent keeps: memtree import {meant[0]}")
    from memtree.engine.importing.importer import import_sources

    read = itertools.count(1)
    with progress("importing") as step:
        report = import_sources(workspace, places, name=name, dry_run=dry_run, progress=lambda _: step(next(read)))
    remarks = [*report.notes, *(_indexed(workspace) if report.commit.changed else ())]
    if as_json:
        screen().json(_as_json(report, dry_run, remarks))
        return
    _tell(report, dry_run, workspace.settings.content)
    notes(remarks)


def _import_agent(workspace: Workspace, agent: str, places: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    from memtree.engine.importing.agents import agent_home, import_agent
    from memtree.tools.commands.bringing_agents import agent_json, tell_agent

    read = itertools.count(1)
    with progress("importing") as step:
        chosen = places or (agent_home(agent, dict(os.environ)),)
        report = import_agent(workspace, agent, chosen, dry_run=dry_run, progress=lambda _: step(next(read)))
    remarks = [*report.turns.notes, *(_indexed(workspace) if report.changed else ())]
    if as_json:
        screen().json(agent_json(report, dry_run, remarks))
        return
    tell_agent(report, dry_run)
    notes(remarks)


def _indexed(workspace: Workspace) -> list[str]:
    with progress("indexing") as step:
        remarks = workspace.refresh_index(step)
    workspace.store.refresh_index_times()
    return remarks


def _tell(report: ImportReport, dry_run: bool, content: str) -> None:
    for source in report.sources:
        say(f"{source.name}: {_counts(source)}")
    if report.commit.changed and report.commit.after is not None:
        say(f"Imported as {short(report.commit.after)}, into {content}: {', '.join(_folders(report, content))}.")
    else:
        say("Nothing was written: this was a dry run." if dry_run else "Nothing new.")
    say_lines(conflict_lines(report.commit.conflicts, "save"))
    for source in report.sources:
        notes(some(_reasons("skipped", source.skipped), _TOLD, _ALL))
        notes(some(_reasons("read all the same", source.remarks), _TOLD, _ALL))


def _folders(report: ImportReport, content: str) -> list[str]:
    """Where the new files are, below the content folder: the names in there are made from the source."""
    inside = ("/".join(path.removeprefix(f"{content}/").split("/")[:2]) for path in report.commit.paths)
    return some(sorted(set(inside)), _TOLD, "memtree log shows them")


def _counts(source: SourceReport) -> str:
    told = [
        f"{source.imported:,} imported",
        f"{source.updated:,} updated",
        f"{source.unchanged:,} unchanged",
        f"{len(source.skipped):,} skipped",
    ]
    if source.superseded:
        told.insert(2, f"{counted(source.superseded, 'piece')} replaced")
    return ", ".join(told)


def _reasons(what: str, remarks: list[Remark]) -> list[str]:
    """A line a reason, so that a thousand pictures do not hide the one broken mail; the rarest first."""
    counts = Counter(remark.reason for remark in remarks)
    first = {remark.reason: remark.place for remark in reversed(remarks)}
    return [
        f"{what}: {first[reason]}{f' and {count - 1:,} more' if count > 1 else ''} ({reason})"
        for reason, count in sorted(counts.items(), key=lambda item: item[1])
    ]


def _as_json(report: ImportReport, dry_run: bool, remarks: list[str]) -> dict[str, object]:
    return {
        "commit": report.commit.after if report.commit.changed else None,
        "dry_run": dry_run,
        "sources": report.sources,
        "conflicts": report.commit.conflicts,
        "notes": remarks,
    }
