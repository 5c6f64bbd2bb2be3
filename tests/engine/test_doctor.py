"""Every finding of the doctor, from a workspace that really is in that state, and repaired where it says so."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.doctor import Finding, Level, examine
from memtree.engine.locks import WriteLock
from memtree.indexers.query import Mode, Query
from support.machines import Machine, Machines


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machines = Machines(tmp_path)
    yield machines.lonely({"notes/a.md": "# One\n\nquokka\n", "notes/b.md": "two\n"})
    machines.close()


def found(machine: Machine, check: str, *, repair: bool = False) -> list[Finding]:
    """What the doctor says of one check beyond that all is fine."""
    findings = examine(machine.workspace, repair=repair)
    return [one for one in findings if one.check == check and one.level is not Level.FINE]


def only(machine: Machine, check: str) -> Finding:
    (finding,) = found(machine, check)
    return finding


def assert_repairs(machine: Machine, check: str) -> None:
    """Looking changes nothing; --repair repairs it, and then there is nothing left to say."""
    assert only(machine, check).repairable
    assert only(machine, check).repaired is False
    (repaired,) = found(machine, check, repair=True)
    assert repaired.repaired
    assert found(machine, check) == []


def by_hand(machine: Machine, check: str) -> Finding:
    """A finding that only a person can do something about."""
    finding = only(machine, check)
    assert not finding.repairable
    assert found(machine, check, repair=True) == [finding]
    return finding


def in_git(machine: Machine, *parts: str) -> Path:
    return Path(machine.path, ".git", *parts)


def test_a_sound_workspace_is_fine_in_every_check(machine: Machine) -> None:
    findings = examine(machine.workspace)
    assert {one.level for one in findings} == {Level.FINE}
    assert {"journal", "locks", "branch", "repository", "search index", "vector index"} <= {one.check for one in findings}
    assert examine(machine.workspace, repair=True) == findings
    machine.assert_sound()


# -- what a killed run leaves


def test_a_damaged_journal_is_set_aside_and_saving_works_again(machine: Machine) -> None:
    journal = in_git(machine, "memtree", "journal")
    journal.write_bytes(b"{ not a journal")
    assert only(machine, "journal").level is Level.PROBLEM
    assert_repairs(machine, "journal")
    assert Path(f"{journal}.damaged").read_bytes() == b"{ not a journal"
    machine.write("notes/a.md", "edited\n")
    machine.save()
    machine.assert_sound()


def test_temporary_files_of_a_killed_run_are_cleared_away(machine: Machine) -> None:
    stray = Path(machine.workspace.places.temps, "0123456789abcdef-0")
    stray.write_bytes(b"half")
    in_git(machine, "memtree", "index.full").write_bytes(b"half")
    assert_repairs(machine, "journal")
    assert not stray.exists()
    machine.assert_sound()


def test_our_own_left_over_index_lock_is_removed(machine: Machine) -> None:
    ours, lock = in_git(machine, "memtree", "index.new"), in_git(machine, "index.lock")
    ours.write_bytes(b"")
    os.link(ours, lock)
    (finding,) = found(machine, "locks")
    assert (finding.level, finding.repairable) == (Level.NOTE, True)
    examine(machine.workspace, repair=True)
    assert not lock.exists()
    assert found(machine, "locks") == []
    machine.assert_sound()


def test_a_foreign_index_lock_is_told_and_never_touched(machine: Machine) -> None:
    lock = in_git(machine, "index.lock")
    lock.write_bytes(b"theirs")
    finding = only(machine, "locks")
    assert finding.level is Level.PROBLEM
    assert "another program has held" in finding.message
    assert not finding.repairable
    examine(machine.workspace, repair=True)
    assert lock.read_bytes() == b"theirs"


def test_who_writes_just_now_is_named(machine: Machine) -> None:
    with WriteLock(machine.workspace.places.write_lock).held():
        assert f"process {os.getpid()}" in only(machine, "locks").message


def test_stray_object_files_go_when_they_are_old(machine: Machine) -> None:
    old, young = (in_git(machine, "objects", "pack", f"tmp_pack_{name}") for name in ("old", "young"))
    for path in (old, young):
        path.write_bytes(b"half")
    hours_ago = time.time() - 7200
    os.utime(old, (hours_ago, hours_ago))
    assert_repairs(machine, "temporary files")
    assert young.exists()
    assert not old.exists()


# -- the index


def test_an_index_that_was_removed_is_built(machine: Machine) -> None:
    machine.workspace.close()
    for path in sorted(in_git(machine, "memtree", "index").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    machine.reopen()
    assert "never built" in only(machine, "search index").message
    assert_repairs(machine, "search index")
    assert machine.found("quokka") == ["notes/a.md"]


def test_an_index_that_is_behind_catches_up(machine: Machine) -> None:
    machine.write("notes/c.md", "numbat\n")
    machine.commit("by plain git")
    assert "behind the present commit" in only(machine, "search index").message
    assert_repairs(machine, "search index")
    assert machine.found("numbat", capture=False) == ["notes/c.md"]


def test_flipped_bytes_in_the_index_are_found_and_the_index_is_rebuilt(machine: Machine) -> None:
    machine.workspace.close()
    segment = max(in_git(machine, "memtree", "index").rglob("*.store"), key=lambda path: path.stat().st_size)
    data = bytearray(segment.read_bytes())
    data[len(data) // 3] ^= 0xFF
    segment.chmod(0o644)
    segment.write_bytes(data)
    machine.reopen()
    assert only(machine, "search index").level is Level.PROBLEM
    (repaired,) = found(machine, "search index", repair=True)
    assert repaired.repaired
    machine.reopen()
    assert found(machine, "search index") == []
    assert machine.found("quokka") == ["notes/a.md"]


VECTORS = ("memtree", "vectors", "v2")
NO_VECTORS = '[embedding]\nmodel = "none"\n'
ELSEWHERE = '[embedding]\nmodel = "m"\nurl = "http://127.0.0.1:9/v1"\n'


def set_to(machine: Machine, settings: str) -> None:
    machine.write("memtree.toml", machine.read("memtree.toml") + settings.encode())
    machine.reopen()


def by_meaning(machine: Machine) -> list[str]:
    hits = machine.workspace.searching.search(Query("quokka", mode=Mode.VECTOR)).hits
    return [hit.path for hit in hits]


def state_is_gone(folder: Path) -> None:
    (folder / "state.sqlite").unlink()


def state_is_garbage(folder: Path) -> None:
    for path in folder.glob("state.sqlite*"):
        path.write_bytes(b"no database" * 1000)


def log_is_gone(folder: Path) -> None:
    next(folder.glob("*.log")).unlink()


def log_is_cut(folder: Path) -> None:
    path = next(folder.glob("*.log"))
    os.truncate(path, path.stat().st_size - 100)


def log_has_flipped_bytes(folder: Path) -> None:
    path = next(folder.glob("*.log"))
    data = bytearray(path.read_bytes())
    data[-200] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize("harm", [state_is_gone, state_is_garbage, log_is_gone, log_is_cut, log_has_flipped_bytes])
def test_damage_in_the_vector_index_is_found_and_it_is_rebuilt(machine: Machine, harm: Callable[[Path], None]) -> None:
    before = by_meaning(machine)
    assert before[0] == "notes/a.md"
    machine.workspace.close()
    harm(in_git(machine, *VECTORS))
    machine.reopen()
    assert only(machine, "vector index").level is Level.PROBLEM
    (repaired,) = found(machine, "vector index", repair=True)
    assert repaired.repaired
    machine.reopen()
    assert found(machine, "vector index") == []
    assert by_meaning(machine) == before


def test_a_vector_index_that_is_behind_or_was_removed_catches_up(machine: Machine) -> None:
    machine.write("notes/c.md", "numbat\n")
    machine.commit("by plain git")
    assert "behind the present commit" in only(machine, "vector index").message
    assert_repairs(machine, "vector index")
    machine.workspace.close()
    shutil.rmtree(in_git(machine, *VECTORS[:2]))
    machine.reopen()
    assert "never built" in only(machine, "vector index").message
    assert_repairs(machine, "vector index")


def test_no_vectors_are_missed_where_the_settings_leave_them_out(machine: Machine) -> None:
    shutil.rmtree(in_git(machine, *VECTORS[:2]))
    set_to(machine, NO_VECTORS)
    assert found(machine, "vector index") == []
    machine.write("memtree.toml", machine.read("memtree.toml").replace(NO_VECTORS.encode(), b'[search]\nmode = "text"\n'))
    machine.reopen()
    assert found(machine, "vector index") == []
    assert not in_git(machine, *VECTORS).exists()


def test_an_address_that_nobody_here_allowed_is_told_with_the_command_that_does(machine: Machine) -> None:
    set_to(machine, ELSEWHERE)
    finding = by_hand(machine, "vector index")
    assert finding.level is Level.NOTE
    assert finding.action.endswith("git config memtree.embeddingurl http://127.0.0.1:9/v1")


def test_vectors_that_cannot_be_made_now_stay_a_problem_with_its_reason(machine: Machine) -> None:
    set_to(machine, ELSEWHERE + 'key_env = "MEMTREE_TEST_NO_SUCH_KEY"\n')
    machine.git("config", "memtree.embeddingurl", "http://127.0.0.1:9/v1")
    machine.git("config", "memtree.embeddingkey", "MEMTREE_TEST_NO_SUCH_KEY http://127.0.0.1:9/v1")
    machine.reopen()
    (finding,) = found(machine, "vector index", repair=True)
    assert (finding.level, finding.repaired) == (Level.PROBLEM, False)
    assert "MEMTREE_TEST_NO_SUCH_KEY is not set" in finding.message


# -- the repository


def test_a_missing_object_is_a_problem_with_a_way_out(machine: Machine) -> None:
    blob = machine.git("rev-parse", "HEAD:notes/a.md")
    in_git(machine, "objects", blob[:2], blob[2:]).unlink()
    finding = only(machine, "repository")
    assert finding.level is Level.PROBLEM
    assert "from a remote" in finding.action
    assert "could not look" in only(machine, "documents").message


@pytest.mark.parametrize("name", ["exclude", "attributes"])
def test_git_s_private_lines_are_put_back_beside_the_user_s(machine: Machine, name: str) -> None:
    path = in_git(machine, "info", name)
    path.write_text("# mine\n")
    assert_repairs(machine, "git files")
    assert path.read_text().startswith("# mine\n")


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://ada:sesame@example.com/x.git", True),
        ("https://ghp_token@example.com/x.git", True),
        ("ssh://git:sesame@example.com/x.git", True),
        ("ssh://git@example.com/x.git", False),
        ("git@example.com:x.git", False),
        ("https://example.com/x@y.git", False),
    ],
)
def test_credentials_in_a_remote_s_url_are_told_and_not_shown(machine: Machine, url: str, told: bool) -> None:
    machine.git("remote", "add", "origin", url)
    machine.workspace.remotes.add("origin", None)
    findings = found(machine, "repository")
    assert len(findings) == told
    assert not [one for one in findings if "sesame" in str(one) or "ghp" in str(one)]


@pytest.mark.parametrize(("arguments", "where"), [(["--detach"], "a detached HEAD"), (["-b", "other"], "other")])
def test_another_branch_is_noted(machine: Machine, arguments: list[str], where: str) -> None:
    machine.git("checkout", "-q", *arguments)
    assert f"at {where}, not on main" in by_hand(machine, "branch").message


# -- settings, files, names, documents


def test_an_unknown_setting_is_noted(machine: Machine) -> None:
    machine.write("memtree.toml", machine.read("memtree.toml") + b'capturre = ["x"]\n')
    machine.reopen()
    assert "capturre" in by_hand(machine, "settings").message


def test_files_that_stay_outside_are_noted_up_to_a_point(machine: Machine) -> None:
    for number in range(30):
        os.symlink("/etc/passwd", machine.full(f"link{number}"))
    machine.write("staged.md", "mine\n")
    machine.git("add", "staged.md")
    messages = [one.message for one in found(machine, "files")]
    assert "link0 is not captured: a symbolic link that leaves the workspace" in messages
    assert "10 more files are not captured" in messages
    assert "staged by you and left so: staged.md" in messages
    assert len(messages) == 22


def test_names_that_other_systems_cannot_hold_are_noted(machine: Machine) -> None:
    for path in ("What?.md", "Notes.md", "notes.md", "cafe\u0301.md"):
        machine.write(path, "x\n")
    machine.save()
    messages = " ".join(one.message for one in found(machine, "names"))
    for part in ("'What?.md' has characters that Windows refuses", "Notes.md, notes.md", "not in Unicode form NFC"):
        assert part in messages
    machine.assert_sound()


def test_malformed_front_matter_is_named_with_its_file(machine: Machine) -> None:
    machine.write("bad.md", "---\ntags: [a\n---\nwombat\n")
    machine.save()
    assert by_hand(machine, "documents").message.startswith("bad.md: the front matter cannot be read")
    assert machine.found("wombat") == ["bad.md"]


def test_repairing_everything_at_once_loses_nothing(machine: Machine) -> None:
    before = machine.notes()
    in_git(machine, "memtree", "journal").write_bytes(json.dumps({"format": 99}).encode())
    in_git(machine, "memtree", "index.full").write_bytes(b"half")
    in_git(machine, "info", "exclude").unlink()
    machine.write("notes/a.md", "edited\n")
    findings = examine(machine.workspace, repair=True)
    assert [one for one in findings if one.level is Level.PROBLEM and not one.repaired] == []
    machine.save()
    assert machine.notes() == before | {"notes/a.md": b"edited\n"}
    machine.assert_sound()
