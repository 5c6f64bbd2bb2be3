"""wiki: the summaries of what memory holds, by source and by day, week and month."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, say, say_lines, screen, some, status_line
from memtree.tools.render import Look, table
from memtree.tools.render_views import short

if TYPE_CHECKING:
    from memtree.engine.wiki.building import WikiReport
    from memtree.engine.wiki.leaves import LeftOut
    from memtree.engine.wiki.status import NamespaceStatus, WikiStatus
    from memtree.engine.workspace import Workspace

_TOLD = 5


@click.group()
def wiki() -> None:
    """Summaries of what memory holds, each leading to what it was made from: by source, and by day, week and month."""


@wiki.command("build")
@click.option("--flush", is_flag=True, help="Also put under a node what would wait for more to come.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Make at most so many summaries.")
@json_option
@opens_workspace
def wiki_build(workspace: Workspace, flush: bool, limit: int | None, as_json: bool) -> None:
    """Make the summaries that are due, and make anew those whose files changed; on the librarian machine.

    Example: memtree wiki build --flush
    """
    from memtree.engine.wiki.building import build

    remarks = workspace.capture_quietly()
    with _progress() as step:
        report = build(workspace, flush=flush, limit=limit, progress=step)
    remarks += [*workspace.said(), *(workspace.refresh_index() if report.commit.changed else ())]
    if as_json:
        screen().json(
            {
                "commit": report.commit.after if report.commit.changed else None,
                "made": report.made,
                "removed": report.removed,
                "more": report.more,
                "edited": report.edited,
                "unreadable": report.unreadable,
                "left_out": [one._asdict() for one in report.left_out],
                "notes": remarks,
            }
        )
        return
    _tell(report, workspace.settings.content)
    notes([*remarks, *_left_out(report.left_out)])


@wiki.command("status")
@json_option
@opens_workspace
def wiki_status(workspace: Workspace, as_json: bool) -> None:
    """Show the trees, what waits for a node or for a model, and what a person edited."""
    from memtree.engine.wiki.status import wiki_status as look

    found = look(workspace)
    if as_json:
        trees = [{**_values(one), "levels": {str(level): count for level, count in one.nodes.items()}} for one in found.namespaces]
        screen().json(
            {
                "enabled": found.enabled,
                "librarian": found.librarian,
                "here": found.here,
                "nodes": found.nodes,
                "trees": trees,
                "due": found.due,
                "stale": found.stale,
                "for_a_model": found.for_a_model,
                "model": found.model,
                "edited": found.edited,
                "outdated": found.outdated,
                "left_out": [one._asdict() for one in found.left_out],
                "notes": workspace.said(),
            }
        )
        return
    _tell_status(found)
    notes([*workspace.said(), *_left_out(found.left_out)])


def _tell(report: WikiReport, content: str) -> None:
    if report.commit.changed and report.commit.after is not None:
        gone = f", {report.removed:,} out of date removed" if report.removed else ""
        say(f"Made {_summaries(report.made)}{gone}, as {short(report.commit.after)}, in {content}/wiki/summaries.")
    else:
        say("Nothing is due.")
    if report.more:
        say("More are due: the same command goes on.", Look.FAINT)
    for path in some(report.edited, _TOLD, "memtree wiki status shows them"):
        say(f"Yours, and no longer what lies below: {path}", Look.WARNING)
    for path in some(report.unreadable, _TOLD, "memtree wiki build --json shows them"):
        say(f"Passed over, it could not be read: {path}", Look.WARNING)


def _tell_status(found: WikiStatus) -> None:
    if found.namespaces:
        say_lines(table(("TREE", "SUMMARIES", "LEAVES COVERED", "LEAVES WAITING"), [_row(one) for one in found.namespaces]))
    else:
        say("There is nothing to summarise yet: notes, imported documents and closed conversations are.")
    if not found.enabled:
        say("The summary tree is switched off: [wiki] enabled = false.", Look.WARNING)
    elif found.here:
        more = f", {found.stale:,} of them to replace one" if found.stale else ""
        say(f"{_summaries(found.due)} due{more}: memtree wiki build" if found.due else "Nothing is due.")
    else:
        who = f"on {found.librarian}" if found.librarian else "nowhere yet: memtree librarian take makes this machine the one"
        say(f"Summaries are made {who}.")
    if found.for_a_model:
        how = "in the background" if found.model else "no model is configured"
        say(f"{_summaries(found.for_a_model)} could be told better by a model ({how}).", Look.FAINT)
    for path in some(found.edited, _TOLD, "memtree wiki status --json shows them"):
        say(f"Yours{', and no longer what lies below' if path in found.outdated else ''}: {path}", Look.FAINT)


def _row(one: NamespaceStatus) -> tuple[str, str, str, str]:
    levels = ", ".join(f"L{level}: {count:,}" for level, count in one.nodes.items())
    waiting = f"{one.unsealed_leaves:,} ({one.unsealed_tokens:,} tokens)" if one.unsealed_leaves else ""
    return one.namespace, levels or "none", f"{one.sealed_leaves:,}" if one.source else "", waiting


def _values(one: NamespaceStatus) -> dict[str, object]:
    return {
        "namespace": one.namespace,
        "source": one.source,
        "sealed_leaves": one.sealed_leaves,
        "unsealed_leaves": one.unsealed_leaves,
        "unsealed_tokens": one.unsealed_tokens,
    }


def _left_out(found: tuple[LeftOut, ...]) -> list[str]:
    told = [f"{path} is not summarised: {reason}" for path, reason in found]
    return some(told, _TOLD, "memtree wiki status --json shows them")


def _summaries(count: int) -> str:
    return f"{count:,} summar{'y' if count == 1 else 'ies'}"


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str, int], None]]:
    with status_line() as show:

        def step(what: str, done: int) -> None:
            show(f"{what}: {counted(done, 'file') if what == 'reading' else _summaries(done)}")

        yield step
