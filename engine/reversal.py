"""What it takes to bring an older state back: the entries of a restore, the edits of an undo. Nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping

from memtree.engine.history import commit_changes
from memtree.engine.incoming import printable, refused
from memtree.engine.repo import Repo
from memtree.engine.settings import FILE_NAME
from memtree.tree.errors import UserError
from memtree.tree.objects import FOLDER, CommitId, Entry
from memtree.tree.paths import RepoPath, refusal


def entries_at(repo: Repo, path: RepoPath, revision: CommitId) -> dict[RepoPath, Entry | None]:
    """The files at or below a path ('' is everything) as a commit holds them; raise UserError when there are none."""
    entry = repo.entry(revision, path) if path else None
    if entry is None and path:
        raise UserError(f"{path} does not exist at {revision[:10]}", hint=f"memtree log {path} shows the commits that had it")
    entries = {path: entry} if entry is not None and entry.mode != FOLDER else dict(repo.files(revision, path))
    _refuse(repo, entries)
    return dict(entries)


def _refuse(repo: Repo, entries: Mapping[RepoPath, Entry | None]) -> None:
    """A commit may come from anywhere, also from a remote whose tree a sync refused."""
    tip = repo.tip("HEAD")
    for path, entry in entries.items():
        reason = refused(repo, path, entry) if entry is not None else ""
        if reason and (refusal(path) or repo.entry(tip, path) != entry):
            raise UserError(
                f"{printable(path)!r} is not brought back: {reason}", hint="nothing was changed; name the files that you want"
            )


def edits_that_undo(repo: Repo, revision: CommitId) -> dict[RepoPath, tuple[Entry | None, Entry | None]]:
    """Per path what a commit left there and what it had found; raise UserError when it changed no files."""
    edits: dict[RepoPath, tuple[Entry | None, Entry | None]] = {}
    for change in commit_changes(repo, revision):
        if change.old_path is not None:
            edits[change.old_path] = (None, change.before)
            edits[change.path] = (change.after, None)
        else:
            edits[change.path] = (change.after, change.before)
    edits.pop(RepoPath(FILE_NAME), None)  # without its settings file the folder would be no workspace any more
    if not edits:
        raise UserError(f"commit {revision[:10]} changed no files", hint="memtree log shows what each commit changed")
    _refuse(repo, {path: wanted for path, (_, wanted) in edits.items()})
    return edits
