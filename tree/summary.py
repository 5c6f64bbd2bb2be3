"""Summary: what a stretch of memory comes to, as one node of the summary tree, in a file that people can browse.

    ---
    id: 5f0c…
    kind: summary
    namespace: source-notes
    source: notes
    level: 1
    child_count: 2
    time_range_start: 2026-11-02T00:00:00Z
    time_range_end: 2026-11-29T18:30:00Z
    tokens: 49213
    summary_tokens: 812
    sealed: budget
    refresh: true
    children:
      - "[[notes/heron]]"
      - "[[notes/otter]]"
    generator: extractive
    body_hash: 91ab…
    ---

    # notes, 2026-11-02 to 2026-11-29

    What the children say, in a few sentences.

The file is `wiki/summaries/{namespace}/L{level}/{id}.md`. Its id is made of its children and of nothing else, so that whoever
derives the node writes the same file, and a child that is not as it was shows. `refresh` is there until a model wrote the text.
"""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.tree.document import Document
from memtree.tree.episode import iso_time
from memtree.tree.front_matter import FrontMatter, epoch_seconds
from memtree.tree.generated import EXTRACTIVE, GENERATOR, HASH, Author, author_of, signed
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.objects import BlobId
from memtree.tree.paths import RepoPath
from memtree.tree.scalars import clean, written
from memtree.tree.token_count import count_tokens

KIND = "summary"
FOLDER = "wiki/summaries"
DAY, WEEK, MONTH = "day", "week", "month"
OF_A_SOURCE = "source-"
PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".mkd", ".txt", ".text", ".org", ".rst", ".adoc")

_PLACE = re.compile(r"(?:^|/)wiki/summaries/([^/]+)/L([1-9][0-9]{0,2})/([0-9a-f]{32})\.md", re.ASCII)
_PLAIN_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}", re.ASCII)
_NOT_IN_A_SLUG = re.compile(r"[^a-z0-9]+", re.ASCII)
_HEADING = re.compile(r"\A\s*#[ \t]+(\S[^\n]*)(?:\n|\Z)")
_HASHES = re.compile(r"^#{1,6}(?=[ \t]|$)", re.MULTILINE)
_DIGITS = re.compile(r"[0-9]{1,15}", re.ASCII)
_WRITTEN = (
    "id kind namespace source level child_count time_range_start time_range_end tokens summary_tokens sealed refresh children"
)
_KEYS = frozenset((*_WRITTEN.split(), GENERATOR, HASH))


class Sealed(enum.StrEnum):
    """Why a node was made: its evidence filled the budget, it has as many children as one may have, its leaves waited for long,
    or its day, week or month is over.
    """

    BUDGET = "budget"
    FAN_IN = "fan_in"
    STALE = "stale"
    CALENDAR = "calendar"


class Child(NamedTuple):
    """What a node stands above: a leaf or a summary, and what tells whether it is the same as it was."""

    path: RepoPath
    identity: str

    @classmethod
    def leaf(cls, path: RepoPath, blob: BlobId | str) -> Child:
        """A file of evidence as a commit holds it."""
        return cls(path, f"{path}\0{blob}")


@dataclass(frozen=True, slots=True)
class Summary:
    """A node as it is written. `tokens` are those of the evidence below it; times are epoch seconds, None for undated evidence."""

    namespace: str
    level: int
    children: tuple[Child, ...]
    title: str
    prose: str
    tokens: int
    sealed: Sealed
    time_start: int | None = None
    time_end: int | None = None
    source: str = ""
    generator: str = EXTRACTIVE

    @property
    def node_id(self) -> str:
        return node_id_of(self.namespace, self.level, (child.identity for child in self.children))

    def path(self, content_root: str = CONTENT_ROOT) -> RepoPath:
        """Where it lies."""
        return summary_path(self.namespace, self.level, self.node_id, content_root)

    def render(self) -> bytes:
        """The file. It is the same wherever it is made: nothing in it tells when or where that was."""
        body = f"\n# {_one_line(self.title)}\n\n{_paragraphs(self.prose)}\n"
        values: dict[str, str | int | bool | None] = {
            "id": self.node_id,
            "kind": KIND,
            "namespace": self.namespace,
            "source": self.source or None,
            "level": self.level,
            "child_count": len(self.children),
            "time_range_start": _iso(self.time_start),
            "time_range_end": _iso(self.time_end),
            "tokens": self.tokens,
            "summary_tokens": _tokens(body),
            "sealed": self.sealed.value,
            "refresh": self.generator == EXTRACTIVE or None,
        }
        head = "".join(f"{key}: {written(value)}\n" for key, value in values.items() if value is not None)
        links = "".join(f"  - {written(link_to(child.path))}\n" for child in self.children)
        data = f"---\n{head}children:\n{links}---\n{body}"
        return signed(Document.parse(clean(data).encode()), self.generator).render()


