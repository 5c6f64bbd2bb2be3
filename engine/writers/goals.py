"""Long-term goals: listing, adding, editing and deleting those of MEMORY_GOALS.md.

What was edited there by hand is committed first and merged with, never overwritten. Each change is one commit, whose message does
not say what the goal says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.incoming import refuse_unportable
from memtree.engine.store.report import CommitReport
from memtree.engine.writers.on_disk import settled
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError
from memtree.tree.goal_edits import Standing, highest_given, remembers, size_of, standing, with_goal, with_text, without_goal
from memtree.tree.goal_text import goal_text
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

GOALS = RepoPath("MEMORY_GOALS.md")
LARGEST = 1 << 20  # bytes of a file that is read
_NAMED = 30  # labels in a note
_VERSIONS = 500  # of the file that are looked through for labels
_WRITER = "Memtree-Writer: "
_HELD = f"{GOALS} is held back (memtree status): this is committed, and comes to the file when that is"


class GoalsUnreadable(UserError):
    """The file is there, and is none of goals: it is not read as an empty one."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{GOALS} {reason}", hint="put a markdown file in its place, or move it away")


class GoalsHeld(StateError):
    """The file on the disk shows other goals than the last commit, which an agent would go by: what it does not see is not gone."""

    def __init__(self) -> None:
        super().__init__(f"{GOALS} on the disk has goals that are not committed", hint="memtree status says why; then try again")


@dataclass(frozen=True, slots=True)
class GoalItem:
    """A goal with its lines in the file, from 1."""

    id: str
    text: str
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class GoalsView:
    """The goals in their order; `exists` is False where there is no file yet, `size` the bytes that count against the limit."""

    goals: tuple[GoalItem, ...]
    exists: bool
    size: int
    notes: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """The list as it is written, each goal on one line."""
        return "\n".join(f"- [{goal.id}] {' '.join(goal.text.split())}" for goal in self.goals)


@dataclass(frozen=True, slots=True)
class GoalReport:
    """What a change did. `message` is for whoever asked; `line` is where the goal stands now, 0 for one that is gone.

    `on_disk` is False when the file is held back: the change is in the commit, and comes to the file when that is committed.
    """

    message: str
    id: str
    text: str
    line: int
    commit: CommitReport
    on_disk: bool = True
    notes: tuple[str, ...] = ()


def list_goals(workspace: Workspace) -> GoalsView:
    """The goals as they are now, edits of a moment ago included. Raise GoalsUnreadable."""
    notes: list[str] = []
    try:
        workspace.capture.take(automatic=True, only=(GOALS,))
    except (StateError, TransientError, CorruptionError) as error:
        notes.append(f"recent edits of {GOALS} are not seen: {error}")
    data = goals_at_tip(workspace)
    goals = standing(data or b"")
    twice = [label for label, count in sorted(Counter(goal.label for goal in goals).items()) if count > 1]
    if twice:
        names = ", ".join([f"g{label}" for label in twice[:_NAMED]] + ["…"] * (len(twice) > _NAMED))
        notes.append(f"more than one goal has the label {names}: give each its own in {GOALS}")
    if not _is_on_disk(workspace):
        notes.append(f"{GOALS} on the disk has edits that are not committed (memtree status)")
    return GoalsView(tuple(map(_item, goals)), data is not None, size_of(goals), tuple(notes))


def add_goal(workspace: Workspace, text: str, *, trailers: str = "") -> GoalReport:
    """Commit one goal more. Raise UnfitGoal, GoalsFull, GoalsTooLong, SameGoal, GoalsFileOpen, GoalsUnreadable."""
    words = goal_text(text)
    commit, label = _changed(
        workspace, lambda data: with_goal(data, words, above=given_before(workspace, data)), "add a goal", trailers
    )
    return _reported(workspace, "Added", commit, label, words)


def edit_goal(workspace: Workspace, goal_id: str, text: str, *, trailers: str = "") -> GoalReport:
    """Commit another text for a goal. Raise NoSuchGoal, LabelTwice, and what `add_goal` raises."""
    words = goal_text(text)
    commit, label = _changed(workspace, lambda data: with_text(data, goal_id, words), "edit a goal", trailers)
    return _reported(workspace, "Edited", commit, label, words)


def delete_goal(workspace: Workspace, goal_id: str, *, trailers: str = "") -> GoalReport:
    """Commit the list without a goal. Raise NoSuchGoal, LabelTwice, GoalsFileOpen, GoalsUnreadable."""
    commit, label = _changed(workspace, lambda data: without_goal(data, goal_id), "delete a goal", trailers)
    return _reported(workspace, "Deleted", commit, label, "")


