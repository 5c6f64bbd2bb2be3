"""The scanner behind `blocks.scan`: CommonMark's block structure, one pass over the lines, nothing kept but where blocks start.

A line first continues the containers that are open (quotes, list items, footnotes), then opens new ones, and what is left of it
goes to a leaf: a paragraph, a heading, a fence. Only leaves and containers at the root are recorded, but the inner ones must be
followed: whether `# x` inside a list is a heading of the root depends on them. Most lines of real notes need none of this, so
`run` decides the common ones by their first byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memtree.tree import block_rules as rules
from memtree.tree.block_rules import BlockKind
from memtree.tree.front_matter import fences

# Containers in containers; deeper marks are text. A line costs at most this many steps, so no input is worse than linear.
_MAX_DEPTH = 64
_QUOTE = -1  # the width of a container that is continued by its mark and not by indentation
_CODE_INDENT = 4
_ENDS = frozenset(b"\n\r")
_SPACE, _DASH, _ANGLE, _BRACKET, _DOLLAR = b" ->[$"

# Names for the members: the scanner compares them for every line, and a lookup on the class costs more than the comparison.
_PARAGRAPH, _FENCE, _CODE, _HTML = BlockKind.PARAGRAPH, BlockKind.FENCE, BlockKind.CODE, BlockKind.HTML
_TABLE, _MATH, _COMMENT = BlockKind.TABLE, BlockKind.MATH, BlockKind.COMMENT
_ENDED_BY_BLANK = (None, _PARAGRAPH, _TABLE)


@dataclass(slots=True)
class Found:
    """A block of the root and where it starts."""

    kind: BlockKind
    start: int
    level: int = 0


@dataclass(slots=True)
class _Container:
    """`width`: how far a line must be indented to belong to it. A container that is not `filled` ends at a blank line."""

    width: int
    filled: bool


class Scanner:
    """One scan of one document. `found` are the root's blocks, `items` all list items, inner ones too, as (start, depth from 0)."""

    def __init__(self, data: bytes) -> None:
        self.found: list[Found] = []
        self.items: list[tuple[int, int]] = []
        self._data = data
        self._containers: list[_Container] = []
        self._leaf: BlockKind | None = None  # the leaf that takes the next line, when one is open
        self._list_key = 0  # the mark of the list that ends `found`, while an item could still join it
        self._header = b""  # the last line of the open paragraph: a table's header if a delimiter row follows
        self._header_start = 0
        self._fence_mark = self._fence_length = 0
        self._html_end: re.Pattern[bytes] | None = None
        self._unclosed: set[bytes] = set()  # `$$` or `%%`, once the rest of the document has no other
        # The line in hand: its text, where it starts and ends in the document, where its first character is behind how many
        # spaces, how many containers it continues, and whether these are all.
        self._text = b""
        self._start = self._end = self._at = self._indent = self._depth = 0
        self._matched = True

    def run(self) -> None:
        """Find all blocks."""
        data = self._data
        end = self._skip_head()
        containers, blank_end = self._containers, -1
        for raw in data[end:].splitlines(keepends=True) if end else data.splitlines(keepends=True):
            start = end
            end += len(raw)
            first = raw[0]
            if first in _ENDS:
                # A blank line below a blank line changes nothing, however deep the containers are.
                if start != blank_end:
                    if not containers and self._leaf in _ENDED_BY_BLANK:
                        self._leaf = None
                    else:
                        self._line(b"", start, end)
                blank_end = end
                continue
            if not containers:
                leaf = self._leaf
                if leaf is _FENCE:
                    if first != self._fence_mark and first != _SPACE:
                        continue
                elif first in rules.PLAIN_STARTS:
                    if leaf is _PARAGRAPH:
                        self._header, self._header_start = raw, start
                        continue
                    if leaf is None or leaf is _CODE:
                        self.found.append(Found(_PARAGRAPH, start))
                        self._leaf, self._list_key, self._header, self._header_start = _PARAGRAPH, 0, raw, start
                        continue
            self._line(raw.rstrip(b"\r\n"), start, end)

    def _skip_head(self) -> int:
        """Take the front matter, or a first line with a byte order mark; return where the other lines begin."""
        data = self._data
        front = fences(data)
        if front:
            self.found.append(Found(BlockKind.FRONT_MATTER, 0))
            return front.end
        if not data.startswith(rules.BOM):
            return 0
        first = data.splitlines(keepends=True)[0]
        self._line(first.removeprefix(rules.BOM).rstrip(b"\r\n"), 0, len(first))
        return len(first)

    # -- one line

    def _line(self, text: bytes, start: int, end: int) -> None:
        self._text, self._start, self._end = text.expandtabs(4) if b"\t" in text else text, start, end
        self._continue_containers()
        leaf = self._leaf
        if self._matched and leaf is not None and leaf is not _PARAGRAPH and self._continue_leaf(leaf):
            return
        if self._at >= len(self._text):
            self._blank()
        elif not self._open_blocks():
            self._paragraph()

    def _continue_containers(self) -> None:
        text, at, depth = self._text, 0, 0
        size = len(text)
        begin = _first(text, 0) if text[:1] == b" " else 0
        for container in self._containers:
            width = container.width
            if width == _QUOTE:
                if begin >= size or text[begin] != _ANGLE or begin - at >= _CODE_INDENT:
                    break
                at = begin + 1
                if at < size and text[at] == _SPACE:
                    at += 1
                begin = _first(text, at)
            elif begin >= size:
                if not container.filled:
                    break
                at = begin
            elif begin - at >= width:
                at += width
            else:
                break
            depth += 1
        self._depth, self._matched = depth, depth == len(self._containers)
        self._at, self._indent = begin, begin - at

    def _continue_leaf(self, leaf: BlockKind) -> bool:
        """Give the line to the open leaf; False when that leaf ends before it or leaves it to the openers."""
        blank = self._at >= len(self._text)
        if leaf is _FENCE:
            mark = self._fence_mark
            may_close = not blank and self._indent < _CODE_INDENT and self._text[self._at] == mark
            if may_close and rules.closes_fence(self._text, self._at, mark, self._fence_length):
                self._leaf = None
            return True
        if leaf is _HTML:
            ends = blank if self._html_end is None else self._html_end.search(self._text, self._at) is not None
            if ends:
                self._leaf = None
            return True
        if leaf is _MATH or leaf is _COMMENT:
            if _DELIMITERS[leaf] in self._text:
                self._leaf = None
            return True
        if leaf is _CODE:
            if blank or self._indent >= _CODE_INDENT:
                return True
            self._leaf = None
        elif blank:
            self._leaf = None
            return True
        return False

    def _blank(self) -> None:
        """End what a blank line ends; it may stand behind marks that this line opened."""
        if not self._matched:
            self._close()
            self._leaf = None
        elif self._leaf is _PARAGRAPH:
            self._leaf = None

    def _paragraph(self) -> None:
        """Give the rest of the line to a paragraph or a table, an open one or a new one."""
        if self._leaf is _PARAGRAPH:
            # A line that continues a paragraph without its containers' marks is no table's header.
            self._header = self._text[self._at :] if self._matched else b""
            self._header_start = self._start
        elif not (self._leaf is _TABLE and self._matched):
            self._begin(_PARAGRAPH, _PARAGRAPH)
            self._header, self._header_start = self._text[self._at :], self._start

    def _close(self) -> None:
        del self._containers[self._depth :]
        self._matched = True

    def _begin(self, kind: BlockKind, leaf: BlockKind | None, *, level: int = 0) -> bool:
        """Begin a leaf or a container of `kind`; it is a block of the root when no container is open around it."""
        if not self._matched:
            self._close()
        if self._containers:
            self._containers[-1].filled = True
        else:
            self.found.append(Found(kind, self._start, level))
            self._list_key = 0
        self._leaf = leaf
        return True

    # -- openers: True when nothing of the line is left for a paragraph

    def _open_blocks(self) -> bool:
        """Open what the line begins, containers from the outside in."""
        while self._at < len(self._text):
            if self._indent >= _CODE_INDENT:
                return self._open_code()
            mark = self._text[self._at]
            if mark not in _CONTAINER_MARKS or not self._open_container(mark):
                return self._open_leaf(mark)
        self._blank()
        return True

    def _open_leaf(self, mark: int) -> bool:
        """Open a leaf, or turn the open paragraph into one."""
        if mark in b"#":
            return self._open_heading()
        if mark in b"`~":
            return self._open_fence()
        if mark in b"<":
            return self._open_html()
        if mark in b"=":
            return self._open_underline()
        if mark in b"-":
            return self._open_underline() or self._open_rule() or self._open_table()
        if mark in b"*_":
            return self._open_rule()
        if mark in b"|:":
            return self._open_table()
        return mark in b"$%" and self._open_delimited()

    def _open_code(self) -> bool:
        if self._leaf is _PARAGRAPH or (self._leaf is _TABLE and self._matched):
            return False
        return self._begin(_CODE, _CODE)

    def _open_container(self, mark: int) -> bool:
        """Open a quote, an item or a footnote; what stands behind its mark is then looked at anew."""
        if len(self._containers) >= _MAX_DEPTH:
            return False
        if mark == _ANGLE:
            self._begin(BlockKind.QUOTE, None)
            self._containers.append(_Container(_QUOTE, filled=True))
            after = self._at + 1
            at = after + 1 if self._text[after : after + 1] == b" " else after
            self._at = _first(self._text, at)
            self._indent = self._at - at
            return True
        return self._open_footnote() if mark == _BRACKET else self._open_item(mark)

    def _open_footnote(self) -> bool:
        match = rules.FOOTNOTE.match(self._text, self._at)
        if match is None:
            return False
        self._begin(BlockKind.FOOTNOTE, None)
        self._containers.append(_Container(_CODE_INDENT, filled=True))
        self._at, self._indent = _first(self._text, match.end()), 0
        return True

    def _open_item(self, mark: int) -> bool:
        text, at = self._text, self._at
        in_paragraph = self._leaf is _PARAGRAPH and self._matched
        if mark == _DASH and in_paragraph and rules.is_underline(text, at):
            return False
        marker = rules.marker_at(text, at)
        if marker is None or (mark in b"*-" and rules.is_rule(text, at)):
            return False
        after = at + marker.length
        begin = _first(text, after)
        blank = begin >= len(text)
        if in_paragraph and (blank or not marker.interrupts):
            return False
        self._begin_item(marker.key)
        if blank or begin - after > _CODE_INDENT:
            # One space belongs to the mark; more than four are an indented code block's.
            width, inside = self._indent + marker.length + 1, min(after + 1, len(text))
        else:
            width, inside = self._indent + begin - at, begin
        self._containers.append(_Container(width, filled=False))
        self._at, self._indent = begin, begin - inside
        return True

    def _begin_item(self, key: int) -> None:
        if not self._matched:
            self._close()
        if self._containers or self._list_key != key:
            self._begin(BlockKind.LIST, None)
        self._leaf = None
        if not self._containers:
            self._list_key = key
        self.items.append((self._start, len(self._containers)))

    def _open_heading(self) -> bool:
        match = rules.HEADING.match(self._text, self._at)
        return match is not None and self._begin(BlockKind.HEADING, None, level=len(match[1]))

    def _open_fence(self) -> bool:
        length = rules.fence_at(self._text, self._at)
        if not length:
            return False
        self._fence_mark, self._fence_length = self._text[self._at], length
        return self._begin(_FENCE, _FENCE)

    def _open_html(self) -> bool:
        html = rules.html_at(self._text, self._at, in_paragraph=self._leaf is _PARAGRAPH)
        if html is None:
            return False
        self._html_end = html.end
        return self._begin(_HTML, None if html.complete else _HTML)

    def _open_rule(self) -> bool:
        return rules.is_rule(self._text, self._at) and self._begin(BlockKind.RULE, None)

    def _open_underline(self) -> bool:
        """Turn the open paragraph into a heading."""
        if not (self._leaf is _PARAGRAPH and self._matched and rules.is_underline(self._text, self._at)):
            return False
        self._leaf = None
        if not self._containers:
            self.found[-1].kind = BlockKind.HEADING
            self.found[-1].level = 2 if self._text[self._at] == _DASH else 1
        return True

    def _open_table(self) -> bool:
        """Turn the open paragraph's last line into a table's header; the lines above it stay a paragraph."""
        if not (self._leaf is _PARAGRAPH and self._matched and rules.delimits_table(self._text[self._at :], self._header)):
            return False
        self._leaf = _TABLE
        if not self._containers:
            if self.found[-1].start == self._header_start:
                self.found[-1].kind = _TABLE
            else:
                self.found.append(Found(_TABLE, self._header_start))
        return True

    def _open_delimited(self) -> bool:
        """Open Obsidian's `$$` or `%%` block: only at the root, only when it is closed, and on a line with one delimiter."""
        kind = _MATH if self._text[self._at] == _DOLLAR else _COMMENT
        delimiter = _DELIMITERS[kind]
        nested = self._depth > 0 or (self._containers and self._matched)
        rest = self._text[self._at :]
        if not rest.startswith(delimiter) or nested or delimiter in rest[2:] or delimiter in self._unclosed:
            return False
        if self._data.find(delimiter, self._end) < 0:
            self._unclosed.add(delimiter)
            return False
        return not (self._leaf is _PARAGRAPH and self._matched) and self._begin(kind, kind)


def _first(text: bytes, at: int) -> int:
    """Where the first character from `at` on is that is no space."""
    match = rules.SPACES.match(text, at)
    return match.end() if match else at


_DELIMITERS = {_MATH: b"$$", _COMMENT: b"%%"}
_CONTAINER_MARKS = frozenset(b">[*+-0123456789")
