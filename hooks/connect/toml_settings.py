"""TOML settings in which one table is ours: added, changed and taken out while every other byte stays. Only it imports tomlkit."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtree.hooks.connect.errors import Misread
from memtree.hooks.connect.json_settings import MARK, Number

_PLACE = re.compile(r"(?P<reason>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TomlSettings:
    """Settings in TOML; only the table `[group.name]` is ever edited."""

    group: str
    name: str

    def parse(self, text: str) -> dict[str, Any]:
        """What the text means. Raise Misread."""
        try:
            return tomllib.loads(text.removeprefix(MARK), parse_float=Number)
        except tomllib.TOMLDecodeError as error:
            place = _PLACE.fullmatch(str(error))
            line, column = (int(place["line"]), int(place["column"])) if place else (text.count("\n") + 1, 1)
            reason = place["reason"] if place else str(error)
            raise Misread(f"not TOML: {reason[:1].lower()}{reason[1:]}", line, column) from error
        except RecursionError as error:
            raise Misread("it is nested too deep", 1, 1) from error

    def edited(self, text: str, old: dict[str, Any], new: dict[str, Any]) -> str:
        """The text, which means `old`, changed to mean `new`; raise Misread where the table has a form to leave alone."""
        was, becomes = (each.get(self.group, {}).get(self.name) for each in (old, new))
        if becomes is None:
            changed = self._without(text)
        elif was is None:
            changed = self._with(text, becomes)
        else:
            changed = self._replaced(text, was, becomes)
        try:
            right = self._plain(self.parse(changed)) == self._plain(new)
        except Misread:
            right = False
        if not right:
            raise Misread(
                f"{self.group}.{self.name} cannot be put there, or is written in a way that is not edited",
                *self.place(text, (self.group, self.name)),
            )
        return changed

    def _plain(self, value: dict[str, Any]) -> dict[str, Any]:
        """The value without an empty group, which means as much as none."""
        return {key: each for key, each in value.items() if key != self.group or each != {}}

    def place(self, text: str, keys: Sequence[str]) -> tuple[int, int]:
        """The line, from 1, that speaks of all these keys first, else of the first of them, else the last; and 1 for its column."""
        lines = text.split("\n")
        for wanted in (keys, keys[:1]):
            for number, line in enumerate(lines, 1):
                if all(key in line for key in wanted):
                    return number, 1
        return len(lines), 1

    def _with(self, text: str, table: dict[str, Any]) -> str:
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{self.group}.{self.name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
        between = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
        return text + between + newline.join(lines) + newline

    def _without(self, text: str) -> str:
        lines = text.split("\n")
        for region in reversed(list(self._regions(lines))):
            first = region.first
            blank_after = region.end >= len(lines) or not lines[region.end].strip()
            if first and not lines[first - 1].strip() and blank_after:
                first -= 1
            del lines[first : region.end]
        return "\n".join(lines)

    def _replaced(self, text: str, was: dict[str, Any], becomes: dict[str, Any]) -> str:
        import tomlkit

        lines = text.split("\n")
        for region in self._regions(lines):
            if region.path != (self.group, self.name):
                continue
            document = tomlkit.parse("\n".join((*lines[region.first : region.end], "")))
            table: Any = document[self.group][self.name]
            for key in [key for key in was if key not in becomes and key in table]:
                del table[key]
            for key, value in becomes.items():
                if was.get(key) != value:
                    table[key] = value
            lines[region.first : region.end] = tomlkit.dumps(document).split("\n")[:-1]
            break
        return "\n".join(lines)

    def _regions(self, lines: list[str]) -> Iterator[_Region]:
        """Our table and those in it, each from its header to its last key; what follows may belong to the next table."""
        starts = [number for number, line in enumerate(lines) if line.lstrip(" \t").startswith("[") and _complete(lines[:number])]
        for first, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            path = _path(lines[first])
            if path[:2] != (self.group, self.name):
                continue
            while end > first + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
                end -= 1
            yield _Region(path, first, end)


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines of a text that make a table."""

    path: tuple[str, ...]
    first: int
    end: int


def _complete(lines: list[str]) -> bool:
    """Whether no text or list is left open at the end of these lines."""
    try:
        tomllib.loads("\n".join(lines).removeprefix(MARK) + "\n")
    except tomllib.TOMLDecodeError:
        return False
    return True


def _path(header: str) -> tuple[str, ...]:
    """The name of the table that a header opens; () for a list of tables and for no header."""
    try:
        found = tomllib.loads(header.removeprefix(MARK).rstrip("\r"))
    except tomllib.TOMLDecodeError:
        return ()
    path = []
    while isinstance(found, dict) and found:
        key, found = next(iter(found.items()))
        path.append(key)
    return tuple(path) if found == {} else ()


def _toml(value: Any) -> str:
    import tomlkit

    text: str = tomlkit.item(value).as_string()
    return text
