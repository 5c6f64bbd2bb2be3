"""The `[search]` and `[embedding]` tables of `memtree.toml`: which legs count and how much, and which model embeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from memtree.indexers.query import Mode
from memtree.indexers.weights import MINILM_TURNS, FusionWeights, Ranking, TurnWeights
from memtree.tree.redaction import without_credentials

WORDLLAMA, MINILM, NONE = "wordllama", "minilm", "none"
_OWN = (WORDLLAMA, MINILM, NONE)  # run here, if at all

_Weights = TypeVar("_Weights", FusionWeights, TurnWeights)


class BadTable(ValueError):
    """A table that says something wrong; the message is what a person should read."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """`model` is `wordllama` (in the package), `minilm` (in the extra `quality`), `none`, or a model behind `url`.

    `key_env` names the variable with its key.
    """

    model: str = WORDLLAMA
    url: str = ""
    key_env: str = ""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    mode: Mode = Mode.HYBRID
    ranking: Ranking = field(default_factory=Ranking)


def search_settings(raw: Any) -> SearchSettings:
    """Read the `[search]` table; raise BadTable."""
    table = _table(raw, "search")
    mode = table.pop("mode", Mode.HYBRID.value)
    if mode not in {one.value for one in Mode}:
        raise BadTable(f'search.mode = {mode!r} must be "hybrid", "text" or "vector"')
    said = _table(table.pop("turns", {}), "search.turns")
    turns = _weights(TurnWeights(), said, "search.turns")
    read_turns = _weights(MINILM_TURNS, said, "search.turns")
    fusion = _weights(FusionWeights(), table, "search")
    if min(fusion.text, fusion.vector, fusion.recency) < 0 or fusion.text + fusion.vector <= 0:
        raise BadTable("search.text, vector and recency must not be negative, and text or vector must count something")
    if fusion.half_life_days <= 0:
        raise BadTable("search.half_life_days must be above 0")
    return SearchSettings(Mode(mode), Ranking(fusion, turns, read_turns))


def is_minilm(embedding: EmbeddingSettings) -> bool:
    """Whether the settings choose the model of the extra `quality`, and not one of that name behind an address."""
    return embedding.model == MINILM and not embedding.url


def embedding_settings(raw: Any) -> EmbeddingSettings:
    """Read the `[embedding]` table; raise BadTable."""
    table = _table(raw, "embedding")
    known = {one.name for one in fields(EmbeddingSettings)}
    if table.keys() - known:
        raise BadTable(f"embedding has the unknown key {min(table.keys() - known)!r}; it may hold {', '.join(sorted(known))}")
    if not all(isinstance(value, str) for value in table.values()):
        raise BadTable("embedding: every value must be a text in quotes")
    found = EmbeddingSettings(**table)
    if found.model not in _OWN and not found.url:
        raise BadTable(f"embedding.model = {found.model!r} needs a url (or is {', '.join(_OWN)})")
    if found.url and not found.url.startswith(("http://", "https://")):
        raise BadTable(f"embedding.url = {without_credentials(found.url)!r} is not an http address")
    if without_credentials(found.url) != found.url:
        raise BadTable("embedding.url holds credentials, and this file travels; name a variable that holds the key: key_env")
    return found


def _table(raw: Any, name: str) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise BadTable(f"{name} must be a table: [{name}]")
    return dict(raw)


def _weights(usual: _Weights, table: Mapping[str, Any], name: str) -> _Weights:
    known = {one.name for one in fields(usual)}
    for key, value in table.items():
        if key not in known:
            raise BadTable(f"{name} has the unknown key {key!r}; it may hold {', '.join(sorted(known))}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BadTable(f"{name}.{key} must be a number")
    return replace(usual, **{key: float(value) for key, value in table.items()})
