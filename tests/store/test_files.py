"""The door to the disk: whole or not at all, never through a link, with and without the exchange call."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtree.engine.files import Durability, Files, exchange_works, same_file

both = pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "link and rename"])


def files(exchange: bool = True, seen: list[tuple[str, str]] | None = None) -> Files:
    noted = seen if seen is not None else []
    return Files(Durability.FULL, lambda step, path: noted.append((step, os.path.basename(path))), exchange_supported=exchange)


@both
def test_an_exchange_swaps_two_names_and_keeps_both_inodes(tmp_path: Path, exchange: bool) -> None:
    if exchange and not exchange_works(str(tmp_path)):
        pytest.skip("this file system has no exchange")
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    inode = two.stat().st_ino
    files(exchange).exchange(str(one), str(two))
    assert (one.read_bytes(), two.read_bytes()) == (b"2", b"1")
    assert one.stat().st_ino == inode
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


@both
def test_an_exchange_with_a_missing_name_changes_nothing(tmp_path: Path, exchange: bool) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"1")
    with pytest.raises(FileNotFoundError):
        files(exchange).exchange(str(one), str(two))
    assert one.read_bytes() == b"1"
    assert os.listdir(tmp_path) == ["one"]


@both
def test_a_rename_onto_a_taken_name_is_refused(tmp_path: Path, exchange: bool) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    with pytest.raises(FileExistsError):
        files(exchange).rename_new(str(one), str(two))
    assert (one.read_bytes(), two.read_bytes()) == (b"1", b"2")
    files(exchange).rename_new(str(one), str(tmp_path / "three"))
    assert sorted(os.listdir(tmp_path)) == ["three", "two"]


@both
def test_a_folder_can_be_given_back(tmp_path: Path, exchange: bool) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    (folder / "inside").write_bytes(b"inside")
    file.write_bytes(b"file")
    files(exchange).exchange(str(folder), str(file))
    assert (file / "inside").read_bytes() == b"inside"
    assert folder.read_bytes() == b"file"
    files(exchange).rename_new(str(file), str(tmp_path / "elsewhere"))
    assert (tmp_path / "elsewhere" / "inside").read_bytes() == b"inside"


def test_an_exchange_that_a_kill_cut_short_is_finished(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"new")
    two.write_bytes(b"displaced")
    seen: list[str] = []

    def kill(step: str, path: str) -> None:
        seen.append(step)
        if seen == ["exchange", "rename", "rename"]:
            raise Killed

    with pytest.raises(Killed):
        Files(Durability.FAST, kill, exchange_supported=False).exchange(str(one), str(two))
    assert two.read_bytes() == b"new"
    assert not one.exists()
    for _ in range(2):
        files(exchange=False).finish_exchange(str(one))
        assert one.read_bytes() == b"displaced"
    assert sorted(os.listdir(tmp_path)) == ["one", "two"]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    link = tmp_path / "link"
    link.symlink_to(target)
    door = files()
    with pytest.raises(FileExistsError):
        door.write_new(str(link), b"x")
    with pytest.raises(OSError, match="link"):
        door.append(str(link), b"x")
    door.replace(str(link), b"new")
    assert target.read_bytes() == b"precious"
    assert link.read_bytes() == b"new"
    assert not link.is_symlink()


def test_a_replaced_file_is_synced_before_it_gets_its_name_and_its_folder_after(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []
    files(seen=seen).replace(str(tmp_path / "file"), b"12")
    assert [step for step, _ in seen] == ["unlink", "create", "write", "write", "fsync", "rename", "fsync_folder"]
    fast: list[str] = []
    Files(Durability.FAST, lambda step, _: fast.append(step)).replace(str(tmp_path / "file"), b"12")
    assert fast == ["unlink", "create", "write", "write", "rename"]


def test_names_of_one_inode_are_the_same_file(tmp_path: Path) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    files().write_new(one, b"")
    assert not same_file(one, two)
    files().link(one, two)
    assert same_file(one, two)
