"""memory: the entries of MEMORY.md and SKILL.md: listed, added to, a section replaced."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Look, table
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.engine.writers.memory_md import MemoryLine, MemoryReport

_FILES = ("MEMORY.md", "SKILL.md")
_CATEGORIES = ("pattern", "mistake", "preference", "fact")
_SHOWN = 200  # characters of an entry in the list


@click.group()
def memory() -> None:
    """What agents and you have noted for good: the entries of MEMORY.md and SKILL.md."""


@memory.command("list")
@click.option("--file", "file", type=click.Choice(_FILES), help="Only this file.")
@click.option("--section", default="", metavar="TITLE", help="Only this section.")
@json_option
@opens_workspace
def memory_list(workspace: Workspace, file: str | None, section: str, as_json: bool) -> None:
    """List the entries as they are on the disk, with file, line, section and id.

    Example: memtree memory list --section Preferences
    """
    from memtree.tree.memory_sections import title_of

    sought = title_of(section).casefold()
    found = [(name, title, line) for name, title, line in _entries(workspace, file) if not sought or title.casefold() == sought]
    if as_json:
        screen().json([{"file": name, "section": title, **_entry(line)} for name, title, line in found])
        return
    if not found:
        where = f" in {file}" if file else ""
        say("There is no such entry." if section else f"There is no entry{where} yet.")
        return
    rows = [(f"{name}:{line.first}", title, _shown(line.text)) for name, title, line in found]
    say_lines(table(("WHERE", "SECTION", "ENTRY"), rows))


def _entries(workspace: Workspace, file: str | None) -> Iterator[tuple[str, str, MemoryLine]]:
    from memtree.engine.reading import NotReadable, on_disk
    from memtree.engine.writers.memory_md import memory_entries
    from memtree.tree.paths import RepoPath

    for name in (file,) if file else _FILES:
        try:
            data, _ = on_disk(workspace, RepoPath(name))
        except NotReadable:
            if workspace.store.working_copy.content(RepoPath(name)) is not None:
                raise  # a link, or no text
            continue
        yield from ((name, title, line) for title, line in memory_entries(data))


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


@memory.command("append")
@click.argument("content", nargs=-1, required=True, metavar="TEXT")
@click.option("--file", "file", type=click.Choice(_FILES), default="MEMORY.md", show_default=True, help="The file to add to.")
@click.option("--category", default="", metavar="KIND", help=f"What it is: {', '.join(_CATEGORIES)}. Each has its section.")
@click.option("--section", default="", metavar="TITLE", help="The section, made when it is not there; else Notes.")
@json_option
@opens_workspace
def memory_append(workspace: Workspace, content: tuple[str, ...], file: str, category: str, section: str, as_json: bool) -> None:
    """Add a statement as an entry; - reads from standard input. What says the same as an entry that is there is not added.

    Each list item or paragraph is an entry. Any other text (code, tables, nested lists) is added whole.

    Example: memtree memory append "Prefers tabs to spaces." --category preference
    """
    from memtree.engine.writers.memory_md import update_memory_md

    text = _text(" ".join(content))
    report = update_memory_md(workspace, file, "append", text, section_title=section, category=category, writer="cli")
    _tell(report, as_json=as_json)


@memory.command("replace-section")
@click.argument("title")
@click.argument("content", nargs=-1, metavar="[TEXT]")
@click.option("--file", "file", type=click.Choice(_FILES), default="MEMORY.md", show_default=True, help="The file it is in.")
@click.option("--clear", is_flag=True, help="Leave nothing but the heading.")
@json_option
@opens_workspace
def memory_replace_section(
    workspace: Workspace, title: str, content: tuple[str, ...], file: str, clear: bool, as_json: bool
) -> None:
    """Replace what stands under a heading; - reads from standard input. The other sections stay byte for byte.

    Entries that stay keep their ids. A section that is not there is made.

    Example: memtree memory replace-section Facts "- Staging runs on port 8443."
    """
    from memtree.engine.writers.memory_md import update_memory_md

    if clear == bool(content):
        raise UserError("give either a text or --clear", hint="memtree memory replace-section TITLE TEXT, or TITLE --clear")
    text = _text(" ".join(content))
    if not (text.strip() or clear):
        raise UserError("the text is empty", hint="--clear leaves nothing but the heading")
    _tell(update_memory_md(workspace, file, "replace_section", text, section_title=title, writer="cli"), as_json=as_json)


def _text(given: str) -> str:
    return sys.stdin.read() if given == "-" else given


def _tell(report: MemoryReport, *, as_json: bool) -> None:
    if as_json:
        screen().json(_as_json(report))
        return
    say(report.message, Look.PLAIN if report.stored else Look.WARNING)
    notes(report.notes)


def _as_json(report: MemoryReport) -> dict[str, object]:
    return {
        "file": report.file,
        "stored": report.stored,
        "made": report.made.value,
        "section": report.section,
        "entries": [{**_entry(line), "stored": line.stored} for line in report.entries],
        "first_line": report.first,
        "last_line": report.last,
        "bytes": report.size,
        "lines": report.lines,
        "commit": report.commit.after,
        "on_disk": report.on_disk,
        "notes": report.notes,
    }


def _entry(line: MemoryLine) -> dict[str, object]:
    return {"id": line.id, "text": line.text, "first_line": line.first, "last_line": line.last}
