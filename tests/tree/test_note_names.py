"""What a title is called as a file: a name that every system can hold, and that a person can read."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtree.tree.note_names import note_name, numbered
from memtree.tree.paths import fold, portability_warning, refusal


@given(st.text(max_size=300))
@example("CON")
@example("\ud800")
@example("İ" * 200)
def test_every_title_has_a_name_that_every_system_can_hold(title: str) -> None:
    for name in islice(numbered(note_name(title)), 3):
        assert refusal(name) == portability_warning(name) == ""
        assert fold(name) == name
        assert "/" not in name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Egret backup", "egret-backup"),
        ("  What's new, 2026?  ", "what-s-new-2026"),
        ("../../etc/passwd", "etc-passwd"),
        ("Über Größe", "über-grösse"),
        ("東京の天気", "東京の天気"),
        ("aux", "note-aux"),
        ("!!!", "note"),
        ("", "note"),
    ],
)
def test_names_are_read_as_their_titles(title: str, name: str) -> None:
    assert note_name(title) == name
