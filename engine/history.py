"""History as people ask for it: which commits touched a path, what they changed, and what a file held then.

Reads only, over Repo. A path costs one look-up per commit and parent: whole trees are compared only where a commit made the path
appear, to see whether it was renamed. Terms: a *version* is a path at a commit with what it holds there; a *step* is where a
version came from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from memtree.engine.renames import any_deleted, paired
from memtree.engine.repo import CommitInfo, Repo
from memtree.engine.tree_diff import diff_commits
from memtree.engine.when import Edge as Edge
from memtree.engine.when import parse_when as parse_when
from memtree.tree.episode import session_folder
from memtree.tree.errors import UserError
from memtree.tree.objects import FOLDER, GITLINK, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.words import Detail, FileDiff, diff_file

# Who wrote a commit that names no writer: a person or a program, with git itself.
PLAIN_GIT = "git"


class NotAFile(UserError):
    """Nothing that can be shown stands under this path in this commit."""

    def __init__(self, path: str, commit: CommitId, reason: str) -> None:
        super().__init__(f"{path} {reason} in commit {commit[:8]}", hint=f"memtree log {path} lists the commits that touched it")
        self.path = path
        self.commit = commit


@dataclass(frozen=True, slots=True)
class LogQuery:
    """What to list. Empty fields do not filter; `since` and `until` are inclusive, `grep` ignores case."""

    path: str = ""
    writer: str = ""
    session: str = ""
    since: int | None = None
    until: int | None = None
    grep: str = ""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class LogItem:
    """A commit and what it changed (below the path asked for). `path_then` is what that path was called then."""

    commit: CommitInfo
    changes: tuple[Change, ...]
    path_then: str

    @property
    def writer(self) -> str:
        return writer_of(self.commit)


class Version(NamedTuple):
    """A path at a commit, and what it holds there."""

    commit: CommitId
    path: str
    entry: Entry | None


class Step(NamedTuple):
    """Where a version came from, and whether its commit changed it. Renamed sources carry their old path."""

    changed: bool
    sources: tuple[Version, ...]


def writer_of(commit: CommitInfo) -> str:
    """Who wrote a commit: its Memtree-Writer trailer, or `git` where there is none."""
    return commit.trailers.get("writer", PLAIN_GIT)


def log(repo: Repo, tip: CommitId, query: LogQuery) -> Iterator[LogItem]:
    """Commits that match, newest first. The path may be a file, followed through renames, or a folder."""
    path = query.path.strip("/")
    found = _log_path(repo, tip, path, query) if path else _log_all(repo, tip, query)
    yield from islice(found, query.limit)


def _log_all(repo: Repo, tip: CommitId, query: LogQuery) -> Iterator[LogItem]:
    for info in repo.walk([tip]):
        if _wanted(info, query):
            yield LogItem(info, commit_changes(repo, info.id), "")


def _log_path(repo: Repo, tip: CommitId, path: str, query: LogQuery) -> Iterator[LogItem]:
    for info, here, step in trail(repo, tip, path):
        if step.changed and _wanted(info, query):
            yield LogItem(info, _changes_at(repo, info, here, step), here.path)


def _wanted(info: CommitInfo, query: LogQuery) -> bool:
    if (query.since is not None and info.time < query.since) or (query.until is not None and info.time > query.until):
        return False
    if query.writer and writer_of(info) != query.writer:
        return False
    if query.session and info.trailers.get("session") not in (query.session, session_folder(query.session)):
        return False
    return query.grep.casefold() in info.message.casefold()


def trail(repo: Repo, tip: CommitId, path: str) -> Iterator[tuple[CommitInfo, Version, Step]]:
    """Every version that led to a path at `tip`, children before parents, with the step to the versions before."""
    ahead: dict[CommitId, dict[str, Version]] = {tip: {path: Version(tip, path, repo.entry(tip, path))}}
    for info in repo.walk([tip]):
        for here in ahead.pop(info.id, {}).values():
            step = step_back(repo, info, here)
            yield info, here, step
            for source in step.sources:
                ahead.setdefault(source.commit, {})[source.path] = source
        if not ahead:
            return


def step_back(repo: Repo, info: CommitInfo, here: Version) -> Step:
    """Where a version came from. A parent that holds the same explains it alone, as in git's own simplification."""
    before = [Version(parent, here.path, repo.entry(parent, here.path)) for parent in info.parents]
    same = [version for version in before if version.entry == here.entry]
    if same:
        # What is nowhere may have been deleted on either side.
        return Step(False, tuple(same) if here.entry is None else (same[0],))
    sources = (version if version.entry is not None else _renamed(repo, here, version) for version in before)
    return Step(here.entry is not None or bool(before), tuple(source for source in sources if source is not None))


