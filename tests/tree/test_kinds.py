"""Kinds by place, and what is text."""

from __future__ import annotations

import pytest

from memtree.tree.kinds import Kind, is_text, kind_of
from memtree.tree.paths import RepoPath


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("MEMORY.md", Kind.MEMORY),
        ("SKILL.md", Kind.MEMORY),
        ("MEMORY_GOALS.md", Kind.MEMORY),
        ("notes/MEMORY.md", Kind.NOTE),
        ("memory_tree/content/episodic/s1/000001.md", Kind.EPISODE),
        ("memory_tree/content/recap/s1/000001-000004.md", Kind.RECAP),
        ("memory_tree/content/chat/src/ab/abcd.md", Kind.CHAT),
        ("memory_tree/content/raw/src/ab/abcd.md", Kind.RAW),
        ("memory_tree/content/facts/ab/abcd.md", Kind.FACT),
        ("memory_tree/content/facts/abcd.md", Kind.FACT),
        ("memory_tree/content/profile/stack.md", Kind.PROFILE),
        ("memory_tree/content/entities/person/ab/x.md", Kind.ENTITY),
        ("memory_tree/content/wiki/summaries/n/L1/x.md", Kind.WIKI),
        ("memory_tree/content/notes/x.md", Kind.NOTE),
        ("memory_tree/content/facts", Kind.NOTE),
        ("memory_tree/contents/facts/x.md", Kind.NOTE),
        ("facts/x.md", Kind.NOTE),
    ],
)
def test_kind_follows_the_layout(path: str, kind: Kind) -> None:
    assert kind_of(RepoPath(path)) is kind


def test_the_content_root_is_a_setting() -> None:
    assert kind_of(RepoPath("facts/x.md"), "") is Kind.FACT
    assert kind_of(RepoPath("brain/facts/x.md"), "brain") is Kind.FACT


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("a.md", b"\xff\0", True),
        ("a.MD", b"", True),
        ("a.txt", b"\xff caf\xe9", True),
        ("a.txt", b"\0", False),
        ("Makefile", b"all:\n", True),
        ("noext", b"\xff", False),
        ("noext", b"x" * 3_000_000, False),
        ("a.png", b"text", False),
        ("a.canvas", b"{}", True),
        (".gitignore", b"*.pyc", True),
    ],
)
def test_what_is_read_as_text(path: str, data: bytes, *, expected: bool) -> None:
    assert is_text(RepoPath(path), data) is expected
