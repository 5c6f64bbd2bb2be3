"""How many tokens a text costs, estimated from its bytes by class, about a hundred megabytes a second.

Good enough to size chunks: within 0.66 to 1.42 of the real count on notes in thirty languages, the median 0.98. Counting bytes or
characters is not: a Chinese character is one to two tokens, and four English letters are about one.
"""

from __future__ import annotations

import string

# Tokens a byte, fitted to a 32,000-piece Llama vocabulary on 900 documents and checked on 900 others. UTF-8 is weighed by lead
# bytes, so that each character counts once; those of emoji are by hand. Spaces and continuation bytes cost nothing.
_ASCII = (
    (string.ascii_letters.encode(), 0.32),
    (string.digits.encode(), 1.09),
    (string.punctuation.encode(), 0.71),
    (b"\n", 0.52),
)
_LEADS = (
    (range(0xC2, 0xD0), 1.33),
    (range(0xD0, 0xD4), 0.43),
    (range(0xD4, 0xE0), 1.16),
    (range(0xE0, 0xE3), 1.45),
    (range(0xE3, 0xEA), 1.34),
    (range(0xEA, 0xEE), 2.17),
    (range(0xEE, 0xF0), 2.17),
    (range(0xF0, 0xF5), 3.0),
)


def _others(kept: bytes) -> bytes:
    return bytes(set(range(256)) - set(kept))


# `translate` with everything but a class deleted leaves that class: its length is the count.
_ASCII_CLASSES = tuple((_others(kept), weight) for kept, weight in _ASCII)
_LEAD_CLASSES = tuple((_others(bytes(kept)), weight) for kept, weight in _LEADS)


def count_tokens(data: bytes) -> float:
    """Estimate the tokens of UTF-8 text; the estimate of two texts joined is the sum of both."""
    classes = _ASCII_CLASSES if data.isascii() else (*_ASCII_CLASSES, *_LEAD_CLASSES)
    return sum(weight * len(data.translate(None, others)) for others, weight in classes)
