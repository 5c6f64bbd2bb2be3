"""Sentences: what a message says, cut where one thought ends and the next begins.

Chat is no literature: a line end often ends a sentence, and many begin in lower case. What is no prose is left out: code blocks,
tables, comments, pieces of HTML. Of the marks of markdown only those around words go; code in a line keeps its backticks, because
who reads the sentence wants to know that it is code. All passes are linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memtree.tree.markdown_prose import Line, prose_lines

_ENDS = re.compile(r"[.!?…。！？｡]+")
_CLOSERS = "\"'”’»)]}」』）】》*_~"
_AFTER_CLOSERS = re.compile("[" + re.escape(_CLOSERS) + "]*")
_CJK_ENDS = frozenset("。！？｡")
_CJK = re.compile("[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Inside these no sentence ends: what stands between them is one thing that is spoken of.
_WHOLE = re.compile(
    r"`[^`]{1,400}`|“[^“”]{1,400}”|「[^「」]{1,400}」|『[^『』]{1,400}』|《[^《》]{1,200}》"
    r"|(?<![^\s(（,:，：])\"(?! )[^\"]{1,400}\"(?!\w)|\([^()]{1,400}\)|（[^（）]{1,400}）"
)
# Words before a full stop that is theirs.
_SHORT = re.compile(
    r"mrs?|ms|dr|prof|st|[sj]r|vs|e\.?g|i\.?e|etc|cf|al|approx|figs?|eqs?|sec|ch|vol|pp|eds?|inc|ltd|co|corp|dept|est|ca|resp"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri|[ap]\.m|u\.[sk]|ph\.d|[bm]\.sc|d\.c"
)
# Those that can also be the last word: they end a sentence before a capital letter.
_LAST_TOO = re.compile(
    r"etc|al|inc|ltd|co|corp|[sj]r|[ap]\.m|u\.[sk]|ph\.d|st|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|fri"
)
_BEFORE_NUMBER = re.compile(r"no|nr|p|fig|sec|ch|vol|eq|art|para")
_LETTERED = re.compile(r"plan|option|choice|version|vitamin|grade|team|step|part|appendix|variant|class|type|group|and|or")
_WORD_BEFORE = re.compile(r"([^\W\d_]+(?:\.[^\W\d_]+)*)\Z")
_TWO_BEFORE = re.compile(r"([^\W\d_]+)\s+\w\Z")
_SEEN = 24  # characters before a full stop that are looked at
_HARD_WIDTH = 50  # columns from which a line may have been broken to fit
_OPEN_END = re.compile(
    r"(?:[,，、]|\b(?:a|an|the|and|or|but|to|of|in|on|at|by|for|with|from|that|which|is|are|was|be|as|my|our|your|i|we))\Z",
    re.IGNORECASE,
)


def sentences(text: str, *, quoted: bool = True) -> list[str]:
    """The sentences of a text in their order, each on one line and with at least one letter or digit.

    `quoted=False` leaves out block quotes: they are the words of somebody else.
    """
    found: list[str] = []
    for paragraph in _paragraphs(prose_lines(text, quoted=quoted)):
        found.extend(_cut(paragraph))
    return found


def _paragraphs(lines: Iterator[Line]) -> Iterator[str]:
    """The lines as they belong together: one that was only broken to fit goes on in the next."""
    held: list[str] = []
    for line in lines:
        if held and line.continues and _goes_on(held[-1], line.text):
            held.append(line.text)
            continue
        if held:
            yield _joined(held)
        held = [line.text]
    if held:
        yield _joined(held)


def _goes_on(line: str, after: str) -> bool:
    tail = line[-_SEEN:]
    if _ENDS.fullmatch(tail.rstrip(_CLOSERS)[-1:]) or tail.endswith((":", "：", ";", "；")):
        return False
    wide = len(line) + (len(_CJK.findall(line[:_HARD_WIDTH])) if len(line) < _HARD_WIDTH else 0) >= _HARD_WIDTH
    if _OPEN_END.search(tail):
        return wide or tail.endswith((",", "，", "、"))
    return wide and not after[:1].isupper()


def _joined(lines: list[str]) -> str:
    parts = [lines[0]]
    for before, line in pairwise(lines):
        close = _CJK.match(line) is not None and _CJK.match(before[-1:]) is not None
        parts.append(line if close else " " + line)
    return "".join(parts)


def _cut(paragraph: str) -> Iterator[str]:
    start = 0
    whole = [(found.start(), found.end()) for found in _WHOLE.finditer(paragraph)]
    at = 0
    for found in _ENDS.finditer(paragraph):
        end = _AFTER_CLOSERS.match(paragraph, found.end()).end()  # type: ignore[union-attr] # it matches nothing too
        while at < len(whole) and whole[at][1] <= found.start():
            at += 1
        inside = at < len(whole) and whole[at][0] < found.start()
        if (inside and whole[at][1] > end) or not _is_end(paragraph, found, end, inside=inside):
            continue
        if any(char.isalnum() for char in paragraph[start:end]):
            yield paragraph[start:end].strip()
            start = end
    rest = paragraph[start:].strip()
    if any(char.isalnum() for char in rest):
        yield rest


def _is_end(text: str, found: re.Match[str], end: int, *, inside: bool) -> bool:
    marks, after = found[0], text[end : end + 1]
    closed = inside or end > found.end()
    if not _CJK_ENDS.isdisjoint(marks):
        # 「好。」他说: what is closed goes on unless it is the end.
        return not closed or not after or after.isspace() or inside is False
    if "…" in marks or (".." in marks and "!" not in marks and "?" not in marks):
        return not after
    if after and not after.isspace() and not _CJK.match(after):
        return False
    follows = text[end : end + 2].lstrip()[:1]
    if closed and follows.islower():
        return False
    return marks != "." or not _is_short(text[max(0, found.start() - _SEEN) : found.start()], follows)


def _is_short(before: str, follows: str) -> bool:
    """Whether a full stop belongs to the word before it."""
    word = _WORD_BEFORE.search(before)
    if word is None or not follows:
        return False
    name = word[1].lower()
    if follows.isdigit() and _BEFORE_NUMBER.fullmatch(name):
        return True
    if _SHORT.fullmatch(name):
        return not (follows.isupper() and _LAST_TOO.fullmatch(name))
    if len(word[1]) == 1 and word[1].isupper() and word[1] != "I" and follows.isupper():
        two = _TWO_BEFORE.search(before)
        return two is None or _LETTERED.fullmatch(two[1].lower()) is None
    return False
