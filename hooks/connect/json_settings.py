"""JSON settings: read strictly, and edited in place so that every byte stays that the change does not concern.

A change is told as two values, the old and the new one. What differs between them is written in the style of what stands around it.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memtree.hooks.connect.errors import Misread

Json = Any  # None, bool, str, Number, and lists and dicts of them
MARK = "\ufeff"  # what some editors put before a text
_SPACE = " \t\r\n"
_DEEP = Misread("it is nested too deep", 1, 1)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, so that no digit is lost."""

    text: str


class JsonSettings:
    """Settings that are one JSON object."""

    def parse(self, text: str) -> Json:
        """What the text means; an empty one is an empty object. Raise Misread."""
        body = text.removeprefix(MARK)
        if not body.strip(_SPACE):
            return {}
        try:
            value = _DECODER.decode(body)
        except json.JSONDecodeError as error:
            raise _misread(body, error.pos, error.msg[:1].lower() + error.msg[1:]) from error
        except _NotStrict as error:
            raise _first_oddity(body) from error
        except RecursionError as error:
            raise _DEEP from error
        if not isinstance(value, dict):
            raise _misread(body, len(body) - len(body.lstrip(_SPACE)), "it is not an object ({…})")
        return value

    def edited(self, text: str, old: Json, new: Json) -> str:
        """The text, which means `old`, changed so that it means `new`; raise Misread where that did not succeed."""
        changed = self._edited(text, old, new)
        if self.parse(changed) != new:
            raise Misread("it is written in a way that cannot be edited")
        return changed

    def place(self, text: str, keys: Sequence[str]) -> tuple[int, int]:
        """The line and column, from 1, of what a valid text has under these keys, or under the first of them that it has."""
        body = text.removeprefix(MARK)
        at = _past_space(body, 0)
        for key in keys:
            if body[at : at + 1] != "{":
                break
            at = next((element.value for element in _elements(body, at)[0] if element.key == key), at)
        return _line_and_column(body, at)

    def _edited(self, text: str, old: Json, new: Json) -> str:
        body = text.removeprefix(MARK)
        mark = text[: len(text) - len(body)]
        start = _past_space(body, 0)
        if start == len(body):
            return f"{mark}{_written(new, _PLAIN, '', lines=True)}\n"
        _, end = _DECODER.raw_decode(body, start)
        style = _Style.of(body, start)
        return mark + body[:start] + _changed(_Place(body, start, end, "", True), old, new, style) + body[end:]


class _NotStrict(ValueError):
    """JSON that programs read differently."""


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _NotStrict
    return found


def _constant(_word: str) -> Json:
    raise _NotStrict


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=Number, parse_float=Number, parse_constant=_constant)
_LOOSE = json.JSONDecoder(object_pairs_hook=list, parse_int=Number, parse_float=Number)


# -- where things stand


@dataclass(frozen=True, slots=True)
class _Element:
    """A member of an object or list: where it starts (with its key), where its value does, and where both end."""

    key: str
    start: int
    value: int
    end: int


def _past_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _elements(text: str, start: int) -> tuple[list[_Element], int]:
    """The members of the container at `start` of a valid text, and where its closing bracket stands."""
    found: list[_Element] = []
    at = _past_space(text, start + 1)
    while text[at] not in "}]":
        first, key = at, ""
        if text[start] == "{":
            key, at = _LOOSE.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        _, end = _LOOSE.raw_decode(text, at)
        found.append(_Element(key, first, at, end))
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)
    return found, at


def _first_oddity(text: str) -> Misread:
    try:
        return next(_oddities(text, _past_space(text, 0)), _DEEP)
    except RecursionError:
        return _DEEP


def _oddities(text: str, start: int) -> Iterator[Misread]:
    """What other readers would take differently: keys that stand twice, words that JSON does not have."""
    if text[start] in "NI-" and not text[start + 1 : start + 2].isdecimal():
        yield _misread(text, start, "a number that JSON does not have")
    if text[start] not in "{[":
        return
    keys: set[str] = set()
    for element in _elements(text, start)[0]:
        if text[start] == "{" and element.key in keys:
            yield _misread(text, element.start, f"the key {json.dumps(element.key)} stands twice")
        keys.add(element.key)
        yield from _oddities(text, element.value)


def _misread(text: str, at: int, reason: str) -> Misread:
    if text[at : at + 2] in ("//", "/*"):
        reason = "a comment, which JSON does not have"
    return Misread(f"not JSON that can be edited safely: {reason}", *_line_and_column(text, at))


def _line_and_column(text: str, at: int) -> tuple[int, int]:
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


