"""Running the `memtree` command in tests: in this process for breadth, as a process of its own where that is what is tested."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memtree.tools.cli import run
from support.gitrepo import ENVIRONMENT, GitRepo

MEMTREE = (sys.executable, "-m", "memtree.tools")
# What leads agents' programs to settings outside the home folder: no test may follow it to the real ones.
ELSEWHERE = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left: its exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def memtree(*arguments: str, cwd: str | os.PathLike[str] | None = None, code: int | None = 0) -> Outcome:
    """Run a command in this process, from a folder; its exit code must be `code` (None: any)."""
    with _stream() as out, _stream() as err, contextlib.chdir(cwd or os.getcwd()), _streams(out, err):
        ended = run(arguments)
        texts = [_text(stream) for stream in (out, err)]
    outcome = Outcome(ended, *texts)
    assert code in (None, ended), outcome
    return outcome


def spawn(
    *arguments: str,
    cwd: str | os.PathLike[str] | None = None,
    code: int | None = 0,
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a command as a process of its own."""
    done = subprocess.run((*MEMTREE, *arguments), cwd=cwd, env=environment(env), capture_output=True, check=False, timeout=480)
    outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert code in (None, outcome.code), outcome
    return outcome


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    hidden = ("MEMTREE_WORKSPACE", "NO_COLOR", "FORCE_COLOR", "COLUMNS", *ELSEWHERE)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") and key not in hidden}
    return kept | dict(ENVIRONMENT) | dict(extra or {})


@contextlib.contextmanager
def _stream() -> Iterator[io.TextIOWrapper]:
    # A real file: some commands write bytes below the text layer.
    with tempfile.TemporaryFile() as file, io.TextIOWrapper(file, encoding="utf-8", write_through=True) as stream:
        yield stream


@contextlib.contextmanager
def _streams(out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def git_agrees(repo: GitRepo, *expected: str) -> None:
    """Git tells the truth: `git status` shows exactly this, nothing is staged, and every object is whole."""
    assert repo.git("status", "--porcelain", "-uall").splitlines() == list(expected)
    assert repo.git("diff-index", "--cached", "--name-only", "HEAD") == ""
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
