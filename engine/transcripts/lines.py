"""Lines: a file of JSON objects, one a line, read once and never held whole. What cannot be read is counted, never fatal."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from memtree.tree.errors import UserError

LIMIT = 32 * 1024 * 1024  # bytes of a line
Value = dict[str, Any]
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
_ENDS = 64  # bytes
_TOLD = 10


class UnreadableTranscript(UserError):
    """A file that cannot be opened as a transcript: it is not there, not ours to read, or no ordinary file."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"the transcript {path} is not readable ({reason})", hint="name a transcript's file, one JSON object a line"
        )
        self.path = path
        self.reason = reason


class Lines:
    """One pass over a file of JSON lines. Iterate it once; then `complete` and `problems` say what it was like.

    A line is given with its number, from 0 and counting every line, so that a number stays the same while the file grows.
    `wanted` sees each line's bytes and spares the reading of those that it refuses.
    """

    def __init__(self, path: str, wanted: Callable[[bytes], bool]) -> None:
        self.path = path
        self.complete = True  # False when the last line is still being written
        self._wanted = wanted
        self._bad: list[int] = []
        self._long: list[int] = []

    def __iter__(self) -> Iterator[tuple[int, Value]]:
        """Raise UnreadableTranscript."""
        with _opened(self.path) as file:
            try:
                yield from self._read(file)
            except OSError as error:
                raise UnreadableTranscript(self.path, error.strerror or str(error)) from error

    @property
    def problems(self) -> tuple[str, ...]:
        """What was left out, in words, with the numbers of lines as editors count them."""
        bad, long = len(self._bad), len(self._long)
        told = (
            [f"{bad:,} {'line is no JSON object' if bad == 1 else 'lines are no JSON objects'}: {_listed(self._bad)}"]
            if bad
            else []
        )
        if long:
            told.append(f"{long:,} {'line is' if long == 1 else 'lines are'} longer than {LIMIT >> 20} MB: {_listed(self._long)}")
        return tuple(told)

    def _read(self, file: BinaryIO) -> Iterator[tuple[int, Value]]:
        number = -1
        while line := file.readline(LIMIT):
            number += 1
            whole = line.endswith(b"\n")
            if not whole and len(line) == LIMIT:
                self.complete = _skipped_to_end(file)
                if self.complete:
                    self._long.append(number)
                continue
            # The rest of a line that is being written may tell it apart from what is left out: it is always looked at.
            if whole and not self._wanted(line):
                if not _looks_whole(line):
                    self._bad.append(number)
                continue
            value = _parsed(line)
            if value is not None:
                yield number, value
            elif not whole:
                self.complete = False
            elif line.strip(_BLANK):
                self._bad.append(number)


def _opened(path: str) -> BinaryIO:
    try:
        # A pipe in the place of a file must not hold us up.
        file = open(path, "rb", 1 << 20, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC))  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise UnreadableTranscript(path, getattr(error, "strerror", None) or str(error)) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UnreadableTranscript(path, "not an ordinary file")
    return file


def _looks_whole(line: bytes) -> bool:
    """Whether a line that is not read may be an object, or is none at all: its ends tell."""
    start, end = line[:_ENDS].lstrip(_BLANK).removeprefix(_BOM), line[-_ENDS:].rstrip(_BLANK)
    return (start[:1] in (b"", b"{") and end[-1:] in (b"", b"}")) or not line.strip(_BLANK)


def _skipped_to_end(file: BinaryIO) -> bool:
    """Pass over the rest of a line; False when the file ends in it."""
    while part := file.readline(LIMIT):
        if part.endswith(b"\n"):
            return True
    return False


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


# Control characters inside texts are let through, numbers that JSON does not know become nothing.
_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=lambda _name: None)


def value_in(text: str) -> Any:
    """The JSON value that a text is; the text itself when it is none."""
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return text


def _parsed(line: bytes) -> Value | None:
    # A power failure leaves a run of NUL where a line should have been, and the next line follows it directly.
    line = line.strip(_BLANK).removeprefix(_BOM)
    if not line.startswith(b"{"):
        return None
    try:
        value = _DECODER.decode(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _listed(numbers: list[int]) -> str:
    told = ", ".join(f"{number + 1:,}" for number in numbers[:_TOLD])
    return told + (", …" if len(numbers) > _TOLD else "")
