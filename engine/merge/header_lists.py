"""The list under a key of front matter, in brackets or with dashes, merged as a set whose items keep their bytes."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from memtree.engine.merge.header_keys import is_remark
from memtree.engine.merge.three_way import merge_order, merged_set, pick

_KEY = rb"(?P<key>[^\n]*?:)(?=[ \t\n])"
_REMARK = rb"(?P<remark>(?:[ \t]+#[^\n]*)?)[ \t]*\n"
_WORD = rb"""(?:"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\n]|'')*'|[^\s,"'\[\]{}#&*!|>%@`?:-][^,\[\]{}:#\n]*+)"""
_EMPTY = re.compile(_KEY + _REMARK)
_BRACKETS = re.compile(_KEY + rb"[ \t]*\[(?P<items>(?:\s*+" + _WORD + rb"\s*+,)*+(?:\s*+" + _WORD + rb")?\s*+)\]" + _REMARK)
_IN_BRACKETS = re.compile(_WORD)
_BRACKETABLE = re.compile(rb"- (" + _WORD + rb")\n")
_DASH = re.compile(rb"( *)-(?:[ \t][^\n]*)?\n")
_QUOTED = re.compile(rb"""-[ \t]+(?:"([^"\\\n]*)"|'([^'\n]*)')[ \t]*\n""")


class Style(enum.IntEnum):
    """How a list is written. Where the sides differ and both changed it, the larger one is taken."""

    NOTHING = 0  # the key alone
    BRACKETS = 1
    DASHES = 2


@dataclass(frozen=True, slots=True)
class Item:
    """`value` is what makes it the same item; `text` are its lines without their indentation, with the comments above it."""

    value: bytes
    text: bytes


@dataclass(frozen=True, slots=True)
class HeaderList:
    """`remark` is the comment behind the key, `rest` what stands below the last item."""

    key: bytes
    style: Style
    items: tuple[Item, ...] = ()
    indent: bytes = b"  "
    remark: bytes = b""
    rest: bytes = b""

    def values(self) -> list[bytes]:
        return [item.value for item in self.items]

    def texts(self) -> dict[bytes, bytes]:
        return {item.value: item.text for item in self.items}

    def render(self) -> bytes:
        """The key's lines; what cannot stand in brackets gets dashes."""
        if not self.items:
            return self.key + b" []" * (self.style is not Style.NOTHING) + self.remark + b"\n" + self.rest
        words = [match[1].rstrip() for item in self.items if (match := _BRACKETABLE.fullmatch(item.text))]
        if self.style is Style.BRACKETS and len(words) == len(self.items) and not self.rest:
            return self.key + b" [" + b", ".join(words) + b"]" + self.remark + b"\n"
        dashes = b"".join(_indented(item.text, self.indent) for item in self.items)
        return self.key + self.remark + b"\n" + dashes + self.rest


def read_list(text: bytes) -> HeaderList | None:
    """Read a key's lines; None for what is no list, is nested in brackets, or holds an item twice."""
    empty = _EMPTY.fullmatch(text)
    if empty:
        return HeaderList(empty["key"], Style.NOTHING, remark=empty["remark"])
    found = _BRACKETS.fullmatch(text)
    if found:
        items = tuple(_item(b"- " + word.rstrip() + b"\n") for word in _IN_BRACKETS.findall(found["items"]))
        read = HeaderList(found["key"], Style.BRACKETS, items, remark=found["remark"])
    else:
        dashed = _read_dashes(text)
        if dashed is None:
            return None
        read = dashed
    return read if len(set(read.values())) == len(read.items) else None


def merge_list(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """The key's lines with both sides' changes; None where they are no lists, or both changed the same part of one."""
    old, one, two = (HeaderList(b"", Style.NOTHING) if text is None else read_list(text) for text in (base, ours, theirs))
    if old is None or one is None or two is None or one.style is two.style is Style.NOTHING:
        return None
    kept = merged_set(*(frozenset(each.values()) for each in (old, one, two)))
    order = merge_order(old.values(), *([value for value in side.values() if value in kept] for side in (one, two)))
    texts = [_text(*(each.texts().get(value) for each in (old, one, two))) for value in order]
    parts = [
        _settled(old.key, one.key, two.key),
        _settled(old.remark, one.remark, two.remark),
        _settled(old.rest, one.rest, two.rest),
    ]
    if None in texts or None in parts:
        return None
    key, remark, rest = (part or b"" for part in parts)
    items = tuple(Item(value, text or b"") for value, text in zip(order, texts, strict=True))
    style = pick(old.style, one.style, two.style, lambda: max(one.style, two.style))
    indent = pick(old.indent, one.indent, two.indent, lambda: max(one.indent, two.indent))
    return HeaderList(key, style, items, indent, remark, rest).render()


def _text(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> bytes | None:
    return (ours or theirs) if ours is None or theirs is None else _settled(base, ours, theirs)


def _settled(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    return pick(base, ours, theirs, lambda: None)


def _read_dashes(text: bytes) -> HeaderList | None:
    first, *rest = text.splitlines(keepends=True)
    head = _EMPTY.fullmatch(first)
    if head is None:
        return None
    indent: bytes | None = None
    above = b""  # comments and blank lines that the next item will have above it
    items: list[bytes] = []
    for line in rest:
        dash = _DASH.fullmatch(line)
        if dash and (indent is None or dash[1] == indent):
            indent = dash[1]
            items.append(above + line.removeprefix(indent))
            above = b""
        elif indent is not None and line.startswith(indent + b" ") and not above:
            items[-1] += line.removeprefix(indent)
        elif is_remark(line):
            above += line.lstrip(b" ")
        else:
            return None
    if indent is None:
        return None
    return HeaderList(head["key"], Style.DASHES, tuple(map(_item, items)), indent, head["remark"], above)


def _item(text: bytes) -> Item:
    own = b"".join(line for line in text.splitlines(keepends=True) if not is_remark(line))
    quoted = _QUOTED.fullmatch(own)
    return Item(b"- " + quoted[quoted.lastindex or 1] + b"\n" if quoted else own, text)


def _indented(text: bytes, indent: bytes) -> bytes:
    return b"".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))
