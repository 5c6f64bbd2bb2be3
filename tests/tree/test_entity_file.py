"""Entities' files: read whatever a person made of them, written so that nobody's notes change, each id in a place of its own."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.entity import Entity, EntityKind, entity, parse_entity
from memtree.tree.entity_file import (
    EntityFile,
    EntityFileUnreadable,
    entity_path,
    read_entity_file,
    render_entity_file,
    with_alias,
)
from memtree.tree.front_matter import epoch_seconds
from memtree.tree.paths import RepoPath, fold, portability_warning

ADA = parse_entity("name:ada lovelace")


def read(data: bytes, path: str = "memory_tree/content/entities/person/00/x.md") -> EntityFile:
    found = read_entity_file(path, data)
    assert found is not None
    return found


def header(*lines: str, notes: str = "") -> bytes:
    return "\n".join(("---", *lines, "---", notes)).encode()


def test_a_written_file_says_the_same_when_it_is_read() -> None:
    data = render_entity_file(
        ADA,
        "Ada Lovelace",
        kind=EntityKind.PERSON,
        aliases=["Countess of Lovelace", "yes", "AAL: 1815"],
        emails=["ada@example.org"],
        handles=["@ada", "ada#1815"],
        created=epoch_seconds("2026-12-01T09:00:00Z"),
        updated=epoch_seconds("2026-12-02T09:00:00Z"),
        notes="Wrote the first program.\n",
    )
    found = read(data)
    assert found.entity == ADA
    assert found.kind is EntityKind.PERSON
    assert found.display_name == "Ada Lovelace"
    assert found.aliases == ("Countess of Lovelace", "yes", "AAL: 1815")
    assert (found.emails, found.handles) == (("ada@example.org",), ("@ada", "ada#1815"))
    assert (found.created, found.updated) == (epoch_seconds("2026-12-01T09:00:00Z"), epoch_seconds("2026-12-02T09:00:00Z"))
    assert data.endswith(b"\n---\nWrote the first program.\n")


def test_all_ids_that_mean_an_entity_are_told_its_own_first() -> None:
    found = read(
        header(
            "id: name:ada lovelace",
            "kind: person",
            "display_name: Ada Lovelace",
            'aliases: [Countess, "handle:aal", "@enchantress", aal@example.org]',
            "emails: [Ada@Example.org]",
            "handles: [ada]",
        )
    )
    assert found.ids == (
        "name:ada lovelace",
        "wikilink:ada lovelace",
        "person:ada lovelace",
        "name:countess",
        "wikilink:countess",
        "person:countess",
        "handle:aal",
        "handle:enchantress",
        "email:aal@example.org",
        "email:ada@example.org",
        "handle:ada",
    )


@pytest.mark.parametrize(
    ("lines", "aliases"),
    [
        (["aliases: Ada, Countess"], ("Ada", "Countess")),
        (["aliases: 艾达、洛芙莱斯，伯爵夫人"], ("艾达", "洛芙莱斯", "伯爵夫人")),
        (["aliases: Ada"], ("Ada",)),
        (["aliases:"], ()),
        (["aliases: []"], ()),
        (["alias: Ada", "aliases: [Ada, AAL]"], ("Ada", "AAL")),
        (['aliases: ["[[Ada Lovelace]]", "[[people/aal.md#Life|The Countess]]"]'], ("Ada Lovelace", "aal", "The Countess")),
        (["aliases: [[Ada Lovelace]]"], ("Ada Lovelace",)),
        (["aliases:", "  - [[Ada Lovelace]]", "  - 1815"], ("Ada Lovelace", "1815")),
        (['aliases: "[[Lovelace, Ada]], AAL"'], ("Lovelace, Ada", "AAL")),
        (["aliases:", "- true", "- '  '", "- null", "- Ada  Lovelace"], ("true", "Ada Lovelace")),
        (["aliases: {value: Ada}"], ("Ada",)),
        (["aliases: Ada", "title: a: b: c"], ("Ada",)),
    ],
)
def test_other_names_are_read_in_every_form_that_people_give_a_list(lines: list[str], aliases: tuple[str, ...]) -> None:
    assert read(header("display_name: A", *lines)).aliases == aliases


def test_addresses_and_handles_are_read_in_the_forms_of_other_programs() -> None:
    found = read(
        header(
            "display_name: Ada",
            'emails: ["Ada <ada@example.org>", "mailto:aal@example.org", nobody]',
            "handles:",
            "  - kind: chat",
            "    value: ada",
            "  - kind: other",
        )
    )
    assert found.emails == ("ada@example.org", "aal@example.org")
    assert found.handles == ("ada",)


@pytest.mark.parametrize(
    ("path", "lines", "expected"),
    [
        ("entities/person/Ada Lovelace.md", ["aliases: [AAL]"], "person:ada lovelace"),
        ("memory_tree/content/entities/person/7f/ada lovelace-0123abcd.md", ["aliases: [AAL]"], "person:ada lovelace"),
        ("entities/people/x.md", ["display_name: Ada"], "person:ada"),
        ("entities/organizations/x.md", ["name: Analytical Society"], "organization:analytical society"),
        ("entities/Ada.md", ["aliases: [AAL]"], "name:ada"),
        ("entities/friends/Ada.md", ["aliases: [AAL]"], "name:ada"),
        ("entities/location/x.md", ["id: name:ada"], "name:ada"),
        ("entities/location/x.md", ["id: Ada"], "location:ada"),
        ("entities/location/x.md", ["id: Ada", "kind: Person"], "person:ada"),
        ("entities/location/x.md", ["kind: nonsense", "display_name: Turin"], "location:turin"),
        ("entities/email/x.md", ["id: ada@example.org"], "email:ada@example.org"),
    ],
)
def test_what_is_missing_is_told_by_the_name_and_the_place(path: str, lines: list[str], expected: str) -> None:
    assert read(header(*lines), path).id == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"only notes",
        b"---\n---\n",
        b"---\nauthor: Ada\n---\n",
        b"---\nid: x",
        b"\xff\xfe\0",
        b"---\nid: \xff\n---\n",
        b"---\n- a\n---\n",
    ],
)
def test_a_file_that_says_nothing_of_an_entity_is_none(data: bytes) -> None:
    assert read_entity_file("entities/name/x.md", data) is None


def test_a_picture_is_no_entity() -> None:
    assert read_entity_file("entities/name/ada.png", header("id: name:ada")) is None


@given(st.text(max_size=80), st.binary(max_size=200))
def test_any_bytes_at_any_place_are_read_without_an_error(path: str, data: bytes) -> None:
    for one in (data, b"---\n" + data + b"\n---\n", b"---\naliases: " + data + b"\n---\n"):
        found = read_entity_file(f"entities/{path}.md", one)
        if found is not None:
            assert found.ids[0] == found.id


# -- where they lie


def test_a_file_lies_by_kind_and_the_first_digits_of_its_ids_hash() -> None:
    digest = hashlib.sha256(b"name:ada lovelace").hexdigest()
    assert entity_path(ADA) == f"memory_tree/content/entities/name/{digest[:2]}/ada lovelace.md"
    assert entity_path(ADA, "") == f"entities/name/{digest[:2]}/ada lovelace.md"


KINDS = st.sampled_from(list(EntityKind))


@given(st.lists(st.tuples(KINDS, st.text(min_size=1, max_size=260)), max_size=4))
def test_every_id_has_a_portable_path_of_its_own(pairs: list[tuple[EntityKind, str]]) -> None:
    entities = {one for kind, surface in pairs if (one := entity(kind, surface)) is not None}
    paths = {entity_path(one): one for one in entities}
    assert len({fold(path) for path in paths}) == len(entities)
    for path in paths:
        assert RepoPath.parse(path) == path
        assert portability_warning(path) == ""


@pytest.mark.parametrize(
    "value", ["con", ".git", "..", "a/b", "x" * 200, "字" * 200, "a.", "#", "C:\\x", "nul.txt", "\ud800", "[[a]]"]
)
def test_values_that_no_file_could_be_called_have_one_too(value: str) -> None:
    one = Entity(EntityKind.NAME, value)
    path = entity_path(one)
    assert RepoPath.parse(path) == path
    assert portability_warning(path) == ""


def test_ids_that_differ_in_case_or_by_a_mark_lie_apart() -> None:
    for one, other in [("code:Graph", "code:graph"), ("path:./x.md", "path:x.md")]:
        assert fold(entity_path(parse_entity(one)).name) != fold(entity_path(parse_entity(other)).name)
    plain = entity_path(parse_entity("name:a/b")).name.removesuffix(".md")
    assert entity_path(Entity(EntityKind.NAME, plain)).name.removesuffix(".md") != plain


# -- another name


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["id: name:ada", "aliases:", "  - AAL # short", "created: 2026-12-01"],
            ["id: name:ada", "aliases:", "  - AAL", "  - Ada", "created: 2026-12-01"],
        ),
        (["aliases: [AAL]", "x: 1"], ["aliases: [AAL, Ada]", "x: 1"]),
        (["aliases: AAL, Countess"], ["aliases:", "  - AAL", "  - Countess", "  - Ada"]),
        (["id: name:x"], ["id: name:x", "aliases:", "  - Ada"]),
    ],
)
def test_a_name_is_added_to_the_list_and_nothing_else_changes(lines: list[str], expected: list[str]) -> None:
    notes = "notes of *mine*  \n\n\n# end"
    made = with_alias(header(*lines, notes=notes), "Ada")
    assert read(made).aliases[-1] == "Ada"
    assert made == header(*expected, notes=notes)


@pytest.mark.parametrize("alias", ["AAL", "aal", " AAL ", "", "  ", "Countess"])
def test_a_name_that_is_there_already_changes_no_byte(alias: str) -> None:
    data = header("aliases: [AAL, '[[ada|Countess]]']", notes="x")
    assert with_alias(data, alias) == data


@given(st.binary(max_size=120), st.text(max_size=20))
def test_no_byte_of_a_persons_notes_changes_with_any_alias(notes: bytes, alias: str) -> None:
    data = b"---\r\nid: name:ada\r\naliases: [AAL]\r\nmine: {a: [1, 2]} # kept\r\n---\r\n" + notes
    try:
        made = with_alias(data, alias)
    except EntityFileUnreadable:
        return
    assert made.endswith(b"\r\nmine: {a: [1, 2]} # kept\r\n---\r\n" + notes)
    assert made.startswith(b"---\r\nid: name:ada\r\naliases: [AAL")


def test_notes_without_front_matter_get_one_above_them() -> None:
    assert with_alias(b"My notes\n", "Ada") == b"---\naliases:\n  - Ada\n---\nMy notes\n"
    assert with_alias(b"", "Ada") == b"---\naliases:\n  - Ada\n---\n"


@pytest.mark.parametrize(
    "data",
    [
        b"---\naliases: [Ada\n---\n",
        b"---\naliases: Ada\nid: name:x",
        b"---\naliases: {a: b}\n---\n",
        b"---\n{aliases: [a]}\n---\n",
        b"---\naliases: [a]\naliases: [b]\n---\n",
        b"\xff\xfe",
        b"a\0b",
    ],
)
def test_a_file_that_cannot_be_read_as_a_whole_is_refused(data: bytes) -> None:
    with pytest.raises(EntityFileUnreadable) as caught:
        with_alias(data, "AAL")
    assert caught.value.hint
