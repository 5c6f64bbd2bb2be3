"""Numbers as people speak and write them: words, Chinese characters, full-width digits."""

from __future__ import annotations

import re

_UNDER_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_SMALL = (*_UNDER_TEN, *_TEENS)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_WORDS = {"a": 1, "an": 1} | {word: at for at, word in enumerate(_SMALL, 1)} | _TENS
ENGLISH = r"(?:[0-9]{1,4}|an?|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?"
ENGLISH += "|" + "|".join(sorted(_SMALL, key=len, reverse=True)) + ")"

_DIGITS = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_SIZES = {"十": 10, "百": 100, "千": 1000}
CHINESE = "(?:[0-9]{1,4}|[〇零一二两三四五六七八九十百千]{1,7})"

_WIDE = re.compile("[\uff01-\uff5e\u3000]")
_WIDE_SIGNS = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code - 0xFEE0).isalpha()} | {0x3000: " "}


# Traditional characters that the grammar knows in their simplified form.
_TRADITIONAL = str.maketrans(
    "週這後個兩號禮鐘從來過開結還會將幾個農曆陰舊點時間為劃預計約訂準備記說當歲",
    "周这后个两号礼钟从来过开结还会将几个农历阴旧点时间为划预计约订准备记说当岁",
)
_TRADITIONAL_SIGNS = frozenset(map(chr, _TRADITIONAL))


def plain_signs(text: str) -> str:
    """The text with full-width digits and signs as ASCII ones and simplified characters, every one in its place."""
    if text.isascii():
        return text
    if _WIDE.search(text):
        text = text.translate(_WIDE_SIGNS)
    return text if _TRADITIONAL_SIGNS.isdisjoint(text) else text.translate(_TRADITIONAL)


def english_number(word: str) -> int | None:
    """What a number such as `3`, `twenty-one` or `a` means, None for no number."""
    word = word.lower()
    if word.isascii() and word.isdigit():
        return int(word[:9])
    if word in _WORDS:
        return _WORDS[word]
    tens, _, rest = word.replace(" ", "-").partition("-")
    return _TENS[tens] + _WORDS[rest] if tens in _TENS and rest in _UNDER_TEN else None


def chinese_number(word: str) -> int | None:
    """What a number such as `3`, 十二, 两百 or 二〇一九 means, None for one that is none, or not well formed."""
    word = plain_signs(word)
    if word.isascii() and word.isdigit():
        return int(word[:9])
    if not word or any(char not in _DIGITS and char not in _SIZES for char in word):
        return None
    if not any(char in _SIZES for char in word):
        return int("".join(str(_DIGITS[char]) for char in word)) if len(word) in (1, 4) else None
    return _with_sizes(word)


def _with_sizes(word: str) -> int | None:
    """Two thousand and nineteen, not digit by digit."""
    total, held, size = 0, None, 10_000
    for char in word:
        if char in _DIGITS:
            if held:
                return None  # two digits without a size between them
            held = _DIGITS[char]
            continue
        if _SIZES[char] >= size or (held is None and char != "十"):
            return None
        size = _SIZES[char]
        total += (1 if held is None or (held == 0 and char == "十") else held) * size
        held = None
    return total + (held or 0)
