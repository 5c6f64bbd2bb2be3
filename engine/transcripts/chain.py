"""Chain: which lines of a tree of lines are the conversation as it stands.

Every line names the one before it. A person who goes back and says something else starts a branch: the last line lies on the branch
that counts, and what only other branches hold was taken back. Where a program began anew with a summary, or where the line before
is missing from the file, the conversation goes on with what stood last before that place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Link(NamedTuple):
    """A line's place in the tree. `anew`: a summary stands for what was before; `may_end`: a conversation can end here."""

    id: str
    parent: str
    anew: bool = False
    may_end: bool = True


def living(links: Sequence[Link]) -> set[int]:
    """The positions of the lines that are part of the conversation; no two links have the same id."""
    places = {link.id: place for place, link in enumerate(links)}
    found: set[int] = set()
    limit = len(links)
    while (end := _last(links, limit)) is not None:
        root = _climb(links, places, end, found)
        if root is None:
            break
        limit = min(end, root)
    return found


def _last(links: Sequence[Link], limit: int) -> int | None:
    return next((place for place in range(limit - 1, -1, -1) if links[place].may_end), None)


def _climb(links: Sequence[Link], places: dict[str, int], place: int, found: set[int]) -> int | None:
    """Add a line and all before it; return where the chain is torn, None where the conversation really began."""
    while place not in found:
        found.add(place)
        link = links[place]
        before = places.get(link.parent) if link.parent else None
        if before is None:
            return place if link.anew or link.parent else None
        place = before
    return None
