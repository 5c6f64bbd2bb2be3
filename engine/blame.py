"""Blame: which commit brought each line of a file. Follows renames and both sides of a merge."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.history import NotAFile, Version, file_entry, trail, writer_of
from memtree.engine.repo import CommitInfo, Repo
from memtree.tree.matching import match_sequences
from memtree.tree.objects import CommitId


@dataclass(frozen=True, slots=True)
class BlameLine:
    """A line as it stands, without its end, and where it came from. Lines count from 1; `author` is a name."""

    line_no: int
    text: str
    commit: CommitId
    author: str
    time: int
    writer: str


def blame(repo: Repo, path: str, tip: CommitId) -> list[BlameLine]:
    """Every line of a file at `tip` with the commit that brought it; raise NotAFile."""
    data = repo.blob(file_entry(repo, path, tip).id)
    if b"\0" in data:
        raise NotAFile(path, tip, "is binary")
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    owners = _owners(repo, path, tip, len(lines))
    return [_line(number, text, owners[number]) for number, text in enumerate(lines)]


def _line(number: int, text: bytes, owner: CommitInfo) -> BlameLine:
    shown = text.removesuffix(b"\r").decode("utf-8", "replace")
    return BlameLine(number + 1, shown, owner.id, owner.author.name, owner.time, writer_of(owner))


def _owners(repo: Repo, path: str, tip: CommitId, count: int) -> dict[int, CommitInfo]:
    """The commit that brought each of the tip's lines, by line number from 0."""
    owners: dict[int, CommitInfo] = {}
    texts = _Texts(repo)
    # Lines of the tip that are still to be placed, per version: their number there -> their numbers at the tip.
    open_lines: dict[tuple[CommitId, str], dict[int, list[int]]] = {(tip, path): {n: [n] for n in range(count)}}
    for info, here, step in trail(repo, tip, path):
        mine = open_lines.pop((here.commit, here.path), {})
        for source in step.sources:
            if not mine:
                break
            passed = {n: n for n in mine} if not step.changed else texts.kept(here, source)
            target = open_lines.setdefault((source.commit, source.path), {})
            for n in [n for n in mine if n in passed]:
                target.setdefault(passed[n], []).extend(mine.pop(n))
        owners.update((final, info) for finals in mine.values() for final in finals)
        open_lines = {version: lines for version, lines in open_lines.items() if lines}
        if not open_lines:
            break
    return owners


class _Texts:
    """The lines of versions; the last few stay at hand, since each is compared with the one before and the one after."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._known: dict[str, list[bytes]] = {}

    def kept(self, here: Version, source: Version) -> dict[int, int]:
        """Which line of `source` each unchanged line of `here` is."""
        matches = match_sequences(self._lines(here), self._lines(source))
        return {match.one + n: match.two + n for match in matches for n in range(match.size)}

    def _lines(self, version: Version) -> list[bytes]:
        if version.entry is None or not version.entry.is_file:
            return []
        blob = version.entry.id
        if blob not in self._known:
            while len(self._known) > 3:
                self._known.pop(next(iter(self._known)))
            self._known[blob] = self._repo.blob(blob).split(b"\n")
        return self._known[blob]
