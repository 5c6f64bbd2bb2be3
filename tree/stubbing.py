"""Stubbing: lines of a file become the stub, and what stands around them keeps its form.

A list item keeps its mark, a heading its level, a table row its cells, a key its name, a block its `^id`: links and merges go on to
know what the stub stands for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from memtree.tree.blocks import BlockKind, scan
from memtree.tree.forgotten import STUB, is_stub
from memtree.tree.front_matter import FrontMatter, fences
from memtree.tree.kinds import is_markdown
from memtree.tree.paths import RepoPath

_QUOTED = b'"' + STUB + b'"'
# What a line is inside of (quotes, items, a task's box), then what it is itself (a callout's title, a heading, a footnote).
_OUTER = re.compile(rb"(?:[ \t]*+(?:>|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t])|\[[^\]]\](?=[ \t])))*+[ \t]*+")
_OWN = re.compile(rb"(?:\[![^\]\r\n]+\][+-]?|#{1,6}(?=[ \t])|\[\^[^\]\s]+\]:)?[ \t]*+")
_ID = re.compile(rb"[ \t]+\^[A-Za-z0-9-]+[ \t]*\Z")
_NO_TEXT = re.compile(rb"[-=|:*_ \t]*\Z|\^[A-Za-z0-9-]+[ \t]*\Z|(?:\$\$|%%)[ \t]*\Z")  # rules, underlines, a table's second row
_FENCE = re.compile(rb"[ \t>]*(?:`{3,}|~{3,})")
_OPENING, _CLOSING = re.compile(rb"\$\$|%%|<!--"), re.compile(rb"(?:\$\$|%%|-->)\Z")
_BAR = re.compile(rb"(?<!\\)\|")
_COMMA, _TAB = re.compile(rb',(?=(?:[^"]*"[^"]*")*[^"]*\Z)'), re.compile(rb"\t")
_KEY = re.compile(rb"""([ \t]*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#:=][^:=\r\n]*?)[ \t]*[:=])(?=\s|\Z)""")
_ITEM = re.compile(rb"[ \t]*-[ \t]+")
_NAME = rb"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.-]+)"""
_PAIR = re.compile(rb"([ \t]*(?:-[ \t]+)?" + _NAME + rb"[ \t]*[:=][ \t]*)(?:[^\s\[{|>].*?|[\[{].*[\]}])([\]}]*,?)[ \t]*\Z")
_OPENED = re.compile(rb"([ \t]*)" + _NAME + rb"([ \t]*[:=][ \t]*[\[{|>]?[+-]?[ \t]*)\Z")
_BRACKETS = re.compile(rb"[\[\]{},]*\Z|\[+[\w.\"' -]+\]+\Z")  # a table of TOML among them
_CLOSING_BRACKETS = re.compile(rb"[\]}]*,?\Z")
_COMMENT = re.compile(rb"(?:#+|//+|--|;+)[ \t]*")
_KEYED = frozenset({".json", ".canvas", ".jsonl", ".toml", ".yaml", ".yml"})
_CODE = (BlockKind.FENCE, BlockKind.CODE)
_ONE_BY_ONE = (*_CODE, BlockKind.TABLE, BlockKind.HEADING)


class _Line(NamedTuple):
    start: int
    text: bytes
    end: bytes  # its line end


class _Parts(NamedTuple):
    """A line as what it stands in, its own mark, its words, and the block id at its end."""

    outer: bytes
    own: bytes
    words: bytes
    tail: bytes


def core(line: bytes) -> bytes:
    """The words of a line without the marks around them: what is the same wherever the line was copied to."""
    return _parts(line).words.strip()


def is_heading(line: bytes) -> bool:
    return _parts(line).own.startswith(b"#")


def stub_lines(path: RepoPath, data: bytes, numbers: Collection[int]) -> bytes:
    """The file with these lines (from 1) forgotten. Lines that hold no words, and stubs, stay as they are."""
    lines = list(_lines(data))
    if not is_markdown(path):
        return b"".join(
            _plain(path, line.text) + line.end if number in numbers else line.text + line.end
            for number, line in enumerate(lines, 1)
        )
    head = fences(data)
    chosen = {number - 1 for number in numbers if 0 < number <= len(lines)}
    out: list[bytes] = []
    body = 0
    if head is not None:
        body = next((n for n, line in enumerate(lines) if line.start >= head.end), len(lines))
        first = next(n for n, line in enumerate(lines) if line.start >= head.start)
        last = next(n for n, line in enumerate(lines) if line.start >= head.header_end)
        out += [line.text + line.end for line in lines[:first]]
        out += _header(lines[first:last], {n - first for n in chosen if first <= n < last})
        out += [line.text + line.end for line in lines[last:body]]
    out += _body(data, lines, body, chosen)
    return b"".join(out)


def stub_field(piece: bytes, *, name: bool = False) -> bytes:
    """A front-matter key with its value forgotten; with `name` its name too."""
    key = _KEY.match(piece)
    end = re.search(rb"(?:\r\n|\r|\n)?\Z", piece)
    ending = end[0] if end else b""
    return (_QUOTED + b":" if name or key is None else key[1]) + b" " + _QUOTED + ending


def _lines(data: bytes) -> Iterator[_Line]:
    at = 0
    for raw in data.splitlines(keepends=True):
        text = raw.rstrip(b"\r\n")
        yield _Line(at, text, raw[len(text) :])
        at += len(raw)


# -- front matter
def _header(lines: list[_Line], chosen: Collection[int]) -> Iterator[bytes]:
    """Keys lose their whole value; only single items of a list, when only these were chosen."""
    fields = _field_lines(lines)
    for first, last in fields:
        hit = [number for number in range(first, last) if number in chosen]
        whole = [*(line.text + line.end for line in lines[first:last])]
        if not hit or is_stub(b"".join(whole).partition(b":")[2]):
            yield from whole
        elif first in hit or not all(_ITEM.match(lines[number].text) for number in hit):
            if _KEY.match(lines[first].text):
                yield stub_field(b"".join(whole))
            else:
                yield from (b"# " + STUB + line.end if line.text.strip() else line.end for line in lines[first:last])
        else:
            for number in range(first, last):
                item = _ITEM.match(lines[number].text)
                text = item[0] + _QUOTED if number in hit and item else lines[number].text
                yield text + lines[number].end


def _field_lines(lines: list[_Line]) -> list[tuple[int, int]]:
    """The header's lines in runs: a key with its value, or a single line that belongs to none."""
    starts = [0, *_field_starts(b"".join(line.text + line.end for line in lines)), len(lines)]
    runs = []
    for first, last in pairwise(starts):
        if first < last:
            runs.append((first, last))
    return runs


def _field_starts(header: bytes) -> Iterator[int]:
    front = FrontMatter.parse(header)
    text = header.decode("utf-8", "replace")
    known = set()
    for field in front.fields:
        known.add(len(text[: field.start].encode().splitlines()))
        known.add(len(text[: field.end].encode().splitlines()))
    count = len(header.splitlines())
    yield from sorted(known - {0, count} if front.fields else range(1, count))


# -- the body
def _body(data: bytes, lines: list[_Line], first: int, chosen: Collection[int]) -> Iterator[bytes]:
    blocks = iter(scan(data))
    block = next(blocks, None)
    open_stub: list[bytes] = []  # the stub that the next lines of the same paragraph belong to, with its line end
    for number in range(first, len(lines)):
        line = lines[number]
        while block is not None and line.start >= block.end:
            block = next(blocks, None)
            yield from open_stub
            open_stub = []
        kind = block.kind if block is not None else BlockKind.PARAGRAPH
        stubbed = _stubbed(line.text, kind) if number in chosen else line.text
        if stubbed == line.text and not (number in chosen and is_stub(line.text)):
            yield from open_stub
            open_stub = []
            yield line.text + line.end
            continue
        parts = _parts(line.text)
        goes_on = not parts.outer.strip(b" \t>") and not parts.own.strip()
        if open_stub and goes_on and kind not in _ONE_BY_ONE and _takes_more(open_stub[0]):
            open_stub[0] = open_stub[0].rstrip(b"\r\n") + parts.tail + line.end
            continue
        yield from open_stub
        open_stub = [stubbed + line.end]
    yield from open_stub


def _takes_more(stub: bytes) -> bool:
    """Whether the next line of a paragraph goes into a stub: a callout's title, a table's row and what has an id stand alone."""
    parts = _parts(stub.rstrip(b"\r\n"))
    return not parts.tail and not parts.own.startswith(b"[!") and not parts.words.startswith(b"|")


def _parts(line: bytes) -> _Parts:
    outer = _OUTER.match(line)
    at = outer.end() if outer else 0
    own = _OWN.match(line, at)
    words = own.end() if own else at
    tail = _ID.search(line, words)
    end = tail.start() if tail else len(line)
    return _Parts(line[:at], line[at:words], line[words:end], line[end:])


def _stubbed(line: bytes, kind: BlockKind) -> bytes:
    if kind in _CODE:
        text = line.strip()
        fence = kind is BlockKind.FENCE and _FENCE.match(line)
        return line if fence or not text or text == STUB else line[: len(line) - len(line.lstrip())] + STUB
    parts = _parts(line)
    words = parts.words.strip()
    if not words or _NO_TEXT.match(words) or _FENCE.match(words) or is_stub(words):
        return line
    if kind is BlockKind.TABLE or (words.startswith(b"|") and words.endswith(b"|") and len(words) > 1):
        return parts.outer + parts.own + _row(words)
    opening, closing = _OPENING.match(words), _CLOSING.search(words)
    front = opening[0] + b" " if opening else b""
    back = b" " + closing[0] if closing and len(words) > 3 else b""
    return parts.outer + parts.own + front + STUB + back + parts.tail


def _row(words: bytes) -> bytes:
    inner = words.removeprefix(b"|")
    inner = inner[:-1] if inner.endswith(b"|") and not inner.endswith(b"\\|") else inner
    cells = b" | ".join([STUB] * (len(_BAR.findall(inner)) + 1))
    return (b"| " if words.startswith(b"|") else b"") + cells + (b" |" if words.endswith(b"|") else b"")


def _plain(path: RepoPath, line: bytes) -> bytes:
    text = line.strip()
    if not text or is_stub(text):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    if path.suffix in (".csv", ".tsv"):
        comma = path.suffix == ".csv"
        return (b"," if comma else b"\t").join([STUB] * (len((_COMMA if comma else _TAB).findall(line)) + 1))
    if path.suffix in _KEYED:
        return _keyed(line, text, indent)
    comment = _COMMENT.match(text)
    return indent + (comment[0] if comment else b"") + STUB


def _keyed(line: bytes, text: bytes, indent: bytes) -> bytes:
    """A line of JSON, TOML or YAML that can still be read: its value is the stub; where that goes on below, its name."""
    pair, opened = _PAIR.match(line), _OPENED.match(line)
    if _BRACKETS.match(text):
        return line
    if text.startswith(b"#"):
        return indent + b"# " + STUB
    if pair:
        return pair[1] + _QUOTED + pair[2]
    if opened:
        return opened[1] + _QUOTED + opened[2]
    item = _ITEM.match(line)
    tail = _CLOSING_BRACKETS.search(text)
    return (item[0] if item else indent) + _QUOTED + (tail[0] if tail else b"")
