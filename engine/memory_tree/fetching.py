"""fetch_leaves: passages by the ids that other modes told, whole, in the order that was asked for."""

from __future__ import annotations

from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.finding import admitted_leaf
from memtree.engine.memory_tree.hits import MOST_LEAVES, Envelope, TreeHit
from memtree.engine.memory_tree.leaves import WHOLE, Place, leaf, place_of, records_of
from memtree.engine.memory_tree.present import Present
from memtree.indexers.records import Record
from memtree.tree.paths import RepoPath


def fetch_leaves(present: Present, asked: Asked) -> Envelope:
    """The leaves as the present commit has them. What is missing, left out, over or refused by the limits is named in the notes."""
    found: list[TreeHit] = []
    read: dict[RepoPath, list[Record]] = {}
    for text in asked.chunk_ids:
        place = _standing(present, place_of(text, "chunk_ids"))
        if place.path not in read:
            read[place.path] = records_of(present, place.path)
        there = _at(read[place.path], place)
        if there and present.facts.leaves_out(place.path, there[0].kind):
            present.note(f"{text.strip()[:200]} is a fact that does not hold: {_mark(present, place.path)}")
            continue
        admitted = [record for record in there if admitted_leaf(present, record, asked.narrowed)]
        if not admitted:
            present.note(f"{text.strip()[:200]} {_why(present, place, read[place.path], there)}")
        found += [leaf(present, record, shown=WHOLE) for record in admitted]
    distinct = list({hit.node_id: hit for hit in found}.values())
    kept = distinct[:MOST_LEAVES]
    if len(distinct) > len(kept):
        present.note(f"{len(distinct) - len(kept)} more leaves were left out: ask for them by their ids")
    return Envelope(tuple(kept), len(distinct), present.tip, "tree" if kept else "nothing", notes=tuple(present.notes))


def _mark(present: Present, path: RepoPath) -> str:
    told = present.facts.told(path)
    return told.standing.mark if told is not None else ""


def _standing(present: Present, place: Place) -> Place:
    """The place, in `PATH.md` where there is no file PATH: links mostly leave the ending out."""
    full = RepoPath(f"{place.path}.md")
    if present.repo.entry(present.tip, place.path) is None and present.repo.entry(present.tip, full) is not None:
        return place._replace(path=full)
    return place


def _at(records: list[Record], place: Place) -> list[Record]:
    if place.number is not None:
        return [record for record in records if record.ordinal + 1 == place.number]
    first, last = place.first_line, place.last_line
    if first is None or last is None:
        return records
    return [record for record in records if record.start_line <= last and first <= record.end_line]


def _why(present: Present, place: Place, records: list[Record], there: list[Record]) -> str:
    if there:
        return "lies outside the limits"
    if records:
        return f"is not there: {place.path} has {len(records)} leaves and {records[-1].end_line} lines"
    if present.repo.entry(present.tip, place.path) is None:
        return "is not there: no file of that name is committed"
    return "is no leaf of memory"