# -- writing


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text sets its lines: one level of indentation, what follows a key, what follows a comma within a line."""

    newline: str
    unit: str
    colon: str
    gap: str

    @classmethod
    def of(cls, text: str, start: int) -> _Style:
        """The style of the object at `start`, as its first member shows it."""
        newline = "\r\n" if "\r\n" in text else "\n"
        members, _ = _elements(text, start)
        if not members:
            return cls(newline, _PLAIN.unit, _PLAIN.colon, _PLAIN.gap)
        first = members[0]
        lead = text[start + 1 : first.start]
        _, after_key = _LOOSE.raw_decode(text, first.start)
        colon = text[after_key : first.value]
        if "\n" in colon:
            colon = _PLAIN.colon
        unit = lead.rpartition("\n")[2] if "\n" in lead else _PLAIN.unit
        return cls(newline, unit, colon, " " if colon.endswith(" ") else "")


_PLAIN = _Style("\n", "  ", ": ", " ")


@dataclass(frozen=True, slots=True)
class _Place:
    """A value in a text. `indent` is that of the line it starts on; `lines`: whether an empty container there opens to lines."""

    text: str
    start: int
    end: int
    indent: str
    lines: bool


def _changed(place: _Place, old: Json, new: Json, style: _Style) -> str:
    """The text of a value that was `old` and becomes `new`."""
    if old == new:
        return place.text[place.start : place.end]
    if isinstance(old, dict) and isinstance(new, dict):
        return _changed_object(_Container.at(place, style), old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _changed_list(_Container.at(place, style), old, new)
    return _written(new, style, place.indent, lines=place.lines)


@dataclass(frozen=True, slots=True)
class _Container:
    """An object or list in a text, and how a member more would be set in it."""

    place: _Place
    style: _Style
    elements: list[_Element]
    lead: str  # before a member that is added
    closing: str  # before the closing bracket

    @classmethod
    def at(cls, place: _Place, style: _Style) -> _Container:
        text = place.text
        elements, close = _elements(text, place.start)
        if not elements:
            lead = f"{style.newline}{place.indent}{style.unit}" if place.lines else ""
            return cls(place, style, [], lead, f"{style.newline}{place.indent}" if place.lines else "")
        last = elements[-1]
        before = text.rindex(",", elements[-2].end, last.start) if len(elements) > 1 else place.start
        lead = text[before + 1 : last.start]
        if len(elements) == 1 and "\n" not in lead:
            lead = style.gap
        return cls(place, style, elements, lead, text[last.end : close])

    @property
    def lines(self) -> bool:
        return "\n" in self.lead

    @property
    def indent(self) -> str:
        return self.lead.rpartition("\n")[2] if self.lines else self.place.indent

    def value(self, number: int) -> _Place:
        element = self.elements[number]
        return _Place(self.place.text, element.value, element.end, self.indent, self.lines)

    def kept(self, number: int, old: Json, new: Json) -> tuple[int, str]:
        """A member that stays, its value changed from `old` to `new`."""
        element = self.elements[number]
        return number, self.place.text[element.start : element.value] + _changed(self.value(number), old, new, self.style)

    def added(self, new: Json) -> tuple[int, str]:
        return -1, _written(new, self.style, self.indent, lines=self.lines)

    def joined(self, members: list[tuple[int, str]]) -> str:
        """The container with these members: their numbers before (-1 for new ones) and their texts."""
        text, start = self.place.text, self.place.start
        brackets = "{}" if text[start] == "{" else "[]"
        if not members:
            return brackets
        parts = [brackets[0]]
        for position, (number, body) in enumerate(members):
            if position:
                parts.append(",")
            parts.append(self._lead(position, number))
            parts.append(body)
            if 0 <= number < len(self.elements) - 1 and position < len(members) - 1:
                end = self.elements[number].end
                parts.append(text[end : text.index(",", end)])
        return "".join((*parts, self.closing, brackets[1]))

    def _lead(self, position: int, number: int) -> str:
        text = self.place.text
        if position == 0 and self.elements:
            return text[self.place.start + 1 : self.elements[0].start]
        if position == 0 and not self.lines:
            return ""
        if number <= 0:
            return self.lead
        before = text.rindex(",", self.elements[number - 1].end, self.elements[number].start)
        return text[before + 1 : self.elements[number].start]


def _changed_object(container: _Container, old: dict[str, Json], new: dict[str, Json]) -> str:
    numbers = {element.key: number for number, element in enumerate(container.elements)}
    members = []
    for key, value in new.items():
        if key in numbers:
            members.append(container.kept(numbers[key], old[key], value))
        else:
            number, body = container.added(value)
            members.append((number, _quoted(key) + container.style.colon + body))
    return container.joined(members)


def _changed_list(container: _Container, old: list[Json], new: list[Json]) -> str:
    before, after = ([_written(value, _PLAIN, "", lines=False) for value in values] for values in (old, new))
    members = []
    for _, one, two, three, four in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        both = min(two - one, four - three)
        members += [container.kept(one + n, old[one + n], new[three + n]) for n in range(both)]
        members += [container.added(value) for value in new[three + both : four]]
    return container.joined(members)


def _written(value: Json, style: _Style, indent: str, *, lines: bool) -> str:
    if isinstance(value, dict | list) and value:
        inner = indent + style.unit
        keys = [_quoted(key) + style.colon for key in value] if isinstance(value, dict) else [""] * len(value)
        values = value.values() if isinstance(value, dict) else value
        members = [key + _written(each, style, inner, lines=lines) for key, each in zip(keys, values, strict=True)]
        brackets = "{}" if isinstance(value, dict) else "[]"
        if not lines:
            return brackets[0] + f",{style.gap}".join(members) + brackets[1]
        start = style.newline + inner
        return brackets[0] + start + f",{start}".join(members) + style.newline + indent + brackets[1]
    if isinstance(value, Number):
        return value.text
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # half characters, which only an escape can hold
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)
