"""Scan: everything that differs between HEAD, the git index and the disk, found by another process.

libgit2 keeps Python's lock while it compares, at 100,000 files for most of a second in which nothing else here could run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from memtree.engine.children import Children
from memtree.engine.git import Git
from memtree.tree.errors import TransientError

_PATIENCE = 600.0  # seconds
_CHILD = "from memtree.hooks.watching.scan import tell_touched; tell_touched(1)"


class ScanFailed(TransientError):
    """The process that compares ended without an answer."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What differs, sorted, without names that are not UTF-8; repositories inside the workspace; how long it took."""

    paths: tuple[str, ...]
    nested: tuple[str, ...]
    seconds: float


def full_scan(
    root: str,
    environment: Mapping[str, str] | None = None,
    *,
    timeout: float = _PATIENCE,
    children: Children | None = None,
) -> ScanResult:
    """Look through the whole work tree at `root`; raise GitFailed, GitTimeout or ScanFailed.

    By the git program where there is one, which `children` can end. Only what it says is taken: no lock, no file of git's is
    written.
    """
    began = time.monotonic()
    git = Git(root, environment, children)
    found = _by_git(git, timeout) if git.present() else _by_child(root, environment, timeout)
    texts = [path for raw in found if (path := _text(raw))]
    return ScanResult(
        tuple(sorted({path for path in texts if not path.endswith("/")})),
        tuple(sorted({path.rstrip("/") for path in texts if path.endswith("/")})),
        time.monotonic() - began,
    )


def _by_git(git: Git, timeout: float) -> list[bytes]:
    # A submodule belongs to another repository: that its commit is another one is seen, its files are not looked at.
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
    settings = ("-c", "core.fsmonitor=false", "-c", "status.showUntrackedFiles=all")
    printed = git.run("--no-optional-locks", *settings, *status, timeout=timeout)
    return [line[3:] for line in printed.split(b"\0") if line]  # two letters and a space before the path


def _by_child(root: str, environment: Mapping[str, str] | None, timeout: float) -> list[bytes]:
    surroundings = dict(os.environ if environment is None else environment)
    try:
        # -P: what lies in the workspace is nothing to import.
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD],
            cwd=root,
            env={name: value for name, value in surroundings.items() if not name.startswith("GIT_")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ScanFailed(f"comparing all files took more than {timeout:.0f} s") from error
    if done.returncode:
        raise ScanFailed("comparing all files failed", hint="run memtree doctor")
    return [path for path in done.stdout.split(b"\0") if path]


def tell_touched(fd: int) -> None:
    """Write what git sees as touched in the current folder to a descriptor, each path followed by a zero byte."""
    from memtree.engine.repo import Repo

    data = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in Repo.open(os.getcwd()).touched())
    while data:
        data = data[os.write(fd, data) :]


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return ""
