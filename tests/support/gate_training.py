"""gate_training: makes the weights of `tree/fact_wording.py`, `PYTHONPATH=tests python -m support.gate_training [FILE]`.

Every labelled sentence but those of `gate_fresh_two`, which only measure, is a row of a softmax regression with a ridge. English
words have besides a vector of MiniLM (the `quality` extra), reduced to its hundred main directions; what the regression makes of a
vector is stored as the word's weight, so that the model is not needed to judge. Steps and order are fixed; another processor may
round the last bit elsewhere, so the file is made once, and says in `inputs` what from.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from memtree.indexers.minilm_model import TOKENIZER, MiniLmEmbedder
from memtree.tree import fact_wording
from memtree.tree.fact_gate_text import HAN, sentences_in
from memtree.tree.fact_wording import LABELS, chinese_parts, english_parts, english_words
from support.gate_fresh_one import SENTENCES as FRESH
from support.gate_pairs import LASTS, PASSES
from support.gate_sentences import Labelled, labelled, wide

_TUNING = Path(__file__).parents[2] / "tools" / "bench" / "facts_tuning.jsonl"
_OFTEN = 2  # sentences that a part is in, to be weighed
_VOCABULARY = 6_000  # English words with a meaning
_DIRECTIONS = 100
_RIDGE = 1 / 30
_STEPS = 300
_RATE = 0.1

Array = Any  # numpy's types say nothing here
Rows = Sequence[tuple[str, str]]  # label and sentence


def sentences() -> list[Labelled]:
    """All that is learned from."""
    tuning = [json.loads(line) for line in _TUNING.read_text("utf-8").splitlines()]
    return [
        *labelled(),
        *wide(),
        *(Labelled(one["label"], one["lang"], one["text"]) for one in tuning),
        *(Labelled(label, "zh" if HAN.search(text) else "en", text) for label, text in _pairs()),
    ]


def _pairs() -> list[tuple[str, str]]:
    return [*FRESH, *(("durable", text) for text in LASTS), *((str(reason), text) for text, reason in PASSES.items())]


def inputs() -> str:
    """The SHA-256 of the sentences and of the code that takes them apart."""
    told = "\n".join(f"{one.label}\t{one.text}" for one in sentences())
    code = "".join(repr((english_parts(one.text.casefold()), chinese_parts(one.text))) for one in sentences()[::50])
    return hashlib.sha256((told + code).encode()).hexdigest()


def seen(text: str) -> str:
    """The sentence of a text that decides, as the model sees it."""
    longest = max(sentences_in(text), key=lambda one: len(one.full))
    return longest.full if HAN.search(longest.full) else longest.core


def meanings(many: int = _VOCABULARY) -> dict[str, Array]:
    """Common English words with the main directions of their vectors."""
    spec = find_spec(TOKENIZER.package)
    assert spec is not None
    assert spec.submodule_search_locations
    tokenizer = json.loads((Path(spec.submodule_search_locations[0]) / TOKENIZER.path).read_text("utf-8"))
    common = sorted(tokenizer["model"]["vocab"].items(), key=lambda pair: pair[1])
    words = [word for word, _ in common if word.isalpha() and word.isascii() and len(word) > 1][:many]
    embedder = MiniLmEmbedder()
    vectors = np.concatenate([embedder.embed([word]) for word in words]).astype(float)
    vectors -= vectors.mean(0)
    reduced = vectors @ np.linalg.svd(vectors, full_matrices=False)[2][:_DIRECTIONS].T
    reduced /= reduced.std() * np.sqrt(_DIRECTIONS)
    return dict(zip(words, reduced, strict=True))


def trained(
    rows: Rows, parts_of: Callable[[str], list[str]], vectors: dict[str, Array]
) -> tuple[dict[str, Array], dict[str, Array], Array]:
    """Six weights a part, six a word of `vectors`, six to start from."""
    texts = [seen(text) for _, text in rows]
    parts = [parts_of(text) for text in texts]
    often = Counter(part for one in parts for part in one)
    places = {part: place for place, part in enumerate(sorted(part for part, count in often.items() if count >= _OFTEN))}
    wide = _DIRECTIONS if vectors else 0
    matrix = np.zeros((len(rows), len(places) + wide + 1), np.float32)
    for row, (text, own) in enumerate(zip(texts, parts, strict=True)):
        matrix[row, [places[part] for part in own if part in places]] = 1 / np.sqrt(max(1, len(own)))
        words = english_words(text)
        if known := [vectors[word] for word in words if word in vectors]:
            matrix[row, len(places) : -1] = np.sum(known, 0) / np.sqrt(len(words))
        matrix[row, -1] = 1
    found = _fitted(matrix, np.eye(len(LABELS), dtype=np.float32)[[LABELS.index(label) for label, _ in rows]])
    meant = found[len(places) : -1]
    return {part: found[place] for part, place in places.items()}, {word: own @ meant for word, own in vectors.items()}, found[-1]


def _fitted(matrix: Array, wanted: Array) -> Array:
    weights = np.zeros((matrix.shape[1], wanted.shape[1]), np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        odds = np.exp((sums := matrix @ weights) - sums.max(1, keepdims=True))
        slope = matrix.T @ (odds / odds.sum(1, keepdims=True) - wanted) / len(matrix)
        slope[:-1] += _RIDGE / len(matrix) * weights[:-1]
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights -= _RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def made(rows: Sequence[Labelled], vectors: dict[str, Array]) -> bytes:
    """The file of weights that these sentences make."""
    english = trained([(one.label, one.text) for one in rows if one.lang == "en"], english_parts, vectors)
    chinese = trained([(one.label, one.text) for one in rows if one.lang == "zh"], chinese_parts, {})
    tables, starts, scales = [], [], []
    for parts, words, start in (english, chinese):
        scale = max(np.abs(one).max() for one in [*parts.values(), *words.values(), start]) / 127
        tables += [{key: tuple(round(one / scale) for one in row) for key, row in table.items()} for table in (parts, words)]
        starts.append([round(one / scale) for one in start])
        scales.append(float(scale))
    tables = [{key: row for key, row in table.items() if any(row)} for table in tables[:3]]
    return fact_wording.packed({"inputs": inputs(), "labels": list(LABELS), "start": starts, "scale": scales}, tables)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else Path(fact_wording.__file__).with_name("fact_wording.weights")
    target.write_bytes(data := made(sentences(), meanings()))
    print(len(data), "bytes", inputs())
