"""Sources: where an import reads from, and the name under which what it brings is kept."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.importing.record import Record, SourceKind
from memtree.engine.importing.walking import Found
from memtree.engine.incoming import refuse_unportable
from memtree.tree.errors import UserError
from memtree.tree.paths import portability_warning

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder to read, or the files that were `found` there already."""

    name: str
    place: str
    found: tuple[Found, ...] | None = None


def choose_sources(workspace: Workspace, places: Sequence[str], name: str) -> list[Source]:
    """The sources that were asked for, each place once; raise UserError for one that is not there or is this workspace's own."""
    found: dict[str, Source] = {}
    for typed in places:
        place = real_place(workspace, typed)
        base = os.path.basename(place) if os.path.isdir(place) else os.path.splitext(os.path.basename(place))[0]
        found.setdefault(place, Source(source_name(name or base), place))
    for source in found.values():
        refuse_name(workspace, source.name)
    return list(found.values())


def real_place(workspace: Workspace, typed: str) -> str:
    """Where a file or folder lies that a person named; raise UserError for one that is not there or is this workspace's own."""
    place = os.path.realpath(os.path.abspath(os.path.expanduser(typed)))
    if not os.path.exists(place):
        raise UserError(f"there is no {typed}", hint="name a file or folder that exists")
    _refuse_own(workspace, place, typed)
    return place


def source_name(text: str) -> str:
    """A name that is a folder on every system: lower case, letters, digits and `-_.`; raise UserError when nothing is left."""
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    text = re.sub(r"[^\w.-]+", "-", text.encode("utf-8", "ignore").decode())
    text = re.sub(r"\.{2,}", ".", text)[:_LONGEST].strip("-._ ")
    if not text:
        raise UserError("the source needs a name", hint="give one: memtree import … --source NAME")
    return f"{text}-source" if portability_warning(text) else text


def _refuse_own(workspace: Workspace, place: str, typed: str) -> None:
    """What is below the content folder is in the workspace already; importing it would bring a copy of each import."""
    content = os.path.join(os.path.realpath(workspace.root), workspace.settings.content)
    if (
        place == content
        or place.startswith(content + "/")
        or (content.startswith(place.rstrip("/") + "/") and _inside(workspace, place))
    ):
        raise UserError(f"{typed} belongs to this workspace already", hint="memtree save commits what is in it")


def _inside(workspace: Workspace, place: str) -> bool:
    root = os.path.realpath(workspace.root)
    return place == root or place.startswith(root + "/")


def refuse_name(workspace: Workspace, name: str) -> None:
    """Raise when the folder of a source could not be held by another system, or lies outside what is captured."""
    tip, scope = workspace.repo.tip(workspace.settings.ref), workspace.scope()
    for part in (None, 0):
        path = Record(SourceKind.TEXT, name, "", "", part=part).path(workspace.settings.content, name)
        refuse_unportable(workspace.repo, tip, path)
        if not scope.holds(path):
            raise UserError(
                f"{path.folder} is ignored in this workspace", hint="look into .memtreeignore, or choose another --source"
            )
