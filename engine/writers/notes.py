"""Storing a note: a text under a title becomes a new file of its own, and never takes another's place."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import cleaned, one_line
from memtree.engine.store.report import CommitReport
from memtree.tree.context_fence import without_fenced
from memtree.tree.errors import UserError
from memtree.tree.note_names import note_name, numbered
from memtree.tree.objects import FOLDER, CommitId
from memtree.tree.paths import RepoPath, fold
from memtree.tree.scalars import clean, written

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

FOLDER_NAME = "notes"
_TITLE = 200  # characters


class EmptyNote(UserError):
    def __init__(self) -> None:
        super().__init__("a note without any text was not stored", hint="give it some words")


@dataclass(frozen=True, slots=True)
class NoteReport:
    """The file that a note became, how many lines it has, and the commit."""

    commit: CommitReport
    path: RepoPath
    lines: int
    title: str


def store_note(workspace: Workspace, text: str, *, title: str = "", source: str, trailers: str = "") -> NoteReport:
    """Commit a text as a new note, redacted and without what memory itself had put into it; raise EmptyNote.

    Without a title the first line is one. The file is `notes/` and the title under the content root, numbered when that is taken.
    `trailers` are further lines for the commit's message.
    """
    body = workspace.redactor.text(cleaned(clean(without_fenced(text)))).strip("\n")
    if not body.strip():
        raise EmptyNote
    named = workspace.redactor.text(one_line(clean(title), _TITLE)) or _first_line(body)
    data = _rendered(named, body, source, workspace.options.clock())
    chosen = RepoPath("")

    def contents() -> dict[RepoPath, bytes | None]:
        nonlocal chosen
        chosen = _free(workspace, note_name(named))  # under the lock: nobody else takes the name meanwhile
        return {chosen: data}

    # Not what it says: a text that is forgotten must stand in no message either.
    said = f"store a note ({one_line(source, 40)})\n\nMemtree-Writer: archivist\n{trailers}"
    commit = workspace.store.write(contents, message=said)
    return NoteReport(commit, chosen, data.count(b"\n"), named)


def _first_line(body: str) -> str:
    line = next(line for line in body.split("\n") if line.strip())
    return one_line(line.strip().lstrip("#>-*+ ").strip() or line, 80)


def _rendered(title: str, body: str, source: str, now: float) -> bytes:
    created = dt.datetime.fromtimestamp(int(now), dt.UTC).isoformat().replace("+00:00", "Z")
    return f"---\ntitle: {written(title)}\ncreated: {created}\nsource: {written(source)}\n---\n\n{body}\n".encode()


def _free(workspace: Workspace, name: str) -> RepoPath:
    """A path that neither HEAD nor the disk holds, whatever the case of what they hold."""
    folder = f"{workspace.settings.content}/{FOLDER_NAME}"
    taken = {fold(one) for one in (*_at_tip(workspace, folder), *_on_disk(os.path.join(workspace.root, folder)))}
    return RepoPath(f"{folder}/{next(one for one in numbered(name) if fold(one) not in taken)}")


def _at_tip(workspace: Workspace, folder: str) -> list[str]:
    tip: CommitId | None = workspace.repo.tip(workspace.settings.ref)
    found = workspace.repo.entry(tip, folder)
    return [*workspace.repo.items(found.id)] if found is not None and found.mode == FOLDER else []


def _on_disk(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
