"""A buffer that was opened before a pull and saved after it does not revert the pull; a person's own revert does."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.stale_saves import StaleSaves
from memtree.engine.store.report import CommitReport
from support.machines import Machine, Machines

OLD = "# Plan\n\nfirst paragraph\n\nsecond paragraph\n\nthird paragraph\n"
NEW = OLD.replace("second paragraph", "second paragraph from a")
MERGED = "merge a save of notes/a.md from before the pull"


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


def pulled(machines: Machines, path: str = "notes/a.md", old: str | bytes = OLD, new: str | bytes = NEW) -> Machine:
    """Machine b after it pulled a's change of one file."""
    a, b = machines.pair({path: old})
    a.write(path, new)
    a.save()
    a.sync()
    b.sync()
    return b


def test_a_plain_save_of_the_old_text_is_merged_back_and_told(machines: Machines) -> None:
    b = pulled(machines)
    b.write("notes/a.md", OLD)
    report = b.save()
    assert b.read("notes/a.md") == NEW.encode()
    assert b.subjects("-2") == [MERGED, "save notes/a.md"]
    assert b.committed("HEAD~1")["notes/a.md"] == OLD.encode()
    assert any("opened before a pull" in note for note in report.notes)
    b.assert_sound()


def test_undo_of_the_merge_gives_the_save_and_a_later_edit_stays(machines: Machines) -> None:
    b = pulled(machines)
    b.write("notes/a.md", OLD)
    b.save()
    b.workspace.undo(b.workspace.resolve("HEAD"))
    assert b.read("notes/a.md") == OLD.encode()
    b.write("notes/a.md", OLD + "\nmine\n")
    b.save()
    assert b.read("notes/a.md") == (OLD + "\nmine\n").encode()
    assert b.subjects("-1") == ["save notes/a.md"]


def test_a_restore_of_the_old_text_stays_and_so_do_edits_on_top(machines: Machines) -> None:
    b = pulled(machines)
    b.workspace.restore(b.path_of("notes/a.md"), b.workspace.resolve("HEAD~1"))
    assert b.read("notes/a.md") == OLD.encode()
    b.write("notes/a.md", OLD + "\nmine\n")
    b.save()
    assert b.read("notes/a.md") == (OLD + "\nmine\n").encode()


def test_an_edit_on_top_of_the_pull_is_an_ordinary_save(machines: Machines) -> None:
    b = pulled(machines)
    b.write("notes/a.md", NEW.replace("third", "my third"))
    b.save()
    assert b.subjects("-1") == ["save notes/a.md"]


def test_taking_back_one_of_two_pulled_changes_is_meant(machines: Machines) -> None:
    new = NEW + "\nfourth paragraph\n"
    b = pulled(machines, new=new)
    b.write("notes/a.md", NEW)
    b.save()
    assert b.read("notes/a.md") == NEW.encode()
    assert b.subjects("-1") == ["save notes/a.md"]


def test_after_an_hour_a_save_is_taken_as_it_is(machines: Machines) -> None:
    b = pulled(machines)
    machines.clock.tick(3601)
    b.write("notes/a.md", OLD)
    b.save()
    assert b.read("notes/a.md") == OLD.encode()


def test_it_is_known_after_reopening(machines: Machines) -> None:
    b = pulled(machines)
    b.reopen()
    b.write("notes/a.md", OLD)
    b.save()
    assert b.read("notes/a.md") == NEW.encode()


def test_a_buffer_from_before_two_pulls_keeps_both(machines: Machines) -> None:
    b = pulled(machines)
    newer = NEW.replace("first", "first, newer")
    a = machines.all["a"]
    a.write("notes/a.md", newer)
    a.save()
    a.sync()
    b.sync()
    b.write("notes/a.md", OLD)
    b.save()
    assert b.read("notes/a.md") == newer.encode()


def test_a_buffer_from_between_two_pulls_loses_neither(machines: Machines) -> None:
    b = pulled(machines)
    newer = NEW.replace("first", "first, newer")
    a = machines.all["a"]
    a.write("notes/a.md", newer)
    a.save()
    a.sync()
    b.sync()
    b.write("notes/a.md", NEW)
    b.save()
    assert b.read("notes/a.md") == newer.encode()


