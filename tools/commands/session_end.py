"""session-end: a conversation is over, and what it came to is kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import counted, json_option, notes, open_workspace, progress, say, screen, workspace_place
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.closing.closer import CloseReport
    from memtree.engine.closing.later import LaterReport
    from memtree.engine.workspace import Workspace

_LARGEST = 1024 * 1024  # bytes of the JSON on standard input
_PATIENCE = 30.0  # seconds that we wait for a worker which records what waits
_SHOWN = 20


class NoSession(UserError):
    """Nothing says which conversation is over."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, hint="memtree hook session-end --session ID, or --all for every conversation")


@click.command("session-end", short_help="Close a conversation: recap, events, profile.")
@click.option("--session", "ids", metavar="ID", multiple=True, help="The conversation that is over; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Every conversation that holds turns which are in no recap yet.")
@click.option("--wait", is_flag=True, help="Also do here what a model is asked for, instead of in the background.")
@click.option("--again", is_flag=True, help="Also try again what failed before.")
@json_option
@click.pass_obj
def session_end(folder: str | None, ids: tuple[str, ...], everything: bool, wait: bool, again: bool, as_json: bool) -> None:
    """Record what hooks left, and close the conversation: its last segment gets a recap with events, and
    facts and the profile learn of it.

    Without an option the session's id is read from a JSON object on standard input ({"session_id": "…"}). Closing again changes
    nothing. Needs no model; one that is configured writes better recaps and lessons afterwards.

    Example: memtree hook session-end --session s1
    """
    from memtree.hooks.worker import Worker

    sessions = list(ids) if ids or everything or again else [_from_stdin()]
    place = workspace_place(folder)
    done = Worker(place, patience=_PATIENCE).run(again=again, follow=False)  # no model keeps a person waiting who asked for none
    with open_workspace(folder) as workspace:
        closed = _closed(workspace, sessions, everything=everything)
        later = _followed_up(workspace, again=again) if wait or again else None
        asks = bool(workspace.settings.models.roles)  # without a model nothing is left to do in the background
        told = [*done.notes, *closed.notes, *(later.notes if later else []), *workspace.refresh_index()]
    if asks and not later and closed.closed:
        from memtree.tools.agent_hook import start_worker

        start_worker(place.root)
    if as_json:
        screen().json(
            {
                "closed": closed.closed,
                "commits": [commit.after for commit in closed.commits],
                "profiles": closed.profiles,
                "done": later.done if later else [],
                "waiting": later.waiting if later else None,
                "notes": told,
            }
        )
        return
    _tell(closed, later)
    notes(list(dict.fromkeys(told)))


def _closed(workspace: Workspace, sessions: list[str], *, everything: bool) -> CloseReport:
    from memtree.engine.closing.closer import Closer
    from memtree.engine.closing.closer import everything as all_of_them
    from memtree.engine.closing.open_turns import Sessions
    from memtree.tree.episode import session_folder

    found = Sessions.of(workspace)
    folders = [session_folder(workspace.redactor.id(session)) for session in sessions]
    known = set(found.folders())
    for session, folder in zip(sessions, folders, strict=True):
        if folder not in known:
            shown = workspace.redactor.id(session)
            raise NoSession(f"no turn of a session {shown[:60]!r} is recorded here")
    if everything:
        folders = found.open_folders()
    with progress("closing") as step:
        return Closer(workspace, progress=step).close(folders, whole=all_of_them)


def _followed_up(workspace: Workspace, *, again: bool) -> LaterReport:
    from memtree.engine.closing.later import Later

    later = Later(workspace)
    if again:
        later.again()
    return later.run()


def _from_stdin() -> str:
    from memtree.hooks.reading import parsed

    if sys.stdin.isatty():
        raise NoSession("nothing says which conversation is over")
    given = parsed(sys.stdin.buffer.read(_LARGEST))
    session = given.get("session_id") if given is not None else None
    if not isinstance(session, str) or not session.strip():
        raise NoSession("standard input holds no JSON object with a session_id")
    return session


def _tell(closed: CloseReport, later: LaterReport | None) -> None:
    if not closed.closed:
        say("Nothing to close: every turn is in a recap.")
    for one in closed.closed[:_SHOWN]:
        say(f"Closed {one.recap} ({counted(one.turns, 'turn')}, {counted(one.events, 'event')}).")
    if len(closed.closed) > _SHOWN:
        say(f"… and {len(closed.closed) - _SHOWN:,} more segments of {counted(closed.sessions, 'session')}.")
    if closed.profiles:
        facets = ", ".join(path.name.removesuffix(".md") for path in closed.profiles)
        say(f"The profile learned something: {facets} (memtree profile list).")
    for line in later.done if later else []:
        say(line)
