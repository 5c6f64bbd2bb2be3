"""forget: a text leaves every file and every index, and history as far as that can be done."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.engine.typed_paths import NoSuchPath, path_in, readings
from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, progress, say_lines, screen
from memtree.tools.render import Line, Look, Span
from memtree.tools.render_views import short, when
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.forgetting import ForgetPlan, ForgetReport, Target
    from memtree.engine.traces import Pushed
    from memtree.engine.workspace import Workspace
    from memtree.tree.paths import RepoPath

_LINES = re.compile(r"(.+):([0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*)")
_MOST = 20
_LONGEST = 100_000  # lines; a larger range is a slip


@click.command()
@click.argument("target", required=False, metavar="[PATH[:LINES]]")
@click.option("--match", metavar="TEXT", help="Forget this text wherever it stands (below PATH); - reads it from standard input.")
@click.option("--purge", is_flag=True, help="Also rewrite the commits that were never pushed, and remove what held it.")
@click.option("--dry-run", is_flag=True, help="Only show what would be forgotten.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@opens_workspace
def forget(
    workspace: Workspace, target: str | None, match: str | None, purge: bool, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Take a text out of every file and both indexes: a file, lines of it, or what --match names.

    A stub stays where it was, so that an edit made elsewhere meanwhile does not bring it back. What was pushed already is out of
    reach: this tells where it is, and what to do. LINES are such as 12, 12-18 or 12,20-22.

    Example: memtree forget notes/door.md:12-18 --purge
    """
    from memtree.engine import forgetting

    asks = sys.stdin.isatty() and sys.stdout.isatty() and not (yes or as_json or match == "-")
    if purge and not (asks or yes or dry_run):
        raise UserError("--purge rewrites history, and nobody can be asked", hint="look at it with --dry-run, then add --yes")
    wanted = _target(workspace, target, match, history=purge or dry_run)
    if dry_run or asks:
        found = forgetting.plan(workspace, wanted)
        if not as_json:
            say_lines(_told(found, "would be forgotten"))
            say_lines(_history(found, unpushed=True))
        elif dry_run:
            screen().json(_as_json(found, None))
        if dry_run or not click.confirm("Forget it?"):
            return
    with progress("indexing") as step:
        report = forgetting.forget(workspace, wanted, history=purge, progress=step)
    if as_json:
        screen().json(_as_json(report.done, report))
        return
    say_lines(_told(report.done, "forgotten"))
    say_lines(_purged(report))
    say_lines(_history(report.done, unpushed=not purge))
    if report.done.places:
        say_lines([(Span("Reload these files in editors that have them open: a save could bring the text back.", Look.FAINT),)])
    notes(report.notes)


def _target(workspace: Workspace, typed: str | None, match: str | None, *, history: bool) -> Target:
    from memtree.engine.forgetting import NOWHERE, Target

    if match is not None:
        text = sys.stdin.read().removesuffix("\n") if match == "-" else match
        return Target(path_in(workspace, typed) if typed else NOWHERE, (), text)
    if typed is None:
        raise UserError("nothing to forget was named", hint="memtree forget PATH, PATH:LINES or --match TEXT")
    named = _LINES.fullmatch(typed)
    if named and not os.path.lexists(typed):
        return Target(path_in(workspace, named[1]), tuple(_numbers(named[2])))
    path = _anywhere(workspace, typed) if history else path_in(workspace, typed)
    if not path:
        raise UserError("the whole workspace is not forgotten", hint="delete the folder, and the remote where it was pushed to")
    return Target(path)


def _anywhere(workspace: Workspace, typed: str) -> RepoPath:
    """A path that stands here, else one that only history has."""
    from memtree.engine.history import LogQuery, log

    try:
        return path_in(workspace, typed)
    except NoSuchPath:
        tip = workspace.repo.tip("HEAD")
        for path in readings(workspace, typed):
            if tip is not None and next(log(workspace.repo, tip, LogQuery(path)), None) is not None:
                return path
        raise


def _numbers(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not int(first) <= int(last or first) < int(first) + _LONGEST:
            raise UserError(f"{part} is no range of lines", hint="such as 12, 12-18 or 12,20-22")
        yield from range(int(first), int(last or first) + 1)


def _told(found: ForgetPlan, what: str) -> Iterator[Line]:
    from memtree.engine.forgetting import spelled

    if found.places:
        files = counted(len(found.places), "file")
        yield (Span(f"{counted(found.count, 'place')} in {files} {what}:", Look.STRONG),)
    for place in found.places[:_MOST]:
        yield (Span(f"  {place.path}", Look.PLACE), Span(f"  {spelled(place.lines) if place.lines else 'the whole file'}"))
    if len(found.places) > _MOST:
        yield (Span(f"  and {counted(len(found.places) - _MOST, 'more file')}", Look.FAINT),)
    if found.waiting:
        yield (Span(f"{counted(found.waiting, 'event')} of agents, not recorded yet, {what}.", Look.STRONG),)
    for path in found.left[:_MOST]:
        yield (Span(f"  {path}: not looked into, its git filter is not set up here", Look.WARNING),)


def _purged(report: ForgetReport) -> Iterator[Line]:
    done = report.purged
    if done is None:
        return
    yield (Span(f"{counted(done.commits, 'commit')} rewritten, {counted(done.objects, 'object')} removed for good."),)
    for name in done.still:
        yield (Span(f"still held by {name}: delete it with git, and run this again", Look.WARNING),)


def _history(found: ForgetPlan, *, unpushed: bool) -> Iterator[Line]:
    if unpushed and found.unpushed:
        yield (Span(f"History holds it in {counted(found.unpushed, 'commit')} that no remote has: --purge rewrites them."),)
    if unpushed:
        for name in found.elsewhere:
            yield (Span(f"{name} holds it too, and is not rewritten", Look.WARNING),)
    if found.pushed:
        yield from (_there(one) for one in found.pushed)
        yield from ((Span(step),) for step in _STEPS)


def _there(one: Pushed) -> Line:
    still = "" if one.newest else " (in older versions only)"
    return (Span(f"{one.branch} holds it since {short(one.since)} of {when(one.time)}{still}.", Look.WARNING),)


_STEPS = (
    "What was pushed, memtree cannot take back. What can:",
    "  1. If it is a secret, change it now: whoever fetched it has it.",
    "  2. Replace the remote: push to a new, empty repository and delete the old one, or rewrite it (git filter-repo",
    "     --replace-text, then a forced push) and ask its host to drop what is unreachable.",
    "  3. On every machine: delete the old folder and memtree clone again. A machine that syncs its old one brings it back.",
)


def _as_json(found: ForgetPlan, report: ForgetReport | None) -> dict[str, object]:
    return {
        "places": found.places,
        "unpushed": found.unpushed,
        "pushed": found.pushed,
        "elsewhere": found.elsewhere,
        "left": found.left,
        "waiting": found.waiting,
        "commit": report.commit if report is not None else None,
        "purged": report.purged if report is not None else None,
        "notes": report.notes if report is not None else (),
    }
