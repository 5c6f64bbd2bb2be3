"""Front matter is merged key by key: nothing that a side wrote is lost, and machines come to rest on one header."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.front_matter import Header, merge_header
from memtree.engine.merge.header_keys import read_keys
from support.laws import LAW

_NAMES = ("created", "updated", "tags", "aliases", "status", "title", "topic")
_ADDED = re.compile(rb"[xy]_[0-9]+")
_MOVES = 0.1


class Headers:
    """A base and two sides; every word that a side adds is its own. `moved` says whether a side put keys in another order."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.words = 0
        self.moved = False
        keys = [(name, self.key(name, "b")) for name in self.dice.sample(_NAMES, self.dice.randint(0, 5))]
        self.base, self.one, self.two = self.written(keys), self.side(keys, "x"), self.side(keys, "y")

    def word(self, by: str) -> str:
        self.words += 1
        return f"{by}_{self.words}"

    def key(self, name: str, by: str) -> str:
        above = self.dice.choice(("", "", "", f"# {self.word(by)}\n", "\n"))
        return f"{above}{name}:{self.value(name, by)}\n"

    def value(self, name: str, by: str) -> str:
        if name in ("created", "updated"):
            return f" 2024-0{self.dice.randint(1, 9)}-01"
        forms = {
            "tags": (
                f" [{self.word(by)}, old]",
                f"\n  - old\n  # {self.word(by)}\n  - {self.word(by)}",
                " []",
                f' ["{self.word(by)}"]',
            ),
            "aliases": (f"\n- {self.word(by)}\n- {{a: {self.word(by)}}}", f"\n- a: 1\n  b: {self.word(by)}", ""),
        }
        plain = (
            f" {self.word(by)}",
            f" {self.word(by)} # {self.word(by)}",
            f" |\n  {self.word(by)}\n\n  more",
            f" a: b: {self.word(by)}",
        )
        return self.dice.choice(forms.get(name, plain))

    def side(self, keys: list[tuple[str, str]], by: str) -> bytes | None:
        keys = list(keys)
        for _ in range(self.dice.randint(0, 3)):
            step = self.dice.random()
            if step < 0.4 and keys:
                at = self.dice.randrange(len(keys))
                keys[at] = keys[at][0], self.key(keys[at][0], by)
            elif step < 0.55 and keys:
                keys.pop(self.dice.randrange(len(keys)))
            elif step < 1 - _MOVES or not keys:
                name = self.dice.choice([name for name in (*_NAMES, "new") if name not in dict(keys)])
                keys.insert(self.dice.randint(0, len(keys)), (name, self.key(name, by)))
            else:
                self.moved = True
                keys.insert(self.dice.randrange(len(keys)), keys.pop(self.dice.randrange(len(keys))))
        return self.written(keys)

    def written(self, keys: list[tuple[str, str]]) -> bytes | None:
        if not keys and self.dice.random() < 0.5:
            return None
        rest = self.dice.choice(("", "", f"# {self.word('b')}\n"))
        return f"---\n{''.join(text for _, text in keys)}{rest}---\n".encode()


headers = st.integers(0, 2**48).map(Headers)


@LAW
@given(headers)
def test_a_merge_is_symmetric_verbatim_and_absorbs_its_sides(made: Headers) -> None:
    base, one, two = made.base, made.one, made.two
    merged = merge_header(base, one, two)
    assert merge_header(base, two, one) == merged
    for side in (one, two):
        assert merge_header(base, side, base) == merge_header(base, base, side) == merge_header(base, side, side) == Header(side)
    assert merge_header(base, merged.data, two).data == merged.data
    assert merge_header(base, one, merged.data).data == merged.data
    assert merged.data is None or made.moved or read_keys(merged.data) is not None


@LAW
@given(headers)
def test_no_word_that_a_side_added_is_lost(made: Headers) -> None:
    merged = merge_header(made.base, made.one, made.two)
    held = b" ".join([merged.data or b"", *merged.lost])
    added = _ADDED.findall((made.one or b"") + (made.two or b""))
    assert set(added) <= set(_ADDED.findall(held))


fragments = st.sampled_from(
    (b"---\n", b"---", b"a: 1\n", b"a:\n", b"  - x\n", b"- y\n", b"# c\n", b"\xff", b"\r\n", b"[", b": ", b"'", b"&x")
)
anything = st.none() | st.binary() | st.lists(fragments).map(b"".join) | st.lists(fragments).map(lambda f: b"---\n" + b"".join(f))


@LAW
@given(anything, anything, anything)
def test_any_bytes_are_merged_alike_on_both_sides(base: bytes | None, one: bytes | None, two: bytes | None) -> None:
    merged = merge_header(base, one, two)
    assert merge_header(base, two, one) == merged
    assert merge_header(base, merged.data, two).data == merged.data


def test_a_lone_carriage_return_at_the_end_is_merged_alike_again() -> None:
    merged = merge_header(None, b"\r", None)
    assert merge_header(None, merged.data, None).data == merged.data


def header(*lines: str) -> bytes:
    return "".join(["---\n", *(line + "\n" for line in lines), "---\n"]).encode()


def test_changes_of_different_keys_are_both_made_with_their_comments() -> None:
    base = header("# about", "title: Rivers", "status: open", "tags: [water]")
    ours = header("# about this", "title: Rivers", "status: done", "tags: [water]")
    theirs = header("# about", "title: Rivers and lakes", "status: open", "tags: [water, fish]", "author: Ada")
    merged = merge_header(base, ours, theirs)
    assert merged == Header(header("# about this", "title: Rivers and lakes", "status: done", "tags: [water, fish]", "author: Ada"))


