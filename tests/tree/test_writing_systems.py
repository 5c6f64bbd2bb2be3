"""Which letters a text is written in, and what has no place beside another text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.writing_systems import is_foreign, shares

ENGLISH = "Please build releases from a clean clone from now on."
CHINESE = "以后发布版本都要从干净的目录构建，不要再出错。"
MIXED = "以后用 tantivy 和 hnswlib 做全文检索，commit message 用英文写。"
RUSSIAN = "Сборку нужно делать из чистого клона."
JAPANESE = "リリースはきれいなクローンから作ってください。"


@pytest.mark.parametrize(
    ("text", "main"), [(ENGLISH, "latin"), (CHINESE, "han"), (MIXED, "han"), (RUSSIAN, "cyrillic"), (JAPANESE, "kana")]
)
def test_the_main_one_comes_first(text: str, main: str) -> None:
    found = shares(text)
    assert next(iter(found)) == main
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "ok", "3.14 + 2 = 5.14 !!", "🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊"])
def test_few_letters_tell_nothing(text: str) -> None:
    assert shares(text) == {}
    assert not is_foreign(text, ENGLISH)
    assert not is_foreign(CHINESE, text)


@pytest.mark.parametrize(
    ("text", "beside", "foreign"),
    [
        (ENGLISH, ENGLISH, False),
        (CHINESE, CHINESE, False),
        (CHINESE, ENGLISH, True),
        (ENGLISH, CHINESE, True),
        (RUSSIAN, ENGLISH, True),
        (ENGLISH, MIXED, True),  # names of programs in a Chinese talk make it no English one
        (CHINESE, MIXED, False),
        ("发布版本用 tantivy 构建。", CHINESE, False),
        (ENGLISH, f"{ENGLISH} {CHINESE} {ENGLISH}", False),
        (CHINESE, f"{ENGLISH} {CHINESE}", False),
        ("ＰＬＥＡＳＥ build releases", ENGLISH, False),
    ],
)
def test_what_has_no_place(text: str, beside: str, foreign: bool) -> None:
    assert is_foreign(text, beside) is foreign


@given(st.text(max_size=200))
def test_a_text_is_at_home_beside_itself(text: str) -> None:
    assert not is_foreign(text, text)
