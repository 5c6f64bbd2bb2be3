"""Forgetting at HEAD: the text leaves every file, both indexes and what the engine kept aside, and nothing else changes."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from memtree.engine.forgetting import NothingToForget, Target, forget, plan, spelled
from memtree.engine.traces import forgets_something
from memtree.hooks.events import AgentEvent, Kind
from memtree.hooks.outbox import Outbox
from memtree.hooks.place import find_place
from memtree.tree.forgetting import CannotForget
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

SECRET = "zanzibar" + "quetzal"
NOTE = f"# Trip\n\nThe code is {SECRET} for the door.\n\n- milk and bread\n- the {SECRET} again\n"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def target(path: str = "", lines: tuple[int, ...] = (), text: str = "") -> Target:
    return Target(RepoPath(path), lines, text)


def state_files(machine: Machine) -> dict[str, bytes]:
    """Every file of the engine's state, and each with what its compressed parts say."""
    folder = os.path.join(machine.path, ".git", "memtree")
    return {
        os.path.join(here, name): Path(here, name).read_bytes()
        for here, _, names in os.walk(folder)
        for name in names
        if os.path.isfile(os.path.join(here, name))
    }


def holders(machine: Machine, text: str) -> list[str]:
    return [path for path, data in state_files(machine).items() if text.encode() in data]


def stored(machine: Machine) -> str:
    """What the full-text index gives back, deleted chunks left out."""
    return "".join(record.text for record in machine.workspace.searching.index().records())


class TestText:
    def test_the_text_is_replaced_and_the_words_around_it_stay(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE, "notes/b.md": "nothing here\n"})
        before = machine.read("notes/b.md")
        report = forget(machine.workspace, target(text=SECRET))
        expected = b"# Trip\n\nThe code is [forgotten] for the door.\n\n- milk and bread\n- the [forgotten] again\n"
        assert machine.read("notes/a.md") == expected
        assert machine.read("notes/b.md") == before
        assert [(place.path, place.lines) for place in report.done.places] == [("notes/a.md", (3, 6))]
        machine.assert_sound()

    def test_it_is_found_in_every_file_and_only_below_a_path_that_is_given(self, machines: Machines) -> None:
        machine = machines.lonely({"x/a.md": f"{SECRET} one\n", "y/b.txt": f"two {SECRET}\n"})
        forget(machine.workspace, target("x", text=SECRET))
        assert machine.read("x/a.md") == b"[forgotten] one\n"
        assert machine.read("y/b.txt") == f"two {SECRET}\n".encode()
        forget(machine.workspace, target(text=SECRET))
        assert machine.read("y/b.txt") == b"two [forgotten]\n"

    def test_the_commit_never_names_the_text(self, machines: Machines) -> None:
        machine = machines.lonely({f"notes/{SECRET}.md": f"the {SECRET}\n"})
        forget(machine.workspace, target(text=SECRET))
        assert SECRET not in machine.git("log", "-1", "--format=%B")
        assert "forget" in machine.subjects("-1")[0]
        assert "Memtree-Writer: cli" in machine.git("log", "-1", "--format=%B")

    def test_a_binary_that_holds_it_goes_as_a_whole(self, machines: Machines) -> None:
        machine = machines.lonely({"data.bin": b"\0\1" + SECRET.encode() + b"\2"})
        forget(machine.workspace, target(text=SECRET))
        assert machine.read("data.bin") == b"[forgotten]\n"

    def test_what_stands_nowhere_changes_nothing(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE})
        tip = machine.tip
        with pytest.raises(NothingToForget):
            forget(machine.workspace, target(text="Zanzibarquetzal"))
        assert machine.tip == tip

    @pytest.mark.parametrize("text", ["ab", "  ", "forgotten", "[forg"])
    def test_a_text_that_would_be_found_everywhere_is_refused(self, machines: Machines, text: str) -> None:
        machine = machines.lonely({"notes/a.md": "ab forgotten\n"})
        with pytest.raises(CannotForget):
            forget(machine.workspace, target(text=text))
        assert machine.read("notes/a.md") == b"ab forgotten\n"

    def test_a_second_time_there_is_nothing_left(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE})
        forget(machine.workspace, target(text=SECRET))
        with pytest.raises(NothingToForget) as caught:
            forget(machine.workspace, target(text=SECRET))
        assert caught.value.unpushed == 1
        assert "--purge" in caught.value.hint


