"""profile: what memory has learned of its user, and what a person decides about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.engine.writers.profile import FacetView, ProfileItem, ProfileReport


@click.group()
def profile() -> None:
    """What memory has learned of you, and what you decide about it.

    The files are profile/FACET.md under the content root, to be edited like any other: words of yours are never changed.
    """


@profile.command("list")
@click.argument("facets", nargs=-1, metavar="[FACET...]")
@json_option
@opens_workspace
def profile_list(workspace: Workspace, facets: tuple[str, ...], as_json: bool) -> None:
    """Show the entries of every FACET, or of those that are named, with how often and when each was last said."""
    from memtree.engine.writers.profile import list_profile

    found = list_profile(workspace, facets)
    if as_json:
        screen().json(found)
        return
    shown = [view for view in found.facets if view.items or view.forgotten]
    if not shown:
        say("Nothing is known of you yet.")
    for number, view in enumerate(shown):
        if number:
            say("")
        say_lines(_lines(view))
    notes(found.notes)


def _lines(view: FacetView) -> Iterator[Line]:
    yield (Span(view.facet, Look.STRONG), Span(f"  {view.path}", Look.FAINT))
    for item in view.items:
        key = Span(f"{item.key}: ") if item.key else Span("")
        yield (Span("  "), key, Span(item.value), Span(f"  ({_standing(item)})", Look.FAINT))
    if view.forgotten:
        yield (Span(f"  not learned: {', '.join(view.forgotten)}", Look.FAINT),)


def _standing(item: ProfileItem) -> str:
    how = {"own": "written by hand", "edited": "edited by hand"}.get(item.sort)
    last = f", last {item.last_seen}" if item.last_seen else ""
    said = how or f"said {counted(item.count, 'time')}{last}"
    return f"pinned; {said}" if item.pinned else said


@profile.command("pin")
@click.argument("facet")
@click.argument("key")
@json_option
@opens_workspace
def profile_pin(workspace: Workspace, facet: str, key: str, as_json: bool) -> None:
    """Keep an entry as it is, whatever is learned.

    Example: memtree profile pin coding_style indentation
    """
    from memtree.engine.writers.profile import pin_entry

    _tell(pin_entry(workspace, facet, key), as_json=as_json)


@profile.command("unpin")
@click.argument("facet")
@click.argument("key")
@json_option
@opens_workspace
def profile_unpin(workspace: Workspace, facet: str, key: str, as_json: bool) -> None:
    """Let what is learned change an entry again."""
    from memtree.engine.writers.profile import pin_entry

    _tell(pin_entry(workspace, facet, key, pin=False), as_json=as_json)


@profile.command("forget")
@click.argument("facet")
@click.argument("key")
@json_option
@opens_workspace
def profile_forget(workspace: Workspace, facet: str, key: str, as_json: bool) -> None:
    """Take an entry out, and never learn it again. History keeps it: memtree forget takes a text out there too."""
    from memtree.engine.writers.profile import forget_key

    _tell(forget_key(workspace, facet, key), as_json=as_json)


@profile.command("learn-again")
@click.argument("facet")
@click.argument("key")
@json_option
@opens_workspace
def profile_learn_again(workspace: Workspace, facet: str, key: str, as_json: bool) -> None:
    """Let something that was forgotten be learned again."""
    from memtree.engine.writers.profile import learn_key_again

    _tell(learn_key_again(workspace, facet, key), as_json=as_json)


def _tell(report: ProfileReport, *, as_json: bool) -> None:
    if as_json:
        screen().json(
            {
                "message": report.message,
                "facet": report.facet,
                "key": report.key,
                "path": report.path,
                "changed": report.changed,
                "commit": report.commit.after if report.changed else None,
                "notes": report.notes,
            }
        )
        return
    say(report.message)
    notes(report.notes)
