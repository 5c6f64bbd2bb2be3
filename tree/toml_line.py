"""One text of a TOML document's top table, set while every other byte stays.

    librarian = "laptop-91c0"  # the one at home

Its line is changed where there is one, else a line is put below the last one of that table. What the document means afterwards is
read back: a form in which the key cannot be set soundly, such as a text over several lines, is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple

from memtree.tree.errors import UserError

_MARK = "\ufeff"
_TEXT = r""""(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*'"""


class NotSettable(UserError):
    """The document has a form in which the key is not set by a program."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key} is written in a way that is not edited by a program", hint=f'write it yourself: {key} = "…"')
        self.key = key


class _Statement(NamedTuple):
    """Lines `first` up to `end` of the top table that say one thing, and the keys that they speak of."""

    first: int
    end: int
    keys: frozenset[str]


def with_top_text(document: str, key: str, value: str) -> str:
    """Return the document with a bare key of its top table set to a text. Raise NotSettable, also for what is no TOML."""
    text = document.removeprefix(_MARK)
    old = _meaning(text)
    if old is None:
        raise NotSettable(key)
    made = _changed(re.findall(r"[^\n]*\n|[^\n]+", text), key, json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f"))
    if _meaning(made) != old | {key: value}:
        raise NotSettable(key)
    return document[: len(document) - len(text)] + made


def _changed(lines: list[str], key: str, value: str) -> str:
    statements, header = _top(lines)
    own = next((one for one in statements if key in one.keys), None)
    if own is not None:
        found = re.fullmatch(rf"""([ \t]*["']?{re.escape(key)}["']?[ \t]*=[ \t]*)(?:{_TEXT})(.*)""", lines[own.first], re.DOTALL)
        if found is None or own.end > own.first + 1:
            raise NotSettable(key)
        lines[own.first] = found[1] + value + found[2]
        return "".join(lines)
    end = "\r\n" if any(line.endswith("\r\n") for line in lines) else "\n"
    at = statements[-1].end if statements else _above_comment(lines, header)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += end
    apart = not statements and at < len(lines) and bool(lines[at].strip())
    lines.insert(at, f"{key} = {value}{end}" + end * apart)
    return "".join(lines)


def _top(lines: Sequence[str]) -> tuple[list[_Statement], int]:
    """What the top table says, and the line of the first header below it."""
    found: list[_Statement] = []
    at = 0
    while at < len(lines):
        start = lines[at].lstrip()
        if start.startswith("["):
            break
        end = at + 1
        if start and not start.startswith("#"):
            while (meant := _meaning("".join(lines[at:end]))) is None and end < len(lines):
                end += 1
            found.append(_Statement(at, end, frozenset(meant or ())))
        at = end
    return found, at


def _above_comment(lines: Sequence[str], header: int) -> int:
    """Where a table begins with the comment that stands right above its header."""
    at = header
    while at < len(lines) and at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def _meaning(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
