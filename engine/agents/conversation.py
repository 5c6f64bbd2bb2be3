"""A part of a conversation as an agent is handed it: what was said, as data, in as many tokens as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtree.tree.agent_turn import USER
from memtree.tree.context_fence import fenced, without_fenced
from memtree.tree.prose import prose_of
from memtree.tree.redactor import Redactor
from memtree.tree.segments import Segment
from memtree.tree.token_count import count_tokens

# Characters of what the user said and of what others said in one message, from the most to the least that is tried.
_ROOMS = ((6_000, 2_000), (3_000, 1_000), (1_500, 500), (800, 250), (400, 100))
_READ, _LOOKED_AT = 200_000, 20_000  # characters of a message, and of its prose
_LEFT_OUT = "(earlier messages are left out)"


class Said(NamedTuple):
    """A message of which there is something to tell."""

    seq: int
    role: str
    text: str


def heard(segment: Segment, redactor: Redactor) -> list[Said]:
    """What was said in a segment, as prose and without secrets; nothing where nobody said anything."""
    # What is looked at is far more than what is shown: nothing that a cut leaves of a secret is.
    texts = ((one, prose_of(without_fenced(one.text[:_READ]))[:_LOOKED_AT]) for one in segment.messages)
    return [Said(one.seq, one.role, safe) for one, text in texts if (safe := redactor.text(text).strip())]


def by_the_user(said: Sequence[Said]) -> str:
    """What the user said, or everybody where the user said nothing."""
    return "\n".join(one.text for one in said if one.role == USER) or "\n".join(one.text for one in said)


def handed(said: Sequence[Said], tokens: float) -> str:
    """What was said, fenced, in about so many tokens at most.

    Where there is not room for all of it, long messages are cut, those of the agent first, and then the earliest left out.
    """
    lines: list[str] = []
    for user, others in _ROOMS:
        lines = [_shown(one, user if one.role == USER else others) for one in said]
        if _cost(lines) <= tokens:
            return fenced("\n".join(lines))
    return fenced("\n".join([_LEFT_OUT, *reversed(list(_last(lines, tokens)))]))


def _last(lines: Sequence[str], tokens: float) -> Iterator[str]:
    """The last messages that there is room for, the last one first; that one in any case."""
    for number, line in enumerate(reversed(lines)):
        tokens -= _cost([line])
        if tokens < 0 and number:
            return
        yield line


def _shown(said: Said, most: int) -> str:
    # Later lines stand indented: no text can look like the beginning of another message.
    text = said.text if len(said.text) <= most else f"{said.text[: most - 1].rstrip()}…"
    return f"[{said.seq}] {said.role}: " + "\n    ".join(text.splitlines())


def _cost(lines: Sequence[str]) -> float:
    return sum(count_tokens(f"{line}\n".encode()) for line in lines)
