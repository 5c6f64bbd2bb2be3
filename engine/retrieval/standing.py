"""What memory says whatever the question is: goals, the user's profile, curated memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from memtree.engine.retrieval.layout import SNIPPET, Item
from memtree.engine.retrieval.plain import one_line, told
from memtree.engine.retrieval.shelf import Shelf
from memtree.tree.entries import Listed, listed, listed_goals
from memtree.tree.paths import RepoPath
from memtree.tree.profile_entries import ProfileFile, is_forgotten

GOALS, MEMORY = RepoPath("MEMORY_GOALS.md"), RepoPath("MEMORY.md")
MOST_GOALS = 8
# What must and must not be done first: the end of the list is what does not fit.
FACETS = ("directives", "anti_preferences", "communication", "coding_style", "stack", "workflow", "environment")
_MOST = 60  # entries of a file that are looked at; far fewer fit
_HEADING = 40
_OWN = 1 << 30  # a person's words count for more than anything that was said often
_KEY = re.compile(r"\*\*([^*\n]+)\*\*[ ]?[:：][ ]*")


def goals(shelf: Shelf) -> list[Item]:
    """The goals in their order."""
    data = shelf.read(GOALS)
    return _items(shelf, GOALS, listed_goals(data)[:MOST_GOALS]) if data else []


def profile(shelf: Shelf) -> list[Item]:
    """The entries of the profile, each led by its facet."""
    found: list[Item] = []
    for facet in FACETS:
        path = profile_path(shelf, facet)
        data = shelf.read(path)
        if data:
            found += _items(shelf, path, known(data)[:_MOST], f"{facet.replace('_', ' ')}: ")
    return found


def known(data: bytes) -> list[Listed]:
    """The entries of a profile's file but for what is forgotten: first what a person wrote or pinned, then what was said most."""
    ranks = {entry.first_line: (-entry.count, entry.last_seen) for entry in ProfileFile(data).entries if entry.learned}
    entries = [replace(one, text=_key_in_words(one.text)) for one in listed(data) if not is_forgotten(one.heading)]
    newest_first = sorted(entries, key=lambda one: ranks.get(one.first_line, (0, ""))[1], reverse=True)
    return sorted(newest_first, key=lambda one: ranks.get(one.first_line, (-_OWN, ""))[0])


def _key_in_words(text: str) -> str:
    found = _KEY.match(text)
    return f"{found[1].replace('_', ' ')}: {text[found.end() :]}" if found else text


def profile_path(shelf: Shelf, facet: str) -> RepoPath:
    return shelf.path("profile", f"{facet}.md")


def curated(shelf: Shelf) -> list[Item]:
    """The entries of MEMORY.md, the last ones first: new ones are added below."""
    data = shelf.read(MEMORY)
    if not data:
        return []
    entries = listed(data)[::-1][:_MOST]
    return [item for entry in entries for item in _items(shelf, MEMORY, [entry], _under(entry.heading))]


def _under(heading: str) -> str:
    name = one_line(heading, _HEADING)
    return f"{name}: " if name else ""


def _items(shelf: Shelf, path: RepoPath, entries: Iterable[Listed], lead: str = "") -> list[Item]:
    items = (Item(told(entry.text, shelf.redactor, SNIPPET), path, entry.first_line, entry.last_line, lead) for entry in entries)
    return [item for item in items if item.text]
