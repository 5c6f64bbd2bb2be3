"""Goals added, edited and deleted: in any file every other byte stays, and no label stands twice or is ever given again."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.goals import merge_goals
from memtree.tree.errors import UserError
from memtree.tree.goal_edits import (
    MOST,
    MOST_BYTES,
    GoalsFileOpen,
    GoalsFull,
    GoalsTooLong,
    LabelTwice,
    NoLabelLeft,
    NoSuchGoal,
    SameGoal,
    asked_for,
    highest_given,
    size_of,
    standing,
    with_goal,
    with_text,
    without_goal,
)
from memtree.tree.goal_text import UnfitGoal, goal_text
from memtree.tree.goals import goals_of
from memtree.tree.paths import RepoPath

PATH = RepoPath("MEMORY_GOALS.md")
BOM = "\ufeff".encode()


def goals(data: bytes) -> list[tuple[int, str]]:
    return [(goal.label, goal.text) for goal in standing(data)]


# -- any file, any sequence of changes
LINES = [
    b"# Long-term Goals",
    b"",
    b"- [g1] Learn to row",
    b"- [g2] Ship the boat",
    b"- [g2] Another two",
    b"* [g12]  Starred",
    b"  more of it",
    b"\tand more",
    b"not indented",
    b"- no goal",
    b"- [x] done",
    b" - [g30] a step in",
    b"  - [g31] inner",
    b"```",
    b"> [!conflict] c-5d1c0f2e",
    b"> > - [g40] quoted",
    b"<!-- goals: 5 -->",
    b"<!-- goals: 50 -->",
    b"<!-- why",
    b"-->",
    b"%%",
    b"---",
    b"===",
    b"caf\xe9 \xff",
    "图书馆".encode(),
]
files = st.builds(
    lambda mark, lines, end, last: mark + end.join(lines) + (end if last else b""),
    st.sampled_from([b"", b"", BOM]),
    st.lists(st.sampled_from(LINES), max_size=12),
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"]),
    st.booleans(),
)
WORDS = ["Sail home", "Win", "学会划船", "Row `often`", "[link](x.md) it", "a <!-- b", "50%% of it", "x" * 400]
steps = st.lists(st.tuples(st.sampled_from(["add", "edit", "delete"]), st.integers(0, 9), st.sampled_from(WORDS)), max_size=8)


def lines_of(data: bytes, *without: int) -> list[bytes]:
    """The lines that are no goal with one of these labels, nor blank, nor the comment that remembers labels."""
    for goal in reversed(standing(data)):
        if goal.label in without:
            data = data[: goal.start] + data[goal.end :]
    lines = re.split(rb"\r\n|\n|\r", data.removeprefix(BOM))
    return [line for line in lines if line.strip() and not re.fullmatch(rb"<!-- goals: [0-9]+ -->[ \t]*", line)]


@given(files, steps)
def test_every_other_byte_stays_and_labels_are_given_once(data: bytes, chosen: list[tuple[str, int, str]]) -> None:
    ever = highest_given(data)
    for kind, at, text in chosen:
        before, known = data, standing(data)
        name = known[at % len(known)].name if known else "g1"
        try:
            if kind == "add":
                data, label = with_goal(before, text)
                assert label == ever + 1
                assert goals(data) == [*goals(before), (label, text)]
            elif kind == "edit":
                data, label = with_text(before, name, text)
                assert goals(data) == [(one, text if one == label else old) for one, old in goals(before)]
            else:
                data, label = without_goal(before, name)
                assert goals(data) == [one for one in goals(before) if one[0] != label]
        except UserError:
            continue
        heading = [b"# Long-term Goals"] if kind == "add" and not before.removeprefix(BOM).strip() else []
        assert lines_of(data, label) == heading + lines_of(before, label)
        if kind != "edit":
            assert highest_given(data) == max(ever, label)
            assert b"<!-- goals: " in data
        ever = max(ever, label)
        assert data.startswith(BOM) == before.startswith(BOM)
        # What is new is written with the line ends that are there.
        assert styles(data) <= styles(before) or not styles(before)


def styles(data: bytes) -> set[bytes]:
    return set(re.findall(rb"\r\n|\n|\r", data))


@given(files, st.sampled_from(WORDS))
def test_what_is_added_and_deleted_again_leaves_nothing_but_the_comment(data: bytes, text: str) -> None:
    try:
        more, label = with_goal(data, text)
    except UserError:
        return
    rest, _ = without_goal(more, f"g{label}")
    assert lines_of(rest) == [line for line in lines_of(more) if line != f"- [g{label}] {text}".encode()] or goals(data)
    assert goals(rest) == goals(data)
    assert with_goal(rest, text)[1] == label + 1


@given(st.binary(max_size=200), st.sampled_from(WORDS))
def test_any_bytes_are_a_sound_file_or_a_refusal(data: bytes, text: str) -> None:
    try:
        more, label = with_goal(data, text)
    except UserError:
        return
    assert goals(more) == [*goals(data), (label, text)]
    rest = iter(more)
    assert all(byte in rest for byte in data) or highest_given(data)  # in their order; but for the number in the comment


# -- two machines
machine = st.lists(st.tuples(st.sampled_from(["add", "edit", "delete"]), st.integers(0, 9), st.integers(0, 99)), max_size=5)


def worked(data: bytes, chosen: list[tuple[str, int, int]], by: str, given_out: dict[int, str]) -> bytes:
    """The file after somebody's changes; `given_out` learns what each label was given to."""
    for number, (kind, at, word) in enumerate(chosen):
        known = standing(data)
        name = known[at % len(known)].name if known else "g1"
        try:
            if kind == "add":
                text = f"{by} goal {number} {word}"
                data, label = with_goal(data, text)
                given_out[label] = text
            elif kind == "edit":
                data, _ = with_text(data, name, f"{by} edit {number} {word}")
            else:
                data, _ = without_goal(data, name)
        except UserError:
            continue
    return data


