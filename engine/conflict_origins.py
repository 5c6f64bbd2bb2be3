"""Origins: which commit brought a version of a conflict, read from the log of its path. What cannot be told stays unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from memtree.engine.history import trail
from memtree.engine.repo import CommitInfo, Repo
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

T = TypeVar("T", bytes, str)

_LONGEST_TRAIL = 2000  # commits of a path's history that are looked at


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from: `device` is the machine's name in the log, else the author's. The time is epoch seconds."""

    commit: CommitId
    device: str
    time: int


def origin_of(info: CommitInfo) -> Origin:
    return Origin(info.id, info.trailers.get("device") or info.author.name, info.time)


def origins_of_texts(repo: Repo, tip: CommitId, path: RepoPath, texts: Iterable[bytes]) -> dict[bytes, Origin]:
    """The commit that last brought each text to the file as lines of its own; on both sides of merges."""
    known: dict[str, bytes] = {}

    def holds(entry: Entry | None, text: bytes) -> bool:
        if entry is None or not entry.is_file:
            return False
        if entry.id not in known:
            known[entry.id] = b"\n" + repo.blob(entry.id).replace(b"\r\n", b"\n") + b"\n"
        return b"\n" + text + b"\n" in known[entry.id]

    return _brought(repo, tip, path, set(texts), holds)


def origins_of_blobs(repo: Repo, tip: CommitId, path: RepoPath, blobs: Iterable[str]) -> dict[str, Origin]:
    """The commit that last brought each content to the path; on both sides of merges."""
    return _brought(repo, tip, path, set(blobs), lambda entry, blob: entry is not None and entry.id == blob)


def origin_of_second(repo: Repo, tip: CommitId, first: RepoPath, second: RepoPath, blob: str) -> Origin | None:
    """The commit that wrote what stands in a second file: before the merge that set it apart it had the first one's name."""
    found = origins_of_blobs(repo, tip, second, [blob]).get(blob)
    if found is None:
        return None
    parents = repo.commit(found.commit).parents
    if len(parents) < 2:
        return found
    before = (origins_of_blobs(repo, parent, first, [blob]).get(blob) for parent in parents)
    return next((origin for origin in before if origin is not None), None)


def _brought(
    repo: Repo, tip: CommitId, path: RepoPath, wanted: set[T], holds: Callable[[Entry | None, T], bool]
) -> dict[T, Origin]:
    found: dict[T, Origin] = {}
    for info, here, step in islice(trail(repo, tip, path), _LONGEST_TRAIL):
        if not step.changed:
            continue
        for one in wanted - found.keys():
            if holds(here.entry, one) and not any(holds(source.entry, one) for source in step.sources):
                found[one] = origin_of(info)
        if len(found) == len(wanted):
            break
    return found
