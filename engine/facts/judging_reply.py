"""VerdictsReply: the shape in which a model judges statements, read tolerantly. Apart, because it loads pydantic.

The reason comes before the outcome: a model that says why first is right more often. Keys that are left out cost only what they
would have said.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, Field, model_validator

_LISTS = ("verdicts", "statements", "memory", "results", "decisions")
_OUTCOMES = {
    "none": "noop",
    "duplicate": "noop",
    "same": "noop",
    "contradict": "supersede",
    "contradicts": "supersede",
    "delete": "supersede",
    "replace": "supersede",
    "new": "add",
    "insert": "add",
    "refine": "update",
}
_TARGETS = ("target", "targets", "fact", "facts", "fact_id", "duplicate_of", "duplicates", "contradicts", "duplicate_facts")
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_MOST = 200  # items that are read


class VerdictItem(BaseModel):
    """What becomes of one new statement."""

    reason: str = Field(default="", description="Why, in a few words, written before the outcome is chosen.")
    statement: int | None = Field(default=None, description="The number of the new statement, without the N.")
    outcome: str = Field(default="add", description="add, noop, update or supersede.")
    targets: list[int] = Field(default_factory=list, description="The number of the shown fact that it concerns; empty with add.")
    text: str = Field(default="", description="With update: one statement that says all that both say.")


class VerdictsReply(BaseModel):
    """A verdict on each new statement."""

    verdicts: list[VerdictItem] = Field(default_factory=list, description="One for each new statement, in their order.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        return {"verdicts": [_item(one) for one in _listed(raw)[:_MOST] if isinstance(one, dict)]}


def _listed(raw: Any) -> list[Any]:
    if isinstance(raw, list):
        return raw
    if not isinstance(raw, dict):
        raise ValueError("the reply has no list of verdicts")  # noqa: TRY004 - what pydantic takes for an invalid value
    for name in _LISTS:
        if isinstance(raw.get(name), list):
            return list(raw[name])
        if isinstance(raw.get(name), dict):
            return [raw[name]]
    if "outcome" in raw or "event" in raw:
        return [raw]
    if raw:
        raise ValueError("the reply has no list of verdicts")
    return []


def _item(one: dict[str, Any]) -> dict[str, Any]:
    outcome = str(one.get("outcome", one.get("event", "add"))).strip().lower()
    numbers = [number for name in _TARGETS for number in _numbers(one.get(name))]
    statement = _numbers(one.get("statement", one.get("id", one.get("new"))))
    return {
        "reason": _text(one.get("reason")),
        "statement": statement[0] if statement else None,
        "outcome": _OUTCOMES.get(outcome, outcome),
        "targets": numbers,
        "text": _text(one.get("text")),
    }


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _numbers(found: Any) -> list[int]:
    """The numbers in a value of any form: 3, `3`, `N3`, [3, 4]."""
    if isinstance(found, bool) or found is None:
        return []
    if isinstance(found, int):
        return [found] if 0 <= found <= 9_999 else []
    if isinstance(found, str):
        return [int(number) for number in _NUMBER.findall(found[:200])]
    return [number for one in found[:50] for number in _numbers(one)] if isinstance(found, list) else []
