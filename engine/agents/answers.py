"""What the memory agent answers: a text with marks, what they stand for, how it ended, what it cost; also as JSON that is kept."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memtree.engine.agents.sources import Source, listed
from memtree.engine.llm.usage import Usage
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

NOTHING_FOUND = (
    "No relevant memory found for this query. Nothing in the user's memory tree, conversations, or documents matches it."
)
_DEGRADED = "No relevant memory found — and memory is currently degraded: {reason}. Results may be incomplete until {remedy}."
_NOTHING_SPENT = Usage()


class Status(enum.StrEnum):
    """How a question ended: answered (also with nothing), waiting for what the asker means, or stopped at its limit."""

    COMPLETED = "completed"
    AWAITING_USER = "awaiting_user"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class MemoryAnswer:
    """An answer. `text` has marks such as [1], one for each of `sources`; `dropped` are citations of what was not read.

    `found` is whether memory had anything to say; `suggestions` go with a question back. `iterations` are requests to a model.
    """

    status: Status
    text: str
    sources: tuple[Source, ...] = ()
    dropped: tuple[str, ...] = ()
    found: bool = True
    suggestions: tuple[str, ...] = ()
    iterations: int = 0
    seconds: float = 0.0
    task_id: str = ""
    usage: Usage = _NOTHING_SPENT
    notes: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """The text with its suggestions and sources."""
        suggested = "\n".join(f"- {one}" for one in self.suggestions)
        return "\n\n".join(part for part in (self.text, suggested, listed(self.sources)) if part)

    @property
    def footer(self) -> str:
        """Such as `2 iterations, 3.4 s`."""
        return f"{self.iterations} iteration{'' if self.iterations == 1 else 's'}, {self.seconds:.1f} s"

    @property
    def rendered(self) -> str:
        """All of it, as an agent reads it: remarks, and the footer below a rule."""
        told = "\n".join(f"Note: {note}" for note in (*self.warnings, *self.notes))
        return "\n\n".join(part for part in (self.body, told, f"---\n{self.footer}") if part)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What keeps the answer from being whole: how it ended, and what it cites in vain."""
        ended = {
            Status.COMPLETED: "",
            Status.AWAITING_USER: "this is a question back: ask again with the answer to it as context",
            Status.INCOMPLETE: "the answer is incomplete",
        }[self.status]
        return tuple(one for one in (ended, dropped_told(self.dropped)) if one)


def dropped_told(dropped: tuple[str, ...]) -> str:
    """What is said of citations that were taken out, '' for none."""
    if not dropped:
        return ""
    if len(dropped) == 1:
        return "1 citation was dropped: it names something that was not read"
    return f"{len(dropped)} citations were dropped: they name something that was not read"


def nothing_found(reason: str = "", remedy: str = "") -> str:
    """That memory says nothing, and what may be lacking where it is degraded."""
    return _DEGRADED.format(reason=reason.rstrip("."), remedy=remedy.rstrip(".")) if reason and remedy else NOTHING_FOUND


def as_json(answer: MemoryAnswer) -> dict[str, Any]:
    """The answer as values that JSON has."""
    return asdict(answer) | {"status": answer.status.value}


def from_json(raw: Mapping[str, Any]) -> MemoryAnswer:
    """The answer again; raise ValueError, KeyError or TypeError for what is none."""
    fields = dict(raw)
    fields["status"] = Status(fields["status"])
    fields["usage"] = Usage(**fields["usage"])
    fields["sources"] = tuple(_source(one) for one in fields["sources"])
    for name in ("dropped", "suggestions", "notes"):
        fields[name] = tuple(str(one) for one in fields[name])
    return MemoryAnswer(**fields)


def _source(raw: Mapping[str, Any]) -> Source:
    return Source(**{**raw, "path": RepoPath(raw["path"]), "commit": CommitId(raw["commit"])})
