"""Walking the sources: which files there are, and what they are by name. Links are never followed, hidden names are passed over."""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from memtree.engine.capture import LARGE
from memtree.engine.importing.report import Remark, Tell, Unfit
from memtree.engine.store.working_copy import read_file
from memtree.tree.kinds import is_binary
from memtree.tree.paths import RepoPath, refusal


class Format(enum.Enum):
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    MAIL = "mail"
    MAILBOX = "mailbox"
    CHAT = "chat"
    UNKNOWN = "unknown"


_SUFFIXES = {
    Format.MARKDOWN: ".md .markdown .mdx .mkd",
    Format.TEXT: ".txt .text .org .rst .adoc .log .tex",
    Format.HTML: ".html .htm .xhtml",
    Format.MAIL: ".eml",
    Format.MAILBOX: ".mbox .mbx",
    Format.CHAT: ".jsonl .ndjson",
}
_FORMATS = {suffix: form for form, names in _SUFFIXES.items() for suffix in names.split()}


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read. `id` is its path relative to the source, which stays the same wherever the source lies."""

    full: str
    id: str
    form: Format

    @property
    def stem(self) -> str:
        return os.path.splitext(os.path.basename(self.id))[0]

    def read(self) -> bytes:
        """Its bytes; raise Unfit."""
        try:
            if os.stat(self.full, follow_symlinks=False).st_size > LARGE:
                raise Unfit(f"larger than {LARGE // 2**20} MB")
            return read_file(self.full)
        except OSError as error:
            raise Unfit(f"not readable ({error.strerror or error})") from error


def walk(source: str, leave_out: str, tell: Tell) -> Iterator[Found]:
    """Every file below a folder in the order of names, or the one file that `source` is; what is left out is told."""
    if not os.path.isdir(source):
        found = _examine(source, os.path.basename(source), tell, named=True)
        if found is not None:
            yield found
        return
    folders = [(source, "")]
    while folders:
        folder, prefix = folders.pop()
        below = []
        for entry in _entries(folder, prefix, tell):
            inner = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if reason := refusal(entry.name):
                    tell(Remark(inner.encode("utf-8", "replace").decode(), reason))
                elif os.path.realpath(entry.path) == leave_out:
                    tell(Remark(inner, "this workspace itself"))
                else:
                    below.append((entry.path, inner + "/"))
                continue
            found = _examine(entry.path, inner, tell)
            if found is not None:
                yield found
        folders.extend(reversed(below))


def _entries(folder: str, prefix: str, tell: Tell) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name)
    except OSError as error:
        tell(Remark(prefix or folder, f"not readable ({error.strerror or error})"))
        return []


def _examine(full: str, inner: str, tell: Tell, *, named: bool = False) -> Found | None:
    reason = refusal(os.path.basename(inner))  # the folders above were looked at on the way
    form = Format.UNKNOWN
    if not reason:
        try:
            mode = os.lstat(full).st_mode
        except OSError as error:
            reason = f"not readable ({error.strerror or error})"
        else:
            form, reason = _form(full, inner, mode, named)
    if reason:
        tell(Remark(inner.encode("utf-8", "replace").decode(), reason))
        return None
    return Found(full, inner, form)


def _form(full: str, inner: str, mode: int, named: bool) -> tuple[Format, str]:
    if stat.S_ISLNK(mode):
        return Format.UNKNOWN, "a symbolic link"
    if not stat.S_ISREG(mode):
        return Format.UNKNOWN, "not an ordinary file"
    suffix = os.path.splitext(inner)[1].lower()
    if suffix in _FORMATS:
        return _FORMATS[suffix], ""
    if suffix and (not named or is_binary(RepoPath(inner))):
        return Format.UNKNOWN, f"of a kind that is not read ({suffix})"
    try:
        with open(full, "rb") as file:
            start = file.read(5)
    except OSError as error:
        return Format.UNKNOWN, f"not readable ({error.strerror or error})"
    # Mail programs keep their folders in files without an extension.
    return (Format.MAILBOX if start == b"From " else Format.TEXT), ""