def test_a_file_that_cannot_be_merged_comes_back_whole(machines: Machines) -> None:
    b = pulled(machines, "data.bin", b"\0old", b"\0new")
    b.write("data.bin", b"\0old")
    b.save()
    assert b.read("data.bin") == b"\0new"
    assert b.committed("HEAD~1")["data.bin"] == b"\0old"
    b.assert_sound()


def test_both_edits_stand_after_a_stale_save_with_an_edit_of_its_own(machines: Machines) -> None:
    b = pulled(machines)
    b.write("notes/a.md", OLD.replace("third paragraph", "third paragraph from b"))
    b.save()
    assert b.read("notes/a.md") == NEW.replace("third paragraph", "third paragraph from b").encode()
    machines.settle()
    machines.assert_agreed()


def test_an_editor_that_goes_on_saving_its_old_buffer_never_wins(machines: Machines) -> None:
    b = pulled(machines)
    for words in ("mine", "mine and more"):
        b.write("notes/a.md", OLD.replace("third paragraph", f"third paragraph, {words}"))
        b.save()
        assert b"second paragraph from a" in b.read("notes/a.md")
        assert words.encode() in b.read("notes/a.md")


@pytest.mark.parametrize("verb", ["search", "sync"])
def test_searching_and_syncing_merge_it_too(machines: Machines, verb: str) -> None:
    b = pulled(machines)
    b.write("notes/a.md", OLD)
    if verb == "search":
        b.found("paragraph")
    else:
        b.sync()
    assert b.read("notes/a.md") == NEW.encode()


def test_a_kill_between_the_two_commits_is_made_up_for(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    b = pulled(machines)
    b.write("notes/a.md", OLD)

    class Killed(BaseException):
        pass

    def killed(_self: StaleSaves, _report: CommitReport, _known: object) -> CommitReport:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(StaleSaves, "_merged", killed)
        with pytest.raises(Killed):
            b.save()
    assert b.subjects("-1") == ["save notes/a.md"]
    b.reopen()
    b.save()
    assert b.subjects("-1") == [MERGED]
    assert b.read("notes/a.md") == NEW.encode()
    b.assert_sound()


def test_a_kill_does_not_make_a_later_revert_a_stale_save(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    b = pulled(machines)
    b.write("notes/b.md", "other\n")
    with monkeypatch.context() as patch:
        patch.setattr(StaleSaves, "_merged", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            b.save()
    b.workspace.restore(b.path_of("notes/a.md"), b.workspace.resolve("HEAD~2"))
    b.save()
    assert b.read("notes/a.md") == OLD.encode()


def in_conflict(machines: Machines) -> Machine:
    """Machine b, whose pull put a callout in the place of its own version."""
    a, b = machines.pair({"notes/a.md": OLD})
    for machine, name in ((a, "a"), (b, "b")):
        machine.write("notes/a.md", OLD.replace("second paragraph", f"second, as {name} has it"))
        machine.save()
    a.sync()
    assert len(b.sync().conflicts) == 1
    return b


@pytest.mark.parametrize("kept", ["second, as a has it", "second, as b has it", ""])
def test_a_callout_that_a_person_settles_is_no_stale_save(machines: Machines, kept: str) -> None:
    """The text that is left may be just what stood there before the pull."""
    b = in_conflict(machines)
    settled = OLD.replace("second paragraph\n\n", f"{kept}\n\n" if kept else "")
    b.write("notes/a.md", settled)
    b.save()
    assert b.read("notes/a.md") == settled.encode()
    assert b.subjects("-1") == ["save notes/a.md"]
    b.sync()
    machines.settle()
    assert machines.assert_agreed()["notes/a.md"] == settled.encode()


def test_who_insists_on_a_save_has_it(machines: Machines) -> None:
    """A new wording in place of the callout looks like the old buffer written on; made once more it is meant."""
    b = in_conflict(machines)
    insisted = OLD.replace("second paragraph", "second, as b has it now")
    for subject in (MERGED, "save notes/a.md"):
        b.write("notes/a.md", insisted)
        b.save()
        assert b.subjects("-1") == [subject]
    assert b.read("notes/a.md") == insisted.encode()
    b.assert_sound()