def change_goals(workspace: Workspace, change: Callable[[bytes], bytes], subject: str, *, trailers: str = "") -> CommitReport:
    """Commit what a function makes of the file's bytes; it is asked under the lock, and again when the file changed meanwhile.

    What it raises comes through, and nothing is committed then. Raise GoalsUnreadable, and InvalidPath for a `memory_goals.md`.
    """
    workspace.capture.take(automatic=True, only=(GOALS,))

    def contents() -> dict[RepoPath, bytes | None]:
        refuse_unportable(workspace.repo, workspace.repo.tip(workspace.settings.ref), GOALS)
        data = goals_at_tip(workspace) or b""
        made = change(data)
        return {GOALS: made} if made != data else {}

    return workspace.store.write(contents, message=_message(subject, trailers))


def goals_file(workspace: Workspace) -> bytes:
    """The file as it is now, edits of a moment ago included, b"" for none.

    Raise GoalsUnreadable, GoalsHeld, and what a capture raises.
    """
    workspace.capture.take(automatic=True, only=(GOALS,))
    data = goals_at_tip(workspace)
    if not _is_on_disk(workspace):
        raise GoalsHeld
    return data or b""


def given_before(workspace: Workspace, data: bytes) -> int:
    """The highest label that the file on the disk or, where the file itself remembers none, a former version knows, 0 for none."""
    highest = _highest_on_disk(workspace)
    if remembers(data) or workspace.repo.tip(workspace.settings.ref) is None:
        return highest
    words = ("log", "--full-history", f"--max-count={_VERSIONS}", "--format=%H", workspace.settings.ref, "--", GOALS)
    for commit in workspace.git.run(*words).decode().split():
        found = workspace.repo.entry(CommitId(commit), GOALS)
        if found is not None and found.is_file and workspace.repo.size(found.id) <= LARGEST:
            highest = max(highest, highest_given(workspace.repo.blob(found.id)))
    return highest


def _changed(
    workspace: Workspace, change: Callable[[bytes], tuple[bytes, int]], subject: str, trailers: str
) -> tuple[CommitReport, int]:
    label = 0

    def made(data: bytes) -> bytes:
        nonlocal label
        after, label = change(data)
        return after

    return change_goals(workspace, made, subject, trailers=trailers), label


def _message(subject: str, trailers: str) -> str:
    lines = [line.strip() for line in trailers.splitlines() if line.strip()]
    own = [] if any(line.startswith(_WRITER) for line in lines) else [f"{_WRITER}goals"]
    return "\n".join((subject, "", *own, *lines, ""))


def _reported(workspace: Workspace, verb: str, commit: CommitReport, label: int, words: str) -> GoalReport:
    data = goals_at_tip(workspace)
    # An edit that raced in may have brought a goal of the same label: one of them has another label now.
    goal = next((one for one in standing(data or b"") if words and one.text == words), None)
    name = goal.name if goal is not None else f"g{label}"
    there = _is_on_disk(workspace)
    return GoalReport(
        message=f"{verb} goal {name}.",
        id=name,
        text=words,
        line=goal.first_line if goal is not None else 0,
        commit=commit,
        on_disk=there,
        notes=() if there else (_HELD,),
    )


def goals_at_tip(workspace: Workspace) -> bytes | None:
    """The committed file, None where there is none. Raise GoalsUnreadable."""
    found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), GOALS)
    if found is None:
        return None
    if not found.is_file:
        raise GoalsUnreadable("is a symbolic link or a folder")
    if workspace.repo.size(found.id) > LARGEST:
        raise GoalsUnreadable(f"has more than {LARGEST:,} bytes")
    data = workspace.repo.blob(found.id)
    if b"\0" in data:
        raise GoalsUnreadable("is not text in UTF-8")
    return data


def _highest_on_disk(workspace: Workspace) -> int:
    try:
        return highest_given(workspace.store.working_copy.content(GOALS) or b"")
    except (Error, OSError):
        return 0


def _is_on_disk(workspace: Workspace) -> bool:
    """Whether the file shows the goals of the commit."""

    def same() -> bool:
        committed = goals_at_tip(workspace)
        try:
            shown = workspace.store.working_copy.content(GOALS)
        except (Error, OSError):
            return False
        return [_item(goal) for goal in standing(shown or b"")] == [_item(goal) for goal in standing(committed or b"")]

    return settled(workspace, same)


def _item(goal: Standing) -> GoalItem:
    return GoalItem(goal.name, goal.text, goal.first_line, goal.last_line)
