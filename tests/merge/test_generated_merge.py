"""Derived files: one text stands, chosen alike on every machine; a person's text is never given up for a machine's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.generated import merge_fact, merge_generated
from memtree.engine.merge.outcome import ConflictKind
from memtree.tree.document import Document
from memtree.tree.generated import Author, author_of, body_hash, signed
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Child, Sealed, Summary, rewritten
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

RECAP = "memory_tree/content/recap/s/000001-000009.md"
WIKI = "memory_tree/content/wiki/summaries/all/L1/n1.md"
FACT = "memory_tree/content/facts/ab/abcd.md"
_STATES = ("active", "superseded", "retracted")


def derived(generator: str, body: str, **keys: str) -> bytes:
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return signed(Document.parse(f"---\n{lines}---\n{body}".encode()), generator).data


class Derived:
    """A derived file; each side was written anew by some generator, or edited by a person, or both sides' keys were changed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.keys = {
            name: self.value(name, "b") for name in self.dice.sample(("state", "invalid_at", "created", "topic", "note"), 3)
        }
        self.generator = self.dice.choice(("llm", "extractive"))
        self.base = derived(self.generator, "b text\n\nmore b\n", **self.keys)
        self.one, self.two = self.side("x"), self.side("y")

    def value(self, name: str, by: str) -> str:
        if name == "state":
            return self.dice.choice(_STATES)
        return f"2024-01-0{self.dice.randint(1, 9)}" if self.dice.random() < 0.4 else f"{by}{self.dice.randint(0, 9)}"

    def side(self, by: str) -> bytes:
        keys = dict(self.keys)
        for _ in range(self.dice.randint(0, 2)):
            name = self.dice.choice((*keys, "new", f"new{by}"))
            keys[name] = self.value(name, by)
        if self.dice.random() < 0.5:
            return derived(self.dice.choice(("llm", "extractive")), f"{by} text {self.dice.randint(0, 99)}\n\nmore {by}\n", **keys)
        edit = f"more {by}{self.dice.randint(0, 9)}".encode() if self.dice.random() < 0.7 else b"more"
        return derived(self.generator, "b text\n\nmore b\n", **keys).replace(b"more", edit)


made_files = st.integers(0, 2**48).map(Derived)


@LAW
@given(made_files, st.sampled_from((RECAP, WIKI, FACT)))
def test_derived_files_keep_the_laws_in_one_file(made: Derived, path: str) -> None:
    merge = merge_of(path)
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    assert list(merge_file(path, made.base, made.one, made.two).files) == [path]


@LAW
@given(made_files)
def test_the_better_author_has_the_last_word(made: Derived) -> None:
    sides = [Document.parse(data) for data in (made.one, made.two)]
    changed = [side for side in sides if side.body_bytes() != Document.parse(made.base).body_bytes()]
    merged = Document.parse(merge_of(RECAP)(made.base, made.one, made.two))
    authors = [author_of(side) for side in changed]
    if authors and authors.count(Author.PERSON) < 2:
        best = {side.body_bytes() for side in changed if author_of(side) == max(authors)}
        assert merged.body_bytes() in best
        assert author_of(merged) == max(authors)