def merged(base: bytes, one: bytes, two: bytes) -> bytes:
    outcome = merge_goals(PATH, base, one, two)
    assert merge_goals(PATH, base, two, one).data == outcome.data
    return outcome.data


@given(machine, machine, machine, st.sampled_from([b"\n", b"\r\n"]))
def test_machines_that_merge_have_each_label_once_and_give_none_again(
    first: list[tuple[str, int, int]], ours: list[tuple[str, int, int]], theirs: list[tuple[str, int, int]], end: bytes
) -> None:
    base = worked(b"# Goals" + end + end + b"- [g1] One" + end, first, "base", {})
    here: dict[int, str] = {}
    there: dict[int, str] = {}
    one, two = worked(base, ours, "one", here), worked(base, theirs, "two", there)
    both = merged(base, one, two)
    labels = [goal.label for goal in standing(both)]
    assert len(set(labels)) == len(labels)
    known = max(map(highest_given, (base, one, two)))
    if both not in (one, two):
        assert highest_given(both) >= known
    # A label that a machine gave and took away stands for nothing any more, whatever the other one gave it to.
    for gave, side in ((here, one), (there, two)):
        assert not (gave.keys() - {goal.label for goal in standing(side)}) & set(labels)
    try:
        again, label = with_goal(both, "one goal more")
    except GoalsFull:
        assert len(labels) >= MOST
        return
    assert label > known or both in (one, two)
    assert len(standing(again)) == len(labels) + 1


def test_a_label_that_the_other_machine_gave_and_took_away_stands_for_nothing_else() -> None:
    base = with_goal(b"", "One")[0]
    one = without_goal(with_goal(base, "Given up")[0], "g2")[0]
    two = with_goal(base, "Kept")[0]
    assert goals(merged(base, one, two)) == [(1, "One"), (3, "Kept")]


def test_a_merge_above_eight_keeps_all_and_nothing_more_is_added() -> None:
    base = b""
    for number in range(6):
        base = with_goal(base, f"Goal {number}")[0]
    sides = []
    for by in ("one", "two"):
        side = with_goal(base, f"{by} seven")[0]
        sides.append(with_goal(side, f"{by} eight")[0])
    both = merged(base, *sides)
    assert len(standing(both)) == 10
    with pytest.raises(GoalsFull, match="there are 10 goals, and 8 is the most: the oldest is g1, Goal 0"):
        with_goal(both, "more")
    assert len(standing(with_text(both, "g1", "Edited")[0])) == 10
    assert len(standing(without_goal(both, "g1")[0])) == 9


