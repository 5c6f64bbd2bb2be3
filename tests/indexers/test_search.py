"""Searching finds what a person means, and no text makes it fail."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.catch_up import catch_up
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.query import Hit, Query
from memtree.indexers.text_queries import InvalidPattern
from memtree.tree.kinds import Kind
from memtree.tree.source_names import Place
from support.memory_source import MemorySource

_DAY = 86_400
_NOTES = {
    "notes/running.md": "---\ntitle: Training log\ntags: [sport, health]\nauthor: Jane Doe\n---\n# Week\n\nShe was running.\n",
    "notes/coffee.md": "# Morning\n\nThe café near the naïve Ångström façade.\n",
    "notes/zh.md": "# 旅行\n\n我爱北京天安门。下周去东京大学。\n",
    "notes/ja.md": "カタカナとひらがなを読む。ｶﾀｶﾅ\n",
    "notes/ko.md": "한국어를 공부했다\n",
    "notes/ar.md": "مَرْحَبًا بالعالم الجميل\n",
    "notes/th.md": "ภาษาไทยสวยงาม\n",
    "notes/code.md": "Call foo_bar.baz in engine/store.py:42, see #123, v1.10.2, mail a.b@c.org. Use c++ not c.\n\n"
    f"https://x.dev/p?q=1. {'k' * 300}\n",
    "notes/party.md": "Great news 🎉👍🏽 party→time\n",
    "notes/hamlet.md": "To be, or not to be: that is the question.\n",
    "notes/deploy.md": "# Deploy the server\n\nSteps for it.\n",
    "notes/server.md": "# Notes\n\nThe deploy of a server took long; server, server, deploy.\n",
    "img/Holiday photo.png": "\0",
    "memory_tree/content/facts/ab/f1.md": "---\ntime: 2024-05-10\n---\nJane likes zebras\n",
    "memory_tree/content/episodic/s/000001.md": "---\ntimestamp: 2024-05-20T10:00:00Z\n---\nWe saw zebras\n",
    "zebras/undated.md": "zebras zebras\n",
    "zebras/What?.md": "zebras asked\n",
    "long.md": "\n\n".join(f"# Part {number}\n\nwhale {'filler words ' * 20}" for number in range(60)),
    "other/whale.txt": "one whale among much other text that makes this file match less well than the parts do",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullTextIndex]:
    source = MemorySource()
    made = FullTextIndex.open(Path(tmp_path_factory.mktemp("index")), "settings")
    catch_up(made, source, source.commit({path: text.encode() for path, text in _NOTES.items()}))
    yield made
    made.close()


def paths(hits: list[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in hits))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("run", "notes/running.md"),
        ("RUNS", "notes/running.md"),
        ("training logs", "notes/running.md"),
        ("sport", "notes/running.md"),
        ("#sport", "notes/running.md"),
        ("jane doe", "notes/running.md"),
        ("cafe", "notes/coffee.md"),
        ("CAFÉ", "notes/coffee.md"),
        ("cafe\u0301", "notes/coffee.md"),
        ("naive angstrom facade", "notes/coffee.md"),
        ("北京", "notes/zh.md"),
        ("京", "notes/zh.md"),
        ("学", "notes/zh.md"),
        ("东京大学", "notes/zh.md"),
        ("旅行", "notes/zh.md"),
        ("カタカナ", "notes/ja.md"),
        ("ひらがな", "notes/ja.md"),
        ("한국어", "notes/ko.md"),
        ("مرحبا", "notes/ar.md"),
        ("بالعالم", "notes/ar.md"),
        ("ภาษาไทย", "notes/th.md"),
        ("foo_bar.baz", "notes/code.md"),
        ("FOO_BAR.BAZ()", "notes/code.md"),
        ("store.py", "notes/code.md"),
        ("engine/store.py", "notes/code.md"),
        ("#123", "notes/code.md"),
        ("v1.10.2", "notes/code.md"),
        ("a.b@c.org", "notes/code.md"),
        ("https://x.dev/p?q=1", "notes/code.md"),
        ("c++", "notes/code.md"),
        ("k" * 300, "notes/code.md"),
        ("🎉", "notes/party.md"),
        ("👍", "notes/party.md"),
        ("→", "notes/party.md"),
        ("to be or not to be", "notes/hamlet.md"),
        ("the", "notes/hamlet.md"),
        ("holiday photo", "img/Holiday photo.png"),
        ("Holiday photo.png", "img/Holiday photo.png"),
        ("coffee.md", "notes/coffee.md"),
        ("deploy server", "notes/deploy.md"),
    ],
)
def test_the_best_hit(index: FullTextIndex, text: str, path: str) -> None:
    hits = index.search(Query(text, limit=3))
    assert path in paths(hits) if text == "the" else hits and hits[0].path == path


@pytest.mark.parametrize("text", ["", " ", "?!", "()[]{}", "zzzzqqq", "\ud800", "\0", "南极", "😱", '"', "\u200d\ufe0f"])
def test_what_is_not_there_is_not_found(index: FullTextIndex, text: str) -> None:
    assert index.search(Query(text)) == []


_ODD = st.sampled_from(
    [
        *"\"'():[]{}^~*?\\/+-!&|.,;#@=<>",
        "AND",
        "OR",
        "NOT",
        "TO",
        "zebras",
        "北",
        "\ud800",
        "\0",
        "🎉",
        "a:b",
        "the",
        "x" * 300,
        " ",
    ]
)


@given(st.one_of(st.text(max_size=40), st.lists(_ODD, max_size=12).map("".join)))
def test_no_text_makes_a_search_fail(index: FullTextIndex, text: str) -> None:
    for hit in index.search(Query(text)):
        assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.highlights)


@pytest.mark.parametrize("word", ["word ", "x", "北京", "a/b.c ", "🎉", "{n} ", '" OR '])
def test_a_huge_query_is_quick(index: FullTextIndex, word: str) -> None:
    text = "".join(word.replace("{n}", str(number)) for number in range(20_000))
    start = time.process_time()
    index.search(Query(text))
    assert time.process_time() - start < 2


def test_highlights_mark_the_words_that_matched(index: FullTextIndex) -> None:
    def marked(text: str) -> list[str]:
        hit = index.search(Query(text, limit=1))[0]
        return [hit.snippet[start:end] for start, end in hit.highlights]

    assert marked("runs") == ["running"]
    assert marked("cafe facade") == ["café", "façade"]
    assert marked("北京天安门") == ["北京天安门"]
    assert marked("foo_bar.baz") == ["foo_bar.baz"]


def test_a_hit_says_where_it_lies(index: FullTextIndex) -> None:
    (hit,) = index.search(Query("running", limit=1))
    assert (hit.path, hit.kind, hit.title, hit.heading) == ("notes/running.md", Kind.NOTE, "Training log", "Week")
    assert (hit.start_line, hit.end_line, hit.time) == (6, 8, None)
    assert hit.commit == index.position()


def test_at_most_two_hits_a_file_and_others_get_their_place(index: FullTextIndex) -> None:
    hits = index.search(Query("whale", limit=3))
    assert sorted(hit.path for hit in hits) == ["long.md", "long.md", "other/whale.txt"]
    assert [hit.heading for hit in hits if hit.path == "long.md"] == ["Part 0", "Part 1"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("zebras", {"zebras/undated.md", "zebras/What?.md"}),
        ("zebras/", {"zebras/undated.md", "zebras/What?.md"}),
        ("zebra", set()),
        ("zebras/undated.md", {"zebras/undated.md"}),
        ("zebras/What?.md", {"zebras/What?.md"}),
        ("zebras/*.md", {"zebras/undated.md", "zebras/What?.md"}),
        ("*/undated.md", {"zebras/undated.md"}),
        ("und?ted.md", {"zebras/undated.md"}),
        ("memory_tree/**/*.md", {"memory_tree/content/facts/ab/f1.md", "memory_tree/content/episodic/s/000001.md"}),
        ("memory_tree/*.md", set()),
        ("**", {"zebras/undated.md", "zebras/What?.md"}),
    ],
)
def test_folders_and_globs(index: FullTextIndex, path: str, found: set[str]) -> None:
    got = set(paths(index.search(Query("zebras", path=path))))
    assert got >= found if path == "**" else got == found


def test_a_pattern_beyond_reason_is_refused(index: FullTextIndex) -> None:
    with pytest.raises(InvalidPattern, match="pattern"):
        index.search(Query("zebras", path="[(+" + "*a?" * 3_000))


def test_kinds_filter(index: FullTextIndex) -> None:
    assert paths(index.search(Query("zebras", kinds=(Kind.FACT,)))) == ["memory_tree/content/facts/ab/f1.md"]
    assert len(paths(index.search(Query("zebras", kinds=(Kind.FACT, Kind.EPISODE))))) == 2
    assert index.search(Query("zebras", kinds=(Kind.WIKI,))) == []


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ((Place(Kind.FACT),), {"memory_tree/content/facts/ab/f1.md"}),
        (
            (Place(Kind.FACT), Place(Kind.NOTE, "zebras")),
            {"memory_tree/content/facts/ab/f1.md", "zebras/undated.md", "zebras/What?.md"},
        ),
        ((Place(Kind.FACT, "zebras"),), set()),
        ((Place(Kind.NOTE, "zebra"),), set()),
        ((Place(Kind.EPISODE, "memory_tree/content/episodic", direct=True),), set()),
        ((Place(Kind.NOTE, "zebras", direct=True),), {"zebras/undated.md", "zebras/What?.md"}),
        ((Place(Kind.NOTE, "it's?*%\ud800"),), set()),
    ],
)
def test_places_filter(index: FullTextIndex, places: tuple[Place, ...], found: set[str]) -> None:
    assert set(paths(index.search(Query("zebras", places=places)))) == found


def test_filters_do_not_change_scores(index: FullTextIndex) -> None:
    free = {hit.path: hit.score for hit in index.search(Query("jane zebras"))}
    for hit in index.search(Query("jane zebras", kinds=(Kind.FACT,), path="memory_tree", since=0, places=(Place(Kind.FACT),))):
        assert hit.score == free[hit.path]


def test_time_windows(index: FullTextIndex) -> None:
    fact = "memory_tree/content/facts/ab/f1.md"
    episode = "memory_tree/content/episodic/s/000001.md"
    may_10, may_20 = 1715299200, 1716163200
    assert set(paths(index.search(Query("zebras", since=may_10)))) == {fact, episode}
    assert paths(index.search(Query("zebras", since=may_10 + 1))) == [episode]
    assert paths(index.search(Query("zebras", until=may_10))) == [fact]
    assert index.search(Query("zebras", since=may_20 + _DAY)) == []
    assert index.search(Query("zebras", since=10**30)) == []
    changed = frozenset({"zebras/undated.md", fact, "nowhere.md"})
    assert paths(index.search(Query("zebras", since=may_20 + _DAY, changed=changed))) == ["zebras/undated.md"]


def test_equal_scores_are_ordered_by_path_however_they_were_indexed(tmp_path: Path) -> None:
    names = [f"{number:02}.md" for number in range(30)]
    source = MemorySource()
    orders = []
    for start in ([], names[7:], names[20:]):
        index = FullTextIndex.open(tmp_path / str(len(start)), "settings")
        for some in (start, names):
            catch_up(index, source, source.commit(dict.fromkeys(some, b"same text")))
        orders.append([hit.path for hit in index.search(Query("same", limit=5))])
        index.close()
    assert orders == [names[:5]] * 3


def test_limits(index: FullTextIndex) -> None:
    assert index.search(Query("zebras", limit=0)) == []
    assert len(index.search(Query("zebras", limit=1))) == 1
    assert index.search(Query("zebras", limit=10**9))
