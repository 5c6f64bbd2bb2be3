"""Committing candidates: reconciled with the facts that there are, all in one commit, unless their turns say otherwise by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memtree.engine.closing.open_turns import Sessions
from memtree.engine.facts.candidate import Candidate, Decision, Fallen, Step
from memtree.engine.facts.hearing import Heard
from memtree.tree.episode import session_folder
from memtree.tree.fact import quote_hash
from memtree.tree.segments import segment_id

if TYPE_CHECKING:
    from memtree.engine.facts.reconciling import Plan
    from memtree.engine.facts.view import FactView
    from memtree.engine.llm.asking import Asker
    from memtree.engine.workspace import Workspace

_ROUNDS = 3


@dataclass(slots=True)
class Committed:
    """What became of candidates, by their numbers. `commit` is '' where nothing had to be written."""

    decisions: dict[int, Decision] = field(default_factory=dict)
    fallen: dict[int, Fallen] = field(default_factory=dict)
    commit: str = ""
    notes: tuple[str, ...] = ()


def commit_candidates(workspace: Workspace, groups: Sequence[tuple[Heard, Sequence[Candidate]]], asker: Asker | None) -> Committed:
    """Commit the candidates of stretches, with a model as judge where there is one; they are numbered through all groups.

    Raises what the judge does, and the store; nothing is written then.
    """
    from memtree.engine.facts.reconciling import reconcile
    from memtree.engine.facts.writing import commit_plan

    candidates = [one for _, group in groups for one in group]
    folders = {told.session: told.folder for told, _ in groups}
    judge = None
    if asker is not None:
        from memtree.engine.facts.judging import ModelJudge

        judge = ModelJudge(asker)
    done = Committed()

    def make(view: FactView, known: frozenset[str]) -> Plan:
        now = int(workspace.options.clock() * 1000)
        for _ in range(_ROUNDS):
            stale = changed_since(workspace, candidates, folders)
            numbers = [number for number in range(len(candidates)) if number not in stale]
            plan = reconcile(view, [candidates[number] for number in numbers], now_ms=now, known=known, judge=judge)
            if changed_since(workspace, candidates, folders) == stale:
                break  # else a turn was changed while the judge thought
        done.decisions = dict(zip(numbers, plan.decisions, strict=True))
        done.fallen = {
            number: Fallen(candidates[number], Step.RECONCILE, "turn_changed", "its turn was changed meanwhile") for number in stale
        }
        return plan

    heard = [told for told, group in groups if group]
    sessions = tuple(dict.fromkeys(told.folder for told in heard))
    segment = segment_id(heard[0].session, heard[0].first) if len(heard) == 1 else ""
    report = commit_plan(workspace, make, sessions=sessions, segment=segment)
    for number in [number for number, one in done.decisions.items() if one in report.blocked]:
        del done.decisions[number]
        done.fallen[number] = Fallen(candidates[number], Step.COMMIT, "blocked", "a secret or a file stands in its way")
    done.commit = report.commit.after or "" if report.commit.changed else ""
    done.notes = report.notes
    return done


def changed_since(workspace: Workspace, candidates: Sequence[Candidate], folders: Mapping[str, str]) -> frozenset[int]:
    """The numbers of the candidates whose turns no longer say what they said: they were edited, or forgotten.

    `folders` are those of the sessions.
    """
    sessions = Sessions.of(workspace)
    seqs: dict[str, set[int]] = {}
    for source in (source for one in candidates for source in one.sources):
        seqs.setdefault(source.session, set()).add(source.seq)
    present: set[tuple[str, int, str]] = set()
    for session, numbers in seqs.items():
        folder = folders.get(session) or session_folder(session)
        for turn in sessions.episodes(folder, min(numbers), max(numbers)):
            if turn.seq in numbers:
                present.add((session, turn.seq, quote_hash(turn.text)))
    return frozenset(
        number
        for number, one in enumerate(candidates)
        if any((at.session, at.seq, at.quote_hash) not in present for at in one.sources)
    )
