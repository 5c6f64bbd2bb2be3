"""The `[learning]` table of `memtree.toml`: what is learnt from conversations. `MEMTREE_LEARNING_*` decides on one machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from memtree.engine.search_settings import BadTable
from memtree.tree.errors import UserError

PREFIX = "MEMTREE_LEARNING_"
_ON, _OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


class BadVariable(UserError):
    """A variable of the environment that says neither yes nor no."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the environment variable {name} must be true or false", hint=f"unset {name}, or set it to true or false")
        self.name = name


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """`enabled` lets the archivist agent run, which needs a model; everything else goes without it.

    `episodic_capture_enabled`: turns are recorded. `chat_to_tree_enabled`: what was said becomes evidence for summaries.
    `goals_enrichment_enabled`: a model keeps the goals up to date. `stm_recall_enabled`: agents are told of other conversations.
    `explicit_preferences_enabled`: what people say of themselves goes into their profile.
    """

    enabled: bool = False
    episodic_capture_enabled: bool = True
    chat_to_tree_enabled: bool = True
    goals_enrichment_enabled: bool = True
    stm_recall_enabled: bool = True
    explicit_preferences_enabled: bool = True


_NAMES = tuple(field.name for field in fields(LearningSettings))


def learning_settings(raw: Any) -> LearningSettings:
    """Read the `[learning]` table; raise BadTable."""
    if not isinstance(raw, Mapping):
        raise BadTable("learning must be a table: [learning]")
    if raw.keys() - set(_NAMES):
        raise BadTable(f"learning has the unknown key {min(raw.keys() - set(_NAMES))!r}; it may hold {', '.join(_NAMES)}")
    for name, value in raw.items():
        if not isinstance(value, bool):
            raise BadTable(f"learning.{name} must be true or false")
    return LearningSettings(**raw)


def with_environment(settings: LearningSettings, environment: Mapping[str, str]) -> LearningSettings:
    """The settings as this machine's environment has them; raise BadVariable. An empty variable says nothing."""
    chosen: dict[str, bool] = {}
    for name in _NAMES:
        variable = PREFIX + name.upper()
        said = environment.get(variable, "").strip().lower()
        if said and said not in _ON | _OFF:
            raise BadVariable(variable)
        if said:
            chosen[name] = said in _ON
    return replace(settings, **chosen)
