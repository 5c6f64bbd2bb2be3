"""A few files are judged as git judges them, whatever was done to them; of the ordinary ones git is not even asked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from memtree.engine.glance import touched
from memtree.engine.repo import Repo
from memtree.engine.workspace import Workspace
from support.machines import Machine, Machines

NAMES = tuple(f"notes/{folder}/{number}.md" for folder in "abc" for number in range(4))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machines(tmp_path)
    yield made.lonely({name: f"{name}\n" for name in NAMES[::2]})
    made.close()


def judged(workspace: Workspace, *paths: str) -> dict[str, str]:
    """What differs; as git says, or it fails."""
    index = workspace.store.git_index
    index._loaded = None  # what tests write within one tick of the clock must not look like the old file
    workspace.store.filters.refresh()
    found = touched(workspace.repo, workspace.store, paths)
    assert found == Repo.open(workspace.root).touched(paths)
    return {path: flags.name or "" for path, flags in found.items()}


def test_edits_new_files_and_deletions(machine: Machine) -> None:
    kept, changed, gone = NAMES[0], NAMES[2], NAMES[4]
    machine.write(changed, "changed\n")
    machine.remove(gone)
    machine.write(NAMES[1], "new\n")
    assert judged(machine.workspace, kept, changed, gone, NAMES[1], "notes/nowhere.md", "nowhere/at/all.md") == {
        changed: "WT_MODIFIED",
        gone: "WT_DELETED",
        NAMES[1]: "WT_NEW",
    }


def test_git_is_not_asked_of_ordinary_files(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(NAMES[0], "changed\n")
    machine.write(NAMES[1], "new\n")
    monkeypatch.setattr(Repo, "touched", lambda *_: pytest.fail("git was asked"))
    workspace = machine.workspace
    assert len(touched(workspace.repo, workspace.store, NAMES)) == 2


def _write(machine: Machine, random: Random, path: str) -> None:
    full = os.path.join(machine.workspace.root, path)
    if not os.path.isdir(full) and os.path.isdir(os.path.dirname(full)) and not os.path.islink(full):
        machine.write(path, random.choice([f"{path}\n", "other\n", "", "x" * 100]))


def _remove(machine: Machine, _: Random, path: str) -> None:
    full = os.path.join(machine.workspace.root, path)
    if os.path.isdir(full):
        shutil.rmtree(full)
    elif os.path.lexists(full):
        os.unlink(full)


def _stage(machine: Machine, random: Random, path: str) -> None:
    full = os.path.join(machine.workspace.root, path)
    if os.path.lexists(full) and not os.path.isdir(full):
        machine.git("update-index", "--add", "--replace", "--", path)
    elif random.random() < 0.5:
        machine.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", path)


def _mark(machine: Machine, random: Random, path: str) -> None:
    flag = random.choice(["--assume-unchanged", "--skip-worktree", "--no-assume-unchanged", "--no-skip-worktree"])
    if machine.git("ls-files", "--", path):
        machine.git("update-index", flag, "--", path)


def _change_kind(machine: Machine, random: Random, path: str) -> None:
    full = os.path.join(machine.workspace.root, path)
    if not os.path.isdir(os.path.dirname(full)):
        return
    if random.random() < 0.3 and os.path.isfile(full) and not os.path.islink(full):
        os.chmod(full, random.choice([0o644, 0o755]))
        return
    _remove(machine, random, path)
    if random.random() < 0.5:
        os.symlink("elsewhere", full)
    else:
        os.mkdir(full)
        machine.write(f"{path}/inside.md", "inside\n")


def _rule(machine: Machine, random: Random, path: str) -> None:
    name = os.path.basename(path)
    machine.write(".gitignore", random.choice(["", f"{name}\n", "notes/a/\n", f"*.md\n!{name}\n"]))
    machine.write(".gitattributes", random.choice(["", "", "*.md text\n"]))


def _settle(machine: Machine, _random: Random, _path: str) -> None:
    if not machine.git("ls-files", "--unmerged"):
        machine.git("commit", "-q", "--allow-empty", "-m", "settled")


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_to_files_git_says_the_same(machine: Machine, seed: int) -> None:
    random = Random(seed)
    actions = [_write, _write, _write, _remove, _stage, _stage, _mark, _change_kind, _rule, _settle]
    for _ in range(12):
        for _ in range(3):
            random.choice(actions)(machine, random, random.choice(NAMES))
        judged(machine.workspace, *NAMES, ".gitignore", "notes/a/0.md/inside.md", "notes/b")


def test_a_repository_inside_and_a_linked_folder_are_as_git_has_them(machine: Machine) -> None:
    root = machine.workspace.root
    machine.write("notes/a/inner/x.md", "x\n")
    machine.git("init", "-q", "notes/a/inner")
    os.rename(os.path.join(root, "notes/b"), os.path.join(root, "notes/moved"))
    os.symlink("moved", os.path.join(root, "notes/b"))
    judged(machine.workspace, "notes/a/inner/x.md", "notes/a/inner", "notes/b", *NAMES)


def test_the_place_of_a_submodule_that_is_not_checked_out_stays_its_own(machine: Machine) -> None:
    machine.git("update-index", "--add", "--cacheinfo", f"160000,{machine.git('rev-parse', 'HEAD')},notes/sub")
    machine.git("commit", "-q", "-m", "a submodule")
    machine.write("notes/sub/deep/x.md", "x\n")
    assert judged(machine.workspace, "notes/sub/deep/x.md", "notes/sub") == {}
    machine.workspace.capture.take(automatic=True, hints=["notes/sub/"])
    assert machine.git("ls-tree", "HEAD", "notes/sub").startswith("160000")


@pytest.mark.parametrize(
    ("rules", "inner", "path"),
    [
        ("*\n!*.md\n", "", "private/x.md"),
        ("private/\n!private/x.md\n", "", "private/x.md"),
        ("private/\n", "!*\n", "private/x.md"),
        ("private/deep\n", "!x.md\n", "private/deep/x.md"),
        ("*\n!*/\n!*.md\n", "", "private/x.md"),
    ],
)
def test_what_lies_in_an_ignored_folder_is_ignored_whatever_speaks_for_it(
    machine: Machine, rules: str, inner: str, path: str
) -> None:
    machine.write(".gitignore", rules)
    machine.write(path, "x\n")
    if inner:
        machine.write("private/.gitignore", inner)
    ignored = not machine.git("status", "--porcelain", "--untracked-files=all", "--", path)
    assert (judged(machine.workspace, path) == {}) is ignored
    machine.workspace.capture.take(automatic=True, hints=["private"])
    assert (not machine.git("ls-files", "--", path)) is ignored


@pytest.mark.parametrize("setting", ["core.ignorecase=true", "core.ignorecase=1", "core.filemode=false", "core.filemode=No"])
def test_where_git_is_set_to_see_files_otherwise_it_is_asked(machine: Machine, setting: str) -> None:
    machine.git("config", *setting.split("="))
    os.chmod(os.path.join(machine.workspace.root, NAMES[0]), 0o755)
    machine.write("notes/a/0.MD", "another\n")
    judged(machine.workspace, *NAMES, "notes/a/0.MD")
