"""What can go wrong with another program's settings."""

from __future__ import annotations

from memtree.tree.errors import StateError, TransientError, UserError


class Misshapen(ValueError):
    """Settings hold something else than they should: why, and under which keys, outermost first."""

    def __init__(self, reason: str, *keys: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.keys = keys


class Misread(ValueError):
    """A text is not what it should be: why, and where (line and column count from 1; 0 where no place can be told)."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class UnusableSettings(UserError):
    """A settings file cannot be edited safely; nothing was written."""

    def __init__(self, path: str, misread: Misread, by_hand: str) -> None:
        where = f"{path}:{misread.line}:{misread.column}" if misread.line else path
        super().__init__(f"{where}: {misread.reason}; nothing was written", hint=by_hand)
        self.path = path
        self.line = misread.line
        self.column = misread.column
        self.reason = misread.reason


class NoHome(UserError):
    """There is no home folder to look for settings in."""

    def __init__(self, home: str) -> None:
        super().__init__(
            f"the home folder {home} does not exist" if home else "HOME is not set", hint="set HOME to your home folder"
        )
        self.home = home


class UnspeakableFolder(UserError):
    """The workspace's path cannot be written into settings."""

    def __init__(self, root: str) -> None:
        super().__init__(
            f"the name {root!r} is not UTF-8 or holds a control character", hint="rename the folder; settings cannot hold its name"
        )
        self.root = root


class NotASettingsFile(UserError):
    """What has the name of the settings is no file."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is a folder, or a link that leads nowhere", hint="move it away")
        self.path = path


class ReadOnlySettings(StateError):
    """Somebody made the settings file read-only, which is respected."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is read-only", hint="allow writing (chmod u+w), or make the change where that file is generated from"
        )
        self.path = path


class UnsteadySettings(TransientError):
    """Another program went on writing the settings file, or holds its folder."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is being changed by another program", hint="close the agent and run the same command again")
        self.path = path
