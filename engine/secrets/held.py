"""Held files: edits that are not committed because they would bring a secret into history.

What is known of each stands in the state folder (where the hold began, line, rule, fingerprint); the bytes are kept in a ref that
never leaves this machine. A hold begins at the version of HEAD that the edit was made from: when HEAD has moved on by the time it
ends, the edit is merged from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from memtree.engine.repo_errors import MissingObject
from memtree.engine.secrets.found import Spot
from memtree.engine.secrets.guard import SecretGuard
from memtree.engine.store.local_ref import LocalRef
from memtree.engine.store.store import Store
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

REF = "refs/memtree/held"


@dataclass(frozen=True, slots=True)
class HeldFile:
    """An edit that is held. `base` is what HEAD held when the hold began, `entry` what the disk holds (None: `moved_to`)."""

    path: RepoPath
    base: Entry | None
    entry: Entry | None
    line: int
    rule: str
    fingerprint: str
    moved_to: RepoPath | None = None

    @property
    def reason(self) -> str:
        if self.moved_to is not None:
            return f"held: renamed to {self.moved_to}, which holds a secret"
        return (
            f"held: a secret on line {self.line} ({self.rule}); take it out, or if it may be known: "
            f"memtree secrets allow {self.fingerprint}"
        )


class HeldFiles:
    """The holds of one workspace. Changed only under the store's lock."""

    def __init__(self, store: Store, guard: SecretGuard) -> None:
        self._store = store
        self._path = os.path.join(store.places.folder, "held.json")
        self.guard = guard
        self._ref = LocalRef(store.repo, store.files, store.objects, _ref_of(store))

    def all(self) -> dict[RepoPath, HeldFile]:
        """The holds by path."""
        try:
            with open(self._path, encoding="utf-8") as file:
                raw = json.load(file)
            return {RepoPath(path): _held(RepoPath(path), item) for path, item in raw.items()}
        except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            return {}  # a damaged file: the next capture finds the secrets again

    def any(self) -> bool:
        return os.path.exists(self._path)

    def begun(
        self, path: RepoPath, entry: Entry | None, spot: Spot, old: Mapping[RepoPath, HeldFile], tip: CommitId | None
    ) -> HeldFile:
        """The hold of an edit: the one that is under way, or one that begins at the tip."""
        base = old[path].base if path in old else self._store.repo.entry(tip, path)
        return HeldFile(path, base, entry, spot.line, spot.rule, spot.fingerprint)

    def withholds(self, path: RepoPath, entry: Entry | None) -> bool:
        """Whether an edit on disk must not be committed though its path is about to change; then its hold begins here."""
        tip = self._store.repo.tip(self._store.ref)
        spots = self._spots(path, entry, ())
        if not spots:
            return False
        old = self.all()
        held = self.begun(path, entry, spots[0], old, tip)
        if old.get(path) != held:
            self.keep(old | {path: held})
        return True

    def reason(self, path: RepoPath, entry: Entry | None, beside: Iterable[RepoPath] = ()) -> str:
        """Why a version must not be committed under a path, or ''; what HEAD holds there, or `beside` it, is no reason."""
        spots = self._spots(path, entry, beside)
        return f"a secret on line {spots[0].line} ({spots[0].rule})" if spots else ""

    def _spots(self, path: RepoPath, entry: Entry | None, beside: Iterable[RepoPath]) -> tuple[Spot, ...]:
        tip = self._store.repo.tip(self._store.ref)
        before = (self._store.repo.entry(tip, one) for one in chain((path,), beside))  # only looked up where there is a secret
        try:
            return self.guard.new_spots(entry, before)
        except MissingObject:  # only looked at so far, not stored
            content = self._store.working_copy.content(path)
        if content is None or entry is None:
            return ()
        # By the id of what was read just now: the file may have changed since it was looked at.
        return self.guard.new_spots(Entry(entry.mode, self._store.repo.hash_blob(content)), before, content=content)

    def keep(self, held: Mapping[RepoPath, HeldFile]) -> None:
        """Let these and no others be held. The file is written first: the base is what could not be found again."""
        if held:
            data = (json.dumps({path: _raw(one) for path, one in sorted(held.items())}, indent=1) + "\n").encode()
            if not self._says(data):
                self._store.files.replace(self._path, data)
        elif self.any():
            self._store.files.unlink(self._path)
        entries = {path: one.entry for path, one in held.items() if one.entry is not None}
        self._ref.keep(_without_nested(entries), when=int(self._store.clock()))

    def _says(self, data: bytes) -> bool:
        try:
            with open(self._path, "rb") as file:
                return file.read() == data
        except FileNotFoundError:
            return False


def moved(one: HeldFile, held: Mapping[RepoPath, HeldFile]) -> HeldFile | None:
    """The hold of a path that is gone, while its content is held under another name: its deletion waits for that one."""
    for path, other in held.items():
        if other.entry is not None and (other.entry == one.entry or path == one.moved_to):
            return replace(one, entry=None, moved_to=path)
    return None


def _ref_of(store: Store) -> str:
    """A linked worktree has holds of its own, but shares refs with the others."""
    if store.repo.git_folder == store.repo.common_folder:
        return REF
    return f"{REF}-{os.path.basename(store.repo.git_folder)}"


def _without_nested(entries: Mapping[RepoPath, Entry]) -> dict[RepoPath, Entry]:
    """A tree cannot hold a file where it holds a folder; such a leftover of an older hold gives way."""
    return {path: entry for path, entry in entries.items() if not any(other.startswith(f"{path}/") for other in entries)}


def _raw(one: HeldFile) -> dict[str, object]:
    return {
        "base": one.base,
        "entry": one.entry,
        "line": one.line,
        "rule": one.rule,
        "fingerprint": one.fingerprint,
        "moved_to": one.moved_to,
    }


def _held(path: RepoPath, raw: Mapping[str, Any]) -> HeldFile:
    moved_to = raw["moved_to"]
    return HeldFile(
        path,
        _entry(raw["base"]),
        _entry(raw["entry"]),
        int(raw["line"]),
        str(raw["rule"]),
        str(raw["fingerprint"]),
        RepoPath(moved_to) if moved_to is not None else None,
    )


def _entry(raw: list[Any] | None) -> Entry | None:
    return Entry(int(raw[0]), str(raw[1])) if raw is not None else None
