"""Redacting JSON as agents write it: secrets that only their key or their neighbour gives away, and JSON that stands inside a text.

Which values are secrets decides the one table of shapes: it is asked about `"key": "value"` as it would stand in a file, and what
it finds there is taken out of the value. There is no list of telling keys here.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from memtree.tree.pii import find_pii, stand_in
from memtree.tree.pii_rules import PiiClass
from memtree.tree.secrets import Secret, find_secrets

Json = Any  # what json.loads returns: None, bool, int, float, str, and lists and dicts of them

_DEEP = 40  # beyond it a value is the text of its JSON
_TOO_DEEP = "[left out: nested too deeply]"
_LONGEST_NAME = 200  # what a name says of its value stands at its end
_BEYOND_NUMBERS = 10**20  # nothing personal has so many digits
_LONGEST_VALUE = 200  # characters that a rule reads of what is assigned
# How pairs of a name and a value are written where they are no key and value: headers, variables, fields of a form.
_NAMES = ("name", "key", "header", "variable", "field", "id", "k")
_VALUES = ("value", "val", "content", "default", "v")
# A value that every rule about what a key holds takes for a secret.
_PROBE = "a1B2c3D4e5F6g7H8i9J0k1L2"
_MARKS = str.maketrans("\"'`\\ ", "_____")


@dataclass(frozen=True, slots=True)
class JsonRedaction:
    """Redacts JSON values; `text` is what redacts a text, `pii` the classes that it takes out beside secrets."""

    text: Callable[[str], str]
    pii: frozenset[PiiClass]

    def value(self, value: Json, name: str = "", deep: int = 0) -> Json:
        """A value without what is secret in it. `name` is what it is called where it stands, '' when it has no name."""
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int):
            return self._number(value, name)
        if isinstance(value, list | tuple | dict):
            if deep >= _DEEP:
                return self.text(_dumped(value))
            return self._mapping(value, name, deep) if isinstance(value, dict) else self._list(list(value), name, deep)
        return self._string(str(value), name, deep)

    def _number(self, value: int, name: str) -> Json:
        if not self.pii or abs(value) >= _BEYOND_NUMBERS:
            return value
        safe = self.text(self._named(str(value), name))
        return value if safe == str(value) else safe

    def _string(self, value: str, name: str, deep: int) -> str:
        if deep < _DEEP and value[:64].lstrip()[:1] in ("{", "["):
            value = self._nested(value, deep)
        while (safe := self.text(self._named(value, name))) != value:
            value = safe
        return value

    def _nested(self, text: str, deep: int) -> str:
        """JSON inside a text: redacted value by value, so that it is still JSON afterwards. Other texts stay."""
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return text
        safe = self.value(inner, "", deep + 1)
        written = text if safe == inner else _written_like(text, safe)
        clean = self.text(written)
        return clean if clean == written or _is_json(clean) else json.dumps(clean, ensure_ascii=False)

    def _mapping(self, value: Mapping[Any, Json], name: str, deep: int) -> dict[Any, Json]:
        safe = {key: self.value(item, _name_of(key, value, name), deep + 1) for key, item in value.items()}
        keys = {key: self._key(key) for key in value}
        taken, counts = {key for key, new in keys.items() if new == key}, Counter[str]()
        return {key if keys[key] == key else _free(keys[key], taken, counts): item for key, item in safe.items()}

    def _key(self, key: Any) -> Any:
        safe = self.text(str(key))
        return key if safe == str(key) else safe

    def _list(self, value: list[Json], name: str, deep: int) -> list[Json]:
        pair = len(value) == 2 and isinstance(value[0], str)
        names = [name, value[0]] if pair and not _is_telling(name) else [name] * len(value)
        safe = [self.value(item, one, deep + 1) for item, one in zip(value, names, strict=True)]
        while (without := _without_in_line(safe)) != safe:
            safe = without
        return safe

    def _named(self, value: str, name: str) -> str:
        """A text without what its name says is secret or personal."""
        if not name:
            return value
        name = name[-_LONGEST_NAME:].translate(_MARKS)
        if _is_telling(name):
            value = _without_assigned(value, name)
        if self.pii:
            start = len(name) + 2
            found = [one for one in find_pii(f"{name}: {value}", self.pii) if one.start >= start]
            for one in reversed(found):
                value = value[: one.start - start] + stand_in(one.kind) + value[one.end - start :]
        return value


@lru_cache(maxsize=4096)
def _is_telling(name: str) -> bool:
    """Whether what is assigned to a name can be a secret for that reason alone: asked once for each name, most are harmless."""
    return bool(name) and bool(find_secrets(f'"{name}": "{_PROBE}"'))


def _without_assigned(value: str, name: str) -> str:
    """A value without the secret that a name assigns: asked in quotes, where only blanks end it, then plainly after a colon."""
    if len(value) > _LONGEST_VALUE and value.isascii() and len(value.split(None, 1)) == 1:
        # Longer than any rule reads in quotes: how it begins decides for the whole.
        safe = _without_assigned(value.strip()[:_LONGEST_VALUE], name)
        return safe if safe.startswith("[secret: ") else value
    quoted, plain = (f'"{name}": "', '"'), (f"{name}: ", "")
    for before, after in (quoted, plain):
        asked = value.translate(_MARKS) if after else value
        found = find_secrets(f"{before}{asked}{after}")
        start, data = len(before.encode()), value.encode("utf-8", "surrogatepass")
        inside = [one for one in found if start <= one.start and one.end <= start + len(data)]
        if inside:
            for one in reversed(inside):
                data = data[: one.start - start] + _stand_in(one) + data[one.end - start :]
            return data.decode("utf-8", "surrogatepass")
    return value


def _without_in_line(items: list[Json]) -> list[Json]:
    """A list without the secrets that show when its texts stand on one line: an option and its value, a key's lines."""
    texts = [item.encode("utf-8", "surrogatepass") for item in items if isinstance(item, str)]
    if len(texts) < 2:
        return items
    ends = list(accumulate(len(text) + 1 for text in texts))
    for secret in reversed(find_secrets(b" ".join(texts))):
        for place in range(bisect_right(ends, secret.start), bisect_left(ends, secret.end) + 1):
            start = ends[place - 1] if place else 0
            text = texts[place]
            first, last = max(secret.start - start, 0), min(secret.end - start, len(text))
            if first < last and text[first:last] != _stand_in(secret):
                texts[place] = text[:first] + _stand_in(secret) + text[last:]
    safe = iter(text.decode("utf-8", "surrogatepass") for text in texts)
    return [next(safe) if isinstance(item, str) else item for item in items]


def _stand_in(secret: Secret) -> bytes:
    return f"[secret: {secret.rule}]".encode()


def _name_of(key: Any, value: Mapping[Any, Json], name: str) -> str:
    """What a value of a mapping is called: its key, or where that only says `value`, the name beside it or else above it."""
    if str(key).lower() not in _VALUES:
        return str(key)
    beside = (item for one, item in value.items() if str(one).lower() in _NAMES and isinstance(item, str))
    return next(beside, name or str(key))


def _free(key: str, taken: set[Any], counts: Counter[str]) -> str:
    """A key, or where that is taken the first of it with a number that is not; `counts` are the numbers given so far."""
    free = key
    while free in taken:
        counts[key] += 1
        free = f"{key} ({counts[key] + 1})"
    taken.add(free)
    return free


def _dumped(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError, TypeError):
        return _TOO_DEEP


def _written_like(text: str, value: Json) -> str:
    """JSON in the form that a text has: with indents, with blanks, or without any."""
    if "\n" in text.strip():
        return json.dumps(value, ensure_ascii=False, indent=2)
    blank = '": ' in text or ", " in text
    return json.dumps(value, ensure_ascii=False, separators=None if blank else (",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
