"""MEMORY_GOALS.md: no goal is lost, no label stands twice or comes again, and what a person wrote around the list stays."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.goals import merge_goals
from memtree.engine.merge.outcome import ConflictKind
from memtree.tree.goals import goals_of, highest_label
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

PATH = "MEMORY_GOALS.md"
merge = merge_of(PATH)
_NUMBERS = re.compile(rb"\[g[0-9]+\]|<!-- goals: [0-9]+ -->")


class Goals:
    """A base and two sides that number what they add by themselves. `moved`: a side put goals in another order or list."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.words = 0
        self.moved = False
        lines = ["# Goals", ""]
        count = self.dice.randint(0, 5)
        lines += [f"- [g{number + 1}] {self.word('b')} ship it" for number in range(count)]
        lines += ["", f"Why {self.word('b')}"] if self.dice.random() < 0.4 else []
        lines += ["", "## Work", "", f"- [g{count + 1}] {self.word('b')} at work"] if self.dice.random() < 0.3 else []
        lines += [f"<!-- goals: {count + self.dice.randint(1, 3)} -->"] if self.dice.random() < 0.5 else []
        self.base, self.one, self.two = self.written(lines), self.side(lines, "x"), self.side(lines, "y")

    def word(self, by: str) -> str:
        self.words += 1
        return f"{by}{self.words}"

    def side(self, lines: list[str], by: str) -> bytes:
        lines = list(lines)
        for _ in range(self.dice.randint(0, 3)):
            goals = [number for number, line in enumerate(lines) if "[g" in line]
            step = self.dice.random()
            if step < 0.4:
                lines = self.with_goal(lines, goals, by)
            elif step < 0.55 and goals:
                lines.pop(self.dice.choice(goals))
            elif step < 0.75 and goals:
                at = self.dice.choice(goals)
                new = f"] {self.word(by)}" if self.dice.random() < 0.5 else f"] {self.word(by)} other, not"
                lines[at] = lines[at].replace("]", new, 1)
            elif step < 0.85 and len(goals) > 1:
                self.moved = True
                one, two = self.dice.sample(goals, 2)
                lines[one], lines[two] = lines[two], lines[one]
            else:
                lines += ["", f"Said {self.word(by)}", ""]
        return self.written(lines)

    def with_goal(self, lines: list[str], goals: list[int], by: str) -> list[str]:
        label = highest_label(self.written(lines)) + 1
        lines = [re.sub(r"goals: \d+", f"goals: {label}", line) for line in lines]
        at = self.dice.choice(goals) + 1 if goals else len(lines[:2])
        return [*lines[:at], f"- [g{label}] {self.word(by)} new", *lines[at:]]

    @staticmethod
    def written(lines: list[str]) -> bytes:
        return ("\n".join(lines) + "\n").encode()


made_goals = st.integers(0, 2**48).map(Goals)


@LAW
@given(made_goals)
def test_a_merge_is_symmetric_and_loses_no_goal(made: Goals) -> None:
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_nothing_added_is_lost(made.base, [_NUMBERS.sub(b"", side) for side in (made.one, made.two)], merged)
    if not made.moved:
        laws.check_absorbs(merge, made.base, made.one, made.two, merged)


@LAW
@given(made_goals)
def test_no_label_stands_twice_or_is_given_again(made: Goals) -> None:
    merged = merge(made.base, made.one, made.two)
    labels = [goal.label for goal in goals_of(merged)]
    assert len(set(labels)) == len(labels)
    assert highest_label(merged) >= max(map(highest_label, (made.base, made.one, made.two))) or merged in (made.one, made.two)


