"""What a person allows: `.memtreeallow`, a tracked file with a fingerprint a line, which travels with the workspace.

It holds no secret: a fingerprint does not tell what it stands for. What follows it on the line is for people.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from memtree.engine.scope import ALLOW_FILE
from memtree.tree.paths import RepoPath
from memtree.tree.secrets import FINGERPRINT

ALLOWED = RepoPath(ALLOW_FILE)
_HEAD = (
    "# Secrets that may be committed and sent: a fingerprint a line (memtree secrets). The secrets themselves do not stand here.\n"
)


class AllowList:
    """The file as it stands on disk now, read again only when it changed."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, ALLOW_FILE)
        self._seen: tuple[int, int, int] | None = None
        self._fingerprints: frozenset[str] = frozenset()

    def fingerprints(self) -> frozenset[str]:
        try:
            info = os.stat(self._path)
            seen = (info.st_ino, info.st_size, info.st_mtime_ns)
            if seen != self._seen:
                self._fingerprints, self._seen = parse(self.content()), seen
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            self._fingerprints, self._seen = frozenset(), None
        return self._fingerprints

    def content(self) -> bytes:
        """The file's bytes, none when there is no file."""
        try:
            with open(self._path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""


def parse(data: bytes) -> frozenset[str]:
    """The fingerprints of an allow file: the first word of each line that is one; anything else is a remark."""
    words = (line.split(None, 1)[:1] for line in data.decode("utf-8-sig", "replace").splitlines())
    return frozenset(word[0] for word in words if word and FINGERPRINT.fullmatch(word[0]))


def extended(data: bytes, remarks: Mapping[str, str]) -> bytes:
    """The file with a line for each fingerprint that it does not hold yet; what stands there stays byte for byte."""
    present = parse(data)
    lines = [f"{fingerprint}  # {remark}\n" for fingerprint, remark in remarks.items() if fingerprint not in present]
    if not lines:
        return data
    gap = b"\n" if data and not data.endswith(b"\n") else b""
    return (data or _HEAD.encode()) + gap + "".join(lines).encode("utf-8", "replace")


def remark(rule: str, paths: Iterable[str]) -> str:
    """What stands beside a fingerprint for people: the rule, and where it was found, on one line."""
    where = ", ".join(sorted({path for path in paths if path})) or "a commit message"
    return f"{rule} in {where}".replace("\n", " ").replace("\r", " ")
