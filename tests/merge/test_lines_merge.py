"""Plain text and files of rules: what merges cleanly merges, what does not is kept in two files, and both keep the laws."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.line_set import merge_line_set
from memtree.engine.merge.lines import merge_lines, merge_text
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

BASE = b"one\ntwo\nthree\nfour\n"


class Texts:
    """A base and two sides, changed line by line; some lines stand several times, some sides have other line ends."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        lines = [self.line("b", n) for n in range(self.dice.randint(0, 12))]
        self.base, self.one, self.two = self.written(lines), self.side(lines, "x"), self.side(lines, "y")

    def line(self, name: str, number: int) -> str:
        return self.dice.choice("abcd") if self.dice.random() < 0.2 else f"{name}{number}"

    def side(self, lines: list[str], name: str) -> bytes:
        lines = list(lines)
        for number in range(self.dice.randint(0, 4)):
            at = self.dice.randint(0, len(lines))
            step = self.dice.choice(("add", "add", "delete", "change"))
            lines[at : at + (step != "add")] = [] if step == "delete" else [self.line(name, number)]
        return self.written(lines)

    def written(self, lines: list[str]) -> bytes:
        end = self.dice.choice(("\n", "\n", "\n", "\r\n"))
        return (end.join(lines) + end * (self.dice.random() < 0.8)).encode()


texts = st.integers(0, 2**48).map(Texts)


@LAW
@given(texts)
def test_text_keeps_the_laws_and_every_added_line(made: Texts) -> None:
    merge = merge_of("notes/list.txt")
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    outcome = merge_file("notes/list.txt", made.base, made.one, made.two)
    laws.check_nothing_added_is_lost(made.base, (made.one, made.two), b" ".join(outcome.files.values()))
    laws.check_line_ends(made.one, made.two, merged)


@LAW
@given(texts)
def test_rules_keep_the_laws_and_every_added_line(made: Texts) -> None:
    merge = merge_of(".gitignore")
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    outcome = merge_file(".gitignore", made.base, made.one, made.two)
    laws.check_nothing_added_is_lost(made.base, (made.one, made.two), b" ".join(outcome.files.values()))


@given(st.none() | st.binary(), st.binary(), st.binary())
def test_any_bytes_are_merged(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    for rule in (merge_text, merge_line_set):
        assert rule(RepoPath("a"), base, ours, theirs) == rule(RepoPath("a"), base, theirs, ours)


def test_changes_of_different_lines_are_both_made() -> None:
    assert merge_lines(BASE, b"ONE\ntwo\nthree\nfour\n", b"one\ntwo\nthree\nfour\nfive\n") == b"ONE\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"ONE\ntwo\nthree\nfour\n", b"1\ntwo\nthree\nfour\n"),  # the same line
        (b"ONE\ntwo\nthree\nfour\n", b"one\nTWO\nthree\nfour\n"),  # lines that touch
        (BASE + b"five\n", BASE + b"5\n"),  # two additions in one place
    ],
)
def test_changes_that_meet_are_kept_apart(ours: bytes, theirs: bytes) -> None:
    assert merge_lines(BASE, ours, theirs) is None
    outcome = merge_file("notes/list.txt", BASE, ours, theirs)
    assert sorted(outcome.files.values()) == sorted((ours, theirs))
    assert outcome.conflict is not None
    assert outcome.conflict.second in outcome.files


def test_the_same_change_on_both_sides_stands_once() -> None:
    assert merge_lines(BASE, b"ONE\n" + BASE[4:], b"ONE\ntwo\nthree\nfour\nfive\n") == b"ONE\ntwo\nthree\nfour\nfive\n"


def test_line_ends_are_no_change_of_a_text() -> None:
    windows = BASE.replace(b"\n", b"\r\n")
    assert merge_lines(BASE, windows, BASE.replace(b"two", b"2")) == windows.replace(b"two", b"2")
    assert merge_file("a.txt", None, windows, BASE).files == {"a.txt": BASE}


def test_ignore_files_unite_in_the_order_they_were_given() -> None:
    base = b"# build\n*.o\n\n# editor\n*.swp\n"
    ours = b"# build\n*.o\n*.a\n\n# editor\n*.swp\n.idea/\n"
    theirs = b"# build\n*.o\n*.so\n\n# editor\n.vscode/\n"
    merged = merge_file("sub/.gitignore", base, ours, theirs)
    assert merged.kept == b"# build\n*.o\n*.a\n*.so\n\n# editor\n.idea/\n.vscode/\n"
    assert merged.conflict is None


def test_two_machines_that_made_an_ignore_file_have_both_rules() -> None:
    assert merge_file(".memtreeignore", None, b"drafts/\n", b"*.bak\n").kept == b"*.bak\ndrafts/\n"
