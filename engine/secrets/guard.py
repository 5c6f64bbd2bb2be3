"""SecretGuard: whether a content may be committed and sent.

It may when every secret in it is allowed by a person, or stands already in a version that it follows: what history holds cannot be
kept out of it any more, and must not hold up every later edit.
"""

from __future__ import annotations

from collections.abc import Iterable

from memtree.engine.files import Files
from memtree.engine.repo import Repo
from memtree.engine.secrets.allowed import AllowList
from memtree.engine.secrets.found import MOST, Spot, spots_in
from memtree.engine.secrets.seen import SeenBlobs
from memtree.tree.objects import Entry


class SecretGuard:
    """Answers for one workspace. What it looked through it remembers by blob id; `flush` brings that to the disk."""

    def __init__(self, repo: Repo, state_folder: str, files: Files) -> None:
        self._repo = repo
        self._seen = SeenBlobs(state_folder, files)
        self.allow_list = AllowList(repo.folder)

    def spots(self, blob: str) -> tuple[Spot, ...]:
        """The secrets in a blob of the repository, allowed ones too."""
        known = self._seen.get(blob)
        if known is None:
            known = spots_in(self._repo.blob(blob)) if self._repo.size(blob) <= MOST else ()
            self._seen.put(blob, known)
        return known

    def new_spots(self, entry: Entry | None, before: Iterable[Entry | None], *, content: bytes | None = None) -> tuple[Spot, ...]:
        """The secrets that a file would bring in: not allowed, and in none of the versions `before` it.

        With `content`, which is what the entry's blob holds, nothing is read of the repository unless there is a secret.
        """
        if entry is None or not entry.is_file:
            return ()
        if content is not None:
            spots = spots_in(content)
            self._seen.put(entry.id, spots)
        else:
            spots = self.spots(entry.id)
        return self._new(spots, before) if spots else ()

    def forbidden(self, spots: Iterable[Spot]) -> tuple[Spot, ...]:
        """Those that nobody allowed."""
        allowed = self.allow_list.fingerprints()
        return tuple(spot for spot in spots if spot.fingerprint not in allowed)

    def _new(self, spots: tuple[Spot, ...], before: Iterable[Entry | None]) -> tuple[Spot, ...]:
        left = self.forbidden(spots)
        if not left:
            return ()
        old = {spot.fingerprint for one in before if one is not None and one.is_file for spot in self.spots(one.id)}
        return tuple(spot for spot in left if spot.fingerprint not in old)

    def flush(self) -> None:
        self._seen.flush()
