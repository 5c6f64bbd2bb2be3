"""watch, daemon: serving a workspace, in the foreground with a live view or as a process of its own."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import json_option, say, say_lines, screen, workspace_place
from memtree.tools.render import Look, fields

if TYPE_CHECKING:
    from memtree.engine.locks import Holder
    from memtree.hooks.daemon.control import Started, Stopped
    from memtree.hooks.daemon.state import ServiceState
    from memtree.hooks.place import Place
    from memtree.tools.ending import Ending
    from memtree.tools.live import View
    from memtree.tools.sources import Serving, Source

NOT_RUNNING = 3  # as systemctl has it
_BETWEEN = 0.5  # seconds between two looks at a state
_READY = 0.1  # and at a service that begins
_TURN = 2.0  # and at another one that is waited for
_LOG = 20  # lines
_SILENT = "It does not answer: it is starting, busy, of another version, or its folder was moved (memtree daemon restart)."
_WHOLE = 100_000  # columns of what is not cut


# -- watch


@click.command()
@json_option
@click.pass_obj
def watch(folder: str | None, as_json: bool) -> None:
    """Save, index and sync every edit as it is made, and show that, until Ctrl-C.

    Where a daemon runs already, this shows what it does, and leaves it running. Output that is no terminal gets a line for each
    thing that happens, with --json the whole state at each change.
    """
    from memtree.tools.ending import Ending
    from memtree.tools.sources import Attached, Serving

    place = workspace_place(folder)
    with Ending() as ending:
        source = Attached.to(place) or Serving(place, ending.wake)
        how = "Ctrl-C ends it."
        if isinstance(source, Attached):
            how = f"Ctrl-C ends this view; the daemon (process {source.pid}) goes on."
        try:
            with _view(how, as_json=as_json) as view:
                _show(source, view, ending)
        finally:
            source.close()
    if not as_json:
        say("The daemon goes on." if isinstance(source, Attached) else "Not watched any more.", Look.FAINT)


@contextlib.contextmanager
def _view(how: str, *, as_json: bool) -> Iterator[View]:
    from memtree.tools.live import JsonView, PlainView, is_terminal, terminal_view

    if as_json or not is_terminal():
        yield JsonView() if as_json else PlainView()
        return
    with terminal_view(how) as view:
        yield view


def _show(source: Source, view: View, ending: Ending) -> None:
    wait = 0.0
    while not ending.wait(wait):
        state = source.state()
        if state is not None:
            view.show(state)
        wait = _BETWEEN if state is not None else _READY


# -- daemon


@click.group()
def daemon() -> None:
    """Serve a workspace in the background: every edit is saved, indexed and synced, and searches are answered at once."""


@daemon.command("start", short_help="Start the daemon; one that runs goes on.")
@json_option
@click.pass_obj
def daemon_start(folder: str | None, as_json: bool) -> None:
    """Start the daemon of this workspace, and wait until it answers. It runs until memtree daemon stop or the machine's end.

    memtree service install has it start by itself.
    """
    from memtree.hooks.daemon.control import start

    place = workspace_place(folder)
    done = start(place, os.environ)
    _tell_started(done, as_json=as_json)
    if done.already and not as_json and _asked_state(place) is None:
        say(_SILENT, Look.WARNING)


@daemon.command("stop", short_help="End the daemon.")
@json_option
@click.pass_obj
def daemon_stop(folder: str | None, as_json: bool) -> None:
    """End the daemon of this workspace, and wait until it is gone. Nothing that was saved is lost, however it ends."""
    from memtree.hooks.daemon.control import stop

    done = stop(workspace_place(folder))
    if as_json:
        screen().json(done)
    else:
        say(_stopped(done))


@daemon.command("restart", short_help="End the daemon and start it again.")
@json_option
@click.pass_obj
def daemon_restart(folder: str | None, as_json: bool) -> None:
    """End the daemon, where one runs, and start it again: after an upgrade, or when settings outside memtree.toml changed."""
    from memtree.engine.settings import load
    from memtree.hooks.daemon.control import start, stop

    place = workspace_place(folder)
    load(place.root)  # with settings that cannot be used the next one would not start: the one that runs goes on
    stop(place)
    _tell_started(start(place, os.environ), as_json=as_json)


def _tell_started(done: Started, *, as_json: bool) -> None:
    if as_json:
        screen().json(done)
    elif done.already:
        say(f"The daemon runs already (process {done.pid}).")
    else:
        say(f"The daemon runs now (process {done.pid}): edits are saved by themselves.")
        say("memtree watch shows what it does, memtree daemon stop ends it.", Look.FAINT)


def _stopped(done: Stopped) -> str:
    if done.pid is None:
        return "No daemon runs."
    return f"The daemon (process {done.pid}) has ended{', told by a signal' if done.how == 'signal' else ''}."


@daemon.command("status", short_help="Tell whether the daemon runs, and what it does.")
@json_option
@click.pass_obj
def daemon_status(folder: str | None, as_json: bool) -> int:
    """Tell whether the daemon of this workspace runs, since when, and how it stands. The exit code is 3 when it does not run."""
    from memtree.engine.daemon_lock import daemon_holder

    place = workspace_place(folder)
    holder = daemon_holder(place.state)
    state = _asked_state(place) if holder is not None else None
    if as_json:
        screen().json({"running": holder is not None, "holder": holder, "answers": state is not None, "state": state})
    elif holder is None:
        say("No daemon runs: memtree daemon start starts one.")
    else:
        _tell_status(holder, state)
    return 0 if holder is not None else NOT_RUNNING


def _asked_state(place: Place) -> ServiceState | None:
    from memtree.hooks.daemon.client import Client, Unreachable
    from memtree.hooks.daemon.state import state_from
    from memtree.tree.errors import Error

    client = Client.of(place)
    if client is None:
        return None
    with client, contextlib.suppress(Unreachable, Error, KeyError, TypeError, ValueError):
        return state_from(client.call("state", {}))
    return None


def _tell_status(holder: Holder, state: ServiceState | None) -> None:
    from memtree.hooks.daemon.control import named
    from memtree.tools.render_watch import standing_lines

    version = f", memtree {state.version}" if state is not None else ""
    say_lines(fields([("daemon   ", f"{named(holder)}{version}")]))
    if state is None:
        say(_SILENT, Look.WARNING)
    else:
        say_lines(standing_lines(state, _WHOLE, time.time()))


@daemon.command("logs", short_help="Show what the daemon did.")
@click.option("-n", "--limit", type=click.IntRange(0), default=_LOG, show_default=True, help="How many lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what is added, until Ctrl-C.")
@json_option
@click.pass_obj
def daemon_logs(folder: str | None, limit: int, follow: bool, as_json: bool) -> None:
    """Show the last lines of the daemon's log: what it did, and what went wrong. It holds no text of a note."""
    from memtree.hooks.daemon.log import DaemonLog
    from memtree.tools.ending import Ending
    from memtree.tools.render_happenings import log_line

    def tell(events: list[dict[str, object]]) -> None:
        for event in events:
            if as_json:
                screen().json(event)
            else:
                say_lines([log_line(event)])
        sys.stdout.flush()

    events, following = DaemonLog(workspace_place(folder).state).follow(limit)
    with contextlib.closing(following):
        tell(events)
        if follow:
            with Ending() as ending:
                while not ending.wait(_BETWEEN):
                    tell(following.new())


