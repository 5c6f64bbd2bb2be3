"""Filters: paths whose stored content differs from the file's bytes (git-crypt, LFS, line endings).

Such content is made by the git program itself, because plaintext must never slip past a filter. Where git is missing, or the filter
is not set up on this machine, the path is held: it is neither captured nor written.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from memtree.engine.git import Git
from memtree.engine.git_files import means_yes
from memtree.engine.repo import Repo
from memtree.tree.objects import BlobId

_CONVERTING = ("text", "crlf", "eol", "ident", "working-tree-encoding")


class Conversion(enum.Enum):
    NONE = "stored as it is"
    GIT = "converted by git"
    MISSING = "its filter is not set up here"


@dataclass(slots=True)
class _Known:
    """What was read of attribute files and settings."""

    folders: dict[str, bool] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)  # folders with no attribute file in or above them
    outside: bool | None = None


class Filters:
    """Answers per path, from the attribute files as they are now."""

    def __init__(self, repo: Repo, git: Git) -> None:
        self._repo = repo
        self._git = git
        self._known = _Known()

    def refresh(self) -> None:
        """Forget what was read of attribute files and settings; called at the start of each operation."""
        # Anew, not emptied: what another thread is just finding out belongs to what it began with.
        self._known = _Known()

    def conversion(self, path: str) -> Conversion:
        if not self._may_convert(path):
            return Conversion.NONE
        driver = self._repo.attribute(path, "filter")
        if isinstance(driver, str):
            ready = Git.available() and self._repo.config(f"filter.{driver}.clean") is not None
            process = Git.available() and self._repo.config(f"filter.{driver}.process") is not None
            return Conversion.GIT if ready or process else Conversion.MISSING
        if self._converts_text(path):
            return Conversion.GIT if Git.available() else Conversion.MISSING
        return Conversion.NONE

    def clean(self, path: str, data: bytes, *, store: bool) -> BlobId:
        """The id that git stores for these bytes under this path; the object is written when `store` says so."""
        write = ["-w"] if store else []
        return BlobId(self._git.run("hash-object", *write, "--stdin", f"--path={path}", data=data).decode().strip())

    def smudge(self, path: str, blob: str) -> bytes:
        """The bytes that belong into the file for a stored blob."""
        return self._git.run("cat-file", "--filters", f"--path={path}", blob)

    def _converts_text(self, path: str) -> bool:
        values = {name: self._repo.attribute(path, name) for name in _CONVERTING}
        if values["text"] is False and not values["ident"] and not values["working-tree-encoding"]:
            return False
        if any(value not in (None, False) for value in values.values()):
            return True
        return self._converts_all()

    def _converts_all(self) -> bool:
        """Whether a setting has git convert line ends everywhere."""
        value = self._repo.config("core.autocrlf")
        return value is not None and (value.lower() == "input" or means_yes(value) is True)

    def _may_convert(self, path: str) -> bool:
        """Cheap: is there any attribute file or setting that could speak about this path? Most workspaces have none."""
        known = self._known
        if known.outside is None:
            known.outside = self._converts_all() or any(os.path.exists(file) for file in self._outside_files())
        if known.outside:
            return True
        start = folder = os.path.dirname(path)
        if start in known.plain:
            return False
        while True:
            if self._has_attributes(folder, known.folders):
                return True
            if not folder:
                known.plain.add(start)
                return False
            folder = os.path.dirname(folder)

    def _has_attributes(self, folder: str, known: dict[str, bool]) -> bool:
        found = known.get(folder)
        if found is None:
            found = known[folder] = os.path.exists(os.path.join(self._repo.folder, folder, ".gitattributes"))
        return found

    def _outside_files(self) -> Iterable[str]:
        info = os.path.join(self._repo.common_folder, "info", "attributes")
        if os.path.exists(info) and not all(line.endswith(OWN_ATTRIBUTES) for line in _lines(info)):
            yield info
        named = self._repo.config("core.attributesfile")
        yield os.path.expanduser(named or os.environ.get("XDG_CONFIG_HOME", "~/.config") + "/git/attributes")
        yield "/etc/gitattributes"


OWN_ATTRIBUTES = " -text merge=memtree"


def _lines(path: str) -> set[str]:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return {line.strip() for line in file if line.strip() and not line.startswith("#")}
