"""A file is of a source by its path, and the places of the source, and of no other one, hold it."""

from __future__ import annotations

import pytest

from memtree.tree.kinds import Kind, kind_of
from memtree.tree.paths import RepoPath
from memtree.tree.source_names import CONVERSATIONS, SOURCE_KINDS, places_of, source_kind_of, source_of

ROOT = "memory_tree/content"
SOURCES = {
    f"{ROOT}/episodic/s/000001.md": CONVERSATIONS,
    f"{ROOT}/recap/s/000001-000009.md": CONVERSATIONS,
    f"{ROOT}/chat/{CONVERSATIONS}/ab/one.md": CONVERSATIONS,
    f"{ROOT}/chat/holiday/ab/one.md": "holiday",
    f"{ROOT}/raw/mail/ab/one.md": "mail",
    f"{ROOT}/raw/one.md": "raw",
    f"{ROOT}/chat/one.md": "chat",
    f"{ROOT}/chat/raw/one.md": "raw",
    f"{ROOT}/facts/ab/one.md": "facts",
    f"{ROOT}/wiki/summaries/day/L1/one.md": "wiki",
    f"{ROOT}/entities/person/ab/one.md": "entities",
    f"{ROOT}/profile/style.md": "profile",
    "notes/one.md": "notes",
    "raw/one.md": "notes",
    "one.md": "notes",
    "MEMORY.md": "memory",
}


@pytest.mark.parametrize("path", sorted(SOURCES))
def test_the_places_of_its_source_hold_a_file_and_others_do_not(path: str) -> None:
    file = RepoPath(path)
    assert source_of(file) == SOURCES[path]
    holding = {source for source in SOURCES.values() if any(place.holds(file, kind_of(file)) for place in places_of(source))}
    assert holding == {SOURCES[path]}


def test_without_a_content_root_the_folders_stand_at_the_top() -> None:
    file = RepoPath("raw/mail/ab/one.md")
    assert source_of(file, "") == "mail"
    assert any(place.holds(file, Kind.RAW) for place in places_of("mail", ""))


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_file_is_of_a_kind_of_source(kind: Kind) -> None:
    assert source_kind_of(kind) in SOURCE_KINDS
