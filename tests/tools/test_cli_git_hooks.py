"""hooks install git: by the command, with real commits and pushes; and hooks of a person's that call memtree themselves."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from queue import Queue

import pytest

from memtree.hooks.daemon.server import Server
from memtree.hooks.githooks.scripts import BEFORE, NAMES
from memtree.hooks.place import find_place
from memtree.tools.git_hook import serve_notice
from support.cli import environment, memtree
from support.gitrepo import GitRepo

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SETTINGS = 'durability = "fast"\n[embedding]\nmodel = "none"\n'


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """A workspace with a remote, and a memtree on PATH whose path wants quoting."""
    bin_folder = tmp_path / "it's my $HOME"
    bin_folder.mkdir()
    executable(bin_folder / "memtree", f'#!/bin/sh\nexec "{sys.executable}" -m memtree.tools "$@"\n')
    monkeypatch.setenv("PATH", str(bin_folder), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    found = GitRepo(tmp_path / "notes")
    found.git("init", "--quiet", "--bare", "--initial-branch=main", str(tmp_path / "remote.git"))
    found.write("memtree.toml", SETTINGS)
    found.write("a.md", "one\n")
    found.commit()
    memtree("init", "--remote", str(tmp_path / "remote.git"), cwd=found.path)
    return found


def executable(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def hook(repo: GitRepo, name: str, text: str) -> Path:
    path = Path(repo.path, ".git", "hooks", name)
    executable(path, f"#!/bin/sh\n{text}\n")
    return path


def git(repo: GitRepo, *words: str) -> tuple[int, str]:
    """Git as a person calls it: its code and what it said."""
    who = {f"GIT_{role}_{what}": "ada@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(("git", *words), cwd=repo.path, env=environment(who), capture_output=True, check=False, timeout=60)
    return done.returncode, done.stderr.decode()


def test_it_is_installed_listed_and_taken_away(notes: GitRepo) -> None:
    folder = os.path.join(notes.path, ".git", "hooks")
    before = hook(notes, "post-merge", "exit 0").read_bytes()
    assert memtree("hooks", "install", "git", "--dry-run", cwd=notes.path).lines[-1] == "Nothing was written: this was a dry run."
    assert not os.path.exists(os.path.join(folder, "pre-push"))
    done = memtree("hooks", "install", "git", cwd=notes.path)
    assert done.lines == [
        f"Git calls memtree now: post-commit, post-merge, post-checkout, post-rewrite and pre-push ({folder}).",
        "A push of yours is looked through for secrets first, as memtree push is.",
    ]
    assert done.err == "note: post-merge of before is kept as post-merge.before-memtree and runs first\n"
    assert memtree("hooks", "install", "git", cwd=notes.path).out == f"Git calls memtree already; nothing was changed ({folder}).\n"
    found = memtree("hooks", "install", "git", "--json", cwd=notes.path).json
    assert {one["name"]: one["outcome"] for one in found["hooks"]} == dict.fromkeys(NAMES, "already installed")
    row = {"agent": "git", "workspace": notes.path, "file": folder, "error": ""}
    assert memtree("hooks", "status", "--json", cwd=notes.path).json["connections"][-1] == row
    os.unlink(os.path.join(folder, "post-rewrite"))
    Path(folder, "post-commit").write_bytes(Path(folder, "post-commit").read_bytes() + b"# mine\n")
    error = "post-commit was edited; not post-rewrite: install again"
    assert memtree("hooks", "status", "--json", cwd=notes.path).json["connections"][-1] == row | {"error": error}
    done = memtree("hooks", "uninstall", "git", cwd=notes.path)
    assert done.out == f"Git does not call memtree any more ({folder}); post-merge is as before.\n"
    assert done.err == "note: post-commit was edited since memtree put it there: take memtree out by hand\n"
    assert Path(folder, "post-merge").read_bytes() == before
    os.unlink(os.path.join(folder, "post-commit"))
    assert memtree("hooks", "uninstall", "git", cwd=notes.path).out.startswith("Git does not call memtree; nothing was changed")
    assert memtree("hooks", "uninstall", "git", "--json", cwd=notes.path).json["hooks"][0]["outcome"] == "not installed"
    assert memtree("hooks", "status", "--json", cwd=notes.path).json["connections"][-1]["workspace"] == ""


def test_a_folder_of_somebody_elses_is_refused_with_the_line_to_add(notes: GitRepo) -> None:
    notes.git("config", "core.hooksPath", ".husky")
    refused = memtree("hooks", "install", "git", cwd=notes.path, code=2).err
    assert "nothing was written there" in refused
    assert 'exec memtree hook git "${0##*/}" "$@"' in refused
    assert "outside its git directory" in memtree("hooks", "status", cwd=notes.path).out


def test_a_push_with_a_secret_is_refused_and_one_that_is_clean_passes(notes: GitRepo, tmp_path: Path) -> None:
    hook(notes, "pre-push", f'cat >"{tmp_path}/said"')
    memtree("hooks", "install", "git", cwd=notes.path)
    assert git(notes, "push", "--quiet", "origin", "main") == (0, "")
    clean = notes.git("rev-parse", "HEAD")
    assert (tmp_path / "said").read_text() == f"refs/heads/main {clean} refs/heads/main {'0' * 40}\n"
    notes.write("src/b.py", f"\nkey = '{SECRET}'\n")
    bad = notes.commit()
    code, said = git(notes, "push", "origin", "HEAD:refs/heads/other")
    assert (code, SECRET in said) == (1, False)
    assert f"memtree: not sent: a secret would leave this machine: src/b.py:2 in {bad[:8]} (github-token, " in said
    assert "if it is none, or may be known: memtree secrets allow " in said
    assert notes.git("ls-remote", "origin").split() == [clean, "HEAD", clean, "refs/heads/main"]
    # The same words as memtree's own push; what that looked through, the hook is not asked about again.
    own = memtree("push", cwd=notes.path, code=3).err
    assert own.splitlines() == said.splitlines()[:2]
    fingerprint = said.split("github-token, ")[1].split(")")[0]
    memtree("secrets", "allow", fingerprint, cwd=notes.path)
    memtree("push", cwd=notes.path)
    assert notes.git("ls-remote", "origin", "main").split()[0] == notes.git("rev-parse", "HEAD")
    assert notes.git("rev-parse", "HEAD") in (tmp_path / "said").read_text()


def test_a_commit_is_told_to_the_daemon_that_serves_the_work_tree(notes: GitRepo) -> None:
    memtree("hooks", "install", "git", cwd=notes.path)
    place = find_place(notes.path)
    assert place is not None
    heard: Queue[object] = Queue()
    server = Server(place, {"notify": lambda params, _progress: heard.put(params)})
    server.start()
    try:
        assert git(notes, "commit", "--quiet", "--allow-empty", "-m", "x") == (0, "")
        assert heard.get(timeout=30) == {"what": "post-commit"}
        notes.write("b.md", "b\n")
        memtree("save", cwd=notes.path)  # memtree moves its branch itself: no hook of git's
    finally:
        server.stop()
    assert heard.empty()


def test_what_git_says_can_be_answered_as_json(notes: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    assert memtree("hook", "git", "post-commit", "--json", cwd=notes.path).json == {"hook": "post-commit", "told": False}
    assert memtree("hook", "git", "post-commit", cwd=notes.path).out == ""
    monkeypatch.chdir(notes.path)
    assert serve_notice(["hook", "git", "post-checkout", "a", "b", "1"])
    for words in (["hook", "git"], ["hook", "git", "pre-push"], ["hook", "git", "post-commit", "--help"], ["hook", "codex"]):
        assert not serve_notice(words)


def test_what_cannot_be_looked_through_does_not_leave(notes: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = f"refs/heads/main {'1' * 40} refs/heads/main {'0' * 40}\n"
    for text, kind in ((missing, "MissingObject"), ("something else\n", "NoPush")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        found = memtree("hook", "git", "pre-push", "origin", "url", "--json", cwd=notes.path, code=3)
        assert found.json["error"]["kind"] == kind
        assert "git push --no-verify" in found.err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert memtree("hook", "git", "pre-push", "--json", cwd=notes.path).json == {"hook": "pre-push", "refused": False}
    monkeypatch.setenv("MEMTREE_INTERNAL", "1")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(missing.encode())))
    assert memtree("hook", "git", "pre-push", cwd=notes.path).out == ""


# -- hooks that call memtree


def test_a_commit_whose_hook_saves_ends_and_both_are_there(notes: GitRepo) -> None:
    hook(notes, "post-commit", "memtree save -m 'by a hook' --json >/dev/null")
    memtree("hooks", "install", "git", cwd=notes.path)
    notes.write("a.md", "by git\n")
    notes.git("add", "a.md")
    notes.write("b.md", "by a hook\n")
    assert git(notes, "commit", "--quiet", "-m", "by git") == (0, "")
    assert notes.git("log", "--format=%s", "-2").splitlines() == ["by a hook", "by git"]
    assert notes.git("status", "--porcelain") == ""


def test_a_sync_whose_hooks_save_and_sync_ends(notes: GitRepo, tmp_path: Path) -> None:
    """Each push would call a hook that syncs, which pushes."""
    hook(notes, "pre-push", f'echo x >>c.md; memtree save >/dev/null || exit; memtree sync 2>>"{tmp_path}/said"; exit 0')
    memtree("hooks", "install", "git", cwd=notes.path)
    memtree("sync", cwd=notes.path)
    assert (tmp_path / "said").read_text().splitlines() == [
        "memtree: a sync of memtree goes on already and called the git hook that this comes from",
        "  let the hook leave it out where MEMTREE_INTERNAL is set in its environment",
    ]
    assert notes.read("c.md") == b"x\n"
    assert notes.git("status", "--porcelain") == ""
    assert os.path.exists(os.path.join(notes.path, ".git", "hooks", f"pre-push{BEFORE}"))
