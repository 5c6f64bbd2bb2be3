"""What models cost: tokens of a call, as trailers of the commit that it led to and as lines of this machine's ledger.

A trailer travels with its commit and says what a piece of memory cost; the ledger also knows the calls that led to nothing. Neither
holds a word of what was asked or said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

MODEL_TRAILER = "Memtree-Model"
TOKENS_TRAILER = "Memtree-Tokens"
_TOKENS = re.compile(r"input (\d{1,15}), output (\d{1,15})")
_NAME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that went in and came out of `requests` requests to a model, in `seconds`. A server that counts none leaves 0."""

    model: str = ""
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.model or other.model,
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
        )


def trailers(usage: Usage | None) -> str:
    """The lines that tell a commit's cost, for the end of its message: '' without a model."""
    if usage is None or not usage.model:
        return ""
    name = " ".join(usage.model.split())[:_NAME_LIMIT]
    return f"{MODEL_TRAILER}: {name}\n{TOKENS_TRAILER}: input {usage.input_tokens}, output {usage.output_tokens}\n"


def read_trailers(found: Mapping[str, str]) -> Usage | None:
    """What a commit's trailers (by their names without `Memtree-`, in lower case) say of its cost; None where they say nothing."""
    model = " ".join(found.get("model", "").split())[:_NAME_LIMIT]
    if not model:
        return None
    tokens = _TOKENS.fullmatch(found.get("tokens", "").strip())
    asked, said = (int(tokens[1]), int(tokens[2])) if tokens else (0, 0)
    return Usage(model, 1, asked, said)
