"""save, search: putting memory in and finding it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memtree.engine.asked import KINDS, MODES, MOST, answer, asked
from memtree.hooks.daemon.client import other_version
from memtree.hooks.place import find_place
from memtree.tools.answers import show_answer
from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, progress, say, say_lines, screen, some
from memtree.tools.render import Look
from memtree.tools.render_views import change_lines, short

if TYPE_CHECKING:
    from memtree.engine.workspace import SaveReport, Workspace


@click.command()
@click.option("-m", "--message", default="", help="What to say of this save.")
@click.option("--allow-mass-delete", is_flag=True, help="Commit although very many files are gone.")
@click.option("--include-staged", is_flag=True, help="Also commit what you have staged with git add.")
@json_option
@opens_workspace
def save(workspace: Workspace, message: str, allow_mass_delete: bool, include_staged: bool, as_json: bool) -> None:
    """Commit every edit made outside: in an editor, by an agent, by another program.

    Example: memtree save -m "notes from the meeting"
    """
    with progress("indexing") as step:
        report = workspace.save(message, allow_mass_delete=allow_mass_delete, include_staged=include_staged, progress=step)
    busy = workspace.repo.busy_with()
    if busy and not report.commit.changed and report.survey.left:
        from memtree.engine.store.report import GitBusy

        raise GitBusy(busy)
    if as_json:
        screen().json(_as_json(report))
        return
    if report.commit.changed and report.commit.after is not None:
        say(f"Saved {counted(len(report.changes), 'file')} as {short(report.commit.after)}.")
        say_lines(change_lines(report.changes[:20]))
        if len(report.changes) > 20:
            say(f"... and {len(report.changes) - 20:,} more", Look.FAINT)
    else:
        say(f"Nothing to save{_where(workspace)}.")
    if report.survey.staged:
        names = ", ".join(report.survey.staged[:5])
        notes([f"left as you staged them: {names} (git commit them, or save --include-staged)"])
    left = [f"left alone: {left.path} ({left.reason})" for left in report.survey.left]
    notes(some(left, 5, "memtree status lists them"))
    notes(report.notes)


def _where(workspace: Workspace) -> str:
    """Where memtree looks, when that is not everywhere: who edits elsewhere must not think that it was saved."""
    content = workspace.settings.content
    return "" if "**" in workspace.settings.capture else f" in {content}/ and what capture in memtree.toml names"


def _as_json(report: SaveReport) -> dict[str, object]:
    return {
        "commit": report.commit.after if report.commit.changed else None,
        "head": report.commit.after,
        "changes": report.changes,
        "staged": report.survey.staged,
        "left": report.survey.left,
        "notes": report.notes,
    }


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", type=click.IntRange(1, MOST), default=10, show_default=True, help="At most this many hits.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind (repeatable).")
@click.option("--path", "folder", default="", metavar="PATTERN", help="Only below this folder, or matching this glob.")
@click.option("--since", metavar="WHEN", help="Only from then on: 2026-03-31, 3d, 2w, yesterday.")
@click.option("--until", metavar="WHEN", help="Only up to then.")
@click.option("--mode", type=click.Choice(MODES), help="Words and meaning (default), words, or meaning.")
@click.option("--explain", is_flag=True, help="Show what each score is made of.")
@json_option
@opens_workspace
def search(
    workspace: Workspace,
    query: tuple[str, ...],
    limit: int,
    kinds: tuple[str, ...],
    folder: str,
    since: str | None,
    until: str | None,
    mode: str | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Find notes by words and meaning, best first. Any text is a fine query; edits just saved are found.

    Example: memtree search certificate renewal --since 30d --path projects
    """
    with progress("indexing") as step:
        typed = asked(query, int(time.time()), limit=limit, kinds=kinds, folder=folder, since=since, until=until, mode=mode)
        place = find_place(workspace.root)
        remarks = other_version(place) if place is not None else []
        found = answer(workspace, typed, remarks=remarks, progress=step)
    show_answer(found, narrowed=typed.narrowed, explain=explain, as_json=as_json)
