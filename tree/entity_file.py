"""The file of an entity, `entities/{kind}/{hh}/{id}.md`: other names for it, and what a person writes of it.

    ---
    id: name:ada lovelace
    kind: person
    display_name: Ada Lovelace
    aliases:
      - Countess of Lovelace
    emails:
      - ada@example.org
    handles:
      - ada
    created: 2026-12-01T09:00:00Z
    updated: 2026-12-01T09:00:00Z
    ---
    Whatever a person wants to note.

People edit these files and make them by hand, so reading takes what it can get: lists may be one text with commas, names may be
wikilinks, the id may be missing or the file lie elsewhere below `entities/`. `{hh}` is made of the first two hex digits of the
SHA-256 of the id.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memtree.tree.document import Document
from memtree.tree.entity import BadEntity, Entity, EntityKind, entity, parse_entity
from memtree.tree.episode import iso_time
from memtree.tree.errors import UserError
from memtree.tree.front_matter import FrontMatter, Meaning, epoch_seconds
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath, portability_warning
from memtree.tree.scalars import clean, written

FOLDER = "entities"
MOST_NAMES = 1_000  # of each list; what a file names more is passed over

_LONGEST_NAME = 120  # bytes of a file's name without its mark and ending
_UNSAFE = re.compile(r'[\0-\x1f\x7f<>:"/\\|?*#^\[\]]+')
_MARK = re.compile(r"-[0-9a-f]{8}\Z")
_WIKILINK = re.compile(r"\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_SEPARATOR = re.compile(r"[,;、，；\n]")
_ADDRESS = re.compile(r"[^\s<>@,:]+@[^\s<>@,]+")
_KEYS = ("id", "kind", "display_name", "name", "title", "aliases", "alias", "emails", "email", "handles", "handle")
# What people call folders of things that have a kind here.
_CALLED = {
    "people": EntityKind.PERSON,
    "persons": EntityKind.PERSON,
    "contacts": EntityKind.PERSON,
    "organisation": EntityKind.ORGANIZATION,
    "company": EntityKind.ORGANIZATION,
    "companies": EntityKind.ORGANIZATION,
    "place": EntityKind.LOCATION,
    "places": EntityKind.LOCATION,
    "technologies": EntityKind.TECHNOLOGY,
    "tag": EntityKind.HASHTAG,
}


class EntityFileUnreadable(UserError):
    """A file that would lose something if it were written."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the entity's file cannot be changed: {reason}",
            hint="put its front matter right by hand: lines of the form `key: value` between two lines of ---",
        )


@dataclass(frozen=True, slots=True)
class EntityFile:
    """What a file says of an entity. `kind` is what a person takes it for, which can differ from its id's kind.

    `created` and `updated` are in UTC epoch seconds, None where the file names none.
    """

    entity: Entity
    kind: EntityKind
    display_name: str
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    created: int | None = None
    updated: int | None = None

    @property
    def id(self) -> str:
        return self.entity.id

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids that mean this entity, each once, its own first.

        A name stands for the entity as a name, as a wikilink, and under its own kind; `kind:value` stands for just that.
        """
        found = [self.id]
        for name in (self.display_name, *self.aliases):
            found += _ids_of(name, {self.entity.kind, self.kind})
        found += _ids(EntityKind.EMAIL, self.emails)
        found += _ids(EntityKind.HANDLE, self.handles)
        return tuple(dict.fromkeys(found))


def _ids(kind: EntityKind, surfaces: Iterable[str]) -> list[str]:
    return [one.id for surface in surfaces if (one := entity(kind, surface)) is not None]


def _ids_of(name: str, kinds: set[EntityKind]) -> list[str]:
    try:
        return [parse_entity(name).id]
    except BadEntity:
        pass
    if _ADDRESS.fullmatch(name):
        return _ids(EntityKind.EMAIL, [name])
    if name.startswith("@"):
        return _ids(EntityKind.HANDLE, [name])
    ordered = [EntityKind.NAME, EntityKind.WIKILINK, *sorted(kinds)]
    return [found for kind in ordered for found in _ids(kind, [name])]


# -- where it lies


def entity_path(one: Entity, content_root: str = CONTENT_ROOT) -> RepoPath:
    """Where an entity's file lies. No two ids share a path, also where names are compared without case."""
    digest = hashlib.sha256(one.id.encode("utf-8", "surrogatepass")).hexdigest()
    name = f"{_file_name(one.value, digest[2:10])}.md"
    return RepoPath(f"{content_root}/" * bool(content_root) + f"{FOLDER}/{one.kind.value}/{digest[:2]}/{name}")


