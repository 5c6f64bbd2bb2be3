"""Evidence words: what of a text counts when two texts are asked whether they speak of the same.

Words in Latin and other letters, numbers with their units, and pairs of Chinese characters, because a sentence in Chinese has no
gaps: 我住在里斯本 shares 里斯 and 斯本 with 里斯本的公寓. What every sentence has (the, is, 的) does not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

_READ = 100_000  # characters of a text
_KEPT = 4_096
_SHORT = 4_000  # characters of a text whose words are remembered for a while
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'"})
_PART = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<number>[0-9]+(?:[.,:/-][0-9]+)*)(?P<unit>[^\W\d_{_HAN}]{{0,4}})(?![^\W\d_{_HAN}])"
    rf"|(?P<word>[^\W_{_HAN}]+(?:'[^\W\d_{_HAN}]+)*)"
)
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_COMMON = (
    "a an the and or but nor so yet of in on at to for from with by as into than then that this these those there here it"
    " its it's is am are was were be been being do does did done has have had having will would shall should can could may"
    " might must i me my mine we us our ours you your yours he him his she her hers they them their theirs who whom whose"
    " which what when where why how if not no i'm i've i'd i'll we're we've we'll you're he's she's they're that's there's"
    " user user's users also just very too really please yes ok okay about up out over more some any all s t"
)
_STOP = frozenset(_COMMON.split())
COMMON_SIGNS = frozenset("的了是在我你他她它们这那也都就和与跟及或吧呢吗啊呀哦嗯把被给让对从到个只有要会能很还又")
_COMMON_HAN = (
    "用户 我们 你们 他们 她们 它们 这个 那个 一个 这些 那些 就是 还是 但是 因为 所以 如果 可以 已经 现在 没有 一下 什么 怎么"
)
_STOP_PAIRS = frozenset(_COMMON_HAN.split())
_ENGLISH = re.compile(r"[a-z]+(?:'[a-z]+)?")
_DIGITS_HAN = {char: str(value) for value, char in enumerate("零一二三四五六七八九")} | {"〇": "0", "两": "2"}
_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen twenty"
)
_SPELLED = {word: str(value) for value, word in enumerate(_TO_TWENTY.split())} | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "seventy": "70",
    "eighty": "80",
    "ninety": "90",
    "hundred": "100",
}
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九]?十[一二三四五六七八九]?|[零〇一二两三四五六七八九]+")
_NAME = re.compile(rf"(?<![^\W_])[^\W\d_{_HAN}][^\W_{_HAN}]*(?:[.'’-][^\W_{_HAN}]+)*")


def evidence_tokens(text: str) -> frozenset[str]:
    """The words of a text that count, in small letters and one form; none where it has only common ones."""
    return _remembered(text) if len(text) <= _SHORT else frozenset(_tokens(text[:_READ]))


@lru_cache(maxsize=_KEPT)
def _remembered(text: str) -> frozenset[str]:
    return frozenset(_tokens(text))


def levelled(text: str) -> str:
    """A text in small letters, in one form of each, with one kind of apostrophe."""
    return unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()


def numbers_in(text: str) -> frozenset[str]:
    """The numbers that a text names in digits, as plain digits: `1,200` and `1200` are one; leading zeros do not count."""
    return frozenset(_plain(found) for found in _NUMBER.findall(unicodedata.normalize("NFKC", text[:_READ])))


def spelled_numbers_in(text: str) -> frozenset[str]:
    """The numbers that a text spells out, in English up to twenty and by tens, in Chinese up to 99."""
    plain = levelled(text[:_READ])
    words = {_SPELLED[word] for word in re.findall(r"[a-z]+", plain) if word in _SPELLED}
    return frozenset(words | {_chinese(found) for found in _HAN_NUMBER.findall(plain)})


def names_in(text: str) -> tuple[str, ...]:
    """Words in capital letters that are no sentence's first, and words with capitals or digits inside them, as they are written."""
    found = []
    for name in _NAME.finditer(text[:_READ]):
        word = name[0]
        inside = any(char.isupper() or char.isdigit() for char in word[1:])
        first = (
            not (before := text[max(0, name.start() - 3) : name.start()].rstrip(" \"'“‘(*_")) or before[-1] in ".!?:;\n。！？：；-"
        )
        if inside or (word[0].isupper() and not first and word not in _NO_NAMES):
            found.append(word)
    return tuple(dict.fromkeys(found))


_NO_NAMES = frozenset({"I", "I'm", "I'll", "I've", "I'd", "I’m", "I’ll", "I’ve", "I’d", "OK", "User", "User's", "A"})


def _tokens(text: str) -> Iterator[str]:
    for part in _PART.finditer(levelled(text)):
        if part["han"]:
            yield from _pairs(part["han"])
        elif part["number"]:
            number = _plain(part["number"])
            yield number
            if part["unit"]:
                yield number + part["unit"]
        elif part["word"] not in _STOP:
            yield _stem(part["word"])


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in COMMON_SIGNS:
            yield run
        return
    for one, two in pairwise(run):
        pair = one + two
        if not (one in COMMON_SIGNS and two in COMMON_SIGNS) and pair not in _STOP_PAIRS:
            yield pair


def _plain(number: str) -> str:
    number = number.replace(",", "") if _GROUPED.fullmatch(number) else number
    return (number.lstrip("0") or "0") if number.isdigit() else number


def _stem(word: str) -> str:
    """A word without the ends that never change what is spoken of: the genitive, and the plural of words long enough."""
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) < 4 or not _ENGLISH.fullmatch(word):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _chinese(number: str) -> str:
    if "十" not in number:
        return "".join(_DIGITS_HAN[char] for char in number).lstrip("0") or "0"
    tens, _, ones = number.partition("十")
    return f"{_DIGITS_HAN.get(tens, '1')}{_DIGITS_HAN.get(ones, '0')}"
