"""Facts that changed, as a person reads them in `memtree diff`, `memtree show` and `memtree review`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memtree.tree.fact import Fact, FactKind, FactSource, State, Temporal, fact_id, quote_hash, with_sources
from memtree.tree.fact_diff import Versions, stories
from memtree.tree.paths import RepoPath
from support.cli import memtree
from support.facts import WORDS
from support.gitrepo import GitRepo

MONTH = Temporal("relative", "message", "month", "2026-02-01", "2026-02-28", "2026-02")


def source(seq: int, session: str = "s-1") -> FactSource:
    return FactSource(session, seq, quote_hash(f"{session} {seq}"))


def made(text: str, seq: int, slot: str = "environment.home") -> Fact:
    return Fact(
        fact_id("s-1", [seq], slot),
        text,
        category="environment",
        slot=slot,
        sources=(source(seq),),
        created_at="2026-01-09T10:00:00Z",
    )


BERLIN = made("I live in Berlin.", 4)
LISBON = replace(made("I moved to Lisbon last month.", 12), temporal=MONTH, valid_at="2026-02", supersedes=BERLIN.id)
CLOSED = replace(BERLIN, state=State.SUPERSEDED, superseded_by=LISBON.id, invalid_at="2026-02", reason="says otherwise")
TEA = made("I like tea.", 6, "preference.tea")
PAIR = """\
superseded (environment.home): I live in Berlin. -> I moved to Lisbon last month. (since 2026-02; says otherwise)
  new fact (environment.home): I moved to Lisbon last month. [2026-02]  from turn 12 of session s-1
"""


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A workspace with two facts and a note, all of it reviewed."""
    repo = GitRepo(tmp_path / "w")
    repo.write("memtree.toml", f'durability = "fast"\n{WORDS}')
    put(repo, BERLIN, TEA)
    repo.write("note.md", b"A note.\n")
    memtree("init", cwd=repo.path)
    memtree("save", cwd=repo.path)
    memtree("review", cwd=repo.path)
    return repo


def put(repo: GitRepo, *facts: Fact) -> None:
    for one in facts:
        repo.write(one.path(), one.render())


def test_a_fact_and_what_took_its_place_are_told_together(repo: GitRepo) -> None:
    put(repo, CLOSED, LISBON)
    assert memtree("diff", cwd=repo.path).out == f"facts  2 changed\n{PAIR}"
    memtree("save", cwd=repo.path)
    assert memtree("diff", "HEAD~1", "HEAD", cwd=repo.path).out == f"facts  2 changed\n{PAIR}"
    assert memtree("diff", "HEAD~1", "HEAD", "--words", cwd=repo.path).out == f"facts  2 changed\n{PAIR}"
    reviewed = memtree("review", cwd=repo.path).out
    assert "2 files changed since you last looked" in reviewed
    assert reviewed.endswith(PAIR)
    assert "facts  2 changed  by " in reviewed
    assert "body_hash" not in reviewed
    assert "body_hash" not in memtree("review", cwd=repo.path).out


def test_the_lines_of_the_files_are_there_when_they_are_asked_for(repo: GitRepo, tmp_path: Path) -> None:
    put(repo, CLOSED, LISBON)
    patch = memtree("diff", "--raw", cwd=repo.path).out
    assert f"+++ b/{CLOSED.path()}\n" in patch
    assert "+state: superseded\n" in patch
    assert "facts  " not in patch
    found = memtree("diff", "--json", cwd=repo.path).json
    assert {one["path"] for one in found} == {CLOSED.path(), LISBON.path()}
    assert memtree("review", "--raw", "--keep", cwd=repo.path).out.count("superseded_by:") == 1
    assert {one["change"]["path"] for one in memtree("review", "--keep", "--json", cwd=repo.path).json["files"]} == {
        CLOSED.path(),
        LISBON.path(),
    }


def test_other_files_are_shown_as_ever(repo: GitRepo) -> None:
    repo.write("note.md", b"A note, changed.\n")
    put(repo, replace(TEA, state=State.RETRACTED, reason="taken back by the user"))
    told = memtree("diff", cwd=repo.path).out
    assert "+A note, changed.\n" in told
    assert told.endswith("facts  1 changed\nretracted (preference.tea): I like tea. (taken back by the user)\n")
    assert "note.md" in memtree("review", "--keep", cwd=repo.path).out


def test_a_text_that_a_person_edited_has_its_words_marked(repo: GitRepo) -> None:
    repo.write(BERLIN.path(), BERLIN.render().replace(b"Berlin", b"Bern, Switzerland"))
    told = memtree("diff", cwd=repo.path).out
    assert told == "facts  1 changed\ntext edited (environment.home): I live in [-Berlin-]{+Bern, Switzerland+}.\n"


