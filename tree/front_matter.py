"""FrontMatter: the keys at the head of a note, where each stands and what it says.

YAML's own types are not wanted here: `no` is not false, `1.10` is not 1.1 and an impossible date must not cost the note. So
the text is only composed into nodes; `values` are the strings that were written, `meaning` resolves them by `scalars`. Nothing
raises: a header that cannot be read as a whole is read key by key and has a `problem`, so that an error costs only its key.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from memtree.tree.scalars import Scalar, resolve

SIZE_LIMIT = 256 * 1024
TIME_KEYS = ("timestamp", "time", "date", "updated", "created")
TAG_KEYS = ("tags", "tag")

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)
_DIGITS = re.compile(r"[0-9]{9,13}")
_NULL = "tag:yaml.org,2002:null"

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t\v\f]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(rb"(?<=[\r\n])(?:---|\.\.\.)[ \t\v\f]*(?:\r\n|\n|\r|\Z)")

# A key at the start of a line, bare or in quotes; for headers that are not YAML as a whole.
_KEY_LINE = re.compile(
    r"""(?:(?<=[\r\n])|\A)
    ("(?:[^"\\\r\n]|\\[^\r\n])*+" | '(?:[^'\r\n]|'')*+' | [^\s"'\#\[\]{},&*!|>%@`?:-][^:\r\n]*+)
    [ \t]*+:(?=[ \t\r\n]|\Z)""",
    re.VERBOSE,
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(r"[\r\n]")
_PIECE_LIMIT = 1_000
# A value that YAML reads as it stands: no mark first, no `: ` or ` #` inside, letters of any script.
_WORD = r"[^\W_](?:[\w ./+@()'-]|:(?=[\w/.+-]))*+"
# The same in quotation marks, where more characters mean nothing but themselves.
_QUOTED = r""""[\w ./+@()':,#-]*+"[ ]*"""
_PLAIN_LINES = re.compile(rf"(?:[A-Za-z_][A-Za-z0-9_-]{{0,99}}:[ ]+(?:{_WORD}|{_QUOTED})\n)+")
_DEPTH_LIMIT = 32

Value = str | tuple[str, ...]
# What a key stands for once its kind is told: scalars, lists and maps.
Meaning = Scalar | tuple["Meaning", ...] | Mapping[str, "Meaning"]


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


class Field(NamedTuple):
    """One top-level key and its value: whole lines, in characters of the header. `value_end` is where the value's text ends.

    Comments and blank lines below belong to no field.
    """

    key: str
    start: int
    value_end: int
    end: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a header says. `problem` is one line on what is wrong with it, '' when nothing is.

    `fields` are in order; () also where keys do not stand on lines of their own (`{a: 1}`, `? a`).
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    problem: str = ""
    fields: tuple[Field, ...] = field(default=(), compare=False)
    editable: bool = field(default=True, compare=False)
    _nodes: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def parse(cls, header: bytes) -> FrontMatter:
        """Read a header (the bytes between its fences). Never raises."""
        if len(header) > SIZE_LIMIT:
            return cls(problem=f"the front matter is larger than {SIZE_LIMIT // 1024} KiB", editable=False)
        try:
            text = header.decode("utf-8")
        except UnicodeDecodeError:
            return cls(problem="the front matter is not UTF-8", editable=False)
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

    def meaning(self, key: str) -> Meaning:
        """Resolve a key's value now: a scalar, a tuple or a mapping; None for a missing key too."""
        return _meaning(self._nodes.get(key), 0)

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
    milliseconds = epoch_milliseconds(text)
    return None if milliseconds is None else milliseconds // 1000


def epoch_milliseconds(text: str) -> int | None:
    """Read a time as `epoch_seconds` does, down to its milliseconds."""
    text = text.strip()
    if not text.isascii() or len(text) > 40:
        return None
    if _DIGITS.fullmatch(text):
        number = int(text)
        return number if number >= 10**12 else number * 1000
    try:
        moment = dt.datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=dt.UTC)
        return (moment - _EPOCH) // _MILLISECOND
    except (ValueError, OverflowError):
        return None


def _tags(value: Value) -> list[str]:
    if isinstance(value, str):
        value = tuple(value.split(",")) if "," in value else tuple(value.split())
    return [tag for tag in (part.strip().lstrip("#").strip() for part in value) if tag]


def _loader() -> Any:
    # The import costs 20 ms that notes without front matter, and commands that read none, need not pay.
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Plain(NamedTuple):
    """A scalar on its own line, with what is asked of a composed node; `style` is '"' for one in quotation marks."""

    value: str
    style: str | None = None
    id: str = "scalar"
    tag: str = ""


def _read_plain(text: str) -> FrontMatter | None:
    """A header of nothing but `key: value` lines, as nearly all are that programs write; None for any other.

    What it says is what YAML would say, in a tenth of the time.
    """
    if not _PLAIN_LINES.fullmatch(text):
        return None
    fields: list[Field] = []
    nodes: dict[str, Any] = {}
    at = 0
    for line in text.splitlines(keepends=True):
        key, _, value = line.partition(":")
        value = value.strip(" \n")
        if key in nodes or key.lower() == "null" or value.lower() == "null":
            return None
        nodes[key] = _Plain(value[1:-1], '"') if value[0] == '"' else _Plain(value)
        fields.append(Field(key, at, at + len(line.rstrip(" \n")), at + len(line)))
        at += len(line)
    return FrontMatter({key: node.value for key, node in nodes.items()}, "", tuple(fields), True, nodes)


# A merge reads the same few headers again and again while it looks for keys that stand on both sides.
@lru_cache(maxsize=32)
def _read(text: str) -> FrontMatter:
    plain = _read_plain(text)
    return plain if plain is not None else _read_yaml(text)


