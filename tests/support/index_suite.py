"""What every index promises, over every kind of source: catching up gives what a build from nothing gives.

A test class inherits `IndexSuite`, or `ViewSuite` where nothing is searched, and says how to make a source and an index; the
engine's own source runs the same suite.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, Generic, Protocol, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.indexers.base import Index, Source, View
from memtree.indexers.catch_up import catch_up
from memtree.indexers.query import Query
from memtree.tree.objects import CommitId


class Recorder(Source, Protocol):
    """A source that a test can add commits to."""

    def commit(self, files: Mapping[str, bytes]) -> CommitId:
        """Record `files` as everything there is, and return the commit."""


_PATHS = st.sampled_from(
    ["a.md", "b.md", "notes/a.md", "notes/2024-05-01.md", "notes/deep/c.txt", "MEMORY.md", "图.md", "pic.png", "a", "weird ?*.md"]
)
_TEXTS = st.sampled_from(
    [
        b"",
        b"# Head\nwords here\n",
        b"---\ntitle: T\ntags: [x]\ndate: 2020-01-01\n---\nbody #y\n",
        "北京大学".encode(),
        b"\xff\xfe\x00",
        b"# A\n\n" + b"long text. " * 400,
        b"words here\n",
        b"---\n[\n---\nbroken\n",
        b"# A\na\n# B\nb\n# A\na\n",
    ]
)
SNAPSHOTS = st.lists(st.dictionaries(_PATHS, _TEXTS, max_size=6), min_size=1, max_size=6)


def _consistent(files: dict[str, bytes]) -> dict[str, bytes]:
    """Drop what no tree can hold: a file that is also a folder."""
    return {path: data for path, data in files.items() if not any(other.startswith(path + "/") for other in files)}


V = TypeVar("V", bound=View)


class ViewSuite(Generic[V]):
    """Inherit and override the makers; `snapshots` are the histories to try, `examples` how many where that costs much."""

    snapshots = SNAPSHOTS
    examples: int | None = None

    def make_source(self, folder: Path) -> Recorder:
        raise NotImplementedError

    def make_index(self, folder: Path) -> V:
        raise NotImplementedError

    def dump(self, index: V) -> Any:
        """Everything the index holds, comparable."""
        raise NotImplementedError

    def __init_subclass__(cls) -> None:
        """Give each class a property of its own: hypothesis keeps the examples of a property by its function."""

        @given(snapshots=cls.snapshots, stops=st.lists(st.booleans(), min_size=6, max_size=6))
        def test(self: ViewSuite[V], snapshots: list[dict[str, bytes]], stops: list[bool]) -> None:
            self.check_incremental(snapshots, stops)

        if cls.examples is not None and settings().max_examples <= 100:
            test = settings(max_examples=cls.examples)(test)
        test.__qualname__ = f"{cls.__module__}.{cls.__qualname__}.test_an_incremental_index_equals_a_rebuilt_one"
        cls.test_an_incremental_index_equals_a_rebuilt_one = test  # type: ignore[attr-defined]

    def check_incremental(self, snapshots: list[dict[str, bytes]], stops: list[bool]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = self.make_source(folder / "source")
            grown = self.make_index(folder / "grown")
            for files, stop in zip(snapshots, stops, strict=False):
                commit = source.commit(_consistent(files))
                if stop:
                    catch_up(grown, source, commit)
            catch_up(grown, source, commit)
            built = self.make_index(folder / "built")
            catch_up(built, source, commit)
            assert self.dump(grown) == self.dump(built)
            assert grown.position() == built.position() == commit
            grown.close()
            built.close()

    def test_going_back_to_an_old_commit_is_catching_up_too(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        old = source.commit({"a.md": b"apple", "b.md": b"berry"})
        new = source.commit({"b.md": b"cherry"})
        catch_up(index, source, old)
        before = self.dump(index)
        catch_up(index, source, new)
        report = catch_up(index, source, old)
        assert (report.before, report.after, report.changed, report.rebuilt) == (new, old, 2, False)
        assert self.dump(index) == before

    def test_applying_twice_is_applying_once(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        first = source.commit({"a.md": b"apple", "b.md": b"berry"})
        second = source.commit({"a.md": b"apple pie", "c.md": b"cherry"})
        catch_up(index, source, first)
        index.apply(source.changes(first, second), source, second)
        once = self.dump(index)
        index.apply(source.changes(first, second), source, second)
        assert self.dump(index) == once
        index.apply(source.changes(None, second), source, second)
        assert self.dump(index) == once

    def test_the_position_survives_reopening(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        assert index.position() is None
        commit = source.commit({"a.md": b"apple"})
        assert catch_up(index, source, commit).rebuilt
        kept = self.dump(index)
        index.close()
        again = self.make_index(tmp_path / "index")
        assert again.position() == commit
        assert not catch_up(again, source, commit).rebuilt
        assert self.dump(again) == kept

    @pytest.mark.parametrize("opened", [False, True])
    def test_one_that_is_replaced_at_any_line_of_a_look_is_the_old_the_new_or_none(self, tmp_path: Path, opened: bool) -> None:
        source, folder = self.make_source(tmp_path / "source"), tmp_path / "index"
        old, new = source.commit({"a.md": b"apple"}), source.commit({"a.md": b"apple", "b.md": b"berry"})
        kept = {}
        for name, commit in (("new", new), ("old", old)):
            index = self.make_index(folder)
            catch_up(index, source, commit)
            index.close()
            shutil.copytree(folder, tmp_path / name)
            kept[name] = commit
            shutil.rmtree(folder)
        lines, seen = 1, set[CommitId | None]()
        for gap in (1, 2, 7):
            at = 0
            while at < lines:
                at += 1
                shutil.copytree(tmp_path / "old", folder)
                index = self.make_index(folder)
                if opened:
                    assert index.position() == old
                swap = _Swap(folder, tmp_path / "new", at, at + gap)
                with swap:
                    found = index.position()
                lines = max(lines, swap.lines)
                assert found in (None, old, new), (at, gap)
                assert index.position() == new, "nothing of that moment is remembered"
                seen.add(found)
                index.close()
                shutil.rmtree(folder)
            assert lines > 10
        assert seen == {None, old, new}

    def test_a_failing_read_leaves_the_old_state(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        first = source.commit({"a.md": b"apple", "b.md": b"berry"})
        second = source.commit({"a.md": b"apple pie", "b.md": b"berry pie"})
        catch_up(index, source, first)
        before = self.dump(index)
        try:
            index.apply(source.changes(first, second), _Failing(source, after=1), second)
        except LookupError:
            pass
        else:
            raise AssertionError("the read did not fail")
        assert index.position() == first
        assert self.dump(index) == before
        assert catch_up(index, source, second).changed == 2

    def test_progress_counts_paths(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        seen: list[int] = []
        commit = source.commit({f"{number}.md": b"x" for number in range(5)})
        assert catch_up(index, source, commit, seen.append).changed == 5
        assert seen == [1, 2, 3, 4, 5]


class IndexSuite(ViewSuite[Index]):
    """Inherit and override the makers."""

    def test_what_was_stored_is_found_after_reopening(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        assert index.search(Query("apple")) == []
        commit = source.commit({"a.md": b"apple"})
        catch_up(index, source, commit)
        index.close()
        again = self.make_index(tmp_path / "index")
        assert [(hit.path, hit.commit) for hit in again.search(Query("apple"))] == [("a.md", commit)]

    def test_what_is_deleted_is_not_found(self, tmp_path: Path) -> None:
        source, index = self.make_source(tmp_path / "source"), self.make_index(tmp_path / "index")
        catch_up(index, source, source.commit({"a.md": b"apple", "a": b"apple", "a.md.md": b"apple"}))
        catch_up(index, source, source.commit({"a": b"apple", "a.md.md": b"apple"}))
        assert [hit.path for hit in index.search(Query("apple"))] == ["a", "a.md.md"]


class _Failing:
    """A source whose reads fail after a while, as a damaged repository's do."""

    def __init__(self, source: Source, after: int) -> None:
        self._source, self._left = source, after
        self.changes, self.has_commit = source.changes, source.has_commit

    def blob(self, id: str) -> bytes:  # noqa: A002
        self._left -= 1
        if self._left < 0:
            raise LookupError(id)
        return self._source.blob(id)


class _Swap:
    """While it is entered, another index takes the place of the one in a folder: what was goes at one line that the
    indexers run, what comes stands there at a later one, or at the end."""

    def __init__(self, folder: Path, other: Path, away: int, back: int) -> None:
        self.lines = 0
        self._steps = {away: self._take_away, back: self._bring}
        self._folder, self._other, self._gone = folder, other, folder.with_name("gone")

    def __enter__(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        for step in list(self._steps.values()):
            step()
        shutil.rmtree(self._gone)

    def _call(self, frame: FrameType, event: str, _: object) -> Any:
        return self._line if frame.f_globals.get("__name__", "").startswith("memtree.indexers.") else None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            self.lines += 1
            if step := self._steps.pop(self.lines, None):
                sys.settrace(None)
                step()
                sys.settrace(self._call)
        return self._line

    def _take_away(self) -> None:
        self._gone.mkdir()
        for one in os.listdir(self._folder):
            if one.startswith("v"):
                os.rename(self._folder / one, self._gone / one)

    def _bring(self) -> None:
        new = self._folder / "new"
        shutil.copytree(self._other, new)
        for one in os.listdir(new):
            if one.startswith("v"):
                os.rename(new / one, self._folder / one)
        shutil.rmtree(new)
