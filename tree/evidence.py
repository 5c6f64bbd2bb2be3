"""Evidence: the events that speak for an entry, at the end of its first line.

    - Prefers tabs to spaces <!-- evidence: e-1a2b, e-3c4d --> ^m-7f3k

They are a set of ids and never a number: two machines that saw different events add up, and what both saw does not count twice. A
block id stays last on its line, where editors look for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_EVIDENCE = re.compile(rb"[ \t]*<!-- evidence:([^\n]*?)-->(?=[ \t]*(?:\^[A-Za-z0-9-]+[ \t]*)?\Z)")
_BLOCK_ID = re.compile(rb"(?:\A|[ \t])\^([A-Za-z0-9-]+)[ \t]*\Z")


def split_evidence(line: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """An entry's first line without its evidence, and the ids, each once."""
    found = _EVIDENCE.search(line)
    if found is None:
        return line, ()
    ids = (part.strip() for part in found[1].split(b","))
    return line[: found.start()] + line[found.end() :], tuple(dict.fromkeys(each for each in ids if each))


def with_evidence(line: bytes, ids: Sequence[bytes]) -> bytes:
    """The line with evidence, before its block id."""
    if not ids:
        return line
    own = _BLOCK_ID.search(line)
    at = own.start() if own else len(line)
    return line[:at] + b" <!-- evidence: " + b", ".join(ids) + b" -->" + line[at:]


def block_id(line: bytes) -> bytes | None:
    """The block id at the end of a line."""
    found = _BLOCK_ID.search(line)
    return found[1] if found else None
