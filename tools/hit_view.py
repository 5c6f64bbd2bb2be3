"""The view of what a search found. Pure, and apart from the other views: a search waits for everything that is imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memtree.indexers.query import Hit
from memtree.tools.render import Line, Look, Span, width
from memtree.tree.kinds import Kind

_SNIPPET_ROWS = 3


def hit_lines(hits: Iterable[Hit], *, columns: int | None = None, explain: bool = False) -> Iterator[Line]:
    """Where each hit stands, its heading, and the snippet below with what matched in bold.

    A snippet is one line, blanks drawn together; with `columns` it is folded into a few rows around the first match.
    """
    for hit in hits:
        # The numbers that a recap is named by stand in its place already.
        name = "recap" if hit.kind is Kind.RECAP and hit.path.name.startswith(hit.title) else hit.title
        title = name if not hit.heading or hit.heading == hit.title else " › ".join(filter(None, (name, hit.heading)))
        mark = Span(f"  ({hit.fact.mark})", Look.WARNING) if hit.fact is not None and hit.fact.mark else Span("")
        yield (
            Span(f"{hit.path}:{hit.start_line}-{hit.end_line}", Look.PLACE),
            Span(f"  {title}" if title else "", Look.STRONG),
            mark,
        )
        text, marks = _flat(hit.snippet, hit.highlights)
        for start, end in _rows(text, marks, columns):
            yield (Span("    "), *_highlighted(text[start:end], start, marks))
        if explain:
            yield (Span(f"    score {hit.score:.3f}{_sum(hit.parts)}", Look.FAINT),)


def _sum(parts: Iterable[tuple[str, float]]) -> str:
    """Such as ` = text 0.700 + vector 0.300`: the largest first, what counts against the hit at the end."""
    terms = sorted(parts, key=lambda part: -part[1])
    text = "".join(f" {'+' if value >= 0 else '-'} {name} {abs(value):.3f}" for name, value in terms)
    return f" ={text.removeprefix(' +')}" if terms else ""


def _flat(text: str, highlights: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """The text with every run of white space as one blank, and where the highlights stand in it."""
    flat: list[str] = []
    places: list[int] = []  # of each character of `text` in the flat text
    for letter in text:
        if letter.isspace():
            places.append(max(len(flat) - 1, 0) if not flat or flat[-1] == " " else len(flat))
            if flat and flat[-1] != " ":
                flat.append(" ")
        else:
            places.append(len(flat))
            flat.append(letter)
    places.append(len(flat))
    last = len(text)
    return "".join(flat).rstrip(), [(places[min(first, last)], places[min(end, last)]) for first, end in highlights]


def _rows(text: str, marks: Sequence[tuple[int, int]], columns: int | None) -> list[tuple[int, int]]:
    """Where the rows of a snippet begin and end: one without `columns`, else a few from the first match on."""
    if columns is None:
        return [(0, len(text))]
    rows = _folded(text, max(columns - len("    "), 20))
    first = min((start for start, end in marks if start < end), default=0)
    matched = next((number for number, (_, end) in enumerate(rows) if first < end), 0)
    begin = max(min(matched, len(rows) - _SNIPPET_ROWS), 0)
    return rows[begin : begin + _SNIPPET_ROWS]


def _folded(text: str, columns: int) -> list[tuple[int, int]]:
    """Rows of at most `columns`, broken at blanks where there are any; Chinese has none and is broken anywhere."""
    rows: list[tuple[int, int]] = []
    start = blank = 0
    used = 0
    for at, letter in enumerate(text):
        used += width(letter)
        if used > columns:
            end = blank if blank > start else at
            rows.append((start, end))
            start = end + 1 if text[end] == " " else end
            used = width(text[start : at + 1])
        if letter == " ":
            blank = at
    return [*rows, (start, len(text))] if start < len(text) or not rows else rows


def _highlighted(line: str, start: int, highlights: Sequence[tuple[int, int]]) -> Iterator[Span]:
    at = 0
    for first, last in sorted(highlights):
        low, high = max(first - start, at), min(last - start, len(line))
        if low < high:
            yield Span(line[at:low])
            yield Span(line[low:high], Look.STRONG)
            at = high
    yield Span(line[at:])
