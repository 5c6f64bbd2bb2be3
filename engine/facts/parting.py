"""Parting: what an old fact of several ideas keeps saying when one of them ceases to hold.

    I live in Berlin and work at Siemens.     closed by "I moved to Lisbon"
    I work at Siemens.                        a fact of its own from then on

Whoever wrote the old one, its file stays as it is but for its state: what remains stands in facts with ids made of the old one and
of their words, so that two machines that part it write the same files.
"""

from __future__ import annotations

from dataclasses import replace

from memtree.engine.facts.evolving import Evolving
from memtree.tree.fact import USER, Fact, ReadFact, State, began, fact_id
from memtree.tree.fact_key import fact_key
from memtree.tree.fact_likeness import Likeness, likeness
from memtree.tree.fact_parts import parts_of
from memtree.tree.fact_slots import NOT, PAST, place_of
from memtree.tree.spoken_time import anchor_of, times_in


def remaining(old: Fact, new: str) -> tuple[Fact, ...]:
    """What a fact says beside that which a newer statement is about, as facts; none where it says one thing."""
    parts = parts_of(old.text)
    if len(parts) < 2:
        return ()
    others = parts_of(new)
    return tuple(_part(old, part) for part in parts if not any(_concerns(part, other) for other in others))


def put_remaining(facts: Evolving, old: ReadFact, new: str) -> list[Fact]:
    """Have what remains of a fact stand on its own, where nothing says it already; what was put."""
    made = []
    for part in remaining(old.fact, new):
        known = [one for one in facts.saying(part.subject, fact_key(part.text)) if one.fact.id != old.fact.id]
        if not any(one.fact.active for one in known) and facts.get(part.id) is None and not facts.gone(part.id):
            facts.put(part, edited=old.edited)
            made.append(part)
    return made


def _concerns(part: str, new: str) -> bool:
    """Whether a statement speaks of the very thing that a part of another does."""
    one, two = place_of(part), place_of(new)
    if one.subject == two.subject and _bare(one.slot) == _bare(two.slot):
        return True
    return likeness(part, new) is not Likeness.DIFFERENT or likeness(new, part) is not Likeness.DIFFERENT


def _bare(slot: str) -> str:
    return slot.removesuffix(PAST).removesuffix(NOT)


def _part(old: Fact, text: str) -> Fact:
    subject, slot, category = place_of(text)
    timed = old.temporal is not None and bool(times_in(text, anchor_of(began(old.created_at), "")))
    return replace(
        old,
        id=fact_id(f"\0part\0{old.id}", (), fact_key(text)),
        text=text,
        subject=old.subject if subject == USER else subject,
        slot=slot,
        category=category,
        state=State.ACTIVE,
        temporal=old.temporal if timed else None,
        valid_at=old.valid_at if timed or old.temporal is None else "",
        invalid_at=old.invalid_at if timed or old.temporal is None else "",
        expired_at="",
        supersedes=old.id,
        superseded_by="",
        reason="",
        extra="",
    )
