"""The conflict callout: written, read again, found in a file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.conflict_callout import ConflictCallout, conflicts_in, ids_in, mint, parse_conflict

LINE = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp"), blacklist_characters="\x85"), min_size=1).map(
    str.encode
)
TEXT = st.lists(LINE, min_size=1, max_size=4).map(b"\n".join).filter(lambda text: text == text.strip())


def test_it_is_ordinary_markdown() -> None:
    callout = ConflictCallout("c-1a2b3c4d", (b"two\n\nlines", b"one"))
    assert callout.render() == b"> [!conflict] c-1a2b3c4d\n> > one\n>\n> > two\n> >\n> > lines"


@given(st.sets(TEXT, min_size=1, max_size=4))
def test_what_is_written_is_read_again(texts: set[bytes]) -> None:
    callout = ConflictCallout(mint(*sorted(texts)), tuple(sorted(texts)))
    assert parse_conflict(callout.render()) == callout
    (place,) = conflicts_in(b"# A\n\n" + callout.render() + b"\n\nend\n")
    assert place.callout == callout


def test_a_version_without_quote_marks_is_taken_as_it_is() -> None:
    found = parse_conflict(b"> [!conflict] c-1a2b3c4d\n> > one\n>\n> typed by hand\n>")
    assert found is not None
    assert found.variants == (b"one", b"typed by hand")


def test_other_callouts_and_empty_ones_are_no_conflicts() -> None:
    for text in (b"> [!note] c-1a2b3c4d\n> > one", b"> [!conflict]\n> > one", b"> [!conflict] c-1a2b3c4d\n>\n", b"plain"):
        assert parse_conflict(text) is None


def test_where_it_stands_is_told_in_bytes_and_lines() -> None:
    text = ConflictCallout("c-1a2b3c4d", (b"one", b"two")).render()
    for end in (b"\n", b"\r\n"):
        data = (b"# A\n\n" + text + b"\n\nend\n").replace(b"\n", end)
        (place,) = conflicts_in(data)
        assert data[place.start : place.end] == text.replace(b"\n", end)
        assert (place.first_line, place.last_line) == (3, 6)
        assert place.callout.variants == (b"one", b"two")


def test_a_byte_order_mark_before_it_is_no_part_of_it() -> None:
    text = ConflictCallout("c-1a2b3c4d", (b"one", b"two")).render()
    (place,) = conflicts_in(b"\xef\xbb\xbf" + text + b"\n")
    assert (place.start, place.callout.variants) == (3, (b"one", b"two"))


def test_one_in_a_code_fence_is_an_example() -> None:
    text = ConflictCallout("c-1a2b3c4d", (b"one", b"two")).render()
    assert list(conflicts_in(b"```\n" + text + b"\n```\n")) == []
    assert ids_in([b"```\n" + text + b"\n```\n", text]) == {"c-1a2b3c4d"}


def test_an_id_follows_from_what_it_is_made_of() -> None:
    assert mint(b"a", b"b") == mint(b"a", b"b") != mint(b"ab")
