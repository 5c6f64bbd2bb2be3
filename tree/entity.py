"""Entity: someone or something that texts speak of, under one id however it was written.

An id is `kind:value`, such as `email:ada@example.org` or `name:ada lovelace`. The value is the surface brought into one form:
compatible characters made plain (NFKC), outer blanks gone, inner ones single, case folded, a leading @ or # left out. An address
keeps the case of all that follows its host; a path and an identifier of code keep theirs.
"""

from __future__ import annotations

import enum
import unicodedata
from typing import NamedTuple

from memtree.tree.errors import UserError

LONGEST = 200  # characters of a value; what is longer is no name of anything


class EntityKind(enum.StrEnum):
    """What is found in texts (the first nine), and what a person may make of it in a file under `entities/`."""

    EMAIL = "email"
    URL = "url"
    HANDLE = "handle"
    HASHTAG = "hashtag"
    WIKILINK = "wikilink"
    PATH = "path"
    CODE = "code"
    ISSUE = "issue"
    NAME = "name"
    PERSON = "person"
    ORGANIZATION = "organization"
    LOCATION = "location"
    EVENT = "event"
    PRODUCT = "product"
    TECHNOLOGY = "technology"
    ARTIFACT = "artifact"
    TOPIC = "topic"
    MISC = "misc"


_AS_WRITTEN = frozenset({EntityKind.PATH, EntityKind.CODE})


class BadEntity(UserError):
    """Something that is no entity's id."""

    def __init__(self, text: str) -> None:
        kinds = ", ".join(EntityKind)
        super().__init__(f"{text[:80]!r} is no entity's id", hint=f"an id is KIND:VALUE, such as name:ada; kinds are {kinds}")


class Entity(NamedTuple):
    """An entity. Make one with `entity` or `parse_entity`, so that its value has the one form."""

    kind: EntityKind
    value: str

    @property
    def id(self) -> str:
        return f"{self.kind.value}:{self.value}"


class Mention(NamedTuple):
    """A stretch of a text, from character `start` up to before `end`, that speaks of an entity."""

    entity: Entity
    surface: str
    start: int
    end: int


def entity(kind: EntityKind, surface: str) -> Entity | None:
    """The entity that a surface names; None when nothing is left of it, or it is too long to name anything."""
    text = " ".join(unicodedata.normalize("NFKC", surface).split())
    if kind in (EntityKind.HANDLE, EntityKind.HASHTAG):
        text = text.lstrip("@#")
    if kind is EntityKind.URL:
        text = _address(text)
    elif kind not in _AS_WRITTEN:
        text = _folded(text)
    return Entity(kind, text) if text and len(text) <= LONGEST else None


def parse_entity(text: str) -> Entity:
    """The entity that an id names, in whatever case it was typed; raise BadEntity."""
    kind, separator, value = text.strip().partition(":")
    try:
        found = entity(EntityKind(kind.strip().casefold()), value) if separator else None
    except ValueError:
        found = None
    if found is None:
        raise BadEntity(text)
    return found


def _folded(text: str) -> str:
    """Without case. Folding may part what was one character and composing it may bring a capital back, so until nothing changes."""
    while (folded := " ".join(unicodedata.normalize("NFKC", text.casefold()).split())) != text:
        text = folded
    return text


def _address(text: str) -> str:
    scheme, separator, rest = text.partition("://")
    host, slash, below = rest.partition("/")
    return f"{scheme.casefold()}{separator}{host.casefold()}{slash}{below}".rstrip("/")
