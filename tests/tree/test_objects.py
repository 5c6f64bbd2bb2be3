"""Entries and changes; a delete and an add of the same content are a rename."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.objects import EXECUTABLE, FILE, FOLDER, GITLINK, SYMLINK, Change, ChangeKind, Entry, pair_renames
from memtree.tree.paths import RepoPath

X, Y, EMPTY = "1" * 40, "2" * 40, "e" * 40


def added(path: str, blob: str, mode: int = FILE) -> Change:
    return Change(ChangeKind.ADDED, RepoPath(path), None, Entry(mode, blob))


def deleted(path: str, blob: str, mode: int = FILE) -> Change:
    return Change(ChangeKind.DELETED, RepoPath(path), Entry(mode, blob), None)


def modified(path: str) -> Change:
    return Change(ChangeKind.MODIFIED, RepoPath(path), Entry(FILE, X), Entry(FILE, Y))


def renames(*changes: Change) -> list[tuple[str, str]]:
    """The pairs found, old name first."""
    return [(str(change.old_path), str(change.path)) for change in pair_renames(list(changes)) if change.old_path is not None]


@pytest.mark.parametrize(
    ("mode", "is_file"), [(FILE, True), (EXECUTABLE, True), (SYMLINK, False), (GITLINK, False), (FOLDER, False)]
)
def test_only_files_are_files(mode: int, is_file: bool) -> None:
    assert Entry(mode, X).is_file is is_file


def test_a_delete_and_an_add_of_one_content_are_a_rename() -> None:
    (change,) = pair_renames([added("new.md", X), deleted("old.md", X)])
    assert change == Change(ChangeKind.RENAMED, RepoPath("new.md"), Entry(FILE, X), Entry(FILE, X), RepoPath("old.md"))


def test_the_new_mode_is_kept_in_a_rename() -> None:
    (change,) = pair_renames([added("new.md", X, EXECUTABLE), deleted("old.md", X)])
    assert change.before == Entry(FILE, X)
    assert change.after == Entry(EXECUTABLE, X)


def test_other_content_is_no_rename() -> None:
    assert renames(added("new.md", Y), deleted("old.md", X)) == []


def test_a_copy_is_an_add() -> None:
    assert renames(added("copy.md", X), modified("old.md")) == []


def test_links_are_not_paired() -> None:
    assert renames(added("new", X, SYMLINK), deleted("old", X, SYMLINK)) == []


def test_the_same_name_elsewhere_wins_over_another_name() -> None:
    assert renames(deleted("a/one.md", X), deleted("b/two.md", X), added("c/two.md", X), added("c/one.md", X)) == [
        ("a/one.md", "c/one.md"),
        ("b/two.md", "c/two.md"),
    ]


def test_a_deleted_file_is_the_source_of_one_rename_only() -> None:
    found = pair_renames([deleted("old.md", X), added("one.md", X), added("two.md", X)])
    assert [(change.kind, change.path) for change in found] == [(ChangeKind.RENAMED, "one.md"), (ChangeKind.ADDED, "two.md")]


PATHS = st.sampled_from(["a.md", "b.md", "x/a.md", "x/b.md", "y/a.md"])


@given(st.dictionaries(PATHS, st.tuples(st.sampled_from([added, deleted]), st.sampled_from([X, Y, EMPTY])), max_size=5))
def test_pairing_loses_and_invents_nothing(drawn: dict[str, tuple[object, str]]) -> None:
    changes = [make(path, blob) for path, (make, blob) in drawn.items()]  # type: ignore[operator]
    found = pair_renames(changes)
    assert [change.path for change in found] == sorted(change.path for change in found)
    back: list[Change] = []
    for change in found:
        if change.old_path is None:
            back.append(change)
            continue
        assert change.before is not None
        assert change.after is not None
        back += [deleted(change.old_path, change.before.id), added(change.path, change.after.id)]
    assert sorted(back, key=lambda change: change.path) == sorted(changes, key=lambda change: change.path)
