"""Whether two statements are the same, one more than the other, or against it; and what a sentence takes back."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.tree.fact_likeness import Likeness, fact_key, likeness, retraction

SUBJECTS = ("I", "User", "The user", "My wife", "Ana", "The billing service", "Our team")
VERBS = ("like", "use", "live in", "eat", "have", "run", "know", "want", "drink", "drive")
THINGS = (
    "tea",
    "2 dogs",
    "Berlin",
    "port 8080",
    "fish at least once a week",
    "vim for notes",
    "a red car",
    "5 km every morning",
    "meat",
)
statements = st.builds("{} {} {}".format, st.sampled_from(SUBJECTS), st.sampled_from(VERBS), st.sampled_from(THINGS))
WORDS = """I i user the not never 不 没 我 用户 喜欢 只 3 3.5 -2 2026-03-01 kg % don't can't c++ node.js than more at least
no longer , . ? ! 、 了 的 一只 猫 any from now on used to US ² é हि ‘ ’ remember that note: said up all but do would like a. /"""
words = st.sampled_from(WORDS.replace("\n", " ").split(" "))
texts = st.text(max_size=60) | st.lists(words, max_size=14).map(" ".join) | st.lists(words, max_size=14).map("".join)


@settings(max_examples=600)
@given(texts)
def test_a_key_is_its_own_key(text: str) -> None:
    assert fact_key(fact_key(text)) == fact_key(text)


@settings(max_examples=300)
@given(statements | texts)
def test_what_is_said_again_is_the_same(text: str) -> None:
    assert likeness(text, text) is Likeness.SAME


@settings(max_examples=400)
@given(statements | texts, statements | texts)
def test_same_is_symmetric(one: str, two: str) -> None:
    assert (likeness(one, two) is Likeness.SAME) == (likeness(two, one) is Likeness.SAME)


@settings(max_examples=300)
@given(
    st.sampled_from(SUBJECTS),
    st.sampled_from(VERBS),
    st.sampled_from(THINGS),
    st.sampled_from(("do not", "never", "no longer", "don't")),
)
def test_a_denied_statement_is_never_the_same(subject: str, verb: str, thing: str, denial: str) -> None:
    said, denied = f"{subject} {verb} {thing}", f"{subject} {denial} {verb} {thing}"
    assert likeness(said, denied) is not Likeness.SAME
    assert likeness(denied, said) is not Likeness.SAME


@settings(max_examples=300)
@given(statements, st.integers(0, 9), st.integers(0, 9))
def test_other_numbers_are_never_the_same(statement: str, one: int, two: int) -> None:
    pair = [f"{statement} with {number} friends" for number in (one, two)]
    assert (likeness(*pair) is Likeness.SAME) == (one == two)


PAIRS = [
    # the same, in other words that make no difference
    ("I like tea.", "User likes tea", "same"),
    ("I like tea", "The user likes tea!", "same"),
    ("I'm vegan", "I am vegan", "same"),
    ("Likes tea", "I like tea", "same"),
    ("I currently live in Berlin", "I live in Berlin.", "same"),
    ("I live in Berlin", "My home is in Berlin", "same"),
    ("I have two dogs", "I have 2 dogs", "same"),
    ("I don't eat meat", "I do not eat meat", "same"),
    ("Remember that I am left-handed", "I am left-handed", "same"),
    ("我喜欢茶", "用户喜欢茶。", "same"),
    ("我住在上海", "用户现在住在上海", "same"),
    ("我有三个孩子", "用户有3个孩子", "same"),
    # more of it
    ("I live in Berlin", "I live in Berlin with my sister", "refines"),
    ("I have a dog", "I have a dog called Rex", "refines"),
    ("I like tea", "I like tea and coffee", "refines"),
    ("I like tea", "I like tea, but not with milk", "refines"),
    ("I like tea", "I love tea", "refines"),
    ("My birthday is May 3", "I was born on 3 May 1990", "refines"),
    ("I live in Berlin", "I moved to Berlin in 2021", "refines"),
    ("我喜欢茶", "我喜欢茶，因为它清淡", "refines"),
    # against it
    ("I like tea", "I don't like tea", "contradicts"),
    ("I love cilantro", "I hate cilantro", "contradicts"),
    ("我喜欢香菜", "我讨厌香菜", "contradicts"),
    ("我喜欢香菜", "我不喜欢香菜", "contradicts"),
    ("I live in Berlin", "I moved to Paris", "contradicts"),
    ("我住在上海", "我搬到北京了", "contradicts"),
    ("I use Vim", "I switched to Helix", "contradicts"),
    ("My name is Tom", "My name is Tim", "contradicts"),
    ("I live in Germany", "I moved to Lisbon", "contradicts"),
    ("I live in Berlin", "我搬到北京了", "contradicts"),
    ("The billing service uses PostgreSQL", "The billing service uses MySQL", "contradicts"),
    ("I work at Acme", "I started a new job at Initech", "contradicts"),
    ("The cache is enabled in production", "The cache is disabled in production", "contradicts"),
    ("缓存在生产环境启用", "缓存在生产环境禁用", "contradicts"),
    ("The billing service runs on port 8080", "The billing service runs on port 9090", "contradicts"),
    ("The API allows at least 5 retries", "The API allows at most 5 retries", "contradicts"),
    ("The deadline is May 3", "The deadline is May 5", "contradicts"),
    ("I drink 2 coffees a day", "I drink 3 coffees a day", "contradicts"),
    ("I weigh 80 kg", "I weigh 82 kg", "contradicts"),
    ("The timeout of the gateway is 30 seconds", "The timeout of the gateway is 60 seconds", "contradicts"),
    ("I drink coffee", "I drink coffee only at weekends", "contradicts"),
    ("I eat meat", "I only eat meat on Sundays", "contradicts"),
    ("I use vim", "I stopped using vim last year", "contradicts"),
    ("I live in Berlin", "I no longer live in Berlin", "contradicts"),
    ("I'm vegetarian", "That's not true: I'm not vegetarian", "contradicts"),
    ("我喝咖啡", "我已经不喝咖啡了", "contradicts"),
    ("我对花生过敏", "我对花生不过敏", "contradicts"),
    ("I work at Acme", "I left Acme", "contradicts"),
    # neither
    ("I like tea", "I like coffee", "different"),
    ("I live in Berlin", "My brother lives in Berlin", "different"),
    ("I live in Berlin", "My brother lives in Rome", "different"),
    ("I live in Berlin", "I used to live in Rome", "different"),
    ("I live in Berlin", "I would like to live in Rome", "different"),
    ("I live in Berlin", "If I lived in Rome, I would be happy", "different"),
    ("I live in Berlin with my sister", "I live in Berlin", "different"),
    ("I live in Berlin", "I don't live in Rome", "different"),
    ("I live in Berlin", "Do I live in Berlin?", "different"),
    ("I have a dog", "I have a dog allergy", "different"),
    ("I like tea", "I like the shop that sells tea", "different"),
    ("I'm allergic to nuts", "I'm allergic to penicillin", "different"),
    ("I visited Rome in 2019", "I visited Rome in 2021", "different"),
    ("I was in Rome in May", "I was in Rome in June", "different"),
    ("Server 1 runs Postgres", "Server 2 runs Postgres", "different"),
    ("I always check the oven in house 12 before lunch", "I always check the oven in house 13 before lunch", "different"),
    ("User keeps the keys of flat 4", "User keeps the keys of flat 5", "different"),
    ("I go to yoga on Mondays", "I go to yoga on Tuesdays", "different"),
    ("I work until 5", "I work since 5", "different"),
    ("I speak German", "I speak French", "different"),
    ("The billing service uses PostgreSQL", "The billing service uses Redis", "different"),
    ("My address is 5 Main Street", "I live in Berlin", "different"),
    ("I live in Berlin", "I live in a small flat", "different"),
    ("I live in Germany", "I live in Berlin", "different"),
    ("User lives in Berlin", "用户住在柏林", "different"),
    ("I live in Berlin", "I'm living in Rome this month", "different"),
    ("My name is Robert", "Call me Bob", "different"),
    ("I studied at MIT", "I graduated from Oxford", "different"),
    ("I use Arch Linux", "I use macOS at work", "different"),
    ("I have a girlfriend", "My girlfriend is Ana", "different"),
    ("I'm vegan", "I keep kosher", "different"),
    ("Ana is older than Bob", "Bob is older than Ana", "different"),
    ("I like 10² tiles", "I like 102 tiles", "different"),
    ("我有狗", "我有狗粮", "different"),
    ("I like 🍎", "I like 🍌", "different"),
]


@pytest.mark.parametrize(("old", "new", "expected"), PAIRS)
def test_how_statements_stand_to_one_another(old: str, new: str, expected: str) -> None:
    assert likeness(old, new) == expected


def test_the_same_memory_twice_is_the_same_and_its_correction_is_not() -> None:
    """What others got wrong: a memory added twice that deleted itself, a correction taken for the old text."""
    assert likeness("User's favourite colour is green", "My favorite color is green") is Likeness.SAME
    assert likeness("The user's flight leaves at 8:15", "The user's flight leaves at 9:15") is Likeness.CONTRADICTS
    assert likeness("User's sister is called Mia", "User's sister is called Lia") is not Likeness.SAME


def test_what_is_merely_like_it_is_not_retired() -> None:
    """A judge that retires whatever looks alike loses facts: the subject and the slot have to be the same."""
    kept = ["I live in Berlin", "I work at Acme in Berlin", "My sister lives in Berlin", "I was born in Berlin", "I like Berlin"]
    for one in kept:
        for other in kept:
            assert likeness(one, other) in (Likeness.SAME, Likeness.DIFFERENT), (one, other)


def test_years_amounts_and_limits_are_never_duplicates() -> None:
    base = "I have worked in nursing for 5 years"
    for other in (
        "I have worked in nursing for 6 years",
        "I have worked in nursing for at least 5 years",
        "I have worked in nursing for almost 5 years",
        "I have worked in nursing for 5 months",
        "I have never worked in nursing for 5 years",
        "I have only worked in nursing for 5 years",
    ):
        assert likeness(base, other) is not Likeness.SAME
        assert likeness(other, base) is not Likeness.SAME


def test_a_denial_is_part_of_the_key() -> None:
    assert fact_key("The build is not reproducible") != fact_key("The build is reproducible")
    assert likeness("The build is reproducible", "The build is not reproducible") is Likeness.CONTRADICTS
    assert fact_key("构建不可重现") != fact_key("构建可重现")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("I no longer live in Berlin.", "I live in Berlin"),
        ("User no longer lives in Berlin", "I live in Berlin"),
        ("I'm no longer vegan", "I'm vegan"),
        ("I stopped using vim", "I use vim"),
        ("I've stopped smoking last year.", "I smoke"),
        ("I quit smoking because of my heart", "I smoke"),
        ("I gave up running", "I run"),
        ("I gave up coffee", "I drink coffee"),
        ("I don't have a dog any more", "I have a dog"),
        ("I don't use Slack anymore, it is too loud", "I use Slack"),
        ("I'm not married any more", "I am married"),
        ("I quit my job at Acme", "I work at Acme"),
        ("I left Acme last year", "I work at Acme"),
        ("I moved away from Berlin", "I live in Berlin"),
        ("I sold my car", "I have a car"),
        ("We no longer use Redis", "We use Redis"),
        ("My home is no longer in Berlin", "my home is in Berlin"),
        ("Please forget that I like tea.", "I like tea"),
        ("forget what I said about my address", "my address"),
        ("You can forget that my name is Bob", "my name is Bob"),
        ("That's not true: I'm not vegetarian", "I'm vegetarian"),
        ("That's wrong, I don't live in Rome.", "I live in Rome"),
        ("It's not true that I like tea", "I like tea"),
        ("It is no longer true that I live in Oslo", "I live in Oslo"),
        ("I used to smoke, but not any more", "I smoke"),
        ("我不再住在北京了", "我住在北京"),
        ("用户不再使用Vim", "我使用Vim"),
        ("我已经不喝咖啡了", "我喝咖啡"),
        ("我现在不吃肉了。", "我吃肉"),
        ("我戒了烟", "我抽烟"),
        ("我戒酒了", "我喝酒"),
        ("我没有养狗了", "我养狗"),
        ("别再记我喜欢喝茶", "我喜欢喝茶"),
        ("请忘记我住在上海这件事", "我住在上海"),
        ("不对，我不是素食者", "我是素食者"),
        ("我从谷歌离职了", "我在谷歌工作"),
        ("Forget that I'm allergic to penicillin, it turned out to be wrong.", "I'm allergic to penicillin"),
        ("Forget that I like Vim, I use VS Code now.", "I like Vim"),
        ("Please forget that I live in Berlin, Germany.", "I live in Berlin, Germany"),
        ("I got laid off from Northwind.", "I work at Northwind"),
        ("I am no longer at Northwind", "I work at Northwind"),
        ("I left Northwind in April.", "I work at Northwind"),
        ("忘掉我喜欢用 Vim 这件事，我现在用 VS Code。", "我喜欢用 Vim"),
        ("忘了我喜欢喝茶吧，那是以前的事", "我喜欢喝茶"),
    ],
)
def test_what_a_sentence_takes_back(text: str, gone: str) -> None:
    assert retraction(text) == gone


@pytest.mark.parametrize(
    "text",
    [
        "If I no longer lived in Berlin, I would be sad",
        "I would stop using vim if I could",
        "I might stop smoking",
        "I want to quit smoking",
        "I'm thinking of giving up coffee",
        "My brother no longer lives in Berlin",
        "My wife stopped smoking",
        "Ana no longer works at Acme",
        "Do I no longer live in Berlin?",
        "Did you forget that I like tea?",
        "Don't forget that I like tea",
        "Never forget that I am allergic to nuts",
        "I never stopped using vim",
        "I haven't stopped smoking",
        "I stopped by the office",
        "I stopped the server",
        "I can't stop eating chocolate",
        "I live in Berlin",
        "I don't like tea",
        "I forgot my keys",
        "I left Ana's book at home",
        "I left the keys in Berlin",
        "Forget it",
        "That's not true",
        "如果我不再住在北京就好了",
        "我想戒烟",
        "我打算不再喝酒",
        "我哥哥不再住在北京",
        "我妈妈戒烟了",
        "别忘了我喜欢喝茶",
        "不要忘记我对花生过敏",
        "我不再住在北京了吗？",
        "我不喜欢茶",
        "",
    ],
)
def test_what_takes_nothing_back(text: str) -> None:
    assert retraction(text) is None


@pytest.mark.parametrize("unit", ["I no longer ", "not ", "我不再", "a-", "1,", "my ", "I forget that ", "'s ", "a.", "user "])
def test_a_text_of_any_size_takes_no_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.monotonic()
    likeness(text, f"{text}!")
    retraction(text)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("我对花生过敏。", "其实我不对花生过敏，是误诊。"),
        ("我对花生过敏", "我其实对花生不过敏，是误诊"),
        ("I'm allergic to nuts.", "Actually I'm not allergic to nuts, it was a misdiagnosis."),
        ("I'm allergic to penicillin, by the way.", "It turns out I'm not allergic to penicillin."),
    ],
)
def test_what_is_denied_is_denied_whatever_follows(old: str, new: str) -> None:
    assert likeness(old, new) is Likeness.CONTRADICTS
