"""The librarian: the one machine that does the work which two machines would do differently, such as asking a model.

`librarian` in `memtree.toml` names it, so that all machines agree. Where nobody is named, the one machine of a workspace without a
remote is it, and one with a remote has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.settings import FILE_NAME, InvalidSettings, parse
from memtree.engine.store.report import CommitReport
from memtree.tree.errors import StateError
from memtree.tree.paths import RepoPath
from memtree.tree.toml_line import with_top_text

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

KEY = "librarian"
_SETTINGS = RepoPath(FILE_NAME)
_UNNAMED = "unnamed"


class NotTheLibrarian(StateError):
    """Work that another machine does, or nobody yet."""

    def __init__(self, librarian: str) -> None:
        who = f"{librarian} is the librarian" if librarian else "no machine is the librarian"
        super().__init__(f"this is not done on this machine: {who}", hint="memtree librarian take makes this machine the one")
        self.librarian = librarian


class MachineUnnamed(StateError):
    def __init__(self) -> None:
        super().__init__("this machine has no name to be known by", hint="give it one: git config memtree.device NAME")


@dataclass(frozen=True, slots=True)
class Taken:
    """This machine is the librarian; `before` is who was, '' for nobody."""

    librarian: str
    before: str
    commit: CommitReport


def librarian_of(workspace: Workspace) -> str:
    """The name of the machine that is the librarian, '' for none. Raise what reading the remotes raises."""
    if workspace.settings.librarian:
        return workspace.settings.librarian
    return workspace.device if not workspace.remotes.all() else ""


def is_librarian(workspace: Workspace) -> bool:
    """Whether this machine does what only one of them does."""
    return librarian_of(workspace) == workspace.device


def require_librarian(workspace: Workspace) -> None:
    """Raise NotTheLibrarian on any other machine."""
    found = librarian_of(workspace)
    if found != workspace.device:
        raise NotTheLibrarian(found)


def take(workspace: Workspace) -> Taken:
    """Commit settings that name this machine; no other byte of them changes. Raise NotSettable, MachineUnnamed, InvalidSettings.

    Edits of the file that were made by hand are committed first. The open workspace goes by the new setting too.
    """
    if workspace.device == _UNNAMED:
        raise MachineUnnamed
    before = librarian_of(workspace)
    workspace.capture.take(automatic=True, only=(_SETTINGS,))

    def contents() -> dict[RepoPath, bytes | None]:
        found = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), _SETTINGS)
        if found is None or not found.is_file:
            raise InvalidSettings(FILE_NAME, "it is not a file in the last commit")
        data = workspace.repo.blob(found.id)
        if parse(data).librarian == workspace.device:
            return {}
        return {_SETTINGS: with_top_text(data.decode("utf-8"), KEY, workspace.device).encode("utf-8")}

    commit = workspace.store.write(contents, message=f"{workspace.device} is the librarian\n\nMemtree-Writer: cli\n")
    workspace.settings = replace(workspace.settings, librarian=workspace.device)
    return Taken(workspace.device, before, commit)
