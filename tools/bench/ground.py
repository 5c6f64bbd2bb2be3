"""The ground that benchmarks run on: a temporary folder with workspaces that hold the corpus, one for each size asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from random import Random

from memtree.engine.files import Durability
from memtree.engine.workspace import Options, Workspace
from memtree.tools.bench.corpus import environment, note_path, seed_repository
from memtree.tree.paths import RepoPath

PREFIX = "memory_tree/content/"
IDLE = 10.0  # seconds


class Ground:
    """Owns a folder. Benchmarks of one size share a workspace and leave it saved; what they add to it are edits of notes.

    `idle_seconds` is how long a benchmark lets a process idle.
    """

    def __init__(self, folder: str, seed: int, idle_seconds: float = IDLE) -> None:
        self.folder = folder
        self.seed = seed
        self.idle_seconds = idle_seconds
        self._random = Random(seed)
        self._seeded: dict[int, str] = {}

    def workspace(self, files: int) -> str:
        """The folder of a workspace with this many notes, made when it is first asked for."""
        if files not in self._seeded:
            root = os.path.join(self.folder, f"notes-{files}")
            seed_repository(root, files, self.seed, prefix=PREFIX)
            made, _ = Workspace.init(root, options=options())
            made.close()
            self._seeded[files] = root
        return self._seeded[files]

    def path(self, files: int) -> RepoPath:
        """The path of some note, another one each time."""
        return RepoPath(PREFIX + note_path(self.seed, self._random.randrange(files)))

    def memtree(self, root: str, *words: str, stdin: bytes = b"") -> bytes:
        """Run the memtree program in a workspace and return what it prints."""
        return self.python("-c", "from memtree.tools.main import main; main()", *words, folder=root, stdin=stdin)

    def python(self, *words: str, folder: str, stdin: bytes = b"") -> bytes:
        """Run Python as it runs for users: compiled modules are kept, in our folder where this process must not keep any."""
        settings = environment()
        if sys.dont_write_bytecode:
            settings.pop("PYTHONDONTWRITEBYTECODE", None)
            settings["PYTHONPYCACHEPREFIX"] = os.path.join(self.folder, "compiled")
        command = (sys.executable, "-P", *words)
        done = subprocess.run(command, cwd=folder, env=settings, input=stdin, stdout=subprocess.PIPE, check=True)
        return done.stdout

    def new(self, name: str) -> str:
        """A folder name that is free."""
        return tempfile.mktemp(prefix=f"{name}-", dir=self.folder)  # noqa: S306 - the folder above is private to this run


@contextmanager
def ground(seed: int, idle_seconds: float = IDLE) -> Iterator[Ground]:
    """A ground that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="memtree-bench-", ignore_cleanup_errors=True) as folder:
        yield Ground(folder, seed, idle_seconds)


def options(durability: Durability | None = None) -> Options:
    """How benchmarks open a workspace: as its settings say, but with no settings of the user's git."""
    return Options(durability=durability, environment=environment())


def edited(root: str, path: str, text: str) -> bytes:
    """A note as it is on disk with one more line."""
    with open(os.path.join(root, path), "rb") as file:
        return file.read() + f"\n{text}\n".encode()


def save_as_editor(root: str, path: str, data: bytes) -> None:
    """Write a file the way most editors do: a new file, renamed over the old one."""
    full = os.path.join(root, path)
    with open(f"{full}~", "wb") as file:
        file.write(data)
    os.replace(f"{full}~", full)


def git(root: str, *words: str, accept: tuple[int, ...] = (0,)) -> bytes:
    """Run the git program and return what it prints; any other exit code than the accepted ones is an error."""
    done = subprocess.run(("git", *words), cwd=root, env=environment(), capture_output=True, check=False)
    if done.returncode not in accept:
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    return done.stdout


def committed_by_git(root: str, names: Iterable[str], copy: str) -> None:
    """Write the same files into a repository of their own, and commit them with the git program."""
    os.mkdir(copy)
    git(copy, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
        git(copy, "config", key, value)
    for name in names:
        full = os.path.join(copy, name)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(os.path.join(root, name), "rb") as file, open(full, "wb") as written:
            written.write(file.read())
    git(copy, "add", "--all")
    git(copy, "commit", "--quiet", "-m", "the same files")
