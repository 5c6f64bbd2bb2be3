"""Profiles: entries as in a memory file, the events that speak for them as sets that only ever unite."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.profile import merge_profile
from memtree.tree.evidence import block_id, split_evidence, with_evidence
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

PATH = "memory_tree/content/profile/coding_style.md"
merge = merge_of(PATH)
Entry = tuple[int, str, tuple[str, ...]]


class Profile:
    """A base and two sides: entries come and go, are edited, and gain evidence; half of them have a block id."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.number = 0
        base = [self.entry("b") for _ in range(self.dice.randint(0, 5))]
        self.base, self.one, self.two = self.written(base), self.side(base, "x"), self.side(base, "y")

    def entry(self, by: str) -> Entry:
        self.number += 1
        return (
            self.number,
            f"likes {by}{self.number}",
            tuple(f"e-{self.dice.randint(0, 9)}" for _ in range(self.dice.randint(0, 2))),
        )

    def side(self, base: list[Entry], by: str) -> bytes:
        entries = list(base)
        for _ in range(self.dice.randint(0, 3)):
            at = self.dice.randint(0, len(entries) - 1) if entries else -1
            step = self.dice.random()
            if step < 0.3 or at < 0:
                entries.insert(at + 1, self.entry(by))
            elif step < 0.4:
                entries.pop(at)
            else:
                number, text, ids = entries[at]
                self.number += 1
                new = (number, f"{text} {by}{self.number}", ids) if step < 0.55 else (number, text, (*ids, f"e-{by}{self.number}"))
                entries[at] = new
        return self.written(entries)

    @staticmethod
    def written(entries: list[Entry]) -> bytes:
        lines = [
            with_evidence(f"- {text}".encode() + b" ^m-%d" % number * (number % 2), [each.encode() for each in ids])
            for number, text, ids in entries
        ]
        return b"# Style\n\n" + b"".join(line + b"\n" for line in lines)


made_profiles = st.integers(0, 2**48).map(Profile)


@LAW
@given(made_profiles)
def test_profiles_keep_the_laws_and_their_evidence(made: Profile) -> None:
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    laws.check_no_id_twice((made.base, made.one, made.two), merged)
    old, one, two, new = (_evidence(data) for data in (made.base, made.one, made.two, merged))
    for entry, ids in new.items():
        sides = [side[entry] for side in (one, two) if entry in side]
        if entry is not None and sides:
            assert ids == set.union(*sides) - {each for each in old.get(entry, set()) if not all(each in side for side in sides)}


def _evidence(data: bytes) -> dict[bytes | None, set[bytes]]:
    lines = [split_evidence(line) for line in data.split(b"\n")]
    return {block_id(line): set(ids) for line, ids in lines}


@given(st.none() | st.binary(), st.binary(), st.binary())
def test_any_bytes_are_merged(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    assert merge_profile(RepoPath(PATH), base, ours, theirs) == merge_profile(RepoPath(PATH), base, theirs, ours)


def test_evidence_stands_before_a_block_id_and_is_read_back() -> None:
    for line in (b"- Prefers tabs", b"- Prefers tabs ^m-7f3k"):
        marked = with_evidence(line, [b"e-1", b"e-2"])
        assert split_evidence(marked) == (line, (b"e-1", b"e-2"))
    assert with_evidence(b"- Tabs ^m-1", [b"e-1"]) == b"- Tabs <!-- evidence: e-1 --> ^m-1"
    assert split_evidence(b"- Tabs <!-- a remark -->") == (b"- Tabs <!-- a remark -->", ())
    assert split_evidence(b"- Tabs <!-- evidence: e-1, e-1,, e-2 -->") == (b"- Tabs", (b"e-1", b"e-2"))


BASE = b"# Style\n\n## Python\n\n- Prefers tabs <!-- evidence: e-1 -->\n- Short names <!-- evidence: e-2 --> ^m-a1\n"


def test_what_two_machines_saw_of_one_entry_adds_up_and_is_no_conflict() -> None:
    outcome = merge_file(PATH, BASE, BASE.replace(b"e-1", b"e-1, e-7"), BASE.replace(b"e-1", b"e-1, e-5, e-7"))
    assert outcome.kept == BASE.replace(b"e-1", b"e-1, e-5, e-7")
    assert outcome.conflict is None


def test_evidence_follows_an_entry_that_the_other_side_rewrote() -> None:
    merged = merge(BASE, BASE.replace(b"Short names", b"Names of one word"), BASE.replace(b"e-2", b"e-2, e-9"))
    assert merged == BASE.replace(b"Short names <!-- evidence: e-2", b"Names of one word <!-- evidence: e-2, e-9")


def test_an_entry_that_a_person_deleted_does_not_return_for_new_evidence() -> None:
    deleted = BASE.replace(b"- Prefers tabs <!-- evidence: e-1 -->\n", b"")
    assert merge(BASE, deleted, BASE.replace(b"e-1", b"e-1, e-3")) == deleted
