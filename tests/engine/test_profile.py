"""The profile in a workspace: what is learned on two machines comes together, what a person decides holds on both."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from memtree.engine.writers.profile import (
    LARGEST,
    ProfileUnreadable,
    UnfitKey,
    UnknownFacet,
    UnknownKey,
    forget_key,
    learn_key_again,
    list_profile,
    pin_entry,
    profile_at_tip,
    profile_edits,
    profile_path,
)
from memtree.tree.facets import FACETS, Observation
from memtree.tree.paths import RepoPath
from memtree.tree.profile_entries import ProfileFile
from support.machines import Machine, Machines

CONTENT = "memory_tree/content"
STYLE = profile_path(CONTENT, "coding_style")


@pytest.fixture(autouse=True)
def _without_indexes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched is no part of this, and takes much of its time."""
    monkeypatch.setattr(Workspace, "refresh_index", lambda self, progress=None: [])


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def alone(machines: Machines) -> Machine:
    return machines.lonely()


def seen(number: int, value: str = "Prefers tabs", key: str = "indentation", *, day: int = 1) -> Observation:
    return Observation("coding_style", key, value, f"e-{number:012x}", f"2026-12-{day:02}", 0.6)


def learn(machine: Machine, *observations: Observation) -> tuple[str, ...]:
    workspace = machine.workspace
    edits = profile_edits(lambda path: profile_at_tip(workspace, path), CONTENT, observations)
    workspace.write(dict(edits.files), "close a segment\n\nMemtree-Writer: recap\n")
    return edits.notes


def style(machine: Machine) -> bytes:
    return Path(machine.path, STYLE).read_bytes()


def test_what_two_machines_learn_comes_together_in_any_order(machines: Machines) -> None:
    dice = random.Random(11)
    a, b = machines.pair()
    every: set[tuple[str, str]] = set()
    for number in (0, 10):
        both = [
            seen(number + n, dice.choice(["Tabs", "Spaces", "Both"]), dice.choice(["indentation", "naming", "quotes"]))
            for n in range(8)
        ]
        every |= {(one.key, one.event) for one in both}
        for machine in (a, b):
            # The same conversations arrive in another order, and some were held on one machine alone.
            heard = dice.sample(both, 8) if machine is a else dice.sample(both[2:], 6)
            learn(machine, *heard[:3])
            learn(machine, *heard[3:])
        machines.settle()
        files = machines.assert_agreed()
        entries = ProfileFile(files[STYLE]).entries
        assert {(entry.key, one.event) for entry in entries for one in entry.seen} == every
        assert len({entry.key for entry in entries}) == len(entries)
        assert all(entry.learned for entry in entries)
    assert not a.workspace.repo.busy_with()


def test_machines_that_learn_the_same_write_the_same_bytes(machines: Machines) -> None:
    a, b = machines.pair()
    observations = [seen(1), seen(2, "Spaces", day=2), seen(3, "Short", "naming")]
    for machine in (a, b):
        assert learn(machine, *observations) == ()
        before = machine.tip
        learn(machine, *observations)
        assert machine.tip == before
    assert style(a) == style(b)


def test_what_a_person_decides_on_one_machine_holds_on_the_other(machines: Machines) -> None:
    a, b = machines.pair()
    learn(a, seen(1), seen(2, "Short", "naming"), seen(3, "Double", "quotes"))
    machines.settle()
    pin_entry(a.workspace, "coding_style", "indentation")
    forget_key(a.workspace, "coding_style", "naming")
    a.write(STYLE, style(a).replace(b": Double", b": Single, since last week"))
    learn(b, seen(4, "Spaces", day=9), seen(5, "Long", "naming", day=9), seen(6, "None at all", "quotes", day=9))
    machines.settle()
    machines.assert_agreed()
    learn(b, seen(7, "Spaces", day=10), seen(8, "Long", "naming", day=10), seen(9, "None at all", "quotes", day=10))
    machines.settle()
    machines.assert_agreed()
    for machine in (a, b):
        (view,) = list_profile(machine.workspace).facets
        assert [(item.key, item.value, item.sort, item.pinned) for item in view.items] == [
            ("indentation", "Prefers tabs", "learned", True),
            ("quotes", "Single, since last week", "edited", False),
        ]
        assert view.forgotten == ("naming",)
    assert (
        learn_key_again(b.workspace, "Coding Style", "Naming").message
        == "coding_style/naming may be learned again, from what is said from now on."
    )
    learn(b, seen(10, "Long", "naming"))
    assert [item.key for item in list_profile(b.workspace).facets[0].items] == ["indentation", "quotes", "naming"]


