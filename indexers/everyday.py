"""Everyday: sentences on everything, in English and Chinese. The mean of their vectors is what a model sees in every text of a
language, whatever it is about.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import lru_cache
from typing import cast

from memtree.indexers.embedder import Embedder, Vectors

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W\d_]")
_HAN_SHARE = 0.25  # of the letters: a Chinese character says about as much as three Latin letters

ENGLISH = (
    "Which laptop should I buy for video editing?",
    "The meeting was moved to three in the afternoon on Monday.",
    "She plays the violin in a small orchestra.",
    "How many calories does a banana have?",
    "Please rename the variable and update the documentation.",
    "The train to the airport leaves every twenty minutes.",
    "My grandmother grew up on a farm near the sea.",
    "Write a short poem about winter mornings.",
    "The battery of my phone is empty before noon.",
    "What caused the fall of the Roman empire?",
    "Our team lost the final in the last minute.",
    "Add a button that exports the list as a file.",
    "The doctor prescribed antibiotics for a week.",
    "Is it cheaper to repair the car or to buy another one?",
    "The server answers slowly when many users are connected.",
    "I forgot my umbrella and got completely wet.",
    "Compare both insurance offers and tell me the differences.",
    "The film was too long but the music was wonderful.",
    "How do I remove a red wine stain from the carpet?",
    "We hired two engineers and a designer last month.",
    "Delete old branches and run the linter again.",
    "The kids built a castle out of cardboard boxes.",
    "Electricity prices rose by eight percent this year.",
    "Can you draft an invitation for my birthday party?",
    "The moon is farther away than most people believe.",
    "He wants to study law in another country.",
    "Use a smaller font for the footnotes.",
    "Which vaccine do we need before the journey?",
    "The function returns null when the list is empty.",
    "Put some salt and lemon on the fish.",
)

CHINESE = (
    "剪视频应该买哪款笔记本电脑？",
    "会议改到星期一下午三点了。",
    "她在一个小乐团里拉小提琴。",
    "一根香蕉有多少卡路里？",
    "把这个变量改个名字，再更新一下文档。",
    "去机场的火车每二十分钟一班。",
    "我奶奶在海边的农村长大。",
    "写一首关于冬天早晨的短诗。",
    "我的手机中午之前就没电了。",
    "罗马帝国为什么会灭亡？",
    "我们队在最后一分钟输了决赛。",
    "加一个按钮，把列表导出成文件。",
    "医生开了一个星期的抗生素。",
    "修车便宜还是买一辆新的便宜？",
    "用户多的时候服务器响应很慢。",
    "我忘了带雨伞，全身都湿透了。",
    "比较一下这两份保险，告诉我有什么区别。",
    "电影太长了，但是音乐很好听。",
    "地毯上的红酒渍怎么去掉？",
    "上个月我们招了两个工程师和一个设计师。",
    "删掉旧的分支，再运行一次代码检查。",
    "孩子们用纸箱搭了一座城堡。",
    "今年电价涨了百分之八。",
    "帮我写一份生日聚会的邀请。",
    "月亮比大多数人想的要远。",
    "他想去另一个国家学法律。",
    "脚注用小一点的字体。",
    "出发之前我们需要打哪种疫苗？",
    "列表为空的时候函数返回空值。",
    "在鱼上放一点盐和柠檬。",
)


def common_vector(embedder: Embedder, *, chinese: bool) -> Vectors:
    """The mean vector of a language's texts, shape (dimensions,). May raise what the embedder raises."""
    return _common_vector(cast("Hashable", embedder), chinese)


@lru_cache(maxsize=4)
def _common_vector(embedder: Hashable, chinese: bool) -> Vectors:
    found: Vectors = cast("Embedder", embedder).embed(CHINESE if chinese else ENGLISH).mean(axis=0)
    return found


def is_chinese(text: str) -> bool:
    """Whether a text is mostly Chinese, programmers' words in it or not."""
    if text.isascii():
        return False
    return len(_HAN.findall(text)) > _HAN_SHARE * len(_LETTER.findall(text))
