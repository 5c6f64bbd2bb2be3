"""Facts changed on two machines: no source is lost, a fact that was closed stays closed, and its reason is the one of its state."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.merge.files import FileMerge
from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.merge.rules import content_rules
from memtree.tree.document import Document
from memtree.tree.fact import Fact, FactKind, FactSource, ReadFact, State, Temporal, fact_id, quote_hash, read_fact, with_sources
from memtree.tree.generated import Author, author_of
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

ID = fact_id("s-1", [4], "environment.home")
IDS = [fact_id("s-2", [number], "environment.home") for number in range(3)]
LISBON = Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02")
OSLO = Temporal("relative", "message", "year", "2025-01-01", "2025-12-31", "2025")
RANK = {State.ACTIVE: 0, State.SUPERSEDED: 1, State.RETRACTED: 2}


def source(number: int, session: str = "s-1") -> FactSource:
    return FactSource(session, number, quote_hash(f"{session} {number}"))


FACT = Fact(
    id=ID,
    text="I live in Berlin.",
    category="environment",
    tags=("home",),
    slot="environment.home",
    sources=(source(4),),
    valid_at="2024",
    created_at="2026-03-09T10:00:00Z",
)


def merged_fact(base: bytes | None, ours: bytes, theirs: bytes, fact: str = ID) -> ReadFact:
    path = RepoPath(f"memory_tree/content/facts/{fact[:2]}/{fact}.md")
    outcome = merge_file(path, base, ours, theirs)
    assert list(outcome.files) == [path]
    assert outcome.kept == merge_file(path, base, theirs, ours).kept
    read = read_fact(path, outcome.kept)
    assert read is not None
    return read


class Changed:
    """A fact that two machines, and a person on each, did something to; without a common version where both derived it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        start = replace(FACT, kind=self.dice.choice(list(FactKind)), temporal=self.dice.choice((None, LISBON)))
        self.known = start
        self.base = start.render() if self.dice.random() < 0.8 else b""
        self.one, self.two = self.side("x", 10), self.side("y", 20)

    def side(self, by: str, number: int) -> bytes:
        fact = self.known
        if not self.base:
            fact = replace(
                fact, created_at=f"2026-03-0{self.dice.randint(1, 9)}T10:00:00Z", confidence=self.dice.choice((0.6, 0.9))
            )
        for step in self.dice.sample(("close", "told", "again", "mark", "keep"), self.dice.randint(1, 3)):
            fact = self.changed(fact, step, by, number)
        data = fact.render()
        return data.replace(b"Berlin", f"Berlin, {by}".encode()) if self.dice.random() < 0.3 else data

    def changed(self, fact: Fact, step: str, by: str, number: int) -> Fact:
        if step == "close":
            state = self.dice.choice((State.SUPERSEDED, State.RETRACTED))
            when = f"2026-0{self.dice.randint(1, 9)}-01"
            after = self.dice.choice(IDS) if state is State.SUPERSEDED else ""
            return replace(
                fact, state=state, superseded_by=after, reason=f"reason {by}", invalid_at=when, expired_at=f"{when}T00:00:00Z"
            )
        if step == "told":
            return with_sources(fact, [source(number + self.dice.randint(0, 3))])
        if step == "again":
            return replace(fact, text=f"I live in Berlin {by}.", generator=self.dice.choice(("llm", "extractive")), temporal=OSLO)
        return replace(fact, tags=("home", by)) if step == "mark" else fact

    def facts(self) -> tuple[ReadFact, ReadFact, ReadFact]:
        path = RepoPath(self.known.path())
        merged = merge_file(path, self.base or None, self.one, self.two).kept
        return tuple(_read(path, data) for data in (self.one, self.two, merged))  # type: ignore[return-value]


def _read(path: RepoPath, data: bytes) -> ReadFact:
    read = read_fact(path, data)
    assert read is not None
    return read


