"""Closing sessions: the segments that have ended become their files, all of one in one commit.

A recap in the tree is what tells that its segment is closed, and it comes with everything else that is made of the segment: so a
run that is killed has closed a segment whole or not at all, and who closes again finds nothing to do. No model is needed.
What a session holds is looked at again when the lock is held: where somebody has closed other stretches of it meanwhile, edited a
turn or forgotten one, its segments are cut anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memtree.engine.closing.derived import Derived, derive
from memtree.engine.closing.learning import learned
from memtree.engine.closing.open_turns import OpenTurns, Sessions, TurnFile, turn_number
from memtree.engine.closing.queue import ARCHIVE, CLOSE, CLOSE_WHOLE, FACTS, PROFILE, RECAP, Queue, Step
from memtree.engine.closing.recap_text import extractive_recap
from memtree.engine.closing.topics import Topics
from memtree.engine.quietly import capture_quietly
from memtree.engine.store.bulk_writer import BulkWriter
from memtree.engine.store.planner import Edit
from memtree.engine.store.report import CommitReport
from memtree.engine.store.withholding import SecretWritten
from memtree.engine.store.working_copy import PathBlocked
from memtree.tree.episode import short_folder
from memtree.tree.errors import Error
from memtree.tree.objects import FILE, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.recap import Status
from memtree.tree.segments import Exchange, Segment, cut

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_SEGMENTS = 400  # of one commit: what an import closes must not be held in memory as a whole
_SHORT = 16  # characters of a session in a note
_FEW = 300  # files; more of them are written through a pack
_ROUNDS = 5  # how often a session is looked at anew that others change at the same time

Whole = Callable[[OpenTurns], bool]  # whether a session is over, so that what is open is closed too


def everything(_: OpenTurns) -> bool:
    """Every session is over."""
    return True


def nothing(_: OpenTurns) -> bool:
    """No session is over."""
    return False


def silent(now: float, idle: float, ahead: float = math.inf) -> Whole:
    """A session is over in which nothing was said for `idle` seconds before `now` (epoch seconds), or nobody knows when.

    A time that is more than `ahead` seconds ahead says nothing: a clock was wrong.
    """
    return lambda found: found.ended is None or not now - idle < found.ended / 1000 <= now + ahead


@dataclass(frozen=True, slots=True)
class Closed:
    """A segment that was closed, and the file of its recap."""

    session: str
    segment: str
    first: int
    last: int
    turns: int
    reason: str
    status: str
    recap: RepoPath
    events: int
    chunks: int


@dataclass(slots=True)
class CloseReport:
    """What was closed, in which commits, and what a person should know. `profiles` are the files that learnt something.

    `left` are the folders of sessions that could not be closed with the others, and are tried again.
    """

    closed: list[Closed] = field(default_factory=list)
    commits: list[CommitReport] = field(default_factory=list)
    profiles: list[RepoPath] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    @property
    def sessions(self) -> int:
        return len({one.session for one in self.closed})


@dataclass(frozen=True, slots=True)
class _Taken:
    """How a session was read: whether it is over, the files of its open turns, and the numbers up to which it may be closed."""

    whole: bool
    files: tuple[TurnFile, ...]
    ends: set[int]

    def between(self, after: int, last: int) -> list[TurnFile]:
        return [one for one in self.files if after < turn_number(one[0]) <= last]


class Closer:
    """Closes what is due in a workspace. `progress` is told of each session that was looked at."""

    def __init__(self, workspace: Workspace, *, progress: Callable[[int], None] | None = None) -> None:
        self._workspace = workspace
        self._learning = workspace.settings.learning
        self._content = workspace.settings.content
        self._topics = Topics(workspace.searching.embedder)
        self._queue = Queue(workspace.places.folder)
        self._progress = progress
        self._batch: list[Derived] = []
        self._report = CloseReport()
        self._taken: dict[str, _Taken] = {}
        self._overtaken: dict[str, None] = {}
        self._unlearned: tuple[str, ...] = ()  # what kept a profile from learning, of the batch that is written

    def close(self, folders: Iterable[str], *, whole: Whole = nothing) -> CloseReport:
        """Close the segments of sessions that have ended, and of those that are over the open one too; they are named by folder.

        Raises what the store raises; what was committed before that stays. What cannot be made of one segment is made later.
        """
        folders = list(dict.fromkeys(folders))
        self._capture(folders)
        for _ in range(_ROUNDS):
            self._overtaken.clear()
            self._close(folders, whole)
            folders = list(self._overtaken)
            if not folders:
                break
        for folder in folders:
            self._wait(folder, "somebody else changes it all the time")
        self._report.notes += self._workspace.said()
        return self._report

    def _capture(self, folders: Sequence[str]) -> None:
        """Commit what a person has just edited in these sessions: what they took out of a turn must not be told on."""
        root = f"{self._content}/episodic" if self._content else "episodic"
        if folders:
            self._report.notes += capture_quietly(self._workspace, hints=[f"{root}/{folder}/" for folder in folders]).notes

    def _close(self, folders: Iterable[str], whole: Whole) -> None:
        sessions = self._sessions()
        for folder in folders:
            found = sessions.open_turns(folder)
            if found is not None:
                self._take(found, whole=whole(found))
            if self._progress is not None:
                self._progress(1)
            if len(self._batch) >= _SEGMENTS:
                self._commit()
                # Of very many sessions only those are kept in mind that are looked at once more.
                self._taken = {folder: self._taken[folder] for folder in self._overtaken}
        self._commit()

    def _sessions(self) -> Sessions:
        return Sessions.of(self._workspace)

    def _take(self, found: OpenTurns, *, whole: bool) -> None:
        taken = self._taken[found.folder] = _Taken(whole, found.files, {found.after})
        turns = [self._safe(turn) for turn in found.turns]
        limits = self._workspace.settings.segments.limits
        segments, _ = cut(found.session, turns, limits, self._topics.nearness, whole=whole)
        taken.ends.update(segment.last for segment in segments)
        for segment in segments:
            self._batch.append(
                derive(segment, found.folder, self._content, self._written, chat=self._learning.chat_to_tree_enabled)
            )
            if len(self._batch) >= _SEGMENTS:
                self._commit()

    def _safe(self, turn: Exchange) -> Exchange:
        """The turn as it may be told on: people edit such files, and other programs write them."""
        redact = self._workspace.redactor.text
        return Exchange(tuple(one._replace(text=redact(one.text), speaker=redact(one.speaker)) for one in turn.messages))

    def _written(self, segment: Segment) -> str:
        return extractive_recap(segment, self._topics.embedder)

    # -- writing
    def _commit(self) -> None:
        batch, self._batch = self._batch, []
        if not batch:
            return
        try:
            self._write(batch)
        except (PathBlocked, SecretWritten):
            of_each = {folder: [one for one in batch if one.folder == folder] for folder in dict.fromkeys(b.folder for b in batch)}
            if len(of_each) == 1:
                raise
            for folder, alone in of_each.items():
                try:
                    self._write(alone)
                except (PathBlocked, SecretWritten) as error:  # what stands in the way of one keeps no other from being closed
                    self._wait(folder, f"{error}; {error.hint}")

    def _wait(self, folder: str, reason: str) -> None:
        """Have a session closed later."""
        self._report.left.append(folder)
        self._report.notes.append(f"session {folder[:_SHORT]} is not closed yet: {reason}")
        whole = folder in self._taken and self._taken[folder].whole
        self._put(Step(CLOSE_WHOLE if whole else CLOSE, folder, reason=reason, tries=1))

    def _still_open(self, batch: Sequence[Derived]) -> list[Derived]:
        """Those of a batch that stand as they were cut. Called under the lock."""
        sessions = self._sessions()
        kept = []
        for folder in dict.fromkeys(one.folder for one in batch):
            segments = [one for one in batch if one.folder == folder]
            taken, end, last = self._taken[folder], sessions.closed_to(folder), segments[-1].segment.last
            if end >= last and end in taken.ends:
                continue  # somebody else has closed the same
            if end not in taken.ends or sessions.files(folder, end, last) != taken.between(end, last):
                self._overtaken[folder] = None
                continue
            kept += [one for one in segments if one.segment.first > end]
        return kept

    def _write(self, batch: Sequence[Derived]) -> None:
        kept: list[Derived] = []
        profiles: dict[RepoPath, bytes] = {}

        def wanted() -> None:
            kept[:] = self._still_open(batch)
            profiles.clear()
            profiles.update(self._profiles(kept))

        def few() -> Mapping[RepoPath, bytes | None]:
            wanted()
            return {path: data for one in kept for path, data in one.files.items()} | profiles

        message = _message(batch)
        if sum(len(one.files) for one in batch) <= _FEW:
            commit = self._workspace.store.write(few, message=message)
        else:
            commit = self._many(batch, message, wanted, kept, profiles)
        self._tell(commit, kept, profiles)

    def _many(
        self,
        batch: Sequence[Derived],
        message: str,
        wanted: Callable[[], None],
        kept: Sequence[Derived],
        profiles: Mapping[RepoPath, bytes],
    ) -> CommitReport:
        workspace = self._workspace
        bulk = BulkWriter(workspace.repo, workspace.files, workspace.git, workspace.places)
        with bulk.packing():
            blobs = {path: bulk.stored(path, data) for one in batch for path, data in one.files.items()}

        def edits() -> Mapping[RepoPath, Edit]:
            wanted()
            tip = workspace.repo.tip(workspace.settings.ref)
            copy = workspace.store.working_copy
            new = {path: blobs[path] for one in kept for path in one.files}
            new |= {path: copy.stored(path, data, keep=True) for path, data in profiles.items()}
            return {path: (workspace.repo.entry(tip, path), Entry(FILE, blob)) for path, blob in new.items()}

        return workspace.store.apply_found(edits, message)

    def _profiles(self, kept: Sequence[Derived]) -> dict[RepoPath, bytes]:
        """The files of the profile with what these segments tell of the user; what keeps one from it is noted."""
        self._unlearned = ()
        if not self._learning.explicit_preferences_enabled:
            return {}
        seen = {event: day for one in kept for event, day in one.seen.items()}
        try:
            edits = learned(self._workspace, [event for one in kept for event in one.events], seen)
        except Exception as error:  # noqa: BLE001 - a file that nobody can read costs what it would have learnt, and that later
            self._unlearned = (str(error) if isinstance(error, Error) else type(error).__name__,)
            return {}
        self._unlearned = edits.notes
        return dict(edits.files)

    def _tell(self, commit: CommitReport, kept: Sequence[Derived], profiles: Mapping[RepoPath, bytes]) -> None:
        if commit.changed:
            self._report.commits.append(commit)
        self._report.notes += self._unlearned
        self._report.profiles += [path for path in profiles if path not in self._report.profiles]
        for one in kept:
            self._report.closed.append(_closed(one))
            if one.trouble:
                self._report.notes.append(f"segment {one.segment.id}: {one.trouble}")
            self._remember(one)

    def _remember(self, one: Derived) -> None:
        """What follows in the background. A disk that is full costs that, not what was closed."""
        step = Step(ARCHIVE, one.folder, one.segment.first, one.segment.last)
        steps = [step] if self._learning.enabled and one.status is not Status.EMPTY else []
        if self._workspace.settings.facts.enabled and one.status is not Status.EMPTY:
            steps.append(replace(step, kind=FACTS))
        if one.status is Status.FAILED:
            steps.append(replace(step, kind=RECAP, reason=one.trouble))
        if self._unlearned and one.events:
            steps.append(replace(step, kind=PROFILE, reason=self._unlearned[0], tries=1))
        for each in steps:
            self._put(each)

    def _put(self, step: Step) -> None:
        try:
            self._queue.put(step)
        except OSError as error:
            self._report.notes.append(f"a step of closing cannot wait for later: {error.strerror}")


def _closed(one: Derived) -> Closed:
    segment = one.segment
    return Closed(
        segment.session,
        segment.id,
        segment.first,
        segment.last,
        len(segment.turns),
        segment.reason.value,
        one.status.value,
        one.recap,
        len(one.events),
        len(one.files) - 1,
    )


def _message(batch: Sequence[Derived]) -> str:
    """Ids and numbers only: a text that is forgotten must stand in no message either."""
    folders = list(dict.fromkeys(one.folder for one in batch))
    if len(folders) > 1:
        return f"recaps of {len(batch)} segments of {len(folders)} sessions\n\nMemtree-Writer: recap\n"
    short = short_folder(folders[0])
    turns = f"turns {batch[0].segment.first}-{batch[-1].segment.last}"
    what = "recap" if len(batch) == 1 else f"{len(batch)} recaps"
    trailers = "".join(f"Memtree-Segment: {one.segment.id}\n" for one in batch[:20])
    return f"{what} of {turns} of session {short}\n\nMemtree-Writer: recap\nMemtree-Session: {folders[0]}\n{trailers}"
