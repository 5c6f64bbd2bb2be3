"""The git program: filters, transport and maintenance go through it, so a user's own git settings just work."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from memtree.tree.errors import StateError
from memtree.tree.redaction import without_credentials


class GitMissing(StateError):
    def __init__(self) -> None:
        super().__init__("the git program is not installed", hint="install git and try again")


class GitFailed(StateError):
    """A git command ended with an error; `output` is what it said, credentials taken out."""

    def __init__(self, arguments: Sequence[str], code: int, output: str) -> None:
        last = next((line for line in reversed(output.splitlines()) if line.strip()), f"exit {code}")
        super().__init__(f"git {arguments[0]}: {last.strip()}")
        self.code = code
        self.output = output


class GitTimeout(GitFailed):
    """A git command did not end in time and was stopped."""


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one work tree. `environment` replaces the process's own when it is given."""

    folder: str
    environment: Mapping[str, str] | None = None

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
            )
        except FileNotFoundError as error:
            raise GitMissing from error
        with process:
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
        base = dict(os.environ if self.environment is None else self.environment)
        # A GIT_DIR in the surroundings (a git hook that called us) would point every command at another repository.
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH"):
            base.pop(name, None)
        base.update(LC_ALL="C", GIT_TERMINAL_PROMPT="0", GIT_OPTIONAL_LOCKS="0")
        return base


# `ssh://git@host` names no secret; a name with a password, or any name before an http host (often a token), may be one.