def test_the_earlier_creation_and_the_later_update_stand_as_times() -> None:
    base = header("created: 2024-03-01", "updated: 2024-03-01")
    ours = header("created: 2024-02-01T10:00:00Z", "updated: 2024-03-09T23:00:00Z")
    theirs = header("created: 2024-02-01T11:00:00+02:00", "updated: 2024-03-10T00:30:00+02:00")
    assert merge_header(base, ours, theirs).data == header("created: 2024-02-01T11:00:00+02:00", "updated: 2024-03-09T23:00:00Z")


def test_a_correction_of_the_creation_by_one_side_stands() -> None:
    base, later = header("created: 2024-03-01"), header("created: 2024-04-01")
    assert merge_header(base, later, header("created: 2024-03-01", "x: 1")).data == header("created: 2024-04-01", "x: 1")


def test_of_two_values_one_stands_and_the_other_is_handed_back() -> None:
    merged = merge_header(header("status: open"), header("status: done"), header("status: waiting"))
    assert merged == Header(header("status: waiting"), (b"status: done",))


def test_of_two_words_that_are_no_times_none_is_lost() -> None:
    merged = merge_header(header("updated: 2024-01-01"), header("updated: yesterday"), header("updated: on Monday"))
    assert merged == Header(header("updated: yesterday"), (b"updated: on Monday",))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("tags: [a, b]", "tags: [a, b, c]", "tags: [b]", "tags: [b, c]"),
        ("tags: [a, b]", "tags: [a, x, b]", "tags: [a, b, y]", "tags: [a, x, b, y]"),
        ("tags:\n  - a\n  - b", "tags:\n  - a\n  - b\n  # why\n  - c", "tags:\n  - b", "tags:\n  - b\n  # why\n  - c"),
        ("tags: [a]", "tags:\n- a\n- b", "tags: [a, c]", "tags:\n- a\n- b\n- c"),
        ("tags: []", "tags: [a]", 'tags: ["b c"]', 'tags: [a, "b c"]'),
        ("tags:", "tags: [a]", "tags: [b] # mine", "tags: [a, b] # mine"),
        ("tags: [a]", 'tags: ["a", b]', "tags: ['a', c]", None),  # one item written anew in two ways: no set
        ("tags: [a]", "tags: some text", "tags: [a, b]", None),
    ],
)
def test_lists_are_sets_whose_items_keep_their_form(base: str, ours: str, theirs: str, merged: str | None) -> None:
    found = merge_header(header(base), header(ours), header(theirs))
    if merged is None:
        assert {found.data, header(found.lost[0].decode())} == {header(ours), header(theirs)}
    else:
        assert found == Header(header(merged))


def test_sources_of_two_lines_each_are_united() -> None:
    one, two, three = (f"  - session: {n}\n    seq: {n}" for n in (1, 2, 3))
    merged = merge_header(header("sources:", one), header("sources:", one, two), header("sources:", one, three))
    assert merged.data == header("sources:", one, two, three)


def test_an_edited_key_stays_where_the_other_side_deleted_it() -> None:
    merged = merge_header(header("a: 1", "b: 2", "c: 3"), header("b: 2"), header("a: 9", "b: 2", "c: 3"))
    assert merged.data == header("a: 9", "b: 2")


def test_a_header_that_one_side_took_away_leaves_what_the_other_changed() -> None:
    assert merge_header(header("a: 1", "b: 2"), None, header("a: 1", "b: 3")).data == header("b: 3")
    assert merge_header(header("a: 1"), None, header("a: 1")).data is None


def test_what_a_side_added_stays_together() -> None:
    merged = merge_header(header("a: 1"), header("a: 1", "x1: 1", "x2: 2"), header("a: 1", "y1: 1", "y2: 2"))
    assert merged.data == header("a: 1", "x1: 1", "x2: 2", "y1: 1", "y2: 2")


def test_an_order_that_one_side_gave_stands() -> None:
    assert merge_header(header("a: 1", "b: 2"), header("b: 2", "a: 1"), header("a: 1", "b: 3")).data == header("b: 3", "a: 1")


@pytest.mark.parametrize("broken", ["a: 1\na: 2", "{a: 1}", "words without a key"])
def test_a_header_that_cannot_be_taken_apart_is_one_value(broken: str) -> None:
    readable, unreadable = header("a: 1", "b: 2"), header(*broken.split("\n"))
    merged = merge_header(header("a: 1"), readable, unreadable)
    assert merged == Header(readable, (broken.encode(),))


def test_yaml_that_is_none_is_still_merged_key_by_key() -> None:
    merged = merge_header(header("title: A: b", "x: 1"), header("title: A: c", "x: 1"), header("title: A: b", "x: 2"))
    assert merged.data == header("title: A: c", "x: 2")


@pytest.mark.parametrize("stub", ['status: "[forgotten]"', "status: [forgotten]"])
def test_a_forgotten_value_beats_an_edit_and_shows_nothing_of_it(stub: str) -> None:
    assert merge_header(header("status: a"), header(stub), header("status: zzz")) == Header(header(stub))
    assert merge_header(header("status: a"), header(stub), None) == Header(header(stub))


def test_a_forgotten_header_beats_one_that_cannot_be_taken_apart() -> None:
    stub, broken = header("a: '[forgotten]'"), header("a: secret", "a: secret again")
    assert merge_header(header("a: secret"), stub, broken) == Header(stub)


def test_windows_line_ends_are_no_change() -> None:
    base = header("a: 1", "b: 2")
    assert merge_header(base.replace(b"\n", b"\r\n"), header("a: 1", "b: 3"), base).data == header("a: 1", "b: 3")
