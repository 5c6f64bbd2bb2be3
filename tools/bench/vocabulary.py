"""The words of the benchmark corpus, most frequent first: common English, its inflections, and pseudo-words from syllables.

Fixed by construction, not by a seed: two corpora with different seeds share one language.
"""

from __future__ import annotations

from functools import cache
from itertools import product

SIZE = 20_000

_FUNCTION = """
the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were their
one all we can her has there been if more when will would who so no out up into do any your what could our than other then its
only some these two may like such now over also them before must through where much because between those after many while both
each under here again still never most own same too how very off down above below during without within against until about
"""
_VERBS = """
work call need want look find ask turn start show help play move live seem talk walk wait open close learn change follow stop
create watch allow add offer remember consider appear serve expect stay reach remain suggest raise pass report decide return
explain hope develop carry receive agree support cover describe check plan test fix review design build deploy measure index
merge sync record store search rank embed parse render commit push fetch clone restore rename delete update import export
schedule cancel book order pay clean cook paint plant travel visit meet train teach paint print sort filter group count limit
cache queue retry lock unlock load save copy paste sign verify accept reject confirm notice answer question discuss compare
prepare present finish complete improve reduce increase prefer avoid ignore replace remove insert extend protect trust
"""
_NOUNS = """
time year person way day thing world life hand part child eye place week case point company number group problem fact house
friend father mother hour game line end member law car city name president team minute idea kid body information back parent
face level office door health art war history party result morning reason research girl boy guy moment air teacher force
education foot age policy process music market sense nation plan college interest death experience effect use class control
field role effort rate heart drug light voice wife police mind price decision son view town road arm difference value building
action season society tax director position player record paper space ground form event official matter center couple site
project activity star table court oil situation cost industry figure street image phone data picture practice piece land
product doctor wall patient worker news movie north love step candidate board note memory tree branch leaf root file folder
page chapter section paragraph sentence word letter list table column row key token session agent model prompt context summary
goal task issue ticket release version feature bug error warning log metric trace service server client network router switch
cable laptop screen keyboard mouse printer camera battery charger window garden kitchen bathroom bedroom floor roof bridge
river lake mountain forest beach island desert station airport train flight hotel ticket passport visa map guide museum gallery
concert theatre restaurant breakfast lunch dinner coffee tea bread cheese butter milk egg fish meat rice bean potato tomato
onion garlic pepper salt sugar oil apple orange lemon banana berry cake cookie recipe oven pan knife spoon fork plate bowl cup
doctor nurse hospital medicine pill vaccine allergy exercise sleep diet weight pressure temperature symptom treatment insurance
bank account loan card budget invoice receipt salary rent mortgage contract lawyer agreement deadline meeting agenda minutes
database schema query transaction replica cluster shard partition backup snapshot pipeline container image registry namespace
function variable class method module package library framework compiler interpreter debugger editor terminal shell script
"""
_ADJECTIVES = """
good new first last long great little old right big high different small large next early young important few public bad able
local sure free true full special easy clear recent certain personal open red difficult available likely short single medical
current wrong private past foreign fine common poor natural significant similar hot dead central happy serious ready simple left
physical general environmental financial blue democratic dark various entire close legal religious cold final main green nice
huge popular traditional cultural quick slow warm cool bright quiet loud soft hard heavy empty clean dirty dry wet deep wide
narrow thick thin sharp flat round square strong weak rich cheap expensive safe dangerous careful lazy busy tired hungry
"""
_SYLLABLES = """
ka ri to mel van dor sil pen gar lum tas ner vo shi bra cle fen gol hux jin kro lan mir nos pra qui rud sten tul ur vex
wil yor zan bel cor dis el fro gan
"""
_CHINESE = """
的 是 在 我 了 不 和 有 这 他 们 我们 也 就 都 说 要 去 会 对 一个 可以 没有 自己 什么 时候 现在 今天
明天 昨天 工作 时间 问题 项目 会议 记忆 学习 研究 生活 朋友 家人 公司 城市 学校 老师 学生 电脑 手机 网络 数据
系统 程序 代码 测试 设计 计划 目标 结果 方法 经验 知识 历史 文化 语言 中文 英文 文章 笔记 书 电影 音乐 旅行
北京 上海 火车 飞机 酒店 天气 下雨 太阳 月亮 山 河 海 花 树 森林 动物 猫 狗 早饭 午饭 晚饭 咖啡 茶 水 米饭
面条 水果 苹果 健康 医生 医院 运动 跑步 睡觉 身体 高兴 难过 重要 简单 困难 新 旧 大 小 多 少 快 慢 好 坏
喜欢 觉得 认为 知道 记得 忘记 开始 结束 完成 继续 改变 发现 解决 讨论 决定 准备 需要 应该 能够 帮助 使用 更新
删除 保存 搜索 同步 合并 提交 因为 所以 但是 如果 虽然 而且 或者 然后 最后 已经 正在 非常 比较 一起 每天 经常
"""
CHINESE = tuple(_CHINESE.split())


@cache
def vocabulary() -> tuple[str, ...]:
    """The 20,000 words. Pseudo-words stand between the real ones from the first hundreds on, as names and terms do."""
    verbs, nouns, adjectives = _VERBS.split(), _NOUNS.split(), _ADJECTIVES.split()
    plain = _unique([*_FUNCTION.split(), *_mixed(verbs, nouns, adjectives)])
    inflected = [form for verb in verbs for form in _forms(verb)] + [_plural(noun) for noun in nouns]
    inflected += [adjective + "ly" for adjective in adjectives] + [f"{one}{two}" for one in nouns[:40] for two in nouns[40:80]]
    invented = ["".join(parts) for size in (2, 3) for parts in product(_SYLLABLES.split(), repeat=size)]
    # Steps that share no factor with the length visit everything once, so neighbours in rank do not look alike.
    spread = [invented[(n * 7919) % len(invented)] for n in range(len(invented))]
    real = _unique([*plain, *inflected])
    head = _mixed(real[300:], spread[: len(real) - 300])
    return tuple(_unique([*real[:300], *head, *spread[len(real) - 300 :]])[:SIZE])


def _mixed(*lists: list[str]) -> list[str]:
    """The lists in turns, each until it ends."""
    longest = max(map(len, lists))
    return [words[n] for n in range(longest) for words in lists if n < len(words)]


def _unique(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _forms(verb: str) -> tuple[str, str, str]:
    stem = verb.removesuffix("e")
    return _plural(verb), stem + "ed", stem + "ing"


def _plural(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeou":
        return word[:-1] + "ies"
    return word + "s"
