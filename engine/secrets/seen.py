"""What was found in which blob, kept in the state folder so that a history is looked through once, not at every push.

A file of lines: the table's version, then a blob id a line, followed by what was found in it, if anything. Lines are only ever
added; a torn one is overlooked, and so its blob is looked through again. It holds no secret.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable

from memtree.engine.files import Files
from memtree.engine.secrets.found import Spot
from memtree.tree.secret_rules import VERSION

_HEAD = f"secrets found by table {VERSION}\n"
_LINE = re.compile(r"([0-9a-f]{40})((?: \d+:[a-z-]+:[0-9a-f]{16})*)")
_MOST = 200_000  # blobs; beyond that the older half is forgotten


class SeenBlobs:
    """What is known of blobs by their ids. Threads may share it."""

    def __init__(self, folder: str, files: Files) -> None:
        self._path = os.path.join(folder, "secrets.seen")
        self._files = files.unsynced()  # what is lost is only looked for again
        self._found: dict[str, tuple[Spot, ...]] | None = None
        self._fresh: dict[str, tuple[Spot, ...]] = {}
        self._turn = threading.Lock()

    def get(self, blob: str) -> tuple[Spot, ...] | None:
        """What was found in a blob, None when it was never looked through."""
        with self._turn:
            if self._found is None:
                self._found = self._read()
            return self._fresh.get(blob, self._found.get(blob))

    def put(self, blob: str, spots: tuple[Spot, ...]) -> None:
        """Remember until `flush`, which every user of this owes."""
        with self._turn:
            self._fresh[blob] = spots

    def flush(self) -> None:
        """Bring what is new to the file."""
        with self._turn:
            if self._fresh:
                self._flush()

    def _flush(self) -> None:
        fresh, self._fresh = self._fresh, {}
        try:
            self._write(fresh)
        except OSError:
            return  # a full or read-only disk: the next run looks again
        finally:
            if self._found is not None:
                self._found.update(fresh)

    def _write(self, fresh: dict[str, tuple[Spot, ...]]) -> None:
        if self._found is not None and len(self._found) + len(fresh) > _MOST:
            newest = [*self._found.items(), *fresh.items()][-_MOST // 2 :]
            self._found = None
            self._files.replace(self._path, (_HEAD + _lines(newest)).encode())
        elif self._is_ours():
            self._files.append(self._path, _lines(fresh.items()).encode())
        else:
            self._files.replace(self._path, (_HEAD + _lines(fresh.items())).encode())

    def _is_ours(self) -> bool:
        try:
            with open(self._path, "rb") as file:
                return file.readline() == _HEAD.encode()
        except FileNotFoundError:
            return False

    def _read(self) -> dict[str, tuple[Spot, ...]]:
        try:
            with open(self._path, encoding="ascii", errors="replace") as file:
                if file.readline() != _HEAD:
                    return {}
                matches = map(_LINE.fullmatch, file.read().split("\n"))
        except FileNotFoundError:
            return {}
        return {match[1]: tuple(map(_spot, match[2].split())) for match in matches if match}


def _lines(found: Iterable[tuple[str, tuple[Spot, ...]]]) -> str:
    return "".join(f"{blob}{''.join(f' {s.line}:{s.rule}:{s.fingerprint}' for s in spots)}\n" for blob, spots in found)


def _spot(text: str) -> Spot:
    line, rule, fingerprint = text.split(":")
    return Spot(int(line), rule, fingerprint)
