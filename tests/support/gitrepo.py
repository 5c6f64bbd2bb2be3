"""GitRepo: a real git repository in a temporary folder, written through the git program itself.

What stock git wrote is the oracle for what the engine reads. The user's and the machine's git settings are switched off, the
identity is fixed and time moves one minute a commit, so that the same calls give the same commit ids everywhere.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from support.templates import copy, kept, template

START = 1_750_000_000
STEP = 60

ENVIRONMENT: Mapping[str, str] = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}


def new_repository(path: str, *, branch: str = "main", bare: bool = False) -> None:
    """Put what `git init` makes into a folder."""

    def make(folder: Path) -> None:
        kind = ("--bare",) if bare else ()
        subprocess.run(("git", "init", "--quiet", *kind, f"--initial-branch={branch}"), cwd=folder, env=environment(), check=True)

    if kept():
        copy(template(("repository", branch, bare), make), path)
    else:
        make(Path(path))


def environment() -> dict[str, str]:
    """This process's environment without what would lead git elsewhere."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | dict(ENVIRONMENT)


class GitRepo:
    """A repository at `path`, made when there is none yet. `clock` is the time of the next commit."""

    def __init__(self, path: str | os.PathLike[str], *, branch: str = "main") -> None:
        self.path = os.fspath(path)
        self.clock = START
        os.makedirs(self.path, exist_ok=True)
        if not os.path.lexists(os.path.join(self.path, ".git")):
            new_repository(self.path, branch=branch)

    def git(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run git here and return what it printed, without the last line end; a failure raises with git's own words."""
        done = subprocess.run(
            ("git", *args), cwd=self.path, input=stdin, capture_output=True, check=False, env=self._environment(env or {})
        )
        if done.returncode:
            raise AssertionError(f"git {' '.join(args)} failed: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in self._identity().items()}
        return environment() | identity | dict(extra)

    def _identity(self) -> dict[str, str]:
        return {"NAME": "Ada", "EMAIL": "ada@example.com", "DATE": f"{self.clock} +0000"}

    def write(self, path: str, text: str | bytes) -> None:
        """Put a file into the work tree, folders included; nothing is committed."""
        full = os.path.join(self.path, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)

    def read(self, path: str) -> bytes:
        with open(os.path.join(self.path, path), "rb") as file:
            return file.read()

    def remove(self, path: str) -> None:
        os.unlink(os.path.join(self.path, path))

    def move(self, old: str, new: str) -> None:
        os.makedirs(os.path.dirname(os.path.join(self.path, new)), exist_ok=True)
        os.rename(os.path.join(self.path, old), os.path.join(self.path, new))

    def commit(
        self, message: str = "change", *, author: str = "", trailers: Mapping[str, str] | None = None, time: int | None = None
    ) -> str:
        """Commit everything in the work tree, also nothing; return the id. Trailer keys are spelled in full."""
        self.clock = time if time is not None else self.clock
        ending = "".join(f"\n{key}: {value}" for key, value in (trailers or {}).items())
        text = message + (f"\n{ending}" if ending else "")
        env = {}
        if author:
            env = {"GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": f"{author.lower().replace(' ', '.')}@example.com"}
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "-F", "-", stdin=text.encode(), env=env)
        self.clock += STEP
        return self.git("rev-parse", "HEAD")

    def merge(self, *branches: str, message: str = "merge") -> str:
        """Merge branches that do not conflict, always with a merge commit; return its id."""
        self.git("merge", "--quiet", "--no-ff", "-m", message, *branches)
        self.clock += STEP
        return self.git("rev-parse", "HEAD")
