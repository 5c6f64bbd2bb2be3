"""query_memory: the lines of the files at HEAD that hold a text or match an expression. It needs no index, and no git program.

A file is read where it lies, and counts when its bytes are those that HEAD holds; else HEAD's are read. So what is found is what is
committed, never an edit that is held back, and a link leads nowhere.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.reading import LARGEST, is_settings
from memtree.engine.window import last_changes, paths_changed_between
from memtree.indexers.linear_regex import Expression, expression, literal, whole
from memtree.indexers.records import glob_pattern
from memtree.tree.errors import UserError
from memtree.tree.file_time import file_time
from memtree.tree.kinds import Kind, is_binary, is_text, kind_of
from memtree.tree.objects import CommitId, Entry
from memtree.tree.paths import RepoPath, refusal
from memtree.tree.secrets import find_secrets

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.tree.redactor import Redactor

MOST = 200  # lines of one answer
MOST_CONTEXT = 5  # lines before and behind each
LINE = 400  # characters of a line that are shown
ORDER = "newest file first, by the time it tells of itself, else by its last commit; in a file from top to bottom"
_AROUND = 4_000  # bytes of a line that are looked at for secrets, on both sides of what matches
_BLOCK = 16_384  # bytes searched at once: between two blocks it shows whether an expression takes too long
_WIDEST = 262_144  # bytes of a line in which an expression is looked for
_PATIENCE = 10.0  # seconds of computing that an expression may take
_KEY_BEGINS = b"-----BEGIN "  # of the one kind of secret that takes several lines
_NO_CASE = re.compile(r"\\[pP](?:\{\^?\w+\}|\w)|\\x\{?[0-9A-Fa-f]+\}?|\\.|\(\?P?<\w+>|\[:\w+:\]", re.ASCII)


class BadSearch(UserError):
    """A parameter that cannot be used."""


class TooSlow(UserError):
    """An expression that takes too long."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the expression took more than {seconds:g} s of computing",
            hint="write a simpler one, or narrow the path, kinds or time",
        )


class FileQuery(NamedTuple):
    """What is looked for. `ignore_case` None ignores case where the pattern has no capital letter.

    `path` is a folder, a file or a glob, from the root. `since` and `until` are epoch seconds, inclusive: a file with a time of its
    own is judged by that, another one by whether it was changed in between.
    """

    pattern: str
    regex: bool = False
    ignore_case: bool | None = None
    path: str = ""
    kinds: tuple[Kind, ...] = ()
    since: int | None = None
    until: int | None = None
    limit: int = 20
    context: int = 0


class LineHit(NamedTuple):
    """A line that matches, its number counted from 1, with the lines around it that were asked for. `time` is the file's own."""

    path: RepoPath
    line: int
    text: str
    kind: Kind
    time: int | None
    commit: CommitId
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class FileAnswer(NamedTuple):
    """Lines in the order of `ORDER`; `total` is how many there are without the limit, in `matched` of the `files` looked at."""

    hits: tuple[LineHit, ...]
    total: int
    matched: int
    files: int
    commit: CommitId | None
    notes: tuple[str, ...] = ()

    @property
    def truncated(self) -> bool:
        return self.total > len(self.hits)


class _Found(NamedTuple):
    path: RepoPath
    entry: Entry
    kind: Kind
    time: int | None
    lines: int


def search_files(workspace: Workspace, query: FileQuery, *, clock: Callable[[], float] = time.thread_time) -> FileAnswer:
    """The matching lines of the text files at HEAD in the scope; what is not committed is not looked at.

    `clock` tells seconds of computing. Raise BadPattern, BadSearch, TooSlow.
    """
    query = _checked(query)
    looked_for = _Lines(query, clock)
    commit = workspace.repo.tip("HEAD")
    if commit is None:
        return FileAnswer((), 0, 0, 0, None, ("nothing has been saved here yet",))
    files = list(_files(workspace, query, commit))
    changed = _changed(workspace, query, commit)
    found = []
    for path, entry, kind in files:
        data = _text(workspace, path, entry)
        lines = looked_for.count(data) if data else 0
        if lines and _timely(own := file_time(path, data), path, query, changed):
            found.append(_Found(path, entry, kind, own, lines))
    hits = tuple(_hits(workspace, _ordered(workspace, commit, found), query, looked_for, commit))
    notes = [] if files or not query.path else [f"no text file at HEAD lies in {query.path}, with what else was asked for"]
    if looked_for.cut:
        notes.append(f"of lines with more than {_WIDEST:,} bytes only the beginning was looked at")
    return FileAnswer(hits, sum(one.lines for one in found), len(found), len(files), commit, tuple(notes))


