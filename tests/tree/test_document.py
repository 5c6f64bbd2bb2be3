"""Document: byte-exact, front matter only where it really is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.document import Document

_PIECES = st.sampled_from(
    [b"---", b"...", b"\n", b"\r\n", b"\r", b" ", b"\xef\xbb\xbf", b"title: x", b"# Head", b"\xff", b"\0", b"```", b"text"]
)
anything = st.one_of(st.binary(max_size=200), st.lists(_PIECES, max_size=30).map(b"".join))


@given(anything)
def test_rendering_gives_back_the_bytes(data: bytes) -> None:
    document = Document.parse(data)
    assert document.render() == data
    assert data.endswith(document.body_bytes())
    document.front_matter()


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
