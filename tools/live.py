"""Live: showing states as they come: redrawn on a terminal, a line for each thing that happens elsewhere, or as JSON."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from memtree.hooks.daemon.state import ServiceState
from memtree.tools.output import say_lines, screen
from memtree.tools.render import Line, harmless, wants_colour
from memtree.tools.render_happenings import happening_line, happenings
from memtree.tools.render_watch import watch_lines

if TYPE_CHECKING:
    from rich.text import Text


class View(Protocol):
    def show(self, state: ServiceState) -> None: ...


class JsonView:
    """An object on a line for each change."""

    def __init__(self) -> None:
        self._shown: ServiceState | None = None

    def show(self, state: ServiceState) -> None:
        # What changes all the time is no news.
        remotes = tuple(replace(remote, next_try=None) for remote in state.remotes)
        lasting = replace(state, revision=0, doing="", waiting=0, memory=0, remotes=remotes)
        if lasting != self._shown:
            self._shown = lasting
            screen().json(state)
            sys.stdout.flush()


class PlainView:
    """A line for each thing that happens."""

    def __init__(self) -> None:
        self._begun = time.time()
        self._shown: ServiceState | None = None

    def show(self, state: ServiceState) -> None:
        before, self._shown = self._shown, state
        say_lines(happening_line(one) for one in happenings(before, state, time.time(), self._begun))
        sys.stdout.flush()


@contextlib.contextmanager
def terminal_view(how: str) -> Iterator[View]:
    """A view that fills the terminal and is written anew when it would look otherwise. `how` says how to end it."""
    from rich.console import Console, Group
    from rich.live import Live

    colour = wants_colour(sys.stdout, os.environ)
    console = Console(file=sys.stdout, force_terminal=True, no_color=not colour, highlight=False, markup=False, emoji=False)

    with Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False) as live:

        class Terminal:
            shown: tuple[tuple[int, int], list[Line]] | None = None

            def show(self, state: ServiceState) -> None:
                columns, rows = console.size
                lines = watch_lines(state, columns=columns, rows=rows, now=time.time(), how=how)
                if ((columns, rows), lines) != self.shown:
                    self.shown = ((columns, rows), lines)
                    live.update(Group(*map(_text, lines)), refresh=True)

        yield Terminal()


def _text(line: Line) -> Text:
    from rich.text import Text

    text = Text.assemble(*((harmless(span.text), span.look.value) for span in line), no_wrap=True, overflow="crop")
    return text or Text(" ")


def is_terminal() -> bool:
    """Whether a view can be redrawn where output goes."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
