"""The git program: filters, transport and maintenance go through it, so a user's own git settings just work."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from memtree.engine.git_environment import for_git
from memtree.tree.errors import StateError
from memtree.tree.redaction import without_credentials

if TYPE_CHECKING:
    from memtree.engine.children import Children


class GitMissing(StateError):
    def __init__(self) -> None:
        super().__init__("the git program is not installed", hint="install git and try again")


class GitFailed(StateError):
    """A git command ended with an error; `output` is what it said, credentials taken out."""

    def __init__(self, arguments: Sequence[str], code: int, output: str) -> None:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), f"exit {code}")
        super().__init__(f"git {_verb(arguments)}: {last.strip()}")
        self.code = code
        self.output = output


# For what runs under the write lock: a hook of a person's that calls memtree would wait there for its own caller.
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def _verb(arguments: Sequence[str]) -> str:
    """What git was to do: the word behind the options and settings (`-c NAME=VALUE`) of this one call."""
    at = 0
    while arguments[at].startswith("-"):
        at += 2 if arguments[at] == "-c" else 1
    return arguments[at]


class GitTimeout(GitFailed):
    """A git command did not end in time and was stopped."""


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one work tree. `environment` replaces the process's own, when it is given; `children` can be ended by others."""

    folder: str
    environment: Mapping[str, str] | None = None
    children: Children | None = None

    @staticmethod
    def available() -> bool:
        return shutil.which("git") is not None

    def present(self) -> bool:
        """Whether the program is found where its own environment looks."""
        return shutil.which("git", path=None if self.environment is None else self.environment.get("PATH")) is not None

    def run(self, *arguments: str, data: bytes | None = None, source: BinaryIO | None = None, timeout: float | None = 600) -> bytes:
        """What git printed, fed with `data` or from `source`; raise GitMissing, GitTimeout or GitFailed."""
        return self.call(*arguments, data=data, source=source, timeout=timeout).stdout

    def call(
        self,
        *arguments: str,
        data: bytes | None = None,
        source: BinaryIO | None = None,
        timeout: float | None = 600,
        check: bool = True,
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            process = subprocess.Popen(
                ["git", *arguments],
                cwd=self.folder,
                stdin=source if source is not None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment(),
                start_new_session=self.children is not None,
            )
        except FileNotFoundError as error:
            raise GitMissing from error
        with process, self.children.holding(process) if self.children is not None else contextlib.nullcontext():
            try:
                output, errors = process.communicate(None if source is not None else data or b"", timeout)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise GitTimeout(arguments, -1, f"no answer within {timeout:.0f} s") from error
            except BaseException:
                process.kill()
                raise
        done = subprocess.CompletedProcess(arguments, process.returncode, output, errors)
        if check and done.returncode:
            raise GitFailed(arguments, done.returncode, without_credentials(done.stderr.decode("utf-8", "replace")))
        return done

    def _environment(self) -> dict[str, str]:
        return for_git(os.environ if self.environment is None else self.environment)


# `ssh://git@host` names no secret; a name with a password, or any name before an http host (often a token), may be one.
