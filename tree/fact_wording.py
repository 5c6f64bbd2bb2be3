"""What the words of a sentence tell of whether it lasts, where no sign that the gate of facts knows speaks for or against it.

A linear model over words, word pairs, beginnings and shapes (English), or runs of one to three characters (Chinese): each has a
weight for lasting and for every reason not to, their sum decides. `tests/support/gate_training.py` makes the weights from labelled
sentences. English words carry a second weight each, which they share with words of a like meaning: so it says something of words
that no labelled sentence has.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from memtree.tree.fact_gate_parts import Reason, Sentence

LABELS = ("durable", *(reason.value for reason in Reason))
_WEIGHTS = "fact_wording.weights"
_LASTS = 0.2  # of lasting, below which it is said not to
_KNOWN = 0.5  # of the words, below which nothing is said
_WORDS, _CHARACTERS = 60, 80  # looked at

_WORD = re.compile(r"[a-z']+|\d+|[^\sa-z\d,.\"'-]")
_DIGITS, _LATIN = re.compile(r"\d+"), re.compile(r"[a-z][a-z0]*")
_SOMEBODY = re.compile(r"^(?:用户|我们|我|他|她)")


class Told(NamedTuple):
    """What the words tell. `lasts`: 0..1; `reason`: the likeliest one not to last."""

    lasts: float
    reason: Reason

    @property
    def drops(self) -> bool:
        return self.lasts < _LASTS


class _Model(NamedTuple):
    parts: dict[str, tuple[int, ...]]  # a weight per label, of what `english_parts` or `chinese_parts` gives
    words: dict[str, tuple[int, ...]]  # and of an English word's meaning
    start: tuple[int, ...]
    scale: float  # of all of these


def told_by_words(sentence: Sentence, chinese: bool) -> Told | None:
    """What the words of a sentence tell; None where most of them are unknown."""
    model = _model(chinese)
    parts = chinese_parts(sentence.full) if chinese else english_parts(sentence.core)
    words = [*sentence.full[:_CHARACTERS]] if chinese else english_words(sentence.core)
    if sum(word in model.parts or word in model.words for word in words) < _KNOWN * len(words):
        return None
    share, meant = 1 / math.sqrt(max(1, len(parts))), 1 / math.sqrt(max(1, len(words)))
    sums = [
        (start + share * part + meant * word) * model.scale
        for start, part, word in zip(
            model.start, _summed(model.parts, parts), _summed(model.words, [] if chinese else words), strict=True
        )
    ]
    most = max(sums)
    odds = [math.exp(one - most) for one in sums]
    best = max(range(1, len(odds)), key=odds.__getitem__)
    return Told(odds[0] / sum(odds), Reason(LABELS[best]))


def _summed(table: dict[str, tuple[int, ...]], keys: list[str]) -> list[int]:
    found = [table[key] for key in keys if key in table]
    return [sum(column) for column in zip(*found, strict=True)] if found else [0] * len(LABELS)


def english_words(core: str) -> list[str]:
    """The first words of a sentence's core, numbers as `#`."""
    return ["#" if word.isdigit() else word for word in _WORD.findall(core)[:_WORDS]]


def english_parts(core: str) -> list[str]:
    """What the model weighs of an English sentence's core, each once: words and their stems, pairs, the beginning, its shape."""
    words = english_words(core)
    parts = set(words)
    for place, word in enumerate(words):
        if len(word) > 4:
            parts.add(f"{word[:4]}~")
        if (ing := word.endswith("ing") and len(word) > 5) or (word.endswith("ed") and len(word) > 4):
            parts.add(f"~{'ing' if ing else 'ed'}{min(place, 3)}")
    framed = ["^", *words, "$"]
    parts.update(f"{one} {two}" for one, two in pairwise(framed))
    parts.update(" ".join(framed[:many]) for many in (3, 4))
    shape = ["^", *(_shape(word) for word in words[:4])]
    parts.update("/" + " ".join(shape[:many]) for many in (3, 4, 5))
    parts.add(f"length {min(len(words) // 3, 5)}")
    return sorted(parts)


def _shape(word: str) -> str:
    """A short word itself, of others only how they end."""
    if len(word) <= 3:
        return word
    if word.endswith("ing") and len(word) > 4:
        return "G"
    return "D" if word.endswith("ed") else "N"


def chinese_parts(full: str) -> list[str]:
    """What the model weighs of a Chinese sentence, each once: runs of one to three characters, who it begins with, its length."""
    text = _LATIN.sub("a", _DIGITS.sub("0", full))[:_CHARACTERS]
    framed = f"^{_SOMEBODY.sub('我', text)}$"
    parts = {framed[begin : begin + many] for many in (1, 2, 3) for begin in range(len(framed) - many + 1)}
    who = "user" if text.startswith("用户") else "i" if text.startswith("我") else "nobody"
    return sorted(parts | {f"who {who}", f"length {min(len(text) // 4, 5)}"})


def packed(header: dict[str, object], tables: list[dict[str, tuple[int, ...]]]) -> bytes:
    """Weights as they lie in the file: a line about them, the keys of each table, then one byte a weight."""
    keys = [sorted(table) for table in tables]
    numbers = [number + 128 for table, names in zip(tables, keys, strict=True) for name in names for number in table[name]]
    head = json.dumps(header | {"keys": keys}, ensure_ascii=False, sort_keys=True).encode()
    return zlib.compress(head + b"\n" + bytes(numbers), 9)


def unpacked(data: bytes) -> tuple[dict[str, object], list[dict[str, tuple[int, ...]]]]:
    """What `packed` was given."""
    head, _, body = zlib.decompress(data).partition(b"\n")
    header = json.loads(head)
    rows = iter(zip(*[iter(body)] * len(LABELS), strict=True))
    tables = [{name: tuple(number - 128 for number in next(rows)) for name in names} for names in header.pop("keys")]
    return header, tables


def weights() -> bytes:
    """The file of weights that comes with this module."""
    return files(__package__).joinpath(_WEIGHTS).read_bytes()


@lru_cache(maxsize=2)
def _model(chinese: bool) -> _Model:
    header, (english, words, characters) = _loaded()
    starts, scales = header["start"], header["scale"]
    assert isinstance(starts, list)
    assert isinstance(scales, list)
    table = characters if chinese else english
    return _Model(table, {} if chinese else words, tuple(starts[chinese]), scales[chinese])


@lru_cache(maxsize=1)
def _loaded() -> tuple[dict[str, object], list[dict[str, tuple[int, ...]]]]:
    return unpacked(weights())
