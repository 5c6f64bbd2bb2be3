"""Facts that changed, as their files before and after: between two commits, or as a diff has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memtree.engine.repo import Repo
from memtree.tree.fact import fact_path, is_fact_file, read_fact
from memtree.tree.fact_diff import Story, Versions, stories
from memtree.tree.objects import Change, ChangeKind, CommitId
from memtree.tree.words import FileDiff, split_lines


def stories_of(repo: Repo, changes: Iterable[Change], tip: CommitId, content_root: str) -> tuple[Story, ...]:
    """What happened to the facts among some changes; `tip` holds what did not change."""
    versions = [
        Versions(change.path, *(None if entry is None else repo.blob(entry.id) for entry in (change.before, change.after)))
        for change in changes
        if is_fact_file(change.path)
    ]
    return stories(versions, _texts(repo, tip, content_root))


def stories_in(repo: Repo, diffs: Iterable[FileDiff], base: CommitId | None, content_root: str) -> tuple[Story, ...]:
    """What happened to the facts among some diffs against the files of `base`."""
    versions = []
    for diff in diffs:
        entry = repo.entry(base, diff.old_path or diff.path)
        old = None if entry is None or diff.kind is ChangeKind.ADDED else repo.blob(entry.id)
        versions.append(Versions(diff.path, old, None if diff.kind is ChangeKind.DELETED else _patched(old or b"", diff)))
    return stories(versions, _texts(repo, base, content_root))


def _texts(repo: Repo, commit: CommitId | None, content_root: str) -> Callable[[str], str | None]:
    def text_of(fact: str) -> str | None:
        path = fact_path(fact, content_root)
        entry = repo.entry(commit, path)
        read = None if entry is None or not entry.is_file else read_fact(path, repo.blob(entry.id))
        return None if read is None else read.fact.text

    return text_of


def _patched(old: bytes, diff: FileDiff) -> bytes:
    """The file behind a diff: what a diff hides, such as a secret that holds an edit back, stays hidden."""
    lines = split_lines(old.decode("utf-8", "surrogateescape"))
    made: list[str] = []
    at = 0
    for hunk in diff.hunks:
        start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        made += lines[at:start]
        made += [line.new for line in hunk.lines]
        at = start + hunk.old_lines
    return "".join((*made, *lines[at:])).encode("utf-8", "surrogateescape")
