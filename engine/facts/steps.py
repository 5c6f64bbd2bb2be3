"""Steps: what every candidate goes through between extracting and reconciling, one function each, in their order.

Each takes the candidates that came so far and what was said, and names what it does not let through. Nothing here knows of memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memtree.engine.facts.candidate import Candidate, Fallen, Passed, Said, Step
from memtree.engine.facts.extraction import repeats_instructions
from memtree.engine.facts.grounding import grounded
from memtree.engine.facts.sourcing import sourced
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import FactSource, Temporal
from memtree.tree.fact_gate import judge
from memtree.tree.fact_likeness import retraction
from memtree.tree.forgotten import STUB
from memtree.tree.spoken_time import anchor_of, temporal_of, times_in

_MARK = re.compile(r"\[(?:secret|personal): [^\]\n]{1,60}\]|\[REDACTED\]")
_FEWEST = 3  # words beside a mark that still tell something
_WHY = {
    "query_intent": "it asks for something now",
    "transient_status": "it is so at this moment only",
    "ephemeral_intent": "it is meant for once and soon",
    "activity_log": "it is an entry of a log",
    "operational_log": "it is how a program or an agent runs just now",
}


@dataclass(frozen=True, slots=True)
class Around:
    """What the steps may look at: the messages that facts may come from, and what takes secrets out of a text."""

    said: tuple[Said, ...]
    redact: Callable[[str], str]


def ground(candidates: Sequence[Candidate], around: Around) -> Passed:
    """Those that somebody said. What repeats our own instructions to a model nobody did."""
    echoes = [one for one in candidates if one.generator not in _WORDS_ALONE and repeats_instructions(one.text)]
    fallen = tuple(Fallen(one, Step.GROUND, "instructions", "it repeats what the model was told to do") for one in echoes)
    passed = grounded([one for one in candidates if one not in echoes], around.said)
    return Passed(passed.kept, (*fallen, *passed.fallen))


_WORDS_ALONE = frozenset({"extractive"})


def gate(candidates: Sequence[Candidate], _: Around) -> Passed:
    """Those that last."""
    kept, fallen = [], []
    for one in candidates:
        # What takes something back lasts when that would: "forget that I …" asks for nothing else.
        verdict = judge((retraction(one.text) if one.retracts else None) or one.text, one.fact_type)
        if verdict.keep:
            kept.append(one)
        else:
            why = _WHY.get(verdict.reason, "it does not last")
            fallen.append(Fallen(one, Step.GATE, verdict.reason, f"{why}{': ' + verdict.cue if verdict.cue else ''}"))
    return Passed(tuple(kept), tuple(fallen))


def time(candidates: Sequence[Candidate], around: Around) -> Passed:
    """All of them, with the times that they speak of, counted from when each was said; none where several do not agree."""
    by_source = {(one.session, one.seq): one for one in around.said}
    return Passed(tuple(_timed(one, by_source) for one in sourced(candidates, around.said)))


def sources(candidates: Sequence[Candidate], _: Around) -> Passed:
    """Those that rest on a turn."""
    kept, fallen = [], []
    for one in candidates:
        if one.sources:
            kept.append(one)
        else:
            fallen.append(Fallen(one, Step.SOURCES, "no_source", "no turn says it"))
    return Passed(tuple(kept), tuple(fallen))


def redact(candidates: Sequence[Candidate], around: Around) -> Passed:
    """All of them without secrets; those fall that say nothing but a secret, and those of which a part was forgotten."""
    kept, fallen = [], []
    for one in candidates:
        safe = replace(
            one,
            text=around.redact(one.text),
            subject=around.redact(one.subject),
            tags=tuple(tag for tag in one.tags if around.redact(tag) == tag),
        )
        marks = _MARK.search(safe.text) is not None
        if STUB.decode() in safe.text:
            fallen.append(Fallen(safe, Step.REDACT, "forgotten", "a part of it was forgotten"))
        elif marks and len(evidence_tokens(_MARK.sub(" ", safe.text))) < _FEWEST:
            fallen.append(Fallen(safe, Step.REDACT, "secret", "nothing is left of it without the secret in it"))
        else:
            kept.append(safe)
    return Passed(tuple(kept), tuple(fallen))


STEPS: tuple[tuple[Step, Callable[[Sequence[Candidate], Around], Passed]], ...] = (
    (Step.GROUND, ground),
    (Step.GATE, gate),
    (Step.TIME, time),
    (Step.SOURCES, sources),
    (Step.REDACT, redact),
)


def _timed(candidate: Candidate, by_source: dict[tuple[str, int], Said]) -> Candidate:
    said = [one for source in candidate.sources if (one := _of(source, by_source)) is not None]
    # The turn that speaks of a time is the one that it is counted from; its neighbours only confirm the rest.
    telling = [one for one in said if _tells_a_time(one)] or said
    found = {_time_of(candidate.text, one) for one in telling}
    temporal, valid_at, invalid_at = found.pop() if len(found) == 1 else (None, "", "")
    return replace(candidate, temporal=temporal, valid_at=valid_at, invalid_at=invalid_at)


# Asked once for every candidate that a turn told.
@lru_cache(maxsize=256)
def _tells_a_time(said: Said) -> bool:
    return bool(times_in(said.text, anchor_of(said.timestamp, said.zone)))


def _of(source: FactSource, by_source: dict[tuple[str, int], Said]) -> Said | None:
    return by_source.get((source.session, source.seq))


def _time_of(text: str, said: Said) -> tuple[Temporal | None, str, str]:
    return temporal_of(text, anchor_of(said.timestamp, said.zone))
