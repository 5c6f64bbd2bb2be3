"""Record: one imported document, mail or piece of a conversation, and the file it becomes.

The file is ours: UTF-8, LF, front matter that says where it came from. Everything in it follows from the input alone (no clock, no
file times, which differ between copies), so a repeat makes the same bytes on every machine. `content_hash` is the hash of the file
without that line: it tells a new version from the old one, and a person's edit from both.
"""

from __future__ import annotations

import enum
import hashlib
import json
import re
from dataclasses import dataclass, replace

from memtree.engine.importing.encoding import cleaned, one_line
from memtree.tree.front_matter import FrontMatter
from memtree.tree.paths import RepoPath
from memtree.tree.redactor import Redactor

Value = str | tuple[str, ...]
_HASH_LINE = re.compile(rb"^content_hash: ([0-9a-f]{32})\n", re.MULTILINE)
_HASH_WITHIN = 1 << 16  # the header is at the start; a body may quote another file's header
_PLAIN = re.compile(r"[A-Za-z](?:[\w ./@+-]*[\w/])?", re.ASCII)
_PLAIN_KEYS = frozenset({"created", "updated", "date", "timestamp", "until", "part"})
_KEPT = _PLAIN_KEYS | {"in_reply_to", "references"}  # ids of mails look like addresses
_HEADER_LINE = re.compile(r"([ ]*(?:- )?(?:\w[\w .-]*:[ ]+)?)([^\s\"'\[{|>&*!].*)")
_WORDS_OF_YAML = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_OURS = re.compile(r"^(source|source_kind|source_id|content_hash)(?=[ \t]*:)", re.MULTILINE)

# Headers of plain `key: value` lines, nearly all there are, need no YAML parser: it costs more than all else of an import.
_WORD = r"\w(?:[\w ./+@()'-]|:(?=[\w/]))*"
_SIMPLE = re.compile(rf"(?:[A-Za-z_][\w-]*:(?:[ ]+(?:{_WORD}|\[\w[\w ./+@-]*(?:,[ ]*\w[\w ./+@-]*)*\]))?[ ]*\n)*")
_SIMPLE_WITHIN = 4_096


class SourceKind(enum.Enum):
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    MAIL = "mail"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class Record:
    """`source_id` names it within its source: a path, a Message-ID, a conversation. `part` only for pieces of a conversation.

    `header` is front matter of the document's own, kept as it was written.
    """

    kind: SourceKind
    source_id: str
    title: str
    body: str
    fields: tuple[tuple[str, Value], ...] = ()
    header: str = ""
    part: int | None = None

    def id(self, *, besides: str = "") -> str:
        """The file's name: from the source alone, so that a new version takes the old one's place; pieces also by content.

        `besides` tells two apart that the source itself calls by one name.
        """
        parts = [self.kind.value, self.source_id]
        if self.part is not None:
            parts += [str(self.part), self.body]
        if besides:
            parts.append(besides)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def path(self, content: str, source: str, *, besides: str = "") -> RepoPath:
        folder = "raw" if self.part is None else "chat"
        name = self.id(besides=besides)
        return RepoPath(f"{content}/{folder}/{source}/{name[:2]}/{name}.md")

    def redacted(self, redactor: Redactor) -> Record:
        """The same record without secrets and the personal data that settings name; the same object when it holds none.

        The people of a mail are personal data as others are. What tells one document from another stays: its id, its times, the
        mail that it answers.
        """
        title, body, header = redactor.text(self.title), redactor.text(self.body), _redacted_header(self.header, redactor)
        fields = tuple((key, value if key in _KEPT else _redacted_value(value, redactor)) for key, value in self.fields)
        if (title, body, header, fields) == (self.title, self.body, self.header, self.fields):
            return self
        if header != self.header and FrontMatter.parse(header.encode()).problem:
            # As with a header that was never one: it is text.
            header, body = "", f"---\n{header}---\n\n{body}"
        return replace(self, title=title, body=body, header=header, fields=fields)

    def render(self, source: str) -> bytes:
        """The file's bytes."""
        own: list[tuple[str, Value]] = [("source", source), ("source_kind", self.kind.value), ("source_id", self.source_id)]
        if self.part is not None:
            own.append(("part", str(self.part)))
        if self.title:
            own.append(("title", self.title))
        top = "---\n" + "".join(f"{key}: {_yaml(key, value)}\n" for key, value in (*own, *self.fields) if value)
        body = self.body.strip("\n")
        rest = f"{self.header}---\n\n{body}\n" if body else f"{self.header}---\n"
        whole = hashlib.sha256((top + rest).encode())
        return f"{top}content_hash: {whole.hexdigest()[:32]}\n{rest}".encode()


def content_hash(data: bytes) -> str:
    """The hash that an imported file carries, '' when it is none."""
    found = _HASH_LINE.search(data, 0, _HASH_WITHIN)
    return found[1].decode() if found else ""


def is_edited(data: bytes) -> bool:
    """Whether somebody changed an imported file since: it no longer matches the hash it carries."""
    found = _HASH_LINE.search(data, 0, _HASH_WITHIN)
    if found is None:
        return True
    whole = hashlib.sha256(data[: found.start()])
    whole.update(data[found.end() :])
    return whole.hexdigest()[:32] != found[1].decode()


def kept_header(header: str) -> str | None:
    """A document's own front matter as it may stand below ours: keys that we need get another name. None when it cannot."""
    text = cleaned(header).strip("\n")
    text = _OURS.sub(r"original_\1", text) + "\n" if text.strip() else ""
    if is_simple(text):
        return text
    if text.lstrip()[:1] in ("{", "["):
        return None
    return None if FrontMatter.parse(f"memtree: x\n{text}".encode()).problem else text


def is_simple(header: str) -> bool:
    """Whether a header is surely YAML, and each of its lines is one key with its value."""
    return len(header) <= _SIMPLE_WITHIN and _SIMPLE.fullmatch(header) is not None


def _redacted_value(value: Value, redactor: Redactor) -> Value:
    return redactor.text(value) if isinstance(value, str) else tuple(redactor.text(one) for one in value)


def _redacted_header(header: str, redactor: Redactor) -> str:
    """Front matter without its secrets; a plain value that lost one is quoted, for what stands there instead is no plain value."""
    safe = redactor.text(header)
    before, after = header.split("\n"), safe.split("\n")
    if safe == header or len(before) != len(after):
        return safe
    return "\n".join(new if new == old else _requoted(old, new) for old, new in zip(before, after, strict=True))


def _requoted(old: str, new: str) -> str:
    found = _HEADER_LINE.fullmatch(old)
    return found[1] + _quoted(new[len(found[1]) :]) if found and new.startswith(found[1]) else new


def _yaml(key: str, value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_quoted(one) for one in value) + "]"
    if key in _PLAIN_KEYS:
        return value
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS_OF_YAML
    return value if plain else _quoted(value)


def _quoted(text: str) -> str:
    # A JSON text is a YAML text, once the characters are gone that YAML cannot hold at all.
    return json.dumps(one_line(text, 2000), ensure_ascii=False)
