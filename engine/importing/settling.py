"""Settling: what an import changes, by comparing each record with what the branch holds under its path."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtree.engine.history import trail
from memtree.engine.importing.record import Record, content_hash, is_edited
from memtree.engine.importing.report import Remark, SourceReport
from memtree.engine.store.planner import Edit
from memtree.tree.document import Document
from memtree.tree.objects import FILE, BlobId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.redactor import Redactor

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

Store = Callable[[RepoPath, bytes], BlobId]


class Settling:
    """Collects edits; contents are handed to `store` and not kept."""

    def __init__(self, workspace: Workspace, store: Store) -> None:
        self._repo = workspace.repo
        self._redactor = workspace.redactor
        self._content = workspace.settings.content
        self._tip = workspace.repo.tip(workspace.settings.ref)
        self._store = store
        self._present: dict[str, dict[RepoPath, Entry]] = {}
        self._seen: dict[RepoPath, str] = {}  # path -> content hash
        self._pieces: dict[tuple[str, str, str], int] = {}  # source, conversation and part -> how it begins
        self.edits: dict[RepoPath, Edit] = {}

    def add(self, record: Record, report: SourceReport) -> None:
        """Decide what becomes of a record."""
        safe = record.redacted(self._redactor)
        if safe is not record and record.redacted(Redactor()) is not record:
            report.remarks.append(Remark(record.source_id, "imported without the secret in it"))
        data = safe.render(report.name)
        made = content_hash(data)
        path = record.path(self._content, report.name)
        if self._seen.get(path, made) != made:
            # Two inputs that the source calls by one name (copies of a mail with other footers): both stay.
            path = record.path(self._content, report.name, besides=made)
        if record.part is not None:
            self._pieces[report.name, record.source_id, str(record.part)] = hash(_first_lines(safe.body))
        if path in self._seen:
            report.unchanged += 1
            return
        self._seen[path] = made
        present = self._held(report.name).get(path)
        if present is None:
            report.imported += 1
            self.edits[path] = (None, Entry(FILE, self._store(path, data)))
            return
        old = self._repo.blob(present.id)
        if old == data or content_hash(old) == made:  # the same, or only edited here by a person
            report.unchanged += 1
            return
        report.updated += 1
        base = self._imported(path, present) if is_edited(old) else present
        self.edits[path] = (base, Entry(present.mode, self._store(path, data)))

    def supersede(self, report: SourceReport) -> None:
        """Drop pieces of conversations that this import brought a longer version of. What vanished from its source stays."""
        for path, entry in self._held(report.name).items():
            if path in self._seen or not path.startswith(f"{self._content}/chat/"):
                continue
            old = self._repo.blob(entry.id)
            document = Document.parse(old)
            front = document.front_matter()
            later = self._pieces.get((report.name, front.text("source_id"), front.text("part")))
            # The same part that begins with the same turn is the old one, gone on or corrected.
            if later == hash(_first_lines(document.body_bytes().decode("utf-8", "replace"))) and not is_edited(old):
                self.edits[path] = (entry, None)
                report.superseded += 1

    def _held(self, source: str) -> dict[RepoPath, Entry]:
        if source not in self._present:
            folders = (f"{self._content}/{kind}/{source}" for kind in ("raw", "chat"))
            self._present[source] = {path: entry for folder in folders for path, entry in self._repo.files(self._tip, folder)}
        return self._present[source]

    def _imported(self, path: RepoPath, present: Entry) -> Entry | None:
        """The version that the last import wrote, below a person's edits: what a merge starts from."""
        if self._tip is None:
            return None
        for info, _, _ in trail(self._repo, self._tip, path):
            entry = self._repo.entry(info.id, path)
            if entry is not None and entry != present and not is_edited(self._repo.blob(entry.id)):
                return entry
        return None


def _first_lines(body: str) -> tuple[str, ...]:
    return tuple(body.lstrip("\n").split("\n", 3)[:3])
