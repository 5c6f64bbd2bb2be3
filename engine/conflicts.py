"""OpenConflicts: what merges left for somebody to decide, with the versions to choose from. Read from HEAD, never changed here."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from memtree.engine.conflict_origins import Origin, origin_of_second, origins_of_blobs, origins_of_texts
from memtree.engine.conflict_view import ConflictView, mark_of
from memtree.engine.repo import Repo
from memtree.tree.conflict_choices import choices_in
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

_LONGEST_TEXT = 64 * 1024  # bytes of a second file that are shown; a longer one is named


class Form(enum.Enum):
    """How a conflict stands in the workspace."""

    PASSAGE = "passage"  # a callout with the versions of a passage
    VALUE = "value"  # a callout with what a key of the front matter lost
    FILES = "files"  # a second file beside the first


@dataclass(frozen=True, slots=True)
class Version:
    """One of the versions to choose from, numbered from 1.

    `text` is empty for a file that is not text or is long; `path` says where it stands.
    """

    number: int
    text: str
    path: RepoPath
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """A conflict that waits for a decision. Lines count from 1 and are 0 for two files; `key` is the front matter's."""

    path: RepoPath
    id: str
    form: Form
    first_line: int
    last_line: int
    versions: tuple[Version, ...]
    key: str = ""
    second: RepoPath | None = None


class OpenConflicts:
    """What stands open at HEAD."""

    def __init__(self, repo: Repo, folder: str) -> None:
        self._repo = repo
        self._view = ConflictView(repo, folder)

    def count(self) -> int:
        """How many conflicts stand open."""
        return self._view.at(self._repo.tip("HEAD")).count

    def all(self) -> list[OpenConflict]:
        """Every open conflict, by path and line."""
        return self._listed(None)

    def of(self, path: RepoPath) -> list[OpenConflict]:
        """The open conflicts of a file, also those of a first file when its second one is named."""
        return self._listed(path)

    def _listed(self, only: RepoPath | None) -> list[OpenConflict]:
        tip = self._repo.tip("HEAD")
        if tip is None:
            return []
        view = self._view.at(tip)
        found = [one for path in view.callouts if only in (None, path) for one in self._callouts(tip, path)]
        found += [
            self._files(tip, first, second) for second, first in view.seconds.items() if only is None or only in (first, second)
        ]
        return sorted(found, key=lambda one: (one.path, one.first_line, one.id))

    def _callouts(self, tip: CommitId, path: RepoPath) -> list[OpenConflict]:
        entry = self._repo.entry(tip, path)
        choices = choices_in(self._repo.blob(entry.id)) if entry is not None else []
        origins = origins_of_texts(self._repo, tip, path, [text for choice in choices for text in choice.versions])
        return [
            OpenConflict(
                path,
                choice.id,
                Form.VALUE if choice.key else Form.PASSAGE,
                choice.place.first_line,
                choice.place.last_line,
                tuple(
                    Version(number, text.decode("utf-8", "replace"), path, origins.get(text))
                    for number, text in enumerate(choice.versions, 1)
                ),
                choice.key,
            )
            for choice in choices
        ]

    def _files(self, tip: CommitId, first: RepoPath, second: RepoPath) -> OpenConflict:
        blobs = [entry.id if (entry := self._repo.entry(tip, path)) is not None else "" for path in (first, second)]
        origins = (
            origins_of_blobs(self._repo, tip, first, blobs[:1]).get(blobs[0]),
            origin_of_second(self._repo, tip, first, second, blobs[1]),
        )
        versions = tuple(
            Version(number, self._text(blob), path, origin)
            for number, (path, blob, origin) in enumerate(zip((first, second), blobs, origins, strict=True), 1)
        )
        return OpenConflict(first, mark_of(second), Form.FILES, 0, 0, versions, second=second)

    def _text(self, blob: str) -> str:
        if not blob or self._repo.size(blob) > _LONGEST_TEXT:
            return ""
        try:
            text = self._repo.blob(blob).decode("utf-8")
        except UnicodeDecodeError:
            return ""
        return "" if "\0" in text else text