# -- examples
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b"# Long-term Goals\n\n- [g1] Sail\n<!-- goals: 1 -->\n"),
        (BOM, BOM + b"# Long-term Goals\n\n- [g1] Sail\n<!-- goals: 1 -->\n"),
        (b"# G", b"# G\n\n- [g1] Sail\n<!-- goals: 1 -->\n"),
        (b"- [g1] a", b"- [g1] a\n- [g2] Sail\n<!-- goals: 2 -->\n"),
        (BOM + b"- [g1] a\n", BOM + b"- [g1] a\n- [g2] Sail\n<!-- goals: 2 -->\n"),
        (
            b"- [g1] a\r\n- [g4] b\r\n  more\r\n\r\nLast",
            b"- [g1] a\r\n- [g4] b\r\n  more\r\n- [g5] Sail\r\n\r\nLast\r\n<!-- goals: 5 -->\r\n",
        ),
        (
            b"* [g1] a\n\n* [g2] b\n\n  its note\n\nLast\n",
            b"* [g1] a\n\n* [g2] b\n\n  its note\n\n* [g3] Sail\n\nLast\n<!-- goals: 3 -->\n",
        ),
        (b"# G\n\n<!-- goals: 7 -->\n", b"# G\n\n- [g8] Sail\n<!-- goals: 8 -->\n"),
        (b"```\n- [g5] as in\n```\n", b"```\n- [g5] as in\n```\n\n- [g6] Sail\n<!-- goals: 6 -->\n"),
        (b"> [!note]\n> - [g9] q\n", b"> [!note]\n> - [g9] q\n\n- [g10] Sail\n<!-- goals: 10 -->\n"),
        (b"- [g3] a\n- [g3] b\n", b"- [g3] a\n- [g3] b\n- [g4] Sail\n<!-- goals: 4 -->\n"),
    ],
)
def test_where_a_goal_goes(before: bytes, after: bytes) -> None:
    assert with_goal(before, "Sail")[0] == after


@pytest.mark.parametrize("before", [b"```\n- [g1] a\n", b"<!-- open\n", b"- [g1] a\n\n```\n", b"<pre>\n"])
def test_a_file_in_which_something_is_open_takes_a_goal_soundly_or_not_at_all(before: bytes) -> None:
    try:
        after = with_goal(before, "Sail")[0]
    except GoalsFileOpen:
        return
    assert [text for _, text in goals(after)][-1] == "Sail"
    assert after.startswith(b"- [g1] a\n- [g2] Sail\n")


THREE = b"# Goals\n\n- [g1] One\n- [g2] Two\n  in two lines\n- [g3] Three\n\nWords.\n"


def test_an_edit_changes_the_words_of_one_goal() -> None:
    assert with_text(THREE, "g2", "Second") == (THREE.replace(b"Two\n  in two lines", b"Second"), 2)
    assert with_text(THREE, "g1", "One") == (THREE, 1)


def test_a_deleted_label_is_remembered() -> None:
    rest, label = without_goal(THREE, "g3")
    assert (rest, label) == (THREE.replace(b"- [g3] Three\n", b"") + b"<!-- goals: 3 -->\n", 3)
    assert with_goal(rest, "Four")[1] == 4


@pytest.mark.parametrize("name", ["g3", "G3", "[g3]", "3", " g3 ", "g03"])
def test_ids_as_they_are_typed(name: str) -> None:
    assert asked_for(THREE, name).text == "Three"


@pytest.mark.parametrize("name", ["", "g", "g9", "three", "-3", "g3 g2", "g" + "3" * 5000, "３"])
def test_an_unknown_id_names_the_known_ones(name: str) -> None:
    with pytest.raises(NoSuchGoal, match="no goal with id") as refused:
        asked_for(THREE, name)
    assert refused.value.hint == "the ids are g1, g2, g3"
    assert len(str(refused.value)) < 120
    with pytest.raises(NoSuchGoal) as refused:
        asked_for(b"", name)
    assert refused.value.hint == "there are no goals yet"


def test_a_label_that_stands_twice_is_told_with_its_lines() -> None:
    twice = THREE.replace(b"[g3]", b"[g1]")
    for change in (lambda: with_text(twice, "g1", "x"), lambda: without_goal(twice, "g1")):
        with pytest.raises(LabelTwice, match=r"2 goals have the label g1 \(lines 3, 6\)") as refused:
            change()
        assert "from g3 on" in refused.value.hint
    assert with_text(twice, "g2", "Second")[1] == 2


def test_a_label_that_stands_a_thousand_times_is_told_in_few_words() -> None:
    with pytest.raises(LabelTwice, match=r"1000 goals have the label g1 \(lines 1, 2, .*, 30, …\)") as refused:
        without_goal(b"- [g1] x\n" * 1000, "g1")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("text", ["Two in two lines", "two  IN two lines", "Ｔｗｏ in two lines"])
def test_a_text_that_is_there_already_is_refused_by_its_id(text: str) -> None:
    with pytest.raises(SameGoal, match="goal g2 says the same already"):
        with_goal(THREE, text)
    with pytest.raises(SameGoal, match="goal g2 says the same already"):
        with_text(THREE, "g1", text)
    assert with_text(THREE, "g2", text)[1] == 2


def filled(count: int, size: int) -> bytes:
    data = b""
    for number in range(count):
        data = with_goal(data, f"{number} " + "x" * size)[0]
    return data


def test_a_full_list_names_its_oldest_goal_and_drops_none() -> None:
    full = without_goal(filled(MOST, 5), "g1")[0]
    full = with_goal(full, "ninth")[0]
    with pytest.raises(GoalsFull, match="there are 8 goals, and 8 is the most: the oldest is g2, 1 xxxxx"):
        with_goal(full, "tenth")


