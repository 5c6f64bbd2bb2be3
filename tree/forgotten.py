"""The stub that stands where a text was forgotten. In a merge it beats whatever the other side made of that text."""

from __future__ import annotations

import re

STUB = b"[forgotten]"

_MARK = re.compile(rb"\[forgotten\](?![(\[:])")  # a link of that name is no stub


def stubs(data: bytes) -> int:
    """How many stubs a text holds."""
    return len(_MARK.findall(data))


def is_stub(data: bytes) -> bool:
    """Whether nothing but stubs is left of a text: list marks, quote marks and keys do not count as text."""
    return bool(stubs(data)) and not _MARK.sub(b"", data).strip(b" \t\r\n>-*+\"'")


def forgets_more(base: bytes | None, side: bytes, *, whole: bool = False) -> bool:
    """Whether a side forgot something of the base; with `whole`, only whether it forgot all of it."""
    if whole:
        return is_stub(side) and (base is None or not is_stub(base))
    return stubs(side) > stubs(base or b"")
