"""Telling that a person settled callouts, from a text that was changed otherwise."""

from __future__ import annotations

import pytest

from memtree.tree.conflict_callout import ConflictCallout
from memtree.tree.settling import settles

CALLOUT = ConflictCallout("c-12345678", (b"one\nline", b"two", b"three")).render()
TEXT = b"# Head\n\nbefore\n\n" + CALLOUT + b"\n\nafter\n"


@pytest.mark.parametrize(
    "version", [b"one\nline", b"two", b"three", b"", ConflictCallout("c-12345678", (b"two", b"three")).render()]
)
def test_a_version_or_nothing_or_fewer_versions(version: bytes) -> None:
    assert settles(TEXT, TEXT.replace(CALLOUT, version))
    assert settles(TEXT, TEXT.replace(CALLOUT + b"\n\n", version + b"\n\n\n"))


@pytest.mark.parametrize(
    "saved",
    [
        TEXT,
        TEXT.replace(CALLOUT, b"four"),
        TEXT.replace(CALLOUT, b"two").replace(b"before", b"behind"),
        TEXT.replace(CALLOUT, b"two").replace(b"after", b""),
        TEXT.replace(b"two", b"two more"),
        b"",
    ],
)
def test_anything_else_is_another_edit(saved: bytes) -> None:
    assert not settles(TEXT, saved)


def test_a_text_without_a_callout_is_never_settled() -> None:
    assert not settles(b"one\n", b"two\n")
