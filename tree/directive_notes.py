"""Directives as notes of a profile: under which facet and key a rule stands, and how it reads.

    Please don't use emojis.              ->  communication      emoji       Don't use emojis
    From now on, always sign your commits ->  directives         sign_commits  Always sign your commits
    永远不要直接推送到主分支。               ->  anti_preferences   推送到主分支  永远不要直接推送到主分支

What is about how the agent talks stands under `communication` whether it is to be done or left, so that a later wish meets it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from memtree.tree.directives import directive
from memtree.tree.event_patterns import levelled
from memtree.tree.facet_words import STOP_WORDS, TOPICS, About, about

_ARTICLE = 4  # characters between `use` and what is chosen
_ENDS = " \t.,;:!?。，；：！？…~～"
_KEY_WORDS, _KEY_HAN, _LONGEST_KEY = 3, 8, 40
_HAN = re.compile("[\u3400-\u9fff]")
_WORDS_HAN = re.compile(r"[a-z0-9][a-z0-9+#.]*|[^\W_]", re.IGNORECASE)
_WORDS = re.compile(r"[a-z][a-z0-9+#.-]*[a-z0-9+#]|[a-z0-9]+|[^\W\d_a-z]+", re.IGNORECASE)
# What says only that it is a rule, or leads to it.
_LEADS = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|no|sure|right|great|good|thanks|thank you|hey|hi|so|and|but|also|then|btw|by the way|fyi|actually"
    r"|(?:please )?(?:note|remember)(?: that)?|reminder|important|i said|as i said|please|pls|kindly|can you"
    r"|could you|would you|will you"
    r"|you (?:should|must|need to|have to|can)(?= )|(?:make sure(?: to| that you| you)|be sure to|remember to"
    r"|let's)(?= (?:always|never)(?![a-z]))|by default"
    r"|i (?:want|need|expect) you to|i(?:'d| would) like you to"
    r"|(?:starting )?from (?:now|here|today|this (?:point|moment|day)) (?:on(?:wards?)?|forwards?)|from today"
    r"|going forward|moving forward|in (?:the )?future|henceforth|as a (?:general )?rule|in general)(?![a-z'])[\s,.!;:—-]*)*"
    r"|(?:(?:好的?|嗯|行|对了|另外|还有|注意|请?记住|请|麻烦你?|拜托|谢谢|从现在(?:起|开始)|从今(?:以后|天起"
    r"|天开始))[\s,.!;:，。！；：、]*)*",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    (
        r"(?:[\s,]*(?:please|pls|thanks|thank you|from now on|going forward"
        r"|in (?:the )?future|ok|谢谢|吧|哦|啊|呀|嘛)(?<![a-z]ok)[\s.!?,。！？，]*)+\Z"
    ),
    re.IGNORECASE,
)
_AVOIDS = re.compile(
    r"(?:never|don't|do not|dont|stop|quit|avoid|no|only never|without|under no|drop|cut|skip|leave out)(?![a-z])"
    r"|[^.;!?]{0,120}?,? (?:never|don't|do not)(?![a-z])"
    r"|[^，,。；？?]{0,16}?(?:[，,][^，,。；？?]{0,8}?)?(?:不要|别|不许|不准|不得|不能|不可|禁止|切勿|严禁|绝不|不用|勿)",
    re.IGNORECASE,
)
# How the agent talks, not how it writes files.
_TALK = re.compile(
    r"(?:always |never |only |don't |do not |also |stop |quit |avoid |please )*(?:answer|answering|repl(?:y|ies)"
    r"|replying|respond|responding"
    r"|speak|speaking|talk|talking|explain|explaining|communicate|chat|apologi[sz]\w+|be|being|saying|say|hedging"
    r"|calling me|call me|thank"
    r"|thanking|telling me|asking (?:me )?(?:for permission|so many|whether|if)|flatter|lecture|sugar-?coat|(?:less"
    r"|more) (?:verbose|wordy|chatty|formal|concise|casual|brief|direct))(?![a-z])"
    r"|.*?(?<![a-z])(?:(?:your|my|all|short|shorter|brief|concise|keep) (?:\w+ ){0,2}?(?:answers|replies|responses"
    r"|explanations|summaries)"
    r"|emojis?|emoticons?|exclamation marks?|flattery|small talk|jargon|pleasantries|disclaimers"
    r"|(?:british|american|uk|us|australian|canadian) (?:english|spelling))(?![a-z])"
    r"|.*?(?:回答|回复|说话|讲话|表情|emoji|颜文字|感叹号|敬语|客套|废话|道歉|对不起|抱歉|夸我|交流|沟通|跟我说"
    r"|和我说|简洁|简短|啰嗦|语气|礼貌|客气|说中文|讲中文|说英|讲英)"
    r"|.{0,8}?(?:详细|简明|正式|随意|口语|直接一点|直接点|友好|通俗)(?:一?[点些])?\Z",
    re.IGNORECASE,
)
_TALK_KEYS = tuple(
    (key, re.compile(words, re.IGNORECASE))
    for key, words in (
        ("emoji", r"(?<![a-z])(?:emojis?|emoticons?|smileys?)(?![a-z])|表情|颜文字"),
        (
            "length",
            (
                r"(?<![a-z])(?:answers|replies|responses|explanations|summaries) (?:\w+ ){0,2}?(?:short|shorter|brief|concise"
                r"|terse|crisp|under|below"
                r"|at most|within|less|no longer|to (?:one|two|three|a few"
                r"|\d+))(?![a-z])|in (?:one|two|three|a few|\d+) (?:sentences?|words"
                r"|lines|paragraphs?)|(?:控制|保持|限制)在.{1,10}(?:内|下)|简短|简洁|简明|啰嗦"
            ),
        ),
        ("exclamation_marks", r"(?<![a-z])exclamation (?:marks?|points?)|感叹号|叹号"),
        (
            "language",
            (
                r"in (?:the|my) (?:same )?language(?![a-z])|(?:speak|talk) (?:only )?(?:english|german|french|spanish"
                r"|italian|portuguese|dutch|polish|russian|chinese|japanese)(?![a-z])"
            ),
        ),
        ("questions", r"asking (?:me )?(?:for permission|so many|whether|if)(?![a-z])|反问|问我(?:要不要|是否|需不需要)"),
        ("explanations", r"step[- ]by[- ]step|附上?例子"),
    )
)
_OF_FILES = re.compile(
    r"(?<![a-z])in (?:the |any |all |your |our )?(?:code|commits?|commit messages?|readmes?|comments?|changelog"
    r"|docstrings?|tests?)(?![a-z])"
    r"|(?:提交信息|代码|注释)(?:里|中|用|都|要|不)",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?:always |never |only |don't |do not |dont |ever |also |please |stop |avoid )*(?:use|using|prefer|write in|add"
    r"|adding|put|includ\w+)(?![a-z])"
    r"|[^,，;；]{0,10}?(?:使用|(?<!不)用)\s*",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"(?:before|after|on|with|for|whenever|every time|each time|any ?time)(?![a-z])[^,]{1,80},\s*(?=.*\w \w)", re.IGNORECASE
)
_CONDITION = re.compile(r"(?:before|after|when|whenever|unless|without|because|so that|if|instead|rather|that|every|for|even|as)\Z")
_FORCE_HAN = re.compile(
    r"请|麻烦|以后|今后|往后|从现在(?:起|开始)|从今(?:以后|天起|天开始)|从此|总是|始终|永远|一律|每次|任何时候|无论如何"
    r"|千万|绝对|务必|一定|必须|不要|别|不许|不准"
    r"|不得|不能|不可以?|禁止|都|(?<![主需重])要|再|就|直接|记住|先|也|[\W_]"
)
_PLAIN_WORDS = frozenset(
    re.findall(
        r"\w+",
        """ever directly straight simply explicitly again everywhere anymore please pls only first me every each time session
        future now forward under circumstances should must sure before after lets""",
    )
)


class Note(NamedTuple):
    """A rule as it stands in a profile."""

    facet: str
    key: str
    value: str


def note_of(text: str) -> Note | None:
    """The note that a sentence makes when it is a rule for good, None for any other."""
    level = levelled(text)
    if directive(level) is None:
        return None
    value = _value(text)
    value, core = _rule(value)
    if _TALK.match(core) and not _OF_FILES.search(core):
        facet, key = "communication", _talk_key(core)
    else:
        facet, key = "anti_preferences" if _AVOIDS.match(core) else "directives", _choice(core, about(core)) or _key(core)
    return Note(facet, key, value) if key else None


def _talk_key(core: str) -> str:
    for key, words in _TALK_KEYS:
        if words.search(core):
            return key
    topics = [
        (found.start(), topic.key) for topic in TOPICS if topic.facet == "communication" and (found := topic.words.search(core))
    ]
    return min(topics, key=lambda one: (one[1] == "explanations", one[0]))[1] if topics else _key(core)


def _value(text: str) -> str:
    """The rule without the words that only lead to it."""
    value = text.strip(_ENDS)
    led = _LEADS.match(value)
    if led is not None and led.end() < len(value):
        value = value[led.end() :]
    closes = _CLOSES.search(value)
    if closes is not None and closes.start() > 0:
        value = value[: closes.start()]
    value = value.strip(_ENDS)
    return value[:1].upper() + value[1:]


def _rule(value: str) -> tuple[str, str]:
    """The rule without what is told before it where that can be taken off, and the words that a key is made of."""
    core = unicodedata.normalize("NFKC", value).replace("’", "'")
    level = levelled(value)
    found = directive(level)
    if found is None or found.at == 0:
        return value, core
    if len(level) != len(value):
        return value, level[found.at :]
    value = _value(value[found.at :])
    return value, unicodedata.normalize("NFKC", value).replace("’", "'")


def _choice(core: str, topic: About | None) -> str:
    """The topic where a rule is a choice, such as `Always use single quotes`: what else is chosen of it takes its place."""
    verb = _CHOICE.match(core)
    if verb is None or topic is None or topic.topic.facet not in ("coding_style", "stack", "environment"):
        return ""
    if topic.start - verb.end() > _ARTICLE:
        return ""
    word = _plain(topic.word)
    return word if topic.topic.tools and _AVOIDS.match(core) and word.rstrip("s") != topic.topic.key else topic.topic.key


def _plain(key: str) -> str:
    return re.sub(r"[\s_-]+", "_", key)[:_LONGEST_KEY].strip("_.")


def _key(core: str) -> str:
    if _HAN.search(core):
        return _han_key(core)
    found: list[str] = []
    core = _WHEN.sub("", core)
    for word in _WORDS.findall(core.casefold().replace("'", "")):
        if len(found) > 1 and _CONDITION.match(word):
            break
        if word not in STOP_WORDS and (word not in _PLAIN_WORDS or (found and word in ("before", "after"))):
            found.append(word)
        if len(found) == _KEY_WORDS:
            break
    return _plain("_".join(found))


def _han_key(core: str) -> str:
    told = "".join(_WORDS_HAN.findall(_FORCE_HAN.sub(lambda found: " " if found[0].isspace() else "", core.casefold())))
    return "".join(_WORDS_HAN.findall(told)[:_KEY_HAN])[:_LONGEST_KEY].strip("_.")
