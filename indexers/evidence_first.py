"""Evidence first: summaries stand below everything else that answers, for they only say again what their evidence says.

Who asks for the kind of file that summaries are gets them as they rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from memtree.indexers.query import Query
from memtree.tree.kinds import Kind

_Key = TypeVar("_Key")
_FOLDER = "wiki/summaries/"


def is_summary(path: str, kind: Kind | None) -> bool:
    """Whether a file is one of the summary tree's."""
    return kind is Kind.WIKI and _FOLDER in path


def evidence_first(query: Query, scores: Mapping[_Key, float], summary: Callable[[_Key], bool]) -> dict[_Key, float]:
    """The scores, best first, those of summaries scaled so that none is above any other."""
    last = {key: score for key, score in scores.items() if summary(key)} if Kind.WIKI not in query.kinds else {}
    rest = {key: score for key, score in scores.items() if key not in last}
    if not last or not rest:
        return dict(scores)
    most, least = max(last.values()), min(rest.values())
    scale = min(1.0, least / most) if most > 0 else 1.0
    return rest | {key: min(score * scale, least) for key, score in last.items()}
