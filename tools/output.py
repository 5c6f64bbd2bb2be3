"""Output: what goes to standard output and standard error, for every command and for what runs before click is loaded."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator

from memtree.tools.render import Line, Look, Screen, Span

Progress = Callable[[int], None]
_MOMENT, _BETWEEN = 0.7, 0.1  # seconds before a counter is shown, and until it is shown again


def forgiving_streams() -> None:
    """Have a terminal that cannot show a character get its number instead of a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def end(code: int) -> None:
    """Leave at once: threads of libraries have nothing left to do, an ordinary exit would wait for them."""
    if not sys.stdout.closed:
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def screen() -> Screen:
    return Screen(sys.stdout, os.environ)


def notes(words: Iterable[str]) -> None:
    """Tell side remarks on standard error, so that they never mix with a result; where both go to one place, below it."""
    sys.stdout.flush()
    words = list(words)
    if not words:
        return
    from memtree.tree.redaction import without_credentials  # its patterns are only compiled where there is something to tell

    Screen(sys.stderr, os.environ).show([(Span(f"note: {without_credentials(word)}", Look.WARNING),) for word in words])


def say(text: str, look: Look = Look.PLAIN) -> None:
    screen().show([(Span(text, look),)])


def say_lines(lines: Iterable[Line]) -> None:
    screen().show(lines)


@contextlib.contextmanager
def progress(label: str, thing: str = "file") -> Iterator[Progress]:
    """A counter on standard error for work that takes longer than a moment; nothing when it is not a terminal.

    It is told how many files (or what `thing` says) are done; the count begins anew with each index.
    """
    started = time.monotonic()
    shown = 0.0
    with status_line() as show:

        def step(done: int) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - started > _MOMENT and now - shown > _BETWEEN:
                shown = now
                show(f"{label}: {counted(done, thing)}")

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


def counted(number: int, word: str) -> str:
    """Such as `1 file` or `3 files`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