def _checked(query: FileQuery) -> FileQuery:
    if not 1 <= query.limit <= MOST:
        raise BadSearch(
            f"a limit of {query.limit:,} is not from 1 to {MOST}", hint=f"ask for 1 to {MOST} lines; a path narrows more"
        )
    if not 0 <= query.context <= MOST_CONTEXT:
        raise BadSearch(f"{query.context:,} lines of context are not from 0 to {MOST_CONTEXT}", hint="read the file for more")
    if query.since is not None and query.until is not None and query.since > query.until:
        raise BadSearch("the time begins after its end", hint="exchange since and until")
    path = query.path.strip()
    if path in ("", ".", "/"):
        return query._replace(path="")
    path = path.removeprefix("./").rstrip("/")
    reason = "it is longer than 4,096 characters" if len(path) > 4_096 else refusal(path)
    if reason:
        raise BadSearch(f"the path is refused: {reason}", hint="name a folder or a file from the workspace's root, or a glob")
    return query._replace(path=path)


def _files(workspace: Workspace, query: FileQuery, commit: CommitId) -> Iterator[tuple[RepoPath, Entry, Kind]]:
    """The files to be looked at: in scope, perhaps text, and admitted by path and kind."""
    scope, content = workspace.scope(), workspace.settings.content
    glob = whole(glob_pattern(query.path)) if set("*?") & set(query.path) else None
    folder = "" if glob is not None else query.path
    entry = workspace.repo.entry(commit, folder) if folder else None
    every = [(RepoPath(folder), entry)] if entry is not None and entry.is_file else workspace.repo.files(commit, folder)
    for path, one in every:
        if not one.is_file or is_binary(path) or is_settings(path) or not scope.indexes(path):
            continue
        kind = kind_of(path, content)
        if (not query.kinds or kind in query.kinds) and (glob is None or path.startswith(f"{query.path}/") or glob.fits(path)):
            yield path, one, kind


def _text(workspace: Workspace, path: RepoPath, entry: Entry) -> bytes:
    """A file's bytes as HEAD holds them, its line ends as LF; b"" for what is no text."""
    data = _on_disk(os.path.join(workspace.root, path))
    if data is None or _blob_id(data) != entry.id:
        data = workspace.repo.blob(entry.id)
    if not is_text(path, data):
        return b""
    data = data.removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _blob_id(data: bytes) -> str:
    """What git calls a file of these bytes: libgit2 tells too, but takes three times as long."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _on_disk(full: str) -> bytes | None:
    """The bytes that lie there now, None where no ordinary file does. Whoever uses them compares their hash."""
    try:
        fd = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        info = os.fstat(fd)
        return os.read(fd, info.st_size + 1) if stat.S_ISREG(info.st_mode) and info.st_size <= LARGEST else None
    except OSError:
        return None
    finally:
        os.close(fd)


def _changed(workspace: Workspace, query: FileQuery, commit: CommitId) -> frozenset[str]:
    if query.since is None and query.until is None:
        return frozenset()
    return frozenset(paths_changed_between(workspace.repo, commit, query.since, query.until))


def _timely(own: int | None, path: RepoPath, query: FileQuery, changed: frozenset[str]) -> bool:
    if query.since is None and query.until is None:
        return True
    if own is None:
        return path in changed
    return (query.since is None or own >= query.since) and (query.until is None or own <= query.until)


def _ordered(workspace: Workspace, commit: CommitId, found: list[_Found]) -> list[_Found]:
    """By `ORDER`; of files that no recent commit touched and that tell no time, it is the path that decides."""
    undated = {one.path for one in found if one.time is None}
    last = last_changes(workspace.repo, commit, undated) if undated else {}
    oldest = -(2**62)
    return sorted(found, key=lambda one: (-(one.time if one.time is not None else last.get(one.path, oldest)), one.path))


def _hits(workspace: Workspace, found: list[_Found], query: FileQuery, looked_for: _Lines, commit: CommitId) -> Iterator[LineHit]:
    left = query.limit
    for one in found:
        data = _text(workspace, one.path, one.entry)
        shown = _Showing(workspace, data)
        number, counted = 1, 0
        for line in looked_for.lines(data, left):
            number += data.count(b"\n", counted, line.start)
            counted = line.start
            before, after = _before(data, line.start, query.context), _after(data, line.stop, query.context)
            yield LineHit(
                one.path,
                number,
                shown.line(line.start, line.stop, line.match),
                one.kind,
                one.time,
                commit,
                tuple(shown.line(start, stop) for start, stop in before),
                tuple(shown.line(start, stop) for start, stop in after),
            )
            left -= 1
        if left <= 0:
            return


def _before(data: bytes, start: int, most: int) -> list[tuple[int, int]]:
    """Where at most so many of the lines lie that end before a place where a line begins, in their order."""
    found: list[tuple[int, int]] = []
    while start > 0 and len(found) < most:
        begin = data.rfind(b"\n", 0, start - 1) + 1
        found.append((begin, start - 1))
        start = begin
    return found[::-1]


def _after(data: bytes, stop: int, most: int) -> list[tuple[int, int]]:
    """Where at most so many of the lines lie that follow the line end at a place."""
    found: list[tuple[int, int]] = []
    while stop + 1 < len(data) and len(found) < most:
        end = data.find(b"\n", stop + 1)
        end = end if end >= 0 else len(data)
        found.append((stop + 1, end))
        stop = end
    return found


class _Showing:
    """Shows the lines of a file without secrets."""

    def __init__(self, workspace: Workspace, data: bytes) -> None:
        self._redactor = workspace.redactor
        self._data = data
        # The lines of a key tell nothing of what they belong to: only the whole file does.
        secrets = find_secrets(data) if _KEY_BEGINS in data else []
        self._wide = [(one.start, one.end, one.rule) for one in secrets if data.find(b"\n", one.start, one.end) >= 0]

    def line(self, start: int, stop: int, match: int | None = None) -> str:
        """The line between two places; of a long one what stands around the place where it matches."""
        rule = next((rule for first, last, rule in self._wide if start < last and first < stop), "")
        if rule:
            return f"[secret: {rule}]"
        return _shown(self._redactor, self._data[start:stop], 0 if match is None else match - start)


def _shown(redactor: Redactor, line: bytes, match: int) -> str:
    start = max(0, match - _AROUND)
    raw = line[start : match + _AROUND]
    text = redactor.text(raw.decode("utf-8", "replace"))
    if len(text) <= LINE and len(raw) == len(line):
        return text
    seen = raw[match - start :][:40].decode("utf-8", "ignore")
    begin = max(0, text.find(seen) - LINE // 4)  # where the match was a secret, from the beginning
    cut = text[begin : begin + LINE]
    return f"{'…' if start or begin else ''}{cut}{'…' if begin + LINE < len(text) or match + _AROUND < len(line) else ''}"


class _Line(NamedTuple):
    """Where a line lies in a file's bytes, without its end, and where in it the match begins."""

    start: int
    stop: int
    match: int


