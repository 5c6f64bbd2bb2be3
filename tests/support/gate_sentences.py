"""Sentences with what the gate should say of them: `durable`, or the reason for which they drop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from support.gate_chinese import CHINESE
from support.gate_english import ENGLISH
from support.gate_more_chinese import CHINESE as MORE_CHINESE
from support.gate_more_english import ENGLISH as MORE_ENGLISH

DURABLE = "durable"


class Labelled(NamedTuple):
    """A sentence in `en` or `zh` with its label."""

    label: str
    lang: str
    text: str


def labelled() -> Iterator[Labelled]:
    """Every sentence of the tables, in their order."""
    for lang, table in (("en", ENGLISH), ("en", MORE_ENGLISH), ("zh", CHINESE), ("zh", MORE_CHINESE)):
        for label, block in table.items():
            yield from (Labelled(label, lang, line) for line in block.strip().splitlines())


def wide() -> Iterator[Labelled]:
    """Every sentence of the files in `gate_wide`: of many more topics, for the model that weighs words (`gate_training`)."""
    for path in sorted((Path(__file__).parent / "gate_wide").glob("*.txt")):
        label = ""
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("## "):
                label = line[3:]
            elif line:
                yield Labelled(label, "zh" if path.name.startswith("chinese") else "en", line)
