"""EntityWriter: changes of files become chunks, and what these speak of.

Every text file gives rows of its chunks. What they speak of is counted once, where it was said or written first:

    counted      turns of conversations, notes, imported documents and chats, MEMORY.md and SKILL.md
    not counted  recaps, facts, profile, wiki: they say again what those say
                 chat files of conversations that memtree recorded: their turns hold the same words
                 goals; files under `entities/`: they declare which ids mean one entity
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memtree.indexers.base import Source
from memtree.indexers.entity_state import UNDATED, ChunkRow, EntityState, Stamp
from memtree.indexers.mentions import mentions_of
from memtree.tree.chunks import Chunk, chunk
from memtree.tree.entity import Entity, EntityKind, entity
from memtree.tree.entity_file import read_entity_file
from memtree.tree.kinds import Kind, is_binary, is_text, kind_of
from memtree.tree.objects import Change
from memtree.tree.paths import RepoPath
from memtree.tree.source_names import CONVERSATIONS, source_of

# Entities of one chunk that make edges: a page with thousands of links would join each with each.
TELLING = 40
_MOST = 2_000  # entities of one chunk; no chunk of that size holds more
_BATCH = 200_000  # mentions; sorted, they are written several times quicker

_COUNTED = frozenset({Kind.EPISODE, Kind.CHAT, Kind.RAW, Kind.NOTE, Kind.MEMORY})
_UNCOUNTED_NAMES = frozenset({"MEMORY_GOALS.md"})
# What a text is about tells more than the identifiers and places it names.
_LAST = {EntityKind.URL: 1, EntityKind.PATH: 2, EntityKind.CODE: 2}


class EntityWriter:
    """One `apply` in the making, inside the state's transaction and the index' lock."""

    def __init__(self, state: EntityState, content_root: str) -> None:
        self._state = state
        self._content_root = content_root
        self.stamp = state.stamp()
        self._fresh = self.stamp.commit is None
        self._next_entity, self._next_surface = state.next_numbers()
        self._entities: dict[str, int] = {}
        self._surfaces: dict[tuple[int, str], int] = {}
        self._new_entities: list[tuple[int, str, str]] = []
        self._new_surfaces: list[tuple[int, int, str]] = []
        self._mentions: list[tuple[int, int, int]] = []
        self._chunks: Counter[int] = Counter()
        self._files: Counter[int] = Counter()
        self._written: Counter[int] = Counter()

    def write(self, change: Change, source: Source) -> None:
        """Take over one file's change."""
        if not self._fresh:
            for path in {change.path, change.old_path} - {None}:
                self._drop(str(path))
        if change.after is None or not change.after.is_file or is_binary(change.path):
            return
        data = source.blob(change.after.id)
        if is_text(change.path, data):
            self._add(change.path, data)

    def finish(self, stamp: Stamp) -> None:
        """Bring the counts in line and record the stamp; the caller commits."""
        self._flush()
        self._state.add_entities(self._new_entities, self._new_surfaces)
        self._state.count(self._chunks, self._files, self._written)
        self._state.set(stamp)

    def _drop(self, path: str) -> None:
        self._flush()
        gone = self._state.drop(path)
        for number, surface in gone.spoken:
            self._chunks[number] -= 1
            self._written[surface] -= 1
        for number in gone.declared:
            self._files[number] -= 1

    def _add(self, path: RepoPath, data: bytes) -> None:
        kind, source = kind_of(path, self._content_root), source_of(path, self._content_root)
        pieces = chunk(path, data)
        counted = is_counted(path, kind, source)
        spoken = [ranked(piece) if counted else [] for piece in pieces]
        self._know({one.id: one for named in spoken for one, _ in named})
        rows = [self._row(piece, named) for piece, named in zip(pieces, spoken, strict=True)]
        file = self._state.add(path, kind.value, source, rows)
        for row in rows:
            at = UNDATED if row.time is None else row.time
            self._mentions += [(number, at, file + row.ordinal) for number, _ in row.spoken]
        if len(self._mentions) >= _BATCH:
            self._flush()
        if kind is Kind.ENTITY:
            self._declare(file, path, data)

    def _row(self, piece: Chunk, named: list[tuple[Entity, str]]) -> ChunkRow:
        spoken = []
        for one, text in named:
            number = self._entities[one.id]
            surface = self._surface(number, text)
            self._chunks[number] += 1
            self._written[surface] += 1
            spoken.append((number, surface))
        return ChunkRow(piece.ordinal, piece.start_line, piece.end_line, _bounded(piece.time), spoken, min(TELLING, len(spoken)))

    def _declare(self, file: int, path: RepoPath, data: bytes) -> None:
        found = read_entity_file(path, data)
        if found is None:
            return
        named = {}
        for id in map(_plain, found.ids):  # noqa: A001 - an entity's id
            kind, _, value = id.partition(":")
            named[id] = Entity(EntityKind(kind), value)
        self._know(named)
        rows = []
        for id in named:  # noqa: A001
            number = self._entities[id]
            self._files[number] += 1
            own = id == _plain(found.id)
            rows.append((number, own, found.kind.value if own else "", _plain(found.display_name) if own else ""))
        self._state.declare(file, rows)

    def _know(self, named: dict[str, Entity]) -> None:
        """Have numbers for entities, new ones for those that were never met."""
        unknown = [one for one in named.values() if one.id not in self._entities]
        if unknown and not self._fresh:
            self._entities |= self._state.numbers_of(one.id for one in unknown)
        for one in unknown:
            if one.id not in self._entities:
                self._entities[one.id] = self._next_entity
                self._new_entities.append((self._next_entity, one.id, one.kind.value))
                self._next_entity += 1

    def _surface(self, number: int, text: str) -> int:
        key = number, text
        found = self._surfaces.get(key)
        if found is None and not self._fresh:
            found = self._state.surface_number(number, text)
        if found is None:
            found = self._next_surface
            self._new_surfaces.append((found, number, text))
            self._next_surface += 1
        self._surfaces[key] = found
        return found

    def _flush(self) -> None:
        if self._mentions:
            self._state.mention(sorted(self._mentions))
            self._mentions = []


