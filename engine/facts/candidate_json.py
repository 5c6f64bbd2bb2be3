"""Candidates as JSON, for what is kept of them beside memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from memtree.engine.facts.candidate import Candidate

_TEXTS = ("text", "fact_type", "category", "subject", "slot", "attributed_to", "generator")
_USUAL = {field.name: field.default for field in fields(Candidate) if field.name != "text"}


def as_json(candidate: Candidate) -> dict[str, Any]:
    """What an extractor said, without what later steps found."""
    found: dict[str, Any] = {name: getattr(candidate, name) for name in _TEXTS}
    found |= {"tags": list(candidate.tags), "seqs": list(candidate.seqs), "confidence": candidate.confidence}
    found["retracts"] = candidate.retracts
    return {name: value for name, value in found.items() if name == "text" or value not in (_USUAL[name], [])}


def from_json(raw: Mapping[str, Any]) -> Candidate | None:
    """The candidate in what `as_json` gave; None for anything else."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("text"), str) or not raw["text"].strip():
        return None
    texts = {name: raw[name] for name in _TEXTS if isinstance(raw.get(name), str)}
    tags, seqs, confidence = raw.get("tags", []), raw.get("seqs", []), raw.get("confidence", 0.6)
    return Candidate(
        **texts,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        seqs=tuple(seq for seq in seqs if isinstance(seq, int)) if isinstance(seqs, list) else (),
        confidence=confidence if isinstance(confidence, int | float) and 0 <= confidence <= 1 else 0.6,
        retracts=raw.get("retracts") is True,
    )
