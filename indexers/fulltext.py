"""FullTextIndex: words to chunks, with tantivy.

The position is a document of its own, committed with the content it speaks of, so neither can be newer than the other. A writer
is open during one `apply` only. User text never reaches tantivy's query parsers: both fail, or find nothing, on ordinary text.
The schema may change only together with VERSION: tantivy does not check an existing folder against it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import tantivy

from memtree.indexers.base import IndexBusy, IndexCorrupt, IndexUnwritable, Source
from memtree.indexers.evidence_first import evidence_first, is_summary
from memtree.indexers.home import Home, Mark
from memtree.indexers.integrity import damaged_files, holds_deleted, translated
from memtree.indexers.matching import Matching, OneOf, plan
from memtree.indexers.query import Hit, Query
from memtree.indexers.records import Record, Searchable, ancestors, file_number, path_key, place_key
from memtree.indexers.snippets import Match, literal_matches, snippet
from memtree.indexers.text_queries import Compiler, analyser, schema
from memtree.indexers.tokens import Terms, analyse
from memtree.tree.chunks import chunk
from memtree.tree.errors import Error
from memtree.tree.kinds import CONTENT_ROOT, is_binary, kind_of
from memtree.tree.objects import Change, CommitId
from memtree.tree.paths import RepoPath

VERSION = 2

# No path has an empty first part, so no file can take this key.
_POSITION = "/position"
_HITS_PER_FILE = 2
_LIMIT = 1_000
_CANDIDATES = 5_000
_MORE = 20  # hits that are looked at where summaries must make room
_KEPT = 4_096  # records in memory
_TRIES = 5  # for a folder that is replaced while it is opened

# Up to this many paths are a save or a pull: the smallest heap starts and stops quickest.
_SMALL_BATCH = 200
_SMALL_HEAP = 15_000_000
_LARGE_HEAP = 128_000_000


class _Stamp(NamedTuple):
    """What the index says of itself."""

    commit: CommitId
    fingerprint: str


class FullTextIndex:
    """An `Index` over the chunks of every file. Opening reads nothing; damage shows when the index is used."""

    def __init__(self, folder: str, fingerprint: str, content_root: str) -> None:
        self._home = Home(folder, VERSION, "meta.json")
        self._fingerprint = f"{fingerprint}|{content_root}"
        self._content_root = content_root
        self._schema = schema()
        self._analyser = analyser()
        self._index: tantivy.Index | None = None
        self._mark: Mark | None = None
        self._read: dict[tuple[int, int], Record] = {}
        self._damage: tuple[int, str] | None = None
        self._seen: tuple[_Stamp | None] | None = None

    @classmethod
    def open(cls, folder: Path, fingerprint: str, *, content_root: str = CONTENT_ROOT) -> FullTextIndex:
        """Return the index in `folder`; `fingerprint` names the settings that shape its content."""
        return cls(str(folder), fingerprint, content_root)

    def close(self) -> None:
        """Let go of files."""
        self._index = self._mark = None

    def position(self) -> CommitId | None:
        """Return the commit this index reflects, None when it must be built from nothing; raise IndexCorrupt if damaged."""
        stamp = self._stamp()
        self._seen = (stamp,)
        return stamp.commit if stamp and stamp.fingerprint == self._fingerprint else None

    def vacancy(self) -> str:
        """Say why `position` is None, '' when it is not."""
        stamp = self._stamp()
        if stamp is not None:
            return "" if stamp.fingerprint == self._fingerprint else "it was built under other settings"
        foreign = not self._home.exists() and self._home.versions()
        return "it was built by another version" if foreign else "it was never built"

    def apply(self, changes: Iterable[Change], source: Source, to: CommitId, progress: Callable[[int], None] | None = None) -> int:
        """Bring the index to `to` in one commit; return the number of paths. See `Index.apply` for what is raised."""
        with self._home.locked():
            if not self._home.exists():
                self._home.replace(self._create)
            before = self._stamp()
            if self._seen not in (None, (before,)):
                raise IndexBusy("another process has moved the index meanwhile")
            changes = iter(changes)
            first = list(itertools.islice(changes, _SMALL_BATCH + 1))
            small = len(first) <= _SMALL_BATCH
            count = 0
            with self._writer(_SMALL_HEAP if small else _LARGE_HEAP) as writer:
                for count, change in enumerate(itertools.chain(first, changes), 1):
                    self._write(writer, change, source, fresh=before is None)
                    if progress:
                        progress(count)
                self._commit(writer, _Stamp(to, self._fingerprint))
            self._seen = None
            return count

    def clear(self) -> None:
        """Empty the index, whatever state it is in."""
        with self._home.locked():
            self.close()
            self._home.replace(self._create)
            self._damage = None
            self._seen = (None,)

    def search(self, query: Query) -> list[Hit]:
        """Return the best hits, best first, at most two of one file; never raises for what the text holds."""
        terms = analyse(query.text)
        searcher = self._searcher()
        if searcher is None or not terms or query.limit < 1:
            return []
        stamp = self._stamp_of(searcher)
        sought = plan(terms, query, self._analyser.analyze)
        wanted = Compiler(self._schema).compile(sought.matching)
        with self._damage_noted():
            found = _best(searcher, wanted, min(query.limit, _LIMIT))
            if any(is_summary(record.path, record.kind) for _, record in found):
                found = _summaries_last(query, _best(searcher, wanted, min(2 * query.limit + _MORE, _LIMIT)))[: query.limit]
        commit = stamp.commit if stamp else CommitId("")
        return [self._hit(record, score, terms, sought.stems, commit) for score, record in found]

    def candidates(self, query: Query, limit: int) -> list[tuple[Record, float]]:
        """Return the best chunks with their scores, several of one file included; never raises for what the text holds."""
        terms = analyse(query.text)
        searcher = self._searcher()
        if searcher is None or not terms:
            return []
        sought = plan(terms, query, self._analyser.analyze)
        with self._damage_noted():
            found = searcher.search(Compiler(self._schema).compile(sought.matching), limit=limit, count=False).hits
            return [(self._record(searcher, address), score) for score, address in found]

    def records_at(self, places: Iterable[tuple[str, int]]) -> list[Record]:
        """Return the stored chunks at these paths and ordinals, sorted; those that are not there are left out."""
        return self._chosen(OneOf("place", tuple(place_key(path, ordinal) for path, ordinal in places)))

    def records_in(self, folders: Iterable[str], limit: int) -> list[Record]:
        """Return the stored chunks below folders, sorted by path and place; at most `limit`."""
        return self._chosen(OneOf("within", tuple(path_key(folder) for folder in folders)), limit)

    def _chosen(self, matching: Matching, limit: int = _CANDIDATES) -> list[Record]:
        searcher = self._searcher()
        if searcher is None:
            return []
        with self._damage_noted():
            hits = searcher.search(Compiler(self._schema).compile(matching), limit=limit, count=False).hits
            found = [self._record(searcher, address) for _, address in hits]
        return sorted(found, key=lambda record: (record.path, record.ordinal))

    def _record(self, searcher: tantivy.Searcher, address: tantivy.DocAddress) -> Record:
        """A stored chunk. Those read last are kept: one search after the other meets many of the same."""
        place = (address.segment_ord, address.doc)
        found = self._read.get(place)
        if found is None:
            found = Record.load(_stored(searcher, address))
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[place] = found
        return found

    def stem(self, text: str) -> list[str]:
        """Return a text's tokens as the index keeps them."""
        return list(self._analyser.analyze(text))

    def frequency(self, stem: str) -> int:
        """Return in how many chunks a token occurs."""
        searcher = self._searcher()
        if searcher is None:
            return 0
        with self._damage_noted():
            return int(searcher.doc_freq("body", stem))

    def size(self) -> int:
        """Return how many chunks there are."""
        searcher = self._searcher()
        return max(0, searcher.num_docs - 1) if searcher is not None else 0  # one is the position

    def shower(self, query: Query) -> Callable[[Record, float], Hit]:
        """Return what makes an answer of a chunk and its score, with a snippet of what the query's words hit in it."""
        terms = analyse(query.text)
        stems = plan(terms, query, self._analyser.analyze).stems if terms else frozenset[str]()
        stamp = self._stamp()
        commit = stamp.commit if stamp else CommitId("")
        return lambda record, score: self._hit(record, score, terms, stems, commit)

    def records(self) -> list[Record]:
        """Return everything that is stored, sorted: two indexes of one commit have equal records."""
        searcher = self._searcher()
        if searcher is None:
            return []
        with self._damage_noted():
            hits = searcher.search(tantivy.Query.all_query(), limit=max(1, searcher.num_docs), count=False).hits
            stored = [_stored(searcher, address) for _, address in hits]
        # The position is the one document that is no record: an object, not a list.
        found = [Record.load(text) for text in stored if text.startswith(b"[")]
        return sorted(found, key=lambda record: (record.path, record.ordinal))

    def has_remains(self) -> bool:
        """Whether the index' files may still hold chunks that were deleted: they stay until segments are merged."""
        return self._home.exists() and holds_deleted(self._home.path)

    def verify(self) -> list[str]:
        """Read the whole index and return the files that are damaged; if there are any, the next catch-up rebuilds it."""
        if not self._home.exists():
            return []
        found = damaged_files(self._home.path)
        if found:
            self._note(IndexCorrupt(f"the index is damaged: {', '.join(found)}"))
        return found

    def _write(self, writer: tantivy.IndexWriter, change: Change, source: Source, *, fresh: bool) -> None:
        if not fresh:
            for path in {change.path, change.old_path} - {None}:
                with translated():
                    writer.delete_documents_by_term("key", path_key(str(path)))
        if change.after is None or not change.after.is_file:
            return
        # What the name shows to be an image or an archive is not read: it may be large.
        data = b"" if is_binary(change.path) else source.blob(change.after.id)
        for document in self._documents(change.path, data):
            with translated():
                writer.add_document(document)

    def _documents(self, path: RepoPath, data: bytes) -> Iterator[tantivy.Document]:
        kind = kind_of(path, self._content_root)
        shared = (("key", path_key(path)), ("kind", kind.value), *(("within", folder) for folder in ancestors(path)))
        number = file_number(path)
        for piece in chunk(path, data):
            document = tantivy.Document()
            document.add_bytes("record", Record.of(piece, kind).dump().encode())
            for name, text in (*shared, *Searchable.of(piece).fields()):
                if text:
                    document.add_text(name, text)
            document.add_text("place", place_key(path, piece.ordinal))
            document.add_integer("file", number)
            document.add_integer("ordinal", piece.ordinal)
            if piece.time is None:
                document.add_text("undated", "yes")
            else:
                document.add_integer("time", piece.time)
            yield document

    def _commit(self, writer: tantivy.IndexWriter, stamp: _Stamp) -> None:
        document = tantivy.Document()
        document.add_text("key", _POSITION)
        document.add_bytes("record", json.dumps(stamp._asdict()).encode())
        with translated():
            writer.delete_documents_by_term("key", _POSITION)
            writer.add_document(document)
            writer.commit()
            # Without the wait the writer would go before its merges end, and segments would pile up save after save.
            writer.wait_merging_threads()

    @contextlib.contextmanager
    def _writer(self, heap: int) -> Iterator[tantivy.IndexWriter]:
        with self._damage_noted():
            writer = self._opened().writer(heap, num_threads=1)
        try:
            yield writer
        except BaseException as error:
            if isinstance(error, IndexCorrupt):
                self._note(error)
            # The error's traceback would keep the writer alive, and with it its lock; this ends it, uncommitted.
            with contextlib.suppress(Error), translated():
                writer.wait_merging_threads()
            raise

    def _hit(self, record: Record, score: float, terms: Terms, stems: frozenset[str], commit: CommitId) -> Hit:
        tokens = self._analyser.pre_tokenize(record.text).tokens if stems else ()
        words = [Match(t.char_offset_from, t.char_offset_to or 0, t.text) for t in tokens if t.text in stems]
        shown, highlights = snippet(record.text, (*words, *literal_matches(record.text, terms)))
        return record.hit(shown, highlights, score, commit)

    def _create(self, folder: str) -> None:
        with translated():
            tantivy.Index(self._schema, folder)

    def _stamp(self) -> _Stamp | None:
        searcher = self._searcher()
        return self._stamp_of(searcher) if searcher else None

    def _stamp_of(self, searcher: tantivy.Searcher) -> _Stamp | None:
        with self._damage_noted():
            key = tantivy.Query.term_query(self._schema, "key", _POSITION, "basic")
            hits = searcher.search(key, limit=1, count=False).hits
            return _Stamp(**json.loads(_stored(searcher, hits[0][1]))) if hits else None

    def _searcher(self) -> tantivy.Searcher | None:
        with self._damage_noted():
            for _ in range(_TRIES):
                folder = self._home.identity()
                if not folder:
                    self.close()
                    return None
                try:
                    with translated():
                        return self._opened().searcher()
                except (IndexCorrupt, IndexUnwritable):
                    if self._home.identity() == folder:
                        raise
            raise IndexCorrupt("the index is replaced again and again")

    def _opened(self) -> tantivy.Index:
        """The index as it is on disk now: opened, or reloaded when another process has committed."""
        mark = self._home.mark()
        if self._damage and self._damage[0] == mark.folder:
            raise IndexCorrupt(self._damage[1])
        index = self._index
        if index is None or self._mark is None or mark.folder != self._mark.folder:
            index = tantivy.Index.open(self._home.path)
            index.register_tokenizer("words", self._analyser)
            index.config_reader("manual")
            index.reload()
        elif mark != self._mark:
            index.reload()
        if mark != self._mark:
            self._read = {}  # the same address is another chunk now
        self._index, self._mark = index, mark
        return index

    @contextlib.contextmanager
    def _damage_noted(self) -> Iterator[None]:
        try:
            with translated():
                yield
        except IndexCorrupt as error:
            self._note(error)
            raise

    def _note(self, error: IndexCorrupt) -> None:
        # Damage may show only in a search, while the position stays readable: without a note no catch-up would rebuild.
        self._damage = (self._home.identity(), str(error))
        self.close()


