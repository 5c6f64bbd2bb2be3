"""The lines of a message that are prose, without the marks of markdown: what a reader of the page would read.

Code blocks, tables, comments, HTML blocks and images are left out. Marks in a line are taken off by patterns that look at a bounded
stretch of it, so that no line takes longer than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_QUOTE = re.compile(r"[ \t]{0,3}>(?:[ \t]{0,4}>)*[ \t]?")
_LIST_MARK = re.compile(
    r"[ \t]*(?:[-*+•‣◦–][ \t]+|\(?\d{1,3}[.)][ \t]+|\d{1,3}、[ \t]*|[（(]\d{1,2}[)）][ \t]*)(?:\[[ xX]\][ \t]+)?"
)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+|\Z)")
_HEADING_END = re.compile(r"[ \t]#{1,6}[ \t]*\Z")
_RULE = re.compile(r"[ \t]*(?:[-=*_][ \t]?){3,}\Z")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*\Z")
_CODE = re.compile(r"(?: {4}|\t)")
_TAGS = (
    "a|abbr|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|small|span|strike"
    "|strong|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|tr|u|ul|script|style|section|body|head|html|input|button|form|label|link|meta"
)
_TAG = re.compile(rf"</?(?:{_TAGS})(?:[ \t/][^<>]{{0,300}})?>", re.IGNORECASE)
_HTML_LINE = re.compile(r"[ \t]*<(?:!DOCTYPE|\?xml|/?[a-zA-Z][\w:-]*)(?:[ \t/>].*)?>[ \t]*\Z", re.IGNORECASE)
_HTML_TEXT = re.compile(r"[ \t]*<(/?)(script|style|pre|svg|code|table)\b", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).){0,2000}-->")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}(?:[ \t][^()]{0,300})?\)|!\[\[[^\[\]]{1,300}\]\]")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((?:[^()\s]|\([^()\s]{0,100}\)){0,2000}(?:[ \t][^()]{0,300})?\)")
_WIKI = re.compile(r"\[\[(?:[^\[\]|]{1,300}\|)?([^\[\]|]{1,300})\]\]")
_STRONG = re.compile(r"(\*{1,3})(?=[^\s*])([^*]{1,400}?)(?<=[^\s*])\1(?!\*)")
_LOW = re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_]{1,400}?)(?<=[^\s_])\1(?!\w)")
_STRUCK = re.compile(r"~~(?=[^\s~])([^~]{1,400}?)~~|==(?=[^\s=])([^=]{1,400}?)==")
_CODE_SPAN = re.compile(r"(`[^`]{1,400}`)")
_ESCAPED = re.compile(r"\\([\\*_~`\[\]<>#+\-!|])")
_BROKEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\ufeff]+")
_SPACE = re.compile(r"\s+")


class Line(NamedTuple):
    """A line of prose; `continues`: it stands in one paragraph with the line before."""

    text: str
    continues: bool


def prose_lines(text: str, *, quoted: bool = True) -> Iterator[Line]:
    """The lines that say something, without marks, in their order; `quoted=False` leaves out those of block quotes."""
    broken = True
    for line, marked in _kept(text, quoted=quoted):
        said = _plain(line) if line else ""
        if any(char.isalnum() for char in said):
            yield Line(said, not (broken or marked))
            broken = False
        else:
            broken = True


def _kept(text: str, *, quoted: bool) -> Iterator[tuple[str, bool]]:
    """Each line outside of code and tables without its outer marks, '' for one that is left out; whether a mark began it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    state = _State()
    for number, line in enumerate(lines):
        quote = _QUOTE.match(line)
        line = line[quote.end() :] if quote else line
        if state.swallows(line, lines[number + 1] if number + 1 < len(lines) else "") or (quote and not quoted):
            yield "", True
            continue
        heading, item = _HEADING.match(line), _LIST_MARK.match(line)
        state.in_list = bool(item) or (state.in_list and bool(not line.strip() or line[:1].isspace()))
        found = heading or item
        yield (_HEADING_END.sub("", line[found.end() :]) if found else line), bool(found) or (bool(quote) != state.quote)
        state.quote, state.blank = bool(quote), not line.strip()


class _State:
    """What the lines so far have opened."""

    def __init__(self) -> None:
        self.fence = ""
        self.html = ""
        self.table = self.code = self.in_list = self.quote = False
        self.blank = True

    def swallows(self, line: str, following: str) -> bool:
        """Whether the line is no prose."""
        if self._in_fence(line) or self._in_html(line):
            self.blank = False
            return True
        if not line.strip():
            self.table = False
            return False
        self.code = not self.in_list and (self.blank or self.code) and _CODE.match(line) is not None
        bars = "|" in line
        self.table = bars and (
            self.table or ("|" in following and _DELIMITER.match(following[:2000]) is not None) or line.strip().startswith("|")
        )
        gone = self.code or self.table or _RULE.match(line[:400]) is not None or _HTML_LINE.match(line) is not None
        if gone:
            self.blank = not self.table and self.blank
        return gone

    def _in_fence(self, line: str) -> bool:
        found = _FENCE.match(line.lstrip() if self.in_list or self.fence else line)
        if self.fence:
            if found and found[1].startswith(self.fence) and not found[2].strip():
                self.fence = ""
            return True
        if found and not (found[1][0] == "`" and "`" in found[2]):
            self.fence = found[1]
            return True
        return False

    def _in_html(self, line: str) -> bool:
        if self.html:
            if f"</{self.html}" in line.lower():
                self.html = ""
            return True
        found = _HTML_TEXT.match(line)
        if found and not found[1]:
            name = found[2].lower()
            if f"</{name}" not in line.lower():
                self.html = name
            return name != "code" or not line.rstrip().endswith((".", "!", "?"))
        return False


def _plain(line: str) -> str:
    """A line without the marks in it; code in it stays as it is."""
    line = _COMMENT.sub(" ", _BROKEN.sub(" ", line))
    parts = _CODE_SPAN.split(line) if "`" in line else [line]
    parts[::2] = [_unmarked(part) for part in parts[::2]]
    return _SPACE.sub(" ", "".join(parts)).strip()


def _unmarked(part: str) -> str:
    if "[" in part:
        part = _WIKI.sub(r"\1", _LINK.sub(r"\1", _IMAGE.sub(" ", part)))
    if "<" in part:
        part = _TAG.sub(" ", part)
    if "*" in part:
        part = _STRONG.sub(r"\2", part)
    if "_" in part:
        part = _LOW.sub(_without_low, part)
    if "~" in part or "=" in part:
        part = _STRUCK.sub(lambda found: found[1] or found[2], part)
    return _ESCAPED.sub(r"\1", part) if "\\" in part else part


def _without_low(found: re.Match[str]) -> str:
    # `__init__` is a name and no emphasis.
    return found[0] if len(found[1]) == 2 and " " not in found[2] else found[2]
