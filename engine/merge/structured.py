"""Data files: JSON, canvas, TOML, YAML. The result always parses and means what both sides changed, else there are two files."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import partial

from memtree.engine.merge.json_text import json_style, read_json, write_json
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

_Reader = Callable[[bytes], Value | None]


def merge_structured(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of data files. Without a version in common both are kept: who knows what two such files share."""
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    if levelled.base is None:
        return two_files(ours, theirs)
    merge = partial(_merged, _reader(path))
    sides = (levelled.base, levelled.ours, levelled.theirs)
    merged = merge(*sides)
    if merged is None or not stands(merge, *sides, merged):
        return two_files(ours, theirs)
    return Content(levelled.written(merged))


def _reader(path: RepoPath) -> _Reader:
    if path == FILE_NAME:
        return _read_settings
    return {".toml": _read_toml, ".yaml": _read_yaml, ".yml": _read_yaml}.get(path.suffix, read_json)


def _merged(read: _Reader, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    if base in (ours, theirs):
        return theirs if ours == base else ours
    old, one, two = (read(data) for data in (base, ours, theirs))
    if old is None or one is None or two is None:
        return None
    try:
        wanted = merge_values(old, one, two)
    except Both:
        return None
    by_lines = merge_lines(base, ours, theirs)
    if by_lines is not None and read(by_lines) == wanted:
        return by_lines
    return _written(wanted, (base, old), (ours, one), (theirs, two)) if read is read_json else None


def _written(wanted: Value, *versions: tuple[bytes, Value]) -> bytes | None:
    """The value as JSON in the style of the side that changed it; None where a side is written in no style."""
    old, one, two = (json_style(*version) for version in versions)
    if one is None or two is None:
        return None
    style = pick(old, one, two, lambda: max(one, two))
    data = write_json(wanted, style or one)
    return data if read_json(data) == wanted else None


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
