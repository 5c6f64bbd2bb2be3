"""Messages that facts may come from, as tests of single steps make them."""

from __future__ import annotations

from memtree.engine.facts.candidate import Candidate, Said
from memtree.tree.fact import quote_hash

WHEN = 1_773_046_800_000  # 9 March 2026, a Monday


def said(*texts: str, role: str = "user") -> tuple[Said, ...]:
    """A message each, numbered from 1, said by one role on that day in Berlin."""
    return tuple(Said("s", number, role, text, quote_hash(text), WHEN, "Europe/Berlin") for number, text in enumerate(texts, 1))


def extracted(text: str, *seqs: int) -> Candidate:
    """A statement as a model gives it, with the turns that it names."""
    return Candidate(text, seqs=seqs, generator="a-model")