@daemon.command("run", short_help="Be the daemon, in the foreground.")
@click.option("--wait", is_flag=True, help="Where another one serves the workspace, wait and take over when it ends.")
@json_option
@click.pass_obj
def daemon_run(folder: str | None, wait: bool, as_json: bool) -> None:
    """Serve this workspace in the foreground, without a view, as service managers want it; SIGTERM or Ctrl-C ends it well."""
    from memtree.engine.daemon_lock import daemon_holder
    from memtree.tools.ending import Ending
    from memtree.tools.sources import Serving

    place = workspace_place(folder)
    with Ending() as ending:
        while wait and daemon_holder(place.state) is not None:
            if ending.wait(_TURN):
                return
        serving = Serving(place, ending.wake)
        try:
            _serve(serving, ending, place, as_json=as_json)
        finally:
            serving.close()
        serving.failed()


def _serve(serving: Serving, ending: Ending, place: Place, *, as_json: bool) -> None:
    while not serving.service.ready.is_set() and not serving.over and not ending.wait(_READY):
        pass
    if serving.service.ready.is_set():
        if as_json:
            screen().json({"workspace": place.root, "pid": os.getpid()})
        else:
            say(f"Serving {place.root} (process {os.getpid()}).")
        sys.stdout.flush()
    while not serving.over and not ending.wait():
        pass
