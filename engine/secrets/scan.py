"""Looking through what is about to leave: every commit that a remote does not have yet.

Capture holds secrets back, but a person's own git commit passes it by, and what was added and deleted again still leaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtree.engine.files import Durability, Files
from memtree.engine.object_database import ObjectDatabase
from memtree.engine.repo import CommitInfo, Repo
from memtree.engine.secrets.found import FoundSecret, Spot, spots_in
from memtree.engine.secrets.guard import SecretGuard
from memtree.engine.tree_diff import diff_commits
from memtree.tree.errors import StateError
from memtree.tree.objects import FILE, BlobId, Change, CommitId, Entry
from memtree.tree.paths import RepoPath

_SHOWN = 10


class PushBlocked(StateError):
    """Commits that would be sent hold secrets that nobody allowed."""

    def __init__(self, found: Sequence[FoundSecret]) -> None:
        shown = [f"{one.where} in {one.commit[:8]} ({one.rule}, {one.fingerprint})" for one in found[:_SHOWN]]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        what = "a secret" if len(found) == 1 else f"{len(found)} secrets"
        super().__init__(
            f"not sent: {what} would leave this machine: {'; '.join(shown)}{more}",
            hint=f"if it is none, or may be known: memtree secrets allow {found[0].fingerprint}; "
            "else take it out of history: memtree forget --match - --purge --yes (paste it, then Enter and Ctrl-D)",
        )
        self.found = tuple(found)


def scan_range(repo: Repo, guard: SecretGuard, tip: CommitId, known: Iterable[CommitId]) -> list[FoundSecret]:
    """The secrets that commits of `tip` which none of the known commits contains bring in, oldest first, without allowed ones."""
    there = [commit for commit in known if repo.has_commit(commit)]
    try:
        return [found for info in reversed(list(repo.walk([tip], hide=there))) for found in _brought(repo, guard, info)]
    finally:
        guard.flush()


def refuse_secrets(repo: Repo, guard: SecretGuard, tip: CommitId, known: Iterable[CommitId]) -> None:
    """Raise PushBlocked when sending `tip` to where `known` is would give secrets away."""
    found = scan_range(repo, guard, tip, known)
    if found:
        raise PushBlocked(found)


def refuse_secrets_in(repo: Repo, guard: SecretGuard, leaving: Iterable[str], known: Iterable[CommitId]) -> None:
    """The same for several objects of any kind at once: commits, tags with what they name, a file that only a tag names."""
    there, found = list(known), []
    objects = ObjectDatabase(repo.common_folder, Files(Durability.FAST))
    for one in leaving:
        tip, on_the_way = _peeled(repo, objects, guard, one)
        found += on_the_way
        if tip is not None:
            found += scan_range(repo, guard, tip, there)
            there.append(tip)  # what two refs share is looked through once
    guard.flush()
    if found:
        raise PushBlocked(found)


def _peeled(repo: Repo, objects: ObjectDatabase, guard: SecretGuard, leaving: str) -> tuple[CommitId | None, list[FoundSecret]]:
    """The commit that an object is or leads to, None for none; and the secrets in tags on the way and in files without a commit."""
    found: list[FoundSecret] = []
    here, (kind, data) = leaving, objects.read(leaving)
    while kind == "tag":
        head, _, message = data.partition(b"\n\n")
        found += [_found("", spot, here) for spot in guard.forbidden(spots_in(message))]
        here = head.split(None, 2)[1].decode()
        kind, data = objects.read(here)
    if kind == "commit":
        return CommitId(here), found
    files = [("", Entry(FILE, BlobId(here)))] if kind == "blob" else repo.files_in(here)
    found += [_found(path, spot, here) for path, entry in files for spot in guard.new_spots(entry, ())]
    return None, found


def _found(path: str, spot: Spot, where: str) -> FoundSecret:
    return FoundSecret(path, spot.line, spot.rule, spot.fingerprint, CommitId(where))


def _brought(repo: Repo, guard: SecretGuard, info: CommitInfo) -> Iterator[FoundSecret]:
    for path, spot in (*_in_files(repo, guard, info), *_in_message(guard, info)):
        yield _found(path, spot, info.id)


def _in_message(guard: SecretGuard, info: CommitInfo) -> Iterator[tuple[str, Spot]]:
    for spot in guard.forbidden(spots_in(info.message.encode("utf-8", "surrogateescape"))):
        yield "", spot


def _in_files(repo: Repo, guard: SecretGuard, info: CommitInfo) -> Iterator[tuple[str, Spot]]:
    """The secrets in files that differ from those of every parent: what a merge took from one side came with that side."""
    sides = [{change.path: change for change in diff_commits(repo, parent, info.id)} for parent in info.parents or (None,)]
    for path, change in sides[0].items():
        if all(path in side for side in sides):
            for spot in guard.new_spots(change.after, _before(sides)):
                yield path, spot


def _before(sides: Iterable[Mapping[RepoPath, Change]]) -> Iterator[Entry | None]:
    """What the commit's changed paths held before it: a secret that only moved to another file is not new."""
    return (change.before for side in sides for change in side.values())
