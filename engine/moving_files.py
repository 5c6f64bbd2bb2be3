"""Moving files: a file that is cut short, replaced or taken away just while libgit2 looks at it fails the whole look."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from memtree.tree.errors import TransientError

T = TypeVar("T")

_TRIES = 100
_PAUSE = 0.005  # seconds; whoever truncates a file to write it anew is done soon
_WORDS = ("error reading file for hashing", "could not find '", "failed to stat file '")  # libgit2's, for a file that moved
_INDEX_WORDS = ("index", "could not read (expected ")  # libgit2's, for an index that it cannot make sense of


class FilesKeepChanging(TransientError):
    def __init__(self) -> None:
        super().__init__("files kept changing while they were looked at", hint="try again when the other program is done")


def steadily(look: Callable[[], T]) -> T:
    """What the look finds, made again while files change under it; raise FilesKeepChanging when they never stop."""
    for _ in range(_TRIES):
        try:
            return look()
        except Exception as error:  # libgit2's are known by their words alone
            if not any(words in str(error) for words in _WORDS):
                raise
        time.sleep(_PAUSE)
    raise FilesKeepChanging


def at_second_sight(look: Callable[[], T]) -> T:
    """What a look at git's index finds; one that cannot read it is made again, and fails for good when the third one does.

    The index can be read in the very moment in which another program puts a new one in its place: libgit2 takes the size of the one
    and the bytes of the other.
    """
    for _ in range(2):
        try:
            return look()
        except Exception as error:  # libgit2's are known by their words alone
            if not any(words in str(error) for words in _INDEX_WORDS):
                raise
        time.sleep(_PAUSE)
    return look()


def while_git_packs(write: Callable[[], T]) -> T:
    """An object, written. It is written again where git, packing meanwhile, took away the empty folder that it goes into."""
    for _ in range(_TRIES):
        try:
            return write()
        except OSError as error:  # libgit2's, without a number
            if "No such file or directory" not in str(error):
                raise
    return write()
