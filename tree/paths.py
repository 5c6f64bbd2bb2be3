"""RepoPath: a path inside the workspace, as git spells it.

POSIX, relative, without `.`/`..`, control characters, backslash-free of meaning (a backslash is an ordinary character on the
systems we support) and never inside a `.git`. Every string from outside enters through `RepoPath.parse`; below that door a
RepoPath is trusted.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable

from memtree.tree.errors import UserError

_RESERVED = {"con", "prn", "aux", "nul", *(f"com{i}" for i in range(1, 10)), *(f"lpt{i}" for i in range(1, 10))}
LONGEST = 255  # bytes in a name, on every file system of note
_FOREIGN = set('<>:"|?*\\')


class InvalidPath(UserError):
    """A path that no workspace may hold."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(
            f"path {text!r} is refused: {reason}",
            hint="use a path relative to the workspace, for example notes/today.md",
        )
        self.text = text
        self.reason = reason


class RepoPath(str):
    """A valid path inside the repository. Plain construction trusts its argument; `parse` checks it."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> RepoPath:
        """Return `text` as a path; raise InvalidPath when it could leave the workspace or damage a repository."""
        reason = refusal(text)
        if reason:
            raise InvalidPath(text, reason)
        return cls(text)

    @property
    def name(self) -> str:
        return posixpath.basename(self)

    @property
    def folder(self) -> str:
        """The containing folder, '' at the root."""
        return posixpath.dirname(self)

    @property
    def above(self) -> list[str]:
        """All folders that it lies in, from the root on, which is not among them."""
        return [self[:at] for at, letter in enumerate(self) if letter == "/"]

    @property
    def suffix(self) -> str:
        """The extension in lower case with its dot, '' when there is none."""
        return posixpath.splitext(self)[1].lower()

    def beside(self, mark: str) -> RepoPath:
        """The same name with `-mark` before its extension, cut to what a file system can hold: the name of a second version."""
        stem, extension = posixpath.splitext(self.name)
        if len(extension.encode()) > LONGEST // 4:
            stem, extension = self.name, ""  # such as "Yesterday. And what came of it"
        room = LONGEST - len(f"-{mark}{extension}".encode())
        stem = stem.encode()[:room].decode(errors="ignore")
        return RepoPath(posixpath.join(self.folder, f"{stem}-{mark}{extension}"))

    def within(self, folder: str) -> bool:
        """Whether this path is `folder` or lies below it; '' holds everything."""
        return not folder or self == folder or self.startswith(folder + "/")


def refusal(text: str) -> str:
    """Say why a path is refused, or return '' when it is fine."""
    if not text:
        return "it is empty"
    if text.startswith("/"):
        return "it is absolute"
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        return "it contains a control character"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    for part in text.split("/"):
        if part in ("", ".", ".."):
            return f"it contains {part!r} as a part" if part else "it contains an empty part"
        if is_git_folder(part):
            return "it reaches into a .git folder"
    return ""


def is_git_folder(part: str) -> bool:
    """Whether some file system takes a name for `.git`."""
    # Names that some file system folds to ".git": case, trailing dots and spaces, the NTFS short name, ignorable characters.
    folded = "".join(c for c in part if unicodedata.category(c) != "Cf").casefold().rstrip(". ")
    return folded in (".git", "git~1")


def portability_warning(path: str) -> str:
    """Say why another system could not hold this name, or return ''. Such names are warned about, never refused here."""
    for part in path.split("/"):
        if _FOREIGN & set(part):
            return f"{part!r} has characters that Windows refuses"
        if part.split(".")[0].casefold() in _RESERVED:
            return f"{part!r} is a device name on Windows"
        if part[-1:] in (".", " "):
            return f"{part!r} ends in a dot or a space, which Windows drops"
        if unicodedata.normalize("NFC", part) != part:
            return f"{part!r} is not in Unicode form NFC"
        if len(part.encode("utf-8")) > LONGEST:
            return f"{part[:40]!r}… is longer than 255 bytes"
    return ""


def fold(path: str) -> str:
    """The form under which case-insensitive, normalising file systems see a path."""
    return unicodedata.normalize("NFC", path).casefold()


def twins(paths: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of paths that differ only in case or Unicode form, folders included; each group sorted."""
    seen: dict[str, set[str]] = {}
    for path in paths:
        prefix = ""
        for part in path.split("/"):
            prefix = f"{prefix}/{part}" if prefix else part
            seen.setdefault(fold(prefix), set()).add(prefix)
    return sorted(tuple(sorted(group)) for group in seen.values() if len(group) > 1)
