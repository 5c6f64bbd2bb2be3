"""A pack that we write with its index is one that git writes: git checks it, reads it, and finds every object."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtree.engine.files import Durability, Files
from memtree.engine.store import pack
from memtree.engine.store.pack import PackWriter
from support.gitrepo import GitRepo


def write(repo: GitRepo, blobs: list[bytes]) -> list[str]:
    writer = PackWriter(repo.path)
    try:
        ids = [writer.add(data) for data in blobs]
        writer.finish(os.path.join(repo.path, ".git", "objects"), Files(Durability.FULL))
    finally:
        writer.close()
    return ids


def test_git_reads_what_was_packed_and_makes_the_same_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack, "_BATCH", 10_000)
    repo = GitRepo(tmp_path)
    blobs = [b"", b"x", os.urandom(300_000), *(b"note %d\n" % n * (n % 90) for n in range(500))]
    ids = write(repo, [*blobs, *blobs[:50]])
    assert ids[:5] == [repo.git("hash-object", "--stdin", stdin=data) for data in blobs[:5]]
    (index,) = (tmp_path / ".git/objects/pack").glob("*.idx")
    assert repo.git("verify-pack", str(index)) == ""
    again = tmp_path / "again.idx"
    repo.git("index-pack", "-o", str(again), str(index.with_suffix(".pack")))
    assert index.read_bytes() == again.read_bytes()
    assert repo.git("cat-file", "blob", ids[80]).encode() == blobs[80].removesuffix(b"\n")
    assert repo.git("fsck", "--full", "--strict", "--no-dangling") == ""


def test_the_same_objects_packed_again_are_one_pack(tmp_path: Path) -> None:
    repo = GitRepo(tmp_path)
    for _ in range(2):
        write(repo, [b"one", b"two"])
    assert sorted(name.split(".")[-1] for name in os.listdir(tmp_path / ".git/objects/pack")) == ["idx", "pack"]
    assert repo.git("count-objects", "-v").splitlines()[-2:] == ["garbage: 0", "size-garbage: 0"]
