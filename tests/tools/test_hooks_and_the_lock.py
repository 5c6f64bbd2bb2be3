"""No hook of a person's is ever called while the write lock is held: one that calls memtree would wait for it in vain."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

from support.cli import memtree
from support.gitrepo import GitRepo

# Every hook that git knows, but for those of mail and of a file system's monitor, which need a setting of their own.
NAMES = (
    *("pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout"),
    *("post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update", "reference-transaction", "pre-auto-gc"),
    *("push-to-checkout", "post-rewrite", "post-index-change"),
)
PROBE = """\
#!/bin/sh
for lock in "{folder}"/*/.git/memtree/write.lock; do
    {flock} && found=free || found=held
    echo "{name} $found" >>"{folder}/met"
done
"""
# Far quicker than Python, and hooks are called very often.
FLOCK = 'flock --nonblock "$lock" true'
OTHERWISE = (
    f"""{sys.executable} -I -S -c 'import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)' "$lock" 2>&-"""
)
SETTINGS = """\
[core]
\thooksPath = {folder}/hooks
[user]
\tname = Ada
\temail = ada@example.com
[gc]
\tauto = 1
\tautoDetach = false
[filter "upper"]
\tclean = tr a-z A-Z
\tsmudge = cat
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for workspaces, with every hook set to try the locks of all of them."""
    (tmp_path / "hooks").mkdir()
    flock = FLOCK if shutil.which("flock") else OTHERWISE
    (tmp_path / "settings").write_text(SETTINGS.format(folder=tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    for name in NAMES:
        hook = tmp_path / "hooks" / name
        hook.write_text(PROBE.format(folder=tmp_path, flock=flock, name=name))
        hook.chmod(0o755)
    return tmp_path


def met(folder: Path) -> Counter[str]:
    """Which hooks were called since this was last asked, each with how it found a lock."""
    path = folder / "met"
    found = Counter(path.read_text().splitlines()) if path.exists() else Counter[str]()
    path.unlink(missing_ok=True)
    return found


def test_no_verb_calls_a_hook_under_the_write_lock(folder: Path) -> None:
    GitRepo(folder / "made").git("init", "--quiet", "--bare", str(folder / "remote.git"))
    a, b = folder / "a", folder / "b"
    memtree("init", str(a), "--remote", str(folder / "remote.git"))
    (a / "memtree.toml").write_text('durability = "fast"\n[embedding]\nmodel = "none"\n')
    (a / ".gitattributes").write_text("*.txt filter=upper\n")
    (a / "a.md").write_text("one\n")
    (a / "b.txt").write_text("filtered\n")
    seen = met(folder)
    for words in (
        *(("save",), ("sync",), ("clone", str(folder / "remote.git"), str(b))),
        *(("restore", "a.md", "--at", "HEAD~1"), ("undo", "HEAD"), ("sync",), ("reindex",), ("doctor", "--repair"), ("maintain",)),
        ("forget", "--match", "quokka", "--purge", "--yes"),
    ):
        if words[0] in ("restore", "forget"):
            (a / "a.md").write_text("two\nquokka\n")
            (a / "b.txt").write_text(f"{words[0]}\n")
            memtree("save", cwd=a)
        memtree(*words, cwd=a, code=None)
        now = met(folder)
        assert [one for one in now if one.endswith(" held")] == [], words
        seen += now
    (b / "b.txt").write_text("from b\n")
    memtree("sync", cwd=b)
    memtree("sync", cwd=a)
    GitRepo(a).git("gc", "--auto", "--quiet")  # what a sync does when it is due
    seen += met(folder)
    assert [one for one in seen if one.endswith(" held")] == []
    assert {"pre-push free", "post-checkout free", "reference-transaction free"} <= set(seen)
