"""What one line of markdown can begin: the marks of CommonMark, GFM and Obsidian as patterns, and the questions about them.

Sources: CommonMark 0.31.2 sections 4 and 5 (https://spec.commonmark.org/0.31.2/), the tables and footnotes of GFM
(https://github.github.com/gfm/), Obsidian's help on callouts and comments. A line comes here without its end and with its tabs
turned into spaces. Quantifiers are possessive (`*+`), so that no line takes longer than its length.
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple


class BlockKind(enum.Enum):
    """What a block is. BLANK is a document's leading blank lines, or all of them when it has nothing else."""

    FRONT_MATTER = "front matter"
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    QUOTE = "quote"
    CALLOUT = "callout"
    FENCE = "fence"
    CODE = "code"
    HTML = "html"
    TABLE = "table"
    RULE = "rule"
    FOOTNOTE = "footnote"
    MATH = "math"
    COMMENT = "comment"
    BLANK = "blank"


BOM = b"\xef\xbb\xbf"
# What opens a callout at the start of a quote: type, fold mark, title.
CALLOUT = re.compile(rb" {0,3}> ?[ \t]*+\[!([^\]\r\n]++)\]([+-]?)[ \t]*+([^\r\n]*+)")
SPACES = re.compile(rb" *+")
HEADING = re.compile(rb"(#{1,6})(?= |\Z)")
FOOTNOTE = re.compile(rb"\[\^[^\]\s]++\]:")
# No line that starts with one of the other bytes can begin anything but a paragraph; a space or a tab may indent a mark.
PLAIN_STARTS = frozenset(range(256)) - frozenset(b" \t\r\n#>`~-+*_=<|:0123456789[$%")

_FENCE = re.compile(rb"(?:(`{3,}+)[^`]*+|(~{3,}+).*)\Z", re.DOTALL)
_BULLET = re.compile(rb"[*+-](?= |\Z)")
_NUMBER = re.compile(rb"([0-9]{1,9})[.)](?= |\Z)")
_DELIMITER_ROW = re.compile(rb"(?:\| *+)?:?-++:? *+(?:\| *+:?-++:? *+)*+(?:\| *+)?\Z")

_HTML_NAMES = (
    rb"address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|"
    rb"figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|"
    rb"noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
# The spec's seven conditions in their order, each with what ends such a block; None: a blank line.
_HTML = re.compile(
    rb"(<(?i:script|pre|textarea|style)(?:\s|>|\Z))|(<!--)|(<\?)|(<![A-Za-z])|(<!\[CDATA\[)|(</?(?i:"
    + _HTML_NAMES
    + rb")(?:\s|/?>|\Z))"
)
_HTML_ENDS = (
    re.compile(rb"</(?:script|pre|textarea|style)>", re.IGNORECASE),
    re.compile(rb"-->"),
    re.compile(rb"\?>"),
    re.compile(rb">"),
    re.compile(rb"\]\]>"),
    None,
)
_ATTRIBUTE = rb"\s++[a-zA-Z_:][a-zA-Z0-9:._-]*+(?:\s*+=\s*+(?:[^\"'=<>`\x00-\x20]++|'[^']*+'|\"[^\"]*+\"))?+"
_HTML_TAG = re.compile(rb"<(?:[A-Za-z][A-Za-z0-9-]*+(?:" + _ATTRIBUTE + rb")*+\s*+/?|/[A-Za-z][A-Za-z0-9-]*+\s*+)>\s*+\Z")


class Marker(NamedTuple):
    """A list item's mark: its length, the character that items of one list share, whether it may interrupt a paragraph."""

    length: int
    key: int
    interrupts: bool


class Html(NamedTuple):
    """What ends an HTML block, None for a blank line; `complete` is whether the block ends on the line it begins on."""

    end: re.Pattern[bytes] | None
    complete: bool


def fence_at(line: bytes, at: int) -> int:
    """The length of the fence that opens at `at`, 0 when none does."""
    match = _FENCE.match(line, at)
    return len(match[1] or match[2]) if match else 0


def closes_fence(line: bytes, at: int, mark: int, length: int) -> bool:
    """Whether the text at `at` is nothing but at least `length` of the fence's marks."""
    text = line[at:].rstrip(b" ")
    return len(text) >= length and not text.strip(bytes((mark,)))


def is_underline(line: bytes, at: int) -> bool:
    """Whether the text at `at` is one run of its first character: under a paragraph, of `=` or `-`, a heading's underline."""
    return not line[at:].rstrip(b" ").strip(line[at : at + 1])


def is_rule(line: bytes, at: int) -> bool:
    """Whether the text at `at` is a thematic break."""
    text = line[at:]
    return not text.strip(text[:1] + b" ") and text.count(text[:1]) >= 3


def marker_at(line: bytes, at: int) -> Marker | None:
    """The mark of a list item at `at`."""
    if _BULLET.match(line, at):
        return Marker(1, line[at], interrupts=True)
    match = _NUMBER.match(line, at)
    return Marker(match.end() - at, line[match.end() - 1], interrupts=int(match[1]) == 1) if match else None


def html_at(line: bytes, at: int, *, in_paragraph: bool) -> Html | None:
    """The HTML block that begins at `at`; a lone tag of no known name does not interrupt a paragraph."""
    match = _HTML.match(line, at)
    if match:
        end = _HTML_ENDS[(match.lastindex or 1) - 1]
        return Html(end, end is not None and end.search(line, at) is not None)
    return Html(None, complete=False) if not in_paragraph and _HTML_TAG.match(line, at) else None


def delimits_table(row: bytes, header: bytes) -> bool:
    """Whether `row` under `header` makes both a table: only dashes, colons and pipes, and as many cells."""
    if not _DELIMITER_ROW.match(row) or not (b"|" in row or b"|" in header or row[:1] == b":"):
        return False
    return _cells(row) == _cells(header)


def _cells(row: bytes) -> int:
    row = row.strip()
    pipes = row.count(b"|") - row.count(rb"\|")
    leading = row[:1] == b"|"
    trailing = len(row) > 1 and row[-1:] == b"|" and row[-2:] != rb"\|"
    return pipes - leading - trailing + 1
