"""Redactor: what every writer lets its texts and JSON values go through before they are written, queued, hashed or indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memtree.tree.pii_rules import PiiClass
from memtree.tree.secrets import redacted

Json = Any  # what json.loads returns: None, bool, int, float, str, and lists and dicts of them


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes secrets out of texts and of JSON values, and the classes of personal data that `pii` names."""

    pii: frozenset[PiiClass] = frozenset()

    def text(self, text: str) -> str:
        """The text with each secret replaced by the name of its kind."""
        return redacted(text)

    def value(self, value: Json) -> Json:
        """The same for every text in a JSON value, its keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        return value
