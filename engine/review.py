"""Review: everything since you last looked, file by file, as word diffs; then it is marked as read.

The mark is a commit id in a file of the workspace's local state: it is never synced, each machine's reader has their own.
"""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass, field

from memtree.engine.history import changes_between, diff_change, writer_of
from memtree.engine.repo import CommitInfo, Repo
from memtree.engine.tree_diff import diff_commits
from memtree.tree.chat_chunk import FOLDER as CHUNKS
from memtree.tree.evidence import counted_evidence
from memtree.tree.kinds import Kind, kind_of
from memtree.tree.objects import Change, ChangeKind, CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.words import Detail, FileDiff

_MARK = "reviewed"
_ID_LENGTH = 40
_MOST_TURNS = 8  # new files of one conversation that are still looked at one by one


class Basis(enum.Enum):
    """Why a review starts where it does."""

    MARK = "mark"
    FIRST = "first"
    """Never looked before: everything since the root."""
    REWRITTEN = "rewritten"
    """The marked commit is no longer in this history: everything since the last commit they share."""
    LOST = "lost"
    """The marked commit is gone, or shares nothing with this history: everything since the root."""


@dataclass(frozen=True, slots=True)
class FileReview:
    """One file's change since the mark, who wrote it and in how many commits. `diff` is None beyond the number asked for.

    `heap` is the folder of one that is told together with many of its like, without its text; '' for any other.
    """

    change: Change
    diff: FileDiff | None
    writers: tuple[str, ...]
    commits: int
    heap: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """What is new between `since` (None: the very beginning) and `to`. A file changed and changed back is not in it."""

    since: CommitId | None
    to: CommitId
    basis: Basis
    files: tuple[FileReview, ...]


def pending(repo: Repo, state_folder: str, tip: CommitId, *, diffs: int | None = None, content: str | None = None) -> Review:
    """What has not been looked at yet. Every file is in it; `diffs` limits for how many the text is compared.

    Where `content` names the root of the layout, the many files that record a conversation are heaps and come last: what came
    of it, recaps and the profile, is what a person wants to see.
    """
    since, basis = _start(repo, marked(state_folder), tip)
    touched = _touched(repo, since, tip)
    changes = changes_between(repo, since, tip)
    heaps = _heaps(changes, content) if content is not None else {}
    changes.sort(key=lambda change: change.path in heaps)
    files = []
    for number, change in enumerate(changes):
        heap = heaps.get(change.path, "")
        known = touched.get(change.path) or _Touched()
        files.append(_file(repo, change, known, heap, with_diff=not heap and (diffs is None or number < diffs)))
    return Review(since, tip, basis, tuple(files))


def _heaps(changes: list[Change], content: str) -> dict[RepoPath, str]:
    """The folder of each new file of a conversation that has many, and of each one that repeats a conversation as evidence."""
    found: dict[str, list[RepoPath]] = {}
    evidence = f"{content}/" * bool(content) + CHUNKS
    for change in changes:
        if change.kind is not ChangeKind.ADDED:
            continue
        if change.path.startswith(f"{evidence}/"):
            found.setdefault(evidence, []).append(change.path)
        elif kind_of(change.path, content) is Kind.EPISODE:
            found.setdefault(change.path.folder, []).append(change.path)
    return {path: folder for folder, paths in found.items() if folder == evidence or len(paths) > _MOST_TURNS for path in paths}


def mark(state_folder: str, commit: CommitId) -> None:
    """Remember that everything up to `commit` has been looked at."""
    os.makedirs(state_folder, exist_ok=True)
    path = os.path.join(state_folder, _MARK)
    temp = f"{path}.{os.getpid()}.tmp"
    with open(temp, "w", encoding="ascii") as file:
        file.write(commit + "\n")
    # Renamed last: a crash before this line leaves the old mark whole.
    os.replace(temp, path)


def marked(state_folder: str) -> str | None:
    """The commit looked at last, as the file names it; None before the first review."""
    try:
        with open(os.path.join(state_folder, _MARK), encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


def _start(repo: Repo, mark: str | None, tip: CommitId) -> tuple[CommitId | None, Basis]:
    if mark is None:
        return None, Basis.FIRST
    commit = CommitId(mark)
    if len(mark) != _ID_LENGTH or not repo.has_commit(commit):
        return None, Basis.LOST
    if repo.contains(tip, commit):
        return commit, Basis.MARK
    shared = next(iter(repo.merge_bases(commit, tip)), None)
    return (shared, Basis.REWRITTEN) if shared is not None else (None, Basis.LOST)


@dataclass(slots=True)
class _Touched:
    writers: set[str] = field(default_factory=set)
    commits: int = 0


def _touched(repo: Repo, since: CommitId | None, tip: CommitId) -> dict[RepoPath, _Touched]:
    """Who touched which path and how often, under the name the path has at the tip."""
    found: dict[RepoPath, _Touched] = {}
    names: dict[RepoPath, RepoPath] = {}
    for info in repo.walk([tip], hide=[since] if since is not None else []):
        for change in _own_changes(repo, info):
            path = names.get(change.path, change.path)
            entry = found.setdefault(path, _Touched())
            entry.writers.add(writer_of(info))
            entry.commits += 1
            if change.old_path is not None:
                names[change.old_path] = path
    return found


def _own_changes(repo: Repo, info: CommitInfo) -> list[Change]:
    """What a commit itself changed; of a merge only what it took from no parent as it was."""
    if len(info.parents) < 2:
        return changes_between(repo, info.parents[0] if info.parents else None, info.id)
    one, *others = [diff_commits(repo, parent, info.id) for parent in info.parents]
    in_all = set[RepoPath].intersection(*({change.path for change in other} for other in others))
    return [change for change in one if change.path in in_all]


def _file(repo: Repo, change: Change, touched: _Touched, heap: str, *, with_diff: bool) -> FileReview:
    text = diff_change(repo, change, detail=Detail.WORDS, shown=counted_evidence) if with_diff else None
    return FileReview(change, text, tuple(sorted(touched.writers)), touched.commits, heap)