def _renamed(repo: Repo, here: Version, before: Version) -> Version | None:
    """The version in the parent that a file was renamed from, None when it is new there."""
    if here.entry is None or not here.entry.is_file or not any_deleted(repo, before.commit, here.commit):
        return None
    for change in paired(repo, diff_commits(repo, before.commit, here.commit)):
        if change.path == here.path and change.old_path is not None:
            return Version(before.commit, change.old_path, change.before)
    return None


def _changes_at(repo: Repo, info: CommitInfo, here: Version, step: Step) -> tuple[Change, ...]:
    source = step.sources[0] if step.sources else None
    before = source.entry if source is not None else None
    if FOLDER in (before.mode if before else 0, here.entry.mode if here.entry else 0):
        parents = info.parents or (None,)
        least = min((diff_commits(repo, parent, info.id, folder=here.path) for parent in parents), key=len)
        return tuple(paired(repo, least))
    path = RepoPath(here.path)
    if source is None or before is None:
        return (Change(ChangeKind.ADDED, path, None, here.entry),)
    if here.entry is None:
        return (Change(ChangeKind.DELETED, path, before, None),)
    if source.path != here.path:
        return (Change(ChangeKind.RENAMED, path, before, here.entry, RepoPath(source.path)),)
    return (Change(ChangeKind.MODIFIED, path, before, here.entry),)


def commit_changes(repo: Repo, commit: CommitId) -> tuple[Change, ...]:
    """What a commit changed, renames paired. A merge is compared with the parent it differs least from.

    Canonical merges sort their parents, so the first of them means nothing.
    """
    parents = repo.commit(commit).parents or (None,)
    return tuple(paired(repo, min((diff_commits(repo, parent, commit) for parent in parents), key=len)))


def changes_between(repo: Repo, before: CommitId | None, after: CommitId | None, path: str = "") -> list[Change]:
    """What differs between two commits, renames paired, at or below `path`; None stands for the empty tree."""
    path = path.strip("/")
    changes = diff_commits(repo, before, after, folder=path)
    if path and any(change.path == path and change.kind is not ChangeKind.MODIFIED for change in changes):
        # A file that came or went may have been renamed from or to anywhere.
        everything = paired(repo, diff_commits(repo, before, after))
        return [change for change in everything if path in (change.path, change.old_path) or change.path.within(path)]
    return paired(repo, changes)


def diff(
    repo: Repo, before: CommitId | None, after: CommitId | None, path: str = "", *, detail: Detail = Detail.LINES
) -> list[FileDiff]:
    """The differences between two commits, file by file, at or below `path`."""
    return [diff_change(repo, change, detail=detail) for change in changes_between(repo, before, after, path)]


def diff_change(
    repo: Repo, change: Change, *, detail: Detail = Detail.LINES, shown: Callable[[bytes], bytes] | None = None
) -> FileDiff:
    """One change with its text, or with what `shown` makes of it."""
    old, new = _data(repo, change.before), _data(repo, change.after)
    if shown is not None:
        old, new = (shown(data) if data is not None else None for data in (old, new))
    return diff_file(change.path, old, new, detail=detail, old_path=change.old_path)


def diff_text(
    repo: Repo, before: CommitId | None, path: RepoPath, data: bytes | None, *, detail: Detail = Detail.LINES
) -> FileDiff:
    """The difference between what a commit holds under a path and bytes that are in no commit; None where there is no file."""
    entry = repo.entry(before, path)
    return diff_file(path, _data(repo, entry) if entry is not None and entry.mode != FOLDER else None, data, detail=detail)


def _data(repo: Repo, entry: Entry | None) -> bytes | None:
    if entry is None:
        return None
    # Another repository's commit is not in this one; the line is git's own way to show it.
    return f"Subproject commit {entry.id}\n".encode() if entry.mode == GITLINK else repo.blob(entry.id)


def show(repo: Repo, path: str, commit: CommitId) -> bytes:
    """What a file held at a commit, a link's target for a link; raise NotAFile."""
    return repo.blob(file_entry(repo, path, commit).id)


def file_entry(repo: Repo, path: str, commit: CommitId) -> Entry:
    """The entry of a file or link at a commit; raise NotAFile for anything else."""
    entry = repo.entry(commit, path)
    if entry is None:
        raise NotAFile(path, commit, "does not exist")
    if entry.mode in (FOLDER, GITLINK):
        raise NotAFile(path, commit, "is a folder" if entry.mode == FOLDER else "is another repository")
    return entry
