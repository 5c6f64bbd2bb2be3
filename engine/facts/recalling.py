"""Recalling: which facts hold, now or at a date, and how one is told to a reader or a model.

The indexes know nothing of how a fact stands. Of hits that are facts the file is read, of all others nothing: so a fact that was
superseded, retracted or is over never comes back as what is so.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memtree.engine.repo import Repo
from memtree.engine.when import Edge, parse_when
from memtree.indexers.query import Hit, Query, Standing
from memtree.tree.asked_slots import Asked
from memtree.tree.fact import USER, Fact, ReadFact, State, began, fact_path, is_fact_file, read_fact
from memtree.tree.forgotten import is_stub
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

MOST = 1_000  # hits that are looked through for those that hold
LARGEST = 256 * 1024  # bytes of a fact's file; a larger one is a file like any other
ANSWERS = "answers"  # the part of a hit that says what was asked for, in whatever words
_LOOKED_AT = 100  # facts that are looked through for the one that a question asks for
_KEPT = 4_096  # facts in memory
_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)
_AHEAD = 14 * 3_600_000  # where a day begins first, it does so that long before it does in UTC
_BEHIND = 12 * 3_600_000  # where a day ends last, it does so that long after it does in UTC
_DATE = len("2026-03-01")

Cache = dict[tuple[str, RepoPath], ReadFact | None]  # by blob, which never changes, and path, which names the fact


@dataclass(frozen=True, slots=True)
class Told:
    """A fact as it is told: `text` with the time that it speaks of; how it stands now; whether it holds when it is asked of."""

    fact: Fact
    text: str
    standing: Standing
    holds: bool

    @property
    def projection(self) -> str:
        """What is told behind the fact's own text, '' for nothing."""
        return projection(self.fact)


class Facts:
    """The facts of one commit, read one by one when they are asked for."""

    def __init__(
        self, repo: Repo, tip: CommitId, content: str, now: float, as_of: int | None = None, cache: Cache | None = None
    ) -> None:
        """`now` and `as_of` are in epoch seconds; without `as_of` facts hold that do so now. `content` is the content root."""
        self._repo = repo
        self._tip = tip
        self._content = content
        self._now = int(now * 1000)
        self._as_of = None if as_of is None else as_of * 1000 + 999
        self._cache: Cache = {} if cache is None else cache

    def told(self, path: RepoPath) -> Told | None:
        """The fact that a file holds; None for a file that holds none (any more)."""
        found = self._read(path)
        if found is None or is_stub(found.fact.text.encode()):
            return None
        fact = found.fact
        held = holds(fact, self._now) if self._as_of is None else held_at(fact, self._as_of, self._since(fact))
        return Told(fact, fact.text + projection(fact), standing(fact, self._now), held)

    def leaves_out(self, path: RepoPath, kind: Kind) -> bool:
        """Whether a file is a fact that does not hold when it is asked of, or whose text is gone or forgotten."""
        if kind is not Kind.FACT or not is_fact_file(path):
            return False
        found = self.told(path)
        return not found.holds if found is not None else self._is_gone(path)

    def marked(self, hit: Hit) -> Hit:
        """A hit of a fact with how it stands, and with the time that it speaks of; any other as it is."""
        found = self.told(hit.path) if hit.kind is Kind.FACT and hit.fact is None else None
        return hit if found is None else hit._replace(snippet=hit.snippet + found.projection, fact=found.standing)

    def _is_gone(self, path: RepoPath) -> bool:
        found = self._read(path)
        return found is not None or self._entry(path) is None

    def _entry(self, path: RepoPath) -> Entry | None:
        entry = self._repo.entry(self._tip, path)
        return entry if entry is not None and entry.is_file else None

    def _read(self, path: RepoPath) -> ReadFact | None:
        entry = self._entry(path)
        if entry is None or self._repo.size(entry.id) > LARGEST:
            return None
        key = (entry.id, path)
        if key not in self._cache:
            if len(self._cache) >= _KEPT:
                self._cache.clear()
            self._cache[key] = read_fact(path, self._repo.blob(entry.id), entry.id)
        return self._cache[key]

    def _since(self, fact: Fact) -> str:
        """From when a fact holds: what took another one's place does so at the earliest since that one ceased to."""
        if fact.valid_at or not fact.supersedes:
            return fact.valid_at
        before = self._read(fact_path(fact.supersedes, self._content))
        return "" if before is None else _end(before.fact)


def holds(fact: Fact, now: int) -> bool:
    """Whether a fact is told as what is so; `now` in epoch milliseconds.

    One that is yet to come is told where its text says when: a plan is known before its day. What was over when it was told was
    told as what had been, and stays so.
    """
    start, end, learned = began(fact.valid_at), began(fact.invalid_at), began(fact.created_at)
    ahead, behind = (_AHEAD if len(fact.valid_at) <= _DATE else 0), (_BEHIND if len(fact.invalid_at) <= _DATE else 0)
    begun = start is None or start - ahead <= now or fact.temporal is not None
    return fact.active and begun and (end is None or now < end + behind or (learned is not None and end <= learned))