@given(st.none() | st.binary(), st.binary(), st.binary())
def test_any_bytes_are_merged(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    assert merge_goals(RepoPath(PATH), base, ours, theirs) == merge_goals(RepoPath(PATH), base, theirs, ours)


BASE = b"# Long-term goals\n\nWritten on Sundays.\n\n- [g1] Learn to row\n- [g2] Ship the boat\n\n> Slow is smooth.\n"


def test_two_machines_that_chose_one_label_have_two_goals() -> None:
    ours = BASE.replace(b"boat\n", b"boat\n- [g3] Write a letter\n")
    theirs = BASE.replace(b"boat\n", b"boat\n- [g3] Plant a tree\n")
    assert merge(BASE, ours, theirs) == BASE.replace(b"boat\n", b"boat\n- [g3] Plant a tree\n- [g4] Write a letter\n")


def test_a_label_that_was_given_and_deleted_is_not_given_again() -> None:
    base = b"- [g1] One\n<!-- goals: 5 -->\n"
    merged = merge(
        base,
        base.replace(b"5", b"6").replace(b"One\n", b"One\n- [g6] Six\n"),
        base.replace(b"5", b"6").replace(b"One\n", b"One\n- [g6] Half\n"),
    )
    assert merged == b"- [g1] One\n- [g6] Half\n- [g7] Six\n<!-- goals: 7 -->\n"


def test_a_file_that_never_remembered_a_label_begins_to_when_it_must() -> None:
    merged = merge(BASE, BASE.replace(b"- [g2] Ship the boat\n", b""), BASE.replace(b"row", b"row well"))
    assert merged == BASE.replace(b"- [g2] Ship the boat\n", b"").replace(b"row", b"row well") + b"<!-- goals: 2 -->\n"


def test_an_edited_goal_stays_where_the_other_side_deleted_it() -> None:
    merged = merge(BASE, BASE.replace(b"- [g1] Learn to row\n", b""), BASE.replace(b"row", b"row well"))
    assert merged == BASE.replace(b"row", b"row well")


def test_two_edits_of_a_goal_are_two_goals_and_reported() -> None:
    outcome = merge_file(PATH, BASE, BASE.replace(b"Learn to row", b"Win a race"), BASE.replace(b"Learn to row", b"Sell the oars"))
    texts = {goal.text for goal in goals_of(outcome.kept)}
    assert texts == {b"Win a race", b"Sell the oars", b"Ship the boat"}
    assert [goal.label for goal in goals_of(outcome.kept)] == [1, 2, 3]
    assert outcome.conflict is not None
    assert outcome.conflict.kind is ConflictKind.SAME_PASSAGE


def test_more_than_eight_goals_all_stay() -> None:
    base = b"# Goals\n\n" + b"".join(b"- [g%d] goal %d\n" % (n, n) for n in range(1, 8))
    merged = merge(base, base + b"- [g8] ours\n", base + b"- [g8] theirs\n- [g9] theirs too\n")
    assert [(goal.label, goal.text) for goal in goals_of(merged)][7:] == [(8, b"ours"), (9, b"theirs too"), (10, b"theirs")]


def test_what_stands_around_the_goals_is_merged_and_kept_byte_for_byte() -> None:
    ours = BASE.replace(b"Written on Sundays.", b"Written  on Sundays,\nby hand.").replace(b"boat\n", b"boat\n- [g3] Rest\n")
    theirs = BASE.replace(b"# Long-term goals", b"# Goals") + b"\nAnd a last word\n"
    merged = merge(BASE, ours, theirs)
    assert merged == ours.replace(b"# Long-term goals", b"# Goals") + b"\nAnd a last word\n"


def test_a_goal_stays_under_its_heading() -> None:
    base = b"# Work\n\n- [g1] Hire\n\n# Home\n\n- [g2] Paint\n"
    merged = merge(base, base.replace(b"Hire\n", b"Hire\n- [g3] Fire\n"), base.replace(b"Paint\n", b"Paint\n- [g3] Clean\n"))
    assert merged == b"# Work\n\n- [g1] Hire\n- [g4] Fire\n\n# Home\n\n- [g2] Paint\n- [g3] Clean\n"


def test_lines_of_a_goal_and_windows_line_ends_stay() -> None:
    base = BASE.replace(b"row\n", b"row\n  before winter\n").replace(b"\n", b"\r\n")
    merged = merge(base, base.replace(b"winter", b"spring"), base.replace(b"boat", b"ship"))
    assert merged == base.replace(b"winter", b"spring").replace(b"boat", b"ship")


def test_labels_that_a_person_repeated_become_sound() -> None:
    base = b"- [g1] a\n- [g1] b\n- [g2] c\n"
    merged = merge(base, base + b"- [g2] d\n", base.replace(b"c", b"cc"))
    assert [goal.label for goal in goals_of(merged)] == [1, 2, 3, 4]
    assert {goal.text for goal in goals_of(merged)} == {b"a", b"b", b"cc", b"d"}


def test_a_forgotten_goal_beats_an_edit() -> None:
    merged = merge(BASE, BASE.replace(b"Learn to row", b"[forgotten]"), BASE.replace(b"to row", b"to row in secret"))
    assert merged == BASE.replace(b"Learn to row", b"[forgotten]")