def _read_yaml(text: str) -> FrontMatter:
    try:
        root = _composed(text)
    except _Refused as refused:
        return _read_pieces(text, str(refused))
    if root is None:
        return FrontMatter()
    if root.id != "mapping":
        return FrontMatter(problem="the front matter holds no keys", editable=False)
    fields = _fields(text, root)
    nodes: dict[str, Any] = {}
    twice = ""
    for key, node in root.value:
        name = _scalar(key) if key.id == "scalar" else None
        if name is not None:
            twice = twice or (f"the front matter has the key {name[:80]!r} twice" if name in nodes else "")
            nodes[name] = node
    return FrontMatter(_values(nodes), twice, fields, bool(fields), nodes)


class _Refused(Exception):
    """Why a text is not read as YAML, on one line."""


def _composed(text: str) -> Any:
    """The root node of a text; raise _Refused when it is not YAML or uses anchors."""
    import yaml

    loader = _loader()
    try:
        # Composed nodes no longer show their anchors; and nine lines of aliases of aliases stand for a billion values.
        if ("&" in text or "*" in text) and any(
            getattr(event, "anchor", None) is not None for event in yaml.parse(text, Loader=loader)
        ):
            raise _Refused("the front matter uses YAML anchors or aliases, which are refused")
        return yaml.compose(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = getattr(error, "problem", None) or str(error)
        raise _Refused(f"the front matter is not YAML: {' '.join(str(reason).split())[:200]}") from error


def _fields(text: str, root: Any) -> tuple[Field, ...]:
    """Where the keys of a block mapping stand; () when any does not begin its line."""
    found = []
    line = 0  # where the line of the last value ended: no key can begin before
    for key, node in root.value:
        start = key.start_mark.index
        begin = max(text.rfind("\n", line, start), text.rfind("\r", line, start), line - 1) + 1
        if root.flow_style or key.id != "scalar" or text[begin:start].strip(" "):
            return ()
        value_end = max(_leaf_end(node), key.end_mark.index)
        line = value_end if text[value_end - 1] in "\r\n" else _line_end(text, value_end)
        found.append(Field(_scalar(key, null="") or "", begin, value_end, line))
    return tuple(found)


def _leaf_end(node: Any) -> int:
    """Where the last text of a value ends; a block collection itself ends only where the next key begins."""
    while node.id != "scalar" and not node.flow_style and node.value:
        node = node.value[-1] if node.id == "sequence" else node.value[-1][1]
    return int(node.end_mark.index)


def _line_end(text: str, at: int) -> int:
    match = _LINE_END.search(text, at)
    if match is None:
        return len(text)
    return match.end() + text.startswith("\r\n", match.start())


def _read_pieces(text: str, problem: str) -> FrontMatter:
    """Read a header key by key: `title: Foo: a story` is an error in YAML and common in notes."""
    keys = list(_KEY_LINE.finditer(text))
    fields: list[Field] = []
    nodes: dict[str, Any] = {}
    values: dict[str, Value] = {}
    for number, key in enumerate(keys):
        end = keys[number + 1].start() if number + 1 < len(keys) else len(text)
        piece = text[key.start() : end]
        name = _unquoted(key[1])
        value_end = key.start() + _without_remarks(piece)
        fields.append(Field(name, key.start(), value_end, value_end))
        nodes.pop(name, None)
        values.pop(name, None)
        try:
            root = _composed(piece) if number < _PIECE_LIMIT else None
        except _Refused as refused:
            root = None
            if "anchors" in str(refused):
                continue
        if root is not None and root.id == "mapping" and len(root.value) == 1:
            nodes[name] = root.value[0][1]
            values.update(_values({name: nodes[name]}))
        elif plain := piece[key.end() - key.start() :].strip().split("\n")[0].strip().strip("'\""):
            nodes[name] = values[name] = _whole(plain)
    return FrontMatter(values, problem, tuple(fields), True, nodes)


def _without_remarks(piece: str) -> int:
    """The length of a piece without the blank lines and comments at its end."""
    at = length = 0
    for line in _LINE.findall(piece):
        at += len(line)
        if line.strip() and not line.startswith("#"):
            length = at
    return length


def _unquoted(key: str) -> str:
    if key[:1] not in ("'", '"'):
        return key.rstrip()
    try:
        return _scalar(_composed(key)) or ""
    except _Refused:
        return key.strip("'\"")


def _values(nodes: Mapping[str, Any]) -> dict[str, Value]:
    found = ((name, _value(node)) for name, node in nodes.items())
    return {name: value for name, value in found if value is not None}


def _value(node: Any) -> Value | None:
    if node.id == "sequence":
        return tuple(text for text in map(_scalar, node.value) if text is not None)
    return _scalar(node)


def _scalar(node: Any, null: str | None = None) -> str | None:
    if node.id != "scalar" or node.tag == _NULL:
        return null
    return _whole(node.value)


def _whole(text: str) -> str:
    # An escape such as "\ud800" is legal YAML and half a character, which nothing further down could encode.
    return text.encode("utf-8", "replace").decode("utf-8")


def _meaning(node: Any, depth: int) -> Meaning:
    if node is None or isinstance(node, str) or depth > _DEPTH_LIMIT:
        return node if isinstance(node, str) else None
    if node.id == "scalar":
        return _whole(node.value) if node.style else resolve(_whole(node.value))
    if node.id == "sequence":
        return tuple(_meaning(item, depth + 1) for item in node.value)
    return {_whole(key.value): _meaning(item, depth + 1) for key, item in node.value if key.id == "scalar"}
