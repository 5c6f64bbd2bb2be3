"""Document: byte-exact, front matter only where it really is, an edit touches one key's lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.blocks import BlockKind
from memtree.tree.document import Document, FrontMatterNotEditable
from memtree.tree.scalars import Scalar, resolve, written

_PIECES = st.sampled_from(
    [b"---", b"...", b"\n", b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b"title: x", b"# Head", b"\xff", b"\0", b"```", b"text"]
)
anything = st.one_of(st.binary(max_size=200), st.lists(_PIECES, max_size=30).map(b"".join))


@given(anything)
def test_rendering_gives_back_the_bytes(data: bytes) -> None:
    document = Document.parse(data)
    assert document.render() == data
    assert data.endswith(document.body_bytes())
    assert document.blocks()[-1:] == [] or document.blocks()[-1].end == len(data)
    assert (document.header is not None) == any(block.kind is BlockKind.FRONT_MATTER for block in document.blocks())
    document.front_matter()
    document.spans()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("close", [b"---", b"...", b"--- \t"])
def test_front_matter_in_every_line_ending(end: bytes, bom: bytes, close: bytes) -> None:
    document = Document.parse(end.join([bom + b"---", b"title: A", close, b"body"]))
    assert document.header is not None
    assert document.front_matter().title == "A"
    assert document.body_bytes() == b"body"


@pytest.mark.parametrize(
    "data",
    [b"", b"---", b"---\n", b"---\ntitle: A\n", b"\n---\na: b\n---\n", b"----\na: b\n---\n", b"---\na: b\n----\n", b"text\n---\n"],
)
def test_what_is_no_front_matter_is_body(data: bytes) -> None:
    document = Document.parse(data)
    assert document.header is None
    assert document.body_bytes() == data


def test_empty_front_matter_may_end_the_file() -> None:
    document = Document.parse(b"---\n---")
    assert document.header is not None
    assert document.body_bytes() == b""
    assert document.front_matter().problem == ""


# -- spans


@pytest.mark.parametrize(
    ("header", "spans"),
    [
        ("a: 1\nb:\n  - x\n  - y # last\n# about c\n\nc: z\n", ["a: 1\n", "b:\n  - x\n  - y # last\n", "c: z\n"]),
        ("a: |\n  text\n\n  more\nb: >-\n  x\n", ["a: |\n  text\n\n  more\n", "b: >-\n  x\n"]),
        ("北: 京\r\n\u00e9\U0001f600: x\r\n", ["北: 京\r\n", "\u00e9\U0001f600: x\r\n"]),
        ("  a: 1\n  b:\n    c: 2\n", ["  a: 1\n", "  b:\n    c: 2\n"]),
        ("a: {x: [1,\n  2]}\nb:\nc: 'it''s'\n", ["a: {x: [1,\n  2]}\n", "b:\n", "c: 'it''s'\n"]),
        ("b:\n- x\n-\nc: 1\n", ["b:\n- x\n-\n", "c: 1\n"]),
        ("a: b\n  more\n  words\nc: 1\n", ["a: b\n  more\n  words\n", "c: 1\n"]),
        ("{a: 1, b: 2}\n", []),
        ("? a\n: 1\nb: 2\n", []),
        ("title: Foo: bar\nlist: [a, b]\nbad: @x\n", ["title: Foo: bar\n", "list: [a, b]\n", "bad: @x\n"]),
        ("a: &x 1\nb: *x\n", ["a: &x 1\n", "b: *x\n"]),
    ],
)
def test_each_key_has_its_lines(header: str, spans: list[str]) -> None:
    document = Document.parse(f"\ufeff---\n{header}---\nbody".encode())
    assert [document.data[span.start : span.end].decode() for _, span in document.spans()] == spans


# -- values


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        *[
            (word, word)
            for word in ("no", "yes", "True", "1.10", "0123", "12:30", "1_000", "2024-05-01", "2024-13-45", "1e3", ".inf")
        ],
        *[(word, word) for word in ("-0", "0x1F", "1.", ".5", "1" * 19, "+1", "1.0e5", "nan", "[[Note]]x"[7:], "٣")],
        *[
            ("", None),
            ("~", None),
            ("null", None),
            ("true", True),
            ("false", False),
            ("0", 0),
            ("-12", -12),
            ("9" * 18, 10**18 - 1),
        ],
        *[("1.5", 1.5), ("-0.25", -0.25), ("0.0", 0.0)],
        *[('"1"', "1"), ("'true'", "true"), ("[1, no, x]", (1, "no", "x")), ("{a: {b: 2}}", {"a": {"b": 2}}), ("[]", ())],
    ],
)
def test_values_mean_what_they_look_like(word: str, meaning: object) -> None:
    found = Document.parse(f"---\nkey: {word}\n---\n".encode()).value("key")
    assert (found, type(found)) == (meaning, type(meaning))


def test_an_error_costs_its_key_and_never_the_note() -> None:
    document = Document.parse(b"---\ntitle: Foo: a story\ntags: [a, b]\nwhen: 3\ncopy: *nope\nopen: [x\n---\n")
    assert document.front_matter().problem
    assert [document.value(key) for key in ("title", "tags", "when", "copy")] == ["Foo: a story", ("a", "b"), 3, None]
    assert document.front_matter().tags == ("a", "b")


def test_a_key_that_stands_twice_is_reported_and_the_last_counts() -> None:
    document = Document.parse(b"---\na: 1\nb: 2\na: 3\n---\n")
    assert document.front_matter().problem == "the front matter has the key 'a' twice"
    assert document.value("a") == 3
    assert document.with_value("a", 4).data == b"---\na: 1\nb: 2\na: 4\n---\n"
    assert document.without_key("a").data == b"---\nb: 2\n---\n"


# -- edits


@pytest.mark.parametrize(
    ("before", "key", "value", "after"),
    [
        ("body", "a", 1, "---\na: 1\n---\nbody"),
        ("", "a", None, "---\na:\n---\n"),
        ("\ufeffx\r\ny", "a", "b", "\ufeff---\r\na: b\r\n---\r\nx\r\ny"),
        ("---\n---\n", "a", True, "---\na: true\n---\n"),
        ("---\na: 1 # why\nb: 2\n---\n", "a", 5, "---\na: 5 # why\nb: 2\n---\n"),
        ("---\r\na: 1\r\n---\r\n", "b", ["x", "1"], '---\r\na: 1\r\nb:\r\n  - x\r\n  - "1"\r\n---\r\n'),
        ("---\na: [x, y]\n---\n", "a", ["z, z", "b"], '---\na: ["z, z", b]\n---\n'),
        ("---\na:\n  - x\n# note\nb: 2\n---\n", "a", "z", "---\na: z\n# note\nb: 2\n---\n"),
        ("---\n  a: 1\n---\n", "b", 2, "---\n  a: 1\n  b: 2\n---\n"),
        ("---\na: 1\n---\n", "a", 1, "---\na: 1\n---\n"),
        ("---\na: |\n  text\nb: 1\n---\n", "a", "two\nlines", '---\na: "two\\nlines"\nb: 1\n---\n'),
        ("---\nx: Foo: y\n---\n", "b", "Foo: z", '---\nx: Foo: y\nb: "Foo: z"\n---\n'),
        ("---\n# only words\n---\n", "a", "2024-05-01", "---\n# only words\na: 2024-05-01\n---\n"),
        ("---\na: 1\n---", "no", "no", '---\na: 1\n"no": "no"\n---'),
    ],
)
def test_setting_a_key(before: str, key: str, value: Scalar, after: str) -> None:
    document = Document.parse(before.encode()).with_value(key, value)
    assert document.data.decode() == after
    assert document.with_value(key, value) is document


@pytest.mark.parametrize("header", ["{a: 1}", "- a\n- b", "text", "? a\n: b"])
def test_a_header_without_key_lines_is_not_edited(header: str) -> None:
    document = Document.parse(f"---\n{header}\n---\n".encode())
    with pytest.raises(FrontMatterNotEditable):
        document.with_value("b", 1)
    with pytest.raises(FrontMatterNotEditable):
        document.without_key("a")


@pytest.mark.parametrize("value", [10**18, -(10**18), float("nan"), float("inf"), ["x", 10**20]])
def test_what_would_be_read_as_something_else_is_refused(value: Scalar) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        Document.parse(b"").with_value("a", value)


_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(
        st.sampled_from([*"-?:,[]{}#&*!|>'\"%@`~=.0123e_ \n\t\\", "no", "null", ": ", " #", "北", "\x85", "\u2028"]), max_size=8
    ).map("".join),
)
_SCALAR = st.one_of(
    _TEXT, st.booleans(), st.none(), st.integers(-(10**18) + 1, 10**18 - 1), st.integers(-(10**6), 10**6).map(lambda n: n / 64)
)
_VALUE = st.one_of(_SCALAR, st.lists(_SCALAR, max_size=4).map(tuple))
_HEADER_LINES = [
    "a: 1",
    "b:",
    "  - x",
    "# words",
    "",
    "c: Foo: bar",
    "d: [x, y] # why",
    "e: |",
    "  text",
    "f: 'q",
    "北: 京",
    "a: 2",
    "g: &x y",
]
_header = st.lists(st.sampled_from(_HEADER_LINES), max_size=7)
_documents = st.tuples(_header, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\ufeff"]), st.booleans()).map(
    lambda made: (made[2] + made[1].join(["---", *made[0], "---", "body"] if made[3] else ["body", *made[0]])).encode()
)
_KEYS = st.one_of(st.sampled_from(["a", "b", "c", "d", "e", "f", "北", "new"]), _TEXT)


@given(_documents, _KEYS, _VALUE)
def test_a_set_key_reads_back_and_nothing_else_changes(data: bytes, key: str, value: Scalar) -> None:
    before = Document.parse(data)
    if not before.front_matter().editable:
        return
    after = before.with_value(key, value)
    found = after.value(key)
    assert (found, type(found)) == (value, type(value))
    assert after.body_bytes() == before.body_bytes().removeprefix(b"\xef\xbb\xbf")
    assert after.with_value(key, value) is after
    # Outside the lines of the key every byte is the same, in the same order.
    own = [span for name, span in before.spans() if name == key][-1:]
    new = [span for name, span in after.spans() if name == key][-1]
    rest = after.data[: new.start] + after.data[new.end :]
    kept = data[: own[0].start] + data[own[0].end :] if own else data
    if before.header is None:
        head, mark = rest[: after.body.start - (new.end - new.start)], b"\xef\xbb\xbf"
        assert head.removeprefix(mark).replace(b"---", b"").strip(b"\r\n") == b""
        assert head.startswith(mark) == data.startswith(mark)
    else:
        assert rest == kept


@given(_documents, _KEYS)
def test_a_removed_key_is_gone_and_nothing_else_changes(data: bytes, key: str) -> None:
    before = Document.parse(data)
    if not before.front_matter().editable:
        return
    after = before.without_key(key)
    kept, at = b"", 0
    for name, span in before.spans():
        if name == key:
            kept, at = kept + data[at : span.start], span.end
    assert after.data == kept + data[at:]


@given(_SCALAR)
def test_scalars_are_written_as_they_are_read(value: Scalar) -> None:
    text = written(value)
    assert "\n" not in text
    assert text.startswith('"') or (resolve(text), type(resolve(text))) == (value, type(value))
