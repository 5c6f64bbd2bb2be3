"""Mentions of texts in every script, and of queries: what is found of names, and how much beside."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.chinese_names import chinese_mentions
from memtree.indexers.mentions import mentions_of, query_mentions, query_words
from memtree.tree.entity import EntityKind, entity
from support.mention_sentences import FORMS, NAMES


def ids(text: str) -> list[str]:
    return [one.entity.id for one in mentions_of(text)]


def names(text: str) -> list[str]:
    return [one.entity.value for one in mentions_of(text) if one.entity.kind is EntityKind.NAME]


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_what_has_a_form_of_its_own_is_found_and_nothing_else(text: str, expected: tuple[str, ...]) -> None:
    assert sorted(ids(text)) == sorted(expected)


def test_nearly_all_names_are_found_and_nearly_nothing_else_is_one() -> None:
    """Over all sentences 97 of a hundred names are found, and 96 of a hundred that are found are names."""
    found, wanted = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for text, expected in NAMES:
        found.update((text, name) for name in names(text))
        wanted.update((text, name) for name in expected)
    right = (found & wanted).total()
    missed, wrong = sorted((wanted - found).elements()), sorted((found - wanted).elements())
    assert right / wanted.total() >= 0.97, missed
    assert right / found.total() >= 0.96, wrong


def test_there_are_enough_sentences_of_both_languages_to_tell() -> None:
    texts = [text for text, _ in (*FORMS, *NAMES)]
    assert len(set(texts)) > 150
    assert sum(any("\u4e00" <= char <= "\u9fff" for char in text) for text in texts) > 45
    assert sum(not expected for _, expected in (*FORMS, *NAMES)) > 50


def test_names_of_both_scripts_stand_in_one_list() -> None:
    assert ids("昨天王小明在北京见了 Ada Lovelace。") == ["name:王小明", "name:北京", "name:ada lovelace"]


def test_a_chinese_name_in_an_address_or_a_tag_is_no_name_besides() -> None:
    assert ids("看 #北京旅游 和 https://example.org/wiki/北京 吧") == ["hashtag:北京旅游", "url:https://example.org/wiki/北京"]


def test_a_wikilink_may_be_a_chinese_name_too() -> None:
    assert sorted(ids("见[[王小明]]的笔记")) == ["name:王小明", "wikilink:王小明"]


@given(st.text(max_size=300))
def test_mentions_of_any_text_lie_in_it_in_order(text: str) -> None:
    found = mentions_of(text)
    assert [(one.start, -one.end) for one in found] == sorted((one.start, -one.end) for one in found)
    for one in found:
        assert one.surface == text[one.start : one.end]
        assert one.entity == entity(one.entity.kind, one.surface)
        one.entity.id.encode()


# -- Chinese


def test_a_text_without_chinese_loads_no_dictionary() -> None:
    code = "import sys; from memtree.indexers.mentions import mentions_of; mentions_of('Ada, é, カナ'); "
    code += "sys.exit('rjieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_japanese_and_korean_lines_are_left_alone_and_chinese_ones_between_them_are_not() -> None:
    assert [one.surface for one in chinese_mentions("東京で山田さんに会う\n王小明在北京\n서울 金民洙")] == ["王小明", "北京"]


def test_many_threads_ask_at_once() -> None:
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(names("王小明在北京。"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["王小明", "北京"]] * 8


@pytest.mark.parametrize(
    "text", ["王" * 50_000, "王小明" * 10_000, "王·" * 20_000, "《" * 50_000, "《王" * 20_000, "小李" * 20_000, "\n王" * 20_000]
)
def test_long_chinese_text_is_read_in_pieces(text: str) -> None:
    found = chinese_mentions(text)
    assert all(one.surface == text[one.start : one.end] for one in found)
    assert all(one.end <= after.start for one, after in itertools.pairwise(found))


# -- queries


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Caroline's hobbies", ["name:caroline"]),
        ("What does Caroline like?", ["name:caroline"]),
        ("Melanie and Caroline", ["name:melanie", "name:caroline"]),
        ("Summary of last week", []),
        ("what projects am I working on?", []),
        ("ada@example.org", ["email:ada@example.org"]),
        ("Ada@example.org", ["email:ada@example.org"]),
        ("#idea from @grace about src/app.py", ["hashtag:idea", "handle:grace", "path:src/app.py"]),
        ("王小明在哪里工作？", ["name:王小明"]),
        ("", []),
        ("\ud800\0", []),
    ],
)
def test_a_query_asks_for_entities(query: str, expected: list[str]) -> None:
    assert [one.entity.id for one in query_mentions(query)] == expected


def test_the_words_of_a_query_have_the_form_of_names() -> None:
    assert query_words("What does Ada LOVELACE's Straße mean?") == ["what", "does", "ada", "lovelace's", "strasse", "mean"]


def test_a_query_of_any_length_is_read_to_a_limit() -> None:
    assert query_mentions("x" * 10_000 + " Ada") == []
    assert len(query_words("ada " * 100_000)) == 2_500
