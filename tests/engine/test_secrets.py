"""Secrets stay out of history and off the wire: held files, the scan of what is about to leave, what a person allows.

Every secret is put together when the test runs, so that no scanner of source code takes one for real.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.secrets.found import MOST, FoundSecret, spots_in
from memtree.engine.secrets.guard import SecretGuard
from memtree.engine.secrets.held import REF, HeldFile
from memtree.engine.secrets.managing import UnknownFingerprint, allow, baseline, blocked, listing
from memtree.engine.secrets.scan import PushBlocked, refuse_secrets, scan_range
from memtree.engine.secrets.seen import SeenBlobs
from memtree.engine.status import status
from memtree.engine.uncommitted import against_disk
from memtree.engine.workspace import Workspace
from memtree.tools.render import json_text
from memtree.tree import secret_rules
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.secrets import find_secrets
from memtree.tree.words import Detail
from support.gitrepo import GitRepo
from support.machines import Clock, Machine, Machines, committed, options

TOKEN = "ghp_" + "a1B2" * 9
OTHER = "ghp_" + "Zz9y" * 9
NOTE = "# Deploy\n\nFirst the database.\n"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "one\n", "notes/deploy.md": NOTE})


def fingerprint(secret: str = TOKEN) -> str:
    (found,) = find_secrets(secret)
    return found.fingerprint


def held(machine: Machine) -> dict[str, HeldFile]:
    return {str(path): one for path, one in machine.workspace.holds.all().items()}


def kept(machine: Machine) -> dict[str, bytes]:
    """What the local ref keeps, {} when there is none."""
    return committed(machine.path, REF) if has_ref(machine) else {}


def has_ref(machine: Machine) -> bool:
    return REF in machine.git("for-each-ref", "--format=%(refname)").splitlines()


def in_history(folder: str, value: str) -> bool:
    """Whether any object that a branch or tag reaches holds a text, messages included."""
    listing = subprocess.run(
        ("git", "rev-list", "--objects", "--no-object-names", "--branches", "--tags"), cwd=folder, check=True, capture_output=True
    )
    batch = subprocess.run(("git", "cat-file", "--batch"), cwd=folder, check=True, capture_output=True, input=listing.stdout)
    return value.encode() in batch.stdout


def in_repository(folder: str, value: str) -> bool:
    """Whether any object at all, reachable or not, holds a text."""
    command = ("git", "cat-file", "--batch-all-objects", "--batch")
    return value.encode() in subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout


def assert_free_of(machine: Machine, value: str, *, disk: tuple[str, ...]) -> None:
    """The value stands in these files of the user's, in the objects of the held ref, and nowhere else."""
    assert not in_history(machine.path, value)
    folder = os.path.realpath(machine.git("rev-parse", "--absolute-git-dir"))
    for here, _, names in os.walk(machine.path):
        for name in names:
            full = os.path.join(here, name)
            inside = os.path.relpath(full, machine.path)
            if not os.path.realpath(full).startswith(os.path.join(folder, "objects")) and inside not in disk:
                assert value.encode() not in Path(full).read_bytes(), inside


# -- holding


def test_a_new_file_with_a_secret_is_held_and_everything_else_goes_on(machine: Machine) -> None:
    machine.write("notes/token.md", f"# Keys\n\ntoken: {TOKEN}\n")
    machine.write("notes/a.md", "one\ntwo\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/a.md"]
    (one,) = report.survey.held
    assert (one.path, one.line, one.rule, one.fingerprint) == ("notes/token.md", 3, "github-token", fingerprint())
    assert one.base is None
    assert [left.path for left in report.survey.left] == ["notes/token.md"]
    assert machine.subjects("-1") == ["save notes/a.md"]
    assert machine.read("notes/token.md") == f"# Keys\n\ntoken: {TOKEN}\n".encode()
    assert kept(machine) == {"notes/token.md": machine.read("notes/token.md")}
    assert_free_of(machine, TOKEN, disk=("notes/token.md",))
    machine.assert_sound(uncommitted=("?? notes/token.md",))


def test_an_edit_that_brings_a_secret_in_is_held_and_head_keeps_the_version_before(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + f"password: {'hunter' + '2x'}\n")
    before = machine.tip
    report = machine.save()
    assert not report.commit.changed
    assert machine.tip == before
    (one,) = report.survey.held
    assert (one.line, one.rule) == (4, "password")
    assert one.base == machine.workspace.repo.entry(CommitId(before), "notes/deploy.md")
    assert machine.committed()["notes/deploy.md"] == NOTE.encode()


