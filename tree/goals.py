"""MEMORY_GOALS.md: list items of the form `- [g3] text`, and the highest label ever given, `<!-- goals: 5 -->`.

A label stands for one goal for good, so that of a goal that was deleted is never given again: the comment remembers it where the
list no longer shows it. Everything else in the file is the person's own. All of this works on LF line ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

_GOAL = re.compile(rb"([-*+][ \t]+)\[g([0-9]{1,9})\][ \t]+(\S[^\n]*)")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_HIGHEST = re.compile(rb"^<!-- goals: ([0-9]{1,9}) -->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Goal:
    """`text` is what follows the label, with any indented lines below; `mark` is the list mark before it."""

    label: int
    text: bytes
    mark: bytes = b"- "

    def render(self) -> bytes:
        return self.mark + b"[g%d] " % self.label + self.text + b"\n"


Part = bytes | tuple[Goal, ...]


# A merge of goals looks at the same few versions for their labels, their texts and the text between.
@lru_cache(maxsize=32)
def split_goals(data: bytes) -> tuple[Part, ...]:
    """The file as its lists of goals and the texts between them, in order."""
    parts: list[Part] = []
    for line in _LINE.findall(data):
        last = parts[-1] if parts else None
        found = _GOAL.fullmatch(line.removesuffix(b"\n"))
        if found is not None:
            goal = Goal(int(found[2]), found[3], found[1])
            parts[-1:] = [(*last, goal)] if isinstance(last, tuple) else [*parts[-1:], (goal,)]
        elif isinstance(last, tuple) and line.startswith((b"  ", b"\t")) and line.strip():
            longer = replace(last[-1], text=last[-1].text + b"\n" + line.removesuffix(b"\n"))
            parts[-1] = (*last[:-1], longer)
        elif isinstance(last, bytes):
            parts[-1] = last + line
        else:
            parts.append(line)
    return tuple(parts)


def goals_of(data: bytes) -> list[Goal]:
    """Every goal of a file, in order."""
    return [goal for part in split_goals(data) if isinstance(part, tuple) for goal in part]


def highest_label(data: bytes) -> int:
    """The highest label that the file shows or remembers, 0 for none."""
    return max([0, *(goal.label for goal in goals_of(data)), *(int(found) for found in _HIGHEST.findall(data))])


def with_highest(data: bytes, label: int) -> bytes:
    """The file with another number in its comments; a file without one stays as it is."""
    return _HIGHEST.sub(highest_comment(label), data)


def highest_comment(label: int) -> bytes:
    """The comment, without a line end."""
    return b"<!-- goals: %d -->" % label
