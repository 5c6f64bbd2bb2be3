"""Topic markers: the phrases with which people turn to something else.

A marker counts where a sentence begins, perhaps after a word such as `ok`, and never inside code or a quotation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from memtree.tree.sentences import sentences

DEFAULT_MARKERS: tuple[str, ...] = (
    "now let's",
    "now lets",
    "switching to",
    "different topic",
    "moving on to",
    "let's move on",
    "lets move on",
    "can you help me with",
    "new question",
    "unrelated but",
    "changing subject",
    "on another note",
    "anyway,",
    "by the way,",
    "btw,",
    "换个话题",
    "换一个话题",
    "换个问题",
    "说点别的",
    "聊点别的",
    "说个别的",
    "问个别的",
    "另一个问题",
    "另外一个问题",
    "另外问一下",
    "下一个问题",
    "新问题：",
    "新话题",
    "题外话",
    "顺便问一下",
    "顺便问下",
    "顺便问一句",
    "顺便说一下",
    "顺便说一句",
    "顺便提一下",
    "顺带一提",
    "对了，",
    "话说，",
    "接下来我们",
    "接下来让我们",
    "现在我们来",
    "现在让我们",
    "不相关的问题",
)

_SAME = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'", "、": ","})
_SPACE = re.compile(r"\s+")
_READ = 100_000  # characters of a text: who pastes more does not speak there
_LONGEST = 400  # characters of a sentence: a marker stands in its first words
_BEFORE = (
    r"(?:(?:ok|okay|alright|all right|right|great|good|cool|nice|perfect|thanks|thank you|got it|yes|yeah|yep|no|hey|hi"
    r"|hm+|so|well|and|but|oh|好的|好吧|好|嗯+|哦|啊|行|那|那么|谢谢|ok了)(?:[\s,.!:;-]+|(?<=[^\x00-\x7f])))"
)


def marker_in(text: str, markers: Sequence[str] = DEFAULT_MARKERS) -> str:
    """The marker that a sentence of the text begins with, '' for none. Case, curly quotes and full-width forms do not matter."""
    found = _pattern(tuple(markers))
    text = text[:_READ]
    # Few texts hold a marker anywhere, and looking costs less than cutting them into sentences.
    if found is None or found.anywhere.search(_level(text)) is None:
        return ""
    for sentence in sentences(text, quoted=False):
        begins = found.beginning.match(_level(sentence[:_LONGEST]))
        if begins is not None:
            return found.markers[begins[1]]
    return ""


class _Pattern:
    def __init__(self, markers: dict[str, str]) -> None:
        self.markers = markers
        one = "|".join(_bounded(marker) for marker in sorted(markers, key=len, reverse=True))
        self.anywhere = re.compile(one)
        self.beginning = re.compile(rf"[^\w\"'“「『`]{{0,3}}{_BEFORE}{{0,3}}({one})")


@lru_cache(maxsize=16)
def _pattern(markers: tuple[str, ...]) -> _Pattern | None:
    known = {level: marker for marker in reversed(markers) if (level := _level(marker).strip())}
    return _Pattern(known) if known else None


def _bounded(marker: str) -> str:
    """A pattern of the marker; a word of an alphabet with spaces ends where it ends."""
    last = marker[-1]
    return re.escape(marker) + (r"(?![a-z0-9_'])" if last.isascii() and (last.isalnum() or last == "'") else "")


def _level(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text.translate(_SAME)).casefold().translate(_SAME))