def test_a_save_of_held_files_alone_makes_no_commit_however_often(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    before = machine.tip
    machine.save()
    first = machine.git("rev-parse", REF)
    for _ in range(3):
        machine.workspace.capture_quietly()
        machine.save()
    assert (machine.tip, machine.git("rev-parse", REF)) == (before, first)


def test_a_secret_that_history_holds_already_holds_nothing_up_but_another_one_does(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + f"token: {TOKEN}\n")
    machine.commit("by hand")
    machine.write("notes/deploy.md", NOTE + f"Then the server.\ntoken: {TOKEN}\n")
    assert machine.save().survey.held == ()
    assert b"Then the server." in machine.committed()["notes/deploy.md"]
    machine.write("notes/deploy.md", NOTE + f"token: {TOKEN}\ntoken: {OTHER}\n")
    (one,) = machine.save().survey.held
    assert one.fingerprint == fingerprint(OTHER)
    assert one.line == 5


def test_a_file_with_an_old_secret_can_be_renamed(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + f"token: {TOKEN}\n")
    machine.commit("by hand")
    machine.move("notes/deploy.md", "notes/old/deploy.md")
    machine.write("notes/old/deploy.md", NOTE + f"Moved.\ntoken: {TOKEN}\n")
    assert machine.save().survey.held == ()
    machine.assert_sound()


def test_no_old_version_of_a_held_file_stays_reachable(machine: Machine) -> None:
    for number in range(4):
        machine.write("notes/token.md", f"{number} {TOKEN}")
        machine.save()
    assert machine.git("rev-list", "--count", REF) == "1"
    assert kept(machine) == {"notes/token.md": f"3 {TOKEN}".encode()}
    assert machine.git("for-each-ref", "--format=%(refname)").splitlines() == ["refs/heads/main", REF]
    assert not os.path.exists(machine.full(f".git/logs/{REF}"))
    assert REF not in Path(machine.full(".git/logs/HEAD")).read_text()


def test_a_bulk_capture_holds_one_of_many(machine: Machine) -> None:
    for number in range(320):
        machine.write(f"notes/many/{number:03}.md", TOKEN if number == 200 else f"note {number}\n")
    report = machine.save()
    assert len(report.changes) == 319
    assert list(held(machine)) == ["notes/many/200.md"]
    assert kept(machine) == {"notes/many/200.md": TOKEN.encode()}
    assert not in_history(machine.path, TOKEN)


def test_what_a_filter_encrypts_is_not_held(machine: Machine) -> None:
    """What counts is what git would store."""
    machine.git("config", "filter.rot.clean", "tr a-zA-Z0-9 b-zaB-ZA1-90")
    machine.git("config", "filter.rot.smudge", "tr b-zaB-ZA1-90 a-zA-Z0-9")
    machine.write(".gitattributes", "vault/* filter=rot\n")
    machine.write("vault/keys.md", TOKEN)
    assert machine.save().survey.held == ()
    assert machine.committed()["vault/keys.md"] != TOKEN.encode()


def test_what_is_no_text_or_very_large_is_not_looked_through() -> None:
    assert spots_in(b"\x00\x01" + TOKEN.encode()) == ()
    assert spots_in(TOKEN.encode() + b" " * MOST) == ()
    for wide in ("utf-16",):
        (spot,) = spots_in(f"line\n{TOKEN}\n".encode(wide))
        assert (spot.line, spot.fingerprint) == (2, fingerprint())


def test_a_staged_secret_waits_with_the_stage_and_is_held_when_it_is_taken_along(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.git("add", "notes/token.md")
    assert machine.save().survey.staged == ("notes/token.md",)
    assert machine.save(include_staged=True).survey.held != ()
    assert not in_history(machine.path, TOKEN)


# -- what is told


def test_status_names_path_line_and_rule_and_never_the_value(machine: Machine) -> None:
    machine.write("notes/token.md", f"\n\n{TOKEN}\n")
    for saved in (False, True):
        if saved:
            machine.save()
        found = status(machine.workspace)
        (left,) = found.survey.left
        assert left.path == "notes/token.md"
        assert "line 3 (github-token)" in left.reason
        assert fingerprint() in left.reason
        assert found.survey.due == ()
        assert TOKEN not in json_text(found) + repr(found)
        assert json.loads(json_text(found))["survey"]["held"][0]["rule"] == "github-token"
    assert_free_of(machine, TOKEN, disk=("notes/token.md",))


def test_a_diff_shows_a_held_edit_without_the_secret(machine: Machine) -> None:
    machine.write("notes/deploy.md", f"{NOTE}Then 图书馆.\ntoken: {TOKEN}\n")
    for saved in (False, True):
        if saved:
            machine.save()
        (found,) = against_disk(machine.workspace, None, "", Detail.LINES)
        assert found.path == "notes/deploy.md"
        assert TOKEN not in json_text(found)
        assert "token: [secret: github-token]" in json_text(found)


def test_a_search_neither_finds_nor_stores_a_held_secret(machine: Machine) -> None:
    machine.write("notes/token.md", f"zebra {TOKEN}\n")
    assert machine.found("zebra") == []
    assert_free_of(machine, TOKEN, disk=("notes/token.md",))


# -- the end of a hold


def test_the_hold_ends_when_the_secret_is_gone(machine: Machine) -> None:
    machine.write("notes/token.md", f"token: {TOKEN}\n")
    machine.save()
    machine.write("notes/token.md", "token: in the vault\n")
    report = machine.save()
    assert [str(change.path) for change in report.changes] == ["notes/token.md"]
    assert (held(machine), has_ref(machine)) == ({}, False)
    assert not in_history(machine.path, TOKEN)
    machine.assert_sound()


def test_the_hold_ends_when_the_secret_is_allowed(machine: Machine) -> None:
    machine.write("notes/token.md", f"token: {TOKEN}\n")
    machine.write("notes/a.md", "an edit that nobody asked to save\n")
    machine.workspace.capture.take(only=(RepoPath("notes/token.md"),))
    done = allow(machine.workspace, [fingerprint()])
    assert done.released == ("notes/token.md",)
    assert (held(machine), has_ref(machine)) == ({}, False)
    assert machine.committed()["notes/token.md"] == f"token: {TOKEN}\n".encode()
    assert fingerprint().encode() in machine.committed()[".memtreeallow"]
    assert machine.git("log", "-1", "--format=%B", "HEAD~1").startswith("allow 1 secret\n\nMemtree-Writer: cli\n")
    machine.assert_sound(uncommitted=(" M notes/a.md",))


def test_allowing_by_hand_in_the_file_does_the_same(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.save()
    machine.write(".memtreeallow", f"{fingerprint()} mine, and harmless\n")
    machine.save()
    assert held(machine) == {}
    machine.assert_sound()


def test_an_unknown_fingerprint_is_an_error_and_changes_nothing(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.save()
    before = machine.tip
    with pytest.raises(UnknownFingerprint) as raised:
        allow(machine.workspace, [fingerprint(), "0" * 16])
    assert raised.value.fingerprint == "0" * 16
    assert machine.tip == before
    assert list(held(machine)) == ["notes/token.md"]


def test_a_person_who_commits_a_held_file_ends_the_hold(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.save()
    machine.commit("I want this")
    machine.save()
    assert (held(machine), has_ref(machine)) == ({}, False)


def test_a_packed_ref_goes_too(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.save()
    machine.git("pack-refs", "--all")
    machine.write("notes/token.md", f"again {TOKEN}")
    machine.save()
    assert kept(machine) == {"notes/token.md": f"again {TOKEN}".encode()}
    machine.git("pack-refs", "--all")
    machine.remove("notes/token.md")
    machine.save()
    assert not has_ref(machine)


# -- HEAD moves on meanwhile


def test_an_edit_that_was_held_is_merged_from_where_its_hold_began(machines: Machines) -> None:
    text = "".join(f"# Part {n}\n\nText of part {n}.\n\n" for n in range(6))
    a, b = machines.pair({"notes/deploy.md": text})
    a.write("notes/deploy.md", text.replace("Text of part 0.", f"Ours, with {TOKEN}."))
    a.save()
    b.write("notes/deploy.md", text.replace("Text of part 5.", "Theirs."))
    b.sync()
    a.sync()
    assert b"Theirs." in a.committed()["notes/deploy.md"]
    assert TOKEN.encode() in a.read("notes/deploy.md")
    assert list(held(a)) == ["notes/deploy.md"]
    a.write("notes/deploy.md", text.replace("Text of part 0.", "Ours."))
    a.sync()
    expected = text.replace("Text of part 0.", "Ours.").replace("Text of part 5.", "Theirs.").encode()
    assert a.committed()["notes/deploy.md"] == a.read("notes/deploy.md") == expected
    assert (held(a), has_ref(a)) == ({}, False)
    machines.settle()
    assert machines.assert_agreed()["notes/deploy.md"] == expected
    assert not in_repository(machines.remote, TOKEN)


def test_a_writer_that_writes_to_a_held_file_leaves_it_on_the_disk(machine: Machine) -> None:
    text = "".join(f"# Part {n}\n\nText of part {n}.\n\n" for n in range(6))
    machine.write("notes/deploy.md", text)
    machine.save()
    machine.write("notes/deploy.md", text.replace("Text of part 0.", TOKEN))
    machine.save()
    path = RepoPath("notes/deploy.md")
    machine.workspace.write({path: text.replace("Text of part 5.", "Written.").encode()}, "write\n\nMemtree-Writer: cli\n")
    assert TOKEN.encode() in machine.read("notes/deploy.md")
    assert not in_history(machine.path, TOKEN)
    machine.write("notes/deploy.md", text.replace("Text of part 0.", "Edited."))
    machine.save()
    expected = text.replace("Text of part 0.", "Edited.").replace("Text of part 5.", "Written.").encode()
    assert machine.committed()["notes/deploy.md"] == machine.read("notes/deploy.md") == expected
    machine.assert_sound()


def test_an_edit_that_races_in_with_a_secret_is_held_from_where_it_began(machines: Machines) -> None:
    """The secret was typed after the capture, before the pull looked at the file."""
    text = "".join(f"# Part {n}\n\nText of part {n}.\n\n" for n in range(6))
    a, b = machines.pair({"notes/deploy.md": text})
    b.write("notes/deploy.md", text.replace("Text of part 5.", "Theirs."))
    b.sync()
    capture = a.workspace.capture

    def typing(**choices: object) -> object:
        done = type(capture).take(capture, **choices)  # type: ignore[arg-type]
        a.write("notes/deploy.md", text.replace("Text of part 0.", TOKEN))
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capture, "take", typing)
        a.sync()
    assert TOKEN.encode() in a.read("notes/deploy.md")
    assert not in_history(a.path, TOKEN)
    a.write("notes/deploy.md", text.replace("Text of part 0.", "Ours."))
    a.save()
    assert (
        a.committed()["notes/deploy.md"] == text.replace("Text of part 0.", "Ours.").replace("Text of part 5.", "Theirs.").encode()
    )
    a.assert_sound()


# -- renames and deletions of held files


def test_a_held_file_that_is_deleted_is_let_go(machine: Machine) -> None:
    machine.write("notes/token.md", TOKEN)
    machine.write("notes/deploy.md", NOTE + TOKEN)
    machine.save()
    machine.remove("notes/token.md")
    machine.remove("notes/deploy.md")
    machine.save()
    assert (held(machine), has_ref(machine)) == ({}, False)
    assert "notes/deploy.md" not in machine.committed()
    machine.assert_sound()


def test_a_held_file_that_is_renamed_stays_held_and_its_old_name_stays_in_head(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + TOKEN)
    machine.save()
    machine.move("notes/deploy.md", "notes/moved.md")
    for _ in range(2):
        machine.save()
        assert "notes/deploy.md" in machine.committed()
        assert sorted(held(machine)) == ["notes/deploy.md", "notes/moved.md"]
        assert held(machine)["notes/deploy.md"].moved_to == "notes/moved.md"
        assert kept(machine) == {"notes/moved.md": (NOTE + TOKEN).encode()}
        assert status(machine.workspace).survey.gone == ()
    machine.write("notes/moved.md", NOTE + "done\n")
    machine.save()
    assert held(machine) == {}
    assert machine.committed().keys() & {"notes/deploy.md", "notes/moved.md"} == {"notes/moved.md"}
    assert machine.git("log", "-1", "--format=%H", "--diff-filter=R", "-M40%", "--", "notes") == machine.tip
    machine.assert_sound()


# -- state


def test_a_hold_survives_reopening_with_where_it_began(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + TOKEN)
    machine.save()
    before = held(machine)
    machine.reopen()
    assert held(machine) == before
    machine.write("notes/deploy.md", NOTE + "x " + TOKEN)
    machine.save()
    assert held(machine)["notes/deploy.md"].base == before["notes/deploy.md"].base
    Path(machine.full(".git/memtree/held.json")).write_text("{ damaged")
    machine.save()
    assert list(held(machine)) == ["notes/deploy.md"]


class Stopped(BaseException):
    """Stands for a kill: nothing handles it."""


@pytest.mark.parametrize("durability", list(Durability))
def test_a_run_that_is_stopped_at_any_step_gives_nothing_away(tmp_path: Path, durability: Durability) -> None:
    """Stopped before each step in turn while it holds one file and releases another; then run again to the end."""
    stopped = 0
    for step in range(400):
        machines = Machines(tmp_path / str(step))
        machine = machines.lonely({"notes/deploy.md": NOTE, "notes/freed.md": "old\n"})
        machine.write("notes/freed.md", "old\n" + OTHER)
        machine.save()
        machine.write("notes/freed.md", "new\n")
        machine.write("notes/deploy.md", NOTE + TOKEN)
        machine.write("notes/other.md", "goes on\n")
        left = [step]

        def observe(_step: str, _path: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Stopped

        machine.reopen(observe=observe, durability=durability)
        try:
            machine.workspace.capture.take()
        except Stopped:
            stopped += 1
        machine.reopen(observe=lambda _step, _path: None)
        machine.workspace.capture.take()
        assert list(held(machine)) == ["notes/deploy.md"]
        assert kept(machine) == {"notes/deploy.md": (NOTE + TOKEN).encode()}
        assert machine.committed()["notes/freed.md"] == b"new\n"
        assert machine.committed()["notes/other.md"] == b"goes on\n"
        assert not in_history(machine.path, TOKEN)
        machines.close()
        if left[0] >= 0:
            break
    assert 20 < stopped < 400


def test_linked_worktrees_hold_apart(machine: Machine, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    machine.git("branch", "side")
    machine.git("worktree", "add", "--quiet", other, "side")
    toml = os.path.join(other, "memtree.toml")
    Path(toml).write_text(Path(toml).read_text().replace('"main"', '"side"'))
    with Workspace.open(other, options(Clock())) as second:
        Path(other, "notes/there.md").write_text(OTHER)
        second.save()
        machine.write("notes/here.md", TOKEN)
        machine.save()
        assert list(second.holds.all()) == ["notes/there.md"]
        assert kept(machine) == {"notes/here.md": TOKEN.encode()}
        assert committed(machine.path, f"{REF}-other") == {"notes/there.md": OTHER.encode()}


# -- what leaves the machine


def test_a_held_secret_is_never_sent(machines: Machines) -> None:
    a, b = machines.pair()
    a.write("notes/token.md", TOKEN)
    a.write("notes/a.md", "one\ntwo\n")
    a.sync()
    b.sync()
    assert b.read("notes/a.md") == b"one\ntwo\n"
    refs = subprocess.run(("git", "for-each-ref", "--format=%(refname)"), cwd=machines.remote, check=True, capture_output=True)
    assert refs.stdout.decode().split() == ["refs/heads/main"]
    assert not in_repository(machines.remote, TOKEN)
    assert not in_repository(b.path, TOKEN)
    assert list(held(a)) == ["notes/token.md"]


def scanned(machine: Machine, *known: str) -> list[FoundSecret]:
    there = [CommitId(machine.git("rev-parse", one)) for one in known]
    return scan_range(machine.workspace.repo, machine.workspace.secrets, CommitId(machine.tip), there)


def test_a_commit_by_hand_is_found_by_commit_path_line_and_rule(machine: Machine) -> None:
    start = machine.tip
    machine.write("notes/token.md", f"\n{TOKEN}\n")
    commit = machine.commit("by hand")
    (found,) = scanned(machine, start)
    assert found == FoundSecret("notes/token.md", 2, "github-token", fingerprint(), CommitId(commit))
    with pytest.raises(PushBlocked) as raised:
        refuse_secrets(machine.workspace.repo, machine.workspace.secrets, CommitId(commit), [CommitId(start)])
    said = str(raised.value) + raised.value.hint + repr(raised.value.found)
    for word in ("notes/token.md:2", "github-token", fingerprint(), commit[:8], "memtree secrets allow", "memtree forget"):
        assert word in said
    assert TOKEN not in said


def test_what_was_added_and_deleted_again_is_found(machine: Machine) -> None:
    start = machine.tip
    machine.write("notes/token.md", TOKEN)
    commit = machine.commit("add")
    machine.remove("notes/token.md")
    machine.commit("and delete")
    assert [(one.path, one.commit) for one in scanned(machine, start)] == [("notes/token.md", commit)]


def test_a_secret_in_a_commit_message_is_found(machine: Machine) -> None:
    start = machine.tip
    machine.commit(f"use the new token\n\ntoken: {TOKEN}\n")
    (found,) = scanned(machine, start)
    assert (found.path, found.line, found.where) == ("", 3, "the commit message:3")


def test_what_the_other_side_has_already_is_not_found_again(machine: Machine) -> None:
    machine.write("notes/deploy.md", NOTE + TOKEN)
    there = machine.commit("sent long ago")
    machine.write("notes/deploy.md", NOTE + "edited\n" + TOKEN)
    machine.commit("edit beside it")
    machine.move("notes/deploy.md", "notes/moved.md")
    machine.commit("move")
    assert scanned(machine, there) == []
    assert [one.path for one in scanned(machine)] == ["notes/deploy.md"]


def test_a_merge_is_asked_only_for_what_neither_side_had(machine: Machine) -> None:
    start = machine.tip
    machine.git("switch", "--quiet", "-c", "side")
    machine.write("notes/side.md", TOKEN)
    side = machine.commit("theirs")
    machine.git("switch", "--quiet", "main")
    machine.write("notes/a.md", "ours\n")
    machine.commit("ours")
    machine.merge("side")
    assert scanned(machine, start, side) == []
    assert [one.commit for one in scanned(machine, start)] == [side]
    machine.write("notes/evil.md", OTHER)
    machine.git("add", "--all")
    machine.git("commit", "--quiet", "--amend", "--no-edit")
    assert [one.path for one in scanned(machine, start, side)] == ["notes/evil.md"]


def test_an_error_shows_ten_and_counts_the_rest(machine: Machine) -> None:
    start = machine.tip
    for number in range(13):
        machine.write(f"notes/{number:02}.md", "ghp_" + f"{number:02}aB" * 9)
    machine.commit("many")
    with pytest.raises(PushBlocked) as raised:
        refuse_secrets(machine.workspace.repo, machine.workspace.secrets, CommitId(machine.tip), [CommitId(start)])
    assert len(raised.value.found) == 13
    assert str(raised.value).count("github-token") == 10
    assert "and 3 more" in str(raised.value)


def test_a_push_is_blocked_while_the_pull_goes_on_until_it_is_allowed(machines: Machines) -> None:
    a, b = machines.pair()
    b.write("notes/b.md", "from b\n")
    b.sync()
    a.write("notes/token.md", TOKEN)
    a.commit("by hand")
    with pytest.raises(PushBlocked):
        a.sync()
    assert a.read("notes/b.md") == b"from b\n"
    assert not in_repository(machines.remote, TOKEN)
    (one,) = blocked(a.workspace)
    assert (one.secret.path, one.remotes) == ("notes/token.md", ("origin",))
    assert listing(a.workspace).held == ()
    assert TOKEN not in json_text(status(a.workspace))
    allow(a.workspace, [fingerprint()])
    assert blocked(a.workspace) == ()
    machines.settle()
    assert machines.assert_agreed()["notes/token.md"] == TOKEN.encode()


def test_baseline_accepts_what_history_holds_and_nothing_else(machines: Machines) -> None:
    folder = machines.folder / "old"
    repo = GitRepo(folder)
    repo.write("notes/old.md", TOKEN)
    repo.commit(f"with {OTHER}")
    repo.remove("notes/old.md")
    repo.commit("gone again")
    machine = Machine(Workspace.init(str(folder), options=options(machines.clock))[0])
    planned = baseline(machine.workspace, dry_run=True)
    assert sorted(planned.remarks) == sorted((fingerprint(), fingerprint(OTHER)))
    assert not os.path.exists(machine.full(".memtreeallow"))
    done = baseline(machine.workspace)
    assert done.remarks == planned.remarks
    assert done.remarks[fingerprint()] == "github-token in notes/old.md"
    assert done.remarks[fingerprint(OTHER)] == "github-token in a commit message"
    assert scanned(machine) == []
    assert baseline(machine.workspace).remarks == {}
    machine.write("memory_tree/content/new.md", "ghp_" + "Nn8m" * 9)
    (one,) = machine.save().survey.held
    assert one.path == "memory_tree/content/new.md"
    machine.workspace.close()


# -- the allow file


def test_the_allow_file_is_captured_where_the_scope_is_narrow(machines: Machines) -> None:
    folder = machines.folder / "code"
    repo = GitRepo(folder)
    repo.write("src/main.py", "print()\n")
    repo.commit("code")
    machine = Machine(Workspace.init(str(folder), options=options(machines.clock))[0])
    machine.write(".memtreeallow", fingerprint() + "\n")
    machine.write("src/main.py", "print(1)\n")
    assert [str(change.path) for change in machine.save().changes] == [".memtreeallow"]
    machine.workspace.close()


def test_the_allow_file_travels_and_its_lines_are_merged(machines: Machines) -> None:
    a, b = machines.pair()
    for machine, secret in ((a, TOKEN), (b, OTHER)):
        machine.write(f"notes/{secret[4:6]}.md", secret)
        machine.save()
        allow(machine.workspace, [fingerprint(secret)])
    machines.settle()
    notes = machines.assert_agreed()
    lines = notes[".memtreeallow"].decode().splitlines()
    assert sorted(line.split()[0] for line in lines if line[0] != "#") == sorted((fingerprint(), fingerprint(OTHER)))
    assert TOKEN.encode() not in notes[".memtreeallow"]
    assert b.read("notes/a1.md") == TOKEN.encode()
    b.write("notes/again.md", TOKEN)
    assert b.save().survey.held == ()


def test_remarks_in_the_allow_file_are_kept_and_mean_nothing(machine: Machine) -> None:
    text = f"\ufeff# mine\r\n\r\nnot a fingerprint\n  {fingerprint(OTHER)}\twith a remark\n{'f' * 15}"
    machine.write(".memtreeallow", text)
    assert machine.workspace.secrets.allow_list.fingerprints() == {fingerprint(OTHER)}
    machine.write("notes/token.md", TOKEN)
    machine.save()
    allow(machine.workspace, [fingerprint()])
    assert machine.read(".memtreeallow").decode() == f"{text}\n{fingerprint()}  # github-token in notes/token.md\n"


# -- what is remembered


def test_a_blob_is_looked_through_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    start = machine.tip
    machine.write("notes/token.md", TOKEN)
    machine.commit("by hand")
    first = scanned(machine, start)
    machine.reopen()
    monkeypatch.setattr(machine.workspace.repo, "blob", lambda _: pytest.fail("read again"))
    assert scanned(machine, start) == first != []
    assert TOKEN not in Path(machine.full(".git/memtree/secrets.seen")).read_text()


def test_what_is_remembered_belongs_to_the_table_that_found_it(tmp_path: Path, machine: Machine) -> None:
    files = machine.workspace.files
    blob, other = "1" * 40, "2" * 40
    spots = spots_in(TOKEN.encode())
    seen = SeenBlobs(str(tmp_path), files)
    seen.put(blob, spots)
    seen.put(other, ())
    seen.flush()
    assert SeenBlobs(str(tmp_path), files).get(blob) == spots
    path = tmp_path / "secrets.seen"
    with path.open("a") as file:
        file.write("3" * 40 + " 1:torn")
    again = SeenBlobs(str(tmp_path), files)
    assert (again.get(blob), again.get(other), again.get("3" * 40)) == (spots, (), None)
    text = path.read_text()
    path.write_text(text.replace(f"table {secret_rules.VERSION}", f"table {secret_rules.VERSION + 1}"))
    older = SeenBlobs(str(tmp_path), files)
    assert older.get(blob) is None
    older.put(other, ())
    older.flush()
    assert SeenBlobs(str(tmp_path), files).get(blob) is None
    assert SeenBlobs(str(tmp_path), files).get(other) == ()


def test_the_guard_answers_without_reading_when_it_has_the_content(machine: Machine) -> None:
    guard = SecretGuard(machine.workspace.repo, machine.workspace.places.folder, machine.workspace.files)
    tip = machine.workspace.repo.tip("HEAD")
    entry = machine.workspace.repo.entry(tip, "notes/a.md")
    assert guard.new_spots(entry, (), content=b"one\n") == ()
    assert guard.new_spots(None, ()) == ()
    assert [spot.rule for spot in guard.new_spots(entry, (None,), content=TOKEN.encode())] == ["github-token"]
