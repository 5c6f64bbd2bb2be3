"""The views of facts: one a line, one whole, where one comes from; what became of statements on their way to be facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from memtree.engine.facts.recalling import projection, standing
from memtree.tools.output import counted
from memtree.tools.render import Line, Look, Span
from memtree.tools.render_views import when
from memtree.tree.fact import USER, Fact, ReadFact

if TYPE_CHECKING:
    from memtree.engine.facts.candidate import Candidate, Decision, Fallen, Step
    from memtree.engine.facts.diagnosis import Diagnosis
    from memtree.engine.facts.diagnosis_records import Count, Record
    from memtree.engine.facts.quarantine import Quarantined
    from memtree.engine.facts.telling import Quoted

_SHORT = 8  # characters of an id, or as many as tell it from the others
_LEFT, _QUOTE = 200, 500  # characters of a statement that fell; of a turn


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """How each id may be called: its beginning, long enough that no other one begins so."""
    found: dict[str, str] = {}
    known = sorted(set(ids))
    for at, one in enumerate(known):
        beside = [*known[max(0, at - 1) : at], *known[at + 1 : at + 2]]
        alike = max((_alike(one, other) for other in beside), default=0)
        found[one] = one[: max(_SHORT, alike + 1)]
    return found


def _alike(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def fact_json(read: ReadFact, now: int) -> dict[str, object]:
    """A fact for programs; `told` is its text as it is told, `mark` why it does not hold now; `now` in epoch milliseconds."""
    fact = read.fact
    values: dict[str, object] = asdict(fact)
    values.pop("extra")
    return {
        **values,
        "told": fact.text + projection(fact),
        "mark": standing(fact, now).mark,
        "path": read.path,
        "edited": read.edited,
    }


def fact_line(read: ReadFact, name: str, now: int) -> Line:
    """A fact on one line: how it may be called, its text, and what is to be known of it."""
    fact = read.fact
    mark = standing(fact, now).mark
    # A slot made of the words themselves tells nobody anything.
    place = fact.category if fact.slot.startswith("said.") else fact.slot or fact.category
    about = [place, fact.subject if fact.subject != USER else "", "pinned" * fact.pinned]
    told = ", ".join(filter(None, about))
    return (
        Span(f"{name}  ", Look.FAINT),
        Span(_flat(fact.text) + projection(fact), Look.FAINT if mark else Look.PLAIN),
        Span(f"  ({mark})" if mark else "", Look.WARNING),
        Span(f"  ({told})" if told else "", Look.FAINT),
    )


def fact_rows(read: ReadFact, now: int) -> list[tuple[str, str]]:
    """A fact whole, its values by name."""
    fact = read.fact
    when_told = [("learned", fact.created_at), ("ended in memory", fact.expired_at), ("reason", fact.reason)]
    rows = [
        ("id", fact.id),
        ("state", standing(fact, now).mark or fact.state.value),
        ("kind", fact.kind.value + (", edited by hand" if read.edited and not fact.pinned else "")),
        ("subject", fact.subject),
        ("slot", fact.slot),
        ("category", fact.category),
        ("tags", ", ".join(fact.tags)),
        ("confidence", f"{fact.confidence:g}"),
        ("holds since", fact.valid_at),
        ("held until", fact.invalid_at),
        ("speaks of", _span(fact)),
        *when_told,
        ("in place of", fact.supersedes),
        ("replaced by", fact.superseded_by),
        ("said in", ", ".join(f"{one.session} turn {one.seq}" for one in fact.sources)),
        ("made by", fact.generator),
        ("file", read.path),
    ]
    return [(name, value) for name, value in rows if value]


def _span(fact: Fact) -> str:
    found = fact.temporal
    if found is None:
        return ""
    if found.resolved_start and found.resolved_end not in ("", found.resolved_start):
        return f"{found.resolved_start} to {found.resolved_end}"
    return found.resolved_start or found.display


def quoted_lines(found: Iterable[Quoted], redact: Callable[[str], str]) -> Iterator[Line]:
    """The turns that a fact rests on, without secrets, and whether each still says what it said."""
    looks = {"same": Look.GOOD, "changed": Look.WARNING, "gone": Look.BAD}
    words = {"same": "says so", "changed": "says something else since", "gone": "is gone"}
    for one in found:
        where = f"{one.path}:{one.lines[0]}-{one.lines[1]}" if one.path else f"{one.source.session} turn {one.source.seq}"
        role = f"  {one.role}" if one.role else ""
        yield (
            Span(f"  {where}", Look.PLACE),
            Span(f"{role}  "),
            Span(words.get(one.state, one.state), looks.get(one.state, Look.PLAIN)),
        )
        if one.text:
            yield (Span(f"    {_flat(redact(one.text))[:_QUOTE]}"),)


def quoted_json(one: Quoted, redact: Callable[[str], str]) -> dict[str, object]:
    return {
        "session": one.source.session,
        "seq": one.source.seq,
        "state": one.state,
        "role": one.role,
        "text": redact(one.text),
        "path": one.path,
        "start_line": one.lines[0],
        "end_line": one.lines[1],
    }


# -- on the way


def decision_lines(decisions: Iterable[Decision], names: dict[str, str] | None = None) -> Iterator[Line]:
    """What reconciling did with each statement."""
    for one in decisions:
        target = f" {_called(one.target, names)}" if one.target else ""
        because = f"  ({one.reason}{'' if one.by == 'rules' else f'; {one.by}'})" if one.reason else ""
        yield (
            Span(f"  {one.outcome.value:9}", Look.GOOD if one.outcome.value != "noop" else Look.FAINT),
            Span(f" {_called(one.fact, names)}  {_flat(one.candidate.text)}"),
            Span(f"{f' -{target}' if target and one.target != one.fact else ''}{because}", Look.FAINT),
        )


def _called(fact: str, names: dict[str, str] | None) -> str:
    return (names or {}).get(fact, fact[:_SHORT])


def fallen_lines(fallen: Iterable[Fallen]) -> Iterator[Line]:
    """What fell, at which step and why."""
    for one in fallen:
        why = f"{one.step.value}: {one.reason}" + (f" ({one.detail})" if one.detail else "")
        yield Span("  fell      ", Look.WARNING), Span(_flat(one.candidate.text)[:_LEFT]), Span(f"  {why}", Look.FAINT)


def quarantined_lines(found: Iterable[Quarantined]) -> Iterator[Line]:
    """Statements that are no facts, each with where it stands and why it fell."""
    for one in found:
        yield Span(f"{one.id}  ", Look.FAINT), Span(_flat(one.candidate.text)[:_LEFT]), Span(f"  {one.reason}", Look.WARNING)
        detail = f": {one.detail}" if one.detail else ""
        place = f"{one.session} turns {one.first}-{one.last}"
        yield (Span(f"    {when(one.when)}, {place}, at the step {one.step}{detail}", Look.FAINT),)


def quarantined_json(one: Quarantined) -> dict[str, object]:
    return {
        "id": one.id,
        "text": one.candidate.text,
        "session": one.session,
        "first": one.first,
        "last": one.last,
        "turns": one.candidate.seqs,
        "step": one.step,
        "reason": one.reason,
        "detail": one.detail,
        "when": one.when,
    }


def diagnosis_lines(found: Diagnosis) -> Iterator[Line]:
    """Each stretch with the steps in their order, and where each statement fell."""
    yield (Span(found.session, Look.STRONG),)
    if not found.records:
        yield (Span("Nothing of it was looked at for facts yet."),)
    for record in found.records:
        yield from _record_lines(record)


def _record_lines(record: Record) -> Iterator[Line]:
    how = "tried by rules, nothing was written" if record.dry else f"by {record.by}, {when(record.when)}"
    yield Span(f"turns {record.first}-{record.last}", Look.STRONG), Span(f"  {how}", Look.FAINT)
    left: dict[Step, list[str]] = {}
    for one in record.left_out:
        left.setdefault(one.step, []).append(f"{one.count:,} {one.reason}")
    for count in record.counts:
        out = f"  left out: {', '.join(left[count.step])}" if count.step in left else ""
        yield Span(f"  {count.step.value:10}", Look.FAINT), Span(_counted(count)), Span(out, Look.FAINT)
    yield from fallen_lines(record.fallen)
    yield from decision_lines(record.decisions)


def _counted(count: Count) -> str:
    if count.step.value in ("clean", "normalise"):
        return f"{count.kept:,} of {counted(count.entered, 'message')}"
    if count.step.value == "extract":
        return f"{counted(count.kept, 'statement')} in {counted(count.entered, 'message')}"
    return f"{count.kept:,} of {count.entered:,}"


def candidate_json(one: Candidate) -> dict[str, object]:
    return {"text": one.text, "subject": one.subject, "slot": one.slot, "category": one.category, "turns": one.seqs}


def decision_json(one: Decision) -> dict[str, object]:
    return {
        **candidate_json(one.candidate),
        "outcome": one.outcome.value,
        "fact": one.fact,
        "target": one.target,
        "reason": one.reason,
        "by": one.by,
    }


def fallen_json(one: Fallen) -> dict[str, object]:
    return {**candidate_json(one.candidate), "step": one.step.value, "reason": one.reason, "detail": one.detail}


def record_json(one: Record) -> dict[str, object]:
    return {
        "first": one.first,
        "last": one.last,
        "when": one.when,
        "by": one.by,
        "dry": one.dry,
        "steps": [{"step": count.step.value, "entered": count.entered, "kept": count.kept} for count in one.counts],
        "left_out": [{"step": left.step.value, "reason": left.reason, "count": left.count} for left in one.left_out],
        "fallen": [fallen_json(fallen) for fallen in one.fallen],
        "decisions": [decision_json(decision) for decision in one.decisions],
        "trouble": one.trouble,
    }


def _flat(text: str) -> str:
    return " ".join(text.split())
