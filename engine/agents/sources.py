"""Sources: where the words of an answer stand, as its numbered list names them."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.agents.passages import Passage
from memtree.engine.retrieval.plain import one_line, shortened
from memtree.tree.context_fence import unmarked
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

SNIPPET = 200  # characters
TITLE = "Sources:"
_LEAST = 12  # characters of a quotation that says which words are meant


@dataclass(frozen=True, slots=True)
class Source:
    """Lines of a file at a commit, counted from 1, and words that stand there; `time` is epoch seconds, None without a date."""

    number: int
    path: RepoPath
    start_line: int
    end_line: int
    snippet: str
    commit: CommitId
    time: int | None = None

    @property
    def line(self) -> str:
        """Such as `1. notes/heron.md:3-5 — The renewal is due in May.`"""
        lines = f"{self.start_line}" if self.start_line == self.end_line else f"{self.start_line}-{self.end_line}"
        return f"{self.number}. {one_line(self.path, 1_000)}:{lines} — {self.snippet}"


def source(number: int, passage: Passage, words: str = "", lines: tuple[int, int] | None = None) -> Source:
    """What is cited of a passage: the words, where they stand in it, else its beginning; `lines` where they are known better."""
    start, end = lines or (passage.start_line, passage.end_line)
    first, last = start - passage.start_line, end - passage.start_line
    rows = passage.text.split("\n")
    text = "\n".join(rows[first : last + 1]) if len(rows) == passage.end_line - passage.start_line + 1 else passage.text
    return Source(number, passage.path, start, end, _snippet(text, words), passage.commit, passage.time)


def _snippet(text: str, words: str) -> str:
    """At most so many characters of a text on one line: from where the words stand in it, word for word, else from its start."""
    line, wanted = _folded(text), _folded(words)
    at = line.find(wanted) if len(wanted) >= _LEAST else -1
    if at < 0:
        return unmarked(shortened(line, SNIPPET))
    if len(line) <= SNIPPET:
        return unmarked(line)
    return unmarked(shortened(line[at:], SNIPPET))


def _folded(text: str) -> str:
    return one_line(text, len(text) + 1)


def listed(sources: tuple[Source, ...]) -> str:
    """The list that stands below an answer, '' without sources."""
    return "\n".join((TITLE, *(one.line for one in sources))) if sources else ""