@given(st.none() | st.binary(), st.binary(), st.binary())
def test_any_bytes_are_merged(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    for rule in (merge_generated, merge_fact):
        assert rule(RepoPath(RECAP), base, ours, theirs) == rule(RepoPath(RECAP), base, theirs, ours)


def test_an_author_is_told_by_generator_and_hash() -> None:
    written = derived("llm", "text\n")
    assert author_of(Document.parse(written)) is Author.MODEL
    assert author_of(Document.parse(derived("extractive", "text\n"))) is Author.EXTRACTION
    assert author_of(Document.parse(written.replace(b"\n", b"\r\n"))) is Author.MODEL
    for edited in (written + b"more\n", written.replace(b"generator: llm\n", b""), derived("person", "text\n"), b"text\n"):
        assert author_of(Document.parse(edited)) is Author.PERSON
    assert body_hash(b"") == "e3b0c44298fc1c14"


BASE = derived("extractive", "Short.\n", refresh="true", tags="[a]")


def test_a_model_beats_an_extraction_and_a_person_beats_both() -> None:
    model = derived("llm", "A recap in sentences.\n", tags="[a]")
    other = derived("extractive", "Other.\n", refresh="true", tags="[a]")
    person = model.replace(b"sentences", b"my own words")
    merge = merge_of(RECAP)
    assert merge(BASE, model, other) == model
    assert merge(BASE, other, person) == person
    assert merge_file(RECAP, None, other, model).files == {RECAP: model}
    assert merge_file(RECAP, BASE, other, person).conflict is None


def test_of_two_texts_of_a_kind_the_hash_decides_and_keys_of_a_person_stay() -> None:
    ours, theirs = (derived("llm", text, tags="[a]") for text in ("One recap.\n", "Another recap.\n"))
    tagged = BASE.replace(b"tags: [a]", b"tags: [a, mine]\nmood: calm")
    chosen = max((ours, theirs), key=lambda data: body_hash(Document.parse(data).body_bytes()))
    assert merge_of(WIKI)(BASE, ours, theirs) == chosen
    merged = Document.parse(merge_of(WIKI)(BASE, ours, tagged))
    assert merged.body_bytes() == b"One recap.\n"
    assert (merged.value("tags"), merged.value("mood"), merged.value("generator")) == (("a", "mine"), "calm", "llm")
    assert author_of(merged) is Author.MODEL
    assert merged.value("refresh") is None


def test_two_persons_edits_are_merged_like_a_note() -> None:
    base = derived("llm", "First thing.\n\nSecond thing.\n")
    ours, theirs = base.replace(b"First", b"My first"), base.replace(b"Second thing.", b"Second thing, too.")
    assert merge_of(RECAP)(base, ours, theirs) == ours.replace(b"Second thing.", b"Second thing, too.")
    both = merge_file(RECAP, base, base.replace(b"First thing", b"Alpha"), base.replace(b"First thing", b"Omega"))
    assert b"> [!conflict]" in both.kept


FACT_BASE = derived("llm", "Ada rows.\n", state="active", confidence="0.6", created_at="2024-01-05", tags="[sport]")


@pytest.mark.parametrize(
    ("one", "two", "stands"), [("retracted", "superseded", "retracted"), ("superseded", "retracted", "retracted")]
)
def test_the_more_final_state_of_a_fact_stands(one: str, two: str, stands: str) -> None:
    sides = [FACT_BASE.replace(b"active", state.encode()) for state in (one, two)]
    assert Document.parse(merge_of(FACT)(FACT_BASE, *sides)).value("state") == stands


def test_a_fact_that_a_person_took_up_again_is_active() -> None:
    retracted = FACT_BASE.replace(b"active", b"retracted")
    merged = merge_of(FACT)(retracted, FACT_BASE, retracted.replace(b"0.6", b"0.7"))
    assert Document.parse(merged).value("state") == "active"


def test_a_fact_ends_at_the_earlier_time_and_has_the_sources_of_both_sides() -> None:
    one, two, three = (f"\n  - session: s\n    seq: {n}" for n in (1, 2, 3))
    base = derived("llm", "Ada rows.\n", state="active", sources=one)
    ours = derived("llm", "Ada rows.\n", state="superseded", sources=one + two, invalid_at="2024-05-01")
    theirs = derived("llm", "Ada rows.\n", state="retracted", sources=one + three, invalid_at="2024-04-01T10:00:00Z")
    merged = Document.parse(merge_of(FACT)(base, ours, theirs))
    assert merged.value("state") == "retracted"
    assert merged.value("invalid_at") == "2024-04-01T10:00:00Z"
    assert merged.value("sources") == ({"session": "s", "seq": 1}, {"session": "s", "seq": 2}, {"session": "s", "seq": 3})
    assert author_of(merged) is Author.MODEL


def test_a_person_corrects_a_fact_while_a_machine_closes_it() -> None:
    person = FACT_BASE.replace(b"Ada rows.", b"Ada rows and swims.").replace(b"0.6", b"0.9")
    machine = FACT_BASE.replace(b"active", b"superseded").replace(b"0.6", b"0.4")
    merged = Document.parse(merge_of(FACT)(FACT_BASE, person, machine))
    assert merged.body_bytes() == b"Ada rows and swims.\n"
    assert (merged.value("state"), author_of(merged)) == ("superseded", Author.PERSON)


def test_a_forgotten_passage_does_not_come_back_with_a_better_text() -> None:
    base = derived("extractive", "A secret.\n\nMore.\n")
    forgot, model = base.replace(b"A secret.", b"[forgotten]"), derived("llm", "It was a secret.\n")
    outcome = merge_file(RECAP, base, forgot, model)
    assert outcome.files == {RECAP: forgot}
    assert outcome.conflict is not None
    assert outcome.conflict.kind is ConflictKind.FORGOTTEN


def test_what_tells_of_a_summarys_text_goes_with_it() -> None:
    """One machine has a model write it anew, a person edits it on another: no word of the model's text is left, nor its size."""
    summary = Summary("day", 1, (Child.leaf(RepoPath("a.md"), "0" * 40),), "2026-11-02", "It rained.", 90, Sealed.CALENDAR)
    base = summary.render()
    model = rewritten(base, "It rained all day long, and nobody went out to the river.", "llm")
    person = base.replace(b"It rained.", b"It poured.")
    assert merge_of(summary.path())(base, model, person) == person
    assert merge_of(summary.path())(base, person, model) == person
