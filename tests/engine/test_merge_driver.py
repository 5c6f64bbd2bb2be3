"""The merge driver: stock git merging notes as a sync would, and never leaving a file that silently holds one side."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtree.engine import merge_driver
from memtree.engine.doctor import examine
from memtree.engine.merge.prose import merge_prose
from memtree.engine.merge_driver import DRIVER, DRIVER_KEY, NAME_KEY, content_root_at, merge_files, register, registered
from memtree.engine.workspace import Workspace
from memtree.tree.conflict_callout import conflicts_in
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath
from support.cli import MEMTREE
from support.gitrepo import GitRepo
from support.machines import Machine, Machines, options

BASE = b"# Plan\n\nThe boat leaves at nine.\n\nBring bread.\n"
OURS = BASE.replace(b"at nine", b"at ten sharp")
THEIRS = BASE.replace(b"at nine", b"in the afternoon")
FAR = BASE.replace(b"bread", b"bread and cheese")
NAMES = ["plan.md", 'my plans/a  plan\'s "end" $HOME `x`.md', "图书馆/计划.md", "-plan.md"]


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path)


@pytest.fixture
def with_memtree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`memtree` on PATH is this one."""
    tools = tmp_path / "tools"
    tools.mkdir()
    _program(tools / "memtree", f'exec {" ".join(MEMTREE)} "$@"')
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")


