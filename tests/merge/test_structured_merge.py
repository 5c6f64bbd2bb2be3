"""Data files: the result always parses and means what both sides changed; where it cannot, there are two files."""

from __future__ import annotations

import json
import random
import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine import settings
from memtree.engine.merge.json_text import json_style, read_json, write_json
from memtree.engine.merge.structured import merge_structured
from memtree.tree.paths import RepoPath
from support import laws
from support.laws import LAW
from support.merging import merge_file, merge_of

_FORMS: tuple[dict[str, Any], ...] = (
    {"indent": 2},
    {"indent": 2},
    {"indent": "\t", "ensure_ascii": False},
    {"separators": (",", ":")},
    {},
)
_WORD = re.compile(rb"[xy][0-9]")


class Json:
    """A base and two sides; some sides are written in another style."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.form = self.dice.choice(_FORMS)
        base = {key: self.value("b", 0) for key in self.dice.sample("abcdef", self.dice.randint(0, 5))}
        base["nodes"] = [{"id": str(n), "x": n} for n in range(self.dice.randint(0, 4))]
        self.base, self.one, self.two = self.written(base), self.side(base, "x"), self.side(base, "y")

    def value(self, by: str, depth: int) -> object:
        chance = self.dice.random()
        if chance < 0.5 or depth > 2:
            return self.dice.choice((1, 2.5, True, None, "é", f"{by}{self.dice.randint(0, 9)}"))
        if chance < 0.7:
            return [self.value(by, depth + 1) for _ in range(self.dice.randint(0, 4))]
        return {self.dice.choice("abcdef"): self.value(by, depth + 1) for _ in range(self.dice.randint(0, 4))}

    def side(self, base: dict[str, Any], by: str) -> bytes:
        root = json.loads(json.dumps(base))
        for _ in range(self.dice.randint(0, 3)):
            self.change(root, by)
        return self.written(root)

    def change(self, at: Any, by: str) -> None:
        places = list(at) if isinstance(at, dict) else list(range(len(at)))
        place = self.dice.choice(places) if places else None
        step = self.dice.random()
        if place is not None and isinstance(at[place], dict | list) and step < 0.6:
            self.change(at[place], by)
        elif place is not None and step < 0.75:
            at.pop(place)
        elif place is not None and step < 0.9:
            at[place] = self.value(by, 1)
        elif isinstance(at, dict):
            at[self.dice.choice("abcdefgh")] = self.value(by, 2)
        else:
            at.append(self.value(by, 2))

    def written(self, value: object) -> bytes:
        form = self.form if self.dice.random() < 0.8 else self.dice.choice(_FORMS)
        return (json.dumps(value, **form) + self.dice.choice(("\n", "\n", ""))).encode()


@LAW
@given(st.integers(0, 2**48).map(Json))
def test_json_keeps_the_laws_and_always_parses(made: Json) -> None:
    merge = merge_of("data.json")
    merged = laws.check_algebra(merge, made.base, made.one, made.two)
    laws.check_absorbs(merge, made.base, made.one, made.two, merged)
    outcome = merge_file("data.json", made.base, made.one, made.two)
    assert all(read_json(data) is not None for data in outcome.files.values())
    words = [b" ".join(_WORD.findall(side)) for side in (made.one, made.two)]
    laws.check_nothing_added_is_lost(made.base, words, b" ".join(outcome.files.values()))


_LINES = st.lists(
    st.sampled_from(("a = 1", "a = 2", "b = 'x'", "[t]", "c = [1, 2]", "# note", "", "c: 1", "- x", "d:", "  e: 2")), max_size=8
)
_TEXT = _LINES.map(lambda lines: "\n".join([*lines, ""]).encode())


@LAW
@given(st.sampled_from(("a.toml", "a.yaml", "memtree.toml")), _TEXT, _TEXT, _TEXT)
def test_toml_and_yaml_keep_the_laws_and_stay_readable(path: str, base: bytes, one: bytes, two: bytes) -> None:
    merge = merge_of(path)
    merged = laws.check_algebra(merge, base, one, two)
    laws.check_absorbs(merge, base, one, two, merged)
    if path.endswith(".toml") and merged not in (one, two):
        tomllib.loads(merged.decode())


_JSON_BITS = st.lists(
    st.sampled_from((b'{"a":1}', b"[", b"]", b"{", b"}", b'"', b"\\u", b"NaN", b"1e9", b"\n", b"\xff", b"[" * 2000))
)
_ANY = st.binary() | _JSON_BITS.map(b"".join)


@given(st.sampled_from(("a.json", "a.canvas", "a.toml", "a.yml")), st.none() | _ANY, _ANY, _ANY)
def test_any_bytes_are_merged(path: str, base: bytes | None, ours: bytes, theirs: bytes) -> None:
    rule = merge_structured
    assert rule(RepoPath(path), base, ours, theirs) == rule(RepoPath(path), base, theirs, ours)


@pytest.mark.parametrize("form", [*_FORMS, {"indent": 4, "separators": (",", ":")}, {"indent": 1}])
def test_json_is_written_back_in_its_own_style(form: dict[str, Any]) -> None:
    data = json.dumps({"a": [1, {"b": "é\u2028"}], "c": {}, "d": [], "e": None, "f": True, "g": 1.5e300}, **form).encode()
    value = read_json(data)
    assert value is not None
    style = json_style(data)
    assert style is not None
    assert write_json(value, style) == data


CANVAS = b"""{
\t"nodes":[
\t\t{"id":"a","type":"text","text":"A","x":-300,"y":1.50,"width":250,"height":60},
\t\t{"id":"b","type":"file","file":"n.md","x":0,"y":0,"width":400,"height":400}
\t],
\t"edges":[
\t\t{"id":"e","fromNode":"a","fromSide":"right","toNode":"b","toSide":"left"}
\t]
}"""
CARD = b',\n\t\t{"id":"%s","type":"text","text":"new","x":1,"y":1,"width":1,"height":1}\n\t],\n\t"edges"'


def test_a_canvas_merges_card_by_card_and_key_by_key() -> None:
    ours = CANVAS.replace(b'"x":-300', b'"x":-200').replace(b'\n\t],\n\t"edges"', CARD % b"c")
    theirs = CANVAS.replace(b'"text":"A"', b'"text":"A!"').replace(b'\n\t],\n\t"edges"', CARD % b"d")
    merged = merge_file("plan.canvas", CANVAS, ours, theirs)
    both = ours.replace(b'"text":"A"', b'"text":"A!"').replace(b'\n\t],\n\t"edges"', CARD % b"d")
    assert merged.kept == both
    assert merged.conflict is None


def test_a_card_that_both_moved_is_kept_in_two_files() -> None:
    ours, theirs = CANVAS.replace(b'"x":-300', b'"x":-200'), CANVAS.replace(b'"x":-300', b'"x":-100')
    outcome = merge_file("plan.canvas", CANVAS, ours, theirs)
    assert sorted(outcome.files.values()) == sorted((ours, theirs))
    assert outcome.conflict is not None


def test_settings_of_an_editor_that_both_sides_changed_are_one_file() -> None:
    base = b'{\n  "theme": "dark",\n  "zoom": 1.0\n}'
    ours, theirs = base.replace(b"dark", b"light"), base.replace(b"1.0", b"1.50")
    assert merge_file(".obsidian/appearance.json", base, ours, theirs).kept == b'{\n  "theme": "light",\n  "zoom": 1.50\n}'


def test_a_clean_merge_of_lines_that_means_something_else_is_refused() -> None:
    """Both sides give a table the key that the other gives, lines apart: by lines it would stand twice."""
    base = b"[t]\na = 1\n\nb = 2\n\nc = 3\n"
    ours, theirs = base.replace(b"a = 1\n", b"a = 1\nx = 1\n"), base.replace(b"c = 3\n", b"c = 3\nx = 1\n")
    outcome = merge_file("a.toml", base, ours, theirs)
    assert sorted(outcome.files.values()) == sorted((ours, theirs))


def test_the_workspace_settings_stay_valid() -> None:
    base = settings.render(settings.Settings())
    ours = base.replace(b'branch = "main"', b'branch = "notes"')
    theirs = base.replace(b'durability = "full"', b'durability = "fast"')
    merged = merge_file("memtree.toml", base, ours, theirs).kept
    assert settings.parse(merged) == settings.Settings(branch="notes", durability=settings.Durability.FAST)
    broken = merge_file("memtree.toml", base, ours, base.replace(b'durability = "full"', b'durability = "none"'))
    assert len(broken.files) == 2


def test_yaml_merges_by_lines_and_keeps_its_comments() -> None:
    base = b"# how\na:\n  b: 1\n  c: 2\n  d: 3\n"
    merged = merge_file("a.yml", base, base.replace(b"d: 3", b"d: 4"), base.replace(b"# how", b"# why")).kept
    assert merged == b"# why\na:\n  b: 1\n  c: 2\n  d: 4\n"


def test_data_files_made_apart_are_both_kept() -> None:
    assert len(merge_file("a.json", None, b'{"a": 1}', b'{"b": 1}').files) == 2


def test_no_callout_gets_into_a_data_file() -> None:
    for path, base, ours, theirs in (
        ("a.json", b'{"a": 1}', b'{"a": 2}', b'{"a": 3}'),
        ("a.toml", b"a = 1\n", b"a = 2\n", b"a = 3\n"),
        ("a.yaml", b"a: 1\n", b"a: 2\n", b"a: 3\n"),
    ):
        assert sorted(merge_file(path, base, ours, theirs).files.values()) == [ours, theirs]
