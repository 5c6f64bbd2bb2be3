"""Retracting: a statement that something holds no longer closes what it takes back, and is no fact itself."""

from __future__ import annotations

from memtree.engine.facts.becoming import retracted, told
from memtree.engine.facts.candidate import Candidate, Decision, Outcome
from memtree.engine.facts.evolving import Evolving
from memtree.engine.facts.parting import put_remaining
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import ReadFact, State
from memtree.tree.fact_key import fact_key
from memtree.tree.fact_likeness import Likeness, likeness, retraction
from memtree.tree.fact_slots import located


def retract(facts: Evolving, one: Candidate, now_ms: int) -> Decision:
    """Close the active facts of the candidate's subject that it takes back."""
    what = retraction(one.text) or one.text
    when, turn = told(one, now_ms), _turn(one)
    found = _taken_back(facts, one, what)
    pinned = [each for each in found if each.fact.pinned]
    late = [each for each in found if not each.fact.pinned and each.fact.last_told > when]
    due = [each for each in found if not each.fact.pinned and each.fact.active and each.fact.last_told <= when]
    if not due:
        closed = next((each for each in found if each.fact.state is State.RETRACTED), None)
        if closed is not None:
            return Decision(one, Outcome.NOOP, closed.fact.id, closed.fact.id, "it was taken back before")
        if pinned:
            return Decision(one, Outcome.NOOP, "", pinned[0].fact.id, "only a person takes back what is pinned")
        if any(each.fact.active for each in late):
            return Decision(one, Outcome.NOOP, "", late[0].fact.id, "it was told again after this")
        return Decision(one, Outcome.NOOP, "", reason="nothing that is known is taken back")
    for each in due:
        closed_fact = retracted(each.fact, when, one.valid_at or one.invalid_at, f"taken back{turn}")
        facts.put(closed_fact, edited=each.edited)
        put_remaining(facts, each, what)
    return Decision(one, Outcome.RETRACT, due[0].fact.id, due[0].fact.id, "it takes back what was told")


def _turn(one: Candidate) -> str:
    if not one.sources:
        return ""
    last = max(one.sources, key=lambda source: source.seq)
    return f" in turn {last.seq} of session {last.session}"


def _taken_back(facts: Evolving, one: Candidate, what: str) -> list[ReadFact]:
    """What says what is taken back, or more than that; in its slot also what gives the same value in other words."""
    place = located(what)
    found = {each.fact.id: each for each in facts.saying(one.subject, fact_key(what))}
    value = evidence_tokens(place.value)
    for slot in dict.fromkeys((place.place.slot, one.slot)):
        for each in facts.comparable(one.subject, slot, what) if slot else ():
            alike = likeness(what, each.fact.text) in (Likeness.SAME, Likeness.REFINES)
            if alike or (value and each.fact.slot == place.place.slot and value <= evidence_tokens(each.fact.text)):
                found.setdefault(each.fact.id, each)
    return [each for _, each in sorted(found.items()) if each.fact.state is not State.SUPERSEDED]
