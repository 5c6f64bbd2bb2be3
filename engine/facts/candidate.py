"""Candidates: what may become a fact, and at which step of the pipeline it fell."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from memtree.tree.fact import USER, FactSource, Temporal


class Step(enum.StrEnum):
    """The steps of the pipeline in their order; a candidate that fell did so at one of them."""

    CLEAN = "clean"
    NORMALISE = "normalise"
    EXTRACT = "extract"
    GROUND = "ground"
    GATE = "gate"
    TIME = "time"
    SOURCES = "sources"
    REDACT = "redact"
    RECONCILE = "reconcile"
    COMMIT = "commit"


class Outcome(enum.StrEnum):
    """What reconciling does with a fact."""

    ADD = "add"
    UPDATE = "update"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    NOOP = "noop"


@dataclass(frozen=True, slots=True)
class Said:
    """A message that facts may come from, cleaned. `timestamp` is in UTC epoch milliseconds, `zone` an IANA name, '' for unknown.

    `quote_hash` is that of the turn as its file holds it, so that it can be checked later.
    """

    session: str
    seq: int
    role: str
    text: str
    quote_hash: str
    timestamp: int | None = None
    zone: str = ""
    speaker: str = ""

    @property
    def source(self) -> FactSource:
        return FactSource(self.session, self.seq, self.quote_hash)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One statement on its way to be a fact. `seqs` are the turns that whoever extracted it named, () for none.

    `fact_type` is what an extractor called it: fact, or one of the classes of `tree.fact_gate.Reason`. What later steps find
    is filled in as it goes: `sources`, `temporal`, `valid_at`, `observed`, which is when the newest of its sources was said, in UTC
    epoch milliseconds. `retracts`: it says that something holds no longer.
    """

    text: str
    fact_type: str = "fact"
    tags: tuple[str, ...] = ()
    category: str = ""
    subject: str = USER
    slot: str = ""
    seqs: tuple[int, ...] = ()
    confidence: float = 0.6
    attributed_to: str = USER
    generator: str = "extractive"
    sources: tuple[FactSource, ...] = ()
    temporal: Temporal | None = None
    valid_at: str = ""
    invalid_at: str = ""
    retracts: bool = False
    observed: int | None = None


@dataclass(frozen=True, slots=True)
class Fallen:
    """A candidate that is no fact: at which step, why in a word (such as `query_intent`), and in words for people."""

    candidate: Candidate
    step: Step
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Passed:
    """What one step lets through and what falls at it, in the order in which it came."""

    kept: tuple[Candidate, ...] = ()
    fallen: tuple[Fallen, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What reconciling decided of one candidate: the outcome, the fact it was written to or is known as, and the one it touched."""

    candidate: Candidate
    outcome: Outcome
    fact: str
    target: str = ""
    reason: str = ""
    by: str = field(default="rules")  # rules, or the model's name
