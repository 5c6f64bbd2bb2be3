"""Which saves come from before a pull."""

from __future__ import annotations

import pytest

from memtree.tree.stale import saved_from_before

OLD = b"# Plan\n\nfirst line\nsecond line\nthird line\n"
NEW = b"# Plan\n\nfirst line\nsecond line, changed elsewhere\nthird line\nfourth line\n"


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("the very text that was replaced", OLD),
        ("with an edit of its own", OLD.replace(b"first", b"very first")),
        ("with a line at its end", OLD + b"my own line\n"),
        ("with an edit of the line that the pull changed too", OLD.replace(b"second line", b"second line of mine")),
    ],
)
def test_a_save_that_lacks_all_of_the_pull_is_from_before_it(name: str, saved: bytes) -> None:
    assert saved_from_before(OLD, NEW, saved, NEW) is True, name


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("one of two pulled changes taken back", NEW.replace(b"fourth line\n", b"")),
        ("edited on top of the pull", NEW + b"mine\n"),
        ("everything written anew", b"another text altogether\n"),
        (
            "the pulled lines edited further",
            NEW.replace(b"changed elsewhere", b"changed again").replace(b"fourth line", b"4th line"),
        ),
    ],
)
def test_other_saves_are_meant(name: str, saved: bytes) -> None:
    assert saved_from_before(OLD, NEW, saved, NEW) is False, name


def test_lines_that_the_pull_took_away_and_that_are_back_tell_it_too() -> None:
    assert saved_from_before(NEW, OLD, NEW + b"mine\n", OLD) is True
    assert saved_from_before(NEW, OLD, OLD + b"mine\n", OLD) is False


def test_what_was_reverted_on_purpose_says_nothing() -> None:
    assert saved_from_before(OLD, NEW, OLD + b"more\n", OLD) is None


def test_only_what_still_stands_of_the_pull_counts() -> None:
    present = NEW.replace(b"fourth line\n", b"")  # somebody took one of the two back meanwhile
    assert saved_from_before(OLD, NEW, OLD + b"mine\n", present) is True
    assert saved_from_before(OLD, NEW, present + b"mine\n", present) is False


def test_binary_contents_are_compared_as_a_whole() -> None:
    assert saved_from_before(b"\0old", b"\0new", b"\0old", b"\0new") is True
    assert saved_from_before(b"\0old", b"\0new", b"\0old!", b"\0new") is False
    assert saved_from_before(b"\0old", b"\0new", b"\0old", b"\0newer") is None


def test_line_ends_alone_make_no_difference() -> None:
    assert saved_from_before(OLD, NEW, OLD.replace(b"\n", b"\r\n"), NEW) is True


@pytest.mark.parametrize(
    ("replaced", "arrived", "saved"),
    [
        ("a\n\nb\n", "---\ntags:\n- theirs\n---\n\na\n\nb\n", "---\ntags:\n- mine\n---\n\na\n\nb\n"),
        ("---\nk: v\n---\na\n\nb\n", "---\nk: v\n---\n\na\n\nb\n\n- theirs\n", "---\nk: v\n---\n\nmine\n\nb\n"),
        ("a\n\nb\n\nc\n", "a\n\n```\ntheirs\n```\n\nb\n\nc\n", "a\n\n```\nmine\n```\n\nb\n\nc\n"),
    ],
)
def test_marks_and_blank_lines_that_both_wrote_do_not_tell_that_the_pull_was_seen(replaced: str, arrived: str, saved: str) -> None:
    assert saved_from_before(*(text.encode() for text in (replaced, arrived, saved, arrived))) is True


def test_a_pull_that_brought_marks_and_blank_lines_only_says_nothing() -> None:
    assert saved_from_before(b"a\nb\n", b"a\n\nb\n", b"a\nb\nmine\n", b"a\n\nb\n") is None


def test_lines_in_any_script_tell() -> None:
    arrived = "一\n二\n三\n".encode()
    assert saved_from_before("一\n三\n".encode(), arrived, arrived + "四\n".encode(), arrived) is False
