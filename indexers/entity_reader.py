"""Reading the entity graph: who is known, where it is spoken of, which chunks and sources there are.

Functions over one view of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from memtree.indexers.entity_answers import EntityFilter, GraphSize, Known, Occurrence, Order, SourceCount, condition_of
from memtree.indexers.entity_groups import Declared, Groups, grouped
from memtree.indexers.entity_state import UNDATED, EntityState, searched, unpacked
from memtree.tree.entity import LONGEST, BadEntity, EntityKind, parse_entity
from memtree.tree.kinds import Kind
from memtree.tree.paths import RepoPath
from memtree.tree.source_names import source_kind_of

MOST = 10_000  # answers of any kind
_ASKED = 1_000  # ids at once

# The entities that are mentioned most are looked at one by one: what many hold is found among them, and few by their triples.
_FIRST_LOOK = 500
_TRIPLES = 5  # of a text are looked up; the text itself is compared then
_BEGINNINGS = 400  # triples that one or two letters may begin with
_WORDS, _RUN = 64, 6

_KINDS = {kind.value: kind for kind in Kind}  # an enum's own call takes longer than all else of a row
_ENTITY_KINDS = {kind.value: kind for kind in EntityKind}
_ENTITY = "name, kind, surface, chunks, seen"
_Row = tuple[str, str, str, int, int]
_UNSPACED = re.compile("[^\x00-\u0dff]")


def groups_of(state: EntityState) -> Groups:
    """What the files under `entities/` declare."""
    rows = state.rows("SELECT file, name, entity, own FROM alias JOIN entity ON entity.id = entity ORDER BY file, name")
    return grouped(Declared(file, name, number, bool(own)) for file, name, number, own in rows)


def canonical(id: str) -> str:  # noqa: A002
    """An id in the form that the graph holds; what is no id stays as it is, and is known to nobody."""
    if len(id) > 4 * LONGEST:
        return ""
    plain = id.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    try:
        return parse_entity(plain).id
    except BadEntity:
        return plain


def numbers_of(state: EntityState, groups: Groups, ids: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """For each asked id the numbers of all names of its group that there are; at most 1,000 ids are looked at."""
    asked = {one: groups.members(canonical(one)) for one in [*dict.fromkeys(ids)][:_ASKED]}
    numbers = state.numbers_of({name for members in asked.values() for name in members})
    return {one: tuple(sorted(numbers[name] for name in members if name in numbers)) for one, members in asked.items()}


# -- who is known
def known(state: EntityState, groups: Groups, ids: Iterable[str]) -> dict[str, Known]:
    """Those of the ids that the graph knows, by the id that was asked."""
    asked = {one: canonical(one) for one in [*dict.fromkeys(ids)][:_ASKED]}
    sql = f"SELECT {_ENTITY} FROM entity WHERE name IN (SELECT value FROM json_each(?))"  # noqa: S608
    found = {row[0]: row for row in state.rows(sql, json.dumps([*asked.values()]))}
    return {one: _known(state, groups, found[name]) for one, name in asked.items() if name in found}


def _known(state: EntityState, groups: Groups, row: _Row) -> Known:
    name, kind, surface, chunks, seen = row
    if len(groups.members(name)) > 1:
        (numbers,) = numbers_of(state, groups, [name]).values()
        chunks, seen = _spoken_of(state, numbers)
    return _as_known(name, kind, surface, chunks, seen)


def _as_known(name: str, kind: str, surface: str, chunks: int, seen: int) -> Known:
    shown = surface or name.partition(":")[2]
    return Known(name, _ENTITY_KINDS.get(kind, EntityKind.MISC), shown, chunks, None if seen == UNDATED else seen)


def _spoken_of(state: EntityState, numbers: Sequence[int]) -> tuple[int, int]:
    sql = "SELECT COUNT(DISTINCT chunk), COALESCE(MAX(time), ?) FROM mention WHERE entity IN (SELECT value FROM json_each(?))"
    count, seen = state.rows(sql, UNDATED, json.dumps(numbers))[0]
    return int(count), int(seen)


class _Kinds(NamedTuple):
    """Which kinds are wanted, as a condition of SQL. What a person takes for a person is a name too."""

    sql: str
    values: tuple[object, ...]

    @classmethod
    def of(cls, kinds: Sequence[EntityKind]) -> _Kinds:
        if not kinds:
            return cls("1", ())
        names = json.dumps([kind.value for kind in kinds])
        wanted = "IN (SELECT value FROM json_each(?))"
        return cls(f"(kind {wanted} OR (files > 0 AND substr(name, 1, instr(name, ':') - 1) {wanted}))", (names, names))


def search(
    state: EntityState, groups: Groups, text: str, kinds: Sequence[EntityKind], limit: int, narrowed: EntityFilter
) -> list[Known]:
    """Entities whose value or surface holds a text; those mentioned most first, then those seen last, then by id.

    Of a group there is one, the one that stands for it if it is of a wanted kind.
    """
    if len(text) > 4 * LONGEST or limit < 1:
        return []
    wanted = searched(text)
    if not wanted:
        return []
    limit, of_kind = min(limit, MOST), _Kinds.of(kinds)
    matches = f"instr(folded, ?) > 0 AND {of_kind.sql}"
    values = (wanted, *of_kind.values)
    declared = state.rows(f"SELECT {_ENTITY} FROM entity WHERE files > 0 AND {matches} LIMIT {MOST}", *values)  # noqa: S608
    gathered = _gathered(state, groups, declared, of_kind)
    if narrowed.admits_all:
        single = _best(state, wanted, f"files = 0 AND {matches}", values, limit)
        return sorted((_known(state, groups, row) for row in (*gathered, *single)), key=_rank)[:limit]
    found = _narrowed(state, groups, gathered, narrowed)
    looked, most = 0, 8 * limit
    while True:
        single = _best(state, wanted, f"files = 0 AND {matches}", values, most)
        found = sorted(found + _narrowed(state, groups, single[looked:], narrowed), key=_rank)[:limit]
        # No entity has more admitted chunks than chunks.
        if len(single) < most or (len(found) == limit and found[-1].mentions > single[-1][3]):
            return found
        looked, most = most, most * 8


def _gathered(state: EntityState, groups: Groups, rows: Sequence[_Row], of_kind: _Kinds) -> list[_Row]:
    """The rows, but of each group one."""
    kept: dict[str, _Row] = {}
    for row in sorted(rows):
        kept.setdefault(groups.head(row[0]), row)
    others = json.dumps([head for head, row in kept.items() if row[0] != head])
    sql = f"SELECT {_ENTITY} FROM entity WHERE name IN (SELECT value FROM json_each(?)) AND {of_kind.sql}"  # noqa: S608
    return [*(kept | {row[0]: row for row in state.rows(sql, others, *of_kind.values)}).values()]


def _rank(one: Known) -> tuple[int, int, str]:
    return -one.mentions, -(UNDATED if one.last_seen is None else one.last_seen), one.id


def _best(state: EntityState, wanted: str, condition: str, values: tuple[object, ...], limit: int) -> list[Any]:
    """The first rows by rank. What many hold is found among those mentioned most, what few hold by its triples."""
    order = "ORDER BY chunks DESC, seen DESC, name LIMIT ?"
    look = _FIRST_LOOK * max(1, min(10, limit // 10))
    first = f"SELECT {_ENTITY} FROM (SELECT {_ENTITY}, folded, files FROM entity {order}) WHERE {condition} {order}"  # noqa: S608
    found = state.rows(first, look, *values, limit)
    if len(found) >= limit:
        return found
    numbers = _candidates(state, wanted)
    if numbers is None:
        return state.rows(f"SELECT {_ENTITY} FROM entity WHERE {condition} {order}", *values, limit)  # noqa: S608
    of_triples = f"SELECT {_ENTITY} FROM entity WHERE id IN ({numbers[0]}) AND {condition} {order}"  # noqa: S608
    return state.rows(of_triples, numbers[1], *values, limit)


def _candidates(state: EntityState, wanted: str) -> tuple[str, str] | None:
    """A query for the numbers of entities that may hold a text, with its value; None when every entity must be looked at."""
    if not state.has_text:
        return None
    if len(wanted) < 3:
        rows = state.rows(
            "SELECT term FROM entity_triple WHERE term >= ? AND term < ? LIMIT ?", wanted, _after(wanted), _BEGINNINGS + 1
        )
        if len(rows) > _BEGINNINGS:
            return None
        if not rows:
            return "SELECT value FROM json_each(?)", "[]"
        asked = " OR ".join(_quoted(term) for (term,) in rows)
    else:
        triples = [*dict.fromkeys(wanted[at : at + 3] for at in range(len(wanted) - 2))]
        step = -(-len(triples) // _TRIPLES)
        asked = " AND ".join(_quoted(one) for one in triples[::step])
    return "SELECT rowid FROM entity_text WHERE entity_text MATCH ?", asked


def _after(text: str) -> str:
    """The least text above all that begin with `text`."""
    code = ord(text[-1]) + 1
    return text[:-1] + chr(0xE000 if 0xD800 <= code < 0xE000 else min(code, 0x10FFFF))


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _narrowed(state: EntityState, groups: Groups, rows: Sequence[_Row], narrowed: EntityFilter) -> list[Known]:
    """The entities as if only the admitted chunks were there; those without one are none."""
    condition = condition_of(narrowed)
    names = [row[0] for row in rows]
    members = {at: groups.members(name) for at, name in enumerate(names)}
    numbers = state.numbers_of({name for group in members.values() for name in group})
    pairs = {(numbers[name], at) for at, group in members.items() for name in group if name in numbers}
    if not pairs:
        return []
    sql = (
        f"WITH asked (number, at) AS (VALUES {_pairs(pairs)}) SELECT at, COUNT(DISTINCT chunk.id), MAX(chunk.time)"  # noqa: S608
        " FROM asked CROSS JOIN mention ON mention.entity = asked.number JOIN chunk ON chunk.id = mention.chunk"
        f" JOIN file ON file.id = chunk.file WHERE {condition.sql} GROUP BY at"
    )
    return [
        _as_known(rows[at][0], rows[at][1], rows[at][2], count, UNDATED if seen is None else seen)
        for at, count, seen in state.rows(sql, *condition.values)
    ]


def named(state: EntityState, words: Sequence[str]) -> list[str]:
    """Ids whose value runs of neighbouring words spell, the longest runs first; no word counts in two runs."""
    plain = [searched(word[: 2 * LONGEST]) for word in words[:_WORDS]]
    free = [bool(word) for word in plain]
    found: list[str] = []
    for size in range(min(_RUN, len(plain)), 0, -1):
        runs = [(at, _spelled(plain[at : at + size])) for at in range(len(plain) - size + 1)]
        ids = _ids_of(state, {text for _, text in runs})
        for at, text in runs:
            if text in ids and all(free[at : at + size]):
                free[at : at + size] = [False] * size
                found += ids[text]
    return [*dict.fromkeys(found)]


def _spelled(words: Sequence[str]) -> str:
    """Words as a name is written: scripts without blanks take none."""
    return ("" if all(_UNSPACED.match(word) for word in words) else " ").join(words)


def _ids_of(state: EntityState, texts: set[str]) -> dict[str, list[str]]:
    """The ids that have such a value: it stands before the line end in `folded`."""
    sql = (
        "SELECT asked.value, name FROM json_each(?) AS asked CROSS JOIN entity"
        " ON entity.folded = asked.value OR (entity.folded > asked.value || char(10) AND entity.folded < asked.value || char(11))"
        " ORDER BY chunks DESC, name"
    )
    found: dict[str, list[str]] = {}
    for text, name in state.rows(sql, json.dumps(sorted(texts))):
        found.setdefault(text, []).append(name)
    return found


# -- chunks
_FEW = 5_000
_BY_TIME = "FROM chunk CROSS JOIN file ON file.id = chunk.file"
_BY_FILE = "FROM file CROSS JOIN chunk ON chunk.id >= file.id AND chunk.id < file.id + file.chunks"
_CHUNK = "file.path, chunk.ordinal, chunk.first, chunk.last, file.kind, file.source, chunk.time"


def occurrences(
    state: EntityState, asked: Mapping[str, Sequence[int]], groups: Groups, limit: int, narrowed: EntityFilter
) -> list[Occurrence]:
    """The admitted chunks that speak of ids; those with most groups first, then the newest, then by path and place."""
    heads = {one: groups.head(canonical(one)) for one in asked}
    rank = {head: at for at, head in enumerate(dict.fromkeys(heads.values()))}
    numbers = {(number, rank[heads[one]]) for one, found in asked.items() for number in found}
    if limit < 1 or not numbers:
        return []
    condition = condition_of(narrowed)
    # Which chunks are the best is told by `mention` alone; only those and their equals are read, for the order of paths among them.
    joined = "" if narrowed.admits_all else " JOIN chunk ON chunk.id = mention.chunk JOIN file ON file.id = chunk.file"
    several = "DISTINCT " if len(numbers) > len(rank) else ""
    sql = (
        f"WITH asked (number, at) AS (VALUES {_pairs(numbers)}), spoken AS MATERIALIZED (SELECT mention.chunk AS id,"  # noqa: S608
        f" mention.time AS time, COUNT({several}asked.at) AS many, GROUP_CONCAT(asked.at) AS which"
        f" FROM asked CROSS JOIN mention ON mention.entity = asked.number{joined} WHERE {condition.sql} GROUP BY mention.chunk),"
        " last AS MATERIALIZED (SELECT many, time FROM (SELECT many, time FROM spoken ORDER BY many DESC, time DESC LIMIT ?)"
        " ORDER BY many, time LIMIT 1)"
        f" SELECT {_CHUNK}, spoken.which FROM last CROSS JOIN spoken ON (spoken.many, spoken.time) >= (last.many, last.time)"
        " CROSS JOIN chunk ON chunk.id = spoken.id CROSS JOIN file ON file.id = chunk.file"
        " ORDER BY spoken.many DESC, spoken.time DESC, file.path, chunk.ordinal LIMIT ?"
    )
    limit = min(limit, MOST)
    ids = {at: frozenset(one for one, head in heads.items() if rank[head] == at) for at in rank.values()}
    rows = state.rows(sql, *condition.values, limit, limit)
    return [_occurrence(row[:7], frozenset().union(*(ids[int(at)] for at in row[7].split(",")))) for row in rows]


def chunks(state: EntityState, narrowed: EntityFilter, limit: int, order: Order) -> list[Occurrence]:
    """The admitted chunks in some order."""
    if limit < 1:
        return []
    condition, limit = condition_of(narrowed), min(limit, MOST)
    joined = _BY_FILE if order is Order.PATH or _in_few_files(state, narrowed) else _BY_TIME
    select = f"SELECT {_CHUNK} {joined} WHERE {condition.sql}"
    if order is not Order.OLDEST:
        by = "chunk.time DESC, chunk.id" if order is Order.NEWEST else "file.path, chunk.id"
        return [_occurrence(row) for row in state.rows(f"{select} ORDER BY {by} LIMIT ?", *condition.values, limit)]
    # Two queries: an order by time with the undated last would read every chunk.
    dated = f"{select} AND chunk.time IS NOT NULL ORDER BY chunk.time, chunk.id LIMIT ?"
    rows = state.rows(dated, *condition.values, limit)
    if len(rows) < limit:
        undated = f"{select} AND chunk.time IS NULL ORDER BY chunk.id LIMIT ?"
        rows += state.rows(undated, *condition.values, limit - len(rows))
    return [_occurrence(row) for row in rows]


def _in_few_files(state: EntityState, narrowed: EntityFilter) -> bool:
    """Whether what is admitted lies in files that hold few chunks, which is then quicker than looking at all by their time."""
    if not narrowed.sources and not narrowed.kinds:
        return False
    condition = condition_of(narrowed._replace(since=None, until=None))
    found = state.rows(f"SELECT COALESCE(SUM(chunks), 0) FROM file WHERE {condition.sql}", *condition.values)  # noqa: S608
    return int(found[0][0]) <= _FEW


def count(state: EntityState, narrowed: EntityFilter) -> int:
    """How many chunks are admitted."""
    condition = condition_of(narrowed)
    sql = f"SELECT COUNT(*) FROM chunk CROSS JOIN file ON file.id = chunk.file WHERE {condition.sql}"  # noqa: S608
    return int(state.rows(sql, *condition.values)[0][0])


def chunks_of(state: EntityState, paths: Iterable[str]) -> list[Occurrence]:
    """All chunks of at most 1,000 files, by path and place, with every id that each speaks of."""
    asked = json.dumps([path.encode("utf-8", "replace").decode() for path in [*dict.fromkeys(paths)][:_ASKED]])
    sql = (
        f"SELECT {_CHUNK}, chunk.spoken FROM json_each(?) AS asked CROSS JOIN file ON file.path = asked.value"  # noqa: S608
        " CROSS JOIN chunk ON chunk.id >= file.id AND chunk.id < file.id + file.chunks ORDER BY file.path, chunk.id LIMIT ?"
    )
    rows = [(row[:7], {number for number, _ in unpacked(row[7])}) for row in state.rows(sql, asked, MOST)]
    names = state.names_of({number for _, numbers in rows for number in numbers})
    return [_occurrence(row, frozenset(names[number] for number in numbers)) for row, numbers in rows]


def _pairs(numbers: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"({number:d}, {at:d})" for number, at in sorted(numbers))


def _occurrence(row: Any, ids: frozenset[str] = frozenset()) -> Occurrence:
    path, ordinal, first, last, kind, source, time = row
    return Occurrence(RepoPath(path), ordinal, first, last, _KINDS[kind], source, time, ids)


def sources(state: EntityState) -> list[SourceCount]:
    """What is indexed of each source, by name."""
    sql = "SELECT source, kind, COUNT(*), SUM(chunks), MIN(first), MAX(last) FROM file GROUP BY source, kind ORDER BY source, kind"
    found: dict[str, list[Any]] = {}
    for source, kind, files, many, first, last in state.rows(sql):
        one = found.setdefault(source, [source_kind_of(_KINDS[kind]), 0, 0, [], []])
        one[1] += files
        one[2] += many
        one[3] += [] if first is None else [first]
        one[4] += [] if last is None else [last]
    return [
        SourceCount(source, kind, files, many, min(firsts, default=None), max(lasts, default=None))
        for source, (kind, files, many, firsts, lasts) in found.items()
    ]


def size(state: EntityState) -> GraphSize:
    """How much the graph holds."""
    sql = "SELECT (SELECT COUNT(*) FROM file), (SELECT COALESCE(SUM(chunks), 0) FROM file), (SELECT COUNT(*) FROM entity)"
    return GraphSize(*state.rows(sql)[0])
