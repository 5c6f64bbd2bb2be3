"""FrontMatter: everything stays text, and nothing raises."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtree.tree import front_matter
from memtree.tree.front_matter import FrontMatter, epoch_seconds

_PIECES = st.sampled_from(
    [
        "a",
        "title",
        "tags",
        ":",
        ": ",
        "\n",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "&x ",
        "*x",
        '"',
        "'",
        "#",
        "|",
        ">",
        "?",
        "!!int ",
        "\t",
        "  ",
        "\\ud800",
        "\x00",
        "\u2028",
        "\x85",
        "北",
        "<<",
        "~",
        "null",
        "2024-01-01",
        "%",
        "@",
        "`",
        ",",
    ]
)


@given(st.one_of(st.binary(max_size=200), st.lists(_PIECES, max_size=40).map(lambda parts: "".join(parts).encode())))
def test_reading_never_raises(header: bytes) -> None:
    front = FrontMatter.parse(header)
    assert "\n" not in front.problem
    assert "\n" not in front.title
    for text in (front.title, *front.tags, *front.labels()):
        text.encode()
    assert front.time is None or isinstance(front.time, int)


@pytest.mark.parametrize("text", ["no", "yes", "1.10", "0123", "12:30", "1_000", "2024-13-45", "9" * 5000, "1e3", "true", ".inf"])
def test_values_stay_as_they_are_written(text: str) -> None:
    assert FrontMatter.parse(f"key: {text}".encode()).values == {"key": text}


def test_lists_hold_texts_and_what_is_nested_is_left_out() -> None:
    front = FrontMatter.parse(b"list: [1.10, no, [x], {a: b}]\nmap: {a: b}\nempty:\nnil: ~\n")
    assert front.values == {"list": ("1.10", "no")}
    assert front.problem == ""


def test_aliases_and_anchors_are_refused() -> None:
    laughs = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    for header in (laughs, "a: &a [*a]", "a: &a b", "<<: *a"):
        front = FrontMatter.parse(header.encode())
        assert front.problem
        assert front.values == {}


def test_stars_and_ampersands_in_text_are_no_anchors() -> None:
    front = FrontMatter.parse(b"title: Tom & Jerry *live*\nglob: '*.md'\n")
    assert front.title == "Tom & Jerry *live*"
    assert front.problem == ""


@pytest.mark.parametrize(
    ("header", "title"), [("title: Foo: a story", "Foo: a story"), ("title: %x\nb: }", "%x"), ("title: @home\nx: [", "@home")]
)
def test_plain_lines_survive_what_yaml_refuses(header: str, title: str) -> None:
    front = FrontMatter.parse(header.encode())
    assert front.problem
    assert front.title == title


@pytest.mark.parametrize("header", ["- a\n- b", "just text", "[" * 10_000, "a: b\n" * 100_000])
def test_a_header_without_keys_or_too_large_is_a_problem(header: str) -> None:
    front = FrontMatter.parse(header.encode())
    assert front.problem
    assert front.title == ""


@pytest.mark.parametrize(
    ("header", "tags"),
    [
        ("tags: [a, '#b', a]", ("a", "b")),
        ("tags: a, b c, #d", ("a", "b c")),  # YAML takes ` #d` for a comment
        ("tags: a b", ("a", "b")),
        ("tags:\n  - x/y\n  - 2024", ("x/y", "2024")),
        ("tag: solo", ("solo",)),
        ("tags:", ()),
        ("tags: {a: b}", ()),
    ],
)
def test_tags_in_their_many_forms(header: str, tags: tuple[str, ...]) -> None:
    assert FrontMatter.parse(header.encode()).tags == tags


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024-05-01", 1714521600),
        ("2024-05-01T00:00:00Z", 1714521600),
        ("2024-05-01 02:00:00+02:00", 1714521600),
        ("2024-05-01T00:00:00.999Z", 1714521600),
        ("1714521600", 1714521600),
        ("1714521600123", 1714521600),
        ("1969-12-31T23:59:59.5", -1),
        ("12:30", None),
        ("2024-13-45", None),
        ("0001-01-01T00:00+14:00", -62135647200),
        ("yesterday", None),
        ("٢٠٢٤-٠٥-٠١", None),
        ("", None),
    ],
)
def test_times(text: str, seconds: int | None) -> None:
    assert epoch_seconds(text) == seconds


@given(st.text(max_size=30))
def test_reading_a_time_never_raises(text: str) -> None:
    epoch_seconds(text)


def test_the_first_key_with_a_time_counts() -> None:
    assert FrontMatter.parse(b"created: 2020-01-01\ntime: 12:30\ndate: 2024-05-01").time == 1714521600


def test_yaml_is_loaded_only_for_front_matter() -> None:
    code = (
        "import sys; from memtree.tree.document import Document; Document.parse(b'# x').front_matter();"
        "assert 'yaml' not in sys.modules; Document.parse(b'---\\na: b\\n---\\n').front_matter(); assert 'yaml' not in sys.modules;"
        "Document.parse(b'---\\na: [b]\\n---\\n').front_matter(); assert 'yaml' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- headers of plain lines

PLAIN_KEY = st.sampled_from(["title", "seq", "session_id", "null", "NULL", "y", "a-b", "_x", "---", "1a", "true"])
ODD_VALUES = (
    "2026-01-05T09:00:01.000Z", "12:30", "1.10", "null", "~", "Null", "yes", "a b", "a  b", "it's", "a: b", "a #b", "a#b", "- x",
    "x:", "0x1F", "u-1", "图书馆 a", "", " ", "x ", "'q'", '"q"', "[a]", "{a}", "&a", "*a", "a\tb", "a\x85b", "\u2028", "...",
    "1e3", "_a", "²", "a:/b", "a:b", '""', '"a: b"', '"a #b"', '"a  b "', '"null"', '"1.10"', '"a"b', '"a\\"', '"a" "b"', '"图"',
    '"00000001-0000-4000"', '"a" #', '"\\n"', '"a\tb"', '"a\x85"',
)  # fmt: skip
PLAIN_VALUE = st.sampled_from(ODD_VALUES) | st.text(st.characters(exclude_categories=("Cs",)), max_size=6)


@settings(max_examples=1_000)
@given(
    st.lists(
        st.tuples(PLAIN_KEY, st.sampled_from([": ", ":", ":  ", " : "]), PLAIN_VALUE, st.sampled_from(["\n", "\n", "\r\n", " \n"])),
        max_size=4,
    )
)
@example([("title", ": ", "a", "\n"), ("title", ": ", "b", "\n")])
def test_plain_lines_say_what_yaml_says_of_them(lines: list[tuple[str, str, str, str]]) -> None:
    text = "".join("".join(line) for line in lines)
    plain = front_matter._read_plain(text)
    if plain is not None:
        yaml = front_matter._read_yaml(text)
        assert (plain, plain.fields, plain.editable) == (yaml, yaml.fields, yaml.editable)
        assert [plain.meaning(key) for key in plain.values] == [yaml.meaning(key) for key in plain.values]


def test_what_programs_write_is_read_as_plain_lines() -> None:
    text = "session_id: 11111111-2222-4333-8444-555555555555\nseq: 12\ntimestamp: 2026-01-05T09:00:01.000Z\nsource: claude-code\n"
    assert front_matter._read_plain(text) is not None
    assert front_matter._read_plain('session_id: "00000001-0000-4000-8000-000000000000"\nseq: 1\n') is not None
