"""What a person sees after two machines changed one note."""

from __future__ import annotations

import pytest

from memtree.engine.merge.outcome import ConflictKind, Content
from memtree.engine.merge.prose import merge_entries, merge_prose
from memtree.tree.conflict_callout import conflicts_in
from memtree.tree.paths import RepoPath

NOTE = RepoPath("notes/plan.md")
LIST = "# Plan\n\n- one\n- two\n"
SENTENCE = "The quick brown fox jumps over the lazy dog today.\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
PROJECT = "- project\n  - note a\n  - note b\n- other\n"
FENCE = "```py\na = 1\n\nb = 2\n```\n"
OPEN = "> [!conflict] c-00000001\n> > one way\n>\n> > the other way\n\nrest\n"


def content(base: str | None, ours: str, theirs: str) -> Content:
    return merge_prose(NOTE, None if base is None else base.encode(), ours.encode(), theirs.encode())


def merged(base: str | None, ours: str, theirs: str) -> str:
    return content(base, ours, theirs).data.decode()


def entries(base: str, ours: str, theirs: str) -> Content:
    return merge_entries(RepoPath("MEMORY.md"), base.encode(), ours.encode(), theirs.encode())


def test_two_machines_that_append_to_one_list_keep_each_its_run() -> None:
    found = content(LIST, LIST + "- b\n- a\n", LIST + "- d\n- c\n")
    assert found == Content(b"# Plan\n\n- one\n- two\n- b\n- a\n- d\n- c\n")


def test_what_both_appended_stands_once() -> None:
    assert merged(LIST, LIST + "- same\n- x\n", LIST + "- same\n- y\n") == LIST + "- same\n- x\n- y\n"


def test_items_of_two_new_lists_under_one_new_heading_are_one_close_list() -> None:
    assert merged("# A\n", "# A\n\n## Log\n\n- a\n", "# A\n\n## Log\n\n- b\n") == "# A\n\n## Log\n\n- a\n- b\n"
    assert merged("- a\n\n- b\n", "- a\n\n- b\n\n- x\n", "- a\n\n- b\n\n- y\n") == "- a\n\n- b\n\n- x\n\n- y\n"


def test_different_words_of_one_paragraph_become_one_paragraph() -> None:
    found = content(SENTENCE, SENTENCE.replace("quick", "slow"), SENTENCE.replace("lazy", "sleepy"))
    assert found == Content(b"The slow brown fox jumps over the sleepy dog today.\n")


def test_the_same_word_keeps_both_versions_in_a_callout() -> None:
    found = content(SENTENCE, SENTENCE.replace("quick", "slow"), SENTENCE.replace("quick", "fast"))
    (place,) = conflicts_in(found.data)
    assert found.kind is ConflictKind.SAME_PASSAGE
    assert found.places == (place.callout.id,)
    assert found.data.decode() == (
        f"> [!conflict] {place.callout.id}\n"
        "> > The fast brown fox jumps over the lazy dog today.\n>\n> > The slow brown fox jumps over the lazy dog today.\n"
    )


def test_words_without_an_unchanged_one_between_them_keep_both() -> None:
    assert content(SENTENCE, SENTENCE.replace("quick", "slow"), SENTENCE.replace("brown", "red")).places


def test_an_edit_beats_a_deletion() -> None:
    assert merged("a b c\n\nd e f g\n", "a b c\n", "a b c\n\nd e f G\n") == "a b c\n\nd e f G\n"


def test_a_deletion_beats_a_move() -> None:
    assert merged("one\n\ntwo\n\nthree\n", "two\n\nthree\n", "two\n\nthree\n\none\n") == "two\n\nthree\n"


def test_an_edit_follows_a_move() -> None:
    before, after = SENTENCE + "\nsecond\n\nthird\n", "second\n\nthird\n\n" + SENTENCE
    assert merged(before, after, before.replace("lazy", "sleepy")) == after.replace("lazy", "sleepy")


def test_a_deleted_heading_stays_over_what_was_added_under_it() -> None:
    base = "# A\n\n## Old\n\n- x\n\n# B\n"
    assert merged(base, "# A\n\n# B\n", "# A\n\n## Old\n\n- x\n- y\n\n# B\n") == "# A\n\n## Old\n\n- y\n\n# B\n"


