"""Deeds: what the tools of a run were asked to write, done when it has ended well: one that breaks off has written nothing.

So each answer of a tool says what will be written and nothing stands half done, and a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memtree.tree.errors import Error, UserError
from memtree.tree.objects import CommitId


class ToolRefused(UserError):
    """A call that an agent's tool does not do; the model reads why, and may call again."""


@dataclass(frozen=True, slots=True)
class Written:
    """What stands on the disk now because an agent asked for it: `message` says it exactly, `told` without a word of the text."""

    tool: str
    told: str
    message: str
    path: str
    commit: CommitId | None


@dataclass(frozen=True, slots=True)
class Deed:
    """Something to write: `do` takes the trailers of its commit."""

    tool: str
    do: Callable[[str], Written]


def done(deeds: Iterable[Deed], first: str, others: str) -> tuple[tuple[Written, ...], tuple[str, ...]]:
    """Do all of them; the trailers of the first commit tell the cost. What was written, and what was refused meanwhile.

    A failure that may pass is raised while nothing is written yet, so that all of it can be done again; later it is told.
    """
    written: list[Written] = []
    refused: list[str] = []
    for deed in deeds:
        try:
            written.append(deed.do(others if written else first))
        except UserError as error:
            refused.append(f"{deed.tool}: {error}")
        except Error as error:
            if not written:
                raise
            refused.append(f"{deed.tool}: {error}")
    return tuple(written), tuple(refused)
