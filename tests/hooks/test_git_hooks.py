"""Git hooks: every hook that was there comes back as it was, both get what git says, and real git commands call them."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.repo import Repo
from memtree.hooks.githooks.errors import HookInTheWay, HooksElsewhere, HooksUnwritable, UnspeakableProgram
from memtree.hooks.githooks.installing import Outcome, State, install, standing, uninstall
from memtree.hooks.githooks.scripts import BEFORE, BY_HAND, NAMES, is_unchanged, script
from memtree.hooks.githooks.serving import NOTICES, PRE_PUSH
from support.gitrepo import GitRepo

PROGRAM = ("/opt/memtree/bin/memtree",)
PUSHED = b"refs/heads/main " + b"1" * 40 + b" refs/heads/main " + b"0" * 40 + b"\n"


Found = TypeVar("Found")


class Hooks:
    """The hooks folder of a repository, and a program that writes down how it was called in memtree's place."""

    def __init__(self, folder: Path) -> None:
        self.repo = GitRepo(folder / "repo")
        self.folder = Path(self.repo.path, ".git", "hooks")
        self.said = folder / "said"
        self.program = folder / 'it\'s "my" $HOME `tools`' / "memtree"
        self.program.parent.mkdir()
        self.answers(0)
        for sample in self.folder.iterdir():
            assert sample.name.endswith(".sample")

    def answers(self, code: int) -> None:
        executable(self.program, f'#!/bin/sh\n{{ printf "%s|" "$@"; cat; }} >>"{self.said}"\nexit {code}\n'.encode())

    def install(self, *more: str) -> None:
        with_repo(self.repo, lambda repo: install(repo, (str(self.program), *more)))

    def daemon(self) -> None:
        """Let it look as if a daemon served this repository."""
        state = Path(self.repo.path, ".git", "memtree")
        state.mkdir()
        (state / "daemon.json").write_text("{}")

    def call(self, name: str, *words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> tuple[int, bytes, bytes]:
        done = subprocess.run(
            (os.path.join(".git", "hooks", name), *words),
            cwd=self.repo.path,
            input=stdin,
            capture_output=True,
            check=False,
            env={"PATH": os.environ["PATH"], **(env or {})},
        )
        return done.returncode, done.stdout, done.stderr

    def heard(self) -> bytes:
        """What the program was told since it was last asked."""
        data = self.said.read_bytes() if self.said.exists() else b""
        self.said.unlink(missing_ok=True)
        return data


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path)


