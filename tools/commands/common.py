"""What every command shares: opening the workspace, the --json option, output, progress."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from memtree.tools.render import Line, Look, Screen, Span
from memtree.tree.errors import UserError
from memtree.tree.redaction import without_credentials

if TYPE_CHECKING:
    from memtree.engine.merge.outcome import Conflict
    from memtree.engine.workspace import Workspace

Progress = Callable[[int], None]
_MOMENT, _BETWEEN = 0.7, 0.1  # seconds before a counter is shown, and until it is shown again


def screen() -> Screen:
    return Screen(sys.stdout, os.environ)


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
    from memtree.engine.workspace import ENVIRONMENT_KEY, Workspace

    try:
        start = os.path.abspath(os.path.expanduser(folder or os.environ.get(ENVIRONMENT_KEY) or os.getcwd()))
    except FileNotFoundError as error:
        raise UserError("the current folder is gone", hint="change to a folder that exists") from error
    with Workspace.open(start) as workspace:
        yield workspace


def notes(words: Iterable[str]) -> None:
    """Tell side remarks on standard error, so that they never mix with a result; where both go to one place, below it."""
    sys.stdout.flush()
    Screen(sys.stderr, os.environ).show([(Span(f"note: {without_credentials(word)}", Look.WARNING),) for word in words])


def say(text: str, look: Look = Look.PLAIN) -> None:
    screen().show([(Span(text, look),)])


def say_lines(lines: Iterable[Line]) -> None:
    screen().show(lines)


@contextlib.contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A counter on standard error for work that takes longer than a moment; nothing when it is not a terminal.

    It is told how many files are done; the count begins anew with each index.
    """
    started = time.monotonic()
    shown = 0.0
    with status_line() as show:

        def step(done: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - started > _MOMENT and now - shown > _BETWEEN:
                shown = now
                show(f"{label}: {counted(done, 'file')}")

        yield step


@contextlib.contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """One line on standard error that is written over and goes in the end; nothing where that is not a terminal."""
    shown = False

    def show(text: str) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            shown = True
            sys.stderr.write(f"\r\033[K{text}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


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


def counted(number: int, word: str) -> str:
    """Such as `1 file` or `3 files`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def amount(size: int) -> str:
    """A size in bytes as people read it, such as `4.8 MB`."""
    if size < 1000:
        return counted(size, "byte")
    return f"{size / 2**10:,.1f} KB" if size < 2**20 else f"{size / 2**20:,.1f} MB"


def some(items: Sequence[str], most: int, rest: str) -> list[str]:
    """The first few items, and how many more there are: `rest` says where to see them."""
    more = len(items) - most
    return [*items[:most], *([f"{more:,} more ({rest})"] if more > 0 else [])]
