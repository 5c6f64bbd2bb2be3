"""DaemonLog: what the daemon did and met, one JSON object a line, in files that stay small and that only their owner reads.

A line says what happened and how much of it. It holds no text and no path of a note, and no secret. Several processes may write at
once: whoever writes holds a lock, so no line is torn, and none is lost when the files are turned over.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memtree.engine.locks import WriteLock
from memtree.hooks.log import harmless
from memtree.tree.errors import Error
from memtree.tree.redaction import without_credentials

NAME = "daemon.log"
LIMIT = 1024 * 1024  # bytes; then the file becomes an old one
OLD = 3  # of them are kept
LONGEST = 4000  # bytes of a line
_PATIENCE = 2.0  # seconds to wait for another writer
_TEXT, _ITEM, _WORD = 300, 80, 40  # characters of a text, of one in a list, of a name
_MOST = 16  # facts of a line, entries of a list
_SAFE_INTEGER = 2**63
_PIECE = 1 << 16
# From the folder before it to its ending, over spaces: names of notes hold them.
_NOTE = re.compile(r"(?i)[^\s\"']*/[^\n]*?\.md\b|[^\s\"']*\.md\b")


@dataclass(frozen=True, slots=True)
class DaemonLog:
    """The log in a workspace's state folder. `clock` gives epoch seconds; a file above `limit` bytes is turned over."""

    state: str
    clock: Callable[[], float] = time.time
    limit: int = LIMIT

    @property
    def path(self) -> str:
        return os.path.join(self.state, NAME)

    def event(self, kind: str, /, **facts: object) -> None:
        """Add a line: what happened, and facts such as counts, commit ids, or the exception that was met.

        Of an exception only its kind is told, since its message may name a note. A disk that takes nothing loses the line: the
        daemon must not fail for its log.
        """
        with contextlib.suppress(OSError, ValueError, OverflowError):
            self._add(_line(self.clock(), kind, facts))

    def read(self, last: int) -> list[dict[str, Any]]:
        """The last events, oldest first, out of all files; damaged lines are left out."""
        with self._turn():
            return self._last(last)

    def follow(self, last: int) -> tuple[list[dict[str, Any]], Following]:
        """The last events, and what tells those that come after them."""
        with self._turn():
            return self._last(last), Following(self.path)

    def _last(self, last: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for path in self._paths():
            if len(found) >= last:
                break
            found = [*events(_content(path).splitlines()), *found]
        return found[-last:] if last > 0 else []

    def _paths(self) -> list[str]:
        """The file that is written to, then the old ones, youngest first."""
        return [self.path, *(f"{self.path}.{age}" for age in range(1, OLD + 1))]

    def _add(self, line: bytes) -> None:
        with self._turn() as mine:
            if mine:
                self._turn_over()
            fd = _opened(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            try:
                size = os.fstat(fd).st_size
                if size > self.limit * 4:
                    return  # it cannot be turned over: it does not grow without end
                if size and os.pread(fd, 1, size - 1) != b"\n":
                    line = b"\n" + line  # the end of the last one got lost: it must not take this one along
                os.write(fd, line)
            finally:
                os.close(fd)

    @contextlib.contextmanager
    def _turn(self) -> Iterator[bool]:
        """Keep others from writing. False where that cannot be had: a line that is added all the same stays whole."""
        with contextlib.ExitStack() as stack:
            mine = False
            with contextlib.suppress(Error, OSError):
                stack.enter_context(WriteLock(f"{self.path}.lock", _PATIENCE).held())
                mine = True
            yield mine

    def _turn_over(self) -> None:
        """Make a full file the youngest old one; the oldest goes."""
        with contextlib.suppress(OSError):
            if os.lstat(self.path).st_size > self.limit:
                paths = self._paths()
                for younger, older in reversed(list(itertools.pairwise(paths))):
                    with contextlib.suppress(FileNotFoundError):
                        os.replace(younger, older)


class Following:
    """Reads what is added to a log from now on, also when its file is turned over."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._fd = self._open()
        self._begun = b""  # of a line that is not at its end yet
        if self._fd is not None:
            os.lseek(self._fd, 0, os.SEEK_END)

    def new(self) -> list[dict[str, Any]]:
        """The events since the last look."""
        found = list(self._rest())
        if self._is_turned_over():
            found += self._rest()  # what came before it was turned over
            self.close()
            self._fd = self._open()
            found += self._rest()
        return found

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
        self._fd, self._begun = None, b""

    def _open(self) -> int | None:
        with contextlib.suppress(OSError):
            return _opened(self._path, os.O_RDONLY)
        return None

    def _is_turned_over(self) -> bool:
        if self._fd is None:
            return True
        with contextlib.suppress(OSError):
            return not os.path.samestat(os.fstat(self._fd), os.lstat(self._path))
        return False

    def _rest(self) -> Iterator[dict[str, Any]]:
        data = self._begun
        while self._fd is not None and (piece := os.read(self._fd, _PIECE)):
            data += piece
        *lines, self._begun = data.split(b"\n")
        yield from events(lines)


def events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """What lines of the log say; those that are no event are left out."""
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("at"), str) and isinstance(event.get("event"), str):
            yield event


def _opened(path: str, how: int) -> int:
    """The log's file, for its owner alone. Raise OSError, also for what is no file."""
    fd = os.open(path, how | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(f"{path} is no file")
        if stat.S_IMODE(mode) & 0o077:
            os.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _content(path: str) -> bytes:
    with contextlib.suppress(OSError), os.fdopen(_opened(path, os.O_RDONLY), "rb") as file:
        return file.read(LIMIT * 8)
    return b""


# -- what a line holds


def _line(now: float, kind: str, facts: Mapping[str, object]) -> bytes:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03}Z"
    head: dict[str, object] = {"at": stamp, "event": _text(kind, _WORD)}
    told = {_text(key, _WORD): _fact(value) for key, value in itertools.islice(facts.items(), _MOST)}
    line = _encoded({**head, **{key: value for key, value in told.items() if key not in head}})
    if len(line) > LONGEST:
        line = _encoded({**head, "left_out": len(facts)})
    # What is harmless piece by piece may make a secret together, a name with the value behind it.
    text = line.decode()
    return line if without_credentials(text) == text else _encoded({**head, "withheld": len(facts)})


def _encoded(event: Mapping[str, object]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(", ", ": ")).encode("utf-8", "replace") + b"\n"


def _fact(value: object, depth: int = 0) -> object:
    """A value as it may stand in the log."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < _SAFE_INTEGER else "huge"
    if isinstance(value, float):
        return round(float(value), 3) if math.isfinite(value) else None
    if isinstance(value, str):
        return _text(value, _ITEM if depth else _TEXT)
    if isinstance(value, BaseException):
        return _text(_kind(value), _TEXT)
    if depth > 1:
        return type(value).__name__[:_WORD]
    if isinstance(value, Mapping):
        return {_text(str(key), _WORD): _fact(item, depth + 1) for key, item in itertools.islice(value.items(), _MOST)}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_fact(item, depth + 1) for item in itertools.islice(value, _MOST)]
    return type(value).__name__[:_WORD]


def _text(text: str, most: int) -> str:
    """A text without secrets, on one line, not endless, and without the path of a note as far as its ending tells it."""
    cut = text[: most * 8]
    if len(cut) < len(text):
        cut = cut.rpartition(" ")[0] or cut  # half a secret looks like none
    if ".md" in cut.lower():
        cut = _NOTE.sub("(a note)", without_credentials(cut))
    return harmless(cut, most)


def _kind(error: BaseException) -> str:
    """An error by its kind, the system's word for it, and for a bug its place: a message may be what stands in a note."""
    name = type(error).__name__
    if isinstance(error, Error):
        return name
    if isinstance(error, OSError):
        return f"{name}: {os.strerror(error.errno)}" if error.errno else name
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" in {os.path.basename(frame.tb_frame.f_code.co_filename)}, line {frame.tb_lineno}" if frame is not None else ""
    return f"{name}{where}"
