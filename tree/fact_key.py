"""The key of a fact: a statement in one form, equal for two that say the same in other marks, persons or spellings.

    The user likes green tea.  ->  user like green tea
    I don't eat meat           ->  user not eat meat
    我不再住在北京了              ->  user nolonger 住 在 北 京

Who speaks of themselves and who is spoken of as the user are one; articles, forms of `to be`, marks and words that say nothing are
gone. What decides what is said stays, in its order: negations, numbers, dates, units, comparisons and limits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memtree.tree.fact_key_words import ADVERBS, CHINESE, HAN_WORDS, PHRASES, STOP, SUBJECTLESS, USER_WORDS, VERBS_S
from memtree.tree.word_forms import HAN, OF_THE_USER, spelled_out

LONGEST = 4_000  # characters of a statement that are read; what is longer is no single fact
USER = "user"
_ROUNDS = 8
MARK = ","  # between clauses, in `statement_words`

_MARKS = r"\s!-/:-@\[-^`{-~\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f¡¿«»·"
_INNER = rf"[^{_MARKS}{HAN}]"  # a sign of a word; underscores are
_LETTER = rf"[^{_MARKS}{HAN}\d_]"
_TOKEN = re.compile(
    rf"(?P<han>{HAN_WORDS})"
    r"|(?P<count>[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])(?P<measure>只|(?=[个岁年月天周次点条位名口匹号楼小分杯]))"
    rf"|(?P<sign>[{HAN}])"
    r"|(?P<number>(?:(?<![^\s(:])[+-])?\d+(?:[.,:/-]\d+)*+)只?"
    rf"|(?P<word>{_LETTER}{_INNER}*+(?:[.'@&/=+#]++{_INNER}++)*+[+#]*)"
    r"|(?P<unit>[%$€£¥°<>≤≥≈~±+]+)"
    r"|(?P<mark>[,;:.!?()。、]+)",
)
_LEAD_IN = re.compile(
    r"(?:[-*•](?=\s)|\s|(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that\b|\s*:)|(?:the )?user (?:said"
    r"|says|mentioned|noted|told me)"
    r" that\b|fyi[,:]|请?(?:记住|注意|备注)[:,，]?|用户(?:说|表示|提到)[:,，]?)*+",
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DIGITS = {sign: number for number, sign in enumerate("一二三四五六七八九", 1)} | {"两": 2}
_THIRD = re.compile(r"[a-z]{2,}s")
_FIRST = OF_THE_USER | VERBS_S.keys()  # what a statement begins with whose subject is not said
_NO_THIRD = ("ss", "us", "is", "was")
_WORDS = {"cannot": ("can", "not"), "gonna": ("going", "to"), "i'd": (USER, "would"), "we'd": ("we", "would"), "adores": ("adore",)}


def fact_key(text: str) -> str:
    """The key; its own key is itself. Empty only for a text without any sign."""
    return " ".join(key_words(text))


# Two statements are compared in several ways, one with many.
@lru_cache(maxsize=4_096)
def key_words(text: str) -> tuple[str, ...]:
    """The words of the key."""
    words = _short(_without_marks(statement_words(text)))
    for _ in range(_ROUNDS):  # what is left may begin with what only leads in, or make a phrase where a mark stood between
        again = _without_marks(_read(" ".join(words)))
        if again == words:
            break
        words = again
    return words


def _short(words: tuple[str, ...]) -> tuple[str, ...]:
    """As many of the words as a statement can have: their own key is read as far."""
    left = LONGEST
    for at, word in enumerate(words):
        left -= len(word) + 1
        if left < 0:
            return words[: max(at, 1)]
    return words


def _without_marks(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word != MARK)


@lru_cache(maxsize=4_096)
def statement_words(text: str) -> tuple[str, ...]:
    """The words of a statement with a `,` for each mark between clauses, none at the end. One a word, or one a sign of Chinese."""
    return _read(text[:LONGEST])


def _read(text: str) -> tuple[str, ...]:
    plain = levelled(text)
    bare = plain[_at_end(_LEAD_IN, plain) :]
    unsaid = bare.partition(" ")[0] in _FIRST
    words = _reduced(_in_person([*[USER] * unsaid, *_spelled(bare)]))
    while words and words[-1] == MARK:
        words.pop()
    if words and words[-1] != "?" and plain.rstrip(" \"'”’)").endswith("?"):
        words.append("?")
    if any(word != MARK for word in words):
        return tuple(words)
    return tuple(plain.split())


def levelled(text: str) -> str:
    """A text with one form of each sign, in small letters, on one line."""
    plain = text.translate(_SIGNS)
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold()).split())


# A power of ten is no ten: NFKC would make one of it.
_SIGNS = {ord("’"): "'", ord("‘"): "'", ord("−"): "-", ord("–"): "-"} | {
    ord(sign): f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")
}


def _at_end(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.match(text)
    return found.end() if found is not None and found.end() < len(text) else 0


def _spelled(text: str) -> Iterator[str]:
    """The words of a text, each in its plain form."""
    for found in _TOKEN.finditer(text):
        kind, word = found.lastgroup, found[0]
        if kind == "han":
            yield CHINESE.get(word, word)
        elif kind in ("count", "measure"):
            yield str(_number(found["count"]))
        elif kind == "number":
            yield found["number"].replace(",", "") if _THOUSANDS.fullmatch(found["number"]) else found["number"]
        elif kind == "word":
            yield from _plain(word)
        else:
            yield MARK if kind == "mark" else word


def _plain(word: str) -> Iterator[str]:
    if word in USER_WORDS:
        yield USER
        return
    if word in _WORDS:
        yield from _WORDS[word]
        return
    for one in spelled_out(word):
        bare = one.removesuffix("'s").removesuffix("'")
        yield USER if bare in USER_WORDS else VERBS_S.get(bare, bare)


def _in_person(words: list[str]) -> list[str]:
    """The statement with its subject, and the verb behind it in its plain form."""
    if words and words[0] in SUBJECTLESS:
        return [USER, *words]
    if USER not in words[:8]:
        return words
    at = words.index(USER)
    for place in range(at + 1, min(at + 4, len(words))):
        word = words[place]
        if word in ADVERBS or word in STOP:
            continue
        if _THIRD.fullmatch(word) and not word.endswith(_NO_THIRD):
            words[place] = _base(word)
        break
    return words


def _base(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("ches", "shes", "xes", "zes", "oes")) else verb[:-1]


def _reduced(words: list[str]) -> list[str]:
    """Without what says nothing, and phrases as one word; again until nothing changes."""
    while True:
        kept = [word for word in _phrased(words) if word not in STOP]
        kept = [word for at, word in enumerate(kept) if word != MARK or (at and kept[at - 1] != MARK)]
        if kept == words:
            return kept
        words = kept


def _phrased(words: list[str]) -> list[str]:
    made: list[str] = []
    at = 0
    while at < len(words):
        for phrase, word in _BEGINNING.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                made.append(word)
                at += len(phrase)
                break
        else:
            made.append(words[at])
            at += 1
    return made


_BEGINNING: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _phrase, _word in PHRASES:
    _BEGINNING.setdefault(_phrase[0], []).append((_phrase, _word))


def _number(text: str) -> int:
    """The value of a Chinese numeral up to ninety-nine."""
    if "十" not in text:
        return _DIGITS[text]
    tens, ones = text.split("十")
    return 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)
