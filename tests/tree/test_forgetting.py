"""What a forgotten line or text leaves behind, and that nothing else changes."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.forgetting import WHOLE, CannotForget, Forgetting
from memtree.tree.front_matter import FrontMatter, fences
from memtree.tree.paths import RepoPath
from memtree.tree.stubbing import core, stub_lines

MD = RepoPath("a.md")
STUB = b"[forgotten]"


def all_lines(data: bytes) -> set[int]:
    return set(range(1, len(data.splitlines()) + 1))


class TestLines:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (b"one\ntwo\nthree\n", b"[forgotten]\n"),
            (b"one\n\ntwo\n", b"[forgotten]\n\n[forgotten]\n"),
            (b"one", b"[forgotten]"),
            (b"one\r\ntwo\r\n", b"[forgotten]\r\n"),
            (b"## Heading\n", b"## [forgotten]\n"),
            (b"Heading\n=======\n", b"[forgotten]\n=======\n"),
            (b"- one\n- two\n", b"- [forgotten]\n- [forgotten]\n"),
            (b"- one\n  more of it\n", b"- [forgotten]\n"),
            (b"  12) one\n", b"  12) [forgotten]\n"),
            (b"- [x] done\n", b"- [x] [forgotten]\n"),
            (b"- one ^m-3f2a\n", b"- [forgotten] ^m-3f2a\n"),
            (b"one\ntwo ^id\n", b"[forgotten] ^id\n"),
            (b"> quoted\n> more\n", b"> [forgotten]\n"),
            (b"> [!note]- Title\n> text\n", b"> [!note]- [forgotten]\n> [forgotten]\n"),
            (b"> - item\n", b"> - [forgotten]\n"),
            (
                b"| a | b |\n|---|---|\n| 1 | 2 \\| 3 |\n",
                b"| [forgotten] | [forgotten] |\n|---|---|\n| [forgotten] | [forgotten] |\n",
            ),
            (b"a | b\n--|--\n1 | 2\n", b"[forgotten] | [forgotten]\n--|--\n[forgotten] | [forgotten]\n"),
            (b"```py\nx = 1\n\n  y = 2\n```\n", b"```py\n[forgotten]\n\n  [forgotten]\n```\n"),
            (b"text\n\n    code\n", b"[forgotten]\n\n    [forgotten]\n"),
            (b"[^1]: a note\n", b"[^1]: [forgotten]\n"),
            (b"$$\nx^2\n$$\n", b"$$\n[forgotten]\n$$\n"),
            (b"%% hidden %%\n", b"%% [forgotten] %%\n"),
            (b"<!-- hidden -->\n", b"<!-- [forgotten] -->\n"),
            (b"\n---\n\n***\n", b"\n---\n\n***\n"),
            (
                b"---\ntitle: A\ntags:\n  - x\n# why\n---\nbody\n",
                b'---\ntitle: "[forgotten]"\ntags: "[forgotten]"\n# [forgotten]\n---\n[forgotten]\n',
            ),
        ],
    )
    def test_a_line_keeps_its_form(self, before: bytes, after: bytes) -> None:
        assert stub_lines(MD, before, all_lines(before)) == after

    def test_only_the_named_lines_change(self) -> None:
        assert stub_lines(MD, b"one\ntwo\nthree\n", {2}) == b"one\n[forgotten]\nthree\n"
        assert stub_lines(MD, b"one\ntwo\n", {0, 7}) == b"one\ntwo\n"

    def test_an_item_of_a_list_in_the_front_matter_goes_alone(self) -> None:
        data = b"---\ntags:\n  - one\n  - two\n---\n"
        assert stub_lines(MD, data, {4}) == b'---\ntags:\n  - one\n  - "[forgotten]"\n---\n'

    @pytest.mark.parametrize(
        ("name", "before", "after"),
        [
            ("a.txt", b"one\n  two\n", b"[forgotten]\n  [forgotten]\n"),
            ("a.csv", b'a,"b,c",d\n', b"[forgotten],[forgotten],[forgotten]\n"),
            ("a.tsv", b"a\tb\n", b"[forgotten]\t[forgotten]\n"),
            ("a.py", b"  # why\n  x = 1\n", b"  # [forgotten]\n  [forgotten]\n"),
            ("a.yaml", b"list:\n  - x\nkey: v\n", b'"[forgotten]":\n  - "[forgotten]"\nkey: "[forgotten]"\n'),
        ],
    )
    def test_other_files_keep_what_can_be_kept(self, name: str, before: bytes, after: bytes) -> None:
        assert stub_lines(RepoPath(name), before, all_lines(before)) == after

    def test_json_and_toml_can_still_be_read(self) -> None:
        data = b'{\n  "a": "b",\n  "c": [\n    1,\n    "y"],\n  "d": {"e": 1}\n}\n'
        for number in all_lines(data):
            json.loads(stub_lines(RepoPath("a.json"), data, {number}))
        assert json.loads(stub_lines(RepoPath("a.json"), data, all_lines(data)))["a"] == "[forgotten]"
        data = b'# why\nkey = 1\nname = "x" # y\n[table]\nlist = ["a", "b"]\n'
        assert tomllib.loads(stub_lines(RepoPath("a.toml"), data, all_lines(data)).decode())["table"] == {"list": "[forgotten]"}


class TestText:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (b"say secret, twice: secret.\n", b"say [forgotten], twice: [forgotten].\n"),
            (b"secret(x) secret: y\n", b"[forgotten] (x) [forgotten] : y\n"),
            (b"---\ntitle: My secret plan\n---\nsecret\n", b"---\ntitle: My [forgotten] plan\n---\n[forgotten]\n"),
            (b"---\ntitle: secret\n---\n", b'---\ntitle: "[forgotten]"\n---\n'),
            (b"---\ntitle: secret plan\n---\n", b'---\ntitle: "[forgotten] plan"\n---\n'),
            (b"---\ntags: [a, secret]\n---\n", b'---\ntags: [a, "[forgotten]"]\n---\n'),
            (b"---\ntags:\n  - a\n  - secret\n---\n", b'---\ntags:\n  - a\n  - "[forgotten]"\n---\n'),
            (b"---\nsecret: x\nb: y\n---\n", b'---\n"[forgotten]": "[forgotten]"\nb: y\n---\n'),
        ],
    )
    def test_the_stub_takes_its_place_and_a_header_stays_readable(self, before: bytes, after: bytes) -> None:
        assert Forgetting.of_text("secret").applied(MD, before) == after

    def test_each_place_is_told_by_its_line(self) -> None:
        data = b"secret secret\n\nnot\nsecret\n"
        assert Forgetting.of_text("secret").places(MD, data) == (1, 1, 4)
        assert Forgetting.of_text("secret", "notes").places(MD, data) == ()

    @pytest.mark.parametrize("text", ["", "ab", "   ", "forgotten", "[forgotten]"])
    def test_a_text_that_cannot_be_meant_is_refused(self, text: str) -> None:
        with pytest.raises(CannotForget):
            Forgetting.of_text(text)


class TestCopies:
    def test_lines_are_known_again_without_the_marks_around_them(self) -> None:
        wanted = Forgetting.of_lines(b"- the code is 4711 today\n", {1})
        assert wanted.applied(MD, b"> the code is 4711 today\nother\n") == b"> [forgotten]\nother\n"
        assert wanted.applied(RepoPath("b.txt"), b"the code is 4711 today") == STUB
        assert wanted.applied(MD, b"the code is 4711 today, and more\n") == b"the code is 4711 today, and more\n"

    def test_headings_short_lines_and_stubs_are_not_looked_for(self) -> None:
        data = b"## A heading that is long\n- yes\n- [forgotten]\n"
        assert Forgetting.of_lines(data, {1, 2, 3}).lines == frozenset()

    def test_a_whole_file_is_the_stub_whatever_it_was(self) -> None:
        wanted = Forgetting(whole="notes")
        assert wanted.applied(RepoPath("notes/a.png"), b"\x89\0") == WHOLE
        assert wanted.applied(RepoPath("notes/a.png"), WHOLE) == WHOLE
        assert wanted.applied(RepoPath("notes.md"), b"x") == b"x"


_TEXTS = st.lists(
    st.sampled_from(
        [
            "# Head", "plain words here", "more plain words", "- an item in a list", "  going on below it", "> a quoted remark", "",
            "| a | b |", "|---|---|", "| one | two |", "```", "code = 1", "1. first of all", "---", "key: value of it",
            "text ^id-1", "> [!tip] A callout", "    indented code", "[forgotten]", "%% hidden %%", "éà 图书馆的同事",
        ]
    ),
    max_size=14,
).map(lambda lines: "\n".join(lines).encode())  # fmt: skip


@given(_TEXTS, st.sets(st.integers(1, 14)))
def test_no_words_of_the_chosen_lines_stay_and_a_second_time_changes_nothing(data: bytes, chosen: set[int]) -> None:
    lines = data.splitlines()
    done = stub_lines(MD, data, chosen)
    if fences(data) is None:  # a key of the front matter takes all its lines along, and keeps its name
        hit = [number for number in chosen & all_lines(data) if stub_lines(MD, data, {number}) != data]
        kept = [line for number, line in enumerate(lines, 1) if number not in hit]
        left = done.splitlines()
        assert [line for line in kept if line not in (*left, STUB)] == []
        gone = {core(lines[number - 1]) for number in hit} - set(map(core, kept))
        assert not gone & set(map(core, left))
    every = stub_lines(MD, done, all_lines(done))
    assert stub_lines(MD, every, all_lines(every)) == every


@given(_TEXTS, st.sampled_from(["plain words", "value of it", "quoted", "an item in", "图书馆", "key", "---"]))
def test_a_text_is_gone_and_the_header_is_no_worse(data: bytes, text: str) -> None:
    wanted = Forgetting.of_text(text)
    done = wanted.applied(MD, data)
    assert text.encode() not in done
    assert wanted.applied(MD, done) == done
    before, after = fences(data), fences(done)
    if before and after and text != "---":
        assert not FrontMatter.parse(done[after.start : after.header_end]).problem or (
            FrontMatter.parse(data[before.start : before.header_end]).problem
        )
