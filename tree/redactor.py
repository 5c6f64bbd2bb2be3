"""Redactor: what every writer lets its texts and JSON values go through before they are written, queued, hashed or indexed.

Redacted again, a text or value stays as it is.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memtree.tree.pii import without_pii
from memtree.tree.pii_rules import PiiClass
from memtree.tree.secrets import redacted

_EFFORT = 1 << 12  # of making an id from one that tells something: 10 ms and 4 MB

Json = Any  # what json.loads returns: None, bool, int, float, str, and lists and dicts of them


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes secrets out of texts and of JSON values, and the classes of personal data that `pii` names."""

    pii: frozenset[PiiClass] = frozenset()

    def text(self, text: str) -> str:
        """The text with each secret replaced by the name of its kind, and then the personal data."""
        safe = redacted(text)
        while self.pii and (without := without_pii(safe, self.pii)) != safe:
            # Again, because what stood beside a secret may have hidden it.
            safe = redacted(without)
        return safe

    def id(self, text: str) -> str:
        """The id itself where it holds nothing to take out, else one that tells nothing, always the same and nobody else's.

        Slow then, on purpose: there are few enough phone numbers to try them all.
        """
        return text if self.text(text) == text else _veiled(text)

    def value(self, value: Json) -> Json:
        """The same for a JSON value: its texts, keys and numbers, JSON inside its texts, and what only a key gives away.

        Keys that become the same are numbered: no value is lost. What is nested very deeply becomes the text of its JSON.
        """
        from memtree.tree.redacted_json import JsonRedaction

        return JsonRedaction(self.text, self.pii).value(value)


@lru_cache(maxsize=1024)
def _veiled(text: str) -> str:
    digest = hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=b"memtree id", n=_EFFORT, r=8, p=1, dklen=12)
    # Letters only: no rule takes them for a number.
    return "id-" + "".join(chr(ord("a") + half) for byte in digest for half in divmod(byte, 16))
