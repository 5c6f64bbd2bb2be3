"""Notices: what the system tells of changes in folders. The only module that imports watchfiles.

Its own loop blocks, follows links and drops what comes in the instant of a timeout. Here it is only looked at: at once, and so that
nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from memtree.tree.errors import TransientError

ADDED, MODIFIED, DELETED = 1, 2, 3  # a move is a deletion and an addition
Notice = tuple[int, str]  # what happened, and an absolute path


class NotWatched(TransientError):
    """The system does not tell of changes."""


class OutOfWatches(NotWatched):
    """The system has no more watches, or files that may be open, to give."""


class FolderVanished(NotWatched):
    """A folder that was to be watched is gone, or cannot be read."""


class Notices:
    """Collects what happens in folders (not below them) from the moment it is made; one thread at a time asks."""

    def __init__(self, folders: Iterable[str]) -> None:
        """Begin to watch; raise NotWatched."""
        try:
            self._source = RustNotify(list(folders), False, False, 0, False, False)
        except (FileNotFoundError, PermissionError) as error:
            raise FolderVanished("a folder cannot be watched: it is gone or not readable") from error
        except (OSError, WatchfilesRustInternalError) as error:
            raise _reason(str(error)) from error

    def look(self) -> set[Notice]:
        """What came since the last look, without waiting and in no order. Raise NotWatched: notices were lost and more will be."""
        try:
            found = self._source.watch(0, 0, 0, _Leaving())
        except _Nothing:
            return set()
        except WatchfilesRustInternalError as error:
            raise _reason(str(error)) from error
        if isinstance(found, str):
            raise NotWatched("a signal came while changes were looked at")
        return found

    def close(self) -> None:
        """End watching."""
        self._source.close()


class _Nothing(Exception):
    """There is nothing yet."""


class _Leaving:
    """Asked before each look at what has come. Two are needed to be given it; an error in the third leaves without dropping any."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = 2

    def is_set(self) -> bool:
        if not self._left:
            raise _Nothing
        self._left -= 1
        return False


def _reason(text: str) -> NotWatched:
    if "limit reached" in text or "os error 28" in text:
        hint = "let it give more: sudo sysctl fs.inotify.max_user_watches=524288 (in /etc/sysctl.d/ to keep it)"
        return OutOfWatches("the system has no more watches to give", hint=hint)
    if "os error 24" in text or "os error 23" in text:
        hint = "end other programs that watch files, or let the system give more: sudo sysctl fs.inotify.max_user_instances=1024"
        return OutOfWatches("too many files are open, or too many programs watch files", hint=hint)
    if "Unable to decode path" in text:
        return NotWatched("a file whose name is not UTF-8 changed", hint="rename it: names that are not UTF-8 cannot be watched")
    return NotWatched("the system stopped telling of changes")
