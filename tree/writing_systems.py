"""Writing systems: which letters a text is written in, and whether another text is in letters that have no place beside it."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

_FEW = 12  # letters that tell nothing
_ABSENT, _AT_HOME = 0.1, 0.4  # shares of the letters
_LOOKED_AT = 20_000  # characters
# One sign of these is a syllable or a word; in a Chinese sentence with three names of programs most letters are Latin.
_DENSE = {"han": 4, "kana": 3, "hangul": 2}
_CALLED = {"cjk": "han", "hiragana": "kana", "katakana": "kana"}


def shares(text: str) -> dict[str, float]:
    """Return the share of each writing system in a text, by names such as `latin`, `han` and `cyrillic`; none without letters."""
    counted: Counter[str] = Counter()
    for char in unicodedata.normalize("NFKC", text[:_LOOKED_AT]):
        system = _system(char)
        if system:
            counted[system] += _DENSE.get(system, 1)
    total = counted.total()
    return {system: count / total for system, count in counted.most_common()} if total >= _FEW else {}


def is_foreign(text: str, beside: str) -> bool:
    """Return whether a text is written in other letters than what it comes from; False where either says too little."""
    own, there = shares(text), shares(beside)
    if not own or not there:
        return False
    main, main_there = next(iter(own)), next(iter(there))
    near = there.get(main, 0.0)
    return near < _ABSENT or (near < _AT_HOME and own.get(main_there, 0.0) < _ABSENT)


@lru_cache(maxsize=4096)
def _system(char: str) -> str:
    """The writing system of a letter, '' for what is none."""
    if not char.isalpha():
        return ""
    word = unicodedata.name(char, "").partition(" ")[0].lower()
    return _CALLED.get(word, word)