def test_edits_of_a_moment_ago_are_committed_first_and_stay(alone: Machine) -> None:
    learn(alone, seen(1))
    alone.write(STYLE, style(alone) + b"\nA word of my own.\n")
    report = pin_entry(alone.workspace, "coding-style", "INDENTATION")
    assert (report.message, report.changed) == ("Pinned coding_style/indentation.", True)
    assert style(alone).endswith(b"\nA word of my own.\n")
    alone.assert_sound()
    again = pin_entry(alone.workspace, "coding_style", "indentation")
    assert (again.message, again.changed) == ("coding_style/indentation is pinned already.", False)
    assert alone.subjects()[0] == "pin an entry of the profile"
    before = style(alone)
    assert pin_entry(alone.workspace, "coding_style", "indentation", pin=False).changed
    assert style(alone) == before.replace(b" <!-- pinned -->", b"")


def test_forgetting_before_anything_is_known_keeps_it_from_being_learned(alone: Machine) -> None:
    assert forget_key(alone.workspace, "stack", "java").message == "There was no entry stack/java; it will not be learned."
    assert (Path(alone.path) / profile_path(CONTENT, "stack")).read_text() == "# Stack\n\n## Forgotten\n\n- java\n"
    learn(alone, Observation("stack", "java", "Likes Java", "e-000000000001", "", 0.6))
    assert list_profile(alone.workspace).facets[0].items == ()
    learn_key_again(alone.workspace, "stack", "java")
    assert (Path(alone.path) / profile_path(CONTENT, "stack")).read_text() == "# Stack\n"


def test_errors_name_what_there_is(alone: Machine) -> None:
    learn(alone, seen(1))
    with pytest.raises(UnknownFacet) as facet:
        pin_entry(alone.workspace, "hobbies", "x")
    assert all(name in facet.value.hint for name in FACETS)
    with pytest.raises(UnknownKey) as key:
        pin_entry(alone.workspace, "coding_style", "indentatoin")
    assert key.value.hint == "did you mean indentation?"
    with pytest.raises(UnknownKey):
        learn_key_again(alone.workspace, "coding_style", "indentation")
    for unfit in ("", "  ", "x" * 41, "a\nb\x00", "**", "ghp_" + "x7Qp2LmZ9rTkV4sW8yBn6cDf1gHj3KaE5uRi"):
        with pytest.raises(UnfitKey):
            forget_key(alone.workspace, "coding_style", unfit)


@pytest.mark.parametrize("odd", ["link", "folder", "not utf-8", "large", "open"])
def test_what_is_no_profile_is_left_alone_and_told(alone: Machine, odd: str) -> None:
    path = Path(alone.path, STYLE)
    path.parent.mkdir(parents=True)
    if odd == "link":
        Path(alone.path, "elsewhere.md").write_text("- mine\n")
        path.symlink_to(os.path.relpath(Path(alone.path, "elsewhere.md"), path.parent))
    elif odd == "folder":
        path.mkdir()
        (path / "note.md").write_text("x\n")
    else:
        path.write_bytes({"not utf-8": b"- caf\xe9\n", "large": b"x" * (LARGEST + 1), "open": b"```\ncode\n"}[odd])
    alone.save()
    before = alone.tip
    (note,) = learn(alone, seen(1))
    assert note.startswith("nothing was learned under coding_style: ")
    assert alone.tip == before
    alone.assert_sound()
    other = Observation("stack", "python", "Likes Python", "e-000000000002", "", 0.6)
    assert len(learn(alone, seen(1), other)) == 1
    assert [view.facet for view in list_profile(alone.workspace).facets if view.items] == ["stack"]
    if odd != "open":
        with pytest.raises(ProfileUnreadable):
            forget_key(alone.workspace, "coding_style", "x")


def test_a_message_says_nothing_of_what_an_entry_says(alone: Machine) -> None:
    learn(alone, seen(1))
    forget_key(alone.workspace, "coding_style", "indentation", trailers="Memtree-Session: s\n")
    body = alone.git("log", "-1", "--format=%B")
    assert body.startswith("forget an entry of the profile\n\nMemtree-Writer: cli\nMemtree-Session: s\n")


def test_what_is_read_is_what_the_content_root_says() -> None:
    assert profile_path("", "stack") == RepoPath("profile/stack.md")
    asked: list[RepoPath] = []
    assert profile_edits(asked.append, "m", [seen(1)]).files.keys() == {RepoPath("m/profile/coding_style.md")}
    assert asked == ["m/profile/coding_style.md"]
