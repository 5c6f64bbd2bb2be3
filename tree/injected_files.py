"""Files of memory that came into a message: facts, recaps, turns, summaries and chunks of conversations, as memtree renders them.

A file is known by its header. Where its text ends, its `body_hash` tells; where that is of no use, its first paragraph goes.
"""

from __future__ import annotations

import hashlib
import re
from itertools import islice

_HEADER = re.compile(r"^---[ \t\r]*\n((?:(?!---[ \t\r]*$)[^\n]{0,2000}\n){1,80})---[ \t\r]*(?:\n|\Z)", re.MULTILINE)
_KEY = re.compile(r"^([a-z_]{1,30}):(?:[ \t]([^\n]*))?$", re.MULTILINE | re.ASCII)
_PARAGRAPH = re.compile(r"(?:[ \t\r]*\n)*+(?:(?!---[ \t\r]*$|#{1,6}[ \t]|<)[^\n]*[^\s][^\n]*(?:\n|\Z))*+", re.MULTILINE)
_SPOKEN = re.compile(
    r"(?:[ \t\r]*\n)*+\*\*[^*\n]{1,80}\*\*(?: \([0-9T:.Z-]{10,30}\))?[ \t\r]*\n(?:[ \t\r]*\n)*+"
    r"(?:(?!\*\*)[^\n]*[^\s][^\n]*(?:\n|\Z))*+"
)
_PARAGRAPH_END = re.compile(r"\n(?=[ \t\r]*\n|\Z)")
_MOST_BODY = 40_000  # characters that are tried for the hash
_MOST_ENDS = 400
_MOST_FILES = 400
_KINDS = frozenset({"insight", "pinned", "summary"})
_STATES = frozenset({"active", "superseded", "retracted"})


def without_files(text: str) -> str:
    """The text without the files of memory in it, the line end behind each left."""
    if "---" not in text:
        return text
    kept: list[str] = []
    at = 0
    for found in islice(_HEADER.finditer(text), _MOST_FILES):
        keys = {key: (value or "").strip() for key, value in _KEY.findall(found[1])}
        if found.start() < at or not _is_ours(keys):
            continue
        end = found.end() + _body(text[found.end() : found.end() + _MOST_BODY], keys)
        kept.append(text[at : found.start()])
        at = end - (text[end - 1] == "\n")
    return "".join(kept) + text[at:] if kept else text


def _is_ours(keys: dict[str, str]) -> bool:
    if "session_id" in keys and ("seq" in keys or "segment" in keys):
        return True
    if keys.get("source_kind") and "source_id" in keys:
        return True
    if "generator" in keys and "body_hash" in keys:
        return True
    return keys.get("kind") in _KINDS and ("namespace" in keys or keys.get("state") in _STATES)


def _body(text: str, keys: dict[str, str]) -> int:
    """How many characters behind the header are the file's."""
    wanted = keys.get("body_hash", "").strip("'\"")
    if wanted and (exact := _hashed(text, wanted)):
        return exact
    spoken = _SPOKEN.match(text)
    if spoken is None:
        first = _PARAGRAPH.match(text)
        return first.end() if first is not None else 0
    end = 0
    while (spoken := _SPOKEN.match(text, end)) is not None:
        end = spoken.end()
    return end


def _hashed(text: str, wanted: str) -> int:
    """Where the body of a hash ends, 0 where no paragraph's end fits."""
    ends = [0, *(found.end() for found in _PARAGRAPH_END.finditer(text))][: _MOST_ENDS + 1]
    ends.append(len(text))
    digest, at = hashlib.sha256(), 0
    for end in ends:
        digest.update(text[at:end].encode("utf-8", "surrogatepass"))
        at = end
        closed = digest.copy()
        closed.update(b"\n")  # the last line end may be lost on the way
        if wanted in (digest.hexdigest()[:16], closed.hexdigest()[:16]):
            return end
    return 0
