"""How memtree is called by another program: the words, and knowing them again in settings that hold many commands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from memtree.hooks.connect.errors import UnspeakableFolder

_MODULE = "memtree.tools"
_STARTS = (("-P", "-m", _MODULE), ("-m", _MODULE))  # behind an interpreter
_NAMES = ("memtree", "memtree.exe")


@dataclass(frozen=True, slots=True)
class Call:
    """A command of ours in settings: the workspace that it names ('' for none)."""

    root: str


def program_words(found: str | None, started_as: str, python: str) -> tuple[str, ...]:
    """The words that start memtree from anywhere.

    `found` is the program on PATH, `started_as` how this process was started, `python` the interpreter. No link is followed: an
    upgrade that puts another program behind the same name is followed by itself. An interpreter takes no file of the folder that it
    is called in for a module.
    """
    if found:
        return (os.path.abspath(found),)
    if os.path.basename(started_as) in _NAMES:
        return (os.path.abspath(started_as),)
    return (os.path.abspath(python), *_STARTS[0])


def call_words(program: Sequence[str], root: str, tail: Sequence[str]) -> list[str]:
    """The words that run a command (`tail`) on a workspace; raise UnspeakableFolder."""
    words = [*program, "-w", root, *tail]
    if any(not _speakable(word) for word in words):
        raise UnspeakableFolder(root)
    return words


def _speakable(word: str) -> bool:
    """Whether a word can stand in settings and be read back the same."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return not any(ord(letter) < 32 or ord(letter) == 127 for letter in word)


def shell_line(words: Sequence[str]) -> str:
    """The words as a line for a shell."""
    return shlex.join(words)


def shell_words(line: str) -> list[str]:
    """The words of a shell's line; [] where its quotes are not closed."""
    try:
        return shlex.split(line)
    except ValueError:
        return []


def recognised(words: Sequence[str], tail: Sequence[str]) -> Call | None:
    """The call that these words are, whatever the path of the program; None for anything that is not ours.

    Ours is a program called memtree, perhaps with a workspace, and then exactly `tail`. A line that does more is somebody's own.
    """
    if words and os.path.basename(words[0]) in _NAMES:
        rest = list(words[1:])
    elif (start := next((one for one in _STARTS if tuple(words[1 : len(one) + 1]) == one), None)) is not None:
        rest = list(words[len(start) + 1 :])
    else:
        return None
    if rest[-len(tail) :] != list(tail):
        return None
    match rest[: -len(tail)]:
        case []:
            return Call("")
        case ["-w" | "--workspace", root]:
            return Call(root)
    return None
