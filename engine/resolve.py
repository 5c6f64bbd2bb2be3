"""Resolve: an open conflict is settled by an ordinary edit, which travels as one. Unsaved edits of the file are merged with."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.conflicts import Form, OpenConflict, OpenConflicts
from memtree.engine.store.report import CommitReport
from memtree.engine.workspace import Workspace
from memtree.tree.conflict_choices import Choice, Every, OneValue, Take, choices_in, taken
from memtree.tree.errors import UserError
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath

_LISTS = "memtree conflicts lists what is open"


class NoConflict(UserError):
    def __init__(self, path: RepoPath) -> None:
        super().__init__(f"no conflict is open in {path}", hint=_LISTS)
        self.path = path


class UnknownConflict(UserError):
    def __init__(self, path: RepoPath, wanted: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no conflict {wanted} is open in {path}", hint=f"there is {', '.join(known)}; {_LISTS}")
        self.path = path
        self.known = known


class SeveralConflicts(UserError):
    def __init__(self, path: RepoPath, found: list[OpenConflict]) -> None:
        places = ", ".join(f"{one.id} ({_place(one)})" for one in found)
        super().__init__(
            f"{len(found)} conflicts are open in {path}: {places}",
            hint=f"choose one: memtree resolve {path} --conflict {found[0].id}",
        )
        self.path = path
        self.known = tuple(one.id for one in found)


class NoSuchVersion(UserError):
    def __init__(self, conflict: OpenConflict, take: object) -> None:
        several = f"1 to {len(conflict.versions)}" if len(conflict.versions) > 1 else "1"
        super().__init__(
            f"there is no version {take} of conflict {conflict.id} in {conflict.path}",
            hint=f"--take {several}; memtree resolve {conflict.path} --conflict {conflict.id} shows them",
        )


class NotForThis(UserError):
    """`all` or `none` where it means nothing."""

    def __init__(self, conflict: OpenConflict, take: Every) -> None:
        if conflict.form is Form.VALUE:
            reason = f"the front matter holds one value of {conflict.key}"
        else:
            reason = f"{conflict.path} and {conflict.second} are two files already"
        hint = (
            "--take 1 or --take 2; or put what you want into one file and delete the other"
            if conflict.second
            else "--take a number"
        )
        super().__init__(f"--take {take.value} means nothing here: {reason}", hint=hint)


class SettledMeanwhile(UserError):
    """The file on disk no longer holds the conflict as it is listed."""

    def __init__(self, conflict: OpenConflict) -> None:
        super().__init__(
            f"conflict {conflict.id} is not in {conflict.path} any more as it was saved last: the file was edited since",
            hint="memtree save, then memtree conflicts",
        )


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a resolution did. `left` conflicts stand open after it."""

    conflict: OpenConflict
    commit: CommitReport
    left: int
    notes: tuple[str, ...]


def _place(conflict: OpenConflict) -> str:
    return f"beside {conflict.second}" if conflict.second else f"lines {conflict.first_line}-{conflict.last_line}"


def find(workspace: Workspace, path: RepoPath, wanted: str | None) -> OpenConflict:
    """The open conflict that a path and perhaps an id name; raise NoConflict, UnknownConflict or SeveralConflicts."""
    found = OpenConflicts(workspace.repo, workspace.places.folder).of(path)
    if not found:
        raise NoConflict(path)
    if wanted is not None:
        chosen = next((one for one in found if one.id == wanted), None)
        if chosen is None:
            raise UnknownConflict(path, wanted, tuple(one.id for one in found))
        return chosen
    if len(found) > 1:
        raise SeveralConflicts(path, found)
    return found[0]


def resolve(workspace: Workspace, conflict: OpenConflict, take: Take) -> Resolved:
    """Settle a conflict with one of its versions, with all or none of a callout's, and commit that. Raise UserErrors."""
    contents, bases = _files(workspace, conflict, take) if conflict.second else _callout(workspace, conflict, take)
    message = f"resolve conflict {conflict.id} in {conflict.path}\n\nMemtree-Writer: cli\n"
    commit = workspace.write(contents, message, bases=bases)
    left = OpenConflicts(workspace.repo, workspace.places.folder).count()
    return Resolved(conflict, commit, left, (*workspace.said(), *workspace.refresh_index()))


Contents = dict[RepoPath, bytes | None]
Bases = dict[RepoPath, Entry | None]


def _callout(workspace: Workspace, conflict: OpenConflict, take: Take) -> tuple[Contents, Bases]:
    entry, data = _present(workspace, conflict, conflict.path)
    choice = _standing(conflict, data)
    try:
        settled = taken(data, choice, take)
    except OneValue as error:
        raise NotForThis(conflict, Every.ALL) from error
    except IndexError as error:
        raise NoSuchVersion(conflict, take) from error
    return {conflict.path: settled}, {conflict.path: entry}


def _standing(conflict: OpenConflict, data: bytes) -> Choice:
    """The callout as it is on the disk: a number must mean the version that it was shown beside."""
    shown = tuple(version.text for version in conflict.versions)
    for choice in choices_in(data):
        if choice.id == conflict.id and tuple(text.decode("utf-8", "replace") for text in choice.versions) == shown:
            return choice
    raise SettledMeanwhile(conflict)


def _files(workspace: Workspace, conflict: OpenConflict, take: Take) -> tuple[Contents, Bases]:
    if isinstance(take, Every):
        raise NotForThis(conflict, take)
    if take not in (1, 2):
        raise NoSuchVersion(conflict, take)
    assert conflict.second is not None
    second, data = _present(workspace, conflict, conflict.second)
    if take == 1:
        return {conflict.second: None}, {conflict.second: second}
    first, _ = _present(workspace, conflict, conflict.path)
    return {conflict.path: data, conflict.second: None}, {conflict.path: first, conflict.second: second}


def _present(workspace: Workspace, conflict: OpenConflict, path: RepoPath) -> tuple[Entry, bytes]:
    """A file as it is on the disk: unsaved edits are what the version is taken from, and are committed below the resolution."""
    entry = workspace.store.working_copy.look(path, store=True).entry
    if entry is None or not entry.is_file:
        raise SettledMeanwhile(conflict)
    return entry, workspace.repo.blob(entry.id)
