"""What the gate of facts is made of: the reasons for which a text drops, and weighed patterns for and against it."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple


class Reason(enum.StrEnum):
    """Why a text is no durable fact."""

    QUERY = "query_intent"
    TRANSIENT = "transient_status"
    EPHEMERAL = "ephemeral_intent"
    ACTIVITY = "activity_log"
    OPERATIONAL = "operational_log"


class Cue(NamedTuple):
    """A sign that what is said lasts. It is looked for anywhere in a sentence, and outweighs rules up to its weight."""

    name: str
    weight: int
    pattern: str


class Rule(NamedTuple):
    """A sign that what is said will not matter tomorrow. `pattern` is matched at the beginning of a sentence's core.

    It can match only where one of `needs` is among the core's words, if any are given: a long pattern needs not even be compiled
    elsewhere.
    """

    reason: Reason
    weight: int
    pattern: str
    needs: frozenset[str] = frozenset()


class Sentence(NamedTuple):
    """A sentence as the patterns see it.

    `full` is all of it, in lower case and one spelling; `core` the same without the words that only lead to it, with `i` for the
    user where a subject stands. `asks`: it ends in a question mark.
    """

    full: str
    core: str
    asks: bool


class Language(NamedTuple):
    """The patterns of one language, the heaviest first."""

    cues: tuple[Cue, ...]
    rules: tuple[Rule, ...]
    asks: str
    standing: str


def any_of(words: str) -> str:
    """An alternation of words, one a blank; `_` stands for a blank inside of one. The longest come first."""
    parts = sorted(set(words.split()), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(part).replace("_", " ") for part in parts) + ")"
