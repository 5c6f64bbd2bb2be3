"""Elements such as `<relevant-memories>` in which memory programs put what they found into a message.

An element counts where it is used: not in quotation marks, and not where words around it speak of it ("the <memories> tag"). Of
nested ones the outermost goes. A mark that nothing closes takes only the items below it along.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from itertools import islice

from memtree.tree.injected_items import ITEMS, REMARK

_WHOSE = "relevant|related|recalled|retrieved|past|stored|saved|long[- ]term|user"
_PROGRAMS = "supermemory|openmemory|memtree|memgpt|claude[-_]mem|mem0|mem9|memos|letta|zep|cognee|hindsight|honcho|langmem"
_NAME = (
    r"system[-_]reminder|(?:[a-z0-9]{1,20}+[-_]){0,3}memor(?:y|ies)(?:[-_][a-z0-9]{1,20}+){0,3}"
    rf"|(?:{_WHOSE})[ ]memor(?:y|ies)|[a-z]{{2,20}}Memories"
    rf"|(?:{_PROGRAMS})(?:[-_][a-z]{{1,20}}){{1,3}}"
    r"|(?:recalled|relevant|retrieved|injected)[-_](?:context|facts?|knowledge|history)|user[-_](?:profile|facts)"
)
_BEFORE = re.compile(
    r"(?:[ \t\n(\[](?:the|an?|tags?|elements?|us(?:e|ing|ed)|in(?:side|to)?|between|with(?:in|out)?|call(?:ed)?|named|and|or"
    r"|like|write|of|from|by|to|see|wrap|add|put|emit|strip|parse|than|not|just|my|your|our|this|that|each|every|no|before"
    r"|after|around)[ ]|[在的用和到个把叫签是与为][ ]?)\Z",
    re.IGNORECASE,
)
_AFTER = (
    r"[ \t]{1,3}(?-i:(?:tags?|elements?|blocks?|markers?|sections?|wrappers?|is|are|was|were|and|or|means?|should|must|do|does|did"
    r"|gets?|has|when|where|that|which|instead|closes|opens|begins|starts|ends|in|at|as|to|for|from|with|on|if|but|before|after"
    r"|around|inside|into)(?![a-zA-Z])|标签|元素|这|是|和|或|里|中)|[ \t]?(?:[,;.?!…，。；？！：、)）]|标签|元素)"
)
_REST = r"(?:[ \t]*|[ \t\n][^<>]{0,300})(?<!/)>"
_TAG = re.compile(
    rf"<(?=[ \t]{{0,3}}+/?[ \t]{{0,3}}+[a-z0-9])(?<![`'\"‘“「『\\]<)[ \t]{{0,3}}+(/?)[ \t]{{0,3}}+({_NAME}){_REST}"
    rf"(?![`'\"’”」』])(?!{_AFTER})",
    re.IGNORECASE,
)
_LIST_BELOW = re.compile(r"[ \t\r]*\n[ \t]*[-*+•\d\[#]")
_LISTED = re.compile(rf"[ \t\r]*(?:\n[ \t\r]*)*+{REMARK}{ITEMS}")
_ALONE = re.compile(r"[ \t\r]*(?=\n|\Z)")
_FEATURE = re.compile(
    r"<<<EXTERNAL_UNTRUSTED_CONTENT[^<>\n]{0,200}>>>(?:(?!<<<EXTERNAL_UNTRUSTED).)*?<<<END_EXTERNAL_UNTRUSTED_CONTENT[^<>\n]{0,200}>>>",
    re.DOTALL,
)
_ANY = re.compile(rf"<(?=[ \t]{{0,3}}/?[ \t]{{0,3}}(?:{_NAME}))|<(?=<<)", re.IGNORECASE)
_MOST_TAGS = 20_000  # a message with more is none that somebody wrote
_WORDS = (
    *("memor", "reminder", "context", "fact", "knowledge", "history", "profile", "untrusted", "memtree", "memgpt", "mem0", "mem9"),
    *("memos", "letta", "zep", "cognee", "hindsight", "honcho", "langmem"),
)
_FEW = 80  # characters
_WORD = 12  # characters before a mark in which a word that speaks of it would stand
_AMOUNT = re.compile(r"[\d.,\s]*[a-zA-Z]{0,3}\s*")  # `<memory unit="MiB">512</memory>` is a machine's


def _names_one(lower: str) -> bool:
    """Whether a text has a name of an element anywhere."""
    return any(word in lower for word in _WORDS)


def without_tags(text: str) -> str:
    """The text without the elements, without marks that close nothing and stand alone, and without lists below marks left open."""
    if "<" not in text or not _names_one(text.lower()):
        return text
    if "<<<EXTERNAL" in text:
        text = _FEATURE.sub("", text)
    padded = "\n" + text  # what stands first in the text follows a line end, as on every other line
    kept: list[str] = []
    at = 1
    for start, end in _injected(padded):
        if end > at:
            kept.append(padded[at : max(at, start)])
            at = end
    return "".join(kept) + padded[at:] if kept else text


def defused_tags(text: str) -> str:
    """The text with every mark broken, as long as before."""
    return _ANY.sub("‹", text)


def _injected(text: str) -> list[tuple[int, int]]:
    """Where something was injected, in order of the beginnings: the outermost elements, and what damaged ones left."""
    starts: list[int] = []
    ends: list[int] = []
    rest: list[tuple[int, int]] = []
    opened: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for found in islice(_TAG.finditer(text), _MOST_TAGS):
        closes, name = found.groups()
        waiting = opened[name] if name in opened else opened[name.lower().replace("_", "-")]
        if not closes:
            waiting.append(found.span())
            continue
        while waiting and _inside(waiting[-1][0], starts, ends):
            waiting.pop()
        if not waiting:
            rest += _alone(text, found)
            continue
        start, inner = waiting.pop()
        if _counts(text, start, inner, found.start(), found.end()):
            while starts and starts[-1] > start:
                starts.pop()
                ends.pop()
            starts.append(start)
            ends.append(found.end())
    for start, inner in (span for spans in opened.values() for span in spans):
        line = _line_start(text, start)
        listed = _LISTED.match(text, inner) if line else None
        if listed is not None:
            rest.append((line, listed.end()))
    return sorted([*zip(starts, ends, strict=True), *rest])


def _alone(text: str, mark: re.Match[str]) -> list[tuple[int, int]]:
    """A mark with its line, where it stands alone in that; none otherwise."""
    line = _line_start(text, mark.start())
    alone = _ALONE.match(text, mark.end()) if line else None
    return [(line, alone.end())] if alone is not None else []


def _line_start(text: str, place: int) -> int:
    """Where the line begins in which only blanks stand before a place, 0 where something else does: the first is never at 0."""
    if text[place - 1] not in " \t\r\n":
        return 0
    line = text.rfind("\n", max(0, place - _WORD), place) + 1
    return line if line and not text[line:place].strip() else 0


def _inside(place: int, starts: list[int], ends: list[int]) -> bool:
    at = bisect_right(starts, place) - 1
    return at >= 0 and place < ends[at]


def _counts(text: str, start: int, inner: int, close: int, end: int) -> bool:
    """Whether something was injected: not marks that are spoken of or alone amid words, nor an amount."""
    if _BEFORE.search(text, max(0, close - _WORD), close) or (
        _BEFORE.search(text, max(0, start - _WORD), start) and _LIST_BELOW.match(text, inner) is None
    ):
        return False
    if close - inner > _FEW:
        return True
    said = text[inner:close]
    if any(char.isalnum() for char in said):
        return _AMOUNT.fullmatch(said) is None
    return bool(_line_start(text, start)) and _ALONE.match(text, end) is not None
