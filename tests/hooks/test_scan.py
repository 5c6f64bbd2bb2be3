"""The full scan in another process finds what libgit2 finds in this one, with git and without."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.git import GitFailed, GitTimeout
from memtree.engine.repo import Repo
from memtree.hooks.watching.scan import ScanFailed, full_scan
from support.gitrepo import GitRepo

WITHOUT_GIT = {"PATH": "/nowhere"}
PATHS = ("x.md", "notes/a.md", "notes/b c.md", "notes/deep/é.md", "ignored/i.md", 'odd "name".md', "notes/ends in space ", "-x.md")
WHAT = st.sampled_from(["write", "write", "remove", "stage", "unstage", "move", "folder", "link", "run", "commit", "conflict"])


def same(root: str, *environments: dict[str, str] | None) -> None:
    touched = Repo.open(root).touched()
    for environment in environments:
        found = full_scan(root, environment)
        assert set(found.paths) == {path for path in touched if not path.endswith("/") and _is_text(path)}
        assert set(found.nested) == {path.rstrip("/") for path in touched if path.endswith("/") and _is_text(path)}
        assert list(found.paths) == sorted(found.paths)
        assert found.seconds > 0


def _is_text(path: str) -> bool:
    return not any("\udc80" <= letter <= "\udcff" for letter in path)


@given(
    st.lists(st.tuples(WHAT, st.sampled_from(PATHS), st.sampled_from(PATHS)), max_size=12),
    st.sampled_from([None] * 3 + [WITHOUT_GIT]),
)
@settings(max_examples=12)
def test_it_finds_what_libgit2_finds(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]], environment: dict[str, str] | None
) -> None:
    repo = GitRepo(tmp_path_factory.mktemp("any"))
    for number, path in enumerate(PATHS[:5]):
        repo.write(path, f"{number}\n")
    repo.write(".gitignore", "ignored/\n")
    repo.commit("first")
    for step in steps:
        try:
            _do(repo, *step)
        except (OSError, AssertionError, shutil.Error):
            continue  # it does not go together with what is there
    same(repo.path, environment)


def _do(repo: GitRepo, what: str, one: str, two: str) -> None:
    full = os.path.join(repo.path, one)
    if what == "write":
        repo.write(one, f"{two}\n")
    elif what == "remove":
        repo.remove(one)
    elif what == "stage":
        repo.git("add", "--all", "--", one)
    elif what == "unstage":
        repo.git("rm", "-q", "--cached", "--", one)
    elif what == "move":
        repo.move(one, two)
    elif what == "folder":
        repo.remove(one)
        repo.write(f"{one}/below.md", "below\n")
    elif what == "link":
        os.symlink(two, full)
    elif what == "run":
        os.chmod(full, os.stat(full).st_mode ^ 0o111)
    elif what == "commit":
        repo.commit("more")
    else:
        repo.git("checkout", "-q", "-b", f"side{repo.clock}")
        repo.write(one, "theirs\n")
        repo.commit("theirs")
        repo.git("checkout", "-q", "main")
        repo.write(one, "ours\n")
        repo.commit("ours")
        repo.git("merge", "-q", f"side{repo.clock - 120}")


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    made = GitRepo(tmp_path / "work")
    made.write("x.md", "x\n")
    made.commit("first")
    return made


def test_repositories_inside_and_names_that_are_not_utf_8(repo: GitRepo) -> None:
    nested = GitRepo(os.path.join(repo.path, "nested"))
    nested.write("n.md", "n\n")
    nested.commit("its own")
    Path(os.fsdecode(os.fsencode(repo.path) + b"/\xff.md")).write_text("odd\n")
    os.makedirs(os.path.join(repo.path, "empty/folder"))
    same(repo.path, None, WITHOUT_GIT)
    assert full_scan(repo.path).nested == ("nested",)


def test_settings_and_surroundings_of_a_user_change_nothing(repo: GitRepo) -> None:
    for key, value in {
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "true",
        "status.branch": "true",
        "status.showStash": "true",
        "status.renames": "copies",
        "core.quotePath": "true",
    }.items():
        repo.git("config", key, value)
    repo.write("notes/é.md", "new\n")
    repo.move("x.md", "y.md")
    repo.git("add", "y.md")
    repo.git("config", "core.fsmonitor", "touch hooked")
    other = GitRepo(os.path.join(os.path.dirname(repo.path), "other"))
    surroundings = dict(os.environ) | {"GIT_DIR": os.path.join(other.path, ".git"), "GIT_WORK_TREE": other.path}
    for environment in (surroundings, surroundings | WITHOUT_GIT):
        assert full_scan(repo.path, environment).paths == ("notes/é.md", "x.md", "y.md")
        assert not os.path.exists(os.path.join(repo.path, "hooked"))


def test_nothing_of_gits_is_written(repo: GitRepo) -> None:
    os.utime(os.path.join(repo.path, "x.md"))  # git would like to remember this in its index
    index = Path(repo.path, ".git/index")
    before = (index.stat().st_mtime_ns, index.stat().st_ino)
    Path(repo.path, ".git/index.lock").touch()  # somebody is at work
    for environment in (None, WITHOUT_GIT):
        assert full_scan(repo.path, environment).paths == ()
    assert (index.stat().st_mtime_ns, index.stat().st_ino) == before


def test_code_in_the_workspace_is_not_run(repo: GitRepo) -> None:
    for name in ("pygit2.py", "memtree/__init__.py", "os.py"):
        repo.write(name, "raise SystemExit(9)\n")
    assert full_scan(repo.path, WITHOUT_GIT).paths == ("memtree/__init__.py", "os.py", "pygit2.py")


def test_failures_say_so(repo: GitRepo, tmp_path: Path) -> None:
    repo.write(".git/index", b"not an index, and no checksum\n")
    with pytest.raises(GitFailed):
        full_scan(repo.path)
    with pytest.raises(ScanFailed):
        full_scan(repo.path, WITHOUT_GIT)
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 30\n")
    (slow / "git").chmod(0o755)
    with pytest.raises(GitTimeout):
        full_scan(repo.path, {"PATH": f"{slow}:{os.environ['PATH']}"}, timeout=0.1)
    with pytest.raises(ScanFailed):
        full_scan(repo.path, WITHOUT_GIT, timeout=0.001)
