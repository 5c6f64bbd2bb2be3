"""The names in a question, with what else they are called: what speaks of none of them hardly answers it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.agents.question import whom
from memtree.indexers.mentions import mentions_of
from memtree.indexers.tokens import fold
from memtree.tree.entity import EntityKind, entity
from memtree.tree.errors import Error

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_MOST, _SPELLINGS = 8, 50
_SHORTEST = 3  # letters: a part of a name that is shorter stands in too many texts
_TITLES = frozenset({"prof", "mrs", "miss", "sir", "san", "the", "and", "von", "van", "del"})
_WORD = re.compile(r"[^\W_]+")
_SAID = re.compile(r"(?<![^\W_])(?<![^\W_][.@])[^\W_]+(?![^\W_]|[.@][^\W_])")  # bob.example.com is not Bob
_WORDS = re.compile(r"[a-z .'-]+")  # parts of addresses, and single characters of scripts without spaces, are no names


class Name(NamedTuple):
    """A name as the question writes it, and all that it is written like, folded."""

    surface: str
    spellings: frozenset[str]

    def said_in(self, text: str) -> bool:
        """Whether a text has it, or a part of it: `Grace` may be Grace Hopper."""
        folded = fold(text)
        words = frozenset(_SAID.findall(folded))
        return any(
            not words.isdisjoint(_parts(spelling)) if _WORDS.fullmatch(spelling) else spelling in folded
            for spelling in self.spellings
        )


def asked_names(workspace: Workspace, query: str) -> tuple[Name, ...]:
    """The names in a question; their other names are those that files under `entities/` tell."""
    found: dict[str, str] = {}
    for one in mentions_of(query):
        if one.entity.kind is EntityKind.NAME:
            found.setdefault(one.entity.id, one.surface)
    meant = entity(EntityKind.NAME, whom(query))  # who is ada: no name by its form
    if meant is not None and not found:
        found[meant.id] = meant.value
    return tuple(Name(surface, _spellings(workspace, id_, surface)) for id_, surface in list(found.items())[:_MOST])


def with_names(text: str, names: Iterable[Name]) -> str:
    """A text, and below it as the question writes them the names that it says in another way."""
    said = [name.surface for name in names if len(name.spellings) > 1 and name.said_in(text)]
    return "\n".join((text, *said))


def _spellings(workspace: Workspace, id_: str, surface: str) -> frozenset[str]:
    try:
        with workspace.searching.turn:
            alike = sorted(workspace.searching.graph().group(id_))[:_SPELLINGS]
    except (Error, OSError):
        alike = []  # the search has told why
    return frozenset((fold(surface), *(fold(one.partition(":")[2]) for one in alike)))


def _parts(spelling: str) -> list[str]:
    words = _WORD.findall(spelling)
    return [word for word in words if len(word) >= _SHORTEST and word not in _TITLES] or words