@dataclass(frozen=True, slots=True)
class Node:
    """A node as its file's header tells, whoever changed it. `links` are its children's paths, a line each.

    `as_made`: the header holds the keys that memtree writes and no other. `blob` is the file's, where it was read from a commit.
    """

    path: RepoPath
    node_id: str
    namespace: str
    level: int
    links: str
    time_start: int | None
    time_end: int | None
    tokens: int
    summary_tokens: int
    sealed: str
    source: str
    refresh: bool
    author: Author
    as_made: bool
    title: str
    blob: str

    @property
    def children(self) -> tuple[RepoPath, ...]:
        """The paths of the leaves or nodes right below, in the order of their time."""
        return tuple(map(RepoPath, self.links.split("\n")))

    @property
    def is_persons(self) -> bool:
        """Whether a person changed it, so that no program may."""
        return self.author is Author.PERSON or not self.as_made

    @property
    def may_get_better(self) -> bool:
        """Whether a model may write its text anew."""
        return self.refresh and self.author is Author.EXTRACTION and self.as_made


@dataclass(frozen=True, slots=True)
class ReadSummary(Node):
    """A node with its text: `body` is all below the header."""

    body: str

    @property
    def prose(self) -> str:
        """The text without its heading."""
        return _HEADING.sub("", self.body, count=1).strip()


def read_summary(path: RepoPath, data: bytes, blob: str = "") -> ReadSummary | None:
    """A node's file; None for one that does not lie where nodes do, or names no children."""
    place = _PLACE.search(path)
    document = Document.parse(data)
    front = document.front_matter()
    children = tuple(filter(None, map(linked, _texts(front.values.get("children", ())))))
    if place is None or place.end() != len(path) or not children:
        return None
    body = document.body_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    heading = _HEADING.match(body)
    return ReadSummary(
        path,
        place[3],
        place[1],
        int(place[2]),
        "\n".join(children),
        epoch_seconds(front.text("time_range_start")),
        epoch_seconds(front.text("time_range_end")),
        _number(front, "tokens"),
        _number(front, "summary_tokens"),
        front.text("sealed"),
        front.text("source"),
        front.text("refresh").lower() == "true",
        author_of(document),
        not front.problem and front.values.keys() <= _KEYS,
        " ".join(heading[1].split()) if heading else place[1],
        blob,
        body,
    )


def rewritten(data: bytes, prose: str, generator: str) -> bytes:
    """A node's file with a model's prose in the place of the old; its heading stays, and it asks for no other text any more."""
    document = Document.parse(data)
    old = document.body_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    heading = _HEADING.match(old)
    title = f"\n# {heading[1].rstrip()}\n" if heading else ""
    body = clean(f"{title}\n{_paragraphs(prose)}\n")
    document = document.without_key("refresh").with_value("summary_tokens", _tokens(body))
    return signed(Document.parse(document.data[: document.body.start] + body.encode()), generator).render()


def node_id_of(namespace: str, level: int, identities: Iterable[str]) -> str:
    """The id of a node: 32 hex digits over where it stands and what its children are, in whatever order they are told."""
    digest = hashlib.sha256(f"{namespace}\0{level}".encode("utf-8", "surrogatepass"))
    for one in sorted(identities):
        digest.update(b"\n" + one.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def summary_path(namespace: str, level: int, node_id: str, content_root: str = CONTENT_ROOT) -> RepoPath:
    """The path of a node."""
    return RepoPath(f"{summaries_folder(content_root)}/{namespace}/L{level}/{node_id}.md")


def summaries_folder(content_root: str = CONTENT_ROOT) -> RepoPath:
    """Where all nodes lie."""
    return RepoPath(f"{content_root}/" * bool(content_root) + FOLDER)


def namespace_of(source: str) -> str:
    """The namespace of a source's tree. Names that some file system could not tell apart, or hold, get a digest."""
    if _PLAIN_SLUG.fullmatch(source) and not source.endswith("."):
        return OF_A_SOURCE + source
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    plain = _NOT_IN_A_SLUG.sub("-", source.lower()).strip("-")[:60]
    return f"{OF_A_SOURCE}{plain}-{digest}" if plain else OF_A_SOURCE + digest


def link_to(path: RepoPath) -> str:
    """A wikilink that Obsidian follows, and `linked` takes apart: a note goes without its `.md`, unless it would be another's."""
    name = path.removesuffix(".md")
    return f"[[{name if name and name != path and not _has_prose_suffix(name) else path}]]"


def linked(text: str) -> RepoPath | None:
    """The path that a wikilink to a child names; None for anything else."""
    text = text.strip()
    if not (text.startswith("[[") and text.endswith("]]")) or len(text) <= len("[[]]") or "\n" in text:
        return None
    name = text[2:-2]
    return RepoPath(name if _has_prose_suffix(name) else f"{name}.md")


def _has_prose_suffix(name: str) -> bool:
    return name.lower().endswith(PROSE_SUFFIXES)


def _texts(value: str | Sequence[str]) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def _number(front: FrontMatter, key: str) -> int:
    return int(front.text(key)) if _DIGITS.fullmatch(front.text(key)) else 0


def _iso(seconds: int | None) -> str | None:
    """A time as a header has it; None where there is none, or no calendar has it."""
    text = "" if seconds is None else iso_time(seconds * 1000)
    return f"{text[:19]}Z" if text else None


def _tokens(text: str) -> int:
    return round(count_tokens(text.encode("utf-8", "replace")))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(prose: str) -> str:
    """Prose in which no line is a heading: the only one says what the node is of."""
    return _HASHES.sub(r"\\\g<0>", prose.replace("\r\n", "\n").replace("\r", "\n")).strip()