def _file_name(value: str, mark: str) -> str:
    """A value as a name that every system takes, with a mark where it had to be changed."""
    name = unicodedata.normalize("NFC", _UNSAFE.sub("-", clean(value).casefold()))
    name = name.encode()[:_LONGEST_NAME].decode(errors="ignore").strip(" .-")
    if name and portability_warning(name):
        name = f"entity-{name}"
    if name == value and _MARK.search(name) is None:
        return name
    return f"{name}-{mark}" if name and not portability_warning(f"{name}-{mark}") else f"entity-{mark}"


# -- reading


def read_entity_file(path: str, data: bytes) -> EntityFile | None:
    """What a file says of an entity; None when it says nothing that can be read. Never raises."""
    front = Document.parse(data).front_matter()
    if not path.endswith(".md") or not any(key in front.values for key in _KEYS):
        return None
    folders, _, file = path.rpartition("/")
    placed = _placed(folders)
    stem = file.removesuffix(".md")
    display = _line(front, "display_name") or _line(front, "name") or _line(front, "title")
    kind = _kind(_line(front, "kind"))
    known = _entity(_line(front, "id"), kind or placed) or entity(kind or placed, display or _MARK.sub("", stem))
    if known is None:
        return None
    return EntityFile(
        known,
        kind or known.kind,
        display or _MARK.sub("", stem),
        _names(front, "aliases", "alias"),
        tuple(_addresses(_names(front, "emails", "email"))),
        _names(front, "handles", "handle"),
        epoch_seconds(front.text("created")),
        epoch_seconds(front.text("updated")),
    )


def _placed(folders: str) -> EntityKind:
    """The kind that a file's folder names; a name where it names none."""
    parts = folders.split("/")
    below = parts[parts.index(FOLDER) + 1 :] if FOLDER in parts else parts
    return next((kind for part in below if (kind := _kind(part)) is not None), EntityKind.NAME)


def _kind(word: str) -> EntityKind | None:
    folded = word.casefold()
    for called in (folded, folded.removesuffix("s")):
        if called in _CALLED:
            return _CALLED[called]
        if called in EntityKind.__members__.values():
            return EntityKind(called)
    return None


def _entity(text: str, kind: EntityKind) -> Entity | None:
    """The entity that an id names; one without its kind is taken for a value."""
    try:
        return parse_entity(text)
    except BadEntity:
        return entity(kind, text)


def _line(front: FrontMatter, key: str) -> str:
    return next(_shown(" ".join(front.text(key).split())), "")


def _names(front: FrontMatter, *keys: str) -> tuple[str, ...]:
    """The texts of a list, whatever form it was given, each once."""
    found = (name for key in keys for text in _texts(front, key) for name in _shown(text))
    cleaned = (" ".join(name.split()) for name in found)
    return tuple(dict.fromkeys(name for name in cleaned if name))[:MOST_NAMES]


def _texts(front: FrontMatter, key: str) -> list[str]:
    """The items of a list as they were written; a single text is taken apart at its commas."""
    value, plain = front.meaning(key), front.values.get(key)
    if isinstance(value, tuple):
        items = plain if isinstance(plain, tuple) and len(plain) == len(value) else map(_text, value)
        return [text for item in items if (text := item.strip())]
    text = plain if isinstance(plain, str) else _text(value)
    return [part for piece in _pieces(text) if (part := piece.strip())]


