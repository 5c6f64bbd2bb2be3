"""Bad input and bad moments: each is one clear line that says what to do, and nothing is changed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtree.engine.repo_errors import NotARepository, UnknownRevision
from memtree.engine.settings import InvalidSettings, SettingsGone
from memtree.engine.store.report import GitBusy
from memtree.engine.store.working_copy import PathBlocked
from memtree.engine.workspace import NotAWorkspace, Workspace, find_root
from memtree.tree.errors import CorruptionError, Error, StateError
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines, options, stamps


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "apple\n", "notes/b.md": "berry\n"})


def assert_one_line(error: BaseException) -> None:
    """A message is one line, and there is advice."""
    assert isinstance(error, Error)
    assert str(error)
    assert "\n" not in str(error)
    assert error.hint
    assert "\n" not in error.hint


# -- the folder


def test_a_folder_that_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(NotAWorkspace) as caught:
        Workspace.open(str(tmp_path), options())
    assert_one_line(caught.value)
    assert "memtree init" in caught.value.hint
    with pytest.raises(NotAWorkspace):
        Workspace.open(str(tmp_path / "missing" / "folder"), options())


def test_a_workspace_is_found_from_any_folder_in_it(machine: Machine) -> None:
    os.makedirs(machine.full("notes/deep"))
    for start in ("", "notes", "notes/deep", "notes/a.md", "memtree.toml"):
        assert find_root(machine.full(start)) == machine.path


def test_a_workspace_that_lost_its_repository(machine: Machine) -> None:
    os.rename(machine.full(".git"), machine.path + "-git")
    with pytest.raises(NotARepository) as caught:
        Workspace.open(machine.path, options())
    assert_one_line(caught.value)
    os.rename(machine.path + "-git", machine.full(".git"))


@pytest.mark.parametrize("head", [b"", b"garbage\n", b"ref: \n"])
def test_a_repository_with_a_damaged_head(machine: Machine, head: bytes) -> None:
    machine.write(".git/HEAD", head)
    with pytest.raises(Error) as caught:
        machine.reopen().save()
    assert_one_line(caught.value)
    machine.write(".git/HEAD", b"ref: refs/heads/main\n")


# -- settings

BROKEN = {
    "no toml": b"content = \n",
    "not closed": b'content = "a\n',
    "twice": b'branch = "a"\nbranch = "b"\n',
    "not utf-8": b'content = "\xff"\n',
    "a zero byte": b"content = \x00\n",
    "conflict markers": b'<<<<<<< ours\nbranch = "a"\n=======\nbranch = "b"\n>>>>>>> theirs\n',
    "content a number": b"content = 3\n",
    "content outside": b'content = "../x"\n',
    "content absolute": b'content = "/etc"\n',
    "content empty": b'content = ""\n',
    "content in git": b'content = ".git/x"\n',
    "branch a list": b'branch = ["main"]\n',
    "branch empty": b'branch = ""\n',
    "branch with a space": b'branch = "a b"\n',
    "branch an option": b'branch = "--force"\n',
    "branch with dots": b'branch = "a..b"\n',
    "branch ends in a slash": b'branch = "a/"\n',
    "branch starts with a slash": b'branch = "/a"\n',
    "branch ends in lock": b'branch = "a.lock"\n',
    "branch with a hidden part": b'branch = "a/.b"\n',
    "branch at brace": b'branch = "a@{1}"\n',
    "branch with a control character": b'branch = "a\\u0007b"\n',
    "branch ends in a dot": b'branch = "a."\n',
    "branch with two slashes": b'branch = "a//b"\n',
    "branch an at": b'branch = "@"\n',
    "capture a text": b'capture = "**"\n',
    "capture of numbers": b"capture = [1]\n",
    "durability unknown": b'durability = "maybe"\n',
    "durability a truth": b"durability = true\n",
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_settings_are_named_and_advised(machine: Machine, case: str) -> None:
    tip = machine.tip
    machine.write("memtree.toml", BROKEN[case])
    machine.write("notes/a.md", "edited\n")
    with pytest.raises(InvalidSettings) as caught:
        machine.reopen()
    assert_one_line(caught.value)
    assert machine.full("memtree.toml") in str(caught.value)
    assert machine.tip == tip
    machine.git("checkout", "--quiet", "memtree.toml")
    machine.workspace = Workspace.open(machine.path, options())
    machine.save()
    machine.assert_sound()


@pytest.mark.parametrize(
    "data",
    [b"", b"# nothing\n", b"\xef\xbb\xbfbranch = 'main'\n", b"branch = 'main'\r\n", b"future = 1\n[other]\nx = 2\n"],
    ids=["empty", "a comment", "a byte order mark", "line ends", "of a newer version"],
)
def test_settings_that_are_only_unusual_are_fine(machine: Machine, data: bytes) -> None:
    machine.write("memtree.toml", data)
    machine.reopen()
    machine.save()
    machine.assert_sound()


def test_a_capture_setting_that_is_no_pattern_is_named(machine: Machine) -> None:
    machine.write("memtree.toml", 'capture = ["notes/", "!"]\n')
    with pytest.raises(InvalidSettings, match="capture holds '!'") as caught:
        machine.reopen().save()
    assert_one_line(caught.value)


def test_a_pattern_that_means_nothing_is_overlooked_in_an_ignore_file(machine: Machine) -> None:
    machine.write(".memtreeignore", b"!\n\xff\nfine/\n")
    machine.write("fine/x.md", "x\n")
    machine.write("notes/a.md", "edited\n")
    machine.save()
    assert machine.committed()["notes/a.md"] == b"edited\n"
    assert "fine/x.md" not in machine.committed()


# -- revisions and paths


@pytest.mark.parametrize(
    "text", ["no-such", "HEAD~999", "deadbeef", "0" * 40, "main:notes/a.md", "HEAD^{tree}", "-x", "a..b", "@{u}", "\x00"]
)
def test_an_unknown_revision(machine: Machine, text: str) -> None:
    with pytest.raises(UnknownRevision) as caught:
        machine.workspace.resolve(text)
    assert_one_line(caught.value)


def test_a_writer_may_not_leave_the_workspace(machine: Machine) -> None:
    before = stamps(machine.path)
    for text in ("../out.md", "/etc/x", ".git/hooks/x", "a/../../b", "", "a\x00b", "a//b", "./a"):
        with pytest.raises(Error) as caught:
            machine.workspace.write({RepoPath.parse(text): b"x"}, "x")
        assert_one_line(caught.value)
    assert stamps(machine.path) == before


def test_a_writer_does_not_follow_a_link_out_of_the_workspace(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", machine.full("link"))
    with pytest.raises(PathBlocked):  # nor does it commit the link, which every other machine would refuse
        machine.workspace.write({RepoPath("link/x.md"): b"x"}, "x")
    assert list((tmp_path / "outside").iterdir()) == []
    os.unlink(machine.full("link"))
    machine.workspace.write({RepoPath("link/x.md"): b"x"}, "x")
    assert machine.read("link/x.md") == b"x"


@pytest.mark.parametrize(
    "data",
    [
        b"---\n[\n---\nsearchable words\n",
        b"---\ntitle: a\nsearchable words, and no end\n",
        b"---\n- a list\n---\nsearchable words\n",
        b"---\ndate: 2024-99-99\ntitle: {a: [\n---\nsearchable words\n",
        b"---\n\xff\xfe: x\n---\nsearchable words\n",
        b"---\na: &x [*x]\n---\nsearchable words\n",
        b"\x00\x01searchable words\n",
        b"---\n" + b"k: v\n" * 5000 + b"---\nsearchable words\n",
    ],
)
def test_malformed_front_matter_is_text_like_any_other(machine: Machine, data: bytes) -> None:
    machine.write("notes/odd.md", data)
    assert machine.found("searchable") == ["notes/odd.md"]
    assert machine.committed()["notes/odd.md"] == data
    machine.assert_sound()


# -- git at work


def conflicted(machine: Machine) -> None:
    machine.git("switch", "--quiet", "-c", "other")
    machine.write("notes/a.md", "other\n")
    machine.git("commit", "--quiet", "-am", "other")
    machine.git("switch", "--quiet", "main")
    machine.write("notes/a.md", "ours\n")
    machine.git("commit", "--quiet", "-am", "ours")


def begin(*arguments: str) -> Callable[[Machine], None]:
    def run(machine: Machine) -> None:
        with pytest.raises(AssertionError):
            machine.git(*arguments)

    return run


@pytest.mark.parametrize("verb", ["merge", "rebase", "cherry-pick", "revert"])
def test_a_merge_of_the_user_s_is_left_to_the_user(machine: Machine, verb: str) -> None:
    conflicted(machine)
    begin(verb, "HEAD~1" if verb == "revert" else "other")(machine) if verb != "revert" else _revert(machine)
    before, status, tip = stamps(machine.path), machine.status(), machine.tip
    machine.write("notes/b.md", "edited meanwhile\n")
    with pytest.raises(StateError) as caught:
        machine.save()
    assert_one_line(caught.value)
    assert isinstance(caught.value, GitBusy) or verb == "rebase"
    assert machine.found("berry", capture=True) == ["notes/b.md"]
    assert (machine.tip, machine.status()) == (tip, sorted([*status, " M notes/b.md"], key=lambda line: line[3:]))
    assert {path: stamp for path, stamp in stamps(machine.path).items() if path != "notes/b.md"} == {
        path: stamp for path, stamp in before.items() if path != "notes/b.md"
    }
    machine.write("notes/b.md", "berry\n")
    machine.git(verb, "--abort")
    machine.write("notes/b.md", "edited meanwhile\n")
    machine.save()
    machine.assert_sound()


def _revert(machine: Machine) -> None:
    machine.write("notes/a.md", "later\n")
    machine.git("commit", "--quiet", "-am", "later")
    begin("revert", "--no-edit", "HEAD~1")(machine)


def test_the_advice_for_a_rebase_ends_the_rebase(machine: Machine) -> None:
    """In a rebase HEAD is detached; "git switch main" would be refused, so that must not be the advice."""
    conflicted(machine)
    begin("rebase", "other")(machine)
    machine.write("notes/b.md", "edited\n")
    with pytest.raises(StateError) as caught:
        machine.save()
    assert "git rebase --abort" in caught.value.hint


def test_a_bisect_is_elsewhere_and_nothing_is_committed(machine: Machine) -> None:
    for number in range(4):
        machine.write("notes/a.md", f"{number}\n")
        machine.save()
    machine.git("bisect", "start", "HEAD", "HEAD~3")
    machine.write("notes/b.md", "edited\n")
    with pytest.raises(StateError):
        machine.save()
    machine.git("checkout", "--quiet", "notes/b.md")
    machine.git("bisect", "reset")
    machine.assert_sound()


# -- damage


def test_a_damaged_index_of_git_is_told(machine: Machine) -> None:
    machine.write(".git/index", b"DIRC garbage")
    machine.write("notes/a.md", "edited\n")
    with pytest.raises(CorruptionError) as caught:
        machine.reopen().save()
    assert_one_line(caught.value)
    os.unlink(machine.full(".git/index"))
    machine.git("reset", "--quiet")
    machine.reopen().save()
    machine.assert_sound()


def test_a_missing_index_of_git_is_not_read_as_a_wish_to_delete(machine: Machine) -> None:
    """To git everything looks deleted and staged so: it is left alone until the index is made again."""
    os.unlink(machine.full(".git/index"))
    machine.write("notes/a.md", "edited\n")
    report = machine.reopen().save()
    assert not report.commit.changed
    assert report.survey.staged == ("memtree.toml", "notes/a.md", "notes/b.md")
    machine.git("reset", "--quiet")
    machine.save()
    assert machine.committed()["notes/a.md"] == b"edited\n"
    machine.assert_sound()


def test_a_missing_object_is_told(machine: Machine) -> None:
    blob = machine.git("rev-parse", "HEAD:notes/a.md")
    os.unlink(machine.full(f".git/objects/{blob[:2]}/{blob[2:]}"))
    machine.reopen()
    with pytest.raises(CorruptionError) as caught:
        machine.workspace.repo.blob(blob)
    assert_one_line(caught.value)
    machine.write("notes/b.md", "edited\n")
    machine.save()
    assert machine.git("show", "HEAD:notes/b.md") == "edited"


def test_the_engine_s_folder_replaced_by_a_link_is_refused(machine: Machine, tmp_path: Path) -> None:
    os.rename(machine.full(".git/memtree"), tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", machine.full(".git/memtree"))
    with pytest.raises(CorruptionError) as caught:
        machine.reopen()
    assert_one_line(caught.value)
    os.unlink(machine.full(".git/memtree"))
    machine.workspace = Workspace.open(machine.path, options())
    machine.assert_sound()


def test_a_workspace_whose_settings_are_gone_says_how_they_come_back(tmp_path: Path) -> None:
    root = str(tmp_path / "w")
    Workspace.init(root)[0].close()
    os.unlink(os.path.join(root, "memtree.toml"))
    for attempt in (lambda: Workspace.open(root), lambda: Workspace.init(root)):
        with pytest.raises(SettingsGone) as error:
            attempt()
        assert "git checkout HEAD -- memtree.toml" in error.value.hint
    subprocess.run(("git", "-C", root, "checkout", "-q", "HEAD", "--", "memtree.toml"), check=True)
    Workspace.open(root).close()


def test_a_clone_of_an_empty_remote_says_that_it_begins_the_history(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", "--bare", str(tmp_path / "remote.git")), check=True)
    workspace, found = Workspace.clone(str(tmp_path / "remote.git"), str(tmp_path / "w"))
    workspace.close()
    assert any("the remote is empty" in warning for warning in found.warnings)
