"""FullTextIndex keeps every index's promises, and says so when it cannot."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtree.indexers import fulltext
from memtree.indexers.base import Index, IndexBusy, IndexCorrupt, IndexUnwritable
from memtree.indexers.catch_up import catch_up
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.query import Query
from memtree.indexers.records import Record
from memtree.tree.objects import GITLINK, SYMLINK, Change, ChangeKind, CommitId, Entry
from memtree.tree.paths import RepoPath
from support.index_suite import IndexSuite, Recorder
from support.memory_source import MemorySource

FILES = {f"notes/{number:03}.md": f"# Note {number}\nhello words {number} #t{number}\n".encode() for number in range(120)}


def contents(index: Index) -> list[Record]:
    assert isinstance(index, FullTextIndex)
    return index.records()


class TestSuite(IndexSuite):
    def make_source(self, folder: Path) -> Recorder:
        return MemorySource()

    def make_index(self, folder: Path) -> Index:
        return FullTextIndex.open(folder, "settings")

    def dump(self, index: Index) -> object:
        queries = ["head", "words", "北京", "long text", "t", "x", "y", "a.md", "broken", "deep", "weird", "图"]
        return contents(index), [{hit.path for hit in index.search(Query(text, limit=1_000))} for text in queries]


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def built(folder: Path, source: MemorySource, fingerprint: str = "settings") -> FullTextIndex:
    index = FullTextIndex.open(folder, fingerprint)
    catch_up(index, source, source.commit(FILES))
    return index


def home(folder: Path) -> Path:
    return folder / f"v{fulltext.VERSION}"


SEGMENT_PARTS = ["fast", "fieldnorm", "idx", "pos", "store", "term"]


@pytest.mark.parametrize("part", [*SEGMENT_PARTS, "meta.json"])
@pytest.mark.parametrize("damage", ["gone", "cut", "empty", "garbage"])
def test_damage_is_detected_and_healed(folder: Path, source: MemorySource, part: str, damage: str) -> None:
    expected = contents(built(folder, source))
    (file,) = home(folder).glob(f"*.{part}" if part != "meta.json" else part)
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        file.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "garbage": os.urandom(len(data))}[damage])
    index = FullTextIndex.open(folder, "settings")
    with pytest.raises(IndexCorrupt):
        index.search(Query("hello"))
    report = catch_up(index, source, source.commit(FILES))
    assert report.rebuilt
    assert report.reason
    assert contents(index) == expected


@pytest.mark.parametrize("part", SEGMENT_PARTS)
def test_verify_finds_damage_inside_a_segment(folder: Path, source: MemorySource, part: str) -> None:
    index = built(folder, source)
    assert index.verify() == []
    (file,) = home(folder).glob(f"*.{part}")
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    index.close()
    file.write_bytes(data)
    index = FullTextIndex.open(folder, "settings")
    assert index.verify() == [file.name]
    assert catch_up(index, source, source.commit(FILES)).rebuilt
    assert index.verify() == []
    assert len(index.search(Query("hello"))) == 10


def test_damage_that_only_a_search_meets_leads_to_a_rebuild(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    index.close()
    (file,) = home(folder).glob("*.store")
    data = file.read_bytes()
    file.write_bytes(os.urandom(len(data) // 2) + data[len(data) // 2 :])
    index = FullTextIndex.open(folder, "settings")
    with pytest.raises(IndexCorrupt):
        contents(index)
    with pytest.raises(IndexCorrupt):
        index.position()
    assert catch_up(index, source, source.commit(FILES)).rebuilt


def test_damage_while_open_is_noticed(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    assert index.search(Query("hello"))
    (home(folder) / "meta.json").write_bytes(b"{")
    with pytest.raises(IndexCorrupt):
        index.search(Query("hello"))


def test_another_process_heals_the_index_under_an_open_reader(folder: Path, source: MemorySource) -> None:
    reader = built(folder, source)
    assert reader.search(Query("hello"))
    writer = FullTextIndex.open(folder, "settings")
    writer.clear()
    assert reader.search(Query("hello")) == []
    catch_up(writer, source, source.commit(FILES))
    assert reader.search(Query("hello"))


def test_other_settings_rebuild(folder: Path, source: MemorySource) -> None:
    built(folder, source).close()
    index = FullTextIndex.open(folder, "other settings")
    assert index.position() is None
    report = catch_up(index, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built under other settings")
    assert index.vacancy() == ""


def test_another_version_rebuilds_and_the_old_folder_goes(
    folder: Path, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(folder, source).close()
    monkeypatch.setattr(fulltext, "VERSION", 99)
    index = FullTextIndex.open(folder, "settings")
    report = catch_up(index, source, source.commit(FILES))
    assert (report.rebuilt, report.reason) == (True, "it was built by another version")
    assert sorted(os.listdir(folder)) == ["lock", "v99"]


def test_a_commit_that_is_gone_rebuilds(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    lost = index.position()
    assert lost is not None
    commit = source.commit({"a.md": b"apple"})
    source.forget(lost)
    report = catch_up(index, source, commit)
    assert report.rebuilt
    assert lost[:12] in report.reason
    assert [record.path for record in contents(index)] == ["a.md"]


def test_two_writers_exclude_each_other_and_readers_go_on(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    other = FullTextIndex.open(folder, "settings")
    commit = source.commit({**FILES, "new.md": b"fresh"})
    assert other.position() is not None
    met: list[str] = []

    def progress(_: int) -> None:
        for attempt in (other.clear, lambda: other.apply([], source, commit)):
            with pytest.raises(IndexBusy):
                attempt()
        assert len(other.search(Query("hello"))) == 10
        assert other.search(Query("fresh")) == []
        met.append("busy")

    catch_up(index, source, commit, progress)
    assert met == ["busy"]
    assert [hit.path for hit in other.search(Query("fresh"))] == ["new.md"]


def test_a_position_that_moved_meanwhile_is_not_written_over(folder: Path, source: MemorySource) -> None:
    slow, quick = built(folder, source), FullTextIndex.open(folder, "settings")
    start = slow.position()
    first = source.commit({"a.md": b"one"})
    second = source.commit({"a.md": b"two"})
    catch_up(quick, source, second)
    with pytest.raises(IndexBusy):
        slow.apply(source.changes(start, first), source, first)
    assert quick.position() == second
    assert catch_up(slow, source, first).before == second


def test_a_failed_apply_lets_go_of_the_index_even_while_its_error_is_kept(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    commit = source.commit({"a.md": b"apple"})
    changes = list(source.changes(index.position(), commit))

    def fail(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as kept:
        index.apply(changes, source, commit, fail)
    assert FullTextIndex.open(folder, "settings").apply(changes, source, commit) == len(changes)
    assert kept.value.__traceback__ is not None


def _die_while_applying(folder: Path) -> None:
    source = MemorySource()
    index = built(folder, source)
    commit = source.commit({f"new/{number}.md": b"fresh" for number in range(300)})
    catch_up(index, source, commit, lambda count: os._exit(9) if count == 250 else None)


def test_a_killed_process_leaves_the_old_state_and_no_lock(folder: Path, source: MemorySource) -> None:
    victim = multiprocessing.get_context("spawn").Process(target=_die_while_applying, args=(folder,))
    victim.start()
    victim.join()
    assert victim.exitcode == 9
    first = source.commit(FILES)
    index = FullTextIndex.open(folder, "settings")
    assert index.position() == first
    assert len(contents(index)) == len(FILES)
    report = catch_up(index, source, source.commit({"a.md": b"apple"}))
    assert (report.before, report.rebuilt) == (first, False)
    assert [record.path for record in contents(index)] == ["a.md"]


def test_symlinks_and_nested_repositories_are_not_indexed(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    path = RepoPath("notes/001.md")
    for mode in (SYMLINK, GITLINK):
        change = Change(ChangeKind.MODIFIED, path, None, Entry(mode, "0" * 40))
        index.apply([change], source, CommitId("f" * 40))
        assert path not in [record.path for record in contents(index)]


def _write_many(folder: Path, rounds: int) -> None:
    source = MemorySource()
    index = FullTextIndex.open(folder, "settings")
    for number in range(rounds):
        catch_up(index, source, source.commit({**FILES, "a.md": f"round {number}".encode()}))


def test_searching_while_another_process_writes(folder: Path, source: MemorySource) -> None:
    reader = built(folder, source)
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=_write_many, args=(folder, 12))
    writer.start()
    searches = 0
    while writer.is_alive() or not searches:
        assert len(reader.search(Query("hello words"))) in (0, 10)
        searches += 1
    writer.join()
    assert writer.exitcode == 0
    assert [hit.snippet for hit in reader.search(Query("round"))] == ["round 11"]


def test_many_small_saves_do_not_pile_up_segments(folder: Path, source: MemorySource) -> None:
    index = built(folder, source)
    for number in range(40):
        catch_up(index, source, source.commit({**FILES, "a.md": f"save {number}".encode()}))
    assert len(list(home(folder).glob("*.store"))) < 20
    assert [hit.snippet for hit in index.search(Query("save"))] == ["save 39"]


def test_a_path_longer_than_any_term_is_deleted_too(folder: Path, source: MemorySource) -> None:
    index = FullTextIndex.open(folder, "settings")
    path = "/".join(["x" * 200] * 400) + "/a.md"
    catch_up(index, source, source.commit({path: b"apple"}))
    assert [hit.path for hit in index.search(Query("apple"))] == [path]
    catch_up(index, source, source.commit({"b.md": b"berry"}))
    assert [record.path for record in contents(index)] == ["b.md"]


def test_a_folder_that_cannot_be_written_is_no_damage(tmp_path: Path, source: MemorySource) -> None:
    (tmp_path / "index").write_text("a file where the folder should be")
    index = FullTextIndex.open(tmp_path / "index", "settings")
    with pytest.raises(IndexUnwritable):
        catch_up(index, source, source.commit(FILES))


def test_asking_needs_no_index_library() -> None:
    code = "import sys, memtree.indexers.query, memtree.indexers.catch_up; assert 'tantivy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
