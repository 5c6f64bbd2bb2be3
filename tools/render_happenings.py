"""Happenings: what lies between two states of a daemon, and the events of its log, a line each for a list that grows.

Pure: times are epoch seconds; a time zone is passed in, None is the system's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from memtree.hooks.daemon.standing import RemoteState
from memtree.hooks.daemon.state import ServiceState
from memtree.tools.output import counted
from memtree.tools.render import Line, Look, Span, padded
from memtree.tools.render_watch import UNBUILT, remote_words
from memtree.tree.redaction import without_credentials

_GAP = "  "
_KIND = 12  # columns


class Happening(NamedTuple):
    """Something that happened: its time in epoch seconds, what kind of thing it is, and the rest in words."""

    at: int
    kind: str
    text: str
    look: Look = Look.PLAIN


def happenings(before: ServiceState | None, after: ServiceState, now: float, begun: float) -> Iterator[Happening]:
    """What happened between two states, in order; without an earlier one, how it stands. `begun` is when somebody began to look."""
    moment_now = int(now)
    if before is None:
        yield Happening(moment_now, "serving", f"{after.root} (process {after.pid})")
    if before is not None and before.head is not None:
        known = {commit.id for commit in before.commits}
    else:
        known = {commit.id for commit in after.commits if commit.time < int(begun)}
    for commit in reversed(after.commits):
        if commit.id not in known:
            yield Happening(commit.time, "commit", f"{commit.writer}: {commit.subject} ({counted(commit.files, 'file')})")
    was = before or ServiceState("", 0, "", 0, 0, unwatched="", folders=after.folders)
    if after.unwatched != was.unwatched:
        text = f"not watched: {after.unwatched}" if after.unwatched else "watched again"
        yield Happening(moment_now, "changes", text, Look.WARNING if after.unwatched else Look.GOOD)
    for old, new in ((was.index, after.index), (was.vectors, after.vectors)):
        if new is not None and new.problem and UNBUILT not in new.problem and (old is None or old.problem != new.problem):
            yield Happening(moment_now, "index", without_credentials(new.problem), Look.WARNING)
    yield from _remotes(was.remotes, after.remotes, now)
    if after.conflicts != was.conflicts:
        yield Happening(moment_now, "conflicts", f"{after.conflicts:,} open", Look.WARNING if after.conflicts else Look.GOOD)
    yield from _lists(was, after, moment_now)


def _remotes(before: Sequence[RemoteState], after: Sequence[RemoteState], now: float) -> Iterator[Happening]:
    known = {remote.name: remote for remote in before}
    for remote in after:
        was = known.get(remote.name)
        if remote.error and (was is None or remote.error != was.error):
            yield Happening(int(now), "sync", f"{remote.name}: {remote_words(remote, now)}", Look.WARNING)
        elif was is not None and not remote.error and (was.error or remote.succeeded != was.succeeded):
            yield Happening(int(remote.succeeded or now), "sync", f"{remote.name}: synced", Look.GOOD)


def _lists(before: ServiceState, after: ServiceState, now: int) -> Iterator[Happening]:
    for held in after.held:
        if held not in before.held:
            yield Happening(now, "held", f"{held.path} ({held.reason})", Look.WARNING)
    paths = {held.path for held in after.held}
    for held in before.held:
        if held.path not in paths:
            yield Happening(now, "held", f"{held.path} is not held any more", Look.GOOD)
    for trouble in after.troubles:
        if trouble not in before.troubles:
            yield Happening(trouble.since, "trouble", trouble.what, Look.BAD)
    words = {trouble.what for trouble in after.troubles}
    for trouble in before.troubles:
        if trouble.what not in words:
            yield Happening(now, "over", trouble.what, Look.GOOD)


def happening_line(happening: Happening, zone: tzinfo | None = None) -> Line:
    """A line for it in a list that grows."""
    return _listed(_stamp(happening.at, zone), happening.kind, happening.text, happening.look)


# -- the log


def log_line(event: Mapping[str, Any], zone: tzinfo | None = None) -> Line:
    """An event of the daemon's log: time, what happened, and its facts."""
    try:
        stamp = _stamp(datetime.fromisoformat(str(event["at"])).timestamp(), zone)
    except ValueError:
        stamp = str(event["at"])
    facts = ((key, value) for key, value in event.items() if key not in ("at", "event"))
    return _listed(stamp, str(event["event"]), _GAP.join(f"{key} {_fact(value)}" for key, value in facts))


def _listed(stamp: str, kind: str, text: str, look: Look = Look.PLAIN) -> Line:
    return Span(stamp + _GAP, Look.FAINT), Span(padded(kind, _KIND) + _GAP, Look.PLACE), Span(text, look)


def _stamp(time: float, zone: tzinfo | None) -> str:
    try:
        return datetime.fromtimestamp(time, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_fact(item)}" for key, item in value.items()) or "-"
    if isinstance(value, list):
        return ", ".join(_fact(item) for item in value) or "-"
    return str(value)
