"""Quarantine: statements that were found in conversations and are no facts, with the reason, until a person has looked at them.

    .git/memtree/facts/quarantine/q-3f1c….json

What fell at the gate lies here, and what a model said that nobody had. It is redacted, never synced, and at most so much: the
oldest go. Who releases one says that it does last: it goes on through the other steps and becomes a fact.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memtree.engine.closing.open_turns import turn_number
from memtree.engine.facts.candidate import Candidate, Fallen, Step
from memtree.engine.facts.candidate_json import as_json, from_json
from memtree.engine.facts.diagnosis_records import forget_records
from memtree.engine.facts.kept import Kept
from memtree.tree.episode import is_turn_file
from memtree.tree.errors import UserError
from memtree.tree.events import normalised
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.facts.pipeline import Learned
    from memtree.engine.workspace import Workspace
    from memtree.tree.forgetting import Forgetting

FOLDER = os.path.join("facts", "quarantine")
MOST = 2_000
_ID = 16  # hex digits


class NoSuchStatement(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"nothing in quarantine has the id {name[:40]!r}",
            hint="memtree facts quarantine list shows what is there; the oldest go",
        )


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A statement that fell. `session` is the name of the session's folder, `first` and `last` the stretch that it was found in.

    `step` and `reason` are where and why it fell, `detail` the same in words; `when` is in epoch seconds.
    """

    id: str
    session: str
    first: int
    last: int
    candidate: Candidate
    step: str
    reason: str
    detail: str
    when: int


def put(workspace: Workspace, session: str, first: int, last: int, fallen: Iterable[Fallen]) -> int:
    """Keep what fell in a stretch of a session, without secrets; how many are new. A disk that is full keeps nothing."""
    kept, redact, new = _kept(workspace), workspace.redactor.text, 0
    known = set(kept.names())
    for one in fallen:
        text = redact(one.candidate.text)
        name = _id(session, one.candidate.seqs, text)
        value: dict[str, Any] = {
            "session": session,
            "first": first,
            "last": last,
            "candidate": {**workspace.redactor.value(as_json(one.candidate)), "text": text},
            "step": one.step.value,
            "reason": one.reason,
            "detail": redact(one.detail),
            "when": int(workspace.options.clock()),
        }
        if name not in known:
            try:
                kept.put(name, value)
            except OSError:
                break
            known.add(name)
            new += 1
    if new:
        kept.sweep(workspace.options.clock())
    return new


def listed(workspace: Workspace, session: str = "") -> list[Quarantined]:
    """What is there, the newest first; of one session only, named by its folder."""
    found = [one for name, raw in _kept(workspace).all() if (one := _read(name, raw)) is not None]
    chosen = [one for one in found if session in ("", one.session)]
    return sorted(chosen, key=lambda one: (-one.when, one.session, one.candidate.seqs, one.id))


def get(workspace: Workspace, name: str) -> Quarantined:
    """One of them, by its id or how that begins; raise NoSuchStatement."""
    kept = _kept(workspace)
    names = [one for one in kept.names() if one.startswith(name)] if len(name) > 3 else []
    if name in names:
        names = [name]
    raw = kept.get(names[0]) if len(names) == 1 else None
    found = _read(names[0], raw) if raw is not None else None
    if found is None:
        raise NoSuchStatement(name)
    return found


def drop(workspace: Workspace, name: str) -> Quarantined:
    """Remove one for good; what it was. Raise NoSuchStatement."""
    found = get(workspace, name)
    _kept(workspace).drop(found.id)
    return found


def release(workspace: Workspace, name: str) -> Learned:
    """Make one a fact: a person says that it lasts. It leaves quarantine when it is one.

    Raises NoSuchStatement, StatementGone where its turns are no longer there, and what committing raises.
    """
    from memtree.engine.facts.pipeline import learn_released

    found = get(workspace, name)
    learned = learn_released(workspace, found)
    if learned.decisions:
        _kept(workspace).drop(found.id)
    return learned


def forget_local(workspace: Workspace, forgetting: Forgetting, changed: Iterable[RepoPath]) -> int:
    """Remove what may hold a text that was forgotten in these files: records of what was done, all of them, and statements that
    hold it or that its turns say, if in other words; how many of these.
    """
    forget_records(workspace)
    turns = {(RepoPath(path.folder).name, turn_number(path)) for path in changed if is_turn_file(path)}
    kept, gone = _kept(workspace), 0
    kept.drop_halves()
    for name in kept.names():
        raw = kept.get(name)
        one = None if raw is None else _read(name, raw)
        if one is None or _may_hold(one, forgetting, turns):
            gone += kept.drop(name)
    return gone


def _may_hold(one: Quarantined, forgetting: Forgetting, turns: set[tuple[str, int]]) -> bool:
    text = one.candidate.text.encode("utf-8", "surrogatepass")
    if not forgetting.whole and forgetting.applied(_TEXT, text) != text:
        return True
    said = {seq for session, seq in turns if session == one.session and one.first <= seq <= one.last}
    return bool(said & set(one.candidate.seqs) if one.candidate.seqs else said)


_TEXT = RepoPath("quarantine.md")  # as which a statement is looked at


def _kept(workspace: Workspace) -> Kept:
    return Kept(os.path.join(workspace.places.folder, FOLDER), MOST)


def _id(session: str, seqs: Iterable[int], text: str) -> str:
    told = "\0".join((session, *map(str, seqs), normalised(text)))
    return "q-" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]


def _read(name: str, raw: dict[str, Any]) -> Quarantined | None:
    candidate = from_json(raw.get("candidate", {}))
    texts = [raw.get(key) for key in ("session", "step", "reason", "detail")]
    numbers = [raw.get(key) for key in ("first", "last", "when")]
    if candidate is None or not all(isinstance(one, str) for one in texts) or not all(isinstance(one, int) for one in numbers):
        return None
    session, step, reason, detail = (str(one) for one in texts)
    first, last, when = (int(str(one)) for one in numbers)
    if step not in [*Step]:
        return None
    return Quarantined(name, session, first, last, candidate, step, reason, detail, when)
