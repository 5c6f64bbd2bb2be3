"""The corpus that the memory tree is asked about: conversations, notes and imported mail whose people and places recur.

Names follow Zipf's law as words do, so a few are everywhere and most are rare; people of one circle are named together. A third of
the chunks are sections of notes and mails, the others turns. Above the notes stand summaries of every source, day, week and month.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from random import Random

from memtree.engine.repo import Repo
from memtree.tools.bench.corpus import environment
from memtree.tools.bench.vocabulary import vocabulary
from memtree.tree.episode import Episode
from memtree.tree.paths import RepoPath
from memtree.tree.summary import DAY, MONTH, WEEK, Child, Sealed, Summary, namespace_of

CONTENT = "memory_tree/content"
NAMES = 5_000
SECTIONS = 3  # chunks of a note or a mail
_TURNS = 40  # of a session
_CIRCLE = 12  # names that stand together
_START = datetime(2022, 1, 3, tzinfo=UTC)
_DAYS = 1_400
_FIRST = (
    "Ada",
    "Grace",
    "Alan",
    "Edsger",
    "Barbara",
    "Donald",
    "Frances",
    "Ken",
    "Dennis",
    "Radia",
    "Niklaus",
    "Leslie",
    "Hedy",
    "Emmy",
)
_TITLE = ("Lake", "Mount", "Port", "Cape", "New", "Old", "San", "Fort")


def names() -> tuple[str, ...]:
    """Names of two words, most frequent first; the same for every seed."""
    words = [word for word in vocabulary() if word.isalpha() and len(word) > 5]
    first = (*_FIRST, *_TITLE)
    return tuple(f"{first[n % len(first)]} {words[-1 - n].capitalize()}" for n in range(NAMES))


class Writer:
    """Writes file after file from one stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._words = vocabulary()
        self._names = names()
        self._weights = [*accumulate(1 / (rank + 2.7) for rank in range(len(self._words)))]
        self._circles = [*accumulate(1 / (rank + 2.7) for rank in range(NAMES // _CIRCLE))]

    def sentences(self, count: int) -> str:
        """Prose in which every second sentence names somebody, and now and then two of one circle."""
        circle = self._random.choices(range(len(self._circles)), cum_weights=self._circles)[0] * _CIRCLE
        return " ".join(self._sentence(circle) for _ in range(count))

    def _sentence(self, circle: int) -> str:
        words = self._random.choices(self._words, cum_weights=self._weights, k=self._random.randint(8, 16))
        named = self._random.choice((0, 0, 1, 1, 2))
        for _ in range(named):
            words.insert(self._random.randint(1, len(words)), self._names[circle + self._random.randrange(_CIRCLE)])
        return f"{words[0].capitalize()} {' '.join(words[1:])}."

    def document(self, title: str, time: datetime) -> str:
        """A note or a mail of three sections."""
        sections = "\n\n".join(
            f"## {self._random.choice(self._words).capitalize()}\n\n{self.sentences(12)}" for _ in range(SECTIONS)
        )
        return f"---\ntitle: {title}\ndate: {time:%Y-%m-%dT%H:%M:%SZ}\n---\n\n{sections}\n"


def files(chunks: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Paths and contents of about this many chunks."""
    writer = Writer(seed)
    documents = max(1, chunks // (3 * SECTIONS))
    for number in range(documents):
        time = _START + timedelta(days=_DAYS * number / documents, hours=9)
        path = (
            f"{CONTENT}/raw/mail/{number % 256:02x}/{number:06}.md"
            if number % 4 == 0
            else f"notes/{number % 256:02x}/{number:06}.md"
        )
        yield path, writer.document(f"Document {number}", time).encode()
    turns = chunks - SECTIONS * documents
    for number in range(turns):
        session, seq = divmod(number, _TURNS)
        time = _START + timedelta(days=_DAYS * number / turns)
        role = ("user", "assistant")[number % 2]
        episode = Episode(f"s-{session:05}", seq + 1, writer.sentences(3), int(1000 * time.timestamp()), role)
        yield episode.path(), episode.render()


def seed_tree(folder: str, chunks: int, seed: int) -> None:
    """Make a git repository with the corpus in one commit, and the summaries above it in another."""
    os.makedirs(folder)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    for key, value in (("user.name", "bench"), ("user.email", "bench@localhost"), ("gc.auto", "0")):
        _git(folder, "config", key, value)
    evidence: dict[str, bytes] = {}
    _commit(folder, "corpus", _noted(files(chunks, seed), evidence))
    _commit(folder, "summaries", summaries(evidence, seed))
    _git(folder, "reset", "--quiet", "--hard", "main")


def _noted(found: Iterator[tuple[str, bytes]], evidence: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for path, data in found:
        if "/episodic/" not in path:
            evidence[path] = data
        yield path, data


def summaries(evidence: dict[str, bytes], seed: int) -> Iterator[tuple[str, bytes]]:
    """The files of the summaries: by source up to two levels, and by day, week and month."""
    writer = Writer(seed + 1)
    leaves = [(path, Repo.hash_blob(data), data.split(b"date: ", 1)[1][:10].decode()) for path, data in evidence.items()]

    def node(namespace: str, level: int, children: list[tuple[Child, int, int]], source: str = "") -> tuple[Summary, int, int]:
        start, end = min(one[1] for one in children), max(one[2] for one in children)
        prose = writer.sentences(15)
        kids = tuple(one[0] for one in children)
        return (
            Summary(namespace, level, kids, f"{namespace} {level}", prose, 900 * len(kids), Sealed.BUDGET, start, end, source),
            start,
            end,
        )

    def below(path: str, blob: str, day: str) -> tuple[Child, int, int]:
        at = int(datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp())
        return Child.leaf(RepoPath(path), blob), at, at

    def above(made: list[tuple[Summary, int, int]]) -> list[tuple[Child, int, int]]:
        return [(Child(one.path(), one.node_id), start, end) for one, start, end in made]

    made: list[tuple[Summary, int, int]] = []
    for source, chosen in (
        ("mail", [one for one in leaves if "/raw/" in one[0]]),
        ("notes", [one for one in leaves if "/raw/" not in one[0]]),
    ):
        low = [node(namespace_of(source), 1, [below(*one) for one in part], source) for part in _parts(chosen, 60)]
        made += low + [node(namespace_of(source), 2, above(part), source) for part in _parts(low, 10) if len(part) == 10]
    by_day: dict[str, list[tuple[Child, int, int]]] = {}
    for one in leaves:
        by_day.setdefault(one[2], []).append(below(*one))
    days = [node(DAY, 1, children) for _, children in sorted(by_day.items())]
    weeks = [node(WEEK, 2, above(part)) for part in _parts(days, 7)]
    months = [node(MONTH, 3, above(part)) for part in _parts(weeks, 4)]
    for summary, _, _ in (*made, *days, *weeks, *months):
        yield summary.path(), summary.render()


def _parts(items: list, size: int) -> Iterator[list]:  # type: ignore[type-arg]
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _commit(folder: str, message: str, found: Iterator[tuple[str, bytes]]) -> None:
    command = ["git", "-C", folder, "-c", "core.compression=1", "fast-import", "--quiet", "--depth=0", "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment()) as importer:
        out = importer.stdin
        assert out is not None
        out.write(b"commit refs/heads/main\ncommitter bench <bench@localhost> 1750000000 +0000\n")
        out.write(b"data %d\n%s\n" % (len(message), message.encode()))
        if (
            subprocess.run(
                ["git", "-C", folder, "rev-parse", "-q", "--verify", "main"], env=environment(), capture_output=True, check=False
            ).returncode
            == 0
        ):
            out.write(b"from refs/heads/main^0\n")
        for path, data in found:
            out.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, command)


def _git(folder: str, *args: str) -> None:
    subprocess.run(["git", "-C", folder, *args], env=environment(), check=True, capture_output=True)
