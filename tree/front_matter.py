"""FrontMatter: the keys at the head of a note, as text.

YAML's own types are not wanted here: `no` is not false, `1.10` is not 1.1 and an impossible date must not cost the note. So
the text is only composed into nodes, and every value stays the string (or list of strings) that was written. What is nested
deeper is left out. Nothing raises: a header that cannot be read has a `problem` and what could be saved of its keys.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import yaml

SIZE_LIMIT = 256 * 1024
TIME_KEYS = ("timestamp", "time", "date", "updated", "created")
TAG_KEYS = ("tags", "tag")

_PLAIN_LINE = re.compile(r"([A-Za-z_][\w-]*):[ \t]+(\S.*)")
_DIGITS = re.compile(r"[0-9]{9,13}")
_NULL = "tag:yaml.org,2002:null"

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\v\f]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(rb"(?<=[\r\n])(?:---|\.\.\.)[ \t\v\f]*(?:\r\n|\n|\r|\Z)")

Value = str | tuple[str, ...]


class Fences(NamedTuple):
    """Where front matter lies: `start` to `header_end` is what its two fences hold, `end` is behind the closing one."""

    start: int
    header_end: int
    end: int


def fences(data: bytes) -> Fences | None:
    """Find the front matter; it counts only at the very start (a byte order mark may precede it) and only when it is closed."""
    opening = _OPENING.match(data)
    closing = _CLOSING.search(data, opening.end()) if opening else None
    return Fences(opening.end(), closing.start(), closing.end()) if opening and closing else None


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a header says. `problem` is one line on why it could not be read as YAML, '' when it could."""

    values: Mapping[str, Value] = field(default_factory=dict)
    problem: str = ""

    @classmethod
    def parse(cls, header: bytes) -> FrontMatter:
        """Read a header (the bytes between its fences). Never raises."""
        if len(header) > SIZE_LIMIT:
            return cls(problem=f"the front matter is larger than {SIZE_LIMIT // 1024} KiB")
        try:
            text = header.decode("utf-8")
        except UnicodeDecodeError:
            return cls(problem="the front matter is not UTF-8")
        return _read(text) if text.strip() else cls()

    @property
    def title(self) -> str:
        """The title on one line, '' when there is none."""
        return " ".join(self.text("title").split())

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags without their `#`, in order, each once."""
        return tuple(dict.fromkeys(tag for key in TAG_KEYS for tag in _tags(self.values.get(key, ()))))

    @property
    def time(self) -> int | None:
        """The note's own time in UTC epoch seconds: the first time key that holds one."""
        for key in TIME_KEYS:
            seconds = epoch_seconds(self.text(key))
            if seconds is not None:
                return seconds
        return None

    def text(self, key: str) -> str:
        """One key's value when it is a single text, else ''."""
        value = self.values.get(key, "")
        return value.strip() if isinstance(value, str) else ""

    def labels(self) -> tuple[str, ...]:
        """The texts of all keys that have no accessor of their own, such as aliases or an author."""
        own = {"title", *TAG_KEYS, *TIME_KEYS}
        found: list[str] = []
        for key, value in self.values.items():
            if key not in own:
                found.extend((value,) if isinstance(value, str) else value)
        return tuple(text for text in found if text)


NO_FRONT_MATTER = FrontMatter()


def epoch_seconds(text: str) -> int | None:
    """Read an ISO date or time (UTC where it names no zone) or epoch seconds or milliseconds; None for anything else."""
    text = text.strip()
    if not text.isascii() or len(text) > 40:
        return None
    if _DIGITS.fullmatch(text):
        number = int(text)
        return number // 1000 if number >= 10**12 else number
    try:
        moment = dt.datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        return int(moment.timestamp() // 1)
    except (ValueError, OverflowError):
        return None


def _tags(value: Value) -> list[str]:
    if isinstance(value, str):
        value = tuple(value.split(",")) if "," in value else tuple(value.split())
    return [tag for tag in (part.strip().lstrip("#").strip() for part in value) if tag]


def _read(text: str) -> FrontMatter:
    # The import costs 20 ms that notes without front matter, and commands that read none, need not pay.
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if ("&" in text or "*" in text) and _has_anchors(text, loader):
            return FrontMatter(problem="the front matter uses YAML anchors or aliases, which are refused")
        root = yaml.compose(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = getattr(error, "problem", None) or str(error)
        return FrontMatter(_plain_lines(text), f"the front matter is not YAML: {' '.join(str(reason).split())[:200]}")
    if root is None:
        return FrontMatter()
    if not isinstance(root, yaml.MappingNode):
        return FrontMatter(problem="the front matter holds no keys")
    return FrontMatter(_values(root))


def _has_anchors(text: str, loader: Any) -> bool:
    # Composed nodes no longer show their anchors; and nine lines of aliases of aliases stand for a billion values.
    import yaml

    return any(getattr(event, "anchor", None) is not None for event in yaml.parse(text, Loader=loader))


def _values(root: yaml.MappingNode) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for key, node in root.value:
        name, value = _scalar(key), _value(node)
        if name is not None and value is not None:
            result[name] = value
    return result


def _value(node: Any) -> Value | None:
    if node.id == "sequence":
        return tuple(text for text in map(_scalar, node.value) if text is not None)
    return _scalar(node)


def _scalar(node: Any) -> str | None:
    if node.id != "scalar" or node.tag == _NULL:
        return None
    # An escape such as "\ud800" is legal YAML and half a character, which nothing further down could encode.
    return str(node.value).encode("utf-8", "replace").decode("utf-8")


def _plain_lines(text: str) -> dict[str, Value]:
    # `title: Foo: a story` is an error in YAML and common in notes: top-level lines are then taken as written.
    found = (_PLAIN_LINE.fullmatch(line.rstrip()) for line in text.splitlines())
    return {match[1]: match[2].strip("'\"") for match in found if match}