def test_no_insert_falls_under_the_other_sides_new_heading() -> None:
    base = "# A\n\ntext\n"
    assert merged(base, base + "\n## New\n\nunder it\n", base + "\nmore of A\n") == base + "\nmore of A\n\n## New\n\nunder it\n"


def test_deleting_a_version_settles_a_callout_and_travels() -> None:
    settled = "> [!conflict] c-00000001\n> > one way\n\nrest\n"
    assert merged(OPEN, settled, OPEN.replace("rest", "rest and more")) == settled.replace("rest", "rest and more")


def test_deleting_the_callout_for_a_text_travels() -> None:
    assert merged(OPEN, "rest\n", OPEN + "\nmore\n") == "rest\n\nmore\n"


def test_opposite_decisions_open_a_callout_again_under_a_new_id() -> None:
    first, second = OPEN.replace(">\n> > the other way\n", ""), OPEN.replace("> > one way\n>\n", "")
    found = content(OPEN, first, second)
    (place,) = conflicts_in(found.data)
    assert place.callout.variants == (b"one way", b"the other way")
    assert found.places == (place.callout.id,) != ("c-00000001",)


def test_a_third_version_joins_the_callout_under_its_id() -> None:
    third = "> > a third way\n>\n> > one way\n>\n> > the other way\n"
    other = "> [!conflict] c-00000001\n> > one way\n>\n> > the other way, once more\n\nrest\n"
    added = "> [!conflict] c-00000001\n" + third + "\nrest\n"
    (place,) = conflicts_in(content(OPEN, added, other).data)
    assert place.callout.id == "c-00000001"
    assert place.callout.variants == (b"a third way", b"one way", b"the other way, once more")


def test_a_text_that_two_machines_merged_each_with_theirs_stays() -> None:
    first = "> [!conflict] c-00000001\n> > It rains.\n>\n> > It snows.\n"
    second = "> [!conflict] c-00000002\n> > It hails.\n>\n> > It rains.\n"
    (place,) = conflicts_in(content("It rains.\n", first, second).data)
    assert place.callout.variants == (b"It hails.", b"It rains.", b"It snows.")


def test_a_lost_scalar_is_shown_below_the_front_matter() -> None:
    found = content("---\nstatus: new\n---\ntext\n", "---\nstatus: done\n---\ntext\n", "---\nstatus: open\n---\ntext\n")
    (place,) = conflicts_in(found.data)
    assert found.data.decode().startswith("---\nstatus: open\n---\n> [!conflict] c-")
    assert place.callout.variants == (b"status: done",)
    assert found.places == (place.callout.id,)


def test_lines_inside_an_item_belong_to_it() -> None:
    assert merged(PROJECT, PROJECT.replace("note a", "note ax"), PROJECT.replace("note b", "note by")) == (
        "- project\n  - note ax\n  - note by\n- other\n"
    )


def test_both_lines_that_were_added_inside_an_item_stay() -> None:
    one, two = (PROJECT.replace("- other", f"  - {name}\n- other") for name in ("x", "y"))
    assert merged(PROJECT, one, two) == "- project\n  - note a\n  - note b\n  - x\n  - y\n- other\n"


def test_one_line_inside_an_item_that_both_changed_keeps_both_items() -> None:
    found = content(PROJECT, PROJECT.replace("note b", "note x"), PROJECT.replace("note b", "note y"))
    (place,) = conflicts_in(found.data)
    assert place.callout.variants == (b"- project\n  - note a\n  - note x", b"- project\n  - note a\n  - note y")


def test_rows_that_both_added_to_a_table_stay_in_one_table() -> None:
    assert merged(TABLE, TABLE + "| y | y |\n", TABLE + "| x | x |\n") == TABLE + "| x | x |\n| y | y |\n"


def test_cells_of_one_row_and_a_changed_header_keep_both_tables() -> None:
    assert content(TABLE, TABLE.replace("1", "x"), TABLE.replace("2", "y")).places
    assert content(TABLE, TABLE.replace("a", "x"), TABLE + "| 3 | 4 |\n").places


