"""Profiles that two machines learn and people edit: what speaks for an entry adds up and decides, a person's words stay."""

from __future__ import annotations

import os
import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.facets import Observation
from memtree.tree.profile_entries import Entry, ProfileFile, entry_id
from memtree.tree.profile_file import pinned, with_learning, with_observations, without_key
from support import laws
from support.merging import merge_file, merge_of

FACET = "coding_style"
PATH = f"memory_tree/content/profile/{FACET}.md"
KEYS = ("indentation", "naming", "quotes")
VALUES = ("Prefers tabs", "Prefers spaces", "Uses four")
DEAR_LAW = settings(max_examples=100_000 if os.environ.get("MEMTREE_TEST_PROFILE") == "deep" else 80, deadline=None)
_BY_PEOPLE = re.compile(rb"\b[xy][0-9]+\b")
merge = merge_of(PATH)


def observed(number: int, key: str, value: str, day: int = 1, confidence: float = 0.6) -> Observation:
    return Observation(FACET, key, value, f"e-{number:012x}", f"2026-12-{day:02}", confidence)


class Machines:
    """A profile and what became of it on two machines, each with a person and with conversations of its own."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.number = 0
        self.base = self.lived(b"", "b", self.dice.randint(0, 6))
        self.one, self.two = (self.lived(self.base, by, self.dice.randint(0, 4)) for by in "xy")

    def lived(self, data: bytes, by: str, steps: int) -> bytes:
        for _ in range(steps):
            act = self.dice.choice(
                [self.learn] * 5 + [self.edit, self.drop, self.pin, self.unpin, self.forget, self.again, self.write]
            )
            data = act(data, by)
        return data

    def learn(self, data: bytes, by: str) -> bytes:
        self.number += 1
        sure = self.dice.choice([0.6, 0.6, 0.9])
        new = observed(self.number, self.dice.choice(KEYS), self.dice.choice(VALUES), self.dice.randint(1, 3), sure)
        return with_observations(data, FACET, [new])

    def entry(self, data: bytes) -> Entry | None:
        found = ProfileFile(data).entries
        return self.dice.choice(found) if found else None

    def edit(self, data: bytes, by: str) -> bytes:
        entry = self.entry(data)
        if entry is None or entry.stop != entry.end:
            return data
        self.number += 1
        word = f"{by}{self.number}".encode()
        line = data[entry.start : entry.end]
        return data[: entry.start] + line.replace(entry.value.encode(), entry.value.encode() + b" " + word, 1) + data[entry.end :]

    def drop(self, data: bytes, by: str) -> bytes:
        entry = self.entry(data)
        return data if entry is None else data[: entry.start] + data[entry.stop + 1 :]

    def pin(self, data: bytes, by: str) -> bytes:
        entry = self.entry(data)
        return data if entry is None else pinned(data, entry, pin=True)

    def unpin(self, data: bytes, by: str) -> bytes:
        entry = self.entry(data)
        return data if entry is None else pinned(data, entry, pin=False)

    def forget(self, data: bytes, by: str) -> bytes:
        return without_key(data, FACET, self.dice.choice(KEYS))

    def again(self, data: bytes, by: str) -> bytes:
        return with_learning(data, self.dice.choice(KEYS))

    def write(self, data: bytes, by: str) -> bytes:
        self.number += 1
        word = f"{by}{self.number}".encode()
        return data + b"\n## Mine\n\n- my own " + word + b"\n"


@DEAR_LAW
@given(st.integers(0, 2**48).map(Machines))
def test_profiles_that_are_learned_and_edited_keep_the_laws(made: Machines) -> None:
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    laws.check_no_id_twice((made.base, made.one, made.two), merged)
    for side in (made.one, made.two):
        assert set(_BY_PEOPLE.findall(side)) <= {*_BY_PEOPLE.findall(merged), *_BY_PEOPLE.findall(made.base)}


def made(*observations: Observation, data: bytes | None = None) -> bytes:
    return with_observations(data, FACET, observations)


TABS, SPACES = observed(1, "indentation", "Prefers tabs"), observed(2, "indentation", "Prefers spaces", day=2)
BASE = made(TABS)


def the(data: bytes, key: str = "indentation") -> Entry:
    found = [entry for entry in ProfileFile(data).entries if entry.key == key]
    assert len(found) == 1
    return found[0]


def test_two_machines_that_learn_the_same_key_have_one_entry_with_what_both_heard() -> None:
    one, two = made(TABS), made(SPACES, observed(3, "naming", "Short names"))
    outcome = merge_file(PATH, None, one, two)
    assert outcome.conflict is None
    assert the(outcome.kept).value == "Prefers spaces"
    assert {seen.event for seen in the(outcome.kept).seen} == {TABS.event, SPACES.event}
    assert the(outcome.kept, "naming").value == "Short names"


def test_what_speaks_on_both_machines_decides_although_it_decided_otherwise_on_one() -> None:
    once_more = observed(4, "indentation", "prefers tabs.", day=1)
    merged = merge(BASE, made(SPACES, data=BASE), made(once_more, data=BASE))
    assert the(merged).value == "Prefers tabs"
    assert the(merged).count == 2
    assert len(the(merged).evidence) == 3


def test_a_persons_words_come_before_what_the_other_machine_learned_and_stay_theirs() -> None:
    edited = BASE.replace(b"Prefers tabs", b"Prefers spaces, always")
    learned = made(observed(5, "indentation", "prefers spaces, always", day=3), data=BASE)
    merged = merge(BASE, edited, learned)
    assert the(merged).value == "Prefers spaces, always"
    assert the(merged).edited
    later = made(*(observed(number, "indentation", "Prefers tabs", day=9) for number in range(10, 15)), data=merged)
    assert the(later).value == "Prefers spaces, always"


def test_a_pin_holds_against_what_the_other_machine_learned_and_goes_with_a_persons_words() -> None:
    pin = pinned(BASE, the(BASE), pin=True)
    assert the(merge(BASE, pin, made(SPACES, data=BASE))).value == "Prefers tabs"
    merged = the(merge(BASE, pin, BASE.replace(b"Prefers tabs", b"Both")))
    assert (merged.value, merged.pinned) == ("Both", True)


def test_two_people_who_choose_other_words_keep_both() -> None:
    merged = merge(BASE, BASE.replace(b"Prefers tabs", b"Tabs it is"), BASE.replace(b"Prefers tabs", b"Spaces it is"))
    assert {entry.value for entry in ProfileFile(merged).entries} == {"Tabs it is", "Spaces it is"}
    assert merged.count(f"^{entry_id(FACET, 'indentation')}".encode()) == 1


def test_what_one_machine_forgets_does_not_come_back_from_another() -> None:
    gone = without_key(BASE, FACET, "indentation")
    for other in (BASE, made(SPACES, data=BASE), made(observed(6, "naming", "Short names"), data=BASE)):
        merged = merge(BASE, gone, other)
        assert b"**indentation**" not in merged
        assert "indentation" in ProfileFile(merged).forgotten
    never = without_key(b"", FACET, "indentation")
    assert b"**indentation**" not in merge_file(PATH, None, never, BASE).kept


def test_an_entry_that_a_person_deleted_does_not_return_because_it_was_learned_anew() -> None:
    deleted = made(observed(6, "naming", "Short names"))
    base = made(TABS, observed(6, "naming", "Short names"))
    assert merge(base, deleted, made(SPACES, data=base)) == deleted


def test_whatever_the_order_in_which_machines_meet_nothing_that_was_heard_is_lost() -> None:
    dice = random.Random(7)
    for _ in range(25):
        every = [observed(n, dice.choice(KEYS), dice.choice(VALUES), dice.randint(1, 4)) for n in range(9)]
        heard = [dice.sample(every, dice.randint(1, 9)) for _ in range(3)]
        sides = [made(*own, data=BASE) for own in heard]
        pairs = [merge(BASE, merge(BASE, sides[a], sides[b]), sides[c]) for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
        events = {one.event for own in heard for one in own}
        for data in pairs:
            entries = ProfileFile(data).entries
            assert {seen.event for entry in entries for seen in entry.seen} == events | {TABS.event}
            assert len({entry.key for entry in entries}) == len(entries)
            assert all(entry.learned for entry in entries)
