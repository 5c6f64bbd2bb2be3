"""Evolving: the facts as they are while a batch is decided, one candidate after another, over a view that stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memtree.engine.facts.view import FactView
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import PERSON, Fact, ReadFact
from memtree.tree.fact_slots import NOT, PAST, is_single
from memtree.tree.paths import RepoPath

_FEW = 40  # facts of one slot that a statement is compared with; of more, those that share words with it
_Words = dict[str, frozenset[str]]


class Evolving:
    """A view and what has been decided on top of it."""

    def __init__(self, view: FactView) -> None:
        self._view = view
        self._new: dict[str, ReadFact] = {}
        self._slots: dict[tuple[str, str], dict[str, None]] = {}
        self._keys: dict[tuple[str, str], dict[str, None]] = {}
        self._words: _Words = {}

    def get(self, fact: str) -> ReadFact | None:
        """The fact of an id as it is by now."""
        return self._new.get(fact) or self._view.get(fact)

    def gone(self, fact: str) -> bool:
        """Whether the fact of an id has a file without its text, because that was forgotten."""
        return fact in self._view.forgotten

    def in_slot(self, subject: str, slot: str) -> list[ReadFact]:
        """The facts of a subject under a slot, in whatever state, by id."""
        place = (subject, slot)
        ids = {one.fact.id for one in self._view.in_slot(*place)} | self._slots.get(place, {}).keys()
        found = (self.get(one) for one in sorted(ids))
        return [one for one in found if one is not None and (one.fact.subject, one.fact.slot) == place]

    def comparable(self, subject: str, slot: str, text: str) -> list[ReadFact]:
        """Those of a slot that a statement is compared with, and of the slots of what denies it or was so before."""
        found = self.in_slot(subject, slot)
        for mood in (NOT, PAST):
            found += self.in_slot(subject, slot.removesuffix(mood) if slot.endswith(mood) else f"{slot}{mood}")
        if len(found) <= _FEW:
            return found
        words = self._tokens(text)
        near = sorted(found, key=lambda one: (-len(words & self._tokens(one.fact.text)), one.fact.id))
        # Of what can be so of one thing only, what is so now is never left out, however much was so before.
        return near[:_FEW] + [one for one in near[_FEW:] if one.fact.active and is_single(one.fact.slot)]

    def saying(self, subject: str, key: str) -> list[ReadFact]:
        """The facts of a subject whose text has a normal form, in whatever state, by id."""
        ids = {one.fact.id for one in self._view.saying(subject, key)} | self._keys.get((subject, key), {}).keys()
        found = (self.get(one) for one in sorted(ids))
        return [one for one in found if one is not None and self._view.key_of(one.fact) == key]

    def key_of(self, fact: Fact) -> str:
        """The normal form of a fact's text."""
        return self._view.key_of(fact)

    def put(self, fact: Fact, *, edited: bool = False) -> None:
        """Have a fact be as it is given. What a person edited stays signed as theirs."""
        if edited:
            fact = replace(fact, generator=PERSON)
        old = self.get(fact.id)
        path = fact.path(self._view.content) if old is None else old.path
        self._new[fact.id] = ReadFact(fact, path, edited)
        self._slots.setdefault((fact.subject, fact.slot), {})[fact.id] = None
        self._keys.setdefault((fact.subject, self._view.key_of(fact)), {})[fact.id] = None

    def files(self) -> dict[RepoPath, bytes]:
        """The files of what was decided, without those that are as they were."""
        return dict(sorted(self._changed()))

    def _changed(self) -> Iterator[tuple[RepoPath, bytes]]:
        for fact, one in self._new.items():
            old = self._view.get(fact)
            if old is None or old.fact != one.fact:
                yield one.path, one.fact.render()

    def _tokens(self, text: str) -> frozenset[str]:
        found = self._words.get(text)
        if found is None:
            found = self._words[text] = evidence_tokens(text)
        return found
