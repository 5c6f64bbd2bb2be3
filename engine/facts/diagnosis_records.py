"""Diagnosis records: what the pipeline did with one stretch of a session, as a value and as a file beside memory.

    .git/memtree/facts/diagnosis/{session's folder}/000001-000019.json

They hold texts without secrets, are never synced, and go when memory has to forget anything.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtree.engine.facts.candidate import Candidate, Decision, Fallen, Outcome, Step
from memtree.engine.facts.candidate_json import as_json, from_json
from memtree.engine.facts.kept import Kept

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

FOLDER = os.path.join("facts", "diagnosis")
_RECORDS, _SESSIONS = 400, 1_000  # of a session; of a workspace
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Count:
    """How many came to a step, and how many went on from it: messages up to extracting, candidates from there on."""

    step: Step
    entered: int
    kept: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Messages that no fact may come from: at which step, why in a word, and how many."""

    step: Step
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class Record:
    """What became of a stretch. `session` is the name of the session's folder, `by` rules or a model's name.

    `trouble` says why a model was not asked, or not understood; `dry`: nothing was done, this is what rules would do.
    `when` is in epoch seconds.
    """

    session: str
    first: int
    last: int
    when: int
    by: str = RULES
    counts: tuple[Count, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    fallen: tuple[Fallen, ...] = ()
    decisions: tuple[Decision, ...] = ()
    trouble: str = ""
    dry: bool = False


def keep_records(workspace: Workspace, records: Iterable[Record]) -> None:
    """Keep what was done; a disk that is full keeps nothing, and no work fails for that."""
    root = os.path.join(workspace.places.folder, FOLDER)
    with contextlib.suppress(OSError):
        for record in records:
            kept = Kept(os.path.join(root, record.session), _RECORDS)
            kept.put(_name(record.first, record.last), workspace.redactor.value(_as_json(record)))
            kept.sweep(workspace.options.clock())
        _sweep(root)


def kept_records(workspace: Workspace, session: str) -> list[Record]:
    """The records of a session, named by its folder, by their turns."""
    kept = Kept(os.path.join(workspace.places.folder, FOLDER, session), _RECORDS)
    found = [record for _, raw in kept.all() if (record := _from_json(session, raw)) is not None]
    return sorted(found, key=lambda one: (one.first, one.last))


def forget_records(workspace: Workspace) -> None:
    """Remove every record: each may hold what is to be forgotten, also in other words."""
    shutil.rmtree(os.path.join(workspace.places.folder, FOLDER), ignore_errors=True)


def _name(first: int, last: int) -> str:
    return f"{first:06}-{last:06}"


def _sweep(root: str) -> None:
    folders = [entry for entry in os.scandir(root) if entry.is_dir(follow_symlinks=False)]
    for old in sorted(folders, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)[: max(0, len(folders) - _SESSIONS)]:
        shutil.rmtree(old.path, ignore_errors=True)


def _as_json(record: Record) -> dict[str, Any]:
    return {
        **{name: getattr(record, name) for name in ("first", "last", "when", "by", "trouble")},
        "counts": [[one.step.value, one.entered, one.kept] for one in record.counts],
        "left_out": [[one.step.value, one.reason, one.count] for one in record.left_out],
        "fallen": [
            {"candidate": as_json(one.candidate), "step": one.step.value, "reason": one.reason, "detail": one.detail}
            for one in record.fallen
        ],
        "decisions": [
            {"candidate": as_json(one.candidate), "outcome": one.outcome.value}
            | {name: getattr(one, name) for name in ("fact", "target", "reason", "by")}
            for one in record.decisions
        ],
    }


def _from_json(session: str, raw: Mapping[str, Any]) -> Record | None:
    """The record that a file holds; None for anything else."""
    try:
        return Record(
            session,
            int(raw["first"]),
            int(raw["last"]),
            int(raw["when"]),
            str(raw["by"]),
            tuple(Count(Step(step), int(entered), int(kept)) for step, entered, kept in raw["counts"]),
            tuple(LeftOut(Step(step), str(reason), int(count)) for step, reason, count in raw["left_out"]),
            tuple(Fallen(_candidate(one), Step(one["step"]), str(one["reason"]), str(one["detail"])) for one in raw["fallen"]),
            tuple(_decision(one) for one in raw["decisions"]),
            str(raw["trouble"]),
        )
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def _candidate(raw: Mapping[str, Any]) -> Candidate:
    found = from_json(raw["candidate"])
    if found is None:
        raise ValueError("no candidate")
    return found


def _decision(raw: Mapping[str, Any]) -> Decision:
    texts = {name: str(raw[name]) for name in ("fact", "target", "reason", "by")}
    return Decision(_candidate(raw), Outcome(raw["outcome"]), **texts)
