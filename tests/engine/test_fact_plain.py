"""What is found by words alone: plain statements that last, in both languages; what is so just now, or is no statement, is not."""

from __future__ import annotations

import pytest

from memtree.engine.facts.candidate import Candidate, Said
from memtree.engine.facts.plain import plain_candidates


def _found(text: str) -> tuple[Candidate, ...]:
    return plain_candidates([Said("s-1", 1, "user", text, "", 1_773_050_400_000)])


@pytest.mark.parametrize(
    "text",
    [
        "Log level in production must be WARN.",
        "All endpoints must return JSON.",
        "Please never mock the database.",
        "Our team has a stand-up every day at 9:30.",
        "Deploys happen every Thursday.",
        "The billing service uses Postgres 17.",
        "I have two kids.",
        "I'm 39 years old.",
        "My dog Biscuit is a three year old beagle.",
        "My phone number is +44 113 496 0000.",
        "提交之前一定要跑测试。",
        "不要直接推送到 main 分支。",
        "生产环境的日志级别必须是 WARN。",
        "所有接口必须返回 JSON。",
        "我们组每天九点半开站会。",
        "我换工作了，现在在字节跳动上班。",
        "订单服务的数据库换成了 MySQL 8。",
        "现在我吃素了，因为医生建议少吃红肉。",
        "我的直属领导是张伟。",
        "我们用 GitLab 管理代码。",
        "我开一辆比亚迪。",
    ],
)
def test_plain_statements_that_last(text: str) -> None:
    assert [one.text for one in _found(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, I never thought of that!",
        "I always get a 404 here.",
        "The build always fails on my machine.",
        "All of these must be renamed.",
        "My code is a mess.",
        "The name is wrong.",
        "The cache is stale.",
        "The port is 8080 in this example.",
        "I have two branches open.",
        "数据库挂了。",
        "我有两个问题。",
        "以后再说吧。",
        "提交之后报错了。",
    ],
)
def test_what_is_so_just_now_is_not_found(text: str) -> None:
    assert _found(text) == ()


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("Forget that I like Vim, I use VS Code now.", "I use VS Code now."),
        ("I no longer live in Berlin, I live in Rome.", "I live in Rome."),
        ("忘掉我喜欢用 Vim 这件事，我现在用 VS Code。", "我现在用 VS Code。"),
    ],
)
def test_what_takes_something_back_may_say_what_is_so_instead(text: str, instead: str) -> None:
    assert [(one.text, one.retracts) for one in _found(text)] == [(text, True), (instead, False)]


def test_nobody_moves_into_the_user_s_home_or_name() -> None:
    places = {(one.subject, one.slot) for text in ("我妈有糖尿病，住在绍兴。", "我养了一只猫，叫豆豆。") for one in _found(text)}
    assert not places & {("user", "environment.home"), ("user", "identity.name")}
    assert ("mother", "environment.home") in places