FEWER = settings(LAW, max_examples=LAW.max_examples // 8)  # a merge of facts takes 15 ms
changed = st.integers(0, 2**48).map(Changed)


@FEWER
@given(changed)
def test_facts_keep_the_laws(made: Changed) -> None:
    path = made.known.path()
    if made.base:
        merge = merge_of(path)
        merged = laws.check_algebra(merge, made.base, made.one, made.two)
        laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    else:
        merged = merge_file(path, None, made.one, made.two).kept
        assert merged == merge_file(path, None, made.two, made.one).kept
        assert merge_file(path, None, merged, made.two).kept == merged
        assert merge_file(path, None, made.one, merged).kept == merged


@FEWER
@given(changed)
def test_a_merged_fact_has_what_both_sides_found(made: Changed) -> None:
    one, two, merged = (read.fact for read in made.facts())
    assert {*merged.sources} >= {*one.sources, *two.sources} or len({*one.sources, *two.sources}) > 6
    assert RANK[merged.state] == max(RANK[one.state], RANK[two.state])
    ends = [end for end in (one.invalid_at, two.invalid_at) if end]
    assert merged.invalid_at == (min(ends) if ends else "")
    assert merged.created_at == min(one.created_at, two.created_at)
    assert (merged.state, merged.superseded_by, merged.reason) in [
        (each.state, each.superseded_by, each.reason) for each in (one, two)
    ]
    assert merged.temporal in (None, LISBON, OSLO)


@FEWER
@given(changed)
def test_a_persons_text_is_never_given_up(made: Changed) -> None:
    one, two, merged = made.facts()
    edited = [read.fact.text for read in (one, two) if read.edited]
    if len(edited) == 1:
        assert merged.fact.text == edited[0]
        assert merged.edited


@FEWER
@given(changed)
def test_machines_that_meet_in_another_order_agree_on_what_counts(made: Changed) -> None:
    if not made.base:
        return
    merge, path = merge_of(made.known.path()), made.known.path()
    third = made.side("z", 30)
    found = set()
    for first, second, last in itertools.permutations((made.one, made.two, third)):
        fact = _read(path, merge(made.base, merge(made.base, first, second), last)).fact
        found.add((fact.state, fact.superseded_by, fact.reason, fact.invalid_at, fact.created_at))
    assert len(found) == 1


def test_two_machines_supersede_one_fact_by_different_ones() -> None:
    ours, theirs = (
        replace(
            FACT,
            state=State.SUPERSEDED,
            superseded_by=after,
            reason=f"moved {number}",
            invalid_at=when,
            expired_at=f"{when}T09:00:00Z",
        )
        for number, (after, when) in enumerate(zip(IDS, ("2026-02-01", "2026-03-01"), strict=False))
    )
    fact = merged_fact(FACT.render(), ours.render(), theirs.render()).fact
    assert (fact.state, fact.invalid_at, fact.expired_at) == (State.SUPERSEDED, "2026-02-01", "2026-02-01T09:00:00Z")
    assert (fact.superseded_by, fact.reason) in [(ours.superseded_by, ours.reason), (theirs.superseded_by, theirs.reason)]


def test_one_retracts_what_the_other_updates() -> None:
    gone = replace(FACT, state=State.RETRACTED, reason="said to be wrong", expired_at="2026-04-01T00:00:00Z")
    more = with_sources(replace(FACT, text="I live in Berlin with my sister.", generator="llm", temporal=LISBON), [source(9)])
    fact = merged_fact(FACT.render(), gone.render(), more.render()).fact
    assert (fact.state, fact.reason) == (State.RETRACTED, "said to be wrong")
    assert (fact.text, fact.temporal, fact.sources) == (more.text, LISBON, (source(4), source(9)))


def test_one_retracts_what_the_other_supersedes() -> None:
    gone = replace(FACT, state=State.RETRACTED, reason="never so")
    closed = replace(FACT, state=State.SUPERSEDED, superseded_by=IDS[0], reason="moved", invalid_at="2026-02-01")
    fact = merged_fact(FACT.render(), gone.render(), closed.render()).fact
    assert (fact.state, fact.superseded_by, fact.reason, fact.invalid_at) == (State.RETRACTED, "", "never so", "2026-02-01")


def test_a_person_edits_the_text_while_a_machine_supersedes() -> None:
    edited = FACT.render().replace(b"in Berlin", b"in Berlin-Mitte")
    closed = replace(FACT, state=State.SUPERSEDED, superseded_by=IDS[0], reason="moved", invalid_at="2026-02-01").render()
    read = merged_fact(FACT.render(), edited, closed)
    assert read.edited
    assert (read.fact.text, read.fact.state, read.fact.superseded_by) == ("I live in Berlin-Mitte.", State.SUPERSEDED, IDS[0])


def test_two_persons_edit_it_and_both_machines_close_it() -> None:
    base = replace(FACT, text="I live in Berlin.\n\nNear the park.").render()
    ours = base.replace(b"in Berlin", b"in Berlin-Mitte").replace(b"state: active", b"state: retracted\nreason: mine")
    theirs = base.replace(b"the park", b"the old park").replace(b"state: active", b"state: superseded\nreason: theirs")
    read = merged_fact(base, ours, theirs)
    assert read.fact.text == "I live in Berlin-Mitte.\n\nNear the old park."
    assert (read.fact.state, read.fact.reason) == (State.RETRACTED, "mine")


def test_both_derive_the_same_fact_apart() -> None:
    """The same turn gives the same id: the earlier moment, the sources of both, and no second file."""
    ours = replace(FACT, created_at="2026-03-09T12:00:00Z", confidence=0.9)
    theirs = with_sources(FACT, [source(9)])
    fact = merged_fact(None, ours.render(), theirs.render()).fact
    assert (fact.created_at, fact.confidence, fact.sources) == (FACT.created_at, 0.9, (source(4), source(9)))


def test_one_derives_it_with_a_model_and_the_other_one_has_closed_it() -> None:
    model = replace(
        FACT, text="User lives in Berlin, in Mitte.", generator="llm", confidence=0.9, created_at="2026-03-10T12:00:00Z"
    )
    closed = replace(FACT, state=State.SUPERSEDED, superseded_by=IDS[1], reason="moved", temporal=OSLO)
    read = merged_fact(None, model.render(), closed.render())
    assert (read.fact.text, read.fact.state, read.fact.superseded_by) == (model.text, State.SUPERSEDED, IDS[1])
    assert (read.fact.created_at, read.fact.temporal) == (FACT.created_at, None)
    assert author_of(Document.parse(read.fact.render())) is Author.MODEL


def test_a_time_moves_as_a_whole() -> None:
    base = replace(FACT, temporal=LISBON)
    ours = replace(base, temporal=replace(LISBON, display="February 2026"))
    theirs = replace(base, temporal=OSLO)
    assert merged_fact(base.render(), ours.render(), theirs.render()).fact.temporal in (ours.temporal, theirs.temporal)
    assert merged_fact(base.render(), ours.render(), base.render()).fact.temporal == ours.temporal


def test_tags_are_a_set_and_a_person_may_take_one_away() -> None:
    base = replace(FACT, tags=("home", "city"))
    ours, theirs = replace(base, tags=("home",)), replace(base, tags=("home", "city", "germany"))
    assert set(merged_fact(base.render(), ours.render(), theirs.render()).fact.tags) == {"home", "germany"}


def test_more_than_six_sources_are_in_the_file_and_six_are_read() -> None:
    base = with_sources(FACT, [source(number) for number in range(5, 8)])
    ours, theirs = (with_sources(base, [source(number), source(number + 1)]) for number in (10, 20))
    path = base.path()
    merged = merge_file(path, base.render(), ours.render(), theirs.render()).kept
    assert merged.count(b"seq: ") == 8
    assert len(_read(path, merged).fact.sources) == 6


def test_a_person_takes_a_retracted_fact_up_again() -> None:
    base = replace(FACT, state=State.RETRACTED, reason="said to be wrong")
    told = with_sources(base, [source(9)])
    fact = merged_fact(base.render(), FACT.render(), told.render()).fact
    assert (fact.state, fact.reason, fact.sources) == (State.ACTIVE, "", (source(4), source(9)))


@pytest.mark.parametrize("closed", [replace(FACT, state=State.SUPERSEDED, superseded_by=IDS[0]), with_sources(FACT, [source(9)])])
def test_a_deleted_fact_that_changed_stays_and_is_told(closed: Fact) -> None:
    path = FACT.path()

    blobs = {"a" * 40: FACT.render(), "b" * 40: closed.render()}
    merge = FileMerge(blobs.__getitem__, lambda name: len(blobs[name]), lambda data: "c" * 40, content_rules())
    base, changed_side = Entry(0o100644, "a" * 40), Entry(0o100644, "b" * 40)
    for sides in ((changed_side, None), (None, changed_side)):
        merged = merge(path, base, *sides)
        assert merged.entry == changed_side
        assert merged.conflict is not None
        assert merged.conflict.kind is ConflictKind.CHANGED_AND_DELETED


def test_comments_above_a_state_stay() -> None:
    ours = replace(FACT, state=State.RETRACTED, reason="x").render()
    theirs = replace(FACT, state=State.SUPERSEDED, superseded_by=IDS[0]).render().replace(b"state:", b"# asked Ana\nstate:")
    merged = merge_file(FACT.path(), FACT.render(), ours, theirs).kept
    assert b"# asked Ana\n" in merged
    assert b"superseded" not in merged