def held_at(fact: Fact, at: int, since: str) -> bool:
    """Whether a fact was so at a moment (epoch milliseconds), whenever memory learned of it. Open ends count.

    What was retracted without a day was never so; what was superseded without one was so until memory learned better.
    """
    end, start = began(_end(fact)), began(since)
    if end is None and not fact.active:
        return False
    return (start is None or start <= at) and (end is None or at < end)


def _end(fact: Fact) -> str:
    return fact.invalid_at or (fact.expired_at if fact.state is State.SUPERSEDED else "")


def standing(fact: Fact, now: int) -> Standing:
    """How a fact stands now, with what is said of one that does not hold; `now` in epoch milliseconds."""
    return Standing(fact.id, fact.state.value, fact.valid_at, fact.invalid_at, _mark(fact, now))


def _mark(fact: Fact, now: int) -> str:
    if not fact.active:
        day = (fact.invalid_at or fact.expired_at)[:10]
        return f"{fact.state.value} {day}".strip()
    if holds(fact, now):
        return ""
    end = began(fact.invalid_at)
    return f"until {fact.invalid_at[:10]}" if end is not None and end <= now else f"from {fact.valid_at[:10]}"


def projection(fact: Fact) -> str:
    """What is told behind a fact's text where that counts from what was today then: ` [time: 2026-02]`, or '' for nothing."""
    if fact.temporal is None:
        return ""
    from memtree.tree.spoken_time import projected  # its grammars are only read where there is something to tell

    return projected(fact.text, fact.temporal)[len(fact.text) :]


def sifted(query: Query, hits: Sequence[Hit], facts: Facts, ask: Callable[[Query], Sequence[Hit]]) -> list[Hit]:
    """The hits with how facts stand: those that hold, and below them, where the query wants them, the others.

    Where some do not, `ask` is asked for more until there are as many as are wanted that do.
    """
    wanted = query.limit
    while True:
        current, past = _parted(hits, facts, query.as_of)
        if len(current) >= query.limit or not past or len(hits) < wanted or wanted >= MOST:
            break
        wanted = min(MOST, 4 * wanted + 20)
        hits = ask(query._replace(limit=wanted))
    kept = current[: query.limit]
    return kept + _below(kept, past)[: query.limit - len(kept)] if query.past else kept


def answering(
    query: Query, asked: Sequence[Asked], hits: Sequence[Hit], facts: Facts, ask: Callable[[Query], Sequence[Hit]]
) -> list[Hit]:
    """The hits with the facts first that hold in the slots asked for: `I moved to Hull` says where one lives, in other words."""
    if not asked or (query.kinds and Kind.FACT not in query.kinds):
        return list(hits)
    first: dict[RepoPath, Hit] = {}
    for slot, words in asked:
        for hit in ask(query._replace(text=f"{query.text} {words}", kinds=(Kind.FACT,), limit=_LOOKED_AT, past=False)):
            told = facts.told(hit.path)
            if told is not None and told.holds and (told.fact.subject, told.fact.slot) == (USER, slot):
                first.setdefault(hit.path, facts.marked(hit))
    best = max((hit.score for hit in hits), default=0.0)
    kept = [hit._replace(score=max(best, hit.score), parts=((ANSWERS, 1.0), *hit.parts)) for hit in first.values()]
    return (kept + [hit for hit in hits if hit.path not in first])[: query.limit]


def _parted(hits: Sequence[Hit], facts: Facts, as_of: int | None) -> tuple[list[Hit], list[Hit]]:
    current, past = [], []
    for hit in hits:
        marked = facts.marked(hit)
        if not (facts.leaves_out(hit.path, hit.kind) or _later(hit, as_of)):
            current.append(marked)
        elif marked.fact is not None or hit.kind is not Kind.FACT:
            past.append(marked)
    return current, past


def _later(hit: Hit, as_of: int | None) -> bool:
    """A fact that was learned later may have been so then; what was said later tells of later."""
    return as_of is not None and hit.kind is not Kind.FACT and hit.time is not None and hit.time > as_of


def _below(kept: Sequence[Hit], past: Sequence[Hit]) -> list[Hit]:
    """What does not hold, in its order, with no score above any of what does."""
    least = min((hit.score for hit in kept), default=None)
    if least is None:
        return list(past)
    return [
        hit if hit.score <= least else hit._replace(score=least, parts=(*hit.parts, ("past", round(least - hit.score, 4))))
        for hit in past
    ]


def moment_of(typed: str, now: int) -> int:
    """The last second of a day, a month or a year in UTC, or any time that people write, in epoch seconds; raise UnknownTime.

    Days of facts are days in UTC, whoever asks.
    """
    found = _DAY.fullmatch(typed.strip())
    if found is None:
        return parse_when(typed, now, edge=Edge.END)
    year, month = int(found[1]), int(found[2] or 12)
    try:
        last = datetime(year, month, int(found[3] or monthrange(year, month)[1]), 23, 59, 59, tzinfo=UTC)
    except ValueError:
        return parse_when(typed, now, edge=Edge.END)  # which says what is wrong
    return int(last.timestamp())
