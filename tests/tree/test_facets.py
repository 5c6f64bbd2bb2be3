"""What statements say of a user: the facet, the key and the words; and what says nothing lasting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.events import Event, EventClass
from memtree.tree.facets import FACETS, LONGEST_KEY, Observation, normal_key, observations_of


def said(kind: str, text: str) -> list[Observation]:
    event = Event("e-000000000001", EventClass(kind), text, (4,))
    return observations_of([event], lambda one: "2026-12-01")


PREFERENCES = [
    ("I prefer tabs to spaces.", "coding_style", "indentation", "Prefers tabs to spaces"),
    ("I prefer tabs over spaces in Go.", "coding_style", "indentation_go", "Prefers tabs over spaces in Go"),
    ("For Python code I prefer four spaces.", "coding_style", "indentation_python", "For Python code I prefer four spaces"),
    ("Honestly, I'd prefer snake_case", "coding_style", "naming", "Prefers snake_case"),
    ("I like Python.", "stack", "python", "Likes Python"),
    ("I like C++ and C#", "stack", "c++", "Likes C++ and C#"),
    ("I prefer Python", "stack", "language", "Prefers Python"),
    ("I prefer Python for scripts.", "stack", "language_scripts", "Prefers Python for scripts"),
    ("I always use PostgreSQL", "stack", "database", "Always use PostgreSQL"),
    ("I like short answers", "communication", "length", "Likes short answers"),
    ("I prefer answers in German.", "communication", "language", "Prefers answers in German"),
    ("I like it when you explain step by step", "communication", "explanations", "Likes it when you explain step by step"),
    ("My favorite editor is Neovim.", "environment", "editor", "Favorite editor is Neovim"),
    ("By the way, I prefer dark mode.", "environment", "theme", "Prefers dark mode"),
    ("I changed my mind: I prefer 4 spaces to tabs.", "coding_style", "indentation", "Prefers 4 spaces to tabs"),
    ("On second thought, I prefer spaces.", "coding_style", "indentation", "Prefers spaces"),
    ("我改主意了，我更喜欢用空格缩进。", "coding_style", "indentation", "更喜欢用空格缩进"),
    ("更正：我住在北京。", "environment", "location", "住在北京"),
    ("I love hiking in the Alps", "environment", "hiking_alps", "Loves hiking in the Alps"),
    ("I always write tests first", "workflow", "tests", "Always write tests first"),
    ("I usually squash my commits", "workflow", "commits", "Usually squash my commits"),
    ("I never commit to main", "workflow", "commits", "Never commit to main"),
    ("I always want you to run the linter", "directives", "run_linter", "Always want you to run the linter"),
    ("I hate Java.", "anti_preferences", "java", "Hates Java"),
    ("I don't like emojis in answers.", "anti_preferences", "emoji", "Does not like emojis in answers"),
    ("I don’t like long meetings", "anti_preferences", "meetings", "Does not like long meetings"),
    ("I never use ORMs", "anti_preferences", "orm", "Never use ORMs"),
    ("I prefer my own tests", "workflow", "tests", "Prefers my own tests"),
    ("I prefer what I know about tests", None, "", ""),
    ("我喜欢用制表符缩进", "coding_style", "indentation", "喜欢用制表符缩进"),
    ("我更喜欢简洁的回复。", "communication", "length", "更喜欢简洁的回复"),
    ("我偏好用中文交流", "communication", "language", "偏好用中文交流"),
    ("我习惯用Vim编辑器", "environment", "editor", "习惯用Vim编辑器"),
    ("我总是先写测试", "workflow", "tests", "总是先写测试"),
    ("我喜欢徒步旅行", "environment", "徒步旅行", "喜欢徒步旅行"),
    ("我喜欢游泳", "environment", "游泳", "喜欢游泳"),
    ("我不喜欢冗长的回答", "anti_preferences", "length", "不喜欢冗长的回答"),
    ("我讨厌Java", "anti_preferences", "java", "讨厌Java"),
]
FACTS = [
    ("I'm based in Berlin.", "location", "Based in Berlin"),
    ("I live in San Francisco", "location", "Lives in San Francisco"),
    ("I work at Acme as an engineer", "employer", "Works at Acme as an engineer"),
    ("My name is Kim", "name", "Name is Kim"),
    ("I'm a backend developer", "role", "Is a backend developer"),
    ("My role is CTO", "role", "Role is CTO"),
    ("I'm from Spain", "origin", "Comes from Spain"),
    ("My timezone is CET", "timezone", "Time zone is CET"),
    ("I've been using Vim for ten years", "experience", "Has been using Vim for ten years"),
    ("我住在上海", "location", "住在上海"),
    ("I moved to Porto last month.", "location", "Moved to Porto last month"),
    ("I've just relocated to Munich", "location", "Moved to Munich"),
    ("我上个月搬去了成都", "location", "搬到成都"),
    ("我叫李明", "name", "叫李明"),
    ("我在阿里巴巴工作", "employer", "在阿里巴巴工作"),
    ("我是一名后端工程师", "role", "是后端工程师"),
    ("我来自北京", "origin", "来自北京"),
]


@pytest.mark.parametrize(("text", "facet", "key", "value"), PREFERENCES, ids=[text for text, *_ in PREFERENCES])
def test_preferences(text: str, facet: str | None, key: str, value: str) -> None:
    expected = [] if facet is None else [Observation(facet, key, value, "e-000000000001", "2026-12-01", 0.6)]
    assert said("preference", text) == expected


@pytest.mark.parametrize(("text", "key", "value"), FACTS, ids=[text for text, *_ in FACTS])
def test_facts(text: str, key: str, value: str) -> None:
    assert [(one.facet, one.key, one.value) for one in said("fact", text)] == [("environment", key, value)]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("preference", "I like this one"),
        ("preference", "I love it"),
        ("preference", "I prefer the second option"),
        ("preference", "I like your idea"),
        ("preference", "I like"),
        ("preference", "I never saw that error"),
        ("preference", "I always get the same result"),
        ("preference", "Do you know what I like?"),
        ("preference", "我喜欢这个"),
        ("preference", "I prefer [secret: github token]"),
        ("preference", "I prefer mails to [personal: email]"),
        ("preference", "I like [forgotten]"),
        ("fact", "I'm a bit confused"),
        ("fact", "I've been debugging all day"),
        ("decision", "I decided that I prefer Rust"),
        ("commitment", "I will finish it by Friday"),
    ],
)
def test_what_says_nothing_lasting_is_no_observation(kind: str, text: str) -> None:
    assert said(kind, text) == []


def test_what_is_said_again_meets_the_same_key() -> None:
    ways = ("I prefer tabs", "Well, I really prefer spaces!", "my favourite indentation is two spaces", "我更喜欢用空格")
    assert {(one.facet, one.key) for text in ways for one in said("preference", text)} == {("coding_style", "indentation")}


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("preference", "I prefer tabs over spaces, and I always write tests first.", {"indentation", "tests"}),
        ("fact", "I live in Berlin and I work at Acme.", {"location", "employer"}),
        ("preference", "My favourite language is Rust, my favorite editor is Helix", {"language", "editor"}),
        ("fact", "我叫李雷，是一名前端工程师。", {"name", "role"}),
        ("preference", "For Python code, I prefer four spaces", {"indentation_python"}),
        ("preference", "I prefer tabs, and I prefer tabs", {"indentation"}),
        ("preference", "I like your approach but I never got it to work", set()),
    ],
)
def test_a_sentence_may_say_several_things(kind: str, text: str, expected: set[str]) -> None:
    found = said(kind, text)
    assert {one.key for one in found} == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("key", ["Line length", "line-length", "LINE_LENGTH", " **line  length** "])
def test_keys_are_compared_without_their_dress(key: str) -> None:
    assert normal_key(key) == "line_length"


_WORDS = st.lists(
    st.sampled_from(
        [
            "I prefer",
            "I don't like",
            "I always",
            "my favorite",
            "I'm a",
            "I never",
            "love",
            "it",
            "you",
            "tabs",
            "Go",
            "for",
            "in C++",
            "我",
        ]
    )
    | st.sampled_from(["不", "喜欢", ":", "**", "^p", "<!--", "-->", "\n", "[secret: x]", "。"])
)


@given(st.sampled_from(["preference", "fact"]), _WORDS.map(" ".join) | st.text())
def test_whatever_is_said_makes_observations_that_fit_a_file(kind: str, text: str) -> None:
    for one in said(kind, text):
        assert one.facet in FACETS
        assert 0 < len(one.key) <= LONGEST_KEY
        assert normal_key(one.key) == one.key
        assert one.value.strip()
        assert "\n" not in one.value
