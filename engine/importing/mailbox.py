"""Mailboxes: many mails in one file, each after a line that begins with `From `. Read as a stream, so size does not matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from memtree.engine.capture import LARGE
from memtree.engine.importing.mail import read_mail
from memtree.engine.importing.record import Record
from memtree.engine.importing.report import Remark, Tell, Unfit
from memtree.engine.importing.walking import Found

_PIECE = 1 << 20
# With a time, or nothing behind it (Thunderbird); a sentence that begins with "From " has neither.
_START = re.compile(rb"From (?:\r?\n|[^\n]*\d{1,2}:\d{2})")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mailbox(found: Found, tell: Tell) -> Iterator[Record]:
    """The record of each mail; what cannot be read is told with its number, and the rest goes on. Raise Unfit."""
    try:
        file = open(found.full, "rb")  # noqa: SIM115 - the statement below closes it
    except OSError as error:
        raise Unfit(f"not readable ({error.strerror or error})") from error
    number = 0
    with file:
        for data in _mails(file):
            number += data is not None
            place = f"{found.id}: mail {number}" if number else found.id
            try:
                if isinstance(data, Unfit):
                    raise data
                if data is not None:
                    yield read_mail(_QUOTED.sub(rb"\1", data))
                else:
                    tell(Remark(found.id, "text before its first mail was left out"))
            except Unfit as unfit:
                tell(Remark(place, unfit.reason))
    if not number:
        raise Unfit("a mailbox without mails")


def _mails(file: BinaryIO) -> Iterator[bytes | Unfit | None]:
    """The mails one by one; Unfit for one too large to hold, None for text that stands before the first."""
    pieces: list[bytes] = []
    size, inside, after_blank, line_start, stray = 0, False, True, True, False
    while piece := file.readline(_PIECE):
        if line_start and after_blank and piece.startswith(b"From ") and _START.match(piece):
            if inside:
                yield _whole(pieces, size)
            elif stray:
                yield None
            pieces, size, inside = [], 0, True
        elif inside:
            size += len(piece)
            if size <= LARGE:
                pieces.append(piece)
            else:
                pieces.clear()
        else:
            stray = stray or bool(piece.strip())
        after_blank = line_start and piece in (b"\n", b"\r\n")
        line_start = piece.endswith(b"\n")
    if inside:
        yield _whole(pieces, size)


def _whole(pieces: list[bytes], size: int) -> bytes | Unfit:
    return b"".join(pieces) if size <= LARGE else Unfit(f"a mail larger than {LARGE // 2**20} MB")
