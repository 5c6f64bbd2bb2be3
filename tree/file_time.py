"""The time that a file tells of itself, from its header without reading all of it: thousands are sorted by it in no time."""

from __future__ import annotations

import re

from memtree.tree.chunks import time_of
from memtree.tree.document import Document
from memtree.tree.fact import is_fact_file
from memtree.tree.front_matter import TIME_KEYS, FrontMatter, fences
from memtree.tree.kinds import is_markdown
from memtree.tree.paths import RepoPath

_WORD = rb"[A-Za-z0-9](?:[A-Za-z0-9 ./+@()'_-]|:(?=[A-Za-z0-9/.+-]))*+"
_LIST = rb"\[[A-Za-z0-9 ,./_-]*+\]|(?:\n *- " + _WORD + rb")+"
_KEY = rb"[A-Za-z_][A-Za-z0-9_-]{0,99}"
# Headers in which every key begins a line and has its value there, or as a list: a time needs no other key to be read.
_SIMPLE = re.compile(rb"(?:" + _KEY + rb":(?: +" + _WORD + rb"| *(?:" + _LIST + rb"))\n)+")
_TIMES = re.compile(rb"^(?:" + "|".join(TIME_KEYS).encode() + rb"):[^\n]*\n", re.MULTILINE)


def file_time(path: RepoPath, data: bytes) -> int | None:
    """What `time_of` says of a file with its header, in epoch seconds; None for a file that tells none."""
    if not is_markdown(path):
        return time_of(path)
    found = fences(data)
    if found is None:
        return time_of(path)
    if is_fact_file(path):
        return time_of(path, Document.parse(data).front_matter())
    header = data[found.start : found.header_end].replace(b"\r\n", b"\n")
    if _SIMPLE.fullmatch(header):
        return time_of(path, FrontMatter.parse(b"".join(_TIMES.findall(header))))
    return time_of(path, Document.parse(data).front_matter())
