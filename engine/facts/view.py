"""Fact view: all facts of the branch as it stands now, to be asked by id, by slot, by turn and by words.

A view reads only what changed since it last looked: it remembers what it read, for a process and on the disk. What is remembered
can be lost at any time, and holds texts: whoever forgets one drops it (`drop_kept`). A view itself never changes.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from memtree.engine.facts.view_rows import keep_rows, kept_rows
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.working_copy import FilterMissing
from memtree.engine.tree_diff import diff_trees
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import FOLDER as FACTS
from memtree.tree.fact import LONGEST, USER, Fact, ReadFact, read_fact
from memtree.tree.fact_key import fact_key
from memtree.tree.forgotten import STUB, is_stub
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.objects import FOLDER, Entry
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.facts.candidate import Candidate
    from memtree.engine.workspace import Workspace

STATE = "facts"  # the folder below .git/memtree
_BEHIND = 16  # files, or a hundredth of all: with more of them what is remembered is written anew
LARGEST = 256 * 1024  # bytes of a fact's file that is read

_known: weakref.WeakKeyDictionary[Workspace, FactView] = weakref.WeakKeyDictionary()


class FactView:
    """The facts of one tree, by path. `tree` is its id, '' for none; `content` is the folder that they lie in.

    `forgotten` are the ids of facts whose text was forgotten: their files are there and hold none.
    """

    def __init__(
        self, facts: Iterable[ReadFact] = (), *, content: str = CONTENT_ROOT, tree: str = "", keys: Mapping[str, str] | None = None
    ) -> None:
        read = sorted(facts, key=lambda one: one.path)
        self.content = content
        self.tree = tree
        self.behind = 0  # files that were read since what is remembered was written
        self.all = tuple(read)
        stubs = {one.path for one in read if "[" in one.fact.text[:1] and is_stub(one.fact.text.encode())}
        self.facts = tuple(one for one in read if one.path not in stubs) if stubs else self.all
        self.forgotten = frozenset(one.fact.id for one in read if one.path in stubs)
        self._keys = {} if keys is None else dict(keys)

    @classmethod
    def look(cls, workspace: Workspace) -> FactView:
        """The view of the branch as it is now. What cannot be read now, for want of a filter, is left out."""
        content = workspace.settings.content
        root = RepoPath(f"{content}/{FACTS}" if content else FACTS)
        entry = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), root)
        tree = entry.id if entry is not None and entry.mode == FOLDER else ""
        known = _known.get(workspace)
        if known is None or known.tree != tree or known.content != content:
            old = known if known is not None and known.content == content else _kept(workspace, content)
            known = old if old.tree == tree else _followed(workspace, old, root, tree)
            if known.behind > max(_BEHIND, len(known.all) // 100):
                keep_rows(_place(workspace), content, tree, ((one, known.key_of(one.fact)) for one in known.all))
                known.behind = 0
            _known[workspace] = known
        return known

    def active(self) -> tuple[ReadFact, ...]:
        """Those that hold as far as memory knows."""
        return tuple(one for one in self.facts if one.fact.active)

    @cached_property
    def by_id(self) -> Mapping[str, ReadFact]:
        """The facts by their ids. Of files that a person copied the first by path counts."""
        return {one.fact.id: one for one in reversed(self.facts)}

    def get(self, fact: str) -> ReadFact | None:
        """The fact of an id, in whatever state."""
        return self.by_id.get(fact)

    def in_slot(self, subject: str, slot: str) -> tuple[ReadFact, ...]:
        """The facts of a subject under a slot, in whatever state, by path."""
        return tuple(self._slots.get((subject, slot), ()))

    def resting_on(self, session: str, seq: int) -> tuple[ReadFact, ...]:
        """The facts that a turn is a source of."""
        return tuple(self._turns.get((session, seq), ()))

    def saying(self, subject: str, key: str) -> tuple[ReadFact, ...]:
        """The facts of a subject whose text has this normal form (`tree.fact_key`), in whatever state."""
        return tuple(self._saying.get((subject, key), ()))

    def key_of(self, fact: Fact) -> str:
        """The normal form of a fact's text."""
        found = self._keys.get(fact.text)
        if found is None:
            found = self._keys[fact.text] = fact_key(fact.text)
        return found

    def candidates_for(self, candidate: Candidate, limit: int) -> tuple[ReadFact, ...]:
        """The active facts that a candidate may have to do with: those of its subject and slot, then those that share its words."""
        found = {one.path: one for one in self.in_slot(candidate.subject, candidate.slot) if one.fact.active}
        for one in self._sharing(evidence_tokens(candidate.text)):
            if len(found) >= limit:
                break
            found.setdefault(one.path, one)
        return tuple(islice(found.values(), limit))

    def with_changes(self, files: Mapping[RepoPath, bytes | None]) -> FactView:
        """The view as it is when these files are written, and those with None deleted."""
        if not files:
            return self
        found = {one.path: one for one in self.all if one.path not in files}
        for path, data in files.items():
            read = None if data is None else read_fact(path, data)
            if read is not None:
                found[path] = read
        return FactView(found.values(), content=self.content, keys=self._keys)

    @cached_property
    def _slots(self) -> Mapping[tuple[str, str], list[ReadFact]]:
        found: dict[tuple[str, str], list[ReadFact]] = {}
        for one in self.facts:
            found.setdefault((one.fact.subject, one.fact.slot), []).append(one)
        return found

    @cached_property
    def _turns(self) -> Mapping[tuple[str, int], list[ReadFact]]:
        found: dict[tuple[str, int], list[ReadFact]] = {}
        for one in self.facts:
            for source in one.fact.sources:
                found.setdefault((source.session, source.seq), []).append(one)
        return found

    @cached_property
    def _saying(self) -> Mapping[tuple[str, str], list[ReadFact]]:
        found: dict[tuple[str, str], list[ReadFact]] = {}
        for one in self.facts:
            found.setdefault((one.fact.subject, self.key_of(one.fact)), []).append(one)
        return found

    @cached_property
    def _words(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, one in enumerate(self.facts):
            if one.fact.active:
                for token in evidence_tokens(one.fact.text):
                    found.setdefault(token, []).append(number)
        return found

    def _sharing(self, tokens: Iterable[str]) -> Iterator[ReadFact]:
        """The active facts that share words with these, those first that share the most and the rarest."""
        points: dict[int, float] = {}
        for token in sorted(tokens):
            holding = self._words.get(token, ())
            for number in holding:
                points[number] = points.get(number, 0.0) + 1 / len(holding)
        for number in sorted(points, key=lambda number: (-points[number], self.facts[number].path)):
            yield self.facts[number]


def drop_kept(workspace: Workspace) -> None:
    """Forget what was remembered of facts, on the disk and in this process."""
    _known.pop(workspace, None)
    with contextlib.suppress(OSError):
        os.unlink(_place(workspace))


def _place(workspace: Workspace) -> str:
    return os.path.join(workspace.places.folder, STATE, "view.json")


def _kept(workspace: Workspace, content: str) -> FactView:
    tree, rows = kept_rows(_place(workspace), content)
    return FactView((one for one, _ in rows), content=content, tree=tree, keys={one.fact.text: key for one, key in rows})


def _followed(workspace: Workspace, old: FactView, root: RepoPath, tree: str) -> FactView:
    """The view of another tree, read as far as it differs. Where the old tree is gone, everything does."""
    try:
        changes = list(diff_trees(workspace.repo, old.tree or None, tree or None))
    except MissingObject:
        old = FactView(content=old.content)
        changes = list(diff_trees(workspace.repo, None, tree or None))
    found = {one.path: one for one in old.all}
    gone = False
    for change in changes:
        path = RepoPath(f"{root}/{change.path}")
        read = _read(workspace, path, change.after)
        if read is None:
            gone = found.pop(path, None) is not None or gone
        else:
            found[path] = read
            gone = gone or STUB.decode() in read.fact.text
    view = FactView(found.values(), content=old.content, tree=tree, keys={one.fact.text: old.key_of(one.fact) for one in old.all})
    # What is gone, or was forgotten, stays in nothing that is remembered.
    view.behind = len(found) + _BEHIND + 1 if gone else old.behind + len(changes)
    return view


def _read(workspace: Workspace, path: RepoPath, entry: Entry | None) -> ReadFact | None:
    """A fact as a commit holds it; None for what is none, or cannot be read."""
    if entry is None or not entry.is_file:
        return None
    try:
        if workspace.repo.size(entry.id) > LARGEST:
            return None
        return _placed(read_fact(path, workspace.store.working_copy.contents(path, entry), entry.id))
    except (FilterMissing, MissingObject):
        return None


def _placed(read: ReadFact | None) -> ReadFact | None:
    """A fact under the slot that its words have, where a person wrote none: what says otherwise must find it."""
    if read is None or read.fact.slot or len(read.fact.text) > LONGEST or STUB.decode() in read.fact.text:
        return read
    from memtree.tree.fact_slots import place_of

    place = place_of(read.fact.text)
    subject = place.subject if read.fact.subject == USER else read.fact.subject
    fact = replace(read.fact, subject=subject, slot=place.slot, category=read.fact.category or place.category)
    return replace(read, fact=fact)