def executable(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    path.chmod(0o755)


def with_repo(git: GitRepo, work: Callable[[Repo], Found]) -> Found:
    repo = Repo.open(git.path)
    try:
        return work(repo)
    finally:
        repo.close()


def outcomes(done: object) -> set[Outcome]:
    return {hook.outcome for hook in done.hooks}  # type: ignore[attr-defined]


# -- what was there comes back


def script_of_before(folder: Path, name: str) -> None:
    executable(folder / name, b"#!/bin/sh\nexit 0\n")


def not_executable(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"#!/bin/sh\nexit 1\n")
    (folder / name).chmod(0o640)


def binary(folder: Path, name: str) -> None:
    executable(folder / name, b"\x7fELF\0\xff" + bytes(range(256)))
    (folder / name).chmod(0o4711)


def link(folder: Path, name: str) -> None:
    executable(folder / f"shared {name}", b"#!/bin/sh\nexit 0\n")
    (folder / name).symlink_to(f"shared {name}")


def link_to_nothing(folder: Path, name: str) -> None:
    (folder / name).symlink_to("../../nowhere")


def a_folder(folder: Path, name: str) -> None:
    (folder / name).mkdir(mode=0o750)
    (folder / name / "inside").write_bytes(b"x")


def nothing(folder: Path, name: str) -> None:
    pass


def empty(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"")


BEFOREHAND = (nothing, script_of_before, not_executable, binary, link, link_to_nothing, a_folder, empty)


def listing(folder: Path) -> dict[str, tuple[int, object]]:
    """Everything below a folder: its mode with what it holds or leads to."""
    found: dict[str, tuple[int, object]] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        holds = os.readlink(path) if stat.S_ISLNK(mode) else path.read_bytes() if stat.S_ISREG(mode) else None
        found[str(path.relative_to(folder))] = (mode, holds)
    return found


def emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    return GitRepo(tmp_path_factory.mktemp("repo"))


@given(kinds=st.lists(st.sampled_from(BEFOREHAND), min_size=len(NAMES), max_size=len(NAMES)), upgraded=st.booleans())
def test_whatever_was_there_comes_back_byte_for_byte(
    shared: GitRepo, kinds: list[Callable[[Path, str], None]], upgraded: bool
) -> None:
    folder = Path(shared.path, ".git", "hooks")
    emptied(folder)
    for name, put in zip(NAMES, kinds, strict=True):
        put(folder, name)
    before = listing(folder)
    repo = Repo.open(shared.path)
    planned = install(repo, PROGRAM, dry_run=True)
    assert listing(folder) == before
    done = install(repo, PROGRAM)
    assert done == planned
    assert [hook.outcome for hook in done.hooks] == [Outcome.INSTALLED if put is nothing else Outcome.CHAINED for put in kinds]
    installed = listing(folder)
    assert outcomes(install(repo, PROGRAM)) == {Outcome.ALREADY}
    assert listing(folder) == installed
    for name in NAMES:
        assert (folder / name).read_bytes() == script(name, PROGRAM)
        assert os.access(folder / name, os.X_OK)
    if upgraded:
        assert outcomes(install(repo, ("/elsewhere/memtree",))) == {Outcome.UPDATED}
    assert set(standing(repo)[1].values()) == {State.OURS}
    uninstall(repo, dry_run=True)
    assert set(standing(repo)[1].values()) == {State.OURS}
    assert [hook.outcome for hook in uninstall(repo).hooks] == [
        Outcome.REMOVED if put is nothing else Outcome.RESTORED for put in kinds
    ]
    assert listing(folder) == before
    assert outcomes(uninstall(repo)) == {Outcome.NOT_INSTALLED}
    assert listing(folder) == before
    repo.close()


def test_samples_and_other_hooks_are_not_touched(hooks: Hooks) -> None:
    executable(hooks.folder / "pre-commit", b"#!/bin/sh\nexit 0\n")
    before = listing(hooks.folder)
    hooks.install()
    assert {name: found for name, found in listing(hooks.folder).items() if name not in NAMES} == before


def test_a_hook_that_somebody_put_in_place_of_ours_is_theirs(hooks: Hooks) -> None:
    script_of_before(hooks.folder, PRE_PUSH)
    hooks.install()
    executable(hooks.folder / PRE_PUSH, b"#!/bin/sh\n# a hook manager's\n")
    found = with_repo(hooks.repo, uninstall)
    (left,) = (hook for hook in found.hooks if hook.outcome is Outcome.LEFT)
    assert (left.name, left.note) == (
        PRE_PUSH,
        "pre-push is not memtree's any more; what was there before memtree is pre-push.before-memtree",
    )
    assert (hooks.folder / PRE_PUSH).read_bytes() == b"#!/bin/sh\n# a hook manager's\n"
    assert (hooks.folder / (PRE_PUSH + BEFORE)).exists()
    before = listing(hooks.folder)
    with pytest.raises(HookInTheWay):
        hooks.install()
    assert listing(hooks.folder) == before


def test_ours_that_was_edited_is_left_alone(hooks: Hooks) -> None:
    script_of_before(hooks.folder, "post-merge")
    hooks.install()
    edited = hooks.folder / "post-merge"
    edited.write_bytes(edited.read_bytes() + b"git lfs post-merge\n")
    before = listing(hooks.folder)
    done = with_repo(hooks.repo, lambda repo: install(repo, (str(hooks.program),)))
    assert [hook.name for hook in done.hooks if hook.outcome is Outcome.LEFT] == ["post-merge"]
    assert listing(hooks.folder) == before
    done = with_repo(hooks.repo, uninstall)
    (left,) = (hook for hook in done.hooks if hook.outcome is Outcome.LEFT)
    assert "take memtree out by hand; what was there before it is post-merge.before-memtree" in left.note
    assert {name for name in listing(hooks.folder) if not name.endswith(".sample")} == {"post-merge", "post-merge" + BEFORE}


def test_ours_that_a_hook_manager_moved_aside_and_calls_is_not_put_in_front_of_it(hooks: Hooks) -> None:
    """It would call the manager, which calls it, and so on for ever."""
    hooks.install()
    (hooks.folder / PRE_PUSH).rename(hooks.folder / f"{PRE_PUSH}.legacy")
    executable(hooks.folder / PRE_PUSH, b'#!/bin/sh\nexec "$(dirname "$0")/pre-push.legacy" "$@"\n')
    before = listing(hooks.folder)
    hooks.install()
    assert listing(hooks.folder) == before
    assert with_repo(hooks.repo, standing)[1][PRE_PUSH] is State.CALLED
    assert hooks.call(PRE_PUSH, "origin", "url", stdin=PUSHED)[0] == 0
    assert hooks.heard() == b"hook|git|pre-push|origin|url|" + PUSHED
    (hooks.folder / PRE_PUSH).unlink()
    (hooks.folder / PRE_PUSH).symlink_to(f"{PRE_PUSH}.legacy")
    hooks.install()
    assert (hooks.folder / PRE_PUSH).is_symlink()


def test_an_install_that_was_killed_halfway_is_finished_or_taken_back(hooks: Hooks) -> None:
    script_of_before(hooks.folder, PRE_PUSH)
    before = listing(hooks.folder)
    for again in (hooks.install, lambda: None):
        os.link(hooks.folder / PRE_PUSH, hooks.folder / (PRE_PUSH + BEFORE))
        again()
        with_repo(hooks.repo, uninstall)
        assert listing(hooks.folder) == before
    for again in (hooks.install, lambda: None):
        (hooks.folder / PRE_PUSH).rename(hooks.folder / (PRE_PUSH + BEFORE))
        (hooks.folder / f"{PRE_PUSH}.memtree-new").write_bytes(b"half")
        again()
        with_repo(hooks.repo, uninstall)
        (hooks.folder / f"{PRE_PUSH}.memtree-new").unlink(missing_ok=True)
        assert listing(hooks.folder) == before


def test_a_sum_tells_an_edit_from_another_version() -> None:
    text = script(PRE_PUSH, PROGRAM)
    assert is_unchanged(text)
    assert is_unchanged(script(PRE_PUSH, ("/a b/python", "-P", "-m", "memtree.tools")))
    for changed in (text + b"\n", text.replace(b"exit 1", b"exit 0"), text[:-1], b"\n" + text, text.replace(b"sum ", b"sum 0")):
        assert not is_unchanged(changed)


def test_a_program_whose_path_holds_a_line_end_is_refused(hooks: Hooks) -> None:
    with pytest.raises(UnspeakableProgram):
        with_repo(hooks.repo, lambda repo: install(repo, ("/a\nb/memtree",)))


# -- where the hooks are


def test_a_folder_that_is_tracked_or_shared_is_not_written_to(hooks: Hooks, tmp_path: Path) -> None:
    for path in (".husky", str(tmp_path / "shared"), "~/hooks", ".git/../tracked"):
        hooks.repo.git("config", "core.hooksPath", path)
        with pytest.raises(HooksElsewhere) as refused:
            hooks.install()
        assert BY_HAND in refused.value.hint
        assert not os.path.lexists(os.path.join(hooks.repo.path, path))
    hooks.repo.git("config", "core.hooksPath", ".git/own")
    hooks.install()
    assert sorted(os.listdir(os.path.join(hooks.repo.path, ".git", "own"))) == sorted(NAMES)
    hooks.repo.git("config", "--unset", "core.hooksPath")
    shutil.rmtree(hooks.folder)
    Path(hooks.repo.path, "tracked").mkdir()
    hooks.folder.symlink_to("../tracked")
    with pytest.raises(HooksElsewhere):
        hooks.install()
    hooks.folder.unlink()
    hooks.install()
    assert sorted(os.listdir(hooks.folder)) == sorted(NAMES)


def test_what_was_installed_is_taken_away_also_when_git_looks_elsewhere_since(hooks: Hooks) -> None:
    script_of_before(hooks.folder, PRE_PUSH)
    before = listing(hooks.folder)
    hooks.install()
    hooks.repo.git("config", "core.hooksPath", ".husky")
    assert outcomes(with_repo(hooks.repo, uninstall)) == {Outcome.REMOVED, Outcome.RESTORED}
    assert listing(hooks.folder) == before


def test_the_line_for_a_folder_of_somebody_elses_serves_every_hook(hooks: Hooks, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    executable(shared / PRE_PUSH, f"#!/bin/sh\n{BY_HAND}\n".encode())
    done = subprocess.run(
        (str(shared / PRE_PUSH), "origin"), input=PUSHED, check=True, env={"PATH": f"{hooks.program.parent}:{os.environ['PATH']}"}
    )
    assert done.returncode == 0
    assert hooks.heard() == b"hook|git|pre-push|origin|" + PUSHED


def test_all_work_trees_share_the_hooks(hooks: Hooks, tmp_path: Path) -> None:
    hooks.repo.write("a.md", "a\n")
    hooks.repo.commit()
    linked = tmp_path / "linked"
    hooks.repo.git("worktree", "add", "--quiet", str(linked))
    assert with_repo(GitRepo(linked), lambda repo: install(repo, (str(hooks.program),))).folder == os.path.realpath(hooks.folder)
    (Path(hooks.repo.path, ".git", "worktrees", "linked", "memtree")).mkdir()
    Path(hooks.repo.path, ".git", "worktrees", "linked", "memtree", "daemon.json").write_text("{}")
    hooks.repo.commit()
    assert hooks.heard() == b""  # the daemon serves the other work tree
    GitRepo(linked).commit()
    assert hooks.heard() == b"hook|git|post-commit|"


def test_a_submodule_and_a_git_folder_outside_have_hooks_of_their_own(hooks: Hooks, tmp_path: Path) -> None:
    inner = GitRepo(tmp_path / "inner")
    inner.commit()
    hooks.repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
    sub = GitRepo(os.path.join(hooks.repo.path, "sub"))
    done = with_repo(sub, lambda repo: install(repo, (str(hooks.program),)))
    assert done.folder == os.path.realpath(os.path.join(hooks.repo.path, ".git", "modules", "sub", "hooks"))
    assert not (hooks.folder / PRE_PUSH).exists()
    os.mkdir(os.path.join(os.path.dirname(done.folder), "memtree"))
    Path(os.path.dirname(done.folder), "memtree", "daemon.json").write_text("{}")
    sub.commit()
    assert hooks.heard() == b"hook|git|post-commit|"
    outside, tree = tmp_path / "outside.git", tmp_path / "tree"
    hooks.repo.git("init", "--quiet", f"--separate-git-dir={outside}", str(tree))
    assert with_repo(GitRepo(tree), lambda repo: install(repo, PROGRAM)).folder == os.path.realpath(outside / "hooks")


def test_a_folder_that_cannot_be_written_is_told(hooks: Hooks) -> None:
    shutil.rmtree(hooks.folder)
    hooks.folder.write_bytes(b"not a folder")
    with pytest.raises(HooksUnwritable):
        hooks.install()
    hooks.folder.unlink()
    hooks.folder.mkdir()
    if os.geteuid() != 0:
        hooks.folder.chmod(0o555)
        with pytest.raises(HooksUnwritable):
            hooks.install()
        hooks.folder.chmod(0o755)


# -- the scripts


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_shells_read_the_scripts(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    for name in NAMES:
        for program in (PROGRAM, ('/it\'s "a" $(b)/python', "-P", "-m", "memtree.tools")):
            done = subprocess.run((shell, "-n"), input=script(name, program), capture_output=True, check=False)
            assert (done.returncode, done.stderr) == (0, b"")


def test_one_that_is_chained_comes_first_and_both_get_what_git_says(hooks: Hooks) -> None:
    first = hooks.folder / PRE_PUSH
    many = b"".join(b"refs/heads/b%d " % n + b"1" * 40 + b" refs/heads/b%d " % n + b"0" * 40 + b"\n" for n in range(3000))
    executable(first, f'#!/bin/sh\n{{ printf "first:%s|" "$@"; cat; }} >>"{hooks.said}"\nexit "${{CODE:-0}}"\n'.encode())
    hooks.install()
    for stdin in (b"", PUSHED, PUSHED * 2, b"a\\nb $HOME `x` " + PUSHED, many):
        assert hooks.call(PRE_PUSH, "my remote", "url", stdin=stdin) == (0, b"", b"")
        assert hooks.heard() == b"first:my remote|first:url|" + stdin + b"hook|git|pre-push|my remote|url|" + stdin
    assert hooks.call(PRE_PUSH, "r", stdin=PUSHED, env={"CODE": "7"})[0] == 7
    assert hooks.heard() == b"first:r|" + PUSHED
    assert hooks.call(PRE_PUSH, "r", stdin=PUSHED, env={"MEMTREE_INTERNAL": "1"})[0] == 0
    assert hooks.heard() == b"first:r|" + PUSHED
    assert hooks.call(PRE_PUSH, "r", stdin=PUSHED, env={"MEMTREE_INTERNAL": "1", "CODE": "7"})[0] == 7
    executable(hooks.folder / (PRE_PUSH + BEFORE), b"#!/bin/sh\nexit 0\n")  # reads nothing
    hooks.heard()
    assert hooks.call(PRE_PUSH, "r", stdin=many)[0] == 0
    assert hooks.heard() == b"hook|git|pre-push|r|" + many
    (hooks.folder / (PRE_PUSH + BEFORE)).chmod(0o644)  # switched off, as git understands it
    assert hooks.call(PRE_PUSH, "r", stdin=PUSHED)[0] == 0


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (2, 1), (3, 1), (4, 1), (75, 1), (130, 1)])
def test_memtree_can_refuse_a_push(hooks: Hooks, code: int, expected: int) -> None:
    hooks.install()
    hooks.answers(code)
    assert hooks.call(PRE_PUSH, "r", stdin=PUSHED) == (expected, b"", b"")


@pytest.mark.parametrize("code", [1, 126, 127, None])
def test_a_memtree_that_does_not_run_locks_nobody_out_and_is_told(hooks: Hooks, code: int | None) -> None:
    hooks.install()
    hooks.daemon()
    if code is None:
        hooks.program.unlink()
    else:
        hooks.answers(code)
    ended, out, err = hooks.call(PRE_PUSH, "r", stdin=PUSHED)
    assert (ended, out, err.count(b"\n")) == (0, b"", 1)
    assert err == b"memtree: " + os.fsencode(hooks.program) + b" does not run; this push was not looked through for secrets\n"
    for name in NOTICES:
        assert hooks.call(name) == (0, b"", b"")


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_says_nothing_and_ends_as_the_hook_before_it_did(hooks: Hooks, name: str) -> None:
    executable(
        hooks.folder / name, f'#!/bin/sh\necho said; {{ printf "first:%s|" "$@"; cat; }} >>"{hooks.said}"\nexit 5\n'.encode()
    )
    hooks.install("-P", "-m", "memtree.tools")
    assert hooks.call(name, "a", "b", "1", stdin=b"x y\n") == (5, b"said\n", b"")
    assert hooks.heard() == b"first:a|first:b|first:1|x y\n"  # no daemon: nothing is started
    hooks.daemon()
    hooks.answers(3)
    assert hooks.call(name, "a", "b", "1", stdin=b"x y\n") == (5, b"said\n", b"")
    assert hooks.heard() == f"first:a|first:b|first:1|x y\n-P|-m|memtree.tools|hook|git|{name}|a|b|1|".encode()
    assert hooks.call(name, "a", stdin=b"", env={"MEMTREE_INTERNAL": "1"})[0] == 5
    assert hooks.heard() == b"first:a|"


# -- real git


@pytest.fixture
def told(hooks: Hooks) -> Hooks:
    """A repository with a commit, whose hooks are installed and served."""
    hooks.repo.write("a.md", "a\n")
    hooks.repo.commit()
    hooks.install()
    hooks.daemon()
    return hooks


def names(heard: bytes) -> list[str]:
    return [part.split("|")[0] for part in heard.decode().split("hook|git|")[1:]]


def test_git_tells_of_commits_merges_check_outs_and_rewrites(told: Hooks) -> None:
    repo = told.repo
    repo.write("a.md", "b\n")
    repo.commit()
    assert names(told.heard()) == ["post-commit"]
    repo.git("commit", "--quiet", "--amend", "-m", "again")
    assert names(told.heard()) == ["post-commit", "post-rewrite"]
    repo.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    assert names(told.heard()) == ["post-checkout"]
    repo.write("b.md", "b\n")
    repo.commit()
    repo.git("checkout", "--quiet", "main")
    told.heard()
    repo.merge("side")
    assert "post-merge" in names(told.heard())
    repo.git("checkout", "--quiet", "-b", "more", "HEAD~1")
    repo.write("c.md", "c\n")
    repo.commit()
    told.heard()
    repo.git("rebase", "--quiet", "main")
    assert "post-rewrite" in names(told.heard())
    repo.write("c.md", "edited\n")
    repo.git("checkout", "--quiet", "--", "c.md")
    assert told.heard().decode().endswith("|0|")  # of a file alone: memtree passes it over


def test_a_commit_from_a_folder_below_and_by_a_git_dir_is_told_too(told: Hooks, tmp_path: Path) -> None:
    repo = told.repo
    os.mkdir(os.path.join(repo.path, "below"))
    repo.git("-C", "below", "commit", "--quiet", "--allow-empty", "-m", "x")
    assert names(told.heard()) == ["post-commit"]
    other = GitRepo(tmp_path / "other")
    other.git(f"--git-dir={repo.path}/.git", f"--work-tree={repo.path}", "commit", "--quiet", "--allow-empty", "-m", "x")
    assert names(told.heard()) == ["post-commit"]


def test_what_git_says_of_a_push(told: Hooks, tmp_path: Path) -> None:
    repo = told.repo
    repo.git("init", "--quiet", "--bare", str(tmp_path / "remote.git"))
    repo.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    tip = repo.git("rev-parse", "HEAD")
    repo.git("push", "--quiet", "origin", "main")
    zero = "0" * 40
    expected = f"hook|git|pre-push|origin|{tmp_path}/remote.git|refs/heads/main {tip} refs/heads/main {zero}\n"
    assert told.heard().decode() == expected
    told.answers(3)
    repo.commit()
    with pytest.raises(AssertionError, match="failed to push"):
        repo.git("push", "--quiet", "origin", "main")
    assert repo.git("ls-remote", "origin", "main").split()[0] == tip
