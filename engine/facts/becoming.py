"""Becoming: what a candidate and the facts that it touches become, as values. Nothing here decides.

Every moment comes from what was said and when, never from the clock of the machine that reads it: two machines that read the same
turns write the same bytes.
"""

from __future__ import annotations

from dataclasses import replace

from memtree.engine.facts.candidate import Candidate
from memtree.engine.facts.ordering import begins, earlier_of, held_until
from memtree.tree.fact import LONGEST, MOST_SOURCES, MOST_TAGS, Fact, FactSource, State, began, fact_id, moment, with_sources

_DAY = 10  # characters of a moment that name the day


def identity(candidate: Candidate, key: str, number: int = 1) -> str:
    """The id of what a candidate becomes: by its turns and its slot, or by its text where it has no turn.

    The second and later facts that the same turns tell under the same slot are numbered.
    """
    slot = candidate.slot if number == 1 else f"{candidate.slot}#{number}"
    if not candidate.sources:
        return fact_id(f"\0{candidate.subject}\0{key}", (), slot)
    sessions = sorted({source.session for source in candidate.sources})
    return fact_id("\0".join(sessions), [source.seq for source in candidate.sources], slot)


def marks(candidate: Candidate, key: str) -> frozenset[str]:
    """What is kept of a text that was told by these turns, to know it again when its fact is gone: hashes, no words."""
    return frozenset(fact_id(f"\0told\0{one.session}", [one.seq], f"{candidate.subject}\0{key}") for one in candidate.sources)


def told(candidate: Candidate, now_ms: int) -> str:
    """When it was said, as a moment; now where nobody knows."""
    return moment(now_ms if candidate.observed is None else candidate.observed)


def new_fact(candidate: Candidate, fact: str, now_ms: int, reason: str = "") -> Fact:
    """The candidate as a fact of its own."""
    made = Fact(
        id=fact,
        text=candidate.text.strip()[:LONGEST],
        category=candidate.category,
        tags=tags_of(candidate),
        subject=candidate.subject,
        slot=candidate.slot,
        confidence=min(max(candidate.confidence, 0.0), 1.0),
        attributed_to=candidate.attributed_to,
        temporal=candidate.temporal,
        valid_at=candidate.valid_at,
        invalid_at=candidate.invalid_at,
        created_at=told(candidate, now_ms),
        reason=reason,
        generator=candidate.generator,
    )
    return with_sources(made, candidate.sources)


def tags_of(candidate: Candidate) -> tuple[str, ...]:
    """One to three tags: where nobody gave any, what it is about."""
    return candidate.tags[:MOST_TAGS] or tuple(filter(None, (candidate.category,)))


def updated(old: Fact, candidate: Candidate, text: str = "", generator: str = "") -> Fact:
    """The old fact saying what the candidate says, or `text`; it keeps its id and rests on the turns of both."""
    made = replace(
        old,
        text=(text or candidate.text).strip()[:LONGEST],
        category=old.category or candidate.category,
        tags=tuple(dict.fromkeys((*old.tags, *candidate.tags)))[:MOST_TAGS],
        confidence=max(old.confidence, candidate.confidence),
        temporal=candidate.temporal or (old.temporal if text else None),
        valid_at=candidate.valid_at or old.valid_at,
        invalid_at=candidate.invalid_at or old.invalid_at,
        generator=generator or candidate.generator,
    )
    return with_sources(_held(made, candidate), _more(old, candidate.sources))


def told_again(old: Fact, candidate: Candidate) -> Fact:
    """The old fact resting on the candidate's turns too; itself where they are no news to it."""
    return united(_held(old, candidate), candidate.sources)


def united(old: Fact, sources: tuple[FactSource, ...]) -> Fact:
    """The fact resting on these turns too. Of a fact that is told very often not all can be kept."""
    more = _more(old, sources)
    if len(old.sources) >= MOST_SOURCES:
        # Which turns there is no room for is not remembered: those that come in again would push others out for ever.
        last = old.sources[-1]
        more = tuple(one for one in more if one.session == last.session and one.seq > last.seq)
    return with_sources(old, more) if more else old


def _held(fact: Fact, candidate: Candidate) -> Fact:
    """The fact known to have been so as late as the candidate's turns say."""
    if candidate.observed is None or not candidate.sources:
        return fact
    until = held_until(new_fact(candidate, fact.id, candidate.observed))
    return replace(fact, told_at=moment(until)) if until > held_until(fact) else fact


def _more(old: Fact, sources: tuple[FactSource, ...]) -> tuple[FactSource, ...]:
    known = {(one.session, one.seq) for one in old.sources}
    return tuple(one for one in sources if (one.session, one.seq) not in known)


def superseded(old: Fact, new: Fact, reason: str) -> Fact:
    """The old fact closed by a newer one. An end that it had before, and that comes first, stays."""
    end = begins(new)
    if (began(end) or 0) < (began(old.valid_at) or 0):
        end = new.last_told[:_DAY]  # it was told later, of a time before: nothing ends before it begins
    return replace(
        old,
        state=State.SUPERSEDED,
        invalid_at=earlier_of(old.invalid_at, end),
        expired_at=max(old.last_told, new.last_told),
        superseded_by=new.id,
        reason=reason,
    )


def superseding(new: Fact, old: Fact) -> Fact:
    """The new fact in the place of an old one."""
    return replace(new, supersedes=old.id)


def late(new: Fact, newer: Fact, reason: str) -> Fact:
    """A fact that comes in when a newer one stands already: closed from the beginning."""
    return superseded(new, newer, reason)


def retracted(old: Fact, when: str, since: str, reason: str) -> Fact:
    """The old fact as one that holds no longer, found out at `when`; its sources stay."""
    return replace(
        old,
        state=State.RETRACTED,
        invalid_at=earlier_of(old.invalid_at, since or when[:_DAY]),
        expired_at=when,
        reason=reason,
    )
