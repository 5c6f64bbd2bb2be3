"""EntityState: which chunk speaks of which entity, and the commit that this is true of, in one SQLite file.

    file     what is indexed, with its kind, source, and the span of its times
    chunk    every chunk of every text file; `spoken` are the entities in it, the most telling first
    mention  entity -> chunks, the newest first; a chunk without a time has UNDATED
    entity   in how many chunks it is, in how many files under `entities/`, its latest time, how it is shown and found
    surface  in how many chunks an entity is written in a certain way
    alias    what files under `entities/` say: these ids mean one entity

Numbers of files and chunks come from paths, so that no answer depends on the order in which files arrived. Two entities are joined
as often as there are chunks with both: that is read from `mention` and stored nowhere, so no order of commits can make it wrong.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtree.indexers.base import IndexCorrupt
from memtree.indexers.sqlite_file import SqliteFile
from memtree.indexers.tokens import fold
from memtree.tree.objects import CommitId

UNDATED = -(2**62)

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, source TEXT NOT NULL, chunks INTEGER NOT NULL,
    first INTEGER, last INTEGER
);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, ordinal INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    time INTEGER, telling INTEGER NOT NULL, spoken BLOB NOT NULL
);
CREATE INDEX chunk_time ON chunk (time);
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, chunks INTEGER NOT NULL DEFAULT 0,
    files INTEGER NOT NULL DEFAULT 0, seen INTEGER NOT NULL DEFAULT 0, surface TEXT NOT NULL DEFAULT '',
    folded TEXT NOT NULL DEFAULT ''
);
CREATE INDEX entity_rank ON entity (chunks DESC, seen DESC, name);
CREATE INDEX entity_folded ON entity (folded);
CREATE INDEX entity_declared ON entity (id) WHERE files > 0;
CREATE TABLE surface (id INTEGER PRIMARY KEY, entity INTEGER NOT NULL, text TEXT NOT NULL, chunks INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX surface_text ON surface (entity, text);
CREATE TABLE mention (
    entity INTEGER NOT NULL, time INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (entity, time DESC, chunk)
) WITHOUT ROWID;
CREATE TABLE alias (
    file INTEGER NOT NULL, entity INTEGER NOT NULL, own INTEGER NOT NULL, kind TEXT NOT NULL, surface TEXT NOT NULL,
    PRIMARY KEY (file, entity)
) WITHOUT ROWID;
CREATE INDEX alias_entity ON alias (entity);
"""
# Every three neighbouring characters of what is found, END included, so that the last ones begin a triple too.
_TEXT = """
CREATE VIRTUAL TABLE entity_text USING fts5 (folded, content = '', tokenize = 'trigram case_sensitive 1', detail = none,
    columnsize = 0);
CREATE VIRTUAL TABLE entity_triple USING fts5vocab (entity_text, row);
"""
END = "\n\n"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the index says of itself."""

    commit: CommitId | None = None
    fingerprint: str = ""


class ChunkRow(NamedTuple):
    """A chunk as it is kept. `spoken` are pairs of an entity's and a surface's number; of these the first `telling` make edges."""

    ordinal: int
    first: int
    last: int
    time: int | None
    spoken: Sequence[tuple[int, int]]
    telling: int


class Gone(NamedTuple):
    """What a file that is dropped had spoken of, for the counts."""

    spoken: list[tuple[int, int]]
    declared: list[int]


class EntityState(SqliteFile):
    """An open connection. One thread at a time."""

    name = "entity graph"
    schema = _SCHEMA
    optional = _TEXT

    def __init__(self, path: str, *, writable: bool = False) -> None:
        super().__init__(path, writable=writable)
        if writable:
            # What is deleted is overwritten; a build writes one page many times.
            self.rows("PRAGMA secure_delete = ON")
            self.rows("PRAGMA cache_size = -65536")
        self.has_text = bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = 'entity_text'"))

    # -- the stamp
    def stamp(self) -> Stamp:
        found = dict(self.rows("SELECT key, value FROM meta"))
        return Stamp(found.get("commit"), found.get("fingerprint", ""))

    def set(self, stamp: Stamp) -> None:
        values = (("commit", stamp.commit), ("fingerprint", stamp.fingerprint))
        self.run_many("INSERT OR REPLACE INTO meta VALUES (?, ?)", values)

    # -- files
    def drop(self, path: str) -> Gone:
        """Drop a file's chunks and what they speak of; the counts are the caller's to bring in line."""
        found = self.rows("SELECT id, chunks FROM file WHERE path = ?", path)
        if not found:
            return Gone([], [])
        (file, count), spoken = found[0], []
        rows = self.rows("SELECT id, time, spoken FROM chunk WHERE id >= ? AND id < ?", file, file + count)
        for chunk, time, packed in rows:
            pairs = unpacked(packed)
            spoken += pairs
            at = UNDATED if time is None else time
            self.run_many(
                "DELETE FROM mention WHERE entity = ? AND time = ? AND chunk = ?", ((entity, at, chunk) for entity, _ in pairs)
            )
        declared = [entity for (entity,) in self.rows("SELECT entity FROM alias WHERE file = ?", file)]
        self.run("DELETE FROM chunk WHERE id >= ? AND id < ?", file, file + count)
        self.run("DELETE FROM alias WHERE file = ?", file)
        self.run("DELETE FROM file WHERE id = ?", file)
        return Gone(spoken, declared)

    def add(self, path: str, kind: str, source: str, chunks: Sequence[ChunkRow]) -> int:
        """Record a file and its chunks; return its number. What they speak of is told by `mention`."""
        file = number_of(path)
        times = [one.time for one in chunks if one.time is not None]
        span = (min(times), max(times)) if times else (None, None)
        self.run("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", file, path, kind, source, len(chunks), *span)
        self.run_many(
            "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((file + one.ordinal, file, *one[:4], one.telling, packed(one.spoken)) for one in chunks),
        )
        return file

    def mention(self, rows: Iterable[tuple[int, int, int]]) -> None:
        """Record entity, time and chunk of mentions."""
        self.run_many("INSERT INTO mention VALUES (?, ?, ?)", rows)

    def declare(self, file: int, entities: Iterable[tuple[int, bool, str, str]]) -> None:
        """Record what a file under `entities/` says: an entity's number; of its own also that it is, its kind, how it is shown."""
        self.run_many(
            "INSERT INTO alias VALUES (?, ?, ?, ?, ?)", ((file, entity, int(own), *more) for entity, own, *more in entities)
        )

    # -- entities
    def numbers_of(self, names: Iterable[str]) -> dict[str, int]:
        """The numbers of those ids that there are."""
        rows = self.rows("SELECT name, id FROM entity WHERE name IN (SELECT value FROM json_each(?))", json.dumps([*names]))
        return dict(rows)

    def names_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """The ids of entities by their numbers."""
        rows = self.rows("SELECT id, name FROM entity WHERE id IN (SELECT value FROM json_each(?))", json.dumps([*numbers]))
        return dict(rows)

    def surface_number(self, entity: int, text: str) -> int | None:
        found = self.rows("SELECT id FROM surface WHERE entity = ? AND text = ?", entity, text)
        return int(found[0][0]) if found else None

    def next_numbers(self) -> tuple[int, int]:
        """The first free number of an entity and of a surface."""
        highest = self.rows("SELECT (SELECT MAX(id) FROM entity), (SELECT MAX(id) FROM surface)")[0]
        return (highest[0] or 0) + 1, (highest[1] or 0) + 1

    def add_entities(self, entities: Iterable[tuple[int, str, str]], surfaces: Iterable[tuple[int, int, str]]) -> None:
        """Record number, id and kind of new entities; number, entity and text of new surfaces. Nothing is counted yet."""
        self.run_many("INSERT INTO entity (id, name, kind) VALUES (?, ?, ?)", entities)
        self.run_many("INSERT INTO surface (id, entity, text) VALUES (?, ?, ?)", surfaces)

    def count(self, chunks: Mapping[int, int], files: Mapping[int, int], surfaces: Mapping[int, int]) -> None:
        """Add to the counts of entities and surfaces, and bring in line all that follows from them."""
        self.run("CREATE TEMP TABLE touched (id INTEGER PRIMARY KEY)")
        self.run_many("INSERT INTO touched VALUES (?)", ((number,) for number in sorted({*chunks, *files})))
        self.run_many("UPDATE entity SET chunks = chunks + ? WHERE id = ?", ((more, number) for number, more in chunks.items()))
        self.run_many("UPDATE entity SET files = files + ? WHERE id = ?", ((more, number) for number, more in files.items()))
        self.run_many("UPDATE surface SET chunks = chunks + ? WHERE id = ?", ((more, number) for number, more in surfaces.items()))
        self.run("DELETE FROM surface WHERE chunks = 0 AND entity IN (SELECT id FROM touched)")
        self._show()
        self.run("DELETE FROM entity WHERE chunks = 0 AND files = 0 AND id IN (SELECT id FROM touched)")
        self.run("DROP TABLE touched")

    def _show(self) -> None:
        """What touched entities are shown and found by: latest time, surface, kind, and what they are called, folded."""
        self.run(
            "UPDATE entity SET seen = COALESCE((SELECT MAX(time) FROM mention WHERE mention.entity = entity.id), ?),"
            " surface = COALESCE("
            " (SELECT MIN(surface) FROM alias WHERE alias.entity = entity.id AND alias.surface <> ''),"
            " (SELECT text FROM surface WHERE surface.entity = entity.id ORDER BY surface.chunks DESC, text LIMIT 1), ''),"
            " kind = COALESCE((SELECT MIN(alias.kind) FROM alias WHERE alias.entity = entity.id AND own),"
            " substr(name, 1, instr(name, ':') - 1))"
            " WHERE id IN (SELECT id FROM touched)",
            UNDATED,
        )
        gone, changed = [], []
        for number, name, surface, alive, was in self.rows(
            "SELECT id, name, surface, chunks + files > 0, folded FROM entity WHERE id IN (SELECT id FROM touched)"
        ):
            now = folded(name.partition(":")[2], surface) if alive else ""
            if now != was:
                gone.append((number, was))
                changed.append((number, now))
        self.run_many("UPDATE entity SET folded = ? WHERE id = ?", ((text, number) for number, text in changed))
        if self.has_text:
            removed = ((number, text + END) for number, text in gone if text)
            self.run_many("INSERT INTO entity_text (entity_text, rowid, folded) VALUES ('delete', ?, ?)", removed)
            self._index(changed)

    def _index(self, texts: Iterable[tuple[int, str]]) -> None:
        rows = ((number, text + END) for number, text in texts if text)
        self.run_many("INSERT INTO entity_text (rowid, folded) VALUES (?, ?)", rows)

    def reindex_text(self) -> None:
        """Write the index of triples anew: it keeps what was deleted until much else has changed."""
        if self.has_text:
            self.run("INSERT INTO entity_text (entity_text) VALUES ('delete-all')")
            self._index(self.rows("SELECT id, folded FROM entity ORDER BY id"))

    def contents(self) -> dict[str, list[tuple[object, ...]]]:
        """Everything that is told, table by table and without numbers, sorted: two graphs of one commit have equal contents."""
        names = dict(self.rows("SELECT id, name FROM entity"))
        texts = dict(self.rows("SELECT id, text FROM surface"))
        chunks = [
            (*row[:-1], [(names[entity], texts[surface]) for entity, surface in unpacked(row[-1])])
            for row in self.rows(
                "SELECT path, ordinal, chunk.first, chunk.last, time, telling, spoken FROM chunk JOIN file ON file.id = file"
            )
        ]
        tables = {
            "file": "SELECT path, kind, source, chunks, first, last FROM file",
            "entity": "SELECT name, kind, chunks, files, seen, surface, folded FROM entity",
            "surface": "SELECT name, text, surface.chunks FROM surface JOIN entity ON entity.id = entity",
            "mention": "SELECT name, path, ordinal, mention.time FROM mention JOIN entity ON entity.id = entity"
            " JOIN chunk ON chunk.id = chunk JOIN file ON file.id = file",
            "alias": "SELECT path, name, own, alias.kind, alias.surface FROM alias JOIN entity ON entity.id = entity"
            " JOIN file ON file.id = file",
        }
        if self.has_text:
            tables["triple"] = "SELECT term, doc FROM entity_triple"
        return {"chunk": sorted(chunks, key=repr)} | {name: sorted(self.rows(sql), key=repr) for name, sql in tables.items()}


def number_of(path: str) -> int:
    """The number of a file, and of its first chunk; the others follow. 62 bits: no two files of a workspace meet."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 2


def folded(value: str, surface: str) -> str:
    """What an entity is found by: its value and, where that says more, how it is shown; in one case and width."""
    plain, shown = searched(value), searched(surface)
    return plain if shown in plain else f"{plain}\n{shown}"


def searched(text: str) -> str:
    """A text as it is compared: one case, one width, no accents, single blanks."""
    return " ".join(fold(text).replace("\0", " ").split())


def packed(spoken: Sequence[tuple[int, int]]) -> bytes:
    return array("I", [number for pair in spoken for number in pair]).tobytes()


def unpacked(stored: bytes) -> list[tuple[int, int]]:
    numbers = array("I")
    try:
        numbers.frombytes(stored)
        return [*zip(numbers[::2], numbers[1::2], strict=True)]
    except (TypeError, ValueError) as error:
        raise IndexCorrupt("the entity graph is damaged: a chunk's entities cannot be read") from error
