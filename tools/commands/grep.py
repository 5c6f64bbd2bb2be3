"""grep: the lines of files that hold a text or match an expression."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.engine.asked import KINDS
from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Line, Look, Span

if TYPE_CHECKING:
    from memtree.engine.retrieval.file_search import FileAnswer
    from memtree.engine.workspace import Workspace

_MOST, _MOST_AROUND = 200, 5


@click.command()
@click.argument("pattern")
@click.option("--regex", is_flag=True, help="Take the pattern as a regular expression (RE2: no backreferences).")
@click.option(
    "--ignore-case/--match-case", default=None, help="Whether case counts; by default where PATTERN has a capital letter."
)
@click.option("-n", "--limit", type=click.IntRange(1, _MOST), default=20, show_default=True, help="At most this many lines.")
@click.option("-C", "--context", type=click.IntRange(0, _MOST_AROUND), default=0, help="Lines to show before and behind each.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind (repeatable).")
@click.option("--path", "folder", default="", metavar="PATTERN", help="Only below this folder, or matching this glob.")
@click.option("--since", metavar="WHEN", help="Only files from then on: 2026-03-31, 3d, 2w, yesterday.")
@click.option("--until", metavar="WHEN", help="Only files up to then.")
@json_option
@opens_workspace
def grep(
    workspace: Workspace,
    pattern: str,
    regex: bool,
    ignore_case: bool | None,
    limit: int,
    context: int,
    kinds: tuple[str, ...],
    folder: str,
    since: str | None,
    until: str | None,
    as_json: bool,
) -> None:
    """Find the lines that hold a text, or match an expression: by the letter, newest file first. search finds by words and meaning.

    Example: memtree grep "TODO" --path projects -C 1
    """
    from memtree.engine.asked import asked, folder_in
    from memtree.engine.retrieval.file_search import FileQuery, search_files

    typed = asked((pattern,), int(time.time()), kinds=kinds, since=since, until=until)
    remarks = workspace.capture_quietly()
    query = FileQuery(
        pattern, regex, ignore_case, folder_in(workspace, folder), typed.kinds, typed.since, typed.until, limit, context
    )
    found = search_files(workspace, query)
    if as_json:
        screen().json({**found._asdict(), "truncated": found.truncated, "notes": (*remarks, *found.notes)})
        return
    say_lines(_lines(found))
    if not found.hits:
        say(f"Nothing found in {counted(found.files, 'file')}.")
    elif found.truncated:
        where = counted(found.matched, "file")
        say(f"{len(found.hits):,} of {found.total:,} lines in {where}, newest files first; -n shows more.", Look.FAINT)
    notes((*remarks, *found.notes))


def _lines(found: FileAnswer) -> Iterator[Line]:
    """The lines with those around them, each once; `--` stands where something lies between."""
    matched = {(hit.path, hit.line) for hit in found.hits}
    shown: set[tuple[str, int]] = set()
    for hit in found.hits:
        first = hit.line - len(hit.before)
        around = bool(hit.before or hit.after)
        if around and shown and (hit.path, first - 1) not in shown and (hit.path, first) not in shown:
            yield (Span("--", Look.FAINT),)
        for number, text in enumerate((*hit.before, hit.text, *hit.after), first):
            place = (hit.path, number)
            if place in shown or (place in matched and number != hit.line):
                continue  # it comes, or came, as a line that matches
            shown.add(place)
            mark = ":" if number == hit.line else "-"
            look = Look.PLAIN if number == hit.line else Look.FAINT
            yield Span(f"{hit.path}{mark}{number}{mark} ", Look.PLACE), Span(text, look)
