"""Sentences with what the gate should say of them: `durable`, or the reason for which they drop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from support.gate_chinese import CHINESE
from support.gate_english import ENGLISH

DURABLE = "durable"


class Labelled(NamedTuple):
    """A sentence in `en` or `zh` with its label."""

    label: str
    lang: str
    text: str


def labelled() -> Iterator[Labelled]:
    """Every sentence of the tables, in their order."""
    for lang, table in (("en", ENGLISH), ("zh", CHINESE)):
        for label, block in table.items():
            yield from (Labelled(label, lang, line) for line in block.strip().splitlines())
