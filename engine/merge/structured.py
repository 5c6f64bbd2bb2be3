"""Data files: JSON, canvas, TOML, YAML. The result always parses and means what both sides changed, else there are two files."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from memtree.engine.merge.json_text import JsonStyle, json_style, read_json, write_json
from memtree.engine.merge.keep_both import two_files
from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.lines import merge_lines, stands
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.three_way import pick
from memtree.engine.merge.values import Both, TooDeep, Value, merge_values, value_of
from memtree.engine.settings import FILE_NAME, InvalidSettings
from memtree.engine.settings import parse as parse_settings
from memtree.tree.front_matter import FrontMatter
from memtree.tree.paths import RepoPath


@dataclass(frozen=True, slots=True)
class _Format:
    """How files of one kind are read, and written in a style of theirs where that is possible."""

    read: Callable[[bytes], Value | None]
    write: Callable[[Value, tuple[bytes, bytes, bytes]], bytes | None] = lambda *_: None


def merge_structured(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of data files. Without a version in common both are kept: who knows what two such files share."""
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    if levelled.base is None:
        return two_files(ours, theirs)
    merge = partial(_merged, _format(path))
    sides = (levelled.base, levelled.ours, levelled.theirs)
    merged = merge(*sides)
    if merged is None or not stands(merge, *sides, merged):
        return two_files(ours, theirs)
    return Content(levelled.written(merged))


def _format(path: RepoPath) -> _Format:
    """Each version is read more than once in a merge, hence the caches; they go with the merge."""
    if path == FILE_NAME:
        return _Format(cache(_read_settings))
    if path.suffix == ".toml":
        return _Format(cache(_read_toml))
    if path.suffix in (".yaml", ".yml"):
        return _Format(cache(_read_yaml))
    return _Format(cache(read_json), partial(_write_json, cache(json_style)))


def _merged(form: _Format, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    if base in (ours, theirs):
        return theirs if ours == base else ours
    old, one, two = (form.read(data) for data in (base, ours, theirs))
    if old is None or one is None or two is None:
        return None
    try:
        wanted = merge_values(old, one, two)
    except Both:
        return None
    by_lines = merge_lines(base, ours, theirs)
    if by_lines is not None and form.read(by_lines) == wanted:
        return by_lines
    written = form.write(wanted, (base, ours, theirs))
    return written if written is not None and form.read(written) == wanted else None


def _write_json(style_of: Callable[[bytes], JsonStyle | None], value: Value, versions: tuple[bytes, bytes, bytes]) -> bytes | None:
    """The value in the style of the side that changed it; None where a side is written in no style."""
    old, one, two = map(style_of, versions)
    if one is None or two is None:
        return None
    return write_json(value, pick(old, one, two, lambda: max(one, two)) or one)


def _read_toml(data: bytes) -> Value | None:
    try:
        return value_of(tomllib.loads(data.decode("utf-8-sig")))
    except (ValueError, RecursionError, TooDeep):
        return None


def _read_settings(data: bytes) -> Value | None:
    try:
        parse_settings(data)
    except InvalidSettings:
        return None
    return _read_toml(data)


def _read_yaml(data: bytes) -> Value | None:
    """Maps only, and lists as what would stand under a key; what uses anchors or several documents is not merged."""
    for text in (data, b"list:\n" + data):
        front = FrontMatter.parse(text)
        if front.editable and not front.problem:
            return value_of({one.key: front.meaning(one.key) for one in front.fields})
    return None
