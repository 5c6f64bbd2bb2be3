"""What happened to facts, as lines of spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memtree.tools.render import Line, Look, Span
from memtree.tree.fact_diff import Story
from memtree.tree.words import Mark, Piece

_LOOKS = {
    **dict.fromkeys(("new", "pinned", "active"), Look.GOOD),
    **dict.fromkeys(("superseded", "retracted", "deleted"), Look.BAD),
}


def fact_change_lines(stories: Sequence[Story], *, colour: bool, most: int | None = None, by: str = "") -> Iterator[Line]:
    """All that happened to facts below one heading; of the ones beyond `most` only how many there are."""
    if not stories:
        return
    files = sum(len(story.paths) for story in stories)
    yield Span("facts", Look.STRONG), Span(f"  {files:,} changed"), Span(f"  by {by}" if by else "", Look.PLACE)
    for story in stories[:most]:
        for number, line in enumerate(story.lines):
            yield tuple(_spans(line, colour=colour, first=not number))
    if most is not None and len(stories) > most:
        yield (Span(f"... and {len(stories) - most:,} more", Look.WARNING),)


def _spans(line: Sequence[Piece], *, colour: bool, first: bool) -> Iterator[Span]:
    for number, piece in enumerate(line):
        if piece.kind is Mark.ADDED:
            yield Span(piece.text, Look.ADDED) if colour else Span(f"{{+{piece.text}+}}")
        elif piece.kind is Mark.REMOVED:
            yield Span(piece.text, Look.REMOVED) if colour else Span(f"[-{piece.text}-]")
        elif not first or number:
            yield Span(piece.text, Look.PLAIN if first else Look.FAINT)
        else:
            word, space, rest = piece.text.partition(" ")
            yield Span(word, _LOOKS.get(word, Look.PLACE))
            yield Span(space + rest)
