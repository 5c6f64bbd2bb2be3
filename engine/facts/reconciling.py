"""Reconciling: what becomes of candidates, given the facts that there are. A pure function; a judge is asked at most once.

Rules decide what they can: what says the same, what says more, what says otherwise of the same thing. Only of what they leave open
is a judge asked, and it can never do what rules forbid: only a fact of the same subject under the same slot is closed, what a
person pinned or wrote is not touched, and nothing is closed without what takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from memtree.engine.facts.becoming import identity, late, marks, new_fact, superseded, superseding, told_again, updated
from memtree.engine.facts.candidate import Candidate, Decision, Outcome
from memtree.engine.facts.evolving import Evolving
from memtree.engine.facts.ordering import is_newer, order_of, overlapping
from memtree.engine.facts.parting import put_remaining
from memtree.engine.facts.retracting import closed_late, retract, taken_back_since
from memtree.engine.facts.verdicts import Verdict, may_be_same, text_of_update
from memtree.engine.facts.view import FactView
from memtree.tree.fact import LONGEST, USER, Fact, FactKind, ReadFact, State
from memtree.tree.fact_key import fact_key
from memtree.tree.fact_likeness import Likeness, likeness
from memtree.tree.fact_slots import NOT, PAST, is_single, located, place_of
from memtree.tree.paths import RepoPath

SHOWN = 5  # facts that a judge is shown beside one candidate
_PINNED = "a pinned fact says otherwise"
_MOST_ALIKE = 200  # facts that the same turns tell under one slot


class Question(NamedTuple):
    """A candidate that rules leave open, and the facts that it may have to do with."""

    candidate: Candidate
    facts: tuple[ReadFact, ...]


class Judge(Protocol):
    """Who decides what rules leave open, such as a model."""

    def judge(self, questions: Sequence[Question]) -> Sequence[Verdict | None]:
        """A verdict on each, None for no opinion. What goes wrong is raised."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What was decided of each candidate, in their order; the files that this makes of facts; what a person should know.

    `told` are ids and hashes for each decision, to be known again (see `known`) once the files are committed.
    """

    decisions: tuple[Decision, ...] = ()
    files: dict[RepoPath, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    told: tuple[frozenset[str], ...] = ()


def reconcile(
    view: FactView,
    candidates: Sequence[Candidate],
    *,
    now_ms: int,
    known: frozenset[str] = frozenset(),
    judge: Judge | None = None,
) -> Plan:
    """Decide what becomes of candidates. `known` is what `Plan.told` said of earlier ones; what it has and no file is was deleted.

    They are taken in the order in which they were said, each on top of what became of those before. Raises what the judge raises.
    """
    if not candidates:
        return Plan()
    placed = [placed_one(one) for one in candidates]
    verdicts = _asked(view, placed, judge)
    run = _Run(view, known, now_ms)
    decided = {number: run.decide(placed[number], verdicts.get(number)) for number in in_order(placed)}
    decisions, told = zip(*(decided[number] for number in range(len(placed))), strict=True)
    return Plan(decisions, run.facts.files(), tuple(run.notes), told)


def in_order(candidates: Sequence[Candidate]) -> list[int]:
    """The numbers of candidates in the order in which they were said: by time, by turn, then as they came."""

    def said(number: int) -> tuple[int, int, int]:
        one = candidates[number]
        seqs = [source.seq for source in one.sources] or [*one.seqs]
        return one.observed or 0, max(seqs, default=0), number

    return sorted(range(len(candidates)), key=said)


def placed_one(candidate: Candidate) -> Candidate:
    """The candidate under a subject, a slot and a category."""
    candidate = replace(candidate, text=candidate.text.strip()[:LONGEST].strip(), subject=candidate.subject or USER)
    if candidate.slot or not candidate.text:
        return candidate if candidate.category else replace(candidate, category=candidate.slot.partition(".")[0])
    subject, slot, category = place_of(candidate.text)
    subject = subject if candidate.subject == USER else candidate.subject
    return replace(candidate, subject=subject, slot=slot, category=candidate.category or category)


def open_questions(view: FactView, candidates: Sequence[Candidate]) -> list[tuple[int, Question]]:
    """The candidates that rules leave open on a view, by their numbers."""
    found = []
    for number, one in enumerate(candidates):
        if not one.text or one.retracts or view.saying(one.subject, fact_key(one.text)):
            continue
        beside = [fact for fact in view.in_slot(one.subject, one.slot) if fact.fact.active]
        if any(_related(fact.fact.text, one.text) for fact in beside):
            continue
        near = view.candidates_for(one, SHOWN)
        if near:
            found.append((number, Question(one, near)))
    return found


def _related(old: str, new: str) -> bool:
    return Likeness.DIFFERENT not in (likeness(old, new), likeness(new, old))


def _asked(view: FactView, candidates: Sequence[Candidate], judge: Judge | None) -> dict[int, Verdict]:
    questions = open_questions(view, candidates) if judge is not None and view.facts else []
    if judge is None or not questions:
        return {}
    answers = judge.judge([question for _, question in questions])
    return {number: answer for (number, _), answer in zip(questions, answers, strict=False) if answer is not None}


class _Run:
    """One batch being decided."""

    def __init__(self, view: FactView, known: frozenset[str], now_ms: int) -> None:
        self.facts = Evolving(view)
        self.notes: list[str] = []
        self._known = known
        self._now = now_ms

    def decide(self, one: Candidate, verdict: Verdict | None) -> tuple[Decision, frozenset[str]]:
        """What becomes of one candidate, and what is to be known of it; the facts are then as it makes them."""
        if not one.text:
            return Decision(one, Outcome.NOOP, "", reason="it says nothing"), frozenset()
        if one.retracts:
            taken = retract(self.facts, one, self._now, self._known)
            return taken, frozenset({taken.fact} if taken.outcome is Outcome.RETRACT else ())
        key = fact_key(one.text)
        decision = self._again(one, key)
        if decision is None:
            fact = self._free_id(one, key)
            decision = fact if isinstance(fact, Decision) else self._placed(one, new_fact(one, fact, self._now), verdict)
        found = self.facts.get(decision.fact)
        rests = decision.outcome is not Outcome.NOOP or (found is not None and _rests(found, one))
        return decision, marks(one, key) | {decision.fact} if decision.fact and rests else frozenset()

    # -- what is known
    def _again(self, one: Candidate, key: str) -> Decision | None:
        """What says the same already, whatever became of it; None where this is news."""
        same = [found for found in self.facts.saying(one.subject, key) if not of_another_time(found.fact, one)]
        told = next((found for found in same if _rests(found, one)), None) or self._absorbed(one)
        if told is not None:
            since = "" if told.fact.active else f", and it is {told.fact.state.value} since"
            return Decision(one, Outcome.NOOP, told.fact.id, told.fact.id, f"these turns told it{since}")
        for found in sorted(same, key=lambda found: (not found.fact.active, found.fact.slot != one.slot, found.fact.id)):
            if found.fact.active:
                return self._united(one, found, "it is known")
            decision = self._closed(one, found)
            if decision is not None:
                return decision
        return None

    def _absorbed(self, one: Candidate) -> ReadFact | None:
        """The fact that these turns told in other words, before later ones said it better or closed it."""
        beside = self.facts.comparable(one.subject, one.slot, one.text) if one.sources else []
        for found in beside:
            if found.fact.slot == one.slot and _rests(found, one) and _one_says_more(found.fact.text, one.text):
                return found
        return None

    def _closed(self, one: Candidate, found: ReadFact) -> Decision | None:
        """What says the same and holds no longer: told by new turns after that it is news, else it is known."""
        fact = found.fact
        fresh = new_fact(one, fact.id, self._now)
        if fact.state is State.RETRACTED:
            if fact.expired_at and fresh.created_at < fact.expired_at:
                return Decision(one, Outcome.NOOP, fact.id, fact.id, "it was taken back after this was said")
            return None
        newer = self.facts.get(fact.superseded_by)
        if newer is not None and is_newer(newer.fact, fresh):
            return self._united(one, found, "it is known, and superseded")
        return None

    def _united(self, one: Candidate, found: ReadFact, reason: str) -> Decision:
        """Nothing new but the turns that tell it."""
        fact = found.fact if found.fact.pinned else told_again(found.fact, one)
        if fact != found.fact:
            self.facts.put(fact, edited=found.edited)
            reason = f"{reason}; it was told again"
        return Decision(one, Outcome.NOOP, fact.id, fact.id, reason)

    def _free_id(self, one: Candidate, key: str) -> str | Decision:
        """The id of what a candidate becomes, or why it becomes nothing."""
        if one.sources and marks(one, key) <= self._known:
            return Decision(one, Outcome.NOOP, "", reason="it was known from these turns, and a person deleted it")
        for number in range(1, _MOST_ALIKE):
            fact = identity(one, key, number)
            found = self.facts.get(fact)
            if self.facts.gone(fact):
                return Decision(one, Outcome.NOOP, fact, fact, "what these turns told was forgotten")
            if found is None:
                if fact in self._known:
                    return Decision(one, Outcome.NOOP, fact, reason="a person deleted what these turns told")
                return fact
            if not one.sources:
                continue
            if found.edited:
                return Decision(one, Outcome.NOOP, fact, fact, "a person wrote what these turns are to say")
            if found.fact.state is State.RETRACTED:
                return Decision(one, Outcome.NOOP, fact, fact, "what these turns told was taken back")
            if is_single(one.slot) and set(one.sources) < set(found.fact.sources):
                return Decision(one, Outcome.NOOP, fact, fact, "later turns said it better")
        return Decision(one, Outcome.NOOP, "", reason="these turns say too much of one thing")

    # -- what stands under the slot
    def _placed(self, one: Candidate, new: Fact, verdict: Verdict | None) -> Decision:
        beside = self.facts.comparable(one.subject, one.slot, one.text)
        likenesses = [(found, likeness(found.fact.text, one.text)) for found in beside]
        taken_back = taken_back_since(new, beside)
        if taken_back is not None:
            self.facts.put(closed_late(new, taken_back))
            return Decision(one, Outcome.ADD, new.id, taken_back.id, "it came late: it was taken back since")
        active = [(found, alike) for found, alike in likenesses if found.fact.active and found.fact.slot == one.slot]
        for found, alike in active:
            if alike is Likeness.SAME and not of_another_time(found.fact, one):
                return self._united(one, found, "it is known")
        for found, _ in active:
            if likeness(one.text, found.fact.text) is Likeness.REFINES and not of_another_time(found.fact, one):
                return self._united(one, found, "what is known says more")
        for found, alike in active:
            if alike is Likeness.REFINES and not of_another_time(found.fact, one):
                return self._refined(one, new, found)
        conflicting = [found for found, alike in likenesses if self._says_otherwise(found, new, alike)]
        if any(found.fact.active for found in conflicting):
            return self._against(one, new, conflicting)
        return self._added(one, new) if verdict is None else self._judged(one, new, verdict)

    def _says_otherwise(self, found: ReadFact, new: Fact, alike: Likeness) -> bool:
        if found.fact.state is State.RETRACTED or not overlapping(found.fact, new) or _asks(new.text):
            return False
        if found.fact.slot.removesuffix(PAST) != new.slot.removesuffix(PAST):
            return alike is Likeness.CONTRADICTS
        if found.fact.slot != new.slot:
            return _over_since(found.fact, new)
        return alike is Likeness.CONTRADICTS or (alike is Likeness.DIFFERENT and _put_there(new))

    def _added(self, one: Candidate, new: Fact, *, target: str = "", reason: str = "", by: str = "rules") -> Decision:
        self.facts.put(new)
        return Decision(one, Outcome.ADD, new.id, target, reason, by)

    def _refined(self, one: Candidate, new: Fact, found: ReadFact) -> Decision:
        if found.fact.pinned or found.edited:
            return self._added(one, new, target=found.fact.id, reason="it says more than what a person wrote, which stays")
        self.facts.put(updated(found.fact, one))
        return Decision(one, Outcome.UPDATE, found.fact.id, found.fact.id, "it says more")

    def _against(self, one: Candidate, new: Fact, others: Iterable[ReadFact], *, by: str = "rules", why: str = "") -> Decision:
        """What says otherwise of one thing: the older one is closed, whichever came in first."""
        others = [*others]
        pinned = [found for found in others if found.fact.pinned and found.fact.active]
        plain = sorted((found for found in others if not found.fact.pinned), key=lambda found: order_of(found.fact))
        newer = [found for found in plain if is_newer(found.fact, new)]
        if any(found.fact.active for found in newer):
            self.facts.put(late(new, newer[0].fact, "a newer fact was known when it came in"))
            put_remaining(self.facts, ReadFact(new, new.path(), edited=False), newer[0].fact.text)
            return Decision(one, Outcome.ADD, new.id, newer[0].fact.id, "it came late: it is stored as closed", by)
        older = [found for found in plain if found.fact.active]
        if pinned:
            new = replace(new, reason=_PINNED)
        if not older:
            return self._added(one, new, target=pinned[0].fact.id if pinned else "", reason=_PINNED if pinned else why, by=by)
        for found in older:
            reason = "a newer fact says otherwise" + f", as {by} found" * (by != "rules")
            self.facts.put(superseded(found.fact, new, reason), edited=found.edited)
            put_remaining(self.facts, found, new.text)
        last = older[-1].fact
        self.facts.put(superseding(new, last))
        return Decision(one, Outcome.SUPERSEDE, new.id, last.id, _PINNED if pinned else why or "it says otherwise", by)

    # -- what a judge says
    def _judged(self, one: Candidate, new: Fact, verdict: Verdict) -> Decision:
        found = self.facts.get(verdict.target) if verdict.target else None
        if verdict.outcome is Outcome.ADD:
            return self._added(one, new, reason=verdict.reason, by=verdict.by)
        does: dict[Outcome, Callable[[Candidate, Fact, Verdict, ReadFact], Decision | str]] = {
            Outcome.NOOP: self._same_says_judge,
            Outcome.UPDATE: self._more_says_judge,
            Outcome.SUPERSEDE: self._otherwise_says_judge,
        }
        why: Decision | str = "only what is said can take a fact back"
        if found is None or not found.fact.active:
            why = "there is no such fact"
        elif verdict.outcome in does:
            why = does[verdict.outcome](one, new, verdict, found)
        if isinstance(why, Decision):
            return why
        self.notes.append(f"{verdict.by}: {verdict.outcome.value} was not done, the fact is added: {why}")
        return self._added(one, new, reason=f"{verdict.outcome.value} was not done: {why}", by=verdict.by)

    def _same_says_judge(self, one: Candidate, new: Fact, verdict: Verdict, found: ReadFact) -> Decision | str:  # noqa: ARG002
        if found.fact.subject != one.subject or not may_be_same(found.fact.text, one.text):
            return "it is not the same"
        return replace(self._united(one, found, verdict.reason or "it is known"), by=verdict.by)

    def _more_says_judge(self, one: Candidate, new: Fact, verdict: Verdict, found: ReadFact) -> Decision | str:
        if not _one_place(found.fact, new):
            return "it is another subject or slot"
        if found.fact.pinned or found.edited:
            return "a person wrote that one"
        text, why = text_of_update(found.fact.text, one.text, verdict.text)
        if why == "contradicts":
            return self._otherwise_says_judge(one, new, verdict, found)
        if not text:
            return why
        self.facts.put(updated(found.fact, one, text, verdict.by if text != one.text else ""))
        return Decision(one, Outcome.UPDATE, found.fact.id, found.fact.id, verdict.reason or "it says more", verdict.by)

    def _otherwise_says_judge(self, one: Candidate, new: Fact, verdict: Verdict, found: ReadFact) -> Decision | str:
        if not _one_place(found.fact, new):
            return "it is another subject or slot"
        if not overlapping(found.fact, new):
            return "they speak of different times"
        return self._against(one, new, [found], by=verdict.by, why=verdict.reason)


def _one_place(old: Fact, new: Fact) -> bool:
    return old.subject == new.subject and old.slot.removesuffix(NOT) == new.slot.removesuffix(NOT)


def _rests(found: ReadFact, one: Candidate) -> bool:
    """Whether a fact rests on all turns that told a candidate."""
    turns = {(source.session, source.seq) for source in found.fact.sources}
    return bool(one.sources) and all((source.session, source.seq) in turns for source in one.sources)


def _one_says_more(one: str, two: str) -> bool:
    return bool({Likeness.SAME, Likeness.REFINES} & {likeness(one, two), likeness(two, one)})


def _put_there(fact: Fact) -> bool:
    """Whether a person put a fact into a slot of one value that its words do not tell: words say nothing of how it stands there."""
    return is_single(fact.slot) and place_of(fact.text).slot != fact.slot


def _asks(text: str) -> bool:
    return text.rstrip(" \"'”’)）」").endswith(("?", "？"))


def _over_since(one: Fact, two: Fact) -> bool:
    """Whether the newer of two facts says of the very thing that the other tells that it was so once: `I used to love coffee`."""
    present, past = sorted((one, two), key=lambda fact: fact.slot.endswith(PAST))
    value = fact_key(located(present.text).value)
    return bool(value) and value == fact_key(located(past.text).value) and order_of(present) < order_of(past)


def of_another_time(fact: Fact, one: Candidate) -> bool:
    """Whether the same words speak of another time: `dinner with Ana tomorrow`, said in two weeks."""
    if fact.kind is FactKind.PINNED or (fact.active and is_single(fact.slot)):
        return False
    if fact.temporal is not None and one.temporal is not None:
        return fact.temporal.resolved_start != one.temporal.resolved_start
    return bool(fact.valid_at and one.valid_at) and fact.valid_at != one.valid_at
