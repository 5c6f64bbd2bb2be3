"""memory_flavour: what the profile knows of one side of its user, as markdown that a model can work by."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.retrieval.shelf import Shelf
from memtree.engine.retrieval.standing import known, profile_path
from memtree.tree.errors import UserError
from memtree.tree.facets import FACETS, headline, normal_key
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.profile_entries import ProfileFile

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_OTHER_NAMES = {
    "communication": "comms communication_style tone voice language",
    "coding_style": "coding code code_style style formatting conventions",
    "stack": "tech_stack tech technology technologies languages frameworks",
    "workflow": "process processes habits routine way_of_working",
    "environment": "env tooling tools setup machine machines location",
    "directives": "directive rules rule instructions always musts",
    "anti_preferences": "anti_preference dislikes dislike pet_peeves pet_peeve avoid never donts",
}
ALIASES: Mapping[str, str] = {other: facet for facet, names in _OTHER_NAMES.items() for other in names.split()}
_LONGEST = 1_000  # characters of an entry


class UnknownFlavour(UserError):
    """A name that stands for no side of a profile."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no flavour {name[:80]!r}", hint=f"flavours are {', '.join(FACETS)}")


class FlavourEntry(NamedTuple):
    """One thing that is known: a list item's text, and the lines of its file that it takes, counted from 1."""

    text: str
    start_line: int
    end_line: int
    pinned: bool


class Flavour(NamedTuple):
    """A facet of the profile as it is saved: `markdown` has the pinned entries first; where there is none it says so."""

    facet: str
    path: RepoPath
    commit: CommitId | None
    entries: tuple[FlavourEntry, ...]
    markdown: str
    notes: tuple[str, ...] = ()


def facet_of(name: str) -> str:
    """The facet that a name or another word for it means; raise UnknownFlavour."""
    key = normal_key(name)
    facet = ALIASES.get(key, key)
    if facet not in FACETS:
        raise UnknownFlavour(name)
    return facet


def memory_flavour(workspace: Workspace, name: str) -> Flavour:
    """What is known of the user under a flavour, without secrets and without what speaks for it. Raise UnknownFlavour."""
    facet = facet_of(name)
    commit = workspace.repo.tip("HEAD")
    notes: list[str] = []
    if commit is None:
        return Flavour(facet, RepoPath(f"profile/{facet}.md"), None, (), _nothing(facet))
    shelf = Shelf(workspace.repo, commit, workspace.settings.content, "", workspace.redactor, notes)
    path = profile_path(shelf, facet)
    entries = _entries(shelf, shelf.read(path) or b"")
    markdown = "\n".join((f"# {headline(facet)}", "", *map(_item, entries))) if entries else _nothing(facet)
    return Flavour(facet, path, commit, entries, markdown, tuple(notes))


def _entries(shelf: Shelf, data: bytes) -> tuple[FlavourEntry, ...]:
    pinned = {entry.first_line for entry in ProfileFile(data).entries if entry.pinned}
    found = [
        FlavourEntry(text[:_LONGEST], one.first_line, one.last_line, one.first_line in pinned)
        for one in known(data)
        if (text := shelf.redactor.text(one.text))
    ]
    return tuple(sorted(found, key=lambda one: not one.pinned))


def _item(entry: FlavourEntry) -> str:
    first, _, rest = entry.text.partition("\n")
    return f"- {first}" + (f"\n{textwrap.indent(textwrap.dedent(rest), '  ')}" if rest else "")


def _nothing(facet: str) -> str:
    return f"No profile built yet for {facet}."
