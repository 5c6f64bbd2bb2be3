"""JSON read so that every number keeps its digits, and written back in the style it was written in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from memtree.engine.merge.values import Leaf, Value, value_of

_LARGEST = 1024 * 1024  # bytes; above it no style is looked for
_INDENT = re.compile(r"\n([ \t]+)\S")
_TEXT = "str"


@dataclass(frozen=True, slots=True, order=True)
class JsonStyle:
    """`levels` is how many levels of nesting get a line for each element; a canvas has two."""

    levels: int
    indent: str
    colon: str
    comma: str
    ascii_only: bool
    end: str


def read_json(data: bytes) -> Value | None:
    """What a file means; None for what is not JSON, names a key twice or is nested too deep."""
    try:
        text = data.decode("utf-8")
        return value_of(json.loads(text, object_pairs_hook=_map, parse_int=_number, parse_float=_number, parse_constant=_refused))
    except (ValueError, RecursionError):
        return None


def write_json(value: Value, style: JsonStyle) -> bytes:
    """The file; half characters that JSON can escape but no file can hold become `?`."""
    return ("".join(_written(value, style, 0)) + style.end).encode("utf-8", "replace")


def json_style(data: bytes) -> JsonStyle | None:
    """The style that writes a file's value as the file's own bytes; None where it follows none."""
    value = read_json(data) if len(data) <= _LARGEST else None
    if value is None:
        return None
    text = data.decode("utf-8")
    content = text.rstrip()
    found = _INDENT.search(content)
    levels = (99, 2, 1, 3) if "\n" in content else (0,)
    colons = (": ", ":") if '": ' in content else (":",)
    for level, colon, comma, plain in product(levels, colons, (", ", ","), (False, True)):
        style = JsonStyle(level, found[1] if found else "", colon, comma, plain, text[len(content) :])
        if _follows(content, value, style):
            return style
    return None


def _follows(text: str, value: Value, style: JsonStyle) -> bool:
    """Whether writing the value gives the text; most wrong styles show in the first line."""
    at = 0
    for piece in _written(value, style, 0):
        if not text.startswith(piece, at):
            return False
        at += len(piece)
    return at == len(text)


def _map(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _number(text: str) -> Leaf:
    return Leaf("number", text)


def _refused(word: str) -> object:
    raise ValueError(f"{word} is no JSON")


def _written(value: Value, style: JsonStyle, depth: int) -> Iterator[str]:
    if isinstance(value, Leaf):
        yield _leaf(value, style)
    elif isinstance(value, Mapping):
        keys = (_quoted(key, style) + style.colon for key in value)
        yield from _container("{}", keys, value.values(), style, depth)
    else:
        yield from _container("[]", ("" for _ in value), value, style, depth)


def _container(marks: str, keys: Iterable[str], values: Iterable[Value], style: JsonStyle, depth: int) -> Iterator[str]:
    on_lines = depth < style.levels
    between = "," + f"\n{style.indent * (depth + 1)}" if on_lines else style.comma
    empty = True
    yield marks[0]
    for key, value in zip(keys, values, strict=True):
        yield (between[1:] if on_lines else "") + key if empty else between + key
        yield from _written(value, style, depth + 1)
        empty = False
    yield f"\n{style.indent * depth}" * (on_lines and not empty) + marks[1]


def _leaf(value: Leaf, style: JsonStyle) -> str:
    if value.kind == _TEXT:
        return _quoted(value.text, style)
    return {"NoneType": "null", "bool": value.text.lower()}.get(value.kind, value.text)


def _quoted(text: str, style: JsonStyle) -> str:
    return json.dumps(text, ensure_ascii=style.ascii_only)
