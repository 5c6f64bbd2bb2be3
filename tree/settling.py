"""Telling that a person settled conflict callouts: the text is as it was, but for a version, or nothing, where a callout stood."""

from __future__ import annotations

import re

from memtree.tree.conflict_callout import Place, conflicts_in


def settles(present: bytes, saved: bytes) -> bool:
    """Whether `saved` is `present` with callouts settled, each by one of its versions, by fewer of them, or by deleting it.

    Spaces and blank lines do not count.
    """
    places = list(conflicts_in(present))
    if not places or saved == present:
        return False
    pattern, at = [], 0
    for place in places:
        pattern += [_literal(present[at : place.start]), _choice(place)]
        at = place.end
    whole = b"".join([*pattern, _literal(present[at:]), rb"\s*"])
    return re.fullmatch(whole, _with_whole_callouts(saved, {place.callout.id: place for place in places})) is not None


def _literal(text: bytes) -> bytes:
    return b"".join(rb"\s*" + re.escape(word) for word in text.split())


def _choice(place: Place) -> bytes:
    versions = (place.callout.render(), *place.callout.variants)
    return b"(?:" + b"|".join(map(_literal, versions)) + b")?"


def _with_whole_callouts(saved: bytes, known: dict[str, Place]) -> bytes:
    """The saved text with each callout that only lost versions as it was before."""
    parts, at = [], 0
    for place in conflicts_in(saved):
        before = known.get(place.callout.id)
        if before is not None and set(place.callout.variants) <= set(before.callout.variants):
            parts += [saved[at : place.start], before.callout.render()]
            at = place.end
    return b"".join([*parts, saved[at:]])