class TestLines:
    def test_lines_become_stubs_and_the_rest_stays(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE})
        forget(machine.workspace, target("notes/a.md", (3, 6)))
        assert machine.read("notes/a.md") == b"# Trip\n\n[forgotten]\n\n- milk and bread\n- [forgotten]\n"
        assert machine.subjects("-1") == ["forget lines 3, 6 of notes/a.md"]

    def test_copies_of_the_lines_in_other_files_go_too_and_are_told(self, machines: Machines) -> None:
        copy = f"Before.\n\n> The code is {SECRET} for the door.\n"
        machine = machines.lonely({"notes/a.md": NOTE, "memory_tree/content/recap/s/1-2.md": copy})
        report = forget(machine.workspace, target("notes/a.md", (3,)))
        assert machine.read("memory_tree/content/recap/s/1-2.md") == b"Before.\n\n> [forgotten]\n"
        assert [place.path for place in report.done.places] == ["memory_tree/content/recap/s/1-2.md", "notes/a.md"]

    def test_a_short_line_is_forgotten_only_where_it_was_named(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "- yes\n- no\n", "b.md": "- yes\n"})
        forget(machine.workspace, target("a.md", (1,)))
        assert machine.read("a.md") == b"- [forgotten]\n- no\n"
        assert machine.read("b.md") == b"- yes\n"

    def test_a_line_that_is_not_there_is_refused(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\ntwo\n"})
        with pytest.raises(CannotForget, match="lines 1 to 2"):
            forget(machine.workspace, target("a.md", (3,)))

    def test_numbers_are_spelled_as_a_person_types_them(self) -> None:
        assert spelled((12,)) == "line 12"
        assert spelled((22, 20, 12, 21)) == "lines 12, 20-22"


class TestWholeFiles:
    def test_a_file_becomes_the_stub_with_its_front_matter(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": f"---\ntitle: {SECRET}\n---\nbody\n", "notes/b.md": "stays\n"})
        forget(machine.workspace, target("notes/a.md"))
        assert machine.read("notes/a.md") == b"[forgotten]\n"
        assert machine.read("notes/b.md") == b"stays\n"
        assert machine.subjects("-1") == ["forget notes/a.md"]

    def test_a_folder_is_all_its_files(self, machines: Machines) -> None:
        machine = machines.lonely({"x/a.md": "one\n", "x/y/b.png": b"\x89PNG\0", "xy.md": "stays\n"})
        forget(machine.workspace, target("x"))
        assert machine.notes() == {"x/a.md": b"[forgotten]\n", "x/y/b.png": b"[forgotten]\n", "xy.md": b"stays\n"}


class TestNotYetCommitted:
    def test_a_text_that_is_only_on_the_disk_never_reaches_history(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": "one\n"})
        machine.write("notes/a.md", f"one\nmine\n{SECRET}\n")
        machine.write("notes/new.md", f"new {SECRET}\n")
        forget(machine.workspace, target(text=SECRET))
        assert machine.read("notes/a.md") == b"one\nmine\n[forgotten]\n"
        assert machine.read("notes/new.md") == b"new [forgotten]\n"
        machine.assert_sound()
        assert SECRET not in machine.git("log", "-p", "--all")
        assert holders(machine, SECRET) == []

    def test_lines_are_counted_as_the_disk_has_them(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one line that is long\ntwo lines that are long\n"})
        machine.write("a.md", "a new first\none line that is long\ntwo lines that are long\n")
        forget(machine.workspace, target("a.md", (3,)))
        assert machine.read("a.md") == b"a new first\none line that is long\n[forgotten]\n"
        machine.assert_sound()

    def test_files_outside_of_the_scope_are_left_alone(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE, ".memtreeignore": "code/\n"})
        machine.write("code/x.py", f"key = '{SECRET}'\n")
        machine.git("add", "code")
        machine.git("commit", "-qm", "code")
        forget(machine.workspace, target(text=SECRET))
        assert SECRET.encode() in machine.read("code/x.py")


def test_what_waits_to_be_recorded_does_not_bring_it_back(machines: Machines) -> None:
    machine = machines.lonely({"notes/a.md": "one\n"})
    place = find_place(machine.path)
    assert place is not None
    outbox = Outbox(place.state)
    turn = {"user": f"The code is {SECRET}.", "uuid": "t1", "tool_calls": [{"name": "x", "input": {"y": [SECRET, 3]}}]}
    outbox.add(AgentEvent(Kind.TURN, "generic", "s", "turn", turn=turn), 1)
    given_up, _ = outbox.add(AgentEvent(Kind.PROMPT, "codex", "s", "x", prompt=SECRET, turn_id="t"), 2)
    outbox.put_aside(given_up.name)
    other, _ = outbox.add(AgentEvent(Kind.TURN, "generic", "s", "turn", turn={"user": "turn"}), 3)
    Path(outbox.folder, "x.json").write_bytes(b"{")
    assert plan(machine.workspace, target(text=SECRET)).waiting == 2
    assert holders(machine, SECRET) != []
    assert forget(machine.workspace, target(text=SECRET)).done.waiting == 2
    assert holders(machine, SECRET) == []
    with pytest.raises(NothingToForget):
        forget(machine.workspace, target(text=SECRET))
    first, second = (outbox.read(name) for name in outbox.names()[:2])
    assert first is not None
    assert second is not None
    assert first.event.turn == turn | {
        "user": "The code is [forgotten].",
        "tool_calls": [{"name": "x", "input": {"y": ["[forgotten]", 3]}}],
    }
    assert (second.name, second.event.turn) == (other.name, {"user": "turn"})
    assert forget(machine.workspace, target(text="turn")).done.waiting == 1
    assert [outbox.read(name) is not None for name in outbox.names()[:2]] == [True, True]


class TestTraces:
    def test_searching_finds_nothing_and_the_indexes_files_hold_nothing(self, machines: Machines) -> None:
        machine = machines.lonely({f"n/{n}.md": f"note {n} about things\n" for n in range(30)} | {"notes/a.md": NOTE})
        assert machine.found(SECRET) == ["notes/a.md"]
        machine.workspace.searching.refresh(mode=None)
        forget(machine.workspace, target(text=SECRET))
        assert machine.found(SECRET) == []
        assert SECRET not in stored(machine)
        assert holders(machine, SECRET) == []
        text = machine.workspace.searching.index()
        assert not text.has_remains()
        machine.assert_sound()

    def test_the_vectors_of_what_was_forgotten_are_gone_from_the_log(self, machines: Machines) -> None:
        machine = machines.lonely({"keep.md": "keep this one\n", "a.md": f"{SECRET} only here\n"})
        machine.workspace.refresh_index()
        vectors = machine.workspace.searching.meaning().vectors
        assert vectors is not None
        old = {row[2] for row in vectors.contents() if row[0] == "a.md"}
        assert old
        forget(machine.workspace, target("a.md"))
        new = {row[2] for row in vectors.contents()}
        assert not old & new
        logged = b"".join(data for path, data in state_files(machine).items() if "vectors" in path)
        assert not any(bytes.fromhex(one) in logged for one in old)
        assert all(bytes.fromhex(one) in logged for one in new)

    def test_displaced_copies_are_dropped_and_others_kept(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n", "b.md": "two\n"})
        path_b = RepoPath("b.md")
        machine.workspace.write({path_b: b"two\nthree\n"}, "write\n\nMemtree-Writer: cli\n")
        forget(machine.workspace, target(text=SECRET))
        kept = [
            Path(entry.path).read_bytes() for entry in os.scandir(machine.workspace.places.displaced) if entry.name != "records"
        ]
        assert kept == [b"two\n"]

    def test_a_killed_cleaning_is_made_up_for(self, machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
        machine = machines.lonely({"a.md": f"{SECRET} one\n"} | {f"n/{n}.md": f"note {n}\n" for n in range(9)})
        machine.workspace.refresh_index()
        with monkeypatch.context() as patch:
            patch.setattr(machine.workspace, "refresh_index", lambda _progress=None: [])
            forget(machine.workspace, target(text=SECRET))
        machine.reopen()
        machine.workspace.refresh_index()
        assert not machine.workspace.searching.index().has_remains()
        assert machine.found(SECRET) == []


class TestPlan:
    def test_a_plan_tells_and_changes_nothing(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n{SECRET}\n", "b.md": f"x {SECRET}\n"})
        tip, disk = machine.tip, machine.disk()
        found = plan(machine.workspace, target(text=SECRET))
        assert (found.count, len(found.places), found.unpushed, found.pushed) == (3, 2, 1, ())
        assert (machine.tip, machine.disk()) == (tip, disk)

    def test_what_was_pushed_is_told_with_its_first_commit(self, machines: Machines) -> None:
        machine = machines.first({"a.md": "one\n"})
        machine.write("a.md", f"one\n{SECRET}\n")
        machine.save()
        since = machine.tip
        machine.write("b.md", "two\n")
        machine.save()
        machine.sync()
        found = plan(machine.workspace, target(text=SECRET))
        assert [(one.branch, one.since, one.newest) for one in found.pushed] == [("origin/main", since, True)]
        assert found.unpushed == 0


class TestOtherMachines:
    def test_a_pull_forgets_there_too(self, machines: Machines) -> None:
        a, b = machines.pair({"notes/a.md": NOTE, "notes/b.md": "other\n"})
        assert b.found(SECRET) == ["notes/a.md"]
        b.write("notes/b.md", "other, edited on b\n")
        forget(a.workspace, target(text=SECRET))
        machines.settle()
        assert machines.assert_agreed()["notes/b.md"] == b"other, edited on b\n"
        assert b.found(SECRET) == []
        assert SECRET not in stored(b)
        assert not b.workspace.searching.index().has_remains()

    @pytest.mark.parametrize("first", ["a", "b"])
    def test_an_edit_of_the_same_passage_elsewhere_does_not_bring_it_back(self, machines: Machines, first: str) -> None:
        a, b = machines.pair({"notes/a.md": NOTE})
        forget(a.workspace, target("notes/a.md", (3,)))
        b.write("notes/a.md", NOTE.replace("for the door", "for the back door").replace("milk", "oat milk"))
        b.save()
        (a if first == "a" else b).sync()
        machines.settle()
        agreed = machines.assert_agreed()
        assert [path for path in agreed if b"The code" in agreed[path]] == []
        assert b"- oat milk and bread" in agreed["notes/a.md"]

    def test_a_whole_file_stays_forgotten_whatever_was_made_of_it_elsewhere(self, machines: Machines) -> None:
        a, b = machines.pair({"notes/a.md": NOTE, "notes/b.bin": b"\0" + SECRET.encode()})
        forget(a.workspace, target("notes"))
        b.write("notes/a.md", NOTE + "more\n")
        b.write("notes/b.bin", b"\0\1" + SECRET.encode())
        b.save()
        machines.settle()
        assert machines.assert_agreed() == {"notes/a.md": b"[forgotten]\n", "notes/b.bin": b"[forgotten]\n"}

    def test_a_stale_buffer_on_the_same_machine_does_not_bring_it_back(self, machines: Machines) -> None:
        machine = machines.lonely({"notes/a.md": NOTE})
        forget(machine.workspace, target(text=SECRET))
        machine.write("notes/a.md", NOTE.replace("milk", "oat milk"))
        machine.save()
        assert SECRET.encode() not in machine.read("notes/a.md")
        assert b"oat milk" in machine.read("notes/a.md")

    def test_a_stale_buffer_does_not_bring_it_back_after_a_pull(self, machines: Machines) -> None:
        a, b = machines.pair({"notes/a.md": NOTE})
        forget(a.workspace, target(text=SECRET))
        a.sync()
        b.sync()
        b.write("notes/a.md", NOTE.replace("milk", "oat milk"))
        b.save()
        assert SECRET.encode() not in b.read("notes/a.md")
        assert b"oat milk" in b.read("notes/a.md")

    def test_commits_that_forget_are_known_by_their_trailer(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"{SECRET}\n"})
        tip = machine.workspace.resolve(None)
        assert not forgets_something(machine.workspace.repo, None, tip)
        forget(machine.workspace, target(text=SECRET))
        assert forgets_something(machine.workspace.repo, tip, machine.workspace.resolve(None))


def test_the_text_is_in_no_loose_object_of_the_commit_itself(machines: Machines) -> None:
    """The new versions hold nothing of it: only older objects do, until they are purged."""
    machine = machines.lonely({"a.md": f"{SECRET} one\n"})
    forget(machine.workspace, target(text=SECRET))
    names = machine.git("ls-tree", "-r", "HEAD").split()[2::4]
    objects = [Path(machine.path, ".git/objects", name[:2], name[2:]) for name in names]
    assert all(SECRET.encode() not in zlib.decompress(path.read_bytes()) for path in objects if path.exists())


class TestHeldEdits:
    TOKEN = "ghp_" + "a1B2" * 9

    def test_a_secret_that_is_held_leaves_the_file_the_hold_and_its_ref(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": "one\n"})
        machine.write("a.md", f"one\nkey {self.TOKEN}\n")
        machine.save()
        assert machine.workspace.holds.all()
        forget(machine.workspace, target(text=self.TOKEN))
        assert machine.read("a.md") == b"one\nkey [forgotten]\n"
        assert not machine.workspace.holds.all()
        assert machine.git("for-each-ref", "refs/memtree") == ""
        machine.assert_sound()
        assert self.TOKEN not in machine.git("log", "-p", "--all")

    def test_another_secret_in_the_same_file_stays_held(self, machines: Machines) -> None:
        machine = machines.lonely({"a.md": f"one {SECRET}\n"})
        machine.write("a.md", f"one {SECRET}\nkey {self.TOKEN}\n")
        forget(machine.workspace, target(text=SECRET))
        assert machine.read("a.md") == f"one [forgotten]\nkey {self.TOKEN}\n".encode()
        assert machine.committed()["a.md"] == b"one [forgotten]\n"
        assert self.TOKEN not in machine.git("log", "-p")

    def test_what_arrived_while_it_was_held_stays(self, machines: Machines) -> None:
        a, b = machines.pair({"a.md": "first\n\nmiddle\n\nlast\n"})
        b.write("a.md", f"first\n\nmiddle\n\nlast, my key {self.TOKEN}\n")
        b.save()
        a.write("a.md", "first from a\n\nmiddle\n\nlast\n")
        a.save()
        a.sync()
        b.sync()
        forget(b.workspace, target(text=self.TOKEN))
        assert b.committed()["a.md"] == b"first from a\n\nmiddle\n\nlast, my key [forgotten]\n"
