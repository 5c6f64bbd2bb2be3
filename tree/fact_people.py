"""Words for people in statements: who somebody is to the user, what is no name, which verbs tell of a person."""

from __future__ import annotations

import re


def _words(text: str) -> list[str]:
    return text.split()


# People of whom one may have several: by a name they are told apart.
MANY = frozenset(
    _words(
        "brother sister son daughter child kid friend colleague coworker co-worker cousin uncle aunt "
        "neighbor neighbour roommate flatmate "
        "housemate client customer student teacher doctor grandfather grandmother grandma grandpa nephew "
        "niece twin dog cat puppy kitten pet "
        "parrot rabbit horse hamster teammate classmate boss manager"
    )
)
_ONE = (
    "wife husband spouse partner girlfriend boyfriend fiancée fiancé fiancee fiance mother mom mum "
    "father dad stepmother stepfather "
)
_ONE += "mother-in-law father-in-law landlord therapist dentist mentor supervisor lead assistant baby parents parent family team"
KIN = "|".join(sorted((*MANY, *_words(_ONE)), key=lambda word: (-len(word), word)))

CHINESE_KIN = {
    **dict.fromkeys(("妈妈", "母亲", "老妈", "妈"), "mother"),
    **dict.fromkeys(("爸爸", "父亲", "老爸", "爸"), "father"),
    **dict.fromkeys(("老婆", "妻子", "太太", "媳妇"), "wife"),
    **dict.fromkeys(("老公", "丈夫"), "husband"),
    **dict.fromkeys(("女朋友", "女友"), "girlfriend"),
    **dict.fromkeys(("男朋友", "男友"), "boyfriend"),
    **dict.fromkeys(("哥哥", "弟弟", "兄弟", "哥", "弟"), "brother"),
    **dict.fromkeys(("姐姐", "妹妹", "姐", "妹"), "sister"),
    **dict.fromkeys(("爷爷", "外公", "姥爷"), "grandfather"),
    **dict.fromkeys(("奶奶", "外婆", "姥姥"), "grandmother"),
    **dict.fromkeys(("老板", "领导", "上司", "直属领导", "直属上司"), "boss"),
    **dict.fromkeys(("爸妈", "父母"), "parents"),
    "爱人": "partner",
    "儿子": "son",
    "女儿": "daughter",
    "孩子": "child",
    "宝宝": "baby",
    "叔叔": "uncle",
    "舅舅": "uncle",
    "阿姨": "aunt",
    "姑姑": "aunt",
    "表哥": "cousin",
    "表妹": "cousin",
    "朋友": "friend",
    "闺蜜": "friend",
    "同事": "colleague",
    "经理": "manager",
    "室友": "roommate",
    "邻居": "neighbor",
    "老师": "teacher",
    "房东": "landlord",
    "狗": "dog",
    "猫": "cat",
}
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范"
)
CHINESE_NAME = re.compile(
    rf"(?:[小老阿][\u4e00-\u9fff]|(?!周[一二三四五六日末]|高[中级]|马上|于是|任[务何]|程序|时间)[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
    rf"(?=是|喜|讨|住|搬|不|对|会|有|今|在|养|结|离|退|怀|出|每|叫|从)"
)
CHINESE_PREDICATE = re.compile(
    r"(?:现在|最近|也|一直|目前|已经|很|非常|不|还|从不|不再)?(?:喜欢|讨厌|住在|搬到|搬去|结婚|对.{1,12}过敏|怀孕|出生|退休|离婚|养了?|"
    r"今年.{0,4}岁|在.{1,16}(?:工作|上班|上学|读书)|会说|吃素|是.{0,8}[师员生人者士家医]|有.{0,6}(?:孩子|女儿|儿子|狗|猫))"
)

# What starts a sentence in capitals and is nobody's name.
NO_NAMES = frozenset(
    _words(
        "the this that these those there it its we they you he she i i'm i've i'd my our your his her "
        "their what which who whose when where why "
        "how if unless while after before since until because although though as at in on for from to with "
        "without by of and or but so not no "
        "yes please always never every each all some any most many several only just also maybe perhaps "
        "today tomorrow yesterday tonight now "
        "currently next last one two three monday tuesday wednesday thursday friday saturday sunday "
        "january february march april june july "
        "august september october november december everyone nobody somebody everything nothing use keep "
        "make let run do don't remember note "
        "user users assistant team project service production staging development backend frontend api "
        "database server home name"
    )
)
_PERSON_VERBS = (
    "lives works likes loves hates dislikes prefers enjoys wants needs has speaks studies teaches "
    "plays drives owns eats drinks moved moves "
    "married joined got became graduated retired turned turns avoids knows thinks believes hopes plans "
    "wishes collects practices runs rides "
    "comes goes follows supports started stopped quit left bought sold adopted suffers takes reads "
    "writes cooks grew was is had lived worked "
    "studied can can't cannot will would doesn't isn't wasn't hasn't does used prefers wears sings "
    "paints travels visited won lost died passed "
    "also always never still usually currently now often really only just no"
)
VERBS = frozenset(_words(_PERSON_VERBS))
# What a statement without a subject begins with; whether a form of `to be` is missing, too.
SUBJECTLESS: dict[str, bool] = {
    **dict.fromkeys(
        _words(
            "lives works likes loves hates dislikes prefers enjoys wants needs has speaks studies teaches "
            "plays drives owns eats drinks avoids "
            "knows thinks believes hopes plans wishes collects practices runs rides comes goes follows "
            "supports takes moved married joined is was "
            "doesn't uses weighs suffers dreams"
        ),
        False,
    ),
    **dict.fromkeys(_words("allergic based born married engaged vegan vegetarian fluent diabetic originally living"), True),
}
LEAD_IN = re.compile(
    r"(?:(?:well|ok|okay|yes|yeah|no|hey|hi|hello|so|and|but|also|btw|by the way|fyi|honestly|actually"
    r"|(?:as )?(?:it |that )?turn(?:s|ed) out"
    r"|basically|personally|for the record|"
    r"please note|note|just so you know|as i said|correction|update|sorry|thanks|also|oh|i think"
    r"|i believe|i guess|i told you|as you know|"
    r"you know|i mean|i forgot to (?:say|mention)|in fact|don't forget|(?:please )?(?:remember|note|keep in mind))(?![\w'])"
    r"(?:\s+that\b)?[\s,.!:;—-]*"
    r"|(?:the )?user (?:said|says|mentioned|noted|stated|told me|reported)(?: that)?\s+"
    r"|(?:其实|原来|事实上|另外|而且|但是|不过|对了|顺便说一下|顺便说|请?记住|请?注意|更正(?:一下)?|纠正一下|对不起|用户(?:说|表示|提到)|我觉得|你知道|话说)[\s,，:：。]*)",
    re.IGNORECASE,
)