def _best(searcher: tantivy.Searcher, query: tantivy.Query, limit: int) -> list[tuple[float, Record]]:
    """The best chunks, folded to two a file, in an order that does not depend on how the index was built."""
    wanted = limit * 4 + 20
    while True:
        hits = searcher.search(query, limit=wanted, count=False).hits
        kept = _folded(searcher, hits)
        if len(kept) >= limit or len(hits) < wanted or wanted >= _CANDIDATES:
            break
        # One long file filled the list.
        wanted = min(_CANDIDATES, wanted * 8)
    if len(kept) > limit:
        # Equal scores are decided by path, so all of them must be looked at before the cut.
        last = kept[limit - 1][0]
        kept = [*kept[:limit], *itertools.takewhile(lambda hit: hit[0] == last, kept[limit:])]
    found = [(score, Record.load(_stored(searcher, address))) for score, address in kept]
    return sorted(found, key=lambda hit: (-hit[0], hit[1].path, hit[1].ordinal))[:limit]


def _summaries_last(query: Query, found: list[tuple[float, Record]]) -> list[tuple[float, Record]]:
    records = {(record.path, record.ordinal): record for _, record in found}
    scores = {(record.path, record.ordinal): score for score, record in found}
    ordered = evidence_first(query, scores, lambda key: is_summary(key[0], records[key].kind))
    return [(score, records[key]) for key, score in ordered.items()]


def _folded(searcher: tantivy.Searcher, hits: list[tuple[float, tantivy.DocAddress]]) -> list[tuple[float, tantivy.DocAddress]]:
    addresses = [address for _, address in hits]
    files = searcher.fast_field_values("file", addresses)
    ordinals = searcher.fast_field_values("ordinal", addresses)
    rows = ((-round(hit[0], 4), file or 0, ordinal or 0, hit[1]) for hit, file, ordinal in zip(hits, files, ordinals, strict=True))
    seen: dict[float, int] = {}
    kept = []
    for score, file, _, address in sorted(rows, key=lambda row: row[:3]):
        seen[file] = seen.get(file, 0) + 1
        if seen[file] <= _HITS_PER_FILE:
            kept.append((-score, address))
    return kept


def _stored(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> bytes:
    return bytes(searcher.doc(address).get_first("record") or b"")
