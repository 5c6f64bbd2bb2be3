"""Inline tags: `#tag` in a text, outside its code."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_LENGTH_LIMIT = 100
_TAG = re.compile(r"(?<![\w/&#])#([\w/-]+)")


def inline_tags(text: str) -> Iterator[str]:
    """Yield the tags of a text without their `#`. `#123` is an issue: a tag has a letter."""
    if "#" not in text:
        return
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif not inside and "#" in line:
            # Code spans hold colours and directives, not tags.
            parts = itertools.islice(line.split("`"), 0, None, 2)
            found = (tag for part in parts for tag in _TAG.findall(part))
            yield from (tag for tag in found if any(c.isalpha() for c in tag) and len(tag) < _LENGTH_LIMIT)
