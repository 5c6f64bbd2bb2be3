"""Injected: what a memory program put into a message, ours or another's, is not what was said in it.

Whoever learns from a conversation must not learn what memory told there: it would be told again, and be confirmed by itself. Blocks
come in the forms of many programs and are often damaged, and people also write about them. Hence two rules: a mark that is talked
about stays, and where the end of a block cannot be told only its items go, never the rest of the message.
"""

from __future__ import annotations

import re

from memtree.tree.context_fence import OPEN, without_fenced
from memtree.tree.injected_files import without_files
from memtree.tree.injected_lines import defused_lines, without_lines, without_quotations
from memtree.tree.injected_output import without_output
from memtree.tree.injected_tags import defused_tags, without_tags

_ROUNDS = 4
_MOST_FENCES = 1_000  # a message with more marks of code is none that somebody wrote
_MOST_SPANS = 2_000
_FENCE = re.compile(r"^[ \t]{0,12}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_SPAN = re.compile(r"`[^`\n<]{0,200}<[^`\n]{0,200}`")
_PRIVATE = range(0xE000, 0xF8FF)


def without_injected(text: str, *, quoted: bool = False) -> str:
    """The text without what programs injected; the same text where nothing was, '' or blank where there was nothing else.

    Every line that was really said stays as it is, in its place. `quoted=True` keeps block quotes and the replies below `… wrote:`,
    which are another's words. Done again it changes nothing. Linear in the text.
    """
    for _ in range(_ROUNDS):
        # Again, because what stood around a block may make one when it is gone.
        if (without := _once(text, quoted=quoted)) == text:
            return text
        text = without
    return _defused(text, quoted=quoted)


def _once(text: str, *, quoted: bool) -> str:
    if OPEN in text:
        text = without_fenced(text)
    code = _Code(text)
    masked = without_lines(without_output(without_files(without_tags(code.masked))), code.token)
    if not quoted:
        masked = without_quotations(masked)
    return code.whole(masked)


def _defused(text: str, *, quoted: bool) -> str:
    """A text that hides its marks in one another, without any mark that could count."""
    text = without_output(defused_lines(defused_tags(text)))
    return text if quoted else without_quotations(text)


class _Code:
    """A text whose code stands aside, so that marks in it are none: people show them to each other there."""

    def __init__(self, text: str) -> None:
        self._aside: list[str] = []
        self._sign = "" if "`" not in text and "~~~" not in text else next((chr(n) for n in _PRIVATE if chr(n) not in text), "")
        self.token = f"{self._sign}[0-9]+{self._sign}" if self._sign else "(?!)"
        self.masked = self._without_spans(self._without_fences(text)) if self._sign else text

    def whole(self, masked: str) -> str:
        """The masked text with the code in its place again."""
        if not self._aside:
            return masked
        one = re.compile(f"{self._sign}([0-9]+){self._sign}")
        # A span can hold no fence, but a fence was taken first: one pass is enough.
        return one.sub(lambda found: self._aside[int(found[1])], masked)

    def _put_aside(self, code: str) -> str:
        self._aside.append(code)
        return f"{self._sign}{len(self._aside) - 1}{self._sign}"

    def _without_fences(self, text: str) -> str:
        kept: list[str] = []
        at = opened = 0
        mark = ""
        for number, found in enumerate(_FENCE.finditer(text)):
            if number > _MOST_FENCES:
                return text
            if not mark:
                if found[1][0] == "~" or "`" not in found[2]:
                    mark, opened = found[1], found.start()
            elif found[1].startswith(mark) and not found[2].strip():
                kept += (text[at:opened], self._put_aside(text[opened : found.end()]))
                at, mark = found.end(), ""
        return "".join(kept) + text[at:]  # one that never ends is none

    def _without_spans(self, text: str) -> str:
        return _SPAN.sub(lambda found: self._put_aside(found[0]), text, count=_MOST_SPANS) if "`" in text and "<" in text else text
