"""What a Chinese sentence takes back; see `retraction`."""

from __future__ import annotations

import re

_WHO = r"(?:我|用户|本人)(?:们)?"
_ADVERBS = r"(?:现在|目前|已经|早就|早已|都|也|从此|最近|其实|今年|去年|决定){0,3}"
_UNSURE = re.compile(r"如果|要是|假如|想|希望|打算|考虑|可能|也许|准备|计划|会不会|应该|吗|呢[？?]?\Z|等我|万一")
_NO_LONGER = re.compile(rf"(?P<who>{_WHO}){_ADVERBS}(?:不再|再也不|再也没)(?P<rest>[^，。,；;]+)")
_NOT_NOW = re.compile(
    rf"(?P<who>{_WHO}){_ADVERBS}(?P<not>不|没)(?!过|错|同|仅|得不"
    rf"|是说)(?P<rest>[^，。,；;]{{1,40}}?)了(?=[，。,；;！!\s]|\Z)"
)
_QUIT = re.compile(rf"(?P<who>{_WHO}){_ADVERBS}(?:戒掉了?|戒了|戒|停止了?|放弃了?|停了)(?P<rest>[^，。,；;了]{{1,20}})了?")
_TAKEN = {
    **dict.fromkeys(("烟", "香烟", "电子烟"), "抽"),
    **dict.fromkeys(("酒", "咖啡", "茶", "奶茶", "可乐", "饮料", "啤酒", "白酒"), "喝"),
    **dict.fromkeys(("糖", "肉", "甜食", "零食", "辣", "海鲜"), "吃"),
}
_FORGET = re.compile(
    r"(?:请|麻烦你?|你)?(?:可以)?(?:别再记住?|不要再记住?|别记住?|不要记住?|不用再?记住?|不必记住?|忘掉|忘了|忘记|删除|删掉|撤回)(?:得|着)?(?:吧)?(?:关于)?(?:那条|这条)?(?:说)?[：:,，]?"
    r"(?P<rest>(?:我|用户).{1,200}?)(?:这件事情?|这一点|这回事|的事情?|这条记忆|的记忆|这条|了)?(?:吧)?(?:[。.!！]?\Z"
    r"|[，,。；;！!](?=(?:我|因为|那|这|其实|已经|现在|谢|是|不)).*\Z)"
)
_NOT_TRUE = re.compile(
    rf"(?:那|这)?(?:不对|不是真的|不是这样的?|错了|说错了|记错了|有误|不属实|搞错了)[，,。：:;；！!]?\s*(?P<who>{_WHO})(?:并|根本|其实)?(?P<not>不|没)(?P<rest>[^，。,；;]+)"
)
_RESIGNED = re.compile(rf"{_WHO}{_ADVERBS}(?:从|离开了?)(?P<rest>[^，。,；;]{{1,20}}?)(?:离职|辞职|跳槽)")
_OTHERS = re.compile(
    rf"{_WHO}(?:的)?(?:哥|弟|姐|妹|爸|妈|父|母|老婆|老公|妻|丈夫|儿子|女儿|朋友|同事|老板|孩子|女友|男友|太太|先生|爷|奶|叔|姑|室友|邻居|们家的)"
)


def taken_back(text: str) -> str | None:
    """The statement that a Chinese sentence takes back, None for one that takes nothing back."""
    found = _FORGET.match(text)
    if found is not None:
        return None if _OTHERS.match(found["rest"]) else found["rest"].replace("用户", "我", 1)
    found = _NOT_TRUE.match(text)
    if found is not None:
        return _positive(found["not"], found["rest"].removesuffix("了"))
    head = re.split(r"[，,。；;]", text, maxsplit=1)[0]
    if _OTHERS.match(text) or _UNSURE.search(head):
        return None
    found = _NO_LONGER.match(text)
    if found is not None:
        return f"我{found['rest'].removesuffix('了')}"
    found = _NOT_NOW.match(text)
    if found is not None:
        return _positive(found["not"], found["rest"])
    found = _RESIGNED.match(text)
    if found is not None:
        return f"我在{found['rest']}工作"
    found = _QUIT.match(text)
    if found is not None:
        verb = _TAKEN.get(found["rest"])
        return f"我{verb or ''}{found['rest']}" if verb or len(found["rest"]) > 1 else None
    return None


def _positive(denial: str, rest: str) -> str:
    """What was denied, said as it was: `没有养狗` is `养狗`, `没有狗` is `有狗`."""
    if denial == "没" and rest.startswith("有") and re.match(r"有(?:在)?[养用住做吃喝抽学打练玩开]", rest):
        return f"我{rest.removeprefix('有').removeprefix('在')}"
    return f"我{rest}"
