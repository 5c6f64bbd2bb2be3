"""Diffs of two versions: what they promise for any input, and how they read for ordinary edits."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree import matching
from memtree.tree.matching import Match, match_sequences
from memtree.tree.objects import ChangeKind
from memtree.tree.paths import RepoPath
from memtree.tree.words import Detail, FileDiff, Mark, Piece, diff_file, diff_words, split_lines, tokens

PATH = RepoPath("notes/a.md")
DETAILS = list(Detail)
LINE = st.sampled_from(["one two three", "one 2 three", "four, five", "记忆是树", "记忆像树", "", " ", "a\r", "éa", "x y"])
TEXT = st.one_of(
    st.lists(LINE).map("\n".join),
    st.lists(LINE).map(lambda lines: "".join(line + "\n" for line in lines)),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
)


def diff(old: str, new: str, detail: Detail = Detail.WORDS, context: int = 3) -> FileDiff:
    return diff_file(PATH, old.encode(), new.encode(), detail=detail, context=context)


def apply(old: str, found: FileDiff) -> str:
    """What a patch program would do: check the old side of every hunk, put the new side in its place."""
    lines = split_lines(old)
    result: list[str] = []
    at = 0
    for hunk in found.hunks:
        start = hunk.old_start - (hunk.old_lines > 0)
        result += lines[at:start]
        assert len(result) == hunk.new_start - (hunk.new_lines > 0)
        at = start + hunk.old_lines
        assert "".join(line.old for line in hunk.lines) == "".join(lines[start:at])
        news = [line.new for line in hunk.lines if line.kind is not Mark.REMOVED]
        assert len(news) == hunk.new_lines
        result += news
    return "".join(result + lines[at:])


@pytest.mark.parametrize("detail", DETAILS)
@given(old=TEXT, new=TEXT, context=st.integers(0, 4))
def test_applying_a_diff_to_the_old_text_gives_the_new(detail: Detail, old: str, new: str, context: int) -> None:
    assert apply(old, diff(old, new, detail, context)) == new


@given(old=TEXT, new=TEXT)
def test_counts_are_the_lines_that_differ(old: str, new: str) -> None:
    for detail in DETAILS:
        found = diff(old, new, detail)
        assert len(split_lines(new)) - len(split_lines(old)) == found.added - found.deleted


@given(TEXT)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert diff(text, text).hunks == ()
    assert diff_words(text, text) == ((Piece(Mark.SAME, text),) if text else ())


@given(old=TEXT, new=TEXT)
def test_pieces_hold_both_sides_exactly(old: str, new: str) -> None:
    pieces = diff_words(old, new)
    assert "".join(piece.text for piece in pieces if piece.kind is not Mark.ADDED) == old
    assert "".join(piece.text for piece in pieces if piece.kind is not Mark.REMOVED) == new


@given(st.text())
def test_tokens_are_the_text(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)), st.sampled_from([0, 4, 100]))
def test_matches_rise_and_are_equal_below_and_above_the_cap(one: list[int], two: list[int], cap: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "_EXACT_PAIRS", cap)
        found = match_sequences(one, two)
    ends = (0, 0)
    for match in found:
        assert match.size > 0
        assert (match.one, match.two) >= ends
        assert match.one >= ends[0]
        assert match.two >= ends[1]
        assert one[match.one : match.one + match.size] == two[match.two : match.two + match.size]
        ends = (match.one + match.size, match.two + match.size)


def test_a_changed_line_is_one_line_with_its_words() -> None:
    (hunk,) = diff("a\nthe cat sat here\nb\n", "a\nthe dog sat here\nb\n").hunks
    assert [line.kind for line in hunk.lines] == [Mark.SAME, Mark.CHANGED, Mark.SAME]
    assert hunk.lines[1].pieces == (
        Piece(Mark.SAME, "the "),
        Piece(Mark.REMOVED, "cat"),
        Piece(Mark.ADDED, "dog"),
        Piece(Mark.SAME, " sat here\n"),
    )


def test_two_replaced_words_read_as_one_phrase() -> None:
    assert diff_words("see red cat now", "see blue dog now")[1:3] == (Piece(Mark.REMOVED, "red cat"), Piece(Mark.ADDED, "blue dog"))


def test_chinese_changes_by_the_character() -> None:
    assert diff_words("我喜欢茶。", "我喜欢水。")[1:3] == (Piece(Mark.REMOVED, "茶"), Piece(Mark.ADDED, "水"))


def test_accents_and_vowel_signs_stay_with_their_word() -> None:
    assert tokens("cafe\u0301 हिन्दी") == ["cafe\u0301", " ", "हिन्दी"]


def test_a_new_line_is_paired_with_the_line_it_came_from() -> None:
    (hunk,) = diff("alpha beta gamma\n", "something else entirely\nalpha beta delta\n").hunks
    assert [line.kind for line in hunk.lines] == [Mark.ADDED, Mark.CHANGED]


def test_lines_without_likeness_are_not_mixed() -> None:
    (hunk,) = diff("alpha beta\n", "gamma delta\n").hunks
    assert [line.kind for line in hunk.lines] == [Mark.REMOVED, Mark.ADDED]


def test_far_changes_are_separate_hunks_numbered_as_in_a_unified_diff() -> None:
    old = "".join(f"{n}\n" for n in range(1, 21))
    found = diff(old, old.replace("2\n", "2x\n", 1).replace("19\n", ""), Detail.LINES)
    assert [(h.old_start, h.old_lines, h.new_start, h.new_lines) for h in found.hunks] == [(1, 5, 1, 5), (16, 5, 16, 4)]
    (hunk,) = diff_file(PATH, None, b"a\nb", detail=Detail.LINES).hunks
    assert (hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines) == (0, 0, 1, 2)


@pytest.mark.parametrize("data", [b"a\0b", b"\xff\xfe", "é".encode("latin-1")])
def test_what_is_not_text_is_binary(data: bytes) -> None:
    found = diff_file(PATH, data, b"text\n", detail=Detail.WORDS)
    assert found.binary
    assert found.hunks == ()


def test_kind_follows_from_what_is_there() -> None:
    def kind(old: bytes | None, new: bytes | None, old_path: RepoPath | None = None) -> ChangeKind:
        return diff_file(PATH, old, new, detail=Detail.LINES, old_path=old_path).kind

    assert kind(None, b"") is ChangeKind.ADDED
    assert kind(b"", None) is ChangeKind.DELETED
    assert kind(b"a", b"b") is ChangeKind.MODIFIED
    assert kind(b"a", b"a", RepoPath("old.md")) is ChangeKind.RENAMED


def test_unique_lines_anchor_what_is_too_large_to_match_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_EXACT_PAIRS", 10)
    one = [0, 1, 2, 0, 3, 4, 0, 5, 0]
    two = [0, 0, 2, 0, 0, 4, 0, 0, 5]
    assert {(m.one + k, m.two + k) for m in match_sequences(one, two) for k in range(m.size)} >= {(2, 2), (5, 5), (7, 8)}
    assert match_sequences([1] * 3 + [2] * 4, [2] * 4 + [1] * 3) == []


@pytest.mark.parametrize("count", [30_000, pytest.param(200_000, marks=pytest.mark.deep)])
def test_large_files_stay_bounded(count: int) -> None:
    """Not a benchmark: without the cap these take minutes or all memory, so the bound is loose."""
    lines = [f"line {n} of a long file with some words in it" for n in range(count)]
    old = "\n".join(lines)
    start = time.monotonic()
    assert diff(old, "\n".join(line.upper() if n % 1000 == 0 else line for n, line in enumerate(lines))).added == count // 1000
    assert diff(old, "\n".join(f"{n * 7}" for n in range(count))).added == count
    assert diff("same words again " * count, "other same words " * count).added == 1
    assert time.monotonic() - start < 60


def test_match_is_a_value() -> None:
    assert match_sequences("abc", "abc") == [Match(0, 0, 3)]
