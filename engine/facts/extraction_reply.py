"""FactsReply: the shape in which a model answers with facts, read tolerantly. Apart, because it loads pydantic.

Models leave keys out, answer with texts in the place of objects, with one fact in the place of a list, or under another name. What
can be read of such an answer is read; an answer in which nothing can be read is none.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from pydantic import BaseModel, Field, model_validator

from memtree.tree.fact import MOST_TAGS

_LISTS = ("facts", "memory", "memories", "insights")
_TEXTS = ("text", "fact", "content", "statement", "memory")
_SEQS = ("source_seqs", "source_seq", "seqs", "sources")
_LONGEST_TAG = 32  # characters
_LONGEST_WORD = 60
_MOST_READ = 500  # items of a reply
_DIGITS = re.compile(r"[0-9]{1,9}", re.ASCII)
_NO_TAG = re.compile(r"[^\w+#]+")
_NO_PLACE = re.compile(r"[^a-z0-9_.]+")


class FactItem(BaseModel):
    """One fact."""

    text: str = Field(description="The fact, one idea, in the language in which it was said.")
    fact_type: str = Field(default="fact", description="fact, or the class of what does not last.")
    tags: list[str] = Field(default_factory=list, description="One to three short tags in lower case.")
    category: str = Field(default="", description="One word for what it is about.")
    subject: str = Field(default="", description="Whom or what it is about: user, or a name.")
    slot: str = Field(default="", description="What it tells of the subject, as a short dotted name.")
    source_seqs: list[int] = Field(default_factory=list, description="The numbers of the turns that say it.")


class FactsReply(BaseModel):
    """The facts of a stretch of a conversation, none where nothing lasts."""

    facts: list[FactItem] = Field(description="The facts; an empty list where nothing lasts.")

    @model_validator(mode="before")
    @classmethod
    def _read(cls, raw: Any) -> Any:
        return {"facts": _items(raw)}


def _items(raw: Any) -> list[dict[str, Any]]:
    """The readable items of a reply in any of the known shapes; raise ValueError where it has none of them."""
    found = _listed(raw)
    if found is None:
        raise ValueError("the reply has no list of facts")
    items = [item for one in found[:_MOST_READ] if (item := _item(one)) is not None]
    if found and not items:
        raise ValueError("no item of the list has a text")
    return items


def _listed(raw: Any) -> list[Any] | None:
    if isinstance(raw, list):
        return raw
    if not isinstance(raw, dict):
        return None
    for name in _LISTS:
        inside = raw.get(name)
        if isinstance(inside, list) and (inside or not _text(raw)):
            return inside
        if isinstance(inside, dict):
            return [inside]
    if _text(raw):
        return [raw]  # one fact that was not put into a list
    return [] if any(name in raw and raw[name] is None for name in _LISTS) else None


def _item(raw: Any) -> dict[str, Any] | None:
    if isinstance(raw, str):
        return {"text": raw.strip()} if raw.strip() else None
    if isinstance(raw, BaseModel):
        raw = raw.model_dump()
    if not isinstance(raw, dict) or not (text := _text(raw)):
        return None
    return {
        "text": text,
        "fact_type": _word(raw.get("fact_type")) or "fact",
        "tags": _tags(raw.get("tags")),
        "category": _place(raw.get("category")),
        "subject": _word(raw.get("subject")),
        "slot": _place(raw.get("slot")),
        "source_seqs": next((seqs for name in _SEQS if (seqs := _seqs(raw.get(name)))), []),
    }


def _text(raw: dict[str, Any]) -> str:
    return next((" ".join(raw[name].split()) for name in _TEXTS if isinstance(raw.get(name), str) and raw[name].strip()), "")


def _word(raw: Any) -> str:
    return " ".join(raw.split())[:_LONGEST_WORD].strip() if isinstance(raw, str) else ""


def _place(raw: Any) -> str:
    return _NO_PLACE.sub("_", _word(raw).casefold()).strip("._")


def _tags(raw: Any) -> list[str]:
    """At most three tags: short, in lower case, with hyphens."""
    given = raw.split(",") if isinstance(raw, str) else raw if isinstance(raw, list) else []
    made = [_NO_TAG.sub("-", unicodedata.normalize("NFKC", one).casefold()).strip("-_") for one in given if isinstance(one, str)]
    return [tag for tag in dict.fromkeys(made) if 0 < len(tag) <= _LONGEST_TAG][:MOST_TAGS]


def _seqs(raw: Any) -> list[int]:
    given = raw if isinstance(raw, list) else [raw]
    found = [one if isinstance(one, int) and not isinstance(one, bool) else _number(one) for one in given[:50]]
    return list(dict.fromkeys(one for one in found if one is not None and 0 <= one < 10**15))


def _number(raw: Any) -> int | None:
    digits = _DIGITS.search(raw) if isinstance(raw, str) else None
    return int(digits[0]) if digits is not None else None
