"""A tree object's bytes read as entries. One pass in C: a folder of hundreds of files is parsed at every commit and diff."""

from __future__ import annotations

import re

from memtree.tree.objects import Entry

# A tree object is these, one after the other.
_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)


def entries_of(raw: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Return mode in octal digits, name and id of each entry."""
    return _ENTRY.findall(raw)


def entry_of(found: tuple[bytes, bytes] | None) -> Entry | None:
    """Return a mode and an id as an entry."""
    return Entry(int(found[0], 8), found[1].hex()) if found is not None else None


def parsed(raw: bytes) -> dict[str, Entry]:
    """Return the entries by name; names that are not UTF-8 carry surrogates."""
    return {
        name.decode("utf-8", "surrogateescape"): Entry(int(mode, 8), object_id.hex()) for mode, name, object_id in entries_of(raw)
    }
