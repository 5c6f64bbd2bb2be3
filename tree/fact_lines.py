"""The header of a fact's file by its lines, as programs write it: most files are, and a YAML parser takes many times longer.

What is read here counts only when it is written back to the very same bytes; everything else is for the parser.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_LISTS = ("tags", "sources")


@dataclass(slots=True)
class Lines:
    """What stands under the keys, as it stands there: texts, lists of items, and one mapping."""

    texts: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    maps: dict[str, dict[str, str]] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """A value, '' for none; raise ValueError for one with escapes."""
        return plain(self.texts.get(key, ""))


def lines_of(header: str) -> Lines:
    """A header's keys and values; raise ValueError for lines of another form."""
    read = Lines()
    key = ""
    for line in header.split("\n"):
        if line.startswith("  - ") and key in read.lists:
            read.lists[key].append(line[4:])
        elif line.startswith("  ") and key in read.maps:
            name, _, value = line[2:].partition(": ")
            read.maps[key][name] = value
        else:
            key, colon, value = line.partition(":")
            if not colon or (value and value[0] != " "):
                raise ValueError("no line of a key")
            if value:
                read.texts[key], key = value[1:], ""
            elif key in _LISTS:
                read.lists[key] = []
            else:
                read.maps[key] = {}
    return read


def plain(value: str) -> str:
    """A text without the quotes around it; raise ValueError for one with escapes."""
    if "\\" in value:
        raise ValueError("escapes")
    return value[1:-1] if value[:1] == '"' else value


def source_in(item: str) -> tuple[str, int, str]:
    """Session, number and hash of `{session: s, seq: 3, quote_hash: 0f}`; raise ValueError for another form."""
    session, _, rest = item.removeprefix("{session: ").rpartition(", seq: ")
    number, _, told = rest.removesuffix("}").partition(", quote_hash: ")
    return plain(session), int(number), plain(told)
