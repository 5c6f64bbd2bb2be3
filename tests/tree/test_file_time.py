"""A file's time read quickly is the time that reading all of its header gives."""

from __future__ import annotations

import random

import pytest

from memtree.tree.chunks import chunk
from memtree.tree.file_time import file_time
from memtree.tree.paths import RepoPath

_LINES = (
    "date: 2026-03-04",
    "created: 2026-01-02T03:04:05Z",
    "time: '2026-05-06'",
    "updated: 2026-07-08 # not sure",
    "timestamp: 1772000000000",
    "date: [2026-03-04]",
    "tags: [a, b]",
    "tags:\n- a\n- date",
    "tags:\n  - a\n  - b",
    "title: The date: a story",
    "title: A day",
    "note: |\n  date: 2020-01-01",
    "date:",
    "created: soon",
    "- date: 2026-03-04",
    "# date: 2026-03-04",
    "",
    "author: &a ada",
    "日期: 2026-03-04",
)


@pytest.mark.parametrize("name", ["notes/a.md", "notes/2026-02-03 walk.md", "notes/a.txt", "notes/2026-02-03.txt"])
def test_it_is_the_time_of_the_files_chunks(name: str) -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    path = RepoPath(name)
    for _ in range(600):
        end = rng.choice(("\n", "\n", "\r\n"))
        lines = rng.choices(_LINES, k=rng.randint(0, 5))
        text = "\n".join(("---", *lines, rng.choice(("---", "---", "...", "")), "body", ""))
        data = text.replace("\n", end).encode()
        assert file_time(path, data) == chunk(path, data)[0].time, data


def test_a_file_without_a_time_has_none() -> None:
    assert file_time(RepoPath("notes/a.md"), b"---\ntitle: x\n---\n") is None
    assert file_time(RepoPath("notes/a.md"), b"---\ndate: 1970-01-01\ntags: [x]\n---\n") == 0
