"""The index codec against the git program: what it splices, git must read as if git itself had written it."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtree.engine.store.index_file import IndexDamaged, IndexFile, Replacement, UnsupportedIndex
from memtree.tree.objects import Entry
from support.gitrepo import GitRepo

Model = dict[str, tuple[int, str]]

_SEGMENTS = ("a", "b", "a.b", "a-b", "ab", "é", "日本", "z" * 130, "A", "0")
_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])

paths = st.lists(st.sampled_from(_SEGMENTS), min_size=1, max_size=4).map("/".join)
entries = st.tuples(st.sampled_from((0o100644, 0o100755, 0o120000)), st.integers(1, 2**32).map(lambda n: f"{n:040x}"))


def put(model: Model, path: str, entry: tuple[int, str] | None) -> None:
    """What splicing one path does: a file and a folder cannot share a name, the new one wins."""
    if entry is None:
        model.pop(path, None)
        return
    parts = path.split("/")
    for end in range(1, len(parts)):
        model.pop("/".join(parts[:end]), None)
    for below in [other for other in model if other.startswith(path + "/")]:
        del model[below]
    model[path] = entry


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    return GitRepo(tmp_path_factory.mktemp("index") / "repo")


class Index:
    """An index file of its own that git and the codec take turns on."""

    def __init__(self, repo: GitRepo, path: str) -> None:
        self.repo = repo
        self.path = path

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return self.repo.git(*arguments, stdin=stdin, env={"GIT_INDEX_FILE": self.path})

    def fill(self, model: Model, version: int = 2) -> None:
        """Make the index from scratch, with git, cached trees included."""
        if os.path.exists(self.path):
            os.unlink(self.path)
        rows = b"".join(f"{mode:o} {blob} 0\t{path}\0".encode() for path, (mode, blob) in model.items())
        self.git("update-index", "-z", "--index-version", str(version), "--index-info", stdin=rows)
        tree = self.git("write-tree", "--missing-ok")
        self.git("read-tree", tree)
        self.git("update-index", "--index-version", str(version))

    def splice(self, changes: Mapping[str, tuple[int, str] | None]) -> None:
        index = self.parse()
        index.splice({path: Replacement(Entry(*entry) if entry is not None else None) for path, entry in changes.items()})
        with open(self.path, "wb") as file:
            file.writelines(index.parts())

    def parse(self) -> IndexFile:
        with open(self.path, "rb") as file:
            return IndexFile.parse(file.read())

    def listed(self) -> Model:
        rows = [row.split("\t", 1) for row in self.git("ls-files", "-s", "-z").split("\0") if row]
        return {path: (int(head.split()[0], 8), head.split()[1]) for head, path in rows}


@pytest.fixture
def index(repo: GitRepo, tmp_path: Path) -> Index:
    return Index(repo, str(tmp_path / "index"))


@pytest.mark.parametrize("version", [2, 4])
@_SHARED
@given(
    first=st.dictionaries(paths, entries, min_size=1, max_size=14),
    rounds=st.lists(st.dictionaries(paths, st.none() | entries, min_size=1, max_size=5), min_size=1, max_size=3),
)
def test_git_reads_a_spliced_index_as_the_same_entries_and_trees(
    index: Index, version: int, first: Model, rounds: list[dict[str, tuple[int, str] | None]]
) -> None:
    model: Model = {}
    for path, entry in first.items():
        put(model, path, entry)
    index.fill(model, version)
    for changes in rounds:
        apart: Model = {}
        for path, entry in changes.items():
            put(apart, path, entry if entry is not None else (0, ""))
        chosen = {path: entry if entry[1] else None for path, entry in apart.items()}
        for path in sorted(chosen, key=lambda path: chosen[path] is not None):
            put(model, path, chosen[path])
        index.splice(chosen)
        parsed = index.parse()
        assert parsed.version == version
        assert [name.decode() for name in parsed.paths()] == sorted(model, key=str.encode)
    assert index.listed() == model
    spliced_tree = index.git("write-tree", "--missing-ok")
    index.fill(model)
    assert spliced_tree == index.git("write-tree", "--missing-ok")


@pytest.mark.parametrize("version", [2, 4])
def test_the_cached_trees_of_untouched_folders_are_kept(index: Index, version: int) -> None:
    blob = f"{7:040x}"
    index.fill({f"{folder}/{n}.md": (0o100644, blob) for folder in ("a", "b/c", "d") for n in range(3)}, version)
    before = index.git("write-tree", "--missing-ok", "--prefix=b/c")
    index.splice({"a/1.md": (0o100644, f"{8:040x}"), "d/new.md": (0o100644, blob)})
    (cached,) = [data for mark, data in index.parse().extensions if mark == b"TREE"]
    assert bytes.fromhex(before) in cached
    assert cached.startswith(b"\0-1 3\na\x00-1 0\n")
    assert index.git("write-tree", "--missing-ok", "--prefix=b/c") == before


@pytest.mark.parametrize("length", [4094, 4095, 4096, 5000])
@pytest.mark.parametrize("version", [2, 4])
def test_names_longer_than_the_length_field_are_read_and_written(index: Index, version: int, length: int) -> None:
    long = ("x" * 200 + "/") * 30
    name = long[: length - 1] + "y"
    blob = f"{7:040x}"
    index.fill({"a.md": (0o100644, blob), name: (0o100644, blob), "z.md": (0o100644, blob)}, version)
    index.splice({name: (0o100644, f"{8:040x}"), "b.md": (0o100644, blob), name + "2": (0o100644, blob)})
    assert index.listed()[name] == (0o100644, f"{8:040x}")
    assert list(index.listed()) == ["a.md", "b.md", name, name + "2", "z.md"]


def test_flags_of_other_entries_survive(repo: GitRepo, index: Index) -> None:
    """Assume-valid, skip-worktree and intent-to-add; the latter two make it a version 3 index."""
    for name in ("assumed", "skipped", "plain", "changed"):
        repo.write(f"{name}.md", name)
        index.git("add", f"{name}.md")
    repo.write("intended.md", "later")
    index.git("add", "--intent-to-add", "intended.md")
    index.git("update-index", "--assume-unchanged", "assumed.md", "changed.md")
    index.git("update-index", "--skip-worktree", "skipped.md")
    assert index.parse().version == 3
    held = index.parse().find("skipped.md")
    assert held is not None
    assert held.skip_worktree
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"new")
    index.splice({"changed.md": (0o100644, blob), "a/new.md": (0o100644, blob), "plain.md": None})
    rows = dict(reversed(row.split(" ", 1)) for row in index.git("ls-files", "-v").splitlines())
    assert rows == {"a/new.md": "H", "assumed.md": "h", "changed.md": "h", "intended.md": "H", "skipped.md": "S"}
    assert "intended.md" in index.git("diff", "--name-only", "--diff-filter=A")
    index.splice({"skipped.md": (0o100644, blob), "intended.md": (0o100644, blob)})
    assert index.listed()["skipped.md"] == (0o100644, blob)
    assert index.listed()["intended.md"] == (0o100644, blob)


@pytest.mark.parametrize("version", [2, 4])
def test_conflict_stages_are_seen_and_replaced_as_a_whole(index: Index, version: int) -> None:
    index.fill({"a.md": (0o100644, f"{1:040x}"), "z.md": (0o100644, f"{1:040x}")}, version)
    rows = "".join(f"100644 {stage:040x} {stage}\tm.md\n" for stage in (1, 2, 3))
    index.git("update-index", "--index-info", stdin=rows.encode())
    held = index.parse().find("m.md")
    assert held is not None
    assert held.unmerged
    index.splice({"z.md": (0o100644, f"{2:040x}")})
    assert len(index.git("ls-files", "-u").splitlines()) == 3
    index.splice({"m.md": (0o100644, f"{9:040x}")})
    assert index.git("ls-files", "-u") == ""
    assert list(index.listed()) == ["a.md", "m.md", "z.md"]


def test_a_checksum_that_git_was_told_to_skip_stays_skipped(index: Index) -> None:
    index.fill({"a.md": (0o100644, f"{1:040x}")})
    with open(index.path, "r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(bytes(20))
    index.splice({"b.md": (0o100644, f"{1:040x}")})
    with open(index.path, "rb") as file:
        assert file.read()[-20:] == bytes(20)


@pytest.mark.parametrize("kind", ["split", "sparse"])
def test_formats_that_must_not_be_spliced_are_refused_with_advice(tmp_path: Path, kind: str) -> None:
    repo = GitRepo(tmp_path / "repo")
    for name in ("a/1.md", "b/2.md", "3.md"):
        repo.write(name, name)
    repo.commit()
    if kind == "split":
        repo.git("update-index", "--split-index")
    else:
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "a")
    with pytest.raises(UnsupportedIndex, match=kind) as refused:
        IndexFile.parse(repo.read(".git/index"))
    assert "git " in refused.value.hint


def _sample(version: int) -> bytes:
    index = IndexFile.empty()
    index.version = version
    index.names = [] if version == 4 else None
    index.body[4:8] = struct.pack(">I", version)
    index.splice({f"{f}/{n}.md": Replacement(Entry(0o100644, f"{n:040x}")) for f in ("a", "a/b", "c") for n in range(1, 4)})
    index.extensions.append((b"TREE", b"\0-1 1\na\x009 0\n" + bytes(20)))
    return b"".join(index.parts())


@given(st.data(), st.sampled_from((2, 4)))
def test_damaged_bytes_raise_only_declared_errors(data: st.DataObject, version: int) -> None:
    whole = _sample(version)
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4))):
        if damaged:
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try_everything(bytes(damaged))


@given(st.binary(max_size=200))
def test_garbage_raises_only_declared_errors(data: bytes) -> None:
    try_everything(data)
    try_everything(b"DIRC\0\0\0\2\0\0\0\1" + data)
    try_everything(b"DIRC\0\0\0\4\0\0\0\2" + data)


def try_everything(data: bytes) -> None:
    try:
        index = IndexFile.parse(data)
        list(index.paths())
        index.find("a/b/2.md")
        index.splice({"a/b/2.md": Replacement(Entry(0o100644, f"{5:040x}")), "new/x.md": Replacement(Entry(0o100644, f"{5:040x}"))})
        b"".join(index.parts())
    except (IndexDamaged, UnsupportedIndex):
        pass


@pytest.mark.deep
def test_a_large_index_spliced_many_times_stays_what_git_says(index: Index) -> None:
    import secrets

    seed = secrets.randbits(32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    model: Model = {f"{n % 97:02x}/{n % 13}/{n}.md": (0o100644, f"{n + 1:040x}") for n in range(20_000)}
    index.fill(model, dice.choice((2, 4)))
    for _ in range(25):
        changes: dict[str, tuple[int, str] | None] = dict.fromkeys(dice.sample(sorted(model), 20))
        changes |= {path: (0o100644, f"{dice.getrandbits(64):040x}") for path in dice.sample(sorted(model), 20)}
        changes |= {f"{dice.randrange(120):02x}/new/{dice.getrandbits(30)}.md": (0o100644, f"{9:040x}") for _ in range(20)}
        for path, entry in changes.items():
            put(model, path, entry)
        index.splice(changes)
    assert index.listed() == model
