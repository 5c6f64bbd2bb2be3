"""Retracting: a statement that something holds no longer closes what it takes back, and is no fact itself.

What it takes back may come in later, from another machine or an older session. So where nothing is known that it could close, what
it takes back is stored as closed, and closes what was told before it whenever that comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memtree.engine.facts.becoming import identity, new_fact, retracted, told
from memtree.engine.facts.candidate import Candidate, Decision, Outcome
from memtree.engine.facts.evolving import Evolving
from memtree.engine.facts.parting import put_remaining
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import Fact, ReadFact, State
from memtree.tree.fact_key import fact_key
from memtree.tree.fact_likeness import Likeness, likeness, retraction
from memtree.tree.fact_parts import parts_of
from memtree.tree.fact_slots import UNKNOWN, located

_BY_WORDS = "taken back"  # how the reason begins of what was taken back in a conversation


def retract(facts: Evolving, one: Candidate, now_ms: int, known: frozenset[str] = frozenset()) -> Decision:
    """Close the active facts of the candidate's subject that it takes back. `known` are ids of facts that were there before."""
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
        return _ahead(facts, one, what, now_ms, known)
    for each in due:
        closed_fact = retracted(each.fact, when, one.valid_at or one.invalid_at, f"{_BY_WORDS}{turn}")
        facts.put(closed_fact, edited=each.edited)
        put_remaining(facts, each, what)
    return Decision(one, Outcome.RETRACT, due[0].fact.id, due[0].fact.id, "it takes back what was told")


def taken_back_since(new: Fact, beside: Iterable[ReadFact]) -> Fact | None:
    """What took back a fact that comes in only now, None for nothing: it was said later, and speaks of what the fact tells."""
    for each in beside:
        closed = each.fact
        by_words = closed.state is State.RETRACTED and closed.reason.startswith(_BY_WORDS) and bool(closed.expired_at)
        if by_words and new.last_told < closed.expired_at and len(parts_of(closed.text)) == 1 and takes_back(closed.text, new):
            return closed
    return None


def closed_late(new: Fact, by: Fact) -> Fact:
    """A fact that comes in when it is taken back already."""
    return retracted(new, by.expired_at, by.invalid_at, by.reason)


def takes_back(what: str, fact: Fact) -> bool:
    """Whether a fact says what is taken back, or more than that; in its slot also the same value in other words."""
    if likeness(what, fact.text) in (Likeness.SAME, Likeness.REFINES):
        return True
    place = located(what)
    value = evidence_tokens(place.value)
    return bool(value) and fact.slot == place.place.slot and value <= evidence_tokens(fact.text)


def _ahead(facts: Evolving, one: Candidate, what: str, now_ms: int, known: frozenset[str]) -> Decision:
    """Store what is taken back as closed, before it is known."""
    place = located(what).place
    unknown = Decision(one, Outcome.NOOP, "", reason="nothing that is known is taken back")
    if not one.sources or place.slot.startswith(f"{UNKNOWN}."):
        return unknown
    held = replace(one, text=what, slot=place.slot, category=place.category, temporal=None, valid_at="", invalid_at="")
    fact = identity(held, fact_key(what))
    if facts.get(fact) is not None or facts.gone(fact) or fact in known:
        return unknown
    when = told(one, now_ms)
    reason = f"{_BY_WORDS}{_turn(one)}, before it was known"
    facts.put(retracted(new_fact(held, fact, now_ms), when, one.valid_at or one.invalid_at, reason))
    return Decision(one, Outcome.RETRACT, fact, fact, "it takes back what is not known yet")


def _turn(one: Candidate) -> str:
    if not one.sources:
        return ""
    last = max(one.sources, key=lambda source: source.seq)
    return f" in turn {last.seq} of session {last.session}"


def _taken_back(facts: Evolving, one: Candidate, what: str) -> list[ReadFact]:
    place = located(what)
    found = {each.fact.id: each for each in facts.saying(one.subject, fact_key(what))}
    for slot in dict.fromkeys((place.place.slot, one.slot)):
        for each in facts.comparable(one.subject, slot, what) if slot else ():
            if takes_back(what, each.fact):
                found.setdefault(each.fact.id, each)
    return [each for _, each in sorted(found.items()) if each.fact.state is not State.SUPERSEDED]
