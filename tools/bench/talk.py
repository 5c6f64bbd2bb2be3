"""Talk for benchmarks: conversations with topics, pauses, decisions and code, in English and Chinese; the same for a seed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from memtree.tree.agent_turn import AgentTurn, ToolCall

TURNS = 50  # of a session
_CHINESE = 4  # one in so many sessions
_TOPIC = 9  # turns, on average
_PAUSE, _CODE, _EVENT, _MARKED, _CALLED = 0.03, 0.2, 0.12, 0.05, 0.3  # shares of the turns
_WORDS = 7  # things of one topic
_START = dt.datetime(2025, 1, 1, 8, tzinfo=dt.UTC)

_THINGS = """
parser index cache session cookie schema migration replica backup snapshot pipeline container image volume gateway
router proxy certificate token login password invoice receipt budget contract deadline meeting agenda slide report
chart table query cursor shard ledger journal merge branch commit release changelog garden tomato balcony kitchen oven
bread recipe flour holiday flight hotel luggage museum beach guitar chord melody novel chapter translation glossary
knee doctor vaccine training race battery motor sensor wheel robot roof window heating radiator insulation
"""
_DEEDS = """
check rewrite measure explain remove test document compare repair simplify move plan order clean
"""
_THINGS_IN_CHINESE = """
解析器 索引 缓存 会话 数据库 迁移 备份 快照 容器 镜像 网关 路由 证书 密码 发票 预算 合同 会议 报表 图表 查询 分片 日志
分支 提交 版本 花园 番茄 阳台 厨房 烤箱 面包 菜谱 假期 航班 酒店 行李 博物馆 海滩 吉他 和弦 旋律 小说 章节 翻译 术语表
膝盖 医生 疫苗 训练 比赛 电池 电机 传感器 车轮 机器人 屋顶 窗户 暖气 保温层
"""
_DEEDS_IN_CHINESE = """
检查 重写 测量 解释 删除 测试 比较 修理 简化 移动 计划 整理
"""


@dataclass(frozen=True, slots=True)
class _Language:
    things: tuple[str, ...]
    deeds: tuple[str, ...]
    asked: tuple[str, ...]
    answered: tuple[str, ...]
    events: tuple[str, ...]
    marker: str
    space: str


_ENGLISH = _Language(
    tuple(_THINGS.split()),
    tuple(_DEEDS.split()),
    (
        "Can you {deed} the {one} before we look at the {two}?",
        "The {one} does not fit the {two} any more since the {three} was changed, what happened there?",
        "I think that the {one} is slower than the {two}, please {deed} both of them.",
        "What would you do with the {one} when the {two} has no {three}?",
        "Please {deed} the {one}, and leave the {two} as it is for now.",
        "How long does it take to {deed} a {one} with {number} items in the {two}?",
    ),
    (
        "I looked at the {one}: the {two} was read before the {three} had been written.",
        "The {one} now takes {number} ms instead of {more}, because the {two} is only built once.",
        "There are two ways to {deed} the {one}; the one with the {two} is simpler, e.g. for a small {three}.",
        "Nothing else depends on the {one}, so the {two} can stay where it is.",
        "\n\n- The {one} is covered by a test.\n- The {two} still needs one.\n\n",
        "I would {deed} the {one} first and then see whether the {two} is still needed.",
        "See `{one}_{two}.py`, line {number}, where the {three} is opened.",
    ),
    (
        "Let's go with the {one} for the {two}.",
        "I prefer a short {one} to a long {two}.",
        "I will {deed} the {one} by Friday.",
        "I always {deed} the {one} in the morning.",
        "I work at a company that makes a {one} for every {two}.",
    ),
    "By the way, ",
    " ",
)
_IN_CHINESE = _Language(
    tuple(_THINGS_IN_CHINESE.split()),
    tuple(_DEEDS_IN_CHINESE.split()),
    (
        "在看{two}之前，你能先{deed}一下{one}吗？",
        "改了{three}以后，{one}和{two}就对不上了，这是怎么回事？",
        "我觉得{one}比{two}慢，请把两个都{deed}一遍。",
        "如果{two}里没有{three}，{one}应该怎么处理？",
        "请{deed}{one}，{two}先保持原样。",
    ),
    (
        "我看了{one}：{three}还没有写好，{two}就已经被读取了。",
        "{one}现在只需要{number}毫秒，原来是{more}毫秒，因为{two}只建立一次。",
        "{deed}{one}有两种办法，用{two}的那种更简单。",
        "没有别的东西依赖{one}，所以{two}可以不动。",
        "我会先{deed}{one}，然后再看{two}是否还需要。",
    ),
    (
        "我们决定用{one}来做{two}。",
        "我更喜欢简单的{one}，不喜欢复杂的{two}。",
        "我会在星期五之前{deed}{one}。",
        "我习惯早上{deed}{one}。",
    ),
    "顺便问一下，",
    "",
)
_CODE_OF = '\n\n```python\ndef {one}(value: int) -> int:\n    """{two}"""\n    return value + {number}\n```\n\n'


def talk(count: int, seed: int, *, of_session: int = TURNS) -> Iterator[AgentTurn]:
    """`count` turns in sessions of so many."""
    random = Random(seed)
    moment, topic, left = _START, [""], 0
    for number in range(count):
        session, at = divmod(number, of_session)
        language = _IN_CHINESE if session % _CHINESE == _CHINESE - 1 else _ENGLISH
        marked = ""
        if at == 0 or left == 0:
            topic, left = random.sample(language.things, _WORDS), random.randint(_TOPIC // 2, 2 * _TOPIC)
            marked = language.marker if at and random.random() < _MARKED * _TOPIC else ""
        left -= 1
        moment += dt.timedelta(hours=9) if at == 0 else dt.timedelta(seconds=random.randint(20, 300))
        moment += dt.timedelta(hours=1) if random.random() < _PAUSE else dt.timedelta()
        asked = _said(random, language, language.asked, topic, random.randint(1, 3))
        if random.random() < _EVENT:
            asked += language.space + _said(random, language, language.events, topic, 1)
        answered = _said(random, language, language.answered, topic, random.randint(3, 7))
        if random.random() < _CODE:
            code = _filled(random, language, _CODE_OF, topic)
            answered += code + _said(random, language, language.answered, topic, 1)
        called = random.random() < _CALLED
        yield AgentTurn(
            session=f"{seed:08x}-0000-4000-8000-{session:012d}",
            user=marked + asked,
            assistant=answered,
            timestamp=int(moment.timestamp() * 1000),
            uuid=f"{seed:08x}-0000-4000-9000-{number:012d}",
            prompt_uuid=f"{seed:08x}-0000-4000-a000-{number:012d}",
            tool_calls=(ToolCall("Bash", {"command": "make test"}, failed=number % 20 == 0, error="exit 2"),) if called else (),
            model="made-1",
            source="bench",
        )


def _said(random: Random, language: _Language, forms: tuple[str, ...], topic: list[str], count: int) -> str:
    return language.space.join(_filled(random, language, random.choice(forms), topic) for _ in range(count))


def _filled(random: Random, language: _Language, form: str, topic: list[str]) -> str:
    one, two, three = random.sample(topic, 3)
    number = random.randint(2, 90)
    return form.format(one=one, two=two, three=three, deed=random.choice(language.deeds), number=number, more=number * 7)
