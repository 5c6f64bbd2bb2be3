"""Ledger: which turns a session holds, so that each is stored once and no number is given twice.

What counts is the branch: every file of the session's folder says its own turn and id. A list beside the repository remembers what
the files said, so that only new ones are read, and what was here and is gone: a turn that a person deleted is not recorded again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memtree.engine.repo import Repo
from memtree.tree.agent_turn import UUID
from memtree.tree.document import Document
from memtree.tree.episode import episode_path, session_folder, turn_of
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath

_OURS, _READ = "w", "r"
_LINE = re.compile(rf"([0-9]{{1,15}}) ([0-9a-f]{{40,64}}) ([{_OURS}{_READ}]) ([^\n]*)\n", re.ASCII)
_NUMBERED = re.compile(r"([0-9]{6,15})(?:-[0-9a-f]+)?\.md", re.ASCII)


class Noted(NamedTuple):
    """One file of a session: its number, its blob, and the id in it ('' for none). `ours` when this machine wrote the blob."""

    seq: int
    blob: str
    uuid: str
    ours: bool = False


@dataclass(slots=True)
class Ledger:
    """What one session holds. `files` are those on the branch; what was noted of any file that was ever seen is found by its id
    or its number."""

    session: str
    content: str
    files: dict[RepoPath, Entry]
    _place: str
    highest: int = 0
    by_uuid: dict[str, Noted] = field(default_factory=dict)
    by_seq: dict[int, Noted] = field(default_factory=dict)
    present: dict[int, str] = field(default_factory=dict)  # the blob of each turn, with those that are planned by now
    _new: list[Noted] = field(default_factory=list)

    @classmethod
    def read(cls, repo: Repo, tip: CommitId | None, state: str, session: str, content: str) -> Ledger:
        """Read what the branch holds of a session, and what the disk does that was not captured yet."""
        folder = os.path.dirname(episode_path(session, 0, content))
        ledger = cls(session, content, dict(repo.files(tip, folder)), os.path.join(state, "turns", session_folder(session)))
        known = set()
        for noted in _remembered(ledger._place):
            ledger._know(noted)
            known.add(noted.blob)
        for path, entry in ledger.files.items():
            found = _read(repo, path, entry) if entry.is_file and entry.id not in known else None
            if found is not None:
                ledger.note(found)
            ledger.present[_number(path.name)] = entry.id
        ledger.highest = max([ledger.highest, *_numbers(os.path.join(repo.folder, folder))])
        return ledger

    def note(self, noted: Noted) -> None:
        """Take a file that the branch holds into account; `keep` remembers it."""
        self._know(noted)
        self._new.append(noted)

    def plan(self, noted: Noted) -> None:
        """The same for a file that is about to be written."""
        self.note(noted)
        self.present[noted.seq] = noted.blob

    def _know(self, noted: Noted) -> None:
        if noted.uuid:
            self.by_uuid[noted.uuid] = noted
        if noted.ours or noted.seq not in self.by_seq:
            self.by_seq[noted.seq] = noted
        self.highest = max(self.highest, noted.seq)

    def keep(self) -> None:
        """Remember for good what was noted. A disk that takes nothing costs time, not turns: the files are read again."""
        if self._new:
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(self._place), exist_ok=True)
                with open(self._place, "a", encoding="utf-8") as file:
                    file.writelines(f"{one.seq} {one.blob} {_OURS if one.ours else _READ} {one.uuid}\n" for one in self._new)
        self._new = []

    def path(self, seq: int) -> RepoPath:
        """Where a turn of the session lies."""
        return episode_path(self.session, seq, self.content)

    def unedited(self, noted: Noted) -> bool:
        """Whether a file is there still as this machine wrote it."""
        return noted.ours and self.present.get(noted.seq) == noted.blob


def _remembered(place: str) -> list[Noted]:
    try:
        with open(place, encoding="utf-8", errors="replace") as file:
            return list(_lines(file))
    except OSError:
        return []


def _lines(lines: Iterable[str]) -> Iterator[Noted]:
    for line in lines:
        found = _LINE.fullmatch(line)  # the last line of a full disk is no whole one
        if found is not None:
            yield Noted(int(found[1]), found[2], found[4], found[3] == _OURS)


def _read(repo: Repo, path: RepoPath, entry: Entry) -> Noted | None:
    front = Document.parse(repo.blob(entry.id)).front_matter()
    turn = turn_of(path, front)
    return Noted(turn.seq, entry.id, front.text(UUID)) if turn is not None else None


def _numbers(folder: str) -> list[int]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [_number(name) for name in names]


def _number(name: str) -> int:
    """The number of `000012.md` and of its second versions `000012-1a2b3c4d.md`; 0 for what is no turn's."""
    found = _NUMBERED.match(name)
    return int(found[1]) if found else 0
