"""Mentions: where a text speaks of someone or something, by the form of the words.

What is passed in is a chunk's text, without front matter. Where two rules see the same characters, the first of this order has
them: URL, what stands between backticks, wikilink, handle, mail address, issue, hashtag, path, identifier, name. A wikilink's
target and alias may hold names besides. In fenced code only URLs, paths and identifiers are looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from memtree.tree.address_mentions import Link, emails, handles, has_password, hashtags, urls, wikilinks
from memtree.tree.capitalised_names import names
from memtree.tree.code_mentions import identifiers, issues, paths, quoted
from memtree.tree.code_places import Place, blanked, code_spans, fenced
from memtree.tree.entity import EntityKind, Mention, entity

_UNSPEAKABLE = re.compile("[\0-\x1f\x7f\ud800-\udfff]")

_Rule = Callable[[str], Iterable[Place]]
_IN_PROSE: tuple[tuple[EntityKind, _Rule], ...] = (
    (EntityKind.HANDLE, handles),
    (EntityKind.EMAIL, emails),
    (EntityKind.ISSUE, issues),
    (EntityKind.HASHTAG, hashtags),
)
_ANYWHERE: tuple[tuple[EntityKind, _Rule], ...] = ((EntityKind.PATH, paths), (EntityKind.CODE, identifiers))


def find_mentions(text: str) -> list[Mention]:
    """The mentions in a text by their start; of two at one start the longer first. Any text will do, and takes linear time."""
    reading = _Reading(text)
    reading.take(EntityKind.URL, list(urls(text)))
    fences = fenced(text)
    spans = code_spans(blanked(reading.free, fences, "\n"))
    words = list(quoted(reading.free, spans))
    reading.take(EntityKind.PATH, [place for place, is_file in words if is_file])
    reading.take(EntityKind.CODE, [place for place, is_file in words if not is_file])
    code = sorted((*fences, *spans))
    links = list(wikilinks(blanked(reading.free, code)))
    reading.take(EntityKind.WIKILINK, [link.target for link in links])
    reading.pass_over([link.whole for link in links])
    for kind, rule in _IN_PROSE:
        # The characters without which no rule of these finds anything.
        if "@" in text or "#" in text or (kind is EntityKind.ISSUE and "-" in text):
            reading.take(kind, list(rule(blanked(reading.free, code))))
    for kind, rule in _ANYWHERE:
        reading.take(kind, list(rule(reading.free)))
    reading.take(EntityKind.NAME, list(names(reading.nameable(code, links))))
    return sorted(reading.mentions, key=lambda one: (one.start, -one.end))


class _Reading:
    """A text while its mentions are found: `free` is what no rule has taken yet."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.free = text
        self.mentions: list[Mention] = []
        self._taken: list[Place] = []

    def take(self, kind: EntityKind, places: Sequence[Place]) -> None:
        """Make mentions of places, which belong to nothing else from now on."""
        if not places:
            return
        chosen = _apart(places)
        for place in chosen:
            surface = self.text[place.start : place.end]
            found = None if _UNSPEAKABLE.search(surface) else entity(kind, surface)
            if found is not None and not (kind is EntityKind.URL and has_password(surface)):
                self.mentions.append(Mention(found, surface, place.start, place.end))
        if kind is not EntityKind.WIKILINK:
            self._taken += chosen
            self.free = blanked(self.free, chosen)

    def pass_over(self, places: Sequence[Place]) -> None:
        """Let nobody else have these places."""
        if places:
            self.free = blanked(self.free, _apart(places))

    def nameable(self, code: list[Place], links: list[Link]) -> str:
        """The text as names are looked for in it: without code and what is taken, with the targets and aliases of links."""
        folders = [link.target for link in links if "/" in self.text[link.target.start : link.target.end]]
        return blanked(self.text, _joined((*code, *self._taken, *folders)))


def _apart(places: Iterable[Place]) -> list[Place]:
    """Places in order; of those that overlap the first, of those that begin alike the longest."""
    chosen: list[Place] = []
    for place in sorted(places, key=lambda one: (one.start, -one.end)):
        if not chosen or place.start >= chosen[-1].end:
            chosen.append(place)
    return chosen


def _joined(places: Iterable[Place]) -> list[Place]:
    """Places in order, those that overlap as one."""
    joined: list[Place] = []
    for place in sorted(places):
        if joined and place.start < joined[-1].end:
            joined[-1] = Place(joined[-1].start, max(joined[-1].end, place.end))
        else:
            joined.append(place)
    return joined
