"""What can go wrong with the hooks of a repository."""

from __future__ import annotations

from memtree.hooks.githooks.scripts import BY_HAND, NAMES
from memtree.tree.errors import StateError, UserError


class HooksElsewhere(UserError):
    """Git takes the hooks from a folder that is tracked, or that other repositories share: it is not written to."""

    def __init__(self, folder: str, setting: bool) -> None:
        why = "core.hooksPath" if setting else "a link"
        super().__init__(
            f"git takes this repository's hooks from {folder} ({why}), outside its git directory; nothing was written there",
            hint=f"add this as the last line of {', '.join(NAMES)} there, making them where they are missing: {BY_HAND}",
        )
        self.folder = folder


class HookInTheWay(StateError):
    """The hook of a name cannot be kept beside: something has that name already. Nothing was changed."""

    def __init__(self, path: str, beside: str) -> None:
        super().__init__(
            f"{path} is not memtree's, and the name under which it would be kept, {beside}, is taken",
            hint="make one file of the two, or move the second away, and run the same command again",
        )
        self.path = path
        self.beside = beside


class HooksUnwritable(StateError):
    """The folder of the hooks cannot be written to. What was changed before that stays sound: each hook by itself."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}", hint="see to it that you may write there, and run the same command again")
        self.path = path
        self.reason = reason


class UnspeakableProgram(UserError):
    """The path of the program cannot stand in a script."""

    def __init__(self, program: str) -> None:
        super().__init__(f"the path {program!r} holds a line end", hint="install memtree under another path")
        self.program = program
