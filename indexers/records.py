"""Records: one chunk as the fields a full-text index keeps, and the stored part read back. No index library is needed here."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from dataclasses import dataclass

from memtree.indexers.query import Hit
from memtree.indexers.tokens import exact, fold, pairs, spaced
from memtree.tree.chunks import Chunk
from memtree.tree.episode import Turn
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

# Above 65,530 bytes the index drops a term without a word, and a later delete by that term would miss.
_KEY_LIMIT = 4_000

# A search reads hundreds of records: an enum's own call and guessing the encoding would be half of that.
_KINDS = {kind.value: kind for kind in Kind}
_READ = json.JSONDecoder().decode


@dataclass(frozen=True, slots=True)
class Record:
    """What is stored of a chunk, and all that a hit is made of."""

    path: RepoPath
    kind: Kind
    title: str
    heading: str
    start_line: int
    end_line: int
    ordinal: int
    time: int | None
    tags: tuple[str, ...]
    text: str
    turn: Turn | None = None

    @classmethod
    def of(cls, chunk: Chunk, kind: Kind) -> Record:
        return cls(
            chunk.path,
            kind,
            chunk.title,
            " > ".join(chunk.headings),
            chunk.start_line,
            chunk.end_line,
            chunk.ordinal,
            chunk.time,
            chunk.tags,
            chunk.text,
            chunk.turn,
        )

    @classmethod
    def load(cls, stored: bytes) -> Record:
        path, kind, title, heading, start, end, ordinal, time, tags, text, turn = _READ(stored.decode())
        said = Turn(*turn) if turn is not None else None
        return cls(RepoPath(path), _KINDS[kind], title, heading, start, end, ordinal, time, tuple(tags), text, said)

    def dump(self) -> str:
        values = (
            self.path,
            self.kind.value,
            self.title,
            self.heading,
            self.start_line,
            self.end_line,
            self.ordinal,
            self.time,
            self.tags,
            self.text,
            self.turn,
        )
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    def hit(self, shown: str, highlights: tuple[tuple[int, int], ...], score: float, commit: CommitId) -> Hit:
        """Return this chunk as an answer, with the `shown` part of its text."""
        return Hit(
            self.path,
            self.kind,
            self.title,
            self.heading,
            self.start_line,
            self.end_line,
            shown,
            highlights,
            score,
            self.time,
            commit,
        )


def path_key(path: str) -> str:
    """The exact term a file is deleted by; a digest of it when it is too long to be a term."""
    encoded = path.encode("utf-8", "replace")
    return path if len(encoded) <= _KEY_LIMIT else f"/{hashlib.sha256(encoded).hexdigest()}"


def place_key(path: str, ordinal: int) -> str:
    """The exact term a chunk is fetched by."""
    return f"{path_key(path)}\n{ordinal}"


def file_number(path: str) -> int:
    """A number that tells files apart when hits are folded, small enough for a signed 64-bit field."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8", "replace"), digest_size=7).digest(), "big")


def ancestors(path: str) -> list[str]:
    """The path and every folder above it."""
    found = []
    while path:
        found.append(path_key(path))
        path = posixpath.dirname(path)
    return found


@dataclass(frozen=True, slots=True)
class Searchable:
    """The texts of a chunk that are looked up, each ready for its field."""

    title: str
    headings: str
    labels: str
    body: str
    name_pairs: str
    body_pairs: str
    exact: str

    @classmethod
    def of(cls, chunk: Chunk) -> Searchable:
        title, headings = fold(chunk.title), fold("\n".join(chunk.headings))
        labels = fold("\n".join((chunk.path, *chunk.tags, *chunk.labels)))
        body = fold(chunk.text)
        names = f"{title}\n{headings}\n{labels}"
        return cls(
            spaced(title),
            spaced(headings),
            spaced(labels),
            spaced(body),
            " ".join(pairs(names)),
            " ".join(pairs(body)),
            # A tab cannot be part of an exact token, so it can part them.
            "\t".join((*exact(names), *exact(body))),
        )

    def fields(self) -> tuple[tuple[str, str], ...]:
        """Each text with its field's name."""
        return (
            ("title", self.title),
            ("headings", self.headings),
            ("labels", self.labels),
            ("body", self.body),
            ("name_pairs", self.name_pairs),
            ("body_pairs", self.body_pairs),
            ("exact", self.exact),
        )


def glob_pattern(glob: str) -> str:
    """Translate a glob into a regular expression for a whole path; one without a slash speaks of names in any folder."""
    if "/" not in glob:
        glob = f"**/{glob}"
    pieces = []
    for piece in re.findall(r"(?:\*\*/)+|\*\*+|\*|\?|[^*?]+", glob):
        if piece.startswith("**/"):
            pieces.append("(?:.*/)?")
        elif piece.startswith("**"):
            pieces.append(".*")
        elif piece == "*":
            pieces.append("[^/]*")
        else:
            pieces.append("[^/]" if piece == "?" else re.escape(piece))
    return "".join(pieces)
