"""Managing facts: what a person asks of them and does to them by hand.

A person's word is the last one: what they write down is pinned where they want it so, and what they take back stays taken back.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.facts.becoming import tags_of
from memtree.engine.facts.candidate import Candidate, Decision
from memtree.engine.facts.recalling import held_at, holds, moment_of
from memtree.engine.facts.view import FactView
from memtree.engine.store.report import CommitReport, TooManyRaces
from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import UserError
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import LONGEST, MOST_TAGS, PERSON, Fact, FactKind, InvalidFact, ReadFact, State, began, moment, pinned_id
from memtree.tree.scalars import clean

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_LEAST_PREFIX = 4
_PREFIX = re.compile(r"[0-9a-f]{4,32}", re.ASCII)
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?", re.ASCII)
_LONGEST_TAG = 40  # characters
_REASON = 300  # characters
_ROUNDS = 8


class UnknownFact(UserError):
    """No fact, or more than one, of that id."""


@dataclass(frozen=True, slots=True)
class Added:
    """What came of a statement that was added by hand: the fact as it is now, None where nothing was stored; and why."""

    fact: ReadFact | None
    commit: CommitReport
    decision: Decision | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retracted:
    """A fact that was taken back, as it is now. The commit is unchanged where it was so before."""

    fact: ReadFact
    commit: CommitReport
    notes: tuple[str, ...] = ()


def list_facts(
    workspace: Workspace,
    *,
    state: str = State.ACTIVE.value,
    kind: str = "",
    category: str = "",
    tag: str = "",
    subject: str = "",
    slot: str = "",
    as_of: str = "",
    query: str = "",
    limit: int | None = None,
) -> list[ReadFact]:
    """The facts that match, those told last first. '' does not filter, nor does the state `all`; `slot` takes what is below it too.

    With `as_of`, a date, those that were so then, whatever has become of them. Raise InvalidFact for a state or kind that is none,
    UnknownTime for a date.
    """
    for name, value, of in (("state", state, State), ("kind", kind, FactKind)):
        if value and value not in ("all", *(one.value for one in of)):
            raise InvalidFact(f"{value[:40]!r} is no {name} of facts", hint=f"one of: {', '.join(one.value for one in of)}, all")
    view = FactView.look(workspace)
    words = evidence_tokens(query)
    found = []
    for one in view.facts:
        fact = one.fact
        if as_of:
            if not is_current(fact, as_of, view, now=workspace.options.clock()):
                continue
        elif state not in ("", "all", fact.state.value):
            continue
        wanted = (
            kind in ("", "all", fact.kind.value)
            and category.casefold() in ("", fact.category.casefold())
            and (not tag or tag.casefold() in {each.casefold() for each in fact.tags})
            and subject.casefold() in ("", fact.subject.casefold())
            and (not slot or fact.slot == slot or fact.slot.startswith(f"{slot}."))
        )
        if wanted and (not query or query.casefold() in fact.text.casefold() or (words and words <= evidence_tokens(fact.text))):
            found.append(one)
    found.sort(key=lambda one: (one.fact.last_told, one.fact.id), reverse=True)
    return found[:limit]


def is_current(fact: Fact, as_of: str, view: FactView | None = None, *, now: float = 0.0) -> bool:
    """Whether a fact was so at a date, or with '' is so now (epoch seconds). Raise UnknownTime.

    With a view, what took the place of another fact was so at the earliest when that one ceased to be.
    """
    if not as_of:
        return holds(fact, int(now * 1000))
    before = None if view is None or fact.valid_at else view.get(fact.supersedes)
    since = fact.valid_at if before is None else before.fact.invalid_at or before.fact.expired_at
    return held_at(fact, moment_of(as_of, int(now)) * 1000 + 999, since)


def show_fact(workspace: Workspace, fact: str) -> ReadFact:
    """The fact of an id, or of its first four or more digits where no other begins so. Raise UnknownFact."""
    return found_fact(FactView.look(workspace), fact)


def found_fact(view: FactView, fact: str) -> ReadFact:
    """The same, of a view."""
    typed = fact.strip().lower()
    if not _PREFIX.fullmatch(typed):
        raise UnknownFact(
            f"{fact[:60]!r} is no id of a fact", hint=f"an id has 32 hex digits, of which the first {_LEAST_PREFIX} may do"
        )
    matching = sorted(one for one in view.by_id if one.startswith(typed))
    if len(matching) == 1:
        return view.by_id[matching[0]]
    if matching:
        shown = ", ".join(one[: len(typed) + 4] for one in matching[:5])
        raise UnknownFact(f"{len(matching)} facts have ids that begin with {typed}", hint=f"name more digits: {shown}")
    if any(one.startswith(typed) for one in view.forgotten):
        raise UnknownFact(f"the text of fact {typed} was forgotten", hint="memtree facts list shows the facts there are")
    raise UnknownFact(f"there is no fact {typed}", hint="memtree facts list --state all shows them with their ids")


def add_fact(
    workspace: Workspace,
    text: str,
    *,
    pin: bool = False,
    category: str = "",
    tags: Sequence[str] = (),
    subject: str = "",
    slot: str = "",
    valid_at: str = "",
    invalid_at: str = "",
    source: str = "",
) -> Added:
    """Store what a person or a tool says, redacted. Pinned it is a fact that only a person changes; else it is reconciled by rules,
    each idea of it by itself; the first one is told of.

    `source` says through what it came, for the commit. Raise InvalidFact for what cannot be stored, and what the store raises.
    """
    # Who only lists facts need not wait for the grammars that read a statement.
    from memtree.engine.facts.reconciling import placed_one, reconcile
    from memtree.engine.facts.writing import commit_plan
    from memtree.tree.facets import normal_key
    from memtree.tree.fact_likeness import retraction
    from memtree.tree.fact_parts import parts_of

    def key(words: str) -> str:
        return normal_key("".join(sign if sign.isalnum() or sign in "_-'" else " " for sign in safe(words)))

    def safe(words: str) -> str:
        return " ".join(workspace.redactor.text(clean(words)).split())

    given, text = text, _text(workspace, text)
    notes = ("a secret was taken out of the text",) if _plain(given) != _plain(text) else ()
    now = int(workspace.options.clock() * 1000)
    said = Candidate(
        text,
        tags=_tags(safe(tag) for tag in tags),
        category=safe(category),
        slot=".".join(filter(None, map(key, slot.split(".")))),
        confidence=1.0,
        generator=PERSON,
        observed=now,
        retracts=not pin and retraction(text) is not None,
    )
    said = replace(said, subject=key(subject) or said.subject)
    whole = pin or said.retracts or bool(said.slot)
    dates = _date(valid_at), _date(invalid_at)
    ideas = [placed_one(_timed(workspace, replace(said, text=part), *dates)) for part in ((text,) if whole else parts_of(text))]
    if pin:
        return _pinned(workspace, ideas[0], now, source, notes)
    if len(ideas) > 1:
        notes = (*notes, f"it says {len(ideas)} things, and each is a fact of its own")
    report = commit_plan(workspace, lambda view, _: reconcile(view, ideas, now_ms=now))
    decision = report.decisions[0]
    stored = FactView.look(workspace).get(decision.fact) if decision.fact and not report.blocked else None
    return Added(stored, report.commit, decision, (*notes, *report.notes))


def retract_fact(workspace: Workspace, fact: str, reason: str = "") -> Retracted:
    """Take a fact back, a pinned one too, because a person says that it is wrong. Its turns do not tell it again.

    Raise UnknownFact, and what the store raises.
    """
    from memtree.engine.facts.evolving import Evolving
    from memtree.engine.facts.writing import write_files

    said = " ".join(workspace.redactor.text(clean(reason)).split())[:_REASON]
    when = moment(int(workspace.options.clock() * 1000))
    for _ in range(_ROUNDS):
        view = FactView.look(workspace)
        found = found_fact(view, fact)
        if found.fact.state is State.RETRACTED:
            tip = workspace.repo.tip(workspace.settings.ref)
            return Retracted(found, CommitReport(tip, tip), ("it was taken back before",))
        facts = Evolving(view)
        facts.put(
            replace(found.fact, state=State.RETRACTED, expired_at=when, reason=said or "a person took it back"), edited=found.edited
        )
        message = f"fact {found.fact.id[:12]} retracted\n\nretract {found.fact.id}\n\nMemtree-Writer: cli\n"
        commit = write_files(workspace, view, facts.files(), message)
        if commit is not None:
            return Retracted(show_fact(workspace, found.fact.id), commit, tuple(workspace.said()))
    raise TooManyRaces


def _timed(workspace: Workspace, one: Candidate, since: str, until: str) -> Candidate:
    """The candidate with the times that its words speak of, counted from now, and with those that were given instead of them."""
    from memtree.engine.facts.zone import zone_here
    from memtree.tree.spoken_time import anchor_of, temporal_of

    anchor = anchor_of(one.observed, workspace.settings.facts.timezone or zone_here())
    temporal, began_at, ended_at = temporal_of(one.text, anchor)
    since, until = since or began_at, until or ended_at
    if since and until and (began(since) or 0) > (began(until) or 0):
        raise InvalidFact("it would end before it begins", hint="name the earlier date as the one from which it is so")
    return replace(one, temporal=temporal, valid_at=since, invalid_at=until)


def _tags(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag[:_LONGEST_TAG] for tag in given if tag))[:MOST_TAGS]


def _pinned(workspace: Workspace, one: Candidate, now: int, source: str, notes: tuple[str, ...]) -> Added:
    fact = Fact(
        id=pinned_id(now, os.urandom(10)),
        text=one.text,
        kind=FactKind.PINNED,
        category=one.category,
        tags=tags_of(one),
        subject=one.subject,
        slot=one.slot,
        confidence=1.0,
        temporal=one.temporal,
        valid_at=one.valid_at,
        invalid_at=one.invalid_at,
        created_at=moment(now),
        generator=PERSON,
    )
    path = fact.path(workspace.settings.content)
    through = " ".join(clean(source).split())[:40]
    message = f"fact {fact.id[:12]} pinned{f' ({through})' * bool(through)}\n\nadd {fact.id}\n\nMemtree-Writer: cli\n"
    commit = workspace.store.write({path: fact.render()}, message=message)
    return Added(FactView.look(workspace).get(fact.id), commit, None, (*notes, *workspace.said()))


def _plain(text: str) -> str:
    return "".join(clean(without_fenced(text)).split())


def _text(workspace: Workspace, text: str) -> str:
    made = workspace.redactor.text(clean(without_fenced(text))).strip()
    made = "\n".join(line.rstrip() for line in made.splitlines())
    if not any(map(str.isalnum, made)):
        raise InvalidFact("a fact needs a text", hint="say what is to be remembered")
    if len(made) > LONGEST:
        raise InvalidFact(
            f"the text has {len(made):,} characters, and a fact at most {LONGEST:,}",
            hint="store it as a note, or say it in fewer words",
        )
    return made


def _date(typed: str) -> str:
    text = typed.strip()
    if not text:
        return ""
    if not _DATE.fullmatch(text) or began(text) is None:
        raise InvalidFact(f"{text[:40]!r} is no date", hint="write it as 2026, 2026-03 or 2026-03-09")
    return text
