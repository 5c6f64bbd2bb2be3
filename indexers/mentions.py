"""Mentions of a text and of a query: what the form of the words tells, and Chinese names."""

from __future__ import annotations

import re

from memtree.indexers.chinese_names import chinese_mentions
from memtree.tree.common_words import COMMON_WORDS
from memtree.tree.entity import EntityKind, Mention, entity
from memtree.tree.mentions import find_mentions

_QUERY_LIMIT = 10_000  # characters; nobody asks more
_FIRST = re.compile(r"[^\w@#/]*([^\W\d_]+(?:-[^\W\d_]+)*)(?![\w@/.#:-])")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


def mentions_of(text: str) -> list[Mention]:
    """Who and what a chunk's text speaks of, by their start. Pass a chunk's text, without front matter; not its title or headings.

    None overlaps another, but that a name may lie inside a wikilink. Where a Chinese name lies in something else, that counts.
    """
    found = find_mentions(text)
    chinese = chinese_mentions(text)
    return _merged(found, chinese) if chinese else found


def query_mentions(text: str) -> list[Mention]:
    """The same for a query, of which the first 10,000 characters are read.

    A lone word at its start counts too: "Caroline's hobbies" asks for Caroline. What was typed in small letters is no name by its
    form; look it up by `query_words`.
    """
    text = text[:_QUERY_LIMIT]
    found = mentions_of(text)
    first = _FIRST.match(text)
    if first is None or any(one.start < first.end(1) for one in found) or not first[1][0].isupper():
        return found
    name = entity(EntityKind.NAME, first[1])
    if name is None or len(first[1]) < 2 or name.value in COMMON_WORDS:
        return found
    return [Mention(name, first[1], *first.span(1)), *found]


def query_words(text: str) -> list[str]:
    """A query's words in order, in the form that values of names have: for finding names that were typed in small letters."""
    words = (entity(EntityKind.NAME, word) for word in _WORD.findall(text[:_QUERY_LIMIT]))
    return [word.value for word in words if word is not None]


def _merged(found: list[Mention], chinese: list[Mention]) -> list[Mention]:
    """Both, without the Chinese names that lie in something that is no wikilink."""
    solid = [one for one in found if one.entity.kind is not EntityKind.WIKILINK]
    kept, at = list(found), 0
    for name in chinese:
        while at < len(solid) and solid[at].end <= name.start:
            at += 1
        if at == len(solid) or solid[at].start >= name.end:
            kept.append(name)
    return sorted(kept, key=lambda one: (one.start, -one.end))
