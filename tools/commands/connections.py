"""What `hooks` and `mcp` share: connecting a program's settings, and telling what was done."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from memtree.hooks.connect.command_line import program_words
from memtree.hooks.connect.connecting import Connection, Outcome, Target, connect, connected_to, disconnect
from memtree.hooks.connect.errors import NotASettingsFile, UnusableSettings
from memtree.hooks.place import find_place
from memtree.tools.commands.common import say, say_lines, screen
from memtree.tools.exits import explain
from memtree.tools.render import Line, Look, Span, table
from memtree.tree.redactor import Redactor

_AROUND = 1  # lines of a diff beside what changed: settings hold much that is nobody's business


def dry_run_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --dry-run to a command that changes settings."""
    return click.option("--dry-run", is_flag=True, help="Show what would change in the settings; write nothing.")(command)


def install(target: Target, by: str, root: str, *, dry_run: bool, as_json: bool) -> None:
    """Connect a program to the workspace at `root` and tell what was done; `by` is what connects them, such as `hooks`."""
    program = program_words(shutil.which("memtree"), sys.argv[0], sys.executable)
    done = connect(target, program, root, dry_run=dry_run)
    if as_json:
        screen().json(_shown(done, by, root, dry_run=dry_run))
        return
    if dry_run:
        _tell_dry_run(done)
        return
    if done.outcome is Outcome.ALREADY:
        say(f"{done.title} is connected to {root} by {by} already; nothing was changed.")
        return
    say(f"{done.title} is connected to {root} by {by} now ({done.path}).")
    if done.outcome is Outcome.MOVED:
        say(f"Before, it was connected to {done.previous or 'the workspace of the folder it runs in'}.")
    for note in done.notes:
        say(note)


def uninstall(target: Target, by: str, *, dry_run: bool, as_json: bool) -> None:
    """Disconnect a program and tell what was done."""
    done = disconnect(target, dry_run=dry_run)
    if as_json:
        screen().json(_shown(done, by, None, dry_run=dry_run))
    elif dry_run:
        _tell_dry_run(done)
    elif done.outcome is Outcome.NOT_CONNECTED:
        say(f"{done.title} is not connected by {by}; nothing was changed.")
    else:
        say(f"{done.title} is not connected by {by} any more ({done.path}).")
        for note in done.notes:
            say(note)


def tell_status(targets: Iterable[tuple[str, Target]], *, more: Iterable[dict[str, str]] = (), as_json: bool) -> None:
    """List which programs, by name, are connected to which workspace; `more` are rows that are known already."""
    found = [*(_standing(name, target) for name, target in targets), *more]
    if as_json:
        screen().json({"connections": found})
        return
    rows = [(one["agent"], _connected(one), one["file"]) for one in found]
    say_lines(table(("AGENT", "CONNECTED TO", "SETTINGS"), rows))


def _connected(one: dict[str, str]) -> str:
    if one["workspace"] and one["error"]:
        return f"{one['workspace']} ({one['error']})"
    return one["error"] or one["workspace"] or "-"


def _standing(name: str, target: Target) -> dict[str, str]:
    workspace, error = "", ""
    try:
        root = connected_to(target)
        workspace = "" if root is None else root or "the workspace of the folder it runs in"
        error = (
            "no workspace is there; installing from another one moves the connection" if root and find_place(root) is None else ""
        )
    except UnusableSettings as unusable:
        error = f"cannot be read: {unusable.reason}"
    except (NotASettingsFile, OSError) as unusable:
        error = f"cannot be read: {explain(unusable).message}"
    return {"agent": name, "workspace": workspace, "file": target.path, "error": error}


def _shown(done: Connection, by: str, root: str | None, *, dry_run: bool) -> dict[str, object]:
    shown: dict[str, object] = {
        "agent": done.title,
        "by": by,
        "outcome": done.outcome.value,
        "workspace": root,
        "previous": done.previous,
        "file": done.path,
        "backup": done.change.backup,
        "dry_run": dry_run,
        "notes": done.notes,
    }
    return shown | ({"diff": list(_diff(done))} if dry_run else {})


def _tell_dry_run(done: Connection) -> None:
    looks = {"+": Look.GOOD, "-": Look.BAD, "@": Look.FAINT}
    lines: list[Line] = [(Span(line, looks.get(line[:1], Look.PLAIN)),) for line in _diff(done)]
    say_lines(lines or [(Span(f"Nothing would change in {done.path}."),)])
    say("Nothing was written: this was a dry run.")


def _diff(done: Connection) -> Iterator[str]:
    """The change as lines of a unified diff, with secrets taken out: settings hold tokens."""
    old, new = (_lines_of(data or b"") for data in (done.change.before, done.change.after))
    was, becomes = (os.devnull if data is None else done.path for data in (done.change.before, done.change.after))
    redactor = Redactor()
    for line in difflib.unified_diff(old, new, was, becomes, n=_AROUND, lineterm=""):
        yield redactor.text(line.rstrip("\r"))


def _lines_of(data: bytes) -> list[str]:
    return data.decode("utf-8").removesuffix("\n").split("\n") if data else []