def _program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def without_memtree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `memtree` on PATH."""
    tools = tmp_path / "only-git"
    tools.mkdir()
    for name in ("git", "sh", "cat", "sed", "ls"):
        found = subprocess.run(("which", name), capture_output=True, check=True).stdout.decode().strip()
        (tools / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(tools))


def branches(machine: Machine, path: str, ours: bytes = OURS, theirs: bytes = THEIRS, base: bytes = BASE) -> None:
    """The machine on main with one change of a file, and branch `other` with another."""
    machine.write(path, base)
    machine.save()
    machine.git("switch", "-q", "-c", "other")
    machine.write(path, theirs)
    machine.commit("theirs")
    machine.git("switch", "-q", "main")
    machine.write(path, ours)
    machine.commit("ours")


def call(machine: Machine, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(("git", *arguments), cwd=machine.path, capture_output=True, check=False, env=machine._environment({}))


def assert_holds_both(data: bytes) -> None:
    (place,) = conflicts_in(data)
    assert set(place.callout.variants) == {b"The boat leaves at ten sharp.", b"The boat leaves in the afternoon."}
    assert b"<<<<<<<" not in data


# -- with git


@pytest.mark.usefixtures("with_memtree")
@pytest.mark.parametrize("path", NAMES)
def test_git_merge_gives_what_a_sync_gives(machines: Machines, path: str) -> None:
    machine = machines.lonely()
    branches(machine, path)
    done = call(machine, "merge", "--no-edit", "other")
    assert done.returncode == 0, done
    assert machine.read(path) == merge_prose(RepoPath(path), BASE, *sorted((OURS, THEIRS))).data
    assert_holds_both(machine.read(path))
    assert b"both versions stand in the file" in done.stderr
    machine.assert_sound()


@pytest.mark.usefixtures("with_memtree")
def test_changes_far_apart_are_simply_merged(machines: Machines) -> None:
    machine = machines.lonely()
    branches(machine, "plan.md", theirs=FAR)
    assert call(machine, "merge", "--no-edit", "other").returncode == 0
    assert machine.read("plan.md") == OURS.replace(b"bread", b"bread and cheese")


@pytest.mark.usefixtures("with_memtree")
def test_two_notes_that_share_only_their_name_become_one(machines: Machines) -> None:
    machine = machines.lonely({"start.md": "start\n"})
    machine.git("switch", "-q", "-c", "other")
    machine.write("new.md", b"# One\n\nred\n")
    machine.commit("theirs")
    machine.git("switch", "-q", "main")
    machine.write("new.md", b"# Two\n\nblue\n")
    machine.commit("ours")
    assert call(machine, "merge", "--no-edit", "other").returncode == 0
    merged = machine.read("new.md")
    assert b"red" in merged
    assert b"blue" in merged
    machine.assert_sound()


@pytest.mark.usefixtures("with_memtree")
@pytest.mark.parametrize("rebase", ["false", "true"])
def test_git_pull_merges_too(machines: Machines, rebase: str) -> None:
    a, b = machines.pair({"a note.md": BASE})
    a.write("a note.md", THEIRS)
    a.sync()
    b.write("a note.md", OURS)
    b.commit("mine")
    done = call(b, "-c", f"pull.rebase={rebase}", "pull", "--no-edit", "origin", "main")
    assert done.returncode == 0, done
    assert_holds_both(b.read("a note.md"))
    b.assert_sound()
    machines.settle()
    assert_holds_both(machines.assert_agreed()["a note.md"])


@pytest.mark.usefixtures("with_memtree")
def test_git_rebase_and_cherry_pick_merge_too(machines: Machines) -> None:
    machine = machines.lonely()
    branches(machine, "plan.md")
    assert call(machine, "rebase", "other").returncode == 0
    assert_holds_both(machine.read("plan.md"))
    machine.git("switch", "-q", "-c", "third", "HEAD~1")
    machine.write("plan.md", THEIRS.replace(b"afternoon", b"night"))
    machine.commit("third")
    assert call(machine, "cherry-pick", "main").returncode == 0
    assert b"<<<<<<<" not in machine.read("plan.md")


@pytest.mark.usefixtures("with_memtree")
def test_git_stash_pop_merges_too(machines: Machines) -> None:
    machine = machines.lonely({"plan.md": BASE})
    machine.write("plan.md", OURS)
    machine.git("stash", "-q")
    machine.write("plan.md", THEIRS)
    machine.save()
    assert call(machine, "stash", "pop").returncode == 0
    assert_holds_both(machine.read("plan.md"))
    machine.workspace.save()
    machine.assert_sound()


@pytest.mark.usefixtures("with_memtree")
def test_a_merge_from_a_folder_below_works(machines: Machines) -> None:
    machine = machines.lonely()
    branches(machine, "deep/er/plan.md")
    done = subprocess.run(
        ("git", "merge", "--no-edit", "other"),
        cwd=machine.full("deep/er"),
        capture_output=True,
        check=False,
        env=machine._environment({}),
    )
    assert done.returncode == 0, done
    assert_holds_both(machine.read("deep/er/plan.md"))


# -- without memtree, or with one that fails


def assert_git_s_own_conflict(machine: Machine, path: str) -> None:
    data = machine.read(path)
    for part in (b"<<<<<<< ours\n", b"at ten sharp", b"=======\n", b"in the afternoon", b">>>>>>> theirs\n"):
        assert part in data
    assert machine.git("ls-files", "-u", "-z").count(path) == 3
    assert machine.git("rev-parse", "-q", "--verify", "MERGE_HEAD")


@pytest.mark.usefixtures("without_memtree")
@pytest.mark.parametrize("path", NAMES[:3])
def test_without_memtree_on_the_path_git_leaves_its_own_markers(machines: Machines, path: str) -> None:
    machine = machines.lonely()
    branches(machine, path)
    assert call(machine, "merge", "--no-edit", "other").returncode == 1
    assert_git_s_own_conflict(machine, path)


@pytest.mark.usefixtures("without_memtree")
def test_without_memtree_what_git_can_merge_is_merged(machines: Machines) -> None:
    machine = machines.lonely()
    branches(machine, "plan.md", theirs=FAR)
    assert call(machine, "merge", "--no-edit", "other").returncode == 0
    assert machine.read("plan.md") == OURS.replace(b"bread", b"bread and cheese")


@pytest.mark.parametrize("body", ["exit 1", "exit 3", "exit 127", "kill -9 $$", "echo 'Traceback' >&2; exit 1"])
def test_a_broken_memtree_never_leaves_one_side_alone(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    tools = tmp_path / "broken"
    tools.mkdir()
    _program(tools / "memtree", body)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    machine = machines.lonely()
    branches(machine, "plan.md")
    assert call(machine, "merge", "--no-edit", "other").returncode == 1
    assert_git_s_own_conflict(machine, "plan.md")


@pytest.mark.usefixtures("without_memtree")
def test_bytes_that_are_no_text_stay_a_conflict_of_git(machines: Machines) -> None:
    machine = machines.lonely()
    branches(machine, "odd.md", b"\0ours", b"\0theirs", b"\0base")
    assert call(machine, "merge", "--no-edit", "other").returncode == 1
    assert machine.git("ls-files", "-u", "-z").count("odd.md") == 3


# -- registering


def config(machine: GitRepo, key: str) -> str:
    return machine.git("config", "--local", "--default", "", "--get", key)


def test_init_and_clone_tell_git_about_it(machines: Machines) -> None:
    a, b = machines.pair()
    for machine in (a, b):
        assert config(machine, DRIVER_KEY) == DRIVER
        assert config(machine, NAME_KEY)
        assert machine.git("check-attr", "merge", "x/y.md").endswith(": memtree")


def test_a_repository_with_commits_merges_only_what_is_captured(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path / "code")
    repo.write("README.md", "# Code\n")
    repo.commit()
    workspace, _ = Workspace.init(repo.path, options=options())
    workspace.close()
    merged = {name for name in ("README.md", "MEMORY.md", "docs/MEMORY.md", f"{CONTENT_ROOT}/a/b.md") if _merged_by_us(repo, name)}
    assert merged == {"MEMORY.md", f"{CONTENT_ROOT}/a/b.md"}


def _merged_by_us(repo: GitRepo, path: str) -> bool:
    return repo.git("check-attr", "merge", path).endswith(": memtree")


def test_doctor_reports_a_missing_registration_and_adds_it(machines: Machines) -> None:
    machine = machines.lonely()
    machine.git("config", "--unset", DRIVER_KEY)

    def found(*, repair: bool) -> list[bool]:
        findings = examine(machine.workspace, repair=repair)
        return [one.repaired for one in findings if "merge driver" in one.message]

    assert found(repair=False) == [False]
    assert found(repair=True) == [True]
    assert found(repair=False) == []
    assert config(machine, DRIVER_KEY) == DRIVER


def test_an_older_command_of_ours_is_replaced_and_a_person_s_own_is_not(machines: Machines) -> None:
    machine = machines.lonely()
    machine.git("config", DRIVER_KEY, "memtree merge-driver %O %A %B %P")
    assert not registered(machine.workspace.repo)
    register(machine.workspace.repo)
    assert config(machine, DRIVER_KEY) == DRIVER
    machine.git("config", DRIVER_KEY, "my-merger %O %A %B")
    assert registered(machine.workspace.repo)
    register(machine.workspace.repo)
    assert config(machine, DRIVER_KEY) == "my-merger %O %A %B"


# -- one file


def drive(folder: Path, path: str, base: bytes, ours: bytes, theirs: bytes, *options_: str) -> tuple[int, bytes]:
    """Call the driver as git does; its exit code and what stands in the second file."""
    files = [folder / name for name in (".merge_file_O", ".merge_file_A", ".merge_file_B")]
    for file, data in zip(files, (base, ours, theirs), strict=True):
        file.write_bytes(data)
    command = [*MEMTREE, "merge-driver", *options_, "--", *(file.name for file in files), path]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert sorted(name for name in os.listdir(folder) if name.startswith(".merge")) == sorted(file.name for file in files)
    return done.returncode, files[1].read_bytes()


def test_an_empty_base_is_no_base(tmp_path: Path) -> None:
    code, data = drive(tmp_path, "new.md", b"", b"# A\n\none\n", b"# A\n\ntwo\n")
    assert code == 0
    assert b"one" in data
    assert b"two" in data
    assert data == merge_prose(RepoPath("new.md"), None, b"# A\n\none\n", b"# A\n\ntwo\n").data


def test_what_must_be_two_files_gets_git_s_markers_and_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, data = drive(tmp_path, "run.sh", b"a\n", b"b\n", b"c\n")
    assert (code, data) == (1, b"<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n")
    code, data = drive(tmp_path, "run.sh", b"a\n", b"b\n", b"c\n", "--no-markers")
    assert (code, data) == (1, b"b\n")


def test_a_note_that_a_sync_would_keep_twice_is_merged_into_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_driver, "content_rules", lambda _root: lambda _path: None)
    merged = merge_files(RepoPath("plan.md"), BASE, OURS, THEIRS, CONTENT_ROOT)
    assert merged is not None
    assert_holds_both(merged.data)
    assert merge_files(RepoPath("plan.txt"), BASE, OURS, THEIRS, CONTENT_ROOT) is None


def test_one_side_alone_changed_is_taken(tmp_path: Path) -> None:
    assert drive(tmp_path, "plan.md", BASE, BASE, THEIRS) == (0, THEIRS)
    assert drive(tmp_path, "plan.md", BASE, OURS, BASE) == (0, OURS)


def test_the_content_folder_is_the_workspace_s_own(machines: Machines, tmp_path: Path) -> None:
    machine = machines.lonely()
    machine.write("memtree.toml", machine.read("memtree.toml").replace(CONTENT_ROOT.encode(), b"memory"))
    machine.write("deep/er/x.md", b"x")
    assert content_root_at(machine.full("deep/er")) == "memory"
    machine.write("memtree.toml", b"<<<<<<< ours\n")
    assert content_root_at(machine.path) == CONTENT_ROOT
    assert content_root_at(str(tmp_path)) == CONTENT_ROOT


def test_it_starts_without_what_it_does_not_need(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom memtree.tools.cli import run\n"
        "code = run(sys.argv[1:])\nprint(code, sorted(sys.modules.keys() & {'pygit2', 'tantivy', 'hnswlib', 'numpy', 'rich'}))"
    )
    for name, data in (("O", BASE), ("A", OURS), ("B", THEIRS)):
        (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-c", program, "merge-driver", "O", "A", "B", "plan.md"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode() == "0 []\n"
