"""The view of what the memory tree answers. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtree.engine.memory_tree.hits import Answer, Entities, Envelope, Ingested, NodeKind, SourceList, TreeHit
from memtree.indexers.query import Hit
from memtree.indexers.snippets import Match, literal_matches, snippet
from memtree.indexers.tokens import STOP_WORDS, analyse
from memtree.tools.hit_view import hit_lines
from memtree.tools.output import counted
from memtree.tools.render import Line, Look, Span, table
from memtree.tree.episode import iso_time

_LEAST = 3  # letters of a word that is marked
_ENDING = 2  # letters that a word may end in besides: renew, renewal


def answer_lines(answer: Answer, query: str = "", *, columns: int | None = None) -> Iterator[Line]:
    """An answer as a person reads it."""
    match answer:
        case Envelope():
            yield from _envelope(answer, query, columns)
        case Entities():
            rows = [(one.canonical_id, one.surface, f"{one.mention_count:,}", _day(one.last_seen)) for one in answer.entities]
            yield from table(("ENTITY", "WRITTEN", "CHUNKS", "LAST SEEN"), rows) if rows else _nothing("No entity is called that.")
        case SourceList():
            yield from (
                table(
                    ("SOURCE", "KIND", "FILES", "CHUNKS", "FIRST", "LAST", "SUMMARIES"),
                    [
                        (
                            one.name,
                            one.kind,
                            f"{one.files:,}",
                            f"{one.chunks:,}",
                            _day(one.first),
                            _day(one.last),
                            ", ".join(f"L{level}: {count:,}" for level, count in one.summaries) or "none",
                        )
                        for one in answer.sources
                    ],
                )
                if answer.sources
                else _nothing("There are no sources yet.")
            )
        case Ingested():
            said = {"new": "Kept as", "updated": "Brought up to date:", "unchanged": "Nothing new:"}[answer.change]
            yield (Span(f"{said} {answer.path}"),)


def _envelope(answer: Envelope, query: str, columns: int | None) -> Iterator[Line]:
    if not answer.hits:
        yield from _nothing("Nothing found.")
        return
    for hit in answer.hits:
        yield from hit_lines([_shown(hit, query)], columns=columns)
        if hit.node_kind is NodeKind.SUMMARY:
            told = (
                f"summary of {counted(len(hit.children), 'child').replace('childs', 'children')}, level {hit.level}: {hit.node_id}"
            )
            yield (Span(f"    {told}", Look.FAINT),)
    if answer.truncated:
        yield (Span(f"{len(answer.hits):,} of {answer.total:,}; --limit shows more", Look.FAINT),)


def _shown(hit: TreeHit, query: str) -> Hit:
    """A hit as a search shows one: a stretch of its text, with what was asked in bold."""
    text, marks = snippet(hit.text, _matches(hit.text, query))
    score = hit.score or 0.0
    return Hit(
        hit.path, hit.kind, hit.title, "", hit.start_line, hit.end_line, text, marks, score, hit.time_end, hit.commit, fact=hit.fact
    )


def _matches(text: str, query: str) -> list[Match]:
    terms = analyse(query)
    words = {word for _, word in terms.words if len(word) >= _LEAST and word not in STOP_WORDS}
    found = literal_matches(text, terms)
    if words:
        some = "|".join(re.escape(word[: max(_LEAST, len(word) - _ENDING)]) for word in sorted(words, key=len, reverse=True))
        found += [Match(one.start(), one.end(), one[1].lower()) for one in re.finditer(rf"\b({some})\w*", text, re.IGNORECASE)]
    return found


def _day(seconds: int | None) -> str:
    return "undated" if seconds is None else iso_time(1000 * seconds)[:10]


def _nothing(text: str) -> Iterator[Line]:
    yield (Span(text),)
