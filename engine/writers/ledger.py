"""Ledger: which turns a session holds, so that each is stored once and no number is given twice.

What counts is the branch: every file of the session's folder says its own turn and id. A list beside the repository remembers what
the files said, so that only new ones are read, and what was here and is gone: a turn that a person deleted is not recorded again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from memtree.engine.repo import Repo
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.working_copy import FilterMissing, WorkingCopy
from memtree.tree.agent_turn import ASSISTANT, PROMPT, USER, UUID
from memtree.tree.document import Document
from memtree.tree.episode import episode_path, session_folder, turn_of
from memtree.tree.objects import FILE, FOLDER, BlobId, CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.recap import recap_folder, span_of

_OURS, _READ = "w", "r"
_ROLES = {USER: "u", ASSISTANT: "a"}
_ID = re.compile(r"[\x21-\x7e]{1,200}")
# A line cut short, or two of them run together, is no line: a wrong id would make a turn known that is not here.
_LINE = re.compile(
    rf"= ([0-9]{{1,15}}) ([0-9a-f]{{40,64}}) ([{_OURS}{_READ}])([ua-]) u([\x21-\x7e]*) p([\x21-\x7e]*) \.\n", re.ASCII
)
_FAR = 10**14  # a number that no session comes to: a recap that names it lies
_NUMBERED = re.compile(r"([0-9]{6,15})(?:-[0-9a-f]+)?\.md", re.ASCII)


class Noted(NamedTuple):
    """One file of a session: its number, its blob, the plain id in it ('' for none), and who speaks ('' when it does not say).

    `prompt` is the id of what an answer answers; `ours` when this machine wrote the blob.
    """

    seq: int
    blob: str
    uuid: str
    role: str = ""
    prompt: str = ""
    ours: bool = False


class Said(NamedTuple):
    """What the header of a file says: the plain id, who speaks, and the id of what is answered."""

    uuid: str
    role: str
    prompt: str = ""


@dataclass(slots=True)
class Ledger:
    """What one session holds. `files` are those on the branch; the others say what was noted of any file that was ever seen."""

    session: str
    content: str
    files: dict[RepoPath, Entry]
    _copy: WorkingCopy
    _repo: Repo
    _place: str
    highest: int = 0
    prompts: dict[str, Noted] = field(default_factory=dict)  # by their ids
    answers: dict[str, Noted] = field(default_factory=dict)  # by their ids
    latest: dict[str, Noted] = field(default_factory=dict)  # the newest answer, by what it answers
    present: dict[int, str] = field(default_factory=dict)  # the blob of each turn, with those that are planned by now
    _new: list[Noted] = field(default_factory=list)
    _all: list[Noted] = field(default_factory=list)

    @classmethod
    def read(cls, repo: Repo, copy: WorkingCopy, tip: CommitId | None, state: str, session: str, content: str) -> Ledger:
        """Read what the branch holds of a session, and what the disk does that was not captured yet."""
        folder = os.path.dirname(episode_path(session, 0, content))
        place = os.path.join(state, "turns", session_folder(session))
        ledger = cls(session, content, dict(repo.files(tip, folder)), copy, repo, place)
        known = set()
        for noted in _remembered(place):
            ledger._know(noted)
            known.add(noted.blob)
        for path, entry in ledger.files.items():
            found = _read(copy, path, entry) if entry.is_file and entry.id not in known else None
            if found is not None:
                ledger.note(found)
            ledger.present[_number(path.name)] = entry.id
        ledger.highest = max([ledger.highest, *_numbers(os.path.join(repo.folder, folder)), *_told(repo, tip, session, content)])
        return ledger

    def note(self, noted: Noted) -> None:
        """Take a file that the branch holds into account; `keep` remembers it."""
        self._know(noted)
        self._new.append(noted)

    def plan(self, seq: int, data: bytes, said: Said | None) -> RepoPath:
        """The same for a file that is about to be written; where it will lie. Without `said` the file is read for it."""
        path = self.path(seq)
        blob = self._copy.stored(path, data, keep=False)
        noted = Noted(seq, blob, said.uuid, said.role, said.prompt) if said is not None else _noted(path, data, blob)
        if noted is not None:
            self.note(noted._replace(ours=True))
            self.present[seq] = noted.blob
        return path

    def _know(self, noted: Noted) -> None:
        self._all.append(noted)
        self.highest = max(self.highest, noted.seq)
        if noted.role != ASSISTANT and noted.uuid:
            self.prompts[noted.uuid] = noted
        if noted.role != USER and noted.uuid:
            self.answers[noted.uuid] = noted
        if noted.role == ASSISTANT and (asked := noted.prompt or noted.uuid):
            last = self.latest.get(asked)
            # As a person left it, an answer is still the one that was written: whether it is edited tells its blob.
            if last is None or last.seq < noted.seq or (last.seq == noted.seq and (noted.ours or not last.ours)):
                self.latest[asked] = noted

    def knows(self, uuid: str, asked: str, *, answered: bool) -> bool:
        """Whether a turn is here as it is delivered. `asked` is the id of its prompt; the ids are plain."""
        return uuid in self.answers or (not answered and asked in self.prompts)

    def answers_to(self, asked: str) -> Iterator[tuple[bytes, bytes | None]]:
        """The answers to a prompt as the branch holds them, in order, each with what this machine wrote there (None: unknown)."""
        written: dict[int, str | None] = {}
        for noted in self._all:
            if noted.role == ASSISTANT and asked and (noted.prompt or noted.uuid) == asked:
                written[noted.seq] = noted.blob if noted.ours else written.get(noted.seq)
        for path, entry in sorted(self.files.items()):
            if (seq := _number(path.name)) in written and entry.is_file:
                yield self._copy.contents(path, entry), self._still(path, written[seq])

    def _still(self, path: RepoPath, blob: str | None) -> bytes | None:
        """What a blob holds, None when it is gone from the repository."""
        try:
            return self._copy.contents(path, Entry(FILE, BlobId(blob))) if blob and self._repo.size(blob) else None
        except MissingObject:
            return None

    def keep(self) -> None:
        """Remember for good what was noted. A disk that takes nothing costs time, not turns: the files are read again."""
        if self._new:
            with contextlib.suppress(OSError):
                os.makedirs(os.path.dirname(self._place), exist_ok=True)
                with open(self._place, "ab", buffering=0) as file:
                    # A line end first: what a full disk left of the last line must not swallow another.
                    file.write(("\n" + "".join(map(_line, self._new))).encode())
        self._new = []

    def path(self, seq: int) -> RepoPath:
        """Where a turn of the session lies."""
        return episode_path(self.session, seq, self.content)

    def unedited(self, noted: Noted) -> bool:
        """Whether a file is there still as this machine wrote it."""
        return noted.ours and self.present.get(noted.seq) == noted.blob


def plain_id(text: str) -> str:
    """An id as it may stand anywhere; one of other characters, or a very long one, is known by its hash."""
    if not text or _ID.fullmatch(text):
        return text
    return f"sha256-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def noted_ids(place: str) -> Iterator[str]:
    """The ids of all turns that were noted of a session, in the file where its ledger remembers them."""
    return (noted.uuid for noted in _remembered(place) if noted.uuid)


def _remembered(place: str) -> list[Noted]:
    try:
        with open(place, encoding="utf-8", errors="replace", newline="\n") as file:
            return list(_lines(file))
    except OSError:
        return []


def _lines(lines: Iterable[str]) -> Iterator[Noted]:
    roles = {letter: role for role, letter in _ROLES.items()}
    for line in lines:
        found = _LINE.fullmatch(line)  # the last line of a full disk is no whole one
        if found is not None:
            seq, blob, whose, role, uuid, prompt = found.groups()
            yield Noted(int(seq), blob, uuid, roles.get(role, ""), prompt, whose == _OURS)


def _line(noted: Noted) -> str:
    whose = _OURS if noted.ours else _READ
    return f"= {noted.seq} {noted.blob} {whose}{_ROLES.get(noted.role, '-')} u{noted.uuid} p{noted.prompt} .\n"


def _read(copy: WorkingCopy, path: RepoPath, entry: Entry) -> Noted | None:
    with contextlib.suppress(FilterMissing):
        return _noted(path, copy.contents(path, entry), entry.id)
    return None


def _noted(path: RepoPath, data: bytes, blob: str) -> Noted | None:
    """What a file says of itself. People and other programs write such files too: their ids are made plain."""
    front = Document.parse(data).front_matter()
    turn = turn_of(path, front)
    if turn is None:
        return None
    role = turn.role if turn.role in _ROLES else ""
    return Noted(turn.seq, blob, plain_id(front.text(UUID)), role, plain_id(front.text(PROMPT)))


def _numbers(folder: str) -> list[int]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [_number(name) for name in names]


def _told(repo: Repo, tip: CommitId | None, session: str, content: str) -> list[int]:
    """The last number of each recap: its turns may be gone, and a new one of their number would count as told already."""
    entry = repo.entry(tip, recap_folder(session_folder(session), content))
    names = repo.items(entry.id) if entry is not None and entry.mode == FOLDER else ()
    return [span[1] for name in names if (span := span_of(name)) is not None and span[1] < _FAR]


def _number(name: str) -> int:
    """The number of `000012.md` and of its second versions `000012-1a2b3c4d.md`; 0 for what is no turn's."""
    found = _NUMBERED.match(name)
    return int(found[1]) if found else 0
