"""Evidence: the events that speak for an entry, at the end of its first line.

    - Prefers tabs to spaces <!-- evidence: e-1a2b, e-3c4d --> ^m-7f3k

They are a set of ids and never a number: two machines that saw different events add up, and what both saw does not count twice. A
block id stays last on its line, where editors look for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_EVIDENCE = re.compile(rb"[ \t]*<!-- evidence:([^\n]*?)-->(?=[ \t]*(?:\^[A-Za-z0-9-]+[ \t]*)?\Z)")
_OF_LINE = r"[ \t]*<!-- evidence:([^\n]*?)-->(?:[ \t]*\^p-[0-9a-f]{10})?(?=[ \t\r]*(?:\^[A-Za-z0-9-]+[ \t\r]*)?$)"
_IN_TEXT, _IN_BYTES = re.compile(_OF_LINE, re.MULTILINE), re.compile(_OF_LINE.encode(), re.MULTILINE)
# What stands behind an event of a recap: where it was said, how sure that is, its id.
_OF_EVENT = re.compile(r" \(turns? [0-9, ]{1,200}; confidence [0-9.e+-]{1,30}\) \^e-[0-9a-f]{12}(?=[ \t\r]*$)", re.MULTILINE)
_DAY = re.compile(rb"(?<= )[0-9]{4}-[0-9]{2}-[0-9]{2}(?= )")
_PINNED = re.compile(r"[ \t]*<!-- pinned -->")
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


def without_evidence(text: str) -> str:
    """A text for readers and for search: without what speaks for its entries and without the ids and pins of profiles."""
    return _IN_TEXT.sub("", _PINNED.sub("", text)) if "<!--" in text else text


def searchable(text: str) -> str:
    """A text for search: without evidence, and without what stands behind the events of a recap."""
    text = without_evidence(text)
    return _OF_EVENT.sub("", text) if " ^e-" in text else text


def holds_evidence(data: bytes) -> bool:
    """Whether there may be something in a file that readers are spared."""
    return b"<!-- evidence:" in data or b" ^e-" in data


def counted_evidence(data: bytes) -> bytes:
    """A file for a person who looks at what changed: what speaks for an entry as how many events, and the day of the last."""
    return _IN_BYTES.sub(_counted, data) if b"<!-- evidence:" in data else data


def _counted(found: re.Match[bytes]) -> bytes:
    events = {item.split()[0] for item in found[1].split(b",") if item.strip()}
    days = _DAY.findall(found[1])
    return b"  (%d %s%s)" % (len(events), b"event" if len(events) == 1 else b"events", b", last " + max(days) if days else b"")
