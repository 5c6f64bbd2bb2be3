"""What every command shares: opening the workspace, the --json option, output, progress."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from memtree.tools.output import Progress as Progress
from memtree.tools.output import counted as counted
from memtree.tools.output import notes as notes
from memtree.tools.output import progress as progress
from memtree.tools.output import say as say
from memtree.tools.output import say_lines as say_lines
from memtree.tools.output import screen as screen
from memtree.tools.output import status_line as status_line
from memtree.tools.render import Line, Look, Span
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.merge.outcome import Conflict
    from memtree.engine.workspace import Workspace
    from memtree.hooks.place import Place


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --json to a command."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(command)


def opens_workspace(command: Callable[..., Any]) -> Callable[..., Any]:
    """Hand the command an open workspace as its first argument, and close it afterwards."""

    @functools.wraps(command)
    @click.pass_obj
    def run(folder: str | None, /, *args: Any, **kwargs: Any) -> Any:
        with open_workspace(folder) as workspace:
            return command(workspace, *args, **kwargs)

    return run


@contextlib.contextmanager
def open_workspace(folder: str | None) -> Iterator[Workspace]:
    from memtree.engine.workspace import Workspace

    with Workspace.open(_start(folder)) as workspace:
        yield workspace


def workspace_place(folder: str | None) -> Place:
    """Where the workspace is that a command is about, which is not opened for that."""
    from memtree.hooks.place import find_place

    start = _start(folder)
    found = find_place(start)
    if found is None:
        from memtree.engine.workspace import NotAWorkspace

        raise NotAWorkspace(start)
    return found


def _start(folder: str | None) -> str:
    try:
        return os.path.abspath(os.path.expanduser(folder or os.environ.get("MEMTREE_WORKSPACE") or os.getcwd()))
    except FileNotFoundError as error:
        raise UserError("the current folder is gone", hint="change to a folder that exists") from error


def conflict_lines(conflicts: Iterable[Conflict], then: str) -> Iterator[Line]:
    """What a merge left to a person, and how to settle it: `then` is the command that follows an edit."""
    open_now = False
    for conflict in conflicts:
        where = f": see {conflict.second}" if conflict.second is not None else ""
        where += f" ({', '.join(conflict.places)})" if conflict.places else ""
        open_now = open_now or bool(where)
        yield (Span(f"{conflict.path}: {conflict.kind.value}{where}", Look.WARNING),)
    if open_now:
        yield (
            Span(
                f"To settle it: memtree conflicts shows the versions, memtree resolve keeps one; or edit, and {then}.", Look.FAINT
            ),
        )


def amount(size: int) -> str:
    """A size in bytes as people read it, such as `4.8 MB`."""
    if size < 1000:
        return counted(size, "byte")
    return f"{size / 2**10:,.1f} KB" if size < 2**20 else f"{size / 2**20:,.1f} MB"


def some(items: Sequence[str], most: int, rest: str) -> list[str]:
    """The first few items, and how many more there are: `rest` says where to see them."""
    more = len(items) - most
    return [*items[:most], *([f"{more:,} more ({rest})"] if more > 0 else [])]
