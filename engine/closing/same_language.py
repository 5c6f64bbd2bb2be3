"""Same language: whether a text is written in the language of another, as far as letters and the commonest words tell."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

_READ = 20_000  # characters of each text
_TELLING = 12  # letters or words without which nothing is told
_FOREIGN = 0.1  # share of a script or language in the other text under which it is not spoken there
_COMMON = 0.15  # share of a text's words that are common ones of its language, at least
_CODE = re.compile(r"`[^`\n]*`|https?://\S+")
_WORD = re.compile(r"[^\W\d_]+")
_WORDS = {
    "English": "the and of to in is that it was for with as not are this be have on you but they we from or which will an would",
    "German": "der die das und ist nicht ein eine mit sich auf für von den dem zu im auch wird wurde haben sind dass wir sie ich",
    "French": "le la les et est des une dans pour que qui pas sur avec il elle nous vous sont ce cette du au par plus mais",
    "Spanish": "el los las y es que en una por con para no se su del al como más pero fue son está lo este esta han",
    "Portuguese": "o os as e que não uma em para com por do da dos das no na se foi mais como mas ao são está",
    "Italian": "il lo gli e è che non una per con di del della nel sono si ha da al più ma come anche questo questa",
}
_LANGUAGE_OF = {name: frozenset(words.split()) for name, words in _WORDS.items()}
# One people's texts mix these.
_FAMILY = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "CJK": "CJK", "BOPOMOFO": "CJK"}


def same_language(text: str, other: str) -> str:
    """'' when the text speaks as the other does or that cannot be told, else the script or language that it should not be in."""
    here, there = _scripts(text), _scripts(other)
    if sum(here.values()) < _TELLING or sum(there.values()) < _TELLING:
        return ""
    script = here.most_common(1)[0][0]
    if there[script] < _FOREIGN * sum(there.values()):
        return "Chinese characters" if script == "CJK" else f"{script.capitalize()} letters"
    if script == "CJK" and _kana(text) > _FOREIGN and _kana(other) <= _FOREIGN / 10:
        return "Japanese"
    return _other_language(_words(text), _words(other)) if script == "LATIN" else ""


def _other_language(here: list[str], there: list[str]) -> str:
    if len(here) < _TELLING or len(there) < _TELLING:
        return ""
    shares = {name: sum(word in words for word in here) / len(here) for name, words in _LANGUAGE_OF.items()}
    spoken = {name: sum(word in words for word in there) / len(there) for name, words in _LANGUAGE_OF.items()}
    language, native = max(shares, key=lambda name: shares[name]), max(spoken, key=lambda name: spoken[name])
    # Languages that are related share words: only a text that is at home in its own, and a stranger in the other's, is foreign.
    foreign = shares[language] >= _COMMON and shares[language] >= 2 * shares[native]
    return language if foreign and spoken[native] >= _COMMON and spoken[native] >= 2 * spoken[language] else ""


def _plain(text: str) -> str:
    return _CODE.sub(" ", text[:_READ])


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text).lower())


def _scripts(text: str) -> Counter[str]:
    """How many letters of each script; a Chinese character says as much as three letters."""
    found: Counter[str] = Counter()
    for char, times in Counter(_plain(text)).items():
        if char.isalpha():
            script = unicodedata.name(char, "UNKNOWN").split()[0].partition("-")[0]
            script = _FAMILY.get(script, script)
            found[script] += times * (3 if script == "CJK" else 1)
    return found


def _kana(text: str) -> float:
    letters = [char for char in _plain(text) if char.isalpha()]
    return sum("\u3040" <= char <= "\u30ff" for char in letters) / max(1, len(letters))
