"""What a commit says, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.tree.objects import CommitId, TreeId


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    email: str


ENGINE = Person("memtree", "memtree@localhost")


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a commit says. `time` is seconds since the epoch, UTC."""

    id: CommitId
    tree: TreeId
    parents: tuple[CommitId, ...]
    author: Person
    time: int
    message: str

    @property
    def subject(self) -> str:
        return self.message.split("\n", 1)[0]

    @property
    def trailers(self) -> dict[str, str]:
        """The `Memtree-…` trailers of the message, without the prefix, in lower case."""
        return trailers_of(self.message)


def trailers_of(message: str) -> dict[str, str]:
    """The `Memtree-…` trailers of a message, without the prefix, in lower case."""
    found: dict[str, str] = {}
    for line in message.splitlines()[1:]:
        key, colon, value = line.partition(": ")
        if colon and key.startswith("Memtree-"):
            found[key.removeprefix("Memtree-").lower()] = value.strip()
    return found


def signed(message: str, device: str) -> str:
    """A commit's message with a trailer that names the machine."""
    text = message.rstrip()
    _, gap, last = text.rpartition("\n\n")
    trailers = bool(gap) and last.startswith("Memtree-")
    between = "\n" if trailers else "\n\n"  # else the first trailer would become part of the subject
    return f"{text}{between}Memtree-Device: {device}\n"
