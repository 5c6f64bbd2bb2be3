"""The words by which statements are compared: what says nothing, what turns a sentence round, and what limits it.

Every word here is in the form that a key has it in (`fact_key`): English words in small letters, the sense of some phrases as one
word such as `atleast`, Chinese words whole.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


USER_WORDS = _words("i me my mine myself user user's users' i'm 我 本人 俺 用户 我自己")
STOP = _words(
    "a an the is that of really very actually currently now quite please well truly "
    "的 了 呢 吧 啊 呀 嘛 哦 也 就 很 非常 十分 特别 真的 其实 现在 目前 当前 已经 请 anymore"
)
# Phrases of English words, as they stand once contractions are spelled out.
PHRASES: tuple[tuple[tuple[str, ...], str], ...] = tuple(
    (tuple(phrase.split()), word)
    for phrase, word in (
        ("no more than", "atmost"),
        ("not more than", "atmost"),
        ("no less than", "atleast"),
        ("no fewer than", "atleast"),
        ("not less than", "atleast"),
        ("at least", "atleast"),
        ("at most", "atmost"),
        ("up to", "atmost"),
        ("more than", "morethan"),
        ("less than", "lessthan"),
        ("fewer than", "lessthan"),
        ("no longer", "nolonger"),
        ("any more", "anymore"),
        ("any longer", "anymore"),
        ("used to", "usedto"),
        ("from now on", "fromnowon"),
        ("until now", "untilnow"),
        ("would like", "wouldlike"),
        ("would love", "wouldlike"),
        ("except for", "except"),
        ("other than", "except"),
        ("apart from", "except"),
        ("aside from", "except"),
        ("all but", "except"),
        ("not only", "notonly"),
        ("hardly ever", "rarely"),
        ("almost never", "rarely"),
        ("can not stand", "hate"),
        ("do not", "not"),
    )
)
# Chinese words, and what stands for them; the longer ones are found first.
CHINESE: dict[str, str] = {
    **dict.fromkeys(("至少", "最少", "起码", "不少于"), "atleast"),
    **dict.fromkeys(("至多", "最多", "不超过", "不多于"), "atmost"),
    **dict.fromkeys(("超过", "多于", "大于", "高于"), "morethan"),
    **dict.fromkeys(("少于", "小于", "低于", "不到", "不足"), "lessthan"),
    **dict.fromkeys(("只有", "仅仅", "只是", "只", "仅", "唯一"), "only"),
    **dict.fromkeys(("总是", "始终", "永远", "一向"), "always"),
    **dict.fromkeys(("从不", "从来不", "从来没有", "从没有", "从没", "从未", "绝不", "永不", "永远不"), "never"),
    **dict.fromkeys(("大约", "大概", "左右", "差不多", "约"), "about"),
    **dict.fromkeys(("除了", "除去"), "except"),
    **dict.fromkeys(("不再", "再也不"), "nolonger"),
    **dict.fromkeys(("经常", "常常", "时常"), "often"),
    **dict.fromkeys(("有时候", "有时", "偶尔"), "sometimes"),
    **dict.fromkeys(("很少", "几乎不", "难得"), "rarely"),
    **dict.fromkeys(("必须", "务必"), "must"),
    **dict.fromkeys(("也许", "可能", "或许"), "maybe"),
    **dict.fromkeys(("如果", "要是", "假如", "倘若", "万一"), "if"),
    **dict.fromkeys(("曾经", "以前", "过去", "从前"), "usedto"),
    **dict.fromkeys(("没有", "没"), "没"),
    "是一个": "是",
    "是一名": "是",
    "是一位": "是",
    "用户": "user",
    "本人": "user",
    "我自己": "user",
    "我": "user",
    "俺": "user",
}
# Words that hold a sign of another sense: whole, so that nothing is read out of their parts.
WHOLE = _words(
    "我们 自我 用户名 用户界面 用户体验 用户数 用户量 用户端 用户群 目的 目的地 的士 的确 了解 了不起 为了 除非 "
    "就职 就业 就读 成就 就诊 "
    "不错 不同 不仅 不但 不过 不断 不久 不管 不论 无论 不少 不得不 别人 区别 分别 级别 类别 别墅 告别 性别 别名 "
    "非洲 未来 无线 无锡 无人机 "
    "没准 没关系 对不起 不动产 不锈钢 北非 南非 无糖 无麸质 无氧 无花果 几只 这只 那只 每只 只要 条约 合约 节约 "
    "约会 预约 约定 大约 "
    "现在分词 请假 请客 申请 邀请 请教 特别行政区 一直 约翰 约旦 纽约 爱好 爱人 爱尔兰 可爱 恋爱 爱情 思想 理想 "
    "想法 联想 和平 共和 暖和 正在 存在 参与"
)
NEGATIONS = _words("not no never nolonger without none nothing nobody nowhere neither nor 不 没 未 别 勿 无 非")
LIMITS = _words(
    "only just atleast atmost morethan lessthan about around roughly approximately exactly always often usually sometimes rarely "
    "seldom mostly except unless every each all some most few must should may might can could will would maybe possibly probably "
    "< > ≤ ≥ ~ ≈ ± + <= >= usedto 以上 以下 以前 以后 之前 之后"
)
RESTRICTIVE = _words("only just except unless rarely seldom sometimes atmost lessthan if maybe")
UNSURE = _words("if usedto maybe might may would could wouldlike wish hope want plan 想 希望 打算 计划 曾 考虑 formerly previously")
# A statement to which one of these follows says what it said, and more.
CONNECTORS = _words(
    "in with at on for since because and which who whom whose from to near by when while but so as "
    "until every called named during "
    "after before within outside about using via , 在 和 与 跟 因为 叫 但 但是 并 而且 所以 位于 自从"
)
_NOT_MORE = _words("or if unless")
LIKES = _words("like love enjoy adore 喜欢 爱 热爱 喜爱 爱吃 爱喝")
DISLIKES = _words("hate dislike detest loathe despise 讨厌 厌恶 反感 受不了 痛恨")
WEAK_NOTS = _words("do does did anymore")

_PAIRS = (
    "start/stop started/stopped starts/stops begin/end enabled/disabled enable/disable on/off "
    "open/closed opened/closed increase/decrease "
    "increased/decreased allow/forbid allowed/forbidden allows/forbids accept/reject accepted/rejected "
    "accepts/rejects always/never "
    "with/without public/private single/married married/divorced hired/fired true/false yes/no "
    "possible/impossible required/optional "
    "manual/automatic manually/automatically min/max minimum/maximum sync/async "
    "synchronous/asynchronous morethan/lessthan atleast/atmost "
    "approve/reject approved/rejected support/oppose supports/opposes encrypted/unencrypted "
    "safe/unsafe stable/unstable alive/dead won/lost "
    "passed/failed pass/fail online/offline active/inactive visible/hidden include/exclude "
    "includes/excludes included/excluded"
    "agree/disagree agrees/disagrees trust/distrust trusts/distrusts more/less most/least above/below inside/outside can/cannot "
    "employed/unemployed mandatory/optional legal/illegal vegetarian/carnivore "
    "left-handed/right-handed introvert/extrovert optimist/pessimist "
    "启用/禁用 开启/关闭 打开/关闭 开始/停止 允许/禁止 支持/反对 同意/拒绝 同意/反对 已婚/未婚 已婚/单身 已婚/离婚 "
    "增加/减少 成功/失败 "
    "通过/失败 公开/私有 必须/可选 自动/手动 在线/离线 内向/外向 之前/之后 以上/以下"
)
OPPOSITES = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())
_LEXICON = {
    *CHINESE,
    *WHOLE,
    *(word for pair in OPPOSITES for word in pair if not word.isascii()),
    *(word for table in (STOP, LIKES, DISLIKES, LIMITS, UNSURE, CONNECTORS) for word in table if not word.isascii()),
}
_NOT_BEFORE = {"不过": "不过(?!敏)"}  # 不过敏 is no `but`
HAN_WORDS = "|".join(_NOT_BEFORE.get(word, word) for word in sorted(_LEXICON, key=lambda word: (-len(word), word)))

# Numbers behind one of these name a thing rather than tell how many.
NUMBERED = _words(
    "server node room sprint step team phase chapter ticket issue pr milestone task question host machine worker shard build "
    "episode season lesson stage group table line level option variant plan building floor gate platform route 第 号 号楼 房间 编号"
)
# Behind one of these a number says how much or which, whatever follows it.
MEASURED = _words(
    "at in on for with by to from until since about around atleast atmost morethan lessthan only exactly under over below above , "
    "have want need drink eat run walk weigh turned cost costs takes take use keep sleep earn pay owe own be was were equals "
    "port version age limit size timeout temperature budget price score rate weight height threshold retries replicas workers "
    "count user name 有 是 为 到 在 用 叫 口 于 要 = < > ≤ ≥ ~ ≈ $ € £ ¥"
)
# What may follow a number that names a thing.
AFTER_NAMES = _words(
    "always never often usually sometimes rarely only not no nolonger have run was were will must should can may do use 前 之前 在"
)
DATES = re.compile(
    r"(?:19|20)\d\d(?:[-/.]\d{1,2}){0,2}|\d{1,2}[:/]\d\d|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?"
    r"|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days?|today|tomorrow|yesterday"
    r"|tonight|spring|summer|autumn|fall|winter",
    re.ASCII,
)
NUMBER = re.compile(r"[-+]?\d[\d.,:/-]{0,40}", re.ASCII)
# Of two things of one kind these tell which is spoken of.
WHICH = _words(
    "older elder younger oldest eldest youngest bigger smaller big little left right old new former ex upper lower front back "
    "first second third 大 小 左 右 旧 新 前"
)
# When or where something is so: of two that differ each may be so.
CIRCUMSTANCES = _words(
    "summer summers winter winters spring autumn weekday weekdays weekend weekends morning mornings afternoon afternoons evening "
    "evenings night nights daytime editor browser terminal phone laptop desktop tablet"
)
HAN_CIRCUMSTANCES = re.compile(
    "夏天|冬天|春天|秋天|夏季|冬季|工作日|平时|周末|早上|上午|中午|下午|晚上|白天|夜里|上班|在家|在公司|编辑器|浏览器|终端|手机|电脑"
)
# With these a value goes on that stays what it is: where somebody lives, and with whom.
ASIDE = _words("with near since because when while but so as until close 和 与 跟 因为 自从")
# What happened may have happened on another day as well.
HAPPENED = _words(
    "was were went ran met saw bought visited had did took ate drank flew drove made gave got wrote read swam "
    "rode won lost broke fell sold sent "
    "spoke came 去 参加 买 见"
)
# What is done again and again may be done on other days as well.
HABITS = _words(
    "always usually often every each go goes mondays tuesdays wednesdays thursdays fridays saturdays sundays 每周 每 经常"
)
SUBJECTLESS = _words("喜欢 讨厌 住 偏 习 热爱 爱吃 爱喝")
VERBS_S = {
    f"{verb}s": verb
    for verb in _words(
        "drink eat play own run speak take keep write read drive ride cook sleep wake start stop support "
        "run plan think believe know "
        "call train learn meet travel"
    )
} | {"goes": "go", "studies": "study", "teaches": "teach", "watches": "watch", "practices": "practice", "favours": "favor"}
# Words between a subject and its verb.
ADVERBS = _words("also always never usually often still just only sometimes rarely mostly generally personally not nolonger")
