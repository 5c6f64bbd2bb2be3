"""An entity's id: one form for all ways of writing it, and the same again from the id itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.entity import LONGEST, BadEntity, Entity, EntityKind, entity, parse_entity


@pytest.mark.parametrize(
    ("kind", "surface", "expected"),
    [
        (EntityKind.NAME, "  Ada \n Lovelace ", "name:ada lovelace"),
        (EntityKind.NAME, "ＡＤＡ", "name:ada"),
        (EntityKind.HANDLE, "@Ada", "handle:ada"),
        (EntityKind.HASHTAG, "#Herons", "hashtag:herons"),
        (EntityKind.EMAIL, "Ada@Example.ORG", "email:ada@example.org"),
        (EntityKind.URL, "HTTPS://Example.org/Some/Page/", "url:https://example.org/Some/Page"),
        (EntityKind.PATH, "src/Main.py", "path:src/Main.py"),
        (EntityKind.CODE, "parseUrl", "code:parseUrl"),
        (EntityKind.NAME, "Straße", "name:strasse"),
    ],
)
def test_one_form(kind: EntityKind, surface: str, expected: str) -> None:
    found = entity(kind, surface)
    assert found is not None
    assert found.id == expected
    assert parse_entity(expected) == found


@pytest.mark.parametrize("surface", ["", "  ", "@", "x" * (LONGEST + 1)])
def test_what_names_nothing(surface: str) -> None:
    assert entity(EntityKind.HANDLE, surface) is None


@pytest.mark.parametrize("text", ["", "ada", "name:", "bird:heron", ":ada", "name: "])
def test_what_is_no_id(text: str) -> None:
    with pytest.raises(BadEntity):
        parse_entity(text)


@given(st.sampled_from(EntityKind), st.text(max_size=40))
def test_an_id_names_the_same_entity_again(kind: EntityKind, surface: str) -> None:
    found = entity(kind, surface)
    if found is not None:
        assert entity(kind, found.value) in (found, None)
        assert parse_entity(found.id) == found


@pytest.mark.parametrize("surface", ["ß\u0301", "\u0391\u0345", "ΐ", "İ", "ﬀ", "\u1e9e", "Ⅷ"])
def test_characters_that_change_when_their_case_is_folded(surface: str) -> None:
    found = entity(EntityKind.NAME, surface)
    assert found is not None
    assert parse_entity(found.id) == found == Entity(EntityKind.NAME, found.value)
