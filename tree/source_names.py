"""Sources: where a file of memory comes from, by its path alone: a conversation, an imported source, a person's notes.

`conversations-agent` are the recorded conversations, whichever of their files; what was imported goes by the name it was imported
under; `notes` is what people and agents put there; `memory`, `facts`, `profile`, `entities` and `wiki` are memtree's own.
"""

from __future__ import annotations

from typing import NamedTuple

from memtree.tree.kinds import CONTENT_ROOT, Kind, kind_of
from memtree.tree.paths import RepoPath

CONVERSATIONS = "conversations-agent"

_OWN = {
    Kind.EPISODE: CONVERSATIONS,
    Kind.RECAP: CONVERSATIONS,
    Kind.FACT: "facts",
    Kind.PROFILE: "profile",
    Kind.ENTITY: "entities",
    Kind.WIKI: "wiki",
    Kind.MEMORY: "memory",
    Kind.NOTE: "notes",
}
_NAMED = {
    "chat": Kind.CHAT,
    "raw": Kind.RAW,
}  # folders whose folders name sources; a file right in one is of a source named like it
_KINDS = {"chat": (Kind.EPISODE, Kind.RECAP, Kind.CHAT), "document": (Kind.RAW, Kind.NOTE)}
SOURCE_KINDS = (*_KINDS, "memory")


class Place(NamedTuple):
    """Files of a kind, below a folder ('' for any), or with `direct` only those right in it."""

    kind: Kind
    folder: str = ""
    direct: bool = False

    def holds(self, path: RepoPath, kind: Kind) -> bool:
        """Whether a file of that kind lies here."""
        return kind is self.kind and (path.folder == self.folder if self.direct else path.within(self.folder))


def source_of(path: RepoPath, content_root: str = CONTENT_ROOT) -> str:
    """The name of a file's source."""
    kind = kind_of(path, content_root)
    own = _OWN.get(kind)
    if own is not None:
        return own
    below = path[len(f"{content_root}/") if content_root else 0 :].split("/")
    return below[1] if len(below) > 2 else below[0]  # chat/SOURCE/file


def places_of(source: str, content_root: str = CONTENT_ROOT) -> tuple[Place, ...]:
    """Where the files of a source lie: a file is of the source when one of the places holds it."""
    prefix = f"{content_root}/" if content_root else ""
    own = tuple(Place(kind) for kind, name in _OWN.items() if name == source)
    named = tuple(Place(kind, f"{prefix}{folder}/{source}") for folder, kind in _NAMED.items())
    unnamed = (Place(_NAMED[source], f"{prefix}{source}", direct=True),) if source in _NAMED else ()
    return (*own, *named, *unnamed)


def source_kind_of(kind: Kind) -> str:
    """What kind of source a kind of file belongs to: `chat`, `document` or `memory`."""
    return next((name for name, kinds in _KINDS.items() if kind in kinds), "memory")