def test_the_bytes_of_all_goals_are_counted_as_they_are_written() -> None:
    data = filled(4, 400)
    room = MOST_BYTES - size_of(standing(data)) - len("- [g5] \n")
    whole = with_goal(data, "y" * room)[0]
    assert sum(len(goal.render()) for goal in goals_of(whole)) == size_of(standing(whole)) == MOST_BYTES
    with pytest.raises(GoalsTooLong, match="the goals would take 2,001 bytes, more than 2,000"):
        with_goal(data, "y" * (room + 1))
    with pytest.raises(GoalsTooLong, match="2,002 bytes"):
        with_text(whole, "g1", "学" + "x" * 401)
    long = THREE.replace(b"Three", b"x" * 3_000)  # as a person or a merge left it
    assert with_text(long, "g3", "x" * 2_500)[1] == 3
    with pytest.raises(GoalsTooLong):
        with_text(long, "g3", "y" * 3_001)
    assert without_goal(long, "g1")[1] == 1


def test_no_label_is_left_above_the_highest() -> None:
    with pytest.raises(NoLabelLeft):
        with_goal(b"<!-- goals: 999999999 -->\n", "x")


# -- what a goal may say
@pytest.mark.parametrize(
    ("given_text", "text"),
    [
        ("  Learn\tto   row \n", "Learn to row"),
        ("- [g3] Learn to row", "Learn to row"),
        ("[G3] Learn to row ^m-01k3v9f4xq8d2m7b5c", "Learn to row"),
        ("[ ] Learn", "[ ] Learn"),
        ("学会 划船 🚣", "学会 划船 🚣"),
        ("half \ud800 of it", "half ? of it"),
    ],
)
def test_a_goal_is_one_line_as_it_was_meant(given_text: str, text: str) -> None:
    assert goal_text(given_text) == text
    assert goal_text(text) == text


CARD, MAIL = "4111 1111 1111 1111", "ada@example.org"
TOKEN = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "goal text must not be empty"),
        (" \t\n ", "goal text must not be empty"),
        ("- [g3] ", "goal text must not be empty"),
        ("\u200b", "goal text must not be empty"),
        ("one\ntwo", "goal text must be a single line"),
        ("one\r\ntwo", "goal text must be a single line"),
        ("one\u2028two", "goal text must be a single line"),
        ("one\x0btwo", "goal text must be a single line"),
        ("one\x1b[31mtwo", "goal text must not contain control characters"),
        ("write to " + MAIL, "goal text must not contain secrets or PII (email)"),
        ("pay with " + CARD, "goal text must not contain secrets or PII (card)"),
        ("pay with " + CARD.translate({ord("1"): "１"}), "goal text must not contain secrets or PII (card)"),
        ("call +49 30 901820 soon", "goal text must not contain secrets or PII (phone)"),
        ("use " + TOKEN, "goal text must not contain secrets or PII (github-token)"),
        (f"{TOKEN} to {MAIL}", "goal text must not contain secrets or PII (email, github-token)"),
        ("use " + TOKEN.translate({ord("g"): "ｇ", ord("_"): "＿"}), "goal text must not contain secrets or PII (github-token)"),
        ("use " + TOKEN.replace("_", "_\u200b"), "goal text must not contain secrets or PII (github-token)"),
        ("给张三打电话 １３８-００１３-８０００", "goal text must not contain secrets or PII (phone)"),
        ("电话：1380013\u200b8000", "goal text must not contain secrets or PII (phone)"),
        ("as in ^m-01k3 said", "goal text must not contain ^m-"),
        ("x [g_] y", "goal text must not contain [g_]"),
    ],
)
def test_what_no_goal_may_say(text: str, message: str) -> None:
    with pytest.raises(UnfitGoal) as refused:
        goal_text(text)
    assert str(refused.value) == message
    for value in (MAIL, CARD, TOKEN, "901820"):
        assert value not in str(refused.value) + refused.value.hint


@given(st.text(), files)
def test_a_text_that_may_be_a_goal_is_one(text: str, data: bytes) -> None:
    try:
        line = goal_text(text)
        made, label = with_goal(data, line)
    except UserError:
        return
    assert goals(made) == [*goals(data), (label, line)]


def test_looking_through_a_large_file_takes_time_in_proportion() -> None:
    def lines(count: int) -> bytes:
        return b"".join(b"- [g%d] x\n  more\n" % number for number in range(count))

    assert [len(standing(lines(count))) for count in (10, 2_000)] == [10, 2_000]
    assert list(itertools.islice((goal.first_line for goal in standing(lines(2_000))), 3)) == [1, 3, 5]
