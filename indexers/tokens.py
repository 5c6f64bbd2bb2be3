"""Tokens: how text and raw queries become what an index can look up.

Three kinds: *words* (stemmed by the index), *pairs* of characters for scripts written without spaces, and *exact* tokens, which
are the things that words would tear apart: identifiers, file names, addresses, versions, `#123`, and symbols such as emoji. Text
and query go through the same functions, so what was written can be found. Nothing here raises, and all of it is linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

TERM_LIMIT = 64
QUERY_LIMIT = 10_000
EXACT_LIMIT = 256

# Chinese, Japanese, Korean, and the scripts of South-East Asia.
_UNSPACED_SET = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"[{_UNSPACED_SET}]+")
_SYMBOL = re.compile("[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]")
_WORD = re.compile(r"[^\W_]+")
_SOLID = re.compile(r"[^\s\[\](){}<>\"'`|,;*=“”‘’«»，。、；：？！（）【】《》]+")
_PARTS = re.compile(r"[/:\\]+")
# Combining accents, Hebrew points, Arabic vowel signs and the stretching line: most people leave them out when they search.
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")

_STOP_WORDS = (
    "a about above after again all am an and any are as at be because been before being below between both but by can could did "
    "do does doing down during each few for from further had has have having he her here hers him his how i if in into is it its "
    "just me more most my no nor not of off on once only or other our ours out over own same she should so some such than that "
    "the their theirs them then there these they this those through to too under until up very was we were what when where which "
    "while who whom why will with would you your yours t s d ll m re ve don doesn didn isn wasn"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Terms:
    """A query taken apart: (position, word) pairs, character pairs, lone characters, exact tokens; each distinct."""

    words: tuple[tuple[int, str], ...]
    pairs: tuple[str, ...]
    singles: tuple[str, ...]
    exact: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.words or self.pairs or self.singles or self.exact)


def fold(text: str) -> str:
    """Lower-case, without accents and compatibility forms; half characters become `?`."""
    if text.isascii():
        return text.lower()
    text = text.encode("utf-8", "replace").decode("utf-8")
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).lower()


def spaced(folded: str) -> str:
    """Return folded text without its unspaced scripts, ready for an analyser that splits at spaces and punctuation."""
    return folded if folded.isascii() else _UNSPACED.sub(" ", folded)


def pairs(folded: str) -> list[str]:
    """Return the character pairs of every unspaced run; its last character stands alone, so each is some token's start."""
    if folded.isascii():
        return []
    return [run[i : i + 2] for run in _UNSPACED.findall(folded) for i in range(len(run))]


def exact(folded: str) -> list[str]:
    """Return the exact tokens of folded text, in order."""
    found = _exact_tokens(folded)
    if not folded.isascii():
        # 见foo_bar.py is written without a space and asked for without the 见; 图_1.md is one name.
        known = frozenset(found)
        found.extend(token for token in _exact_tokens(spaced(folded)) if token not in known)
        found.extend(_SYMBOL.findall(folded))
    return found


def _exact_tokens(folded: str) -> list[str]:
    return [token for solid in _SOLID.findall(folded) if _is_exact(solid) for token in _exact_in(solid)]


def _exact_in(solid: str) -> Iterator[str]:
    # A token ends before the sentence's punctuation; `c++`, `#12` and `.gitignore` keep theirs.
    whole = solid.strip("!?:~").rstrip(".")
    if _is_exact(whole):
        yield whole[:EXACT_LIMIT]
        if "/" in whole or ":" in whole or "\\" in whole:
            yield from (part[:EXACT_LIMIT] for part in _PARTS.split(whole) if _is_exact(part))


def _is_exact(token: str) -> bool:
    # Plain words are left to the word fields, which drop those that are longer than any word.
    if token.isalnum():
        return len(token) > EXACT_LIMIT
    return len(token) > 1 and any(map(str.isalnum, token))


def analyse(text: str) -> Terms:
    """Take a raw query apart. Stop words go, unless there is nothing else; at most TERM_LIMIT terms of a kind are kept."""
    folded = fold(text[:QUERY_LIMIT])
    numbered = list(enumerate(_WORD.findall(spaced(folded))))
    telling = [pair for pair in numbered if pair[1] not in STOP_WORDS] or numbered
    words = {word: (place, word) for place, word in reversed(telling)}
    runs = _UNSPACED.findall(folded)
    return Terms(
        tuple(sorted(words.values()))[:TERM_LIMIT],
        _first(run[i : i + 2] for run in runs for i in range(len(run) - 1)),
        _first(run for run in runs if len(run) == 1),
        _first(iter(exact(folded))),
    )


def _first(tokens: Iterator[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for token in tokens:
        found[token] = None
        if len(found) == TERM_LIMIT:
            break
    return tuple(found)
