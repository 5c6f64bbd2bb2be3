"""Rendering: what people see on a terminal or in a pipe, and JSON for programs.

Views (render_views.py) are pure: they turn values into lines of spans with a look. The screen alone knows whether there is
colour; piped output is plain text, never wrapped and never marked up. Every character that could steer a terminal is shown as
an escape: notes come from anywhere.
"""

from __future__ import annotations

import enum
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

# C0 without tab, C1, direction overrides, separators that some programs take for a line end, and halves of characters.
_STEERING = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_GAP = "  "
# Properties that programs want beside the fields. By class name: importing the classes would load pygit2 for `--help`.
_DERIVED = {"CommitInfo": ("subject", "trailers"), "LogItem": ("writer",)}


class Look(enum.Enum):
    """How a span looks on a terminal with colours."""

    PLAIN = ""
    STRONG = "bold"
    FAINT = "dim"
    GOOD = "green"
    BAD = "red"
    WARNING = "yellow"
    PLACE = "cyan"
    ADDED = "green bold"
    REMOVED = "red strike"


class Span(NamedTuple):
    text: str
    look: Look = Look.PLAIN


Line = tuple[Span, ...]


class Screen:
    """Where output goes. `colour` is decided once: by the environment, else by whether the stream is a terminal."""

    def __init__(self, stream: TextIO, environment: Mapping[str, str]) -> None:
        self._stream = stream
        self.colour = wants_colour(stream, environment)
        # A pipe has no width: what goes there is whole.
        self.columns = _columns() if stream.isatty() else None

    def show(self, lines: Iterable[Line]) -> None:
        """Print lines, each as soon as it comes."""
        for line in lines:
            self._stream.write("".join(map(_coloured if self.colour else _plain, line)) + "\n")

    def json(self, value: object) -> None:
        """Print a value as JSON."""
        self._stream.write(json_text(value) + "\n")


# What terminals take for each look. They wrap lines themselves: rich, which other views are drawn with, takes as long to load as a
# search takes in all.
_CODES = {
    Look.STRONG: "1",
    Look.FAINT: "2",
    Look.GOOD: "32",
    Look.BAD: "31",
    Look.WARNING: "33",
    Look.PLACE: "36",
    Look.ADDED: "1;32",
    Look.REMOVED: "9;31",
}


def _plain(span: Span) -> str:
    return harmless(span.text)


def _coloured(span: Span) -> str:
    code = _CODES.get(span.look)
    return f"\x1b[{code}m{harmless(span.text)}\x1b[0m" if code and span.text else harmless(span.text)


def _columns() -> int:
    import shutil  # brings what packs archives

    return shutil.get_terminal_size().columns


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to colour, by the usual conventions: NO_COLOR, then FORCE_COLOR, then a terminal that can."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """The text with every control character spelled out, so that it cannot move a cursor or hide what follows."""
    return _STEERING.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a name that is not UTF-8, as Python smuggles it through.
        code -= 0xDC00
    return {10: "\\n", 13: "\\r"}.get(code) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


# -- columns


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[Line]:
    """Aligned columns below bold headers; the last column is as wide as it gets."""
    widths = [max(width(row[n]) for row in (headers, *rows)) for n in range(len(headers))]
    yield tuple(Span(text, Look.STRONG) for text in _padded(headers, widths))
    for row in rows:
        yield tuple(Span(text) for text in _padded(row, widths))


def fields(pairs: Sequence[tuple[str, str]]) -> Iterator[Line]:
    """A value a line, its name before it."""
    widest = max((width(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        yield Span(padded(name, widest) + _GAP, Look.FAINT), Span(value)


def _padded(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for n, (text, wide) in enumerate(zip(row, widths, strict=True)):
        yield harmless(text) if n == len(widths) - 1 else padded(text, wide) + _GAP


def padded(text: str, wide: int) -> str:
    text = harmless(text)
    return text + " " * (wide - width(text))


def width(text: str) -> int:
    """How many columns a text takes on a terminal: Chinese takes two a character, a combining mark none."""
    text = harmless(text)
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# -- JSON


def json_text(value: object) -> str:
    return json.dumps(to_json(value), ensure_ascii=False)


def to_json(value: object) -> Any:
    """A value as what json.dumps takes: objects by field, enums by value, bytes as UTF-8 with replacements."""
    if isinstance(value, enum.Enum):
        return to_json(value.value)
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {_key(key): to_json(item) for key, item in value.items()}
    if hasattr(type(value), "__dataclass_fields__"):
        return _by_field(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return to_json(value._asdict())
    if isinstance(value, (frozenset, set)):
        return sorted((to_json(item) for item in value), key=str)
    if isinstance(value, Iterable):
        return [to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _by_field(value: Any) -> dict[str, Any]:
    import dataclasses  # takes longer to load than all else that shows a search

    names = [field.name for field in dataclasses.fields(value)]
    return {name: to_json(getattr(value, name)) for name in (*names, *_DERIVED.get(type(value).__name__, ()))}


def _key(key: object) -> str:
    plain = to_json(key)
    return plain if isinstance(plain, str) else str(plain)


def _clean(text: str) -> str:
    """Text that can be encoded: names that are not UTF-8 carry halves of characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not text.isascii() else str(text)