def test_what_else_changed_is_told_on_one_line(repo: GitRepo) -> None:
    put(repo, replace(with_sources(TEA, [source(9, "s-2")]), confidence=0.9, tags=("drinks",)))
    told = memtree("diff", cwd=repo.path).out.splitlines()
    assert told[1:] == [
        "fact (preference.tea): I like tea.",
        "  sources +1 (turn 9 of session s-2), tags none -> drinks, confidence 0.6 -> 0.9",
    ]


def test_a_file_without_a_fact_is_shown_as_it_is(repo: GitRepo) -> None:
    repo.write(f"memory_tree/content/facts/ab/{'ab' * 16}.md", b"---\nstate: active\n---\n")
    told = memtree("diff", cwd=repo.path).out
    assert "+state: active\n" in told
    assert "facts  " not in told


def test_a_deleted_fact_and_one_whose_successor_did_not_change(repo: GitRepo) -> None:
    put(repo, LISBON)
    memtree("save", cwd=repo.path)
    put(repo, CLOSED)
    (Path(repo.path) / TEA.path()).unlink()
    told = memtree("diff", "HEAD", cwd=repo.path).out
    assert f"{PAIR.splitlines()[0]}\n" in told
    assert "deleted fact (preference.tea): I like tea.\n" in told
    assert "new fact" not in told


def test_show_prints_the_bytes_and_says_beside_them_what_they_mean(repo: GitRepo) -> None:
    put(repo, CLOSED, LISBON)
    memtree("save", cwd=repo.path)
    shown = memtree("show", CLOSED.path(), cwd=repo.path)
    assert shown.out.encode() == CLOSED.render()
    assert "fact (environment.home): I live in Berlin.  from turn 4 of session s-1" in shown.err
    assert f"superseded -> {LISBON.id[:8]} (since 2026-02; says otherwise)" in shown.err
    assert memtree("show", "note.md", cwd=repo.path).err == ""


def change(old: Fact | None, new: Fact | None) -> tuple[str, ...]:
    return lines_of(None if old is None else old.render(), None if new is None else new.render(), (old or new or TEA).path())


def lines_of(old: bytes | None, new: bytes | None, path: RepoPath) -> tuple[str, ...]:
    return tuple(line for story in stories([Versions(path, old, new)]) for line in story.texts)


def test_every_change_is_told_in_one_to_three_lines() -> None:
    pinned = replace(TEA, kind=FactKind.PINNED, subject="wife", slot="health.allergy")
    assert change(None, pinned) == ("pinned (wife: health.allergy): I like tea.  from turn 6 of session s-1",)
    assert change(None, LISBON)[1:] == (f"  in place of {BERLIN.id[:8]}",)
    assert change(replace(TEA, state=State.RETRACTED), TEA) == ("active again (preference.tea): I like tea.",)
    assert change(TEA, TEA) == ()
    assert change(TEA, replace(TEA, invalid_at="2026-05"))[1:] == ("  until 2026-05",)
    assert change(TEA, replace(TEA, temporal=MONTH))[1:] == ("  time none -> 2026-02",)
    everything = replace(with_sources(CLOSED, [source(30)]), text="I live in Bern.", tags=("x",), confidence=0.1)
    assert len(change(BERLIN, everything)) == 3
    assert change(TEA, replace(TEA, text="word " * 300))[0].startswith("text edited (preference.tea): ")
    assert all(len(line) < 600 for line in change(replace(TEA, text="old " * 300), replace(TEA, text="word " * 300)))
    several = with_sources(TEA, [source(8), source(2, "s-2")])
    assert change(None, several)[0].endswith("from turns 6, 8 of session s-1 and turn 2 of session s-2")
    assert lines_of(None, b"no fact", TEA.path()) == ("new fact: no fact",)
    assert lines_of(None, b"", TEA.path()) == ()


def test_a_chain_in_one_diff_is_told_in_its_order(repo: GitRepo) -> None:
    rome = replace(made("I moved to Rome.", 20), supersedes=LISBON.id)
    put(repo, CLOSED, replace(LISBON, state=State.SUPERSEDED, superseded_by=rome.id, reason="says otherwise"), rome)
    told = memtree("diff", cwd=repo.path).out
    assert told.startswith("facts  3 changed\n")
    assert "-> I moved to Lisbon last month." in told
    assert "superseded -> I moved to Rome. (says otherwise)\n  new fact (environment.home): I moved to Rome." in told
    assert told.count("I moved to Rome.") == 2
