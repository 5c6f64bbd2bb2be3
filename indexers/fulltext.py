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
from memtree.indexers.home import Home, Mark
from memtree.indexers.query import Hit, Query
from memtree.indexers.records import Record, Searchable, ancestors, file_number, glob_pattern, path_key
from memtree.indexers.snippets import Match, literal_matches, snippet
from memtree.indexers.tokens import Terms, analyse
from memtree.tree.chunks import chunk
from memtree.tree.errors import UserError
from memtree.tree.kinds import CONTENT_ROOT, is_binary, kind_of
from memtree.tree.objects import Change, CommitId
from memtree.tree.paths import RepoPath

VERSION = 1

# No path has an empty first part, so no file can take this key.
_POSITION = "/position"
_HITS_PER_FILE = 2
_LIMIT = 1_000
_CANDIDATES = 5_000

# Up to this many paths are a save or a pull: the smallest heap starts and stops quickest.
_SMALL_BATCH = 200
_SMALL_HEAP = 15_000_000
_LARGE_HEAP = 128_000_000

_WORD_BOOSTS = {"title": 3.0, "headings": 2.0, "labels": 1.5, "body": 1.0}
_PAIR_BOOSTS = {"name_pairs": 2.0, "body_pairs": 1.0}
_EXACT_BOOST = 2.0
_PHRASE_BOOST = 0.5
_ALL_TERMS_BONUS = 1.0
_BONUS_TERMS = 8
_PHRASE_SLOP = 2


class InvalidPattern(UserError):
    """A path pattern that is too complex to be matched."""

    hint = "use fewer wildcards, or a folder"


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
        self._schema = _schema()
        self._analyser = _analyser()
        self._index: tantivy.Index | None = None
        self._mark: Mark | None = None
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
        stamp = self._stamp()
        compiled = _Compiler(self._schema, self._analyser, terms)
        wanted = compiled.query(query)
        with self._damage_noted():
            found = _best(searcher, wanted, min(query.limit, _LIMIT))
        commit = stamp.commit if stamp else CommitId("")
        return [self._hit(record, score, terms, compiled.stems, commit) for score, record in found]

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

    def _write(self, writer: tantivy.IndexWriter, change: Change, source: Source, *, fresh: bool) -> None:
        if not fresh:
            for path in {change.path, change.old_path} - {None}:
                with _translated():
                    writer.delete_documents_by_term("key", path_key(str(path)))
        if change.after is None or not change.after.is_file:
            return
        # What the name shows to be an image or an archive is not read: it may be large.
        data = b"" if is_binary(change.path) else source.blob(change.after.id)
        for document in self._documents(change.path, data):
            with _translated():
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
        with _translated():
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
        except IndexCorrupt as error:
            self._note(error)
            raise
        finally:
            # What was not committed is dropped together with the writer, and its lock is released.
            del writer

    def _hit(self, record: Record, score: float, terms: Terms, stems: frozenset[str], commit: CommitId) -> Hit:
        tokens = self._analyser.pre_tokenize(record.text).tokens if stems else ()
        words = [Match(t.char_offset_from, t.char_offset_to or 0, t.text) for t in tokens if t.text in stems]
        shown, highlights = snippet(record.text, (*words, *literal_matches(record.text, terms)))
        return Hit(
            record.path,
            record.kind,
            record.title,
            record.heading,
            record.start_line,
            record.end_line,
            shown,
            highlights,
            score,
            record.time,
            commit,
        )

    def _create(self, folder: str) -> None:
        with _translated():
            tantivy.Index(self._schema, folder)

    def _stamp(self) -> _Stamp | None:
        searcher = self._searcher()
        if searcher is None:
            return None
        with self._damage_noted():
            key = tantivy.Query.term_query(self._schema, "key", _POSITION, "basic")
            hits = searcher.search(key, limit=1, count=False).hits
            return _Stamp(**json.loads(_stored(searcher, hits[0][1]))) if hits else None

    def _searcher(self) -> tantivy.Searcher | None:
        if not self._home.exists():
            self.close()
            return None
        with self._damage_noted():
            return self._opened().searcher()

    def _opened(self) -> tantivy.Index:
        """The index as it is on disk now: opened, or reloaded when another process has committed."""
        mark = self._home.mark()
        if self._damage and self._damage[0] == mark.folder:
            raise IndexCorrupt(self._damage[1])
        if self._index is None or self._mark is None or mark.folder != self._mark.folder:
            self._index = tantivy.Index.open(self._home.path)
            self._index.register_tokenizer("words", self._analyser)
            self._index.config_reader("manual")
            self._index.reload()
        elif mark != self._mark:
            self._index.reload()
        self._mark = mark
        return self._index

    @contextlib.contextmanager
    def _damage_noted(self) -> Iterator[None]:
        try:
            with _translated():
                yield
        except IndexCorrupt as error:
            self._note(error)
            raise

    def _note(self, error: IndexCorrupt) -> None:
        # Damage may show only in a search, while the position stays readable: without a note no catch-up would rebuild.
        self._damage = (self._home.identity(), str(error))
        self.close()


