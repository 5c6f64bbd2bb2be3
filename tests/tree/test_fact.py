"""Facts as files: what is written is read back, and what a person makes of a file costs no more than what they broke."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.fact import (
    MOST_SOURCES,
    Fact,
    FactKind,
    FactSource,
    InvalidFact,
    State,
    Temporal,
    began,
    fact_id,
    fact_path,
    is_fact_file,
    pinned_id,
    quote_hash,
    read_fact,
    with_sources,
)
from memtree.tree.paths import RepoPath

ID = fact_id("s", [3], "environment.home")
FULL = Fact(
    id=ID,
    text="I moved to Lisbon last month.",
    category="environment",
    tags=("home", "住所"),
    slot="environment.home",
    state=State.SUPERSEDED,
    confidence=0.9,
    sources=(FactSource("s:1 ü", 3, quote_hash("I moved")),),
    temporal=Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02"),
    valid_at="2026-02",
    invalid_at="2026-05-01",
    created_at="2026-03-09T10:00:00Z",
    expired_at="2026-05-02T08:00:00Z",
    supersedes="0" * 32,
    superseded_by="f" * 32,
    reason="said otherwise: no",
    extra="mine: yes\n# a remark\n",
)
_words = st.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())).filter(lambda text: text.isprintable() and text)


def test_a_fact_is_read_back_as_it_was_written() -> None:
    read = read_fact(FULL.path(), FULL.render())
    assert read is not None
    assert read.fact == FULL
    assert not read.edited
    assert FULL.path() == fact_path(ID) == RepoPath(f"memory_tree/content/facts/{ID[:2]}/{ID}.md")


@given(text=_words, subject=_words, slot=_words, reason=_words, session=_words, tags=st.lists(_words, max_size=3))
def test_any_words_are_read_back(text: str, subject: str, slot: str, reason: str, session: str, tags: list[str]) -> None:
    source = FactSource(session, 7, "0" * 16)
    fact = Fact(ID, text, subject=subject, slot=slot, reason=reason, sources=(source,), tags=tuple(tags))
    read = read_fact(fact.path(), fact.render())
    assert read is not None
    assert read.fact == fact


_dates = st.sampled_from(["", "2026", "2026-03", "2026-03-09", "2026-03-09T10:00:00.000Z", "soon", "null"])
_values = st.one_of(
    _words, st.sampled_from(["", "no", "1", "1.10", "a: b", "- x", "[a]", "{b", "#c", "a #c", "& d", "'", '"', "R&D", "~", "三"])
)


@given(
    text=st.one_of(_words, st.just("one\n\ntwo: x\n---\nthree")),
    values=st.fixed_dictionaries(
        dict.fromkeys(("subject", "slot", "category", "reason", "attributed_to", "generator"), _values)
        | dict.fromkeys(("valid_at", "invalid_at", "created_at", "told_at", "expired_at"), _dates)
    ),
    tags=st.lists(_values, max_size=3),
    source=st.builds(
        FactSource, _values, st.integers(-1, 9), st.sampled_from(["0" * 16, "9f86d081884c7d65", "1e11111111111111", "x"])
    ),
    temporal=st.none() | st.builds(Temporal, _values, _values, _values, _dates, _dates, _values),
    confidence=st.sampled_from([0, 0.6, 1, 1.0, 0.25]),
    change=st.sampled_from(
        [(b"", b""), (b"state:", b"# x\nstate:"), (b"\n", b"\r\n"), (b"slot:", b"slot:  "), (b"kind:", b"mood: x\nkind:")]
    ),
)
def test_a_file_says_the_same_with_and_without_a_parser(
    text: str,
    values: dict[str, str],
    tags: list[str],
    source: FactSource,
    temporal: Temporal | None,
    confidence: float,
    change: tuple[bytes, bytes],
) -> None:
    made = Fact(
        pinned_id(5, bytes(10)), text, tags=tuple(tags), sources=(source,), temporal=temporal, confidence=confidence, **values
    )
    data = made.render().replace(*change)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memtree.tree.fact._as_written", lambda *_: None)
        parsed = read_fact(made.path(), data)
    assert read_fact(made.path(), data) == parsed


def test_what_a_program_wrote_takes_no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    fact = replace(FULL, extra="")
    monkeypatch.setattr("memtree.tree.fact.Document.parse", None)
    read = read_fact(fact.path(), fact.render())
    assert read is not None
    assert read.fact == fact


@given(data=st.binary(max_size=300), head=st.sampled_from([b"", b"---\n", FULL.render()[:200], FULL.render()]))
def test_no_bytes_raise(data: bytes, head: bytes) -> None:
    read_fact(FULL.path(), head + data)


def test_what_a_person_broke_costs_only_that() -> None:
    data = FULL.render().replace(b"confidence: 0.9", b"confidence: sure").replace(b"state: superseded", b"state: dunno")
    data = data.replace(b"2026-05-01", b"in May").replace(b"Lisbon", b"Porto")
    read = read_fact(RepoPath(f"facts/{ID}.md"), data)
    assert read is not None
    assert read.edited
    assert (read.fact.confidence, read.fact.state, read.fact.invalid_at) == (0.6, State.ACTIVE, "")
    assert read.fact.text == "I moved to Porto last month."
    assert read.fact.sources == FULL.sources


def test_what_a_person_wrote_by_hand_is_a_fact() -> None:
    read = read_fact(fact_path(ID), b"I am allergic to nuts.\n")
    assert read is not None
    assert (read.fact.text, read.edited, read.fact.active) == ("I am allergic to nuts.", True, True)
    assert read_fact(fact_path(ID), b"---\nkind: insight\n---\n\n  \n") is None
    assert read_fact(RepoPath("notes/a.md"), FULL.render()) is None
    assert not is_fact_file(RepoPath("facts/ab/readme.md"))


def test_ids_tell_apart_what_they_are_made_of_and_nothing_else() -> None:
    assert fact_id("s", [1, 2], "a") == fact_id("s", [2, 1, 1], "a")
    assert len({fact_id("s", [1, 2], "a"), fact_id("s", [12], "a"), fact_id("t", [1, 2], "a"), fact_id("s", [1, 2], "b")}) == 4
    assert pinned_id(1, b"z" * 10) < pinned_id(2, b"a" * 10)
    assert quote_hash("a  b\r\nc") == quote_hash("a b c\n") != quote_hash("a b d")


def test_sources_are_united_and_bounded() -> None:
    many = [FactSource("s", seq, "0" * 16) for seq in range(9)]
    fact = with_sources(replace(FULL, sources=tuple(many[:2])), many)
    assert [one.seq for one in fact.sources] == [0, 1, 2, 6, 7, 8]
    assert len(fact.sources) == MOST_SOURCES


def test_moments_are_ordered_however_exact_they_are() -> None:
    moments = ["2025", "2025-02", "2025-02-03", "2025-02-03T10:00:00Z"]
    found = [began(text) for text in moments]
    assert None not in found
    assert found == sorted(found, key=lambda one: one or 0)
    assert began("") is None


def test_what_cannot_be_a_fact_is_refused() -> None:
    with pytest.raises(InvalidFact, match="id"):
        Fact("../../x", "text")
    with pytest.raises(InvalidFact, match="text"):
        Fact(ID, " \n")
    with pytest.raises(InvalidFact, match="confidence"):
        Fact(ID, "text", confidence=2)
    assert Fact(ID, "text", FactKind.PINNED).pinned
