"""The live view of a workspace: how its daemon stands, as lines for a terminal of some size.

Pure: a state, the time (epoch seconds) and the size of the terminal go in; a time zone is passed in, None is the system's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo

from memtree.hooks.daemon.standing import RemoteState
from memtree.hooks.daemon.state import CommitLine, IndexLine, ServiceState
from memtree.tools.output import counted
from memtree.tools.render import Line, Look, Span, harmless, padded, width
from memtree.tree.redaction import without_credentials

UNBUILT = "never built"  # what an index says of itself that needs no person
_LABEL = 11  # columns
_NARROWEST = 20
_COMMITS, _HELD, _TROUBLES = 8, 5, 3
_FEWEST_COMMITS = 2
_WRITER = 10
_GAP = "  "
_BLANK: Line = (Span(""),)


def watch_lines(
    state: ServiceState, *, columns: int, rows: int, now: float, zone: tzinfo | None = None, how: str = ""
) -> list[Line]:
    """The state on a terminal of that size: no line is wider, no more lines than rows. `how` says how to end the view."""
    columns = max(columns, _NARROWEST)
    rest = [*standing_lines(state, columns, now, zone), *([_BLANK, (Span(how, Look.FAINT),)] if how else [])]
    room = rows - len(rest) - 3  # the title, and a blank line above and below
    shown = state.commits[: min(_COMMITS, max(_FEWEST_COMMITS, room))]
    commits = [_commit(commit, now, zone) for commit in shown] or [(Span("one moment", Look.FAINT),)]
    lines = [(Span(state.root, Look.STRONG),), _BLANK, *commits, _BLANK, *rest]
    return [clipped(line, columns) for line in lines[: max(rows, 1)]]


def standing_lines(state: ServiceState, columns: int, now: float, zone: tzinfo | None = None) -> Iterator[Line]:
    """All but the commits: a name and a value a row, in lines of at most so many columns."""
    for trouble in state.troubles[-_TROUBLES:]:
        yield from _row("trouble", f"{moment(trouble.since, now, zone)}  {trouble.what}", columns, Look.BAD)
    yield from _row("changes", *_changes(state, columns))
    if state.head is not None:
        yield from _row("index", *_index(state.index, columns))
    if state.vectors is not None:
        yield from _row("vectors", *_index(state.vectors, columns))
    for remote in state.remotes:
        look = Look.BAD if remote.alarm else Look.WARNING if remote.error else Look.PLAIN
        yield from _row(remote.name, remote_words(remote, now, zone), columns, look)
    if not state.remotes:
        yield from _row("remote", "none", columns, Look.FAINT)
    if state.conflicts:
        yield from _row("conflicts", f"{state.conflicts:,} open: memtree conflicts", columns, Look.WARNING)
    for held in state.held[:_HELD]:
        yield from _row("held", f"{held.path} ({held.reason})", columns, Look.WARNING)
    if len(state.held) > _HELD:
        yield from _row("held", f"{len(state.held) - _HELD:,} more: memtree secrets list", columns, Look.WARNING)


def _commit(commit: CommitLine, now: float, zone: tzinfo | None) -> Line:
    who = commit.writer or commit.device
    return (
        Span(padded(moment(commit.time, now, zone), 5) + _GAP, Look.FAINT),
        Span(padded(who, _WRITER) + _GAP, Look.PLACE),
        Span(commit.subject),
        Span(f"  ({counted(commit.files, 'file')})", Look.FAINT),
    )


def _changes(state: ServiceState, columns: int) -> tuple[str, int, Look]:
    waiting = f"; {counted(state.waiting, 'edit')} will be saved soon" if state.waiting else ""
    doing = f"; {state.doing} now" if state.doing else ""
    if state.unwatched:
        return f"not watched, looked for from time to time: {state.unwatched}{waiting}{doing}", columns, Look.WARNING
    return f"watched in {counted(state.folders, 'folder')}{waiting}{doing}", columns, Look.PLAIN


def _index(index: IndexLine, columns: int) -> tuple[str, int, Look]:
    if UNBUILT in index.problem:
        return "not built yet", columns, Look.FAINT
    if index.problem:
        return without_credentials(f"not in use: {index.problem}"), columns, Look.WARNING
    if index.behind == 0:
        return "up to date", columns, Look.GOOD
    behind = f"{counted(index.behind, 'commit')} behind" if index.behind is not None else "behind"
    return behind if index.commit is not None else "not built yet", columns, Look.WARNING


def remote_words(remote: RemoteState, now: float, zone: tzinfo | None = None) -> str:
    """How the sync with a remote stands: the last one, what is wrong with it and what to do, and the next one."""
    parts = [] if remote.direction == "both" else [f"{remote.direction}-only"]
    if remote.succeeded is not None:
        parts.append(f"synced {moment(remote.succeeded, now, zone)}")
    elif not remote.error:
        parts.append("not synced yet")
    if remote.error:
        state = "offline" if remote.offline else "stopped" if remote.alarm else "failing"
        since = f" since {moment(remote.failing_since, now, zone)}" if remote.failing_since is not None else ""
        said = remote.error.removeprefix(f"remote {remote.name} ")
        parts.append(without_credentials(f"{state}{since}: {said}" + (f" ({remote.hint})" if remote.hint else "")))
    if remote.running:
        parts.append("syncing now")
    elif remote.next_try is not None:
        parts.append(f"next {'try ' if remote.error else ''}{_soon(remote.next_try)}")
    elif not remote.error:
        parts.append("next by memtree sync")  # the settings say so
    return "; ".join(parts)


def _soon(seconds: float) -> str:
    """Coarse, so that the view does not change all the time."""
    if seconds < 60:
        return "within a minute"
    return f"in {int(seconds // 60)} min" if seconds < 3600 else f"in {int(seconds // 3600)} h"


def moment(time: float, now: float, zone: tzinfo | None = None) -> str:
    """A time to the minute where it is of today, else its day; '?' for what no calendar has."""
    try:
        then, today = (datetime.fromtimestamp(one, UTC).astimezone(zone) for one in (time, now))
    except (ValueError, OverflowError, OSError):
        return "?"
    return then.strftime("%H:%M" if then.date() == today.date() else "%Y-%m-%d")


# -- columns


def _row(label: str, text: str, columns: int, look: Look = Look.PLAIN) -> Iterator[Line]:
    """A label and a text behind it, which goes on below itself where it is too long."""
    room = max(columns - _LABEL, _NARROWEST - _LABEL)
    short = _clip(harmless(label), _LABEL - 1)
    for number, piece in enumerate(wrapped(text, room)):
        yield Span(padded("" if number else short, _LABEL), Look.FAINT), Span(piece, look)


def wrapped(text: str, columns: int) -> list[str]:
    """A text in pieces of at most so many columns, parted between words where that is possible."""
    pieces, current = [], ""
    for word in harmless(text).split():
        joined = f"{current} {word}" if current else word
        if width(joined) <= columns:
            current = joined
            continue
        if current:
            pieces.append(current)
        *whole, current = _parted(word, columns)
        pieces += whole
    return [*pieces, current] if current or not pieces else pieces


def _parted(word: str, columns: int) -> list[str]:
    parts, part, wide = [], "", 0
    for letter in word:
        more = width(letter)
        if part and wide + more > columns:
            parts.append(part)
            part, wide = "", 0
        part, wide = part + letter, wide + more
    return [*parts, part]


def clipped(line: Line, columns: int) -> Line:
    """The line in at most so many columns; what is cut away leaves an ellipsis."""
    spans: list[Span] = []
    room = columns
    for span in line:
        text = harmless(span.text)
        wide = width(text)
        if wide > room:
            spans.append(Span(_clip(text, room), span.look))
            break
        spans.append(Span(text, span.look))
        room -= wide
        if not room and span is not line[-1]:
            break
    return tuple(spans)


def _clip(text: str, columns: int) -> str:
    if width(text) <= columns:
        return text
    kept, wide = "", 0
    for letter in text:
        wide += width(letter)
        if wide > columns - 1:
            break
        kept += letter
    return kept + "…" if columns > 0 else ""
