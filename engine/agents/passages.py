"""What a run has read: passages of the files as of one commit, each under the number that an answer cites it by.

Whatever finds something (a search, the memory tree, a look into a file) says where it stands; what is shown is read here, from that
commit, without secrets. So nothing can be cited that was not read, and what is cited stands there word for word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.retrieval.plain import one_line
from memtree.engine.retrieval.shelf import Shelf, readable_lines
from memtree.tree.context_fence import fenced
from memtree.tree.fact import is_fact_file
from memtree.tree.kinds import Kind, kind_of
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

MOST = 200  # passages of one run
SHOWN = 2_000  # characters of one; whole chunks are mostly shorter
_AROUND = 60  # lines around a passage that are looked at: a secret of many lines is one only as a whole
_KEY, _KEY_BEGINS = 400, "-----BEGIN "  # lines of the longest of them, which is told by how it begins
_BELOW = 12  # lines below a heading that are looked at
_SURE = 40  # characters that tell where in a long passage something stands
_TITLE, _PATH = 160, 300
_TAKEN_OUT = "[redacted]"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was found; lines count from 1, the last one included. `near` is text that tells which part matters."""

    path: RepoPath
    start_line: int
    end_line: int
    title: str = ""
    time: int | None = None
    near: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file as they were read. `text` has a line for each, or is part of the one line where that is very long.

    `more` is told behind it, and stands in no file: the time that a fact speaks of, and why it holds no longer.
    """

    number: int
    path: RepoPath
    start_line: int
    end_line: int
    commit: CommitId
    kind: Kind
    title: str
    time: int | None
    text: str
    more: str = ""

    @property
    def where(self) -> str:
        """Such as `notes/heron.md:3-5`."""
        lines = f"{self.start_line}" if self.start_line == self.end_line else f"{self.start_line}-{self.end_line}"
        return f"{one_line(self.path, _PATH)}:{lines}"

    def holds(self, path: str, start: int, end: int) -> bool:
        """Whether all these lines are among its own."""
        return path == self.path and self.start_line <= start and end <= self.end_line

    def meets(self, path: str, start: int, end: int) -> bool:
        """Whether any of these lines is among its own."""
        return path == self.path and self.start_line <= end and start <= self.end_line


class Reading:
    """The passages that a run has read, in the order in which it read them. `tip` None: there is nothing to read."""

    def __init__(self, workspace: Workspace) -> None:
        self._redactor = workspace.redactor
        self._content = workspace.settings.content
        self.tip = workspace.repo.tip("HEAD")
        self.notes: list[str] = []
        self._shelf = (
            None if self.tip is None else Shelf(workspace.repo, self.tip, self._content, "", workspace.redactor, self.notes)
        )
        self._facts = workspace.searching.facts(self.tip) if self.tip is not None else None
        self._files: dict[RepoPath, list[str]] = {}
        self._passages: list[Passage] = []

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(self._passages)

    def lines(self, path: RepoPath) -> list[str]:
        """A file's lines, with their secrets; [] where there is no text. Who shows one takes it from a passage."""
        if path not in self._files:
            data = self._shelf.read(path) if self._shelf is not None else None
            self._files[path] = [] if data is None or b"\0" in data else readable_lines(data)
        return self._files[path]

    def _more(self, path: RepoPath) -> str:
        if self._facts is None or not is_fact_file(path) or (found := self._facts.told(path)) is None:
            return ""
        mark = f" [{found.standing.mark}]" if found.standing.mark else ""
        return found.projection + mark

    def take(self, place: Place, *, most: int = SHOWN) -> tuple[Passage | None, bool]:
        """The passage at a place, in at most `most` characters, and whether it is new; None where no text stands there now."""
        lines = self.lines(place.path)
        if is_fact_file(place.path):
            place = _below_header(place, lines)
        start, end = _trimmed(lines, place.start_line, min(place.end_line, len(lines)))
        if start > end:
            return None, False
        start, end, text = self._fitting(lines, start, end, place.near, most)
        known = next((one for one in self._passages if one.holds(place.path, start, end) and text in one.text), None)
        if known is not None:
            return known, False
        if len(self._passages) >= MOST or self.tip is None:
            return None, False
        number = len(self._passages) + 1
        title = one_line(self._redactor.text(place.title), _TITLE)
        kind = kind_of(place.path, self._content)
        passage = Passage(number, place.path, start, end, self.tip, kind, title, place.time, text, self._more(place.path))
        self._passages.append(passage)
        return passage, True

    def _fitting(self, lines: list[str], start: int, end: int, near: str, most: int) -> tuple[int, int, str]:
        """As many whole lines as fit, from where `near` stands; of one line that does not fit, the part that matters."""
        shown = self._safe(lines, start, end)
        sign = near.strip()[:_SURE]
        at = next((number for number, line in enumerate(shown) if sign and sign in line), 0)
        first = at if sum(map(len, shown[: at + 1])) > most else 0
        last, size = first, len(shown[first])
        while last + 1 < len(shown) and size + len(shown[last + 1]) < most:
            last += 1
            size += len(shown[last]) + 1
        text = "\n".join(shown[first : last + 1])
        if len(text) > most:
            begin = max(0, text.find(sign) - most // 4)
            text = text[begin : begin + most]
        return start + first, start + last, text.rstrip()

    def _safe(self, lines: list[str], start: int, end: int) -> list[str]:
        """Lines without secrets, each still in its place."""
        far = range(start - 1, max(0, start - 1 - _KEY), -1)
        begin = next((number - 1 for number in far if _KEY_BEGINS in lines[number - 1]), start - 1)
        above = max(0, min(begin, start - 1 - _AROUND))
        around = lines[above : end + _AROUND]
        safe = self._redactor.text("\n".join(around)).split("\n")
        if len(safe) == len(around):
            return safe[start - 1 - above : end - above]
        kept = frozenset(safe)  # a secret of several lines became one
        return [line if line in kept else _TAKEN_OUT for line in lines[start - 1 : end]]


def _below_header(place: Place, lines: list[str]) -> Place:
    """The place without lines of a fact's header; its text where nothing else is left."""
    fences = [number for number, line in enumerate(lines, 1) if line.rstrip() == "---"][:2]
    first = fences[1] + 1 if len(fences) == 2 and fences[0] == 1 else 1
    return replace(
        place, start_line=max(place.start_line, first), end_line=place.end_line if place.end_line >= first else len(lines)
    )


def shown(passages: Iterable[Passage]) -> str:
    """Passages as a model reads them: as data, each below its number and where it stands."""
    return fenced("\n\n".join(f"[{one.number}] {_head(one)}\n{one.text}{one.more}" for one in passages))


def _head(passage: Passage) -> str:
    from memtree.engine.retrieval.layout import day

    words = ", ".join(word for word in (passage.kind.value, day(passage.time), passage.title) if word)
    return f"{passage.where} ({words})"


def _trimmed(lines: list[str], start: int, end: int) -> tuple[int, int]:
    """The lines without empty ones at both ends; a heading alone tells nothing, so what stands first below it comes along."""
    start = max(1, start)
    while start <= end and not lines[start - 1].strip():
        start += 1
    while end >= start and not lines[end - 1].strip():
        end -= 1
    if start <= end and all(line.startswith("#") or not line.strip() for line in lines[start - 1 : end]):
        below = range(end, min(len(lines), end + _BELOW))
        end = next((number + 1 for number in below if lines[number].strip() and not lines[number].startswith("#")), end)
    return start, end
