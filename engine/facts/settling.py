"""Settling: what two machines told apart is brought together, after their commits have met.

What was told before it was taken back is closed, of two active facts of one subject in a slot that holds one value at a time the
older one, and of two that say the same the one that adds nothing. What comes of it depends on the facts alone: machines that settle
the same ones write the same bytes. A pinned fact is never touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memtree.engine.facts.becoming import superseded, united
from memtree.engine.facts.evolving import Evolving
from memtree.engine.facts.ordering import held_until, order_of, overlapping
from memtree.engine.facts.parting import put_remaining
from memtree.engine.facts.retracting import closed_late, taken_back_since
from memtree.engine.facts.view import STATE, FactView
from memtree.engine.facts.writing import write_files
from memtree.engine.librarian import librarian_of
from memtree.engine.local_state import keep_state, read_state
from memtree.tree.fact import Fact, ReadFact, State, moment
from memtree.tree.fact_likeness import Likeness, likeness
from memtree.tree.fact_slots import is_single
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_FEW = 40  # facts of one slot that are compared with each other
_ROUNDS = 5


def settle(workspace: Workspace) -> tuple[str, ...]:
    """Close what is to be closed, in one commit or none; in words what was done. Raises what the store raises.

    The librarian does it; where nobody is one, every machine, and all do the same.
    """
    if librarian_of(workspace) not in ("", workspace.device):
        return ()
    place = os.path.join(workspace.places.folder, STATE, "settled.json")
    for _ in range(_ROUNDS):
        view = FactView.look(workspace)
        if not view.tree or read_state(place).get("tree") == view.tree:
            return ()
        files = settled(view)
        message = f"facts settled: {len(files)} changed\n\nMemtree-Writer: facts\n"
        commit = write_files(workspace, view, files, message)
        if commit is not None:
            keep_state(place, {"tree": FactView.look(workspace).tree})
            return (f"facts: {len(files)} settled",) if files else ()
    return ()


def settled(view: FactView) -> dict[RepoPath, bytes]:
    """The files of facts that are closed, and of those that take over their turns."""
    facts = Evolving(view)
    _take_back(facts, view)
    for same in _groups(view):
        _settle(facts, [one.fact.id for one in same])
    return facts.files()


def _take_back(facts: Evolving, view: FactView) -> None:
    """Close what another machine learned after it had been taken back here."""
    closed = [one for one in view.facts if one.fact.state is State.RETRACTED]
    places = sorted({(one.fact.subject, one.fact.slot) for one in closed})
    for found in (found for place in places for found in facts.in_slot(*place) if found.fact.active and not found.fact.pinned):
        by = taken_back_since(found.fact, (one for one in closed if one.fact.subject == found.fact.subject))
        if by is not None:
            facts.put(closed_late(found.fact, by), edited=found.edited)
            put_remaining(facts, found, by.text)


def _groups(view: FactView) -> Iterator[Sequence[ReadFact]]:
    """The active facts that are compared with each other: those that say the same, and those of one slot."""
    by_key: dict[tuple[str, str], list[ReadFact]] = {}
    by_slot: dict[tuple[str, str], list[ReadFact]] = {}
    for one in view.active():
        by_key.setdefault((one.fact.subject, view.key_of(one.fact)), []).append(one)
        by_slot.setdefault((one.fact.subject, one.fact.slot), []).append(one)
    yield from (found for _, found in sorted(by_key.items()) if len(found) > 1)
    for (_, slot), found in sorted(by_slot.items()):
        if len(found) > 1 and (len(found) <= _FEW or is_single(slot)):
            yield found


def _settle(facts: Evolving, ids: Sequence[str]) -> None:
    """Compare each with the ones that stand, oldest first."""
    found = [one for one in map(facts.get, ids) if one is not None and one.fact.active]
    standing: list[ReadFact] = []
    for one in sorted(found, key=lambda one: order_of(one.fact)):
        for other in [*standing]:
            closed = _closed_of(facts, other, one)
            if closed is not None:
                _close(facts, closed, one if closed is other else other)
            if closed is one:
                break
            if closed is other:
                standing.remove(other)
        else:
            standing.append(one)


def _closed_of(facts: Evolving, older: ReadFact, newer: ReadFact) -> ReadFact | None:
    """Which of two facts is closed by the other, None for neither."""
    old, new = older.fact, newer.fact
    if (old.pinned and new.pinned) or _of_other_times(old, new):
        return None
    alike = likeness(old.text, new.text)
    if facts.key_of(old) == facts.key_of(new) or alike is Likeness.SAME:
        return older if new.pinned or (newer.edited and not older.edited and not old.pinned) else newer
    if old.pinned or new.pinned or old.slot != new.slot or not overlapping(old, new):
        return None
    if likeness(new.text, old.text) is Likeness.REFINES:
        return newer
    if alike is Likeness.REFINES:
        return None if older.edited else older
    return older if alike is Likeness.CONTRADICTS else None


def _of_other_times(old: Fact, new: Fact) -> bool:
    """Whether the same words may speak of two days."""
    if old.temporal is None or new.temporal is None or is_single(old.slot):
        return False
    return old.temporal.resolved_start != new.temporal.resolved_start


def _taking_over(stands: Fact, closed: Fact) -> Fact:
    """The fact that stands with the turns of one that says the same, and known to be so as long as that one was."""
    until = held_until(closed)
    return united(replace(stands, told_at=moment(until)) if until > held_until(stands) else stands, closed.sources)


def _close(facts: Evolving, closed: ReadFact, standing: ReadFact) -> None:
    stands = facts.get(standing.fact.id) or standing
    same = facts.key_of(closed.fact) == facts.key_of(stands.fact)
    gone = superseded(closed.fact, stands.fact, "it says the same as another" if same else "a newer fact says otherwise")
    facts.put(gone, edited=closed.edited)
    if not same:
        put_remaining(facts, closed, stands.fact.text)
    if same and not stands.fact.pinned:
        facts.put(_taking_over(stands.fact, closed.fact), edited=stands.edited)
