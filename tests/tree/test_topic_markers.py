"""Topic markers: found where a sentence begins, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.topic_markers import DEFAULT_MARKERS, marker_in

_MUCH = 250_000  # characters: what costs the square of it never ends


@pytest.mark.parametrize("marker", DEFAULT_MARKERS)
def test_every_marker_is_found_at_the_start_of_a_sentence(marker: str) -> None:
    for text in (
        marker,
        f"{marker} do it",
        f"That works. {marker.upper()} do it",
        f"完成了。{marker}看看",
        f"ok, {marker} x",
        f"- {marker} x",
    ):
        found = marker_in(text)
        assert found
        assert marker.startswith(found) or found.startswith(marker)
    assert marker_in(f"some words {marker.replace(',', '')} more") == ""
    assert marker_in(f"`{marker}` and “{marker}” are markers") == ""
    assert marker_in(f"```\n{marker} x\n```") == ""
    assert marker_in(f"> {marker} x") == ""


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Now let’s look at CI", "now let's"),
        ("ＢＴＷ，what is this?", "btw,"),
        ("Thanks! By the way, hi", "by the way,"),
        ("好的，换个话题吧", "换个话题"),
        ("对了,还有一件事", "对了，"),
        ("OK now let's go", "now let's"),
        ("switching tools is hard", ""),
        ("Anyways I left", ""),
        ("the new question is this", ""),
        ("I said now let's go", ""),
        ("你说对了，谢谢", ""),
        ('"Now let\'s go" is what he said', ""),
        ("", ""),
    ],
)
def test_boundaries_case_and_forms(text: str, marker: str) -> None:
    assert marker_in(text) == marker


def test_markers_of_ones_own() -> None:
    assert marker_in("Themenwechsel: was nun?", ("Themenwechsel",)) == "Themenwechsel"
    assert marker_in("Themenwechseln ist schwer", ("Themenwechsel",)) == ""
    assert marker_in("a.b is here", ("a.b",)) == "a.b"
    assert marker_in("axb is here", ("a.b",)) == ""
    assert marker_in("now let's go", ()) == ""
    assert marker_in("now let's go", ("", " ")) == ""


@given(st.text(max_size=60), st.lists(st.text(max_size=6), max_size=4))
def test_any_text_and_any_markers(text: str, markers: list[str]) -> None:
    assert marker_in(text, markers) in ("", *markers)


@pytest.mark.parametrize("piece", ["btw ", ". ", "ok, ", "\n", "“", "now let's"])
def test_a_long_text_of_one_thing_is_no_trouble(piece: str) -> None:
    assert marker_in(piece * (_MUCH // len(piece)) + "\n\nxbtw,") in ("", "now let's")
