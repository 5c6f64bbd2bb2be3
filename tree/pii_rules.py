"""The classes of personal data that settings may name."""

from __future__ import annotations

import enum


class PiiClass(enum.Enum):
    """A kind of personal data. The value is its name in settings and in what stands in its place."""

    CARD = "card"
    IBAN = "iban"
    NATIONAL_ID = "national-id"
    PHONE = "phone"
    EMAIL = "email"
