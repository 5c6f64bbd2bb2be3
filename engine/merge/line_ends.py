"""Line ends in a merge: texts are compared without them, and the result is written with the style of the side that changed it."""

from __future__ import annotations

from typing import NamedTuple

from memtree.engine.merge.three_way import pick


class Levelled(NamedTuple):
    """Three versions that differ in more than line ends, and whether the result is to end its lines in CRLF."""

    base: bytes | None
    ours: bytes
    theirs: bytes
    crlf: bool

    def written(self, text: bytes) -> bytes:
        return text.replace(b"\n", b"\r\n") if self.crlf else text


def level(base: bytes | None, ours: bytes, theirs: bytes) -> Levelled:
    """The versions on LF where each side has one style of line end; where one mixes them, their bytes as they are."""
    one, two = _style(ours), _style(theirs)
    if one is None or two is None:
        return Levelled(base, ours, theirs, crlf=False)
    # A side of one line has no style to choose.
    style = pick(_style(base or b""), one, two, lambda: b"\n") if one and two else one or two
    plain = None if base is None else _plain(base)
    return Levelled(plain, _plain(ours), _plain(theirs), crlf=style == b"\r\n")


def one_text(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """The result where the sides differ in nothing but line ends; None where they differ in more."""
    if _plain(ours) != _plain(theirs):
        return None
    levelled = level(base, ours, theirs)
    return levelled.written(levelled.ours) if levelled.ours == levelled.theirs else min(ours, theirs)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _style(data: bytes) -> bytes | None:
    """The one line end of a text, b"" for a text of one line; None for several ones."""
    pairs, feeds = data.count(b"\r\n"), data.count(b"\n")
    if data.count(b"\r") != pairs or 0 < pairs < feeds:
        return None
    return (b"\r\n" if pairs else b"\n") if feeds else b""
