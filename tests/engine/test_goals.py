"""Goals in a workspace, whatever MEMORY_GOALS.md is like: one commit a change, hand edits kept, or a clear refusal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
from memtree.engine.writers.goals import (
    GOALS,
    GoalsUnreadable,
    add_goal,
    change_goals,
    delete_goal,
    edit_goal,
    goals_file,
    list_goals,
)
from memtree.tree.errors import Error
from memtree.tree.goal_edits import GoalsFileOpen, GoalsFull, LabelTwice, NoSuchGoal
from memtree.tree.goal_text import UnfitGoal
from memtree.tree.paths import InvalidPath
from support.gitrepo import GitRepo
from support.machines import Machines

SECRET = "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn" + "6cDf1gHj3KaE5uRi"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.init(str(tmp_path / "w"), options=Options(durability=Durability.FAST, lock_timeout=1.0))[0]


def on_disk(workspace: Workspace) -> bytes:
    return Path(workspace.root, GOALS).read_bytes()


def told(workspace: Workspace) -> list[tuple[str, str]]:
    return [(goal.id, goal.text) for goal in list_goals(workspace).goals]


def status(workspace: Workspace) -> bytes:
    return subprocess.run(("git", "-C", workspace.root, "status", "--porcelain"), capture_output=True, check=True).stdout


def test_goals_come_change_and_go(workspace: Workspace) -> None:
    assert (list_goals(workspace).exists, told(workspace)) == (False, [])
    first = add_goal(workspace, "Learn to row")
    assert (first.message, first.id, first.line, first.on_disk, first.notes) == ("Added goal g1.", "g1", 3, True, ())
    assert add_goal(workspace, "  - Ship   the boat ").message == "Added goal g2."
    edited = edit_goal(workspace, "[g1]", "Learn to row well")
    assert (edited.message, edited.line) == ("Edited goal g1.", 3)
    assert edit_goal(workspace, "1", "Learn to row well").commit.changed is False
    gone = delete_goal(workspace, "G2")
    assert (gone.message, gone.line) == ("Deleted goal g2.", 0)
    assert add_goal(workspace, "Sail").message == "Added goal g3."
    assert told(workspace) == [("g1", "Learn to row well"), ("g3", "Sail")]
    assert on_disk(workspace) == b"# Long-term Goals\n\n- [g1] Learn to row well\n- [g3] Sail\n<!-- goals: 3 -->\n"
    assert list_goals(workspace).markdown == "- [g1] Learn to row well\n- [g3] Sail"
    assert list_goals(workspace).size == len("- [g1] Learn to row well\n- [g3] Sail\n")
    assert status(workspace) == b""


def test_a_commit_tells_who_and_not_what(workspace: Workspace) -> None:
    report = add_goal(workspace, "Learn to row", trailers="Memtree-Model: m\nMemtree-Tokens: input 8, output 1")
    message = workspace.repo.commit(workspace.repo.resolve("HEAD")).message
    assert report.commit.after == workspace.repo.tip("HEAD")
    assert message == (
        "add a goal\n\nMemtree-Writer: goals\nMemtree-Model: m\nMemtree-Tokens: input 8, output 1\n"
        f"Memtree-Device: {workspace.device}\n"
    )
    delete_goal(workspace, "g1", trailers="Memtree-Writer: archivist")
    assert workspace.repo.commit(workspace.repo.resolve("HEAD")).trailers["writer"] == "archivist"


@pytest.mark.parametrize("saved", [True, False])
@pytest.mark.parametrize(
    "before",
    [
        b"# Mine\r\n\r\nWritten on Sundays.\r\n\r\n- [g4] Row\r\n  in summer",
        b"\xef\xbb\xbf- [g1] a\n",
        b"> [!conflict] c-5d1c0f2e\n> > - [g7] x\n>\n> > - [g7] y\n\n- [g2] z\n",
        b"```\n- [g3] as in\n```\n",
        b"- [g1] a\n- [g1] b\n- caf\xe9\n",
        b"---\ntitle: Goals\n---\n\n<!-- goals: 12 -->\n",
    ],
)
def test_what_was_written_by_hand_stays(workspace: Workspace, before: bytes, saved: bool) -> None:
    Path(workspace.root, GOALS).write_bytes(before)
    if saved:
        workspace.save()
    report = add_goal(workspace, "Sail home")
    after = on_disk(workspace)
    for line in before.splitlines():
        assert line in after or b"<!-- goals" in line
    assert f"[{report.id}] Sail home".encode() in after
    assert (report.id, report.line) == next(
        (goal.id, goal.first_line) for goal in list_goals(workspace).goals if goal.text == "Sail home"
    )
    delete_goal(workspace, report.id)
    for line in before.splitlines():
        assert line in on_disk(workspace) or b"<!-- goals" in line
    assert status(workspace) == b""


def test_edits_by_hand_of_a_moment_ago_are_seen_and_numbered_on(workspace: Workspace) -> None:
    add_goal(workspace, "One")
    path = Path(workspace.root, GOALS)
    path.write_bytes(path.read_bytes().replace(b"- [g1] One\n", b"- [g1] One!\n- [g9] By hand\n"))
    assert told(workspace) == [("g1", "One!"), ("g9", "By hand")]
    assert add_goal(workspace, "Two").id == "g10"
    path.write_bytes(b"".join(line for line in path.read_bytes().splitlines(keepends=True) if b"g10" not in line))
    assert add_goal(workspace, "Three").id == "g11"  # the comment remembers what the hand took out


def link(root: str) -> None:
    Path(root, "real.md").write_text("- [g1] inside\n")
    os.symlink("real.md", os.path.join(root, GOALS))


def folder(root: str) -> None:
    os.mkdir(os.path.join(root, GOALS))
    Path(root, GOALS, "x.md").write_text("x\n")


def binary(root: str) -> None:
    Path(root, GOALS).write_bytes("- [g1] wide\n".encode("utf-16"))


def large(root: str) -> None:
    Path(root, GOALS).write_bytes(b"- [g1] a\n" + b"\n" * (1 << 20))


@pytest.mark.parametrize("make", [link, folder, binary, large])
def test_a_file_that_is_none_is_an_error_and_no_empty_list(workspace: Workspace, make: Callable[[str], None]) -> None:
    make(workspace.root)
    workspace.save()
    before = workspace.repo.tip()
    for verb in (list_goals, goals_file, lambda one: add_goal(one, "x"), lambda one: edit_goal(one, "g1", "x"), delete_first):
        with pytest.raises(GoalsUnreadable, match="MEMORY_GOALS"):
            verb(workspace)
    assert workspace.repo.tip() == before
    assert status(workspace) == b""


def delete_first(workspace: Workspace) -> object:
    return delete_goal(workspace, "g1")


def test_a_link_that_leads_out_is_not_written_through(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("outside\n")
    os.symlink(tmp_path / "outside.md", os.path.join(workspace.root, GOALS))
    with pytest.raises(Error):
        add_goal(workspace, "x")
    assert (tmp_path / "outside.md").read_text() == "outside\n"


def unclosed(root: str) -> None:
    Path(root, GOALS).write_text("```\nopen\n")


def other_case(root: str) -> None:
    Path(root, "memory_goals.md").write_text("- [g1] one\n")


@pytest.mark.parametrize(("make", "refusal"), [(unclosed, GoalsFileOpen), (other_case, InvalidPath)])
def test_what_takes_no_goal_is_left(workspace: Workspace, make: Callable[[str], None], refusal: type[Error]) -> None:
    make(workspace.root)
    workspace.save()
    before = workspace.repo.tip()
    with pytest.raises(refusal):
        add_goal(workspace, "x")
    assert (workspace.repo.tip(), status(workspace)) == (before, b"")


def test_refusals_change_nothing(workspace: Workspace) -> None:
    for number in range(8):
        add_goal(workspace, f"Goal {number}")
    before = workspace.repo.tip()
    for refusal, act in (
        (GoalsFull, lambda: add_goal(workspace, "Ninth")),
        (UnfitGoal, lambda: add_goal(workspace, f"use {SECRET}")),
        (UnfitGoal, lambda: edit_goal(workspace, "g1", "two\nlines")),
        (NoSuchGoal, lambda: edit_goal(workspace, "g12", "x")),
        (NoSuchGoal, lambda: delete_goal(workspace, "")),
    ):
        with pytest.raises(refusal):
            act()
    assert workspace.repo.tip() == before


def test_labels_that_stand_twice_are_told_and_refused(workspace: Workspace) -> None:
    Path(workspace.root, GOALS).write_bytes(b"- [g1] a\n- [g1] b\n- [g2] c\n")
    assert list_goals(workspace).notes == ("more than one goal has the label g1: give each its own in MEMORY_GOALS.md",)
    with pytest.raises(LabelTwice):
        delete_goal(workspace, "g1")
    assert delete_goal(workspace, "g2").message == "Deleted goal g2."


def test_a_file_that_is_held_back_has_its_change_later(workspace: Workspace) -> None:
    add_goal(workspace, "One")
    path = Path(workspace.root, GOALS)
    plain = path.read_text()
    path.write_text(f"{plain}token: {SECRET}\n")
    report = add_goal(workspace, "Two")
    assert (report.message, report.on_disk) == ("Added goal g2.", False)
    assert "is held back" in report.notes[0]
    assert SECRET in path.read_text()
    assert "Two" not in path.read_text()
    view = list_goals(workspace)
    assert [goal.text for goal in view.goals] == ["One", "Two"]
    assert "edits that are not committed" in view.notes[0]
    path.write_text(f"{plain}no token\n")
    workspace.save()
    assert "- [g2] Two" in path.read_text()
    assert "no token" in path.read_text()


def test_while_nothing_can_be_committed_the_list_is_told_as_of_the_last_commit(workspace: Workspace) -> None:
    add_goal(workspace, "One")
    repo = GitRepo(Path(workspace.root))
    repo.git("checkout", "-q", "-b", "other")
    Path(workspace.root, GOALS).write_bytes(b"- [g1] Edited\n")
    view = list_goals(workspace)
    assert [goal.text for goal in view.goals] == ["One"]
    assert any("are not seen" in note for note in view.notes)
    with pytest.raises(Error):
        add_goal(workspace, "Two")


@pytest.mark.parametrize("at", ["link", "exchange"])
def test_an_edit_that_races_in_keeps_its_goal_and_the_answer_tells_the_label_at_last(workspace: Workspace, at: str) -> None:
    add_goal(workspace, "One")
    path = Path(workspace.root, GOALS)

    def observe(step: str, _path: str) -> None:
        # What an editor saves before the file is read under the lock, or after that and before it is replaced.
        if step == at and b"By hand" not in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(b"One\n", b"One\n- [g2] By hand\n"))

    with Workspace.open(workspace.root, replace(workspace.options, observe=observe)) as raced:
        report = add_goal(raced, "Zwei")
    found = dict(told(workspace))
    assert set(found.values()) == {"One", "By hand", "Zwei"}
    assert found[report.id] == "Zwei"
    assert report.message == f"Added goal {report.id}."
    assert status(workspace) == b""


def test_several_changes_are_one_commit(workspace: Workspace) -> None:
    add_goal(workspace, "One")
    before = workspace.repo.tip()
    report = change_goals(workspace, lambda data: data.replace(b"One", b"Eins"), "curate the goals", trailers="Memtree-Model: m")
    assert (report.before, report.changed) == (before, True)
    assert told(workspace) == [("g1", "Eins")]
    assert change_goals(workspace, lambda data: data, "nothing").changed is False


@pytest.mark.parametrize("after", [None, "", "- [g1] a\n", "# Mine\n\n- [g2] b\n"])
def test_what_a_former_version_knew_is_given_to_no_other_goal(workspace: Workspace, after: str | None) -> None:
    """A list that was always written by hand has no comment, and one that was made anew has lost it."""
    file = Path(workspace.root, GOALS)
    file.write_text("- [g1] a\n- [g2] b\n- [g7] c\n", encoding="utf-8")
    list_goals(workspace)
    if after is None:
        file.unlink()
    else:
        file.write_text(after, encoding="utf-8")
    assert add_goal(workspace, "Learn to row").message == "Added goal g8."
    assert add_goal(workspace, "Learn to swim").message == "Added goal g9."


def test_two_machines_agree_and_no_label_stands_for_two_goals(tmp_path: Path) -> None:
    machines = Machines(tmp_path)
    try:
        one, two = machines.pair({"a.md": "x\n"})
        add_goal(one.workspace, "One")
        one.sync()
        two.sync()
        assert add_goal(one.workspace, "Given up").id == "g2"
        delete_goal(one.workspace, "g2")
        assert add_goal(one.workspace, "Here").id == "g3"
        assert add_goal(two.workspace, "There").id == "g2"
        assert add_goal(two.workspace, "There too").id == "g3"
        machines.settle()
        machines.assert_agreed()
        found = told(one.workspace)
        assert found == told(two.workspace)
        assert sorted(text for _, text in found) == ["Here", "One", "There", "There too"]
        assert len({name for name, _ in found}) == 4
        assert "g2" not in dict(found)
        assert add_goal(one.workspace, "Next").id not in {name for name, _ in found}
    finally:
        machines.close()
