"""Importing what was made to hurt: pages cost what their size costs, and nothing grows with the number of files."""

from __future__ import annotations

import contextlib
import time

import pytest

from memtree.engine.importing import pages
from memtree.engine.importing.chats import tokens
from memtree.engine.importing.encoding import cleaned, moment
from memtree.engine.importing.record import Record, SourceKind, content_hash, is_edited, kept_header
from memtree.engine.importing.report import Unfit
from memtree.tree.document import Document

MEGABYTE = 1 << 20
HOSTILE = {
    "open brackets": "<",
    "deep": "<div>",
    "deep quotes": "<blockquote>",
    "lists": "<ul><li>",
    "tables": "<table><tr><td>",
    "open tags": "<a href='x",
    "attributes": "<a x=1 y=2 ",
    "comments": "<!--",
    "declarations": "<!",
    "entities": "&amp;&#x110000;&",
    "misnested": "<b></p><i></b><p>",
    "meta": "<meta name=",
    "titles": "<title",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_takes_long(name: str) -> None:
    page = HOSTILE[name] * (MEGABYTE // len(HOSTILE[name]))
    before = time.process_time()
    pages.title(page)
    pages.times(page)
    pages.charset(page.encode())
    with contextlib.suppress(Unfit):
        assert isinstance(pages.markdown(page), str)
    assert time.process_time() - before < 10


def test_ten_megabytes_of_brackets_are_read_and_more_is_refused() -> None:
    assert pages.markdown("<" * pages.LIMIT)
    with pytest.raises(Unfit, match="10 MB"):
        pages.markdown("<" * (pages.LIMIT + 1))


@pytest.mark.parametrize(
    "header", ["a: " + "b " * 50_000, "[" * 5_000, "a:\n" * 20_000, "x: [" + "a, " * 5_000, "a: " + "b:" * 30_000]
)
def test_no_header_takes_long(header: str) -> None:
    before = time.process_time()
    kept_header(header + "\n")
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    "title",
    [
        "plain",
        "a: b",
        "# x",
        "'q'",
        '"',
        "- x",
        "true",
        "1.10",
        "{a}",
        "back\\slash",
        "\x85\u2028\ufeff",
        "\U0001f600",
        "tab\tx",
        pytest.param("x" * 9_000, id="long"),
        "~",
        "&a *b",
    ],
)
def test_any_title_can_be_read_back(title: str) -> None:
    data = Record(SourceKind.TEXT, title, title, "body", (("to", (title, title)),)).render("s")
    front = Document.parse(data).front_matter()
    assert front.problem == ""
    assert front.title == " ".join(front.text("source_id").split())
    assert front.title[:5] == " ".join(cleaned(title).split())[:5]
    assert len(content_hash(data)) == 32
    assert not is_edited(data)
    assert is_edited(data + b"x")
    assert is_edited(b"nothing of ours")


@pytest.mark.parametrize(
    ("value", "time_in_utc"),
    [
        ("2024-03-09T10:00:00+08:00", "2024-03-09T02:00:00Z"),
        ("2024-03-09", "2024-03-09T00:00:00Z"),
        (1710000000, "2024-03-09T16:00:00Z"),
        (1710000000.9, "2024-03-09T16:00:00Z"),
        (1710000000123, "2024-03-09T16:00:00Z"),
        ("1710000000.0001", "2024-03-09T16:00:00Z"),
        ("yesterday", ""),
        ("", ""),
        (None, ""),
        (True, ""),
        ([], ""),
        (float("nan"), ""),
        (float("inf"), ""),
        pytest.param(10**400, "", id="endless"),
        (-(10**15), "1938-04-24T22:13:20Z"),
        ("9999-12-31T23:59:59-10:00", ""),
    ],
)
def test_times(value: object, time_in_utc: str) -> None:
    assert moment(value) == time_in_utc


def test_tokens_count_chinese_characters_one_by_one() -> None:
    assert tokens("图书馆" * 100) == 301
    assert 50 < tokens("a word " * 40) < 100