def is_counted(path: RepoPath, kind: Kind, source: str) -> bool:
    """Whether what a file speaks of is counted: see above."""
    if path in _UNCOUNTED_NAMES or (kind is Kind.CHAT and source == CONVERSATIONS):
        return False
    return kind in _COUNTED


def ranked(piece: Chunk) -> list[tuple[Entity, str]]:
    """The entities of a chunk with the way each is written most often there; the most telling first: by kind, number, place."""
    written: dict[Entity, Counter[str]] = {}
    for one, surface in _spoken(piece):
        written.setdefault(one._replace(value=_plain(one.value)), Counter())[_plain(surface)] += 1
    order = sorted(written, key=lambda one: (_LAST.get(one.kind, 0), -written[one].total()))
    return [(one, min(written[one].items(), key=lambda item: (-item[1], item[0]))[0]) for one in order[:_MOST]]


def _spoken(piece: Chunk) -> Iterator[tuple[Entity, str]]:
    for found in mentions_of(piece.text):
        yield found.entity, found.surface
    if piece.turn is not None:
        speaker = entity(EntityKind.NAME, piece.turn.speaker)
        if speaker is not None:
            yield speaker, piece.turn.speaker
    if not piece.ordinal:
        # Tags in the header of a file speak for its first chunk.
        for tag in piece.tags:
            hashtag = entity(EntityKind.HASHTAG, tag)
            if hashtag is not None:
                yield hashtag, f"#{tag}"


def _plain(text: str) -> str:
    """A text that SQLite keeps whole: without NUL and halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _bounded(time: int | None) -> int | None:
    return None if time is None else max(UNDATED + 1, min(2**62, time))
