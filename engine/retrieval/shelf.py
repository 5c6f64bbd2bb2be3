"""Shelf: the committed files that a context is made from, read one by one and never all of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from memtree.engine.repo import Repo
from memtree.tree.chunks import split_lines
from memtree.tree.conflict_callout import conflicts_in
from memtree.tree.episode import session_folder
from memtree.tree.evidence import without_evidence
from memtree.tree.objects import FOLDER, CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.redactor import Redactor

LARGEST = 2 * 1024 * 1024  # bytes; nobody curates more by hand


@dataclass(frozen=True, slots=True)
class Shelf:
    """What is committed at `tip`. `session` is the folder of the session that asks, '' for none."""

    repo: Repo
    tip: CommitId
    content: str
    session: str
    redactor: Redactor
    notes: list[str] = field(default_factory=list)

    def path(self, *parts: str) -> RepoPath:
        """A path below the content root."""
        return RepoPath("/".join(part for part in (self.content, *parts) if part))

    def read(self, path: RepoPath) -> bytes | None:
        """A file's content; None where there is no such file, or one too large to be read now, which is noted."""
        entry = self.repo.entry(self.tip, path)
        if entry is None or not entry.is_file:
            return None
        size = self.repo.size(entry.id)
        if size > LARGEST:
            self.notes.append(f"{path} was left out: it has {size:,} bytes")
            return None
        return self.repo.blob(entry.id)

    def names(self, path: RepoPath) -> list[str]:
        """The names of the files in a folder, sorted."""
        return sorted(name for name, entry in self._items(path).items() if entry.is_file)

    def folders(self, path: RepoPath) -> list[str]:
        """The names of the folders in a folder, sorted."""
        return sorted(name for name, entry in self._items(path).items() if entry.mode == FOLDER)

    def _items(self, path: RepoPath) -> dict[str, Entry]:
        entry = self.repo.entry(self.tip, path)
        return self.repo.items(entry.id) if entry is not None and entry.mode == FOLDER else {}


def folder_of(session: str) -> str:
    """The folder of a session's files, '' for no session."""
    return session_folder(session) if session.strip() else ""


def readable_lines(data: bytes) -> list[str]:
    """A file's lines; those of a conflict callout as the text of its versions, and no line with what speaks for it."""
    lines = [without_evidence(line) for line in split_lines(data)]
    for place in conflicts_in(data):
        lines[place.first_line - 1] = ""
        for number in range(place.first_line, min(place.last_line, len(lines))):
            lines[number] = lines[number].lstrip("> ")
    return lines
