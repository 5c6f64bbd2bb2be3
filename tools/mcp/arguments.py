"""What a client may send: how long it may be, and what of it a file can hold. Refusals name the argument, never its value."""

from __future__ import annotations

from memtree.engine.when import Edge, UnknownTime, parse_when
from memtree.tree.errors import UserError
from memtree.tree.moments import BadMoment, epoch_ms
from memtree.tree.scalars import clean

TEXT = 4 * 1024 * 1024  # characters of a note, of what a user or an agent said
SHORT = 4_096  # of a path, a title, an id, a revision
QUERY = 10_000
CALLS = 200  # calls of tools in a turn


class UnfitArgument(UserError):
    """An argument that cannot be used."""


def text(name: str, value: str, most: int = SHORT) -> str:
    """The argument without half characters; raise UnfitArgument when it is too long."""
    if len(value) > most:
        raise UnfitArgument(f"{name} has {len(value):,} characters, more than {most:,}", hint=f"send a shorter {name}")
    return clean(value)


def needed(name: str, value: str, most: int = SHORT) -> str:
    """The same for an argument that must say something."""
    found = text(name, value, most)
    if not found.strip():
        raise UnfitArgument(f"{name} is empty", hint=f"give a {name}")
    return found


def moment(name: str, value: str, now: int, edge: Edge) -> int | None:
    """Epoch seconds for a time as people write it, None for ''."""
    if not value.strip():
        return None
    try:
        return parse_when(text(name, value), now, edge=edge)
    except UnknownTime as error:
        raise UnfitArgument(f"{name} cannot be read as a time", hint=error.hint) from error


def date(name: str, value: str, now: int) -> int | None:
    """The last second of a day, month or year in UTC, or of any other time, in epoch seconds; None for ''."""
    from memtree.engine.facts.recalling import moment_of

    if not value.strip():
        return None
    try:
        return moment_of(text(name, value), now)
    except UnknownTime as error:
        raise UnfitArgument(f"{name} cannot be read as a date", hint=error.hint) from error


def milliseconds(value: str | float | None) -> int | None:
    """Epoch milliseconds for a timestamp in seconds, milliseconds or RFC 3339; None when there is none."""
    try:
        return epoch_ms(text("timestamp", value) if isinstance(value, str) else value)
    except BadMoment as error:
        raise UnfitArgument("timestamp cannot be read", hint=f"{error.hint}; without one it is now") from error
