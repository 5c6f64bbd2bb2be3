"""Finding: which files of an agent's home are its transcripts, and which its own memory. Links are never followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator

from memtree.engine.transcripts.lines import UnreadableTranscript
from memtree.engine.transcripts.reading import CLAUDE_CODE, CODEX, OPENCLAW

Tell = Callable[[str, str], None]  # a path and why it was passed over
_Names = tuple[str, ...]  # of the folders below the one that is walked, and of the file
_Chosen = Callable[[_Names], bool]
_Places = Iterator[tuple[str, _Chosen]]

_DAILY = re.compile(r"\d{4}-\d\d-\d\d.*\.md", re.DOTALL)
_DURABLE = ("MEMORY.md", "USER.md", "DREAMS.md")
_DEEP = 12  # folders


def _untold(_path: str, _reason: str) -> None:
    pass


def transcript_files(agent: str, root: str | os.PathLike[str], tell: Tell = _untold) -> tuple[str, ...]:
    """The transcripts of an agent below `root` (its home, or any folder), oldest first where their names tell.

    A file that is named itself is taken whatever its name. Raise UnreadableTranscript when nothing is there.
    """
    found = _files(os.fspath(root), _TRANSCRIPTS[agent], tell)
    return tuple(sorted(found, key=lambda path: (os.path.basename(path), path))) if agent == CODEX else tuple(sorted(found))


def memory_files(agent: str, root: str | os.PathLike[str], tell: Tell = _untold) -> tuple[str, ...]:
    """The notes that an agent keeps itself below `root` (its home, or the folder that holds them), by path.

    What tells an agent who it is and how to behave (SOUL.md, IDENTITY.md, AGENTS.md) is no memory. Raise UnreadableTranscript when
    nothing is there.
    """
    return tuple(sorted(_files(os.fspath(root), _MEMORIES[agent], tell)))


def _claude_transcripts(root: str) -> _Places:
    projects = os.path.join(root, "projects")
    if os.path.isdir(projects):
        yield projects, lambda names: len(names) == 2 and names[1].endswith(".jsonl")
    else:  # a sub-agent's talk lies below the session that it was asked in
        yield root, lambda names: names[-1].endswith(".jsonl") and "subagents" not in names


def _codex_transcripts(root: str) -> _Places:
    for folder in _these_or(root, "sessions", "archived_sessions"):
        yield folder, lambda names: names[-1].startswith("rollout-") and names[-1].endswith(".jsonl")


def _openclaw_transcripts(root: str) -> _Places:
    agents, sessions = os.path.join(root, "agents"), os.path.join(root, "sessions")
    if os.path.isdir(agents):
        yield agents, lambda names: len(names) == 3 and names[1] == "sessions" and names[2].endswith(".jsonl")
    if os.path.isdir(sessions):
        yield sessions, lambda names: len(names) == 1 and names[0].endswith(".jsonl")
    if not os.path.isdir(agents) and not os.path.isdir(sessions):
        yield root, lambda names: names[-1].endswith(".jsonl")


def _claude_memories(root: str) -> _Places:
    projects = os.path.join(root, "projects")
    if os.path.isdir(projects):
        yield projects, lambda names: len(names) == 3 and names[1] == "memory" and names[2].endswith(".md")
    elif os.path.basename(os.path.abspath(root)) == "memory":
        yield root, lambda names: len(names) == 1 and names[0].endswith(".md")
    else:
        yield root, lambda names: names[-2:-1] == ("memory",) and names[-1].endswith(".md")


def _codex_memories(root: str) -> _Places:
    if os.path.basename(os.path.abspath(root)).startswith("memories"):
        yield root, lambda names: names[-1].endswith(".md")
    for name in ("memories_v2", "memories"):
        if os.path.isdir(os.path.join(root, name)):
            yield os.path.join(root, name), lambda names: names[-1].endswith(".md")


def _openclaw_memories(root: str) -> _Places:
    for folder in _these_or(root, "workspace"):
        yield folder, _is_openclaw_memory


def _is_openclaw_memory(names: _Names) -> bool:
    if len(names) == 2 and names[0] == "memory":
        return _DAILY.fullmatch(names[1]) is not None
    return len(names) == 1 and names[0] in _DURABLE


def _these_or(root: str, *names: str) -> list[str]:
    return [folder for name in names if os.path.isdir(folder := os.path.join(root, name))] or [root]


_TRANSCRIPTS = {CLAUDE_CODE: _claude_transcripts, CODEX: _codex_transcripts, OPENCLAW: _openclaw_transcripts}
_MEMORIES = {CLAUDE_CODE: _claude_memories, CODEX: _codex_memories, OPENCLAW: _openclaw_memories}


def _files(root: str, places: Callable[[str], _Places], tell: Tell) -> list[str]:
    if not os.path.isdir(root):
        if not os.path.exists(root):
            raise UnreadableTranscript(root, "no such file or folder")
        return [root]
    return [
        os.path.join(folder, *names)
        for folder, chosen in places(root)
        if folder == root or not _is_link(folder, tell)
        for names in _walk(folder, tell)
        if chosen(names)
    ]


def _is_link(path: str, tell: Tell) -> bool:
    if os.path.islink(path):
        tell(path, "a symbolic link")
        return True
    return False


def _walk(folder: str, tell: Tell) -> Iterator[_Names]:
    """Every ordinary file below a folder, as the names that lead to it. Git's folders hold no notes."""
    below: list[_Names] = [()]
    while below:
        names = below.pop()
        try:
            with os.scandir(os.path.join(folder, *names)) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            tell(os.path.join(folder, *names), f"not readable ({error.strerror or error})")
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git" and len(names) < _DEEP:
                    below.append((*names, entry.name))
            elif entry.is_file(follow_symlinks=False):
                yield *names, entry.name
            elif entry.is_symlink() and entry.name.endswith((".jsonl", ".md")):
                tell(entry.path, "a symbolic link")
