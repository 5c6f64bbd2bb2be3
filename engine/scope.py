"""Scope: which paths belong to the workspace. What is captured is what is indexed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import takewhile

from memtree.engine.settings import FILE_NAME, InvalidSettings, Settings

IGNORE_FILE = ".memtreeignore"
ALLOW_FILE = ".memtreeallow"  # fingerprints of secrets that may be committed
ROOT_FILES = ("MEMORY.md", "SKILL.md", "MEMORY_GOALS.md", FILE_NAME, IGNORE_FILE, ALLOW_FILE)

# Names that editors and systems use for a moment, beside the files a person means. They also go to .git/info/exclude, so that a
# plain `git status` agrees with us.
TEMPORARY = (
    "*.swp",
    "*.swo",
    "*.swx",
    "4913",
    "*~",
    ".#*",
    "\\#*#",  # a bare one would begin a comment
    "*.tmp",
    "*.sb-*",
    ".~lock.*",
    "~$*",
    ".*.icloud",
    ".DS_Store",
    ".memtree-tmp/",
    ".obsidian/workspace*",
    ".trash/",
)

Match = Callable[[str], bool]


class Scope:
    """Decides by path alone. Built from the settings and the text of `.memtreeignore`."""

    def __init__(self, settings: Settings, ignore_lines: Iterable[str] = ()) -> None:
        self._content = settings.content + "/"
        self._capture = _capture(settings)
        self._beginnings = (self._content, *(_beginning(pattern) for pattern in settings.capture))
        self._ignored = _matcher(
            [line for line in ignore_lines if line.strip() and not line.startswith("#") and _means_something(line)]
        )
        self.fingerprint = repr((settings.content, settings.capture, tuple(ignore_lines)))

    @classmethod
    def read(cls, folder: str, settings: Settings) -> Scope:
        """The scope of a workspace folder, with its ignore file as it is now."""
        try:
            with open(os.path.join(folder, IGNORE_FILE), encoding="utf-8-sig", errors="replace") as file:
                return cls(settings, tuple(file.read().splitlines()))
        except FileNotFoundError:
            return cls(settings)

    def holds(self, path: str) -> bool:
        """Whether a path belongs to the workspace (git's own ignore rules come on top, for files that are not tracked)."""
        inside = path.startswith(self._content) or path in ROOT_FILES or self._capture(path)
        return inside and not self._ignored(path)

    def may_hold(self, folder: str) -> bool:
        """Whether anything in a folder could belong to the workspace; yes where only a look at its files would tell."""
        inside = folder + "/"
        return any(not begin or begin.startswith(inside) or inside.startswith(begin) for begin in self._beginnings)

    def indexes(self, path: str) -> bool:
        """Whether a path is searched: the scope without hidden files and the engine's own settings."""
        return self.holds(path) and path != FILE_NAME and not (path.startswith(".") or "/." in path)


def _capture(settings: Settings) -> Match:
    for pattern in settings.capture:
        if pattern != "**" and not _means_something(pattern):
            raise InvalidSettings(FILE_NAME, f"capture holds {pattern!r}, which is not a pattern")
    return _matcher(settings.capture)


def _beginning(pattern: str) -> str:
    """The folder that all that a pattern matches lies in, with its `/`; '' where that is anywhere."""
    plain = pattern.rstrip("/")
    if "/" not in plain or plain.startswith("!"):
        return ""  # matches at every depth
    words = plain.lstrip("/").split("/")
    folders = words if pattern.endswith("/") else words[:-1]
    fixed = takewhile(lambda word: not set(word) & set("*?[\\"), folders)
    return "".join(word + "/" for word in fixed)


def _matcher(patterns: Iterable[str]) -> Match:
    chosen = list(patterns)
    if not chosen:
        return lambda _path: False
    if chosen == ["**"]:
        return lambda _path: True
    import pathspec

    spec = pathspec.GitIgnoreSpec.from_lines(chosen)
    return lambda path: bool(spec.match_file(path))


def _means_something(pattern: str) -> bool:
    """Whether a pattern can be read: git overlooks the ones that cannot, and so do we in an ignore file."""
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([pattern])
    except ValueError:
        return False
    return True
