"""One corpus for every benchmark: notes of about 500 words that look like a person's, the same for the same seed everywhere.

Words follow Zipf's law over a fixed vocabulary; every note has front matter, headings and links to earlier notes, every
twentieth is Chinese. The first notes of a long corpus are the notes of a short one.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from random import Random
from typing import IO

from memtree.tools.bench.vocabulary import CHINESE, vocabulary

WORDS = 500
_CHINESE_SHARE = 0.05
_START = datetime(2020, 1, 1, 8, tzinfo=UTC)
# A vocabulary's exponent: with 1.0 the first hundred words make up half of the text, as in English.
_ZIPF = 1.0
_TAGS = ("work", "home", "idea", "meeting", "reading", "project", "health", "travel", "code", "research", "family", "todo")
_COMMIT_TIME = 1_750_000_000


@dataclass(frozen=True, slots=True)
class Seeded:
    """A repository that holds the corpus: how many files, at which commit, and how long it took."""

    files: int
    commit: str
    seconds: float


def notes(count: int, seed: int, words: int = WORDS) -> Iterator[tuple[str, bytes]]:
    """Paths (`notes/{hh}/{id}.md`) and contents of `count` notes."""
    author = _Author(seed)
    for number in range(count):
        yield note_path(seed, number), author.note(number, words).encode()


def note_id(seed: int, number: int) -> str:
    """The id of the note with this number, 16 hex digits."""
    return hashlib.sha256(f"{seed}:{number}".encode()).hexdigest()[:16]


def note_path(seed: int, number: int) -> str:
    name = note_id(seed, number)
    return f"notes/{name[:2]}/{name}.md"


class _Author:
    """Writes note after note from one stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._random = Random(seed)
        self._english = vocabulary()
        self._weights = _zipf(len(self._english))
        self._chinese_weights = _zipf(len(CHINESE))

    def note(self, number: int, words: int) -> str:
        chinese = self._random.random() < _CHINESE_SHARE
        drawn = self._chinese(words) if chinese else self._random.choices(self._english, cum_weights=self._weights, k=words)
        space = "" if chinese else " "
        title = space.join(drawn[-4:]).capitalize()
        sections = [self._section(part, number, chinese=chinese) for part in _cut(drawn, 160)]
        return f"{self._front_matter(title, number)}# {title}\n\n" + "\n".join(sections)

    def _chinese(self, words: int) -> list[str]:
        return self._random.choices(CHINESE, cum_weights=self._chinese_weights, k=words)

    def _front_matter(self, title: str, number: int) -> str:
        tags = ", ".join(sorted(set(self._random.choices(_TAGS, k=3))))
        created = (_START + timedelta(minutes=37 * number)).isoformat()
        return f"---\ntitle: {title}\ntags: [{tags}]\ncreated: {created}\n---\n\n"

    def _section(self, words: list[str], number: int, *, chinese: bool) -> str:
        space, stop = ("", "。") if chinese else (" ", ". ")
        heading = space.join(words[:3]).capitalize()
        sentences = [space.join(part).capitalize() for part in self._sentences(words)]
        half = len(sentences) // 2
        paragraphs = (stop.join(part).rstrip() + stop.rstrip() for part in (sentences[:half], sentences[half:]) if part)
        return f"## {heading}\n\n" + "\n\n".join(paragraphs) + f"\n\nSee {self._link(number)}.\n"

    def _sentences(self, words: list[str]) -> Iterator[list[str]]:
        at = 0
        while at < len(words):
            size = 6 + int(self._random.random() * 14)
            yield words[at : at + size]
            at += size

    def _link(self, number: int) -> str:
        """A wikilink to an earlier note; the first note links to itself."""
        return f"[[{note_id(self._seed, int(self._random.random() * number))}]]"


def _zipf(size: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) ** _ZIPF for rank in range(size)))


def _cut(words: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(words), size):
        yield words[start : start + size]


# -- a repository that holds it


def seed_repository(folder: str, count: int, seed: int, *, words: int = WORDS, prefix: str = "") -> Seeded:
    """Make a git repository in an empty folder with the corpus in one commit, checked out; paths start with `prefix`."""
    start = time.monotonic()
    os.makedirs(folder, exist_ok=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
        _git(folder, "config", key, value)
    # Without a search for deltas the import is bound by compression alone.
    with subprocess.Popen(
        _command(folder, "fast-import", "--quiet", "--depth=0"), stdin=subprocess.PIPE, env=environment()
    ) as importer:
        assert importer.stdin is not None
        _stream(importer.stdin, count, seed, words, prefix)
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, "git fast-import")
    _git(folder, "reset", "--quiet", "--hard", "main")
    return Seeded(count, _git(folder, "rev-parse", "main"), time.monotonic() - start)


def _stream(out: IO[bytes], count: int, seed: int, words: int, prefix: str) -> None:
    """The corpus in fast-import's language. A file's content follows its name, so nothing is held in memory."""
    message = b"Import the corpus\n\nMemtree-Writer: import\n"
    out.write(b"commit refs/heads/main\ncommitter bench <bench@localhost> %d +0000\n" % _COMMIT_TIME)
    out.write(b"data %d\n%s\n" % (len(message), message))
    for path, data in notes(count, seed, words):
        out.write(b"M 100644 inline %s\ndata %d\n%s\n" % (f"{prefix}{path}".encode(), len(data), data))


def _git(folder: str, *args: str) -> str:
    done = subprocess.run(_command(folder, *args), env=environment(), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _command(folder: str, *args: str) -> list[str]:
    return ["git", "-C", folder, "-c", "core.compression=1", *args]


def environment() -> dict[str, str]:
    """The user's settings (hooks, signing, line ends) would change what is measured."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
