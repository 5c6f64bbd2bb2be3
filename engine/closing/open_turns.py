"""Open turns: what a session holds behind its last recap, read from the files that are committed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memtree.engine.repo import Repo
from memtree.engine.store.working_copy import FilterMissing, WorkingCopy
from memtree.tree.episode import Episode, InvalidEpisode, is_turn_file, session_folder, session_of
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.objects import FOLDER, CommitId, Entry
from memtree.tree.paths import RepoPath, refusal
from memtree.tree.recap import closed_to, recap_folder
from memtree.tree.segments import Exchange, Message, exchanges

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_LARGEST = 8 * 1024 * 1024  # bytes of a turn's file that are read; the writers never make a larger one


TurnFile = tuple[RepoPath, Entry]


@dataclass(frozen=True, slots=True)
class OpenTurns:
    """The turns of a session that are in no recap yet. `folder` is the name of its folders, `after` the last number of a recap.

    `files` are those that the turns were read from.
    """

    session: str
    folder: str
    after: int
    turns: tuple[Exchange, ...]
    files: tuple[TurnFile, ...] = ()

    @property
    def ended(self) -> int | None:
        """When the last of them was said, in UTC epoch milliseconds."""
        return next((turn.ended for turn in reversed(self.turns) if turn.ended is not None), None)


@dataclass(frozen=True, slots=True)
class Sessions:
    """What the tree of one commit holds of sessions.

    `gone` has the last number that a deleted recap covered, by folder. A session is what a folder holds: what a header says of
    another session or number, and other machines write headers too, moves no turn elsewhere.
    """

    _repo: Repo
    _copy: WorkingCopy
    _tip: CommitId | None
    _root: str = CONTENT_ROOT
    gone: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Workspace) -> Sessions:
        """The sessions of a workspace as they are committed now."""
        from memtree.engine.closing.gone import deleted_recaps

        tip = workspace.repo.tip(workspace.settings.ref)
        gone = deleted_recaps(workspace, tip)
        return cls(workspace.repo, workspace.store.working_copy, tip, workspace.settings.content, gone)

    def folders(self) -> list[str]:
        """The folders of all sessions, sorted; those are left out whose names could stand in no path."""
        return sorted(name for name, entry in self._items("episodic").items() if entry.mode == FOLDER and not refusal(name))

    def open_folders(self) -> list[str]:
        """The folders of the sessions that have a turn behind their last recap."""
        return [folder for folder in self.folders() if self.files(folder, self.closed_to(folder))]

    def closed_to(self, folder: str) -> int:
        """The last number that a recap of the session covers, be it deleted, -1 for none."""
        return max(closed_to(self._items(f"recap/{folder}")), self.gone.get(folder, -1))

    def open_turns(self, folder: str) -> OpenTurns | None:
        """The open turns of a session; None where there are none, or one of them cannot be read now (a filter is missing)."""
        after = self.closed_to(folder)
        files = self.files(folder, after)
        try:
            episodes = [episode for path, entry in files if (episode := self._episode(path, entry)) is not None]
        except FilterMissing:
            return None
        if not episodes:
            return None
        session = session_of(folder) or next((one.session for one in episodes if _is_folder_of(folder, one.session)), folder)
        return OpenTurns(session, folder, after, tuple(exchanges([*map(_message, episodes)])), tuple(files))

    def messages(self, folder: str, first: int, last: int) -> list[Message]:
        """What was said from one number to another; what cannot be read now is left out."""
        return [*map(_message, self.episodes(folder, first, last))]

    def episodes(self, folder: str, first: int, last: int) -> list[Episode]:
        """The same as the turns that their files hold."""
        found = []
        for path, entry in self.files(folder, first - 1, last):
            with contextlib.suppress(FilterMissing):
                episode = self._episode(path, entry)
                if episode is not None:
                    found.append(episode)
        return found

    def recaps(self, folder: str) -> Iterator[tuple[RepoPath, Entry]]:
        """The files in the folder of a session's recaps, sorted."""
        root = recap_folder(folder, self._root)
        for name, entry in sorted(self._items(f"recap/{folder}").items()):
            if entry.is_file:
                yield RepoPath(f"{root}/{name}"), entry

    def files(self, folder: str, after: int, last: int | None = None) -> list[TurnFile]:
        """The files of a session's turns behind a number, up to another, in their order."""
        root = self._path(f"episodic/{folder}")
        found = [(RepoPath(f"{root}/{name}"), entry) for name, entry in self._items(f"episodic/{folder}").items() if entry.is_file]
        numbered = [
            (number, path, entry)
            for path, entry in found
            if is_turn_file(path) and (number := turn_number(path)) > after and (last is None or number <= last)
        ]
        # Two machines can give one number: then the name decides, as everywhere.
        return [(path, entry) for _, path, entry in sorted(numbered)]

    def _episode(self, path: RepoPath, entry: Entry) -> Episode | None:
        """The turn in a file under the number of its name; None for what is none. Raises FilterMissing."""
        if self._repo.size(entry.id) > _LARGEST:
            return None
        try:
            episode = Episode.parse(path, self._copy.contents(path, entry))
        except InvalidEpisode:
            return None
        return replace(episode, seq=turn_number(path)) if episode is not None else None

    def _items(self, folder: str) -> dict[str, Entry]:
        entry = self._repo.entry(self._tip, self._path(folder)) if self._tip is not None else None
        return self._repo.items(entry.id) if entry is not None and entry.mode == FOLDER else {}

    def _path(self, below: str) -> str:
        return f"{self._root}/{below}" if self._root else below


def _is_folder_of(folder: str, session: str) -> bool:
    try:
        return session_folder(session) == folder
    except InvalidEpisode:
        return False


def _message(episode: Episode) -> Message:
    return Message(episode.seq, episode.role, episode.text, episode.timestamp, episode.speaker)


def turn_number(path: RepoPath) -> int:
    """The number in the name of a turn's file."""
    digits = path.name.partition(".")[0].partition("-")[0]
    return int(digits)