class _Lines:
    """Finds the lines that match. `cut` is whether a line was too long to be looked at whole."""

    def __init__(self, query: FileQuery, clock: Callable[[], float]) -> None:
        ignore_case = query.ignore_case
        if ignore_case is None:
            written = _NO_CASE.sub("", query.pattern) if query.regex else query.pattern
            ignore_case = not any(letter.isupper() for letter in written)
        self._regex = query.regex
        self._expression: Expression = (expression if query.regex else literal)(query.pattern, ignore_case=ignore_case)
        self._clock = clock
        self._spent = 0.0
        self.cut = False

    def count(self, data: bytes) -> int:
        return sum(1 for _ in self.lines(data, len(data) + 1))

    def lines(self, data: bytes, most: int) -> Iterator[_Line]:
        """At most so many matching lines, from the top. Raise TooSlow."""
        at = 0
        while at < len(data) and most > 0:
            match = self._next(data, at)
            if match < 0:
                return
            start = data.rfind(b"\n", at, match) + 1 or at
            if start == len(data):
                return  # behind the end of the last line
            stop = data.find(b"\n", match)
            stop = stop if stop >= 0 else len(data)
            yield _Line(start, stop, match)
            most -= 1
            at = stop + 1

    def _next(self, data: bytes, at: int) -> int:
        if not self._regex:
            return self._expression.find(data, at, len(data))
        while at < len(data):
            stop, following = self._block(data, at)
            began = self._clock()
            found = self._expression.find(data, at, stop)
            self._spent += self._clock() - began
            if self._spent > _PATIENCE:
                raise TooSlow(_PATIENCE)
            if found >= 0:
                return found
            at = following
        return -1

    def _block(self, data: bytes, at: int) -> tuple[int, int]:
        """Where whole lines end that are searched at once, and where it goes on behind them."""
        end = data.find(b"\n", at + _BLOCK) if at + _BLOCK < len(data) else -1
        end = end if end >= 0 else len(data)
        if end - at <= _WIDEST:
            return end, end + 1
        line = data.rfind(b"\n", at, at + _BLOCK) + 1
        if line > at:
            return line - 1, line
        self.cut = True
        return at + _WIDEST, end + 1