class _Compiler:
    """A query's terms as a tantivy query. Scores come from the terms; filters add nothing to them."""

    def __init__(self, schema: tantivy.Schema, analyser: tantivy.TextAnalyzer, terms: Terms) -> None:
        self._schema = schema
        self._terms = terms
        self._places = [(place, stem) for place, word in terms.words for stem in analyser.analyze(word)[:1]]
        self.stems = frozenset(stem for _, stem in self._places)

    def query(self, query: Query) -> tantivy.Query:
        """Any term, with a bonus where all of them or their phrase occur, inside the filters."""
        scored = [(tantivy.Occur.Should, part) for part in (*self._any(), *self._bonuses())]
        if not scored:
            return tantivy.Query.empty_query()
        filters = [(tantivy.Occur.Must, tantivy.Query.const_score_query(part, 0.0)) for part in self._filters(query)]
        wanted = tantivy.Query.boolean_query(scored)
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), *filters]) if filters else wanted

    def _any(self) -> Iterator[tantivy.Query]:
        for stem in dict.fromkeys(stem for _, stem in self._places):
            for field, boost in _WORD_BOOSTS.items():
                yield self._term(field, stem, boost)
        for field, boost in _PAIR_BOOSTS.items():
            for pair in self._terms.pairs:
                yield self._term(field, pair, boost)
            for single in self._terms.singles:
                # Every character of a run starts some token of it.
                yield tantivy.Query.boost_query(tantivy.Query.regex_query(self._schema, field, f"{single}.?"), boost)
        for token in self._terms.exact:
            yield self._term("exact", token, _EXACT_BOOST)

    def _bonuses(self) -> Iterator[tantivy.Query]:
        if not 2 <= len(self._places) <= _BONUS_TERMS or len(self.stems) < 2:
            return
        first = self._places[0][0]
        words: list[str | tuple[int, str]] = [(place - first, stem) for place, stem in self._places]
        phrase = tantivy.Query.phrase_query(self._schema, "body", words, slop=_PHRASE_SLOP)
        yield tantivy.Query.boost_query(phrase, _PHRASE_BOOST)
        every = [(tantivy.Occur.Must, self._term("body", stem, 1.0)) for stem in sorted(self.stems)]
        yield tantivy.Query.const_score_query(tantivy.Query.boolean_query(every), _ALL_TERMS_BONUS)

    def _filters(self, query: Query) -> Iterator[tantivy.Query]:
        if query.kinds:
            yield self._one_of("kind", [kind.value for kind in query.kinds])
        if query.path.strip("/"):
            yield self._inside(query.path.strip("/"))
        if query.since is not None or query.until is not None:
            yield self._during(query.since, query.until, query.changed or frozenset())

    def _inside(self, path: str) -> tantivy.Query:
        folder = self._one_of("within", [path_key(path)])
        if not any(mark in path for mark in "*?"):
            return folder
        try:
            matching = tantivy.Query.regex_query(self._schema, "key", glob_pattern(path))
        except ValueError as error:
            raise InvalidPattern(f"path pattern {path!r} is too complex") from error
        # A file may really be called `What?.md`.
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, folder), (tantivy.Occur.Should, matching)])

    def _during(self, since: int | None, until: int | None, changed: frozenset[str]) -> tantivy.Query:
        dated = tantivy.Query.range_query(
            self._schema, "time", tantivy.FieldType.Integer, _within_64_bits(since), _within_64_bits(until)
        )
        if not changed:
            return dated
        undated = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Must, self._one_of("undated", ["yes"])),
                (tantivy.Occur.Must, self._one_of("key", [path_key(path) for path in sorted(changed)])),
            ]
        )
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, dated), (tantivy.Occur.Should, undated)])

    def _term(self, field: str, text: str, boost: float) -> tantivy.Query:
        return tantivy.Query.boost_query(tantivy.Query.term_query(self._schema, field, text, "freq"), boost)

    def _one_of(self, field: str, values: list[str]) -> tantivy.Query:
        clean = [value.encode("utf-8", "replace").decode("utf-8") for value in values]
        return tantivy.Query.term_set_query(self._schema, field, clean)


def _within_64_bits(number: int | None) -> int | None:
    return None if number is None else max(-(2**62), min(2**62, number))


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


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Turn what tantivy raises (and what reading its folder raises) into our errors."""
    try:
        yield
    except (ValueError, OSError, RuntimeError, KeyError, TypeError) as error:
        raise _as_ours(error) from error
    except BaseException as error:
        # Damaged segments make the Rust side panic, which arrives as an exception outside the Exception family.
        if type(error).__name__ != "PanicException":
            raise
        raise _as_ours(error) from error


def _as_ours(error: BaseException) -> Exception:
    text = " ".join(str(error).split())[:300]
    if "LockBusy" in text:
        return IndexBusy("the index is being written by another process")
    if any(sign in text for sign in ("No space left", "Permission denied", "Read-only file system", "quota exceeded")):
        return IndexUnwritable(f"the index cannot be written: {text}")
    return IndexCorrupt(f"the index is damaged: {text}")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("record", stored=True)
    for name in ("key", "within", "kind", "undated"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("title", "headings", "labels"):
        builder.add_text_field(name, tokenizer_name="words", index_option="freq")
    builder.add_text_field("body", tokenizer_name="words", index_option="position")
    for name in ("name_pairs", "body_pairs", "exact"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_integer_field("file", fast=True)
    builder.add_integer_field("ordinal", fast=True)
    return builder.build()


def _analyser() -> tantivy.TextAnalyzer:
    # Stop words stay in: a query of nothing else must find them, and phrases keep their distances. Queries drop them.
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(256),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()