def test_code_is_never_mixed() -> None:
    found = content(FENCE, FENCE.replace("1", "x"), FENCE.replace("2", "y"))
    (place,) = conflicts_in(found.data)
    assert place.callout.variants == (b"```py\na = 1\n\nb = y\n```", b"```py\na = x\n\nb = 2\n```")


def test_a_fence_that_was_left_open_is_closed_when_something_follows_it() -> None:
    assert merged("a\n", "a\n\n```\ncode\n", "a\n\nz\n") == "a\n\n```\ncode\n```\n\nz\n"


def test_without_a_common_version_everything_of_both_stays_and_what_is_equal_stands_once() -> None:
    assert merged(None, "# A\n\nshared\n\nfoo bar\n", "# A\n\nshared\n\nfoo baz\n") == "# A\n\nshared\n\nfoo bar\n\nfoo baz\n"


@pytest.mark.parametrize(("ours", "theirs"), [("\r\n", "\n"), ("\n", "\r\n")])
def test_line_ends_are_those_of_the_side_that_changed_them(ours: str, theirs: str) -> None:
    one, two = (LIST + "- x\n").replace("\n", ours), (LIST + "- y\n").replace("\n", theirs)
    assert merged(LIST, one, two) == (LIST + "- x\n- y\n").replace("\n", "\r\n")


def test_a_byte_order_mark_a_missing_last_newline_and_bytes_that_are_no_text_stay() -> None:
    base = b"\xef\xbb\xbfone\n\ntwo \xff words here\n\nthree"
    found = merge_prose(NOTE, base, base.replace(b"one", b"one more"), base.replace(b"here", b"there"))
    assert found.data == b"\xef\xbb\xbfone more\n\ntwo \xff words there\n\nthree"


def test_a_document_without_blocks_merges() -> None:
    assert merged("", "one\n", "two\n") == "one\n\ntwo\n"
    assert merged("gone\n", "", "gone\n\nnew\n") == "new\n"


def test_what_was_forgotten_stays_so_whatever_the_other_side_did_with_it() -> None:
    base = "a b c secret\n\nnext one\n\nend\n"
    forgot = base.replace("a b c secret", "[forgotten]")
    assert content(base, forgot, base.replace("secret", "secret more")) == Content(forgot.encode())
    assert merged(base, forgot, "next one\n\nend\n\na b c secret\n") == "next one\n\nend\n\n[forgotten]\n"
    assert merged(base, forgot, "next one\n\nend\n") == forgot
    assert merged(base, forgot, base.replace("end", "a b c secret, copied\n\nend")) == forgot


def test_two_sides_that_forgot_different_words_of_a_passage_leave_neither() -> None:
    base = "my mail is aa and phone is bb thanks\n"
    assert merged(base, base.replace("aa", "[forgotten]"), base.replace("bb", "[forgotten]")) == (
        "my mail is [forgotten] and phone is [forgotten] thanks\n"
    )


def test_two_versions_of_an_entry_become_two_items_and_one_keeps_the_id() -> None:
    base = "# Memory\n\n- likes tea ^m-1a\n- other\n"
    found = entries(base, base.replace("tea", "green tea"), base.replace("tea", "coffee"))
    assert found.data == b"# Memory\n\n- likes coffee ^m-1a\n- likes green tea\n- other\n"
    assert (found.kind, found.places) == (ConflictKind.SAME_PASSAGE, ())


def test_an_entry_is_known_by_its_id_wherever_it_stands() -> None:
    base = "- likes tea ^m-1\n- walks ^m-2\n- reads ^m-3\n"
    moved = "- walks ^m-2\n- reads ^m-3\n- likes tea ^m-1\n"
    changed = base.replace("likes tea", "prefers something else entirely")
    assert entries(base, moved, changed).data == b"- walks ^m-2\n- reads ^m-3\n- prefers something else entirely ^m-1\n"


def test_an_id_that_stands_twice_tells_nothing() -> None:
    base = "- likes tea ^m-1\n- walks ^m-1\n"
    found = entries(base, base.replace("tea", "coffee"), base.replace("walks", "walks far"))
    assert found.data == b"- likes coffee ^m-1\n- walks far ^m-1\n"


def test_a_persons_entry_gets_no_id() -> None:
    assert entries("- a\n", "- a\n- b\n", "- a\n- c\n") == Content(b"- a\n- b\n- c\n")
