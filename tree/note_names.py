"""File names for notes: what a title is called in a folder, on every system."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterator

from memtree.tree.paths import portability_warning

_LONGEST = 120  # bytes of the name without number and extension
_ENDING = ".md"


def note_name(title: str) -> str:
    """Return a title as a file name without its extension: small letters and digits of any script, joined by dashes."""
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", title).casefold())
    kept = (char if char.isalnum() or unicodedata.category(char) in ("Mn", "Mc") else " " for char in plain)
    words = "-".join("".join(kept).split())
    name = words.encode("utf-8", "replace")[:_LONGEST].decode("utf-8", "ignore").strip("-")
    if not name or portability_warning(name):
        name = f"note-{name}".strip("-")
    return name if not portability_warning(name) else "note"


def numbered(name: str) -> Iterator[str]:
    """Yield the file names a note can have, the first without a number."""
    yield name + _ENDING
    for number in itertools.count(2):
        yield f"{name}-{number}{_ENDING}"
