"""Open conflicts as a view of HEAD: what is listed, where each version comes from, and that the view never lags or lies."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.conflict_view import ConflictView
from memtree.engine.conflicts import Form, OpenConflict, OpenConflicts
from memtree.engine.merge.outcome import second_name
from memtree.engine.repo import Repo
from memtree.engine.resolve import (
    NoConflict,
    NoSuchVersion,
    NotForThis,
    SettledMeanwhile,
    SeveralConflicts,
    UnknownConflict,
    resolve,
)
from memtree.engine.resolve import find as find_conflict
from memtree.tree.conflict_callout import ConflictCallout
from memtree.tree.conflict_choices import Every, Take
from memtree.tree.objects import FILE, Entry
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, disk

NOTE = b"# Plan\n\nThe boat leaves at nine.\n\nBring bread.\n"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def open_conflicts(machine: Machine) -> list[OpenConflict]:
    return OpenConflicts(machine.workspace.repo, machine.workspace.places.folder).all()


def count(machine: Machine) -> int:
    return OpenConflicts(machine.workspace.repo, machine.workspace.places.folder).count()


def callout(*texts: str, mark: str = "c-0000000a") -> bytes:
    return ConflictCallout(mark, tuple(text.encode() for text in texts)).render()


def settle(machine: Machine, path: str, take: Take, wanted: str | None = None) -> bytes:
    found = find_conflict(machine.workspace, RepoPath(path), wanted)
    resolve(machine.workspace, found, take)
    machine.assert_sound()
    return machine.read(path) if os.path.exists(machine.full(path)) else b""


def two_versions(machines: Machines, path: str = "photos/ship.bin") -> tuple[Machine, Machine, str]:
    """Two machines that changed the same binary file; the name of the second file."""
    a, b = machines.pair({path: b"\0old"})
    a.write(path, b"\0from a")
    a.sync()
    machines.clock.tick(60)
    b.write(path, b"\0from b")
    report = b.sync()
    machines.settle()
    (conflict,) = report.conflicts
    assert conflict.second is not None
    return a, b, str(conflict.second)


# -- callouts


def test_a_callout_is_listed_with_its_place_and_versions(machines: Machines) -> None:
    a = machines.lonely({"notes/plan.md": NOTE})
    assert open_conflicts(a) == []
    a.write("notes/plan.md", b"# Plan\n\n" + callout("The boat leaves at ten.", "The boat leaves at two.") + b"\n\nBring bread.\n")
    a.save()
    (found,) = open_conflicts(a)
    assert (found.path, found.id, found.form, found.first_line, found.last_line) == (
        "notes/plan.md",
        "c-0000000a",
        Form.PASSAGE,
        3,
        6,
    )
    assert [version.text for version in found.versions] == ["The boat leaves at ten.", "The boat leaves at two."]
    assert [version.origin for version in found.versions] == [None, None]
    a.write("notes/plan.md", NOTE)
    a.save()
    assert open_conflicts(a) == []
    assert count(a) == 0


def test_each_version_of_a_callout_names_the_machine_and_commit_that_wrote_it(machines: Machines) -> None:
    a, b = machines.pair({"notes/plan.md": NOTE})
    a.write("notes/plan.md", NOTE.replace(b"at nine", b"at ten"))
    a.save()
    ours = a.tip
    machines.clock.tick(600)
    b.write("notes/plan.md", NOTE.replace(b"at nine", b"at two"))
    b.save()
    theirs = b.tip
    a.git("fetch", "-q", b.path, "main")
    both = NOTE.replace(b"The boat leaves at nine.", callout("The boat leaves at ten.", "The boat leaves at two."))
    a.git("merge", "-q", "--no-commit", "-s", "ours", "FETCH_HEAD")
    a.write("notes/plan.md", both)
    a.commit("merged by hand")
    (found,) = open_conflicts(a)
    ten, two = (version.origin for version in found.versions)
    assert ten is not None
    assert two is not None
    assert (ten.commit, ten.device) == (ours, a.workspace.device)
    assert (two.commit, two.device) == (theirs, b.workspace.device)
    assert two.time - ten.time == 600


def test_what_the_front_matter_lost_is_listed_beside_what_it_says(machines: Machines) -> None:
    text = b"---\nstatus: done\n---\n" + callout("status: draft") + b"\n\n# Plan\n"
    a = machines.lonely({"plan.md": text})
    (found,) = open_conflicts(a)
    assert (found.form, found.key) == (Form.VALUE, "status")
    assert [version.text for version in found.versions] == ["status: done", "status: draft"]
    assert found.versions[0].origin is not None


def test_several_are_listed_in_order_and_examples_in_code_are_not(machines: Machines) -> None:
    fence = b"```\n" + callout("x", "y", mark="c-0000000f") + b"\n```\n"
    first, second = callout("a", "b"), callout("c", "d", mark="c-0000000b")
    a = machines.lonely(
        {"b.md": first + b"\n\n" + second + b"\n\n" + fence, "a.md": first + b"\n", "code.md": fence, "c.txt": first}
    )
    assert [(str(one.path), one.id, one.first_line) for one in open_conflicts(a)] == [
        ("a.md", "c-0000000a", 1),
        ("b.md", "c-0000000a", 1),
        ("b.md", "c-0000000b", 6),
    ]
    assert count(a) == 3


# -- second files


def test_a_second_file_is_listed_with_both_origins_until_one_is_gone(machines: Machines) -> None:
    a, b, second = two_versions(machines)
    for machine in (a, b):
        (found,) = open_conflicts(machine)
        assert (found.path, found.form, str(found.second), found.first_line) == ("photos/ship.bin", Form.FILES, second, 0)
        assert found.id in second
        assert [version.text for version in found.versions] == ["", ""]
        devices = {machine.read(str(v.path)): v.origin.device for v in found.versions if v.origin is not None}
        assert devices == {b"\0from a": a.workspace.device, b"\0from b": b.workspace.device}
    # Edited, it stays open: nobody has decided yet.
    a.write(second, b"\0edited")
    a.sync()
    b.sync()
    assert count(a) == count(b) == 1
    assert open_conflicts(a)[0].versions[1].origin is not None
    b.remove(second)
    b.workspace.save()
    machines.settle()
    assert count(a) == count(b) == 0


def test_a_view_built_anew_says_the_same_of_an_edited_second_file(machines: Machines) -> None:
    a, _, second = two_versions(machines)
    a.write(second, b"\0edited")
    a.save()
    before = open_conflicts(a)
    os.unlink(os.path.join(a.workspace.places.folder, "conflicts.json"))
    assert open_conflicts(a) == before != []


def test_a_name_that_only_looks_like_a_second_version_is_not_listed(machines: Machines) -> None:
    a = machines.lonely({"day.md": b"one\n", "day-20261130.md": b"two\n", "x-deadbeef.md": b"no first file\n"})
    assert open_conflicts(a) == []
    a.write("x.md", b"the first comes later\n")
    a.save()
    assert open_conflicts(a) == []


def test_a_second_file_at_the_longest_name_is_found(machines: Machines) -> None:
    data = b"the other version\n"
    a = machines.lonely()
    first = RepoPath("n" * 252 + ".md")
    second = second_name(first, Entry(FILE, a.workspace.repo.hash_blob(data)))
    a.write(first, b"one version\n")
    a.write(second, data)
    a.save()
    assert [str(one.second) for one in open_conflicts(a)] == [second]


@pytest.mark.parametrize(
    "name", ["plan", "Yesterday. And what came of all that.md.bak of old", "a.tar.gz", ".hidden", "图书馆 notes.md"]
)
def test_second_files_of_all_kinds_of_names_are_found(machines: Machines, name: str) -> None:
    data = b"the other version\n"
    a = machines.lonely({f"f/{name}": b"one version\n"})
    second = second_name(RepoPath(f"f/{name}"), Entry(FILE, a.workspace.repo.hash_blob(data)))
    a.write(second, data)
    a.save()
    assert [(str(one.path), str(one.second)) for one in open_conflicts(a)] == [(f"f/{name}", second)]


# -- the view


def test_the_view_reads_only_what_changed(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    a = machines.lonely({f"n/{number}.md": f"note {number}\n" for number in range(50)})
    assert count(a) == 0
    a.write("n/7.md", callout("a", "b") + b"\n")
    a.save()
    repo = a.workspace.repo
    read: list[str] = []
    blob = repo.blob
    monkeypatch.setattr(repo, "blob", lambda wanted: read.append(wanted) or blob(wanted))
    assert ConflictView(repo, a.workspace.places.folder).at(repo.tip("HEAD")).count == 1
    assert len(read) == 1
    assert ConflictView(repo, a.workspace.places.folder).at(repo.tip("HEAD")).count == 1
    assert len(read) == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 99}', b'{"format": 1, "commit": "nonsense"}', b"\xff"])
def test_a_damaged_view_is_built_anew(machines: Machines, damage: bytes) -> None:
    a = machines.lonely({"a.md": callout("a", "b") + b"\n"})
    assert count(a) == 1
    path = Path(a.workspace.places.folder, "conflicts.json")
    path.write_bytes(damage)
    assert count(a) == 1
    assert json.loads(path.read_text())["commit"] == a.tip


def test_a_view_of_a_commit_that_is_gone_is_built_anew(machines: Machines) -> None:
    a = machines.lonely({"a.md": callout("a", "b") + b"\n"})
    assert count(a) == 1
    path = Path(a.workspace.places.folder, "conflicts.json")
    state = json.loads(path.read_text())
    path.write_text(json.dumps(state | {"commit": "0" * 40, "callouts": {"gone.md": 3}}))
    assert count(a) == 1


def test_the_view_follows_a_branch_that_goes_back(machines: Machines) -> None:
    a = machines.lonely({"a.md": callout("a", "b") + b"\n"})
    a.write("a.md", b"settled\n")
    a.save()
    assert count(a) == 0
    a.git("reset", "-q", "--hard", "HEAD~1")
    assert count(a) == 1


def test_nothing_is_open_before_the_first_commit(machines: Machines) -> None:
    a = machines.lonely()
    a.git("update-ref", "-d", "refs/heads/main")
    assert open_conflicts(a) == []


_NAMES = ("a.md", "b.bin")
_CONTENTS = (b"plain\n", b"\0other\n", callout("x", "y") + b"\n", callout("x", mark="c-0000000b") + b"\n\n" + callout("y") + b"\n")
_STEP = st.tuples(
    st.sampled_from(["write", "second", "edit second", "remove", "remove second", "move", "look"]),
    st.sampled_from(_NAMES),
    st.sampled_from(_CONTENTS),
)


@settings(max_examples=15)
@given(steps=st.lists(_STEP, min_size=3, max_size=14))
def test_a_view_that_caught_up_is_the_view_built_anew(steps: list[tuple[str, str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        repo = GitRepo(folder)
        repo.commit("start")
        opened = Repo.open(folder)
        view = ConflictView(opened, state)
        for step, name, data in steps:
            second = second_name(RepoPath(f"f/{name}"), Entry(FILE, Repo.hash_blob(data)))
            held = [path for path in _held(folder) if path.startswith(f"f/{name[0]}-")]
            match step:
                case "write":
                    repo.write(f"f/{name}", data)
                case "second":
                    repo.write(second, data)
                case "edit second" if held:
                    repo.write(held[0], data + b"edited\n")
                case "remove" if f"f/{name}" in _held(folder):
                    repo.remove(f"f/{name}")
                case "remove second" if held:
                    repo.remove(held[0])
                case "move" if f"f/{name}" in _held(folder):
                    repo.move(f"f/{name}", f"g/{name}")
                case "look":
                    view.at(opened.tip("HEAD"))
            repo.commit(step)
        with tempfile.TemporaryDirectory() as fresh:
            assert view.at(opened.tip("HEAD")) == ConflictView(opened, fresh).at(opened.tip("HEAD"))
        opened.close()


def _held(folder: str) -> list[str]:
    return sorted(disk(folder))


# -- settling


@pytest.mark.parametrize(("take", "left"), [(1, "ten"), (2, "two"), (Every.ALL, "ten\n\ntwo"), (Every.NONE, "")])
def test_a_callout_is_settled_by_an_ordinary_commit(machines: Machines, take: Take, left: str) -> None:
    a, b = machines.pair({"plan.md": b"# Plan\n\n" + callout("ten", "two") + b"\n\nend\n"})
    assert settle(a, "plan.md", take) == f"# Plan\n\n{left}\n\nend\n".replace("\n\n\n\n", "\n\n").encode()
    assert a.subjects()[0] == "resolve conflict c-0000000a in plan.md"
    assert a.git("log", "-1", "--format=%(trailers:key=Memtree-Writer,valueonly)").strip() == "cli"
    machines.settle()
    assert count(a) == count(b) == 0
    assert machines.assert_agreed()["plan.md"] == a.read("plan.md")


def test_a_lost_value_can_be_brought_back(machines: Machines) -> None:
    a = machines.lonely({"plan.md": b"---\nstatus: done\n---\n" + callout("status: draft") + b"\n\n# Plan\n"})
    with pytest.raises(NotForThis):
        settle(a, "plan.md", Every.ALL)
    assert settle(a, "plan.md", 2) == b"---\nstatus: draft\n---\n\n# Plan\n"


@pytest.mark.parametrize("named_second", [True, False])
@pytest.mark.parametrize("take", [1, 2])
def test_two_files_become_one(machines: Machines, take: int, named_second: bool) -> None:
    a, b, second = two_versions(machines)
    wanted = a.read([second, "photos/ship.bin"][take == 1])
    settle(a, second if named_second else "photos/ship.bin", take)
    machines.settle()
    assert machines.assert_agreed() == {"photos/ship.bin": wanted}
    assert count(a) == count(b) == 0


def test_all_or_a_third_of_two_files_means_nothing(machines: Machines) -> None:
    a, _, _ = two_versions(machines)
    with pytest.raises(NotForThis):
        settle(a, "photos/ship.bin", Every.ALL)
    with pytest.raises(NoSuchVersion):
        settle(a, "photos/ship.bin", 3)
    assert count(a) == 1


def test_unsaved_edits_of_the_file_are_kept(machines: Machines) -> None:
    a = machines.lonely({"plan.md": b"# Plan\n\n" + callout("ten", "two") + b"\n\nend\n"})
    a.write("plan.md", a.read("plan.md").replace(b"end\n", b"end, and a line that nobody saved\n"))
    assert settle(a, "plan.md", 1) == b"# Plan\n\nten\n\nend, and a line that nobody saved\n"
    assert a.subjects()[:2] == ["resolve conflict c-0000000a in plan.md", "outside edit"]


def test_an_unsaved_edit_of_the_version_that_goes_is_in_history(machines: Machines) -> None:
    a, _, second = two_versions(machines)
    a.write(second, b"\0edited and not saved")
    settle(a, "photos/ship.bin", 1)
    assert not os.path.exists(a.full(second))
    assert a.committed("HEAD~1")[second] == b"\0edited and not saved"


def test_a_number_never_means_another_version_than_was_shown(machines: Machines) -> None:
    a = machines.lonely({"plan.md": callout("ten", "two") + b"\n"})
    found = find_conflict(a.workspace, RepoPath("plan.md"), None)
    a.write("plan.md", callout("seven", "two") + b"\n")
    with pytest.raises(SettledMeanwhile):
        resolve(a.workspace, found, 1)
    a.write("plan.md", b"settled by hand\n")
    with pytest.raises(SettledMeanwhile):
        resolve(a.workspace, found, 1)
    assert a.read("plan.md") == b"settled by hand\n"


def test_what_is_not_there_is_said_plainly(machines: Machines) -> None:
    first, second = callout("a", "b"), callout("c", "d", mark="c-0000000b")
    a = machines.lonely({"two.md": first + b"\n\n" + second + b"\n", "none.md": b"quiet\n"})
    with pytest.raises(NoConflict):
        settle(a, "none.md", 1)
    with pytest.raises(SeveralConflicts, match=r"c-0000000a.*lines 1-4.*c-0000000b.*lines 6-9"):
        settle(a, "two.md", 1)
    with pytest.raises(UnknownConflict) as caught:
        settle(a, "two.md", 1, "c-99999999")
    assert caught.value.known == ("c-0000000a", "c-0000000b")
    with pytest.raises(NoSuchVersion, match="no version 3"):
        settle(a, "two.md", 3, "c-0000000b")
    assert settle(a, "two.md", 2, "c-0000000b") == first + b"\n\nd\n"


# -- as real merges leave them


def edited(machine: Machine, text: bytes, path: str = "notes/plan.md") -> str:
    machine.write(path, text)
    machine.save()
    return machine.tip


def apart(machines: Machines, base: bytes, ours: bytes, theirs: bytes) -> tuple[Machine, Machine, str, str]:
    """Two machines that changed a note while they were apart, and now know of each other; their two commits."""
    a, b = machines.pair({"notes/plan.md": base})
    one = edited(a, ours)
    machines.clock.tick(60)
    two = edited(b, theirs)
    machines.settle()
    return a, b, one, two


def test_a_merge_s_callout_is_listed_alike_on_every_machine(machines: Machines) -> None:
    ours, theirs = NOTE.replace(b"at nine", b"at ten sharp"), NOTE.replace(b"at nine", b"in the afternoon")
    a, b, one, two = apart(machines, NOTE, ours, theirs)
    assert open_conflicts(a) == open_conflicts(b)
    (found,) = open_conflicts(a)
    origins = {version.text: version.origin for version in found.versions}
    assert {text: origin and (origin.commit, origin.device) for text, origin in origins.items()} == {
        "The boat leaves at ten sharp.": (one, a.workspace.device),
        "The boat leaves in the afternoon.": (two, b.workspace.device),
    }
    chosen = next(version for version in found.versions if "ten" in version.text)
    assert settle(a, "notes/plan.md", chosen.number) == ours
    machines.settle()
    assert machines.assert_agreed() == {"notes/plan.md": ours}
    assert count(a) == count(b) == 0


def test_a_merge_s_lost_value_is_listed_and_can_be_brought_back(machines: Machines) -> None:
    def note(status: bytes) -> bytes:
        return b"---\ntitle: Plan\nstatus: " + status + b"\n---\n# Plan\n\ntext\n"

    a, b, one, two = apart(machines, note(b"idea"), note(b"draft"), note(b"waiting"))
    (found,) = open_conflicts(b)
    assert (found.form, found.key) == (Form.VALUE, "status")
    assert {version.text for version in found.versions} == {"status: draft", "status: waiting"}
    assert {version.origin.commit for version in found.versions if version.origin is not None} == {one, two}
    lost = found.versions[1].text
    settle(b, "notes/plan.md", 2)
    machines.settle()
    assert machines.assert_agreed()["notes/plan.md"].replace(b"---\n\n#", b"---\n#") == note(lost.removeprefix("status: ").encode())
    assert count(a) == count(b) == 0


def test_two_machines_that_settle_it_differently_lose_neither(machines: Machines) -> None:
    ours, theirs = NOTE.replace(b"at nine", b"at ten sharp"), NOTE.replace(b"at nine", b"in the afternoon")
    a, b, _, _ = apart(machines, NOTE, ours, theirs)
    settle(a, "notes/plan.md", 1)
    settle(b, "notes/plan.md", 2)
    machines.settle()
    text = machines.assert_agreed()["notes/plan.md"]
    assert b"at ten sharp" in text
    assert b"in the afternoon" in text
    assert count(a) == count(b)


def test_two_machines_that_settle_it_alike_agree(machines: Machines) -> None:
    ours, theirs = NOTE.replace(b"at nine", b"at ten sharp"), NOTE.replace(b"at nine", b"in the afternoon")
    a, b, _, _ = apart(machines, NOTE, ours, theirs)
    settled = settle(a, "notes/plan.md", 1)
    settle(b, "notes/plan.md", 1)
    machines.settle()
    assert machines.assert_agreed() == {"notes/plan.md": settled}
    assert count(a) == count(b) == 0


def test_a_conflict_stays_open_while_a_third_machine_edits_elsewhere(machines: Machines) -> None:
    ours, theirs = NOTE.replace(b"at nine", b"at ten sharp"), NOTE.replace(b"at nine", b"in the afternoon")
    a, _, _, _ = apart(machines, NOTE, ours, theirs)
    c = machines.clone("c")
    before = open_conflicts(c)
    assert before == open_conflicts(a) != []
    c.write("notes/plan.md", c.read("notes/plan.md").replace(b"bread", b"bread and cheese"))
    c.sync()
    machines.settle()
    assert [(one.id, one.versions) for one in open_conflicts(a)] == [(one.id, one.versions) for one in before]