def _pieces(text: str) -> Iterator[str]:
    """What commas separate, but for those inside a wikilink."""
    at = 0
    for link in _WIKILINK.finditer(text):
        yield from _SEPARATOR.split(text[at : link.start()])
        yield link[0]
        at = link.end()
    yield from _SEPARATOR.split(text[at:])


def _text(value: Meaning) -> str:
    """An item as text. Brackets without quotation marks are lists to YAML, so a bare `[[Ada]]` comes as a list in a list."""
    if isinstance(value, tuple):
        inner = value[0] if len(value) == 1 and isinstance(value[0], tuple) else value
        return f"[[{', '.join(_text(item) for item in inner if not isinstance(item, tuple))}]]"
    if isinstance(value, Mapping):
        return next((_text(value[key]) for key in ("value", "name") if isinstance(value.get(key), str)), "")
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _shown(text: str) -> Iterator[str]:
    """A name without its brackets: what a wikilink leads to, and what it shows instead."""
    link = _WIKILINK.fullmatch(text.strip())
    if link is None:
        if text.strip():
            yield text.strip()
        return
    for part in (link[1].rpartition("/")[2].strip().removesuffix(".md"), (link[2] or "").strip()):
        if part:
            yield part


def _addresses(texts: Iterable[str]) -> Iterator[str]:
    """Addresses out of `Ada <ada@example.org>` and `mailto:ada@example.org`."""
    for text in texts:
        found = _ADDRESS.search(text)
        if found is not None:
            yield found[0]


# -- writing


def render_entity_file(
    one: Entity,
    display_name: str,
    *,
    kind: EntityKind | None = None,
    aliases: Sequence[str] = (),
    emails: Sequence[str] = (),
    handles: Sequence[str] = (),
    created: int | None = None,
    updated: int | None = None,
    notes: str = "",
) -> bytes:
    """A new file for an entity, times in UTC epoch seconds. `read_entity_file` of it says the same."""
    lines = [f"id: {written(one.id)}", f"kind: {written((kind or one.kind).value)}", f"display_name: {written(display_name)}"]
    for key, items in (("aliases", aliases), ("emails", emails), ("handles", handles)):
        lines += [f"{key}:", *(f"  - {written(item)}" for item in items)] if items else [f"{key}: []"]
    for key, seconds in (("created", created), ("updated", updated)):
        if seconds is not None:
            lines.append(f"{key}: {written(iso_time(seconds * 1000).replace('.000', ''))}")
    return clean("\n".join(("---", *lines, "---", notes))).encode()


def with_alias(data: bytes, alias: str) -> bytes:
    """The file with one more alias; the same bytes when it has it. Nothing but the key `aliases` changes.

    Raise EntityFileUnreadable for a file whose front matter cannot be read as a whole, or that is no text.
    """
    document = Document.parse(data)
    front = document.front_matter()
    _refuse_unreadable(document, front)
    alias = " ".join(clean(alias).split())
    present = _texts(front, "aliases")
    known = {name.casefold() for text in present for name in _shown(text)}
    if not alias or alias.casefold() in known:
        return data
    return document.with_value("aliases", [*present, alias]).render()


def _refuse_unreadable(document: Document, front: FrontMatter) -> None:
    try:
        document.data.decode("utf-8")
    except UnicodeDecodeError:
        raise EntityFileUnreadable("it is not UTF-8") from None
    if b"\0" in document.data:
        raise EntityFileUnreadable("it is no text")
    if document.header is None and document.data.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        raise EntityFileUnreadable("its front matter is not closed")
    if front.problem or not front.editable:
        raise EntityFileUnreadable(front.problem or "its keys do not stand on lines of their own")
    if isinstance(front.meaning("aliases"), Mapping):
        raise EntityFileUnreadable("its aliases are no list")
