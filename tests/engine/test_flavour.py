"""memory_flavour: one side of the profile as markdown, by its name or another word for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.retrieval.flavour import ALIASES, UnknownFlavour, facet_of, memory_flavour
from memtree.tree.facets import FACETS
from support.machines import Machine, Machines

PROFILE = """# Coding style

- **indentation**: Prefers tabs to spaces <!-- evidence: e-1a2b3c4d5e6f 2026-12-01 0.6 9c1e --> ^p-1a2b3c4d5e
- Short functions
- **line_length**: 100 <!-- pinned --> ^p-aaaaaaaaaa
- two lines
  of one entry

## Forgotten

- quotes
"""
FILE = "memory_tree/content/profile/coding_style.md"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({FILE: PROFILE})


def test_entries_come_as_markdown_pinned_first_without_what_speaks_for_them(machine: Machine) -> None:
    found = memory_flavour(machine.workspace, "coding")
    assert found.facet == "coding_style"
    assert found.path == FILE
    assert found.commit == machine.tip
    lines = found.markdown.splitlines()
    assert lines[:3] == ["# Coding style", "", "- line length: 100"]
    assert set(lines[3:]) == {"- indentation: Prefers tabs to spaces", "- Short functions", "- two lines", "  of one entry"}
    assert [(one.start_line, one.end_line) for one in found.entries if one.pinned] == [(5, 5)]
    for hidden in ("evidence", "e-1a2b", "^p-", "pinned", "quotes", "Forgotten"):
        assert hidden not in found.markdown


def test_no_profile_is_an_answer_and_no_error(machine: Machine, machines: Machines) -> None:
    found = memory_flavour(machine.workspace, "comms")
    assert (found.markdown, found.entries) == ("No profile built yet for communication.", ())
    empty = machines.lonely({"memory_tree/content/profile/stack.md": "# Stack\n\n## Forgotten\n\n- editor\n"})
    assert memory_flavour(empty.workspace, "tech_stack").markdown == "No profile built yet for stack."


@pytest.mark.parametrize("facet", FACETS)
def test_every_facet_goes_by_its_own_name_however_it_is_written(facet: str) -> None:
    for name in (facet, facet.upper(), facet.replace("_", "-"), f" {facet.replace('_', ' ')} "):
        assert facet_of(name) == facet


@pytest.mark.parametrize(
    ("name", "facet"),
    [
        ("comms", "communication"),
        ("Tone", "communication"),
        ("coding", "coding_style"),
        ("style", "coding_style"),
        ("tech stack", "stack"),
        ("process", "workflow"),
        ("env", "environment"),
        ("tooling", "environment"),
        ("rules", "directives"),
        ("dislikes", "anti_preferences"),
        ("pet-peeves", "anti_preferences"),
    ],
)
def test_other_words(name: str, facet: str) -> None:
    assert facet_of(name) == facet


def test_no_other_word_hides_a_facet() -> None:
    assert not ALIASES.keys() & set(FACETS)
    assert set(ALIASES.values()) == set(FACETS)


@pytest.mark.parametrize("name", ["", "mood", "../stack", "stack.md", "x" * 100_000, "стек", "a\0b", "\ud800"])
def test_an_unknown_flavour_is_told_with_those_there_are(machine: Machine, name: str) -> None:
    with pytest.raises(UnknownFlavour) as told:
        memory_flavour(machine.workspace, name)
    assert all(facet in told.value.hint for facet in FACETS)
    assert len(str(told.value)) < 200


def test_secrets_are_taken_out(machines: Machines) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    machine = machines.lonely({FILE: "x\n"})
    Path(machine.full(FILE)).write_text(f"# Coding style\n\n- Uses {key} for everything\n")
    machine.git("commit", "-qam", "by hand")
    found = memory_flavour(machine.workspace, "coding_style")
    assert "for everything" in found.markdown
    assert key not in found.markdown


def test_what_was_never_saved_has_no_profile(tmp_path: Path) -> None:
    machines = Machines(tmp_path / "m")
    machine = machines.lonely({})
    assert memory_flavour(machine.workspace, "rules").markdown == "No profile built yet for directives."
    machines.close()
