"""A moment as programs give it: seconds or milliseconds since 1970, or RFC 3339."""

from __future__ import annotations

from memtree.tree.errors import UserError
from memtree.tree.front_matter import epoch_milliseconds

YEAR_10000 = 253_402_300_800_000  # milliseconds
_MILLISECONDS = 1e11  # from here on a number cannot mean seconds: that would be after the year 5000
_MOST = 1e20  # later nanoseconds than can be meant; also keeps what is no number out
_SHOWN = 40


class BadMoment(UserError):
    """What should be a time says none."""

    def __init__(self, value: object) -> None:
        shown = str(value)
        super().__init__(
            f"{shown[:_SHOWN]!r} is no time between 1970 and 9999",
            hint="give seconds or milliseconds since 1970, or a time such as 2026-01-05T09:00:00Z",
        )


def epoch_ms(value: object) -> int | None:
    """A time in UTC epoch milliseconds, None for none; a text without a zone is taken for UTC. Raise BadMoment."""
    if value is None or value == "":
        return None
    given = _number(value.strip()) if isinstance(value, str) else value
    found = None
    if isinstance(given, str):
        found = epoch_milliseconds(given)
    elif isinstance(given, (int, float)) and not isinstance(given, bool) and abs(given) < _MOST:
        found = _scaled(given)
    if found is None or not 0 <= found < YEAR_10000:
        raise BadMoment(value)
    return found


def _number(text: str) -> str | float:
    """A number where the text is one that no date is written as: `20260105` is a day."""
    try:
        return float(text) if text.isascii() and len(text) > 8 and text.replace(".", "", 1).isdigit() else text
    except ValueError:
        return text


def _scaled(number: float) -> int:
    while abs(number) >= _MILLISECONDS * 1000:  # microseconds, nanoseconds
        number /= 1000
    return int(number) if abs(number) >= _MILLISECONDS else round(number * 1000)
