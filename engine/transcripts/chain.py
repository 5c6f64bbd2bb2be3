"""Chain: which lines of a tree of lines are the conversation as it stands.

Every line names the one before it. A person who goes back and says something else starts a branch: the last line lies on the branch
that counts, and what was said on others was taken back. Programs tear and fork the chain too, without anybody's wish: they begin
anew with a summary, name lines that they never wrote, and let the next line hang on one of several that followed from the same one.
So where the line before is missing, what stood last before it in the file takes its place; and a line that nobody's going back can
have cut off goes with the line before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Link(NamedTuple):
    """A line's place in the tree.

    `anew`: a summary stands for what was before. `may_end`: a conversation can end here. `follows`: no person said it, so it is
    part of the conversation wherever the line before it is; else it is when the chain to the end passes through it.
    """

    id: str
    parent: str
    anew: bool = False
    may_end: bool = True
    follows: bool = False


def living(links: Sequence[Link]) -> set[int]:
    """The positions of the lines that are part of the conversation; no two links have the same id."""
    before = list(_before(links))
    end = next((place for place in range(len(links) - 1, -1, -1) if links[place].may_end), None)
    found: set[int] = set()
    while end is not None and end not in found:
        found.add(end)
        end = before[end]
    found.update(_following(links, before, found))
    return found


def _before(links: Sequence[Link]) -> Iterable[int | None]:
    """For each line the position of the one before it, None where the conversation began."""
    places = {link.id: place for place, link in enumerate(links)}
    last: int | None = None
    for place, link in enumerate(links):
        named = places.get(link.parent) if link.parent else None
        yield named if named is not None else last if link.anew or link.parent else None
        if link.may_end:
            last = place


def _following(links: Sequence[Link], before: Sequence[int | None], chain: set[int]) -> Iterable[int]:
    """The positions beside the chain whose lines go with one on it."""
    known: dict[int, bool] = {}
    for start in range(len(links)):
        path: list[int] = []
        place: int | None = start
        while place is not None and place not in known and place not in chain and links[place].follows:
            known[place] = False  # lines in a circle go with nothing
            path.append(place)
            place = before[place]
        goes = place is not None and (place in chain or known.get(place, False))
        known.update(dict.fromkeys(path, goes))
    return [place for place, goes in known.items() if goes]
