"""Settings: what is written is read back, what is missing has a default. Broken ones stand in test_bad_input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.files import Durability
from memtree.engine.settings import InvalidSettings, Settings, parse, render


def test_nothing_said_means_the_defaults() -> None:
    assert parse(b"") == Settings()
    assert Settings().ref == "refs/heads/main"


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(capture=()),
        Settings(content="docs/my notes", branch="memory/main", capture=("notes/", "*.md", "!x"), durability=Durability.FAST),
        Settings(content='quo"ted', capture=("back\\slash", "#hash", "图/")),
    ],
)
def test_what_is_written_is_read_back(settings: Settings) -> None:
    assert parse(render(settings)) == settings


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20)


@given(content=TEXT, capture=st.lists(TEXT, max_size=3))
def test_any_text_is_quoted_so_that_it_is_read_back(content: str, capture: list[str]) -> None:
    settings = Settings(content=content, capture=tuple(capture))
    try:
        assert parse(render(settings)).capture == settings.capture
    except InvalidSettings as error:
        assert "content" in error.reason  # noqa: PT017 - the only thing that may be wrong


def test_a_slash_at_the_end_of_the_content_folder_means_nothing() -> None:
    assert parse(b'content = "brain/"').content == "brain"


def test_keys_of_a_newer_version_are_kept_by_name() -> None:
    assert parse(b"later = 1\n[section]\nx = 1\n").unknown == ("later", "section")


def test_the_text_for_a_person_says_what_each_setting_is() -> None:
    text = render(Settings()).decode()
    assert text.startswith("# This folder is a memtree workspace.")
    assert "never put secrets here" in text
    assert text.endswith("\n")


@pytest.mark.parametrize("branch", ["main", "feature/x", "a.b", "v1-2_3", "图", "a@b", "x" * 100])
def test_git_s_own_branch_names_are_accepted(branch: str) -> None:
    assert parse(f'branch = "{branch}"'.encode()).branch == branch
