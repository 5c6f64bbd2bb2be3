"""Entries: the list items of a memory file, each as one text with the lines it takes and the heading it stands under.

What a person reads is kept; list marks, evidence, comments and block ids are left out. Conflict callouts hold no entries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtree.tree.block_parts import heading_text
from memtree.tree.blocks import BlockKind, scan
from memtree.tree.evidence import split_evidence
from memtree.tree.goal_edits import standing

_MARK = re.compile(rb"\s*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+(?:\[[ xX]\](?:[ \t]+|$))?|$)", re.MULTILINE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLOCK_ID = re.compile(rb"(?:^|[ \t])\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)

_LONGEST = 20_000  # bytes of an entry that are read: nobody is told more of one


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry. Lines are counted from 1, the last one included; `heading` is '' above the first one."""

    text: str
    heading: str
    first_line: int
    last_line: int


def listed(data: bytes) -> list[Listed]:
    """Every entry of a file that says something, in order."""
    data = _level(data)
    found: list[Listed] = []
    heading, at, line = "", 0, 1
    for block in scan(data):
        if block.kind is BlockKind.HEADING:
            heading = heading_text(data, block)
        elif block.kind is BlockKind.LIST:
            for start, stop in zip(block.parts, (*block.parts[1:], block.content_end), strict=True):
                item = data[start:stop].rstrip()
                line, at = line + data.count(b"\n", at, start), start
                text = _said(item)
                if text:
                    found.append(Listed(text, heading, line, line + item.count(b"\n")))
    return found


def listed_goals(data: bytes) -> list[Listed]:
    """The goals of MEMORY_GOALS.md in the same form, without their labels."""
    found = ((goal, _COMMENT.sub(b" ", goal.text.encode()[:_LONGEST]).decode("utf-8", "replace")) for goal in standing(data))
    return [Listed(text.strip(), "", goal.first_line, goal.last_line) for goal, text in found if text.strip()]


def _said(item: bytes) -> str:
    item = item[:_LONGEST]
    first, end, rest = item.partition(b"\n")
    text = _COMMENT.sub(b" ", split_evidence(first)[0] + end + rest)
    text = _BLOCK_ID.sub(b"", _MARK.sub(b"", text, count=1))
    return text.decode("utf-8", "replace").strip()


def _level(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
