"""Pipeline: from what was said in a stretch of a session to facts, step by step.

Clean, normalise, extract, ground, gate, time, sources, redact, reconcile, commit. Each step lets candidates through or names why it
does not; nothing falls in silence. Done again it finds its facts there and changes nothing, so it may be killed anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.facts import quarantine
from memtree.engine.facts.candidate import Candidate, Decision, Fallen, Passed, Step
from memtree.engine.facts.committing import Committed, commit_candidates
from memtree.engine.facts.diagnosis_records import RULES, Count, Record, keep_records
from memtree.engine.facts.extraction import extracted
from memtree.engine.facts.hearing import Heard, heard
from memtree.engine.facts.learned_spans import keep_learned
from memtree.engine.facts.plain import plain_candidates
from memtree.engine.facts.steps import STEPS, Around
from memtree.engine.facts.zone import zone_here
from memtree.tree.errors import StateError

if TYPE_CHECKING:
    from memtree.engine.facts.quarantine import Quarantined
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

_PASSES = 12  # over one stretch in one run; what is still over waits

Span = tuple[str, int, int]  # a session's folder, and the first and last number of a stretch


class StatementGone(StateError):
    """A statement that no turn says any more."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the turns that said {name} were changed or are gone, or never said it",
            hint="write it down yourself: memtree facts add TEXT",
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A stretch whose candidates have come through every step that needs nothing of memory."""

    heard: Heard
    by: str
    candidates: tuple[Candidate, ...]
    fallen: tuple[Fallen, ...]
    counts: tuple[Count, ...]
    rest: int | None
    trouble: str = ""


@dataclass(slots=True)
class Learned:
    """What was learned. `commits` are new ones; `rest` are stretches for which there was too much at once, and that wait."""

    decisions: list[Decision] = field(default_factory=list)
    fallen: list[Fallen] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    rest: list[Span] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Learned) -> None:
        for mine, theirs in zip(self._lists(), other._lists(), strict=True):
            mine.extend(theirs)

    def _lists(self) -> tuple[list[object], ...]:
        return tuple(getattr(self, name) for name in ("decisions", "fallen", "commits", "records", "rest", "notes"))


def learn_segment(workspace: Workspace, folder: str, first: int, last: int, asker: Asker | None = None) -> Learned:
    """Learn the facts of one stretch of a session, named by its folder; with an asker by a model, else by rules.

    Raises what asking raises, and the store; what was committed before that stays, and doing it again changes nothing of it.
    """
    learned, at = Learned(), first
    for _ in range(_PASSES):
        prepared = prepare(workspace, [(folder, at, last)], asker)
        learned.add(commit_prepared(workspace, prepared, asker))
        rest = prepared[0].rest
        if rest is None:
            keep_learned(workspace, [(folder, first, last)], learned.records[0].by)
            return learned
        at = rest
    learned.rest.append((folder, at, last))
    return learned


def learn_by_rules(workspace: Workspace, spans: Sequence[Span], trouble: str = "") -> Learned:
    """Learn the facts of many stretches without a model, in one commit. `trouble` says why none was asked."""
    prepared = prepare(workspace, spans, None, trouble)
    learned = commit_prepared(workspace, prepared, None)
    done = [span for span, one in zip(spans, prepared, strict=True) if one.rest is None]
    learned.rest += [
        (folder, one.rest, last) for (folder, _, last), one in zip(spans, prepared, strict=True) if one.rest is not None
    ]
    keep_learned(workspace, done, RULES)
    return learned


def learn_released(workspace: Workspace, found: Quarantined) -> Learned:
    """Make a statement a fact that a person released. Raise StatementGone, and what the store raises."""
    told = _hear(workspace, [(found.session, found.first, found.last)])[0]
    # A person says that it lasts, which is what these steps are about; a turn must say it all the same.
    without = frozenset({Step.GROUND, Step.GATE})
    prepared = _through(workspace, told, Extraction((found.candidate,), RULES, told.rest), without=without)
    if not prepared.candidates:
        raise StatementGone(found.id)
    return commit_prepared(workspace, [prepared], None, keep=False)


def prepare(workspace: Workspace, spans: Sequence[Span], asker: Asker | None = None, trouble: str = "") -> list[Prepared]:
    """The candidates of stretches, through every step up to reconciling; nothing is written. Raises what asking raises."""
    return [_through(workspace, told, _extract(workspace, told, asker), trouble) for told in _hear(workspace, spans)]


def commit_prepared(workspace: Workspace, prepared: Sequence[Prepared], asker: Asker | None, *, keep: bool = True) -> Learned:
    """Reconcile what was prepared with the facts that there are, and commit what comes of it, all in one commit.

    What fell, and a record of each stretch, are kept beside memory; not so with `keep` False. Raises what the judge does, and the
    store.
    """
    learned = Learned()
    done = Committed()
    if any(each.candidates for each in prepared):
        done = commit_candidates(workspace, [(each.heard, each.candidates) for each in prepared], asker)
        learned.commits += [done.commit] if done.commit else []
        learned.notes += done.notes
    at = 0
    for each in prepared:
        after = at + len(each.candidates)
        record = _record(workspace, each, done, range(at, after))
        at = after
        learned.records.append(record)
        learned.decisions += record.decisions
        learned.fallen += record.fallen
        if keep:
            aside = [one for one in each.fallen if one.step in _ASIDE and (one.step is Step.GATE or each.by != RULES)]
            quarantine.put(workspace, each.heard.folder, each.heard.first, each.heard.last, aside)
    if keep:
        keep_records(workspace, learned.records)
    return learned


_ASIDE = frozenset({Step.GROUND, Step.GATE, Step.SOURCES})


def _record(workspace: Workspace, each: Prepared, done: Committed, numbers: range) -> Record:
    decided = tuple(done.decisions[number] for number in numbers if number in done.decisions)
    fallen = tuple(done.fallen[number] for number in numbers if number in done.fallen)
    late = sum(one.step is Step.RECONCILE for one in fallen)
    counts = (
        *each.counts,
        Count(Step.RECONCILE, len(numbers), len(numbers) - late),
        Count(Step.COMMIT, len(numbers) - late, len(decided)),
    )
    told, now = each.heard, int(workspace.options.clock())
    everything = (*each.fallen, *fallen)
    return Record(told.folder, told.first, told.last, now, each.by, counts, told.left_out, everything, decided, each.trouble)


# -- the steps before that
class Extraction(NamedTuple):
    """What was extracted, by whom, and the number of the turn that a next pass goes on from."""

    candidates: tuple[Candidate, ...]
    by: str
    rest: int | None


def _hear(workspace: Workspace, spans: Iterable[Span]) -> list[Heard]:
    sessions = Sessions.of(workspace)
    zone = workspace.settings.facts.timezone or zone_here(workspace.options.environment)
    return [heard(workspace, sessions, folder, first, last, zone) for folder, first, last in spans]


def _extract(workspace: Workspace, told: Heard, asker: Asker | None) -> Extraction:
    most = workspace.settings.facts.max_facts
    if asker is None or not told.said:
        return _by_words(told, most)
    found = extracted(told.said, told.around, asker, most=most, redact=workspace.redactor.text)
    return Extraction(found.candidates, found.usage.model or "model", told.rest if found.rest is None else found.rest)


def _by_words(told: Heard, most: int) -> Extraction:
    """What words alone tell. Of very many candidates those of the first turns are taken, the others in a next pass."""
    found = sorted(plain_candidates(told.said), key=lambda one: max(one.seqs, default=-1))
    if len(found) <= most:
        return Extraction(tuple(found), RULES, told.rest)
    last = max(found[most - 1].seqs, default=-1)
    rest = min((one.seq for one in told.said if one.seq > last), default=None)
    return Extraction(tuple(one for one in found if max(one.seqs, default=-1) <= last), RULES, told.rest if rest is None else rest)


def _through(
    workspace: Workspace, told: Heard, extraction: Extraction, trouble: str = "", *, without: frozenset[Step] = frozenset()
) -> Prepared:
    """The candidates that come through every step but those `without`."""
    around = Around(told.said, workspace.redactor.text)
    candidates: tuple[Candidate, ...] = extraction.candidates
    counts = [
        Count(Step.CLEAN, told.messages, told.cleaned),
        Count(Step.NORMALISE, told.cleaned, len(told.said)),
        Count(Step.EXTRACT, len(told.said), len(candidates)),
    ]
    fallen: list[Fallen] = []
    for step, take in STEPS:
        passed = Passed(candidates) if step in without else take(candidates, around)
        counts.append(Count(step, len(candidates), len(passed.kept)))
        fallen += passed.fallen
        candidates = passed.kept
    safe = tuple(_safe(one, workspace.redactor.text) for one in fallen)
    return Prepared(told, extraction.by, candidates, safe, tuple(counts), extraction.rest, trouble)


def _safe(fallen: Fallen, redact: Callable[[str], str]) -> Fallen:
    """What fell before the step that redacts, without secrets too."""
    return replace(fallen, candidate=replace(fallen.candidate, text=redact(fallen.candidate.text)), detail=redact(fallen.detail))
