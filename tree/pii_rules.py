r"""The table of personal data: which shapes, checksums and words nearby give a number away.

Nothing but digits announces such a number, so each rule says which run of digits it begins with, and what stands before that. It is
asked at every such run and nowhere else; its expression has bounds everywhere, so that the time is in proportion to the text.

A number whose checksum is strong, or whose form nothing else has, is taken wherever it stands. Others need a word beside them that
names them. Digits alone are never a phone number: ids of chats, orders and times look the same.

What is taken though it is none, because nothing in it tells: a number of 14 to 19 digits that begins as cards do and has their sum
by chance (one order number in ten of those with such a beginning); three groups of four digits with the sum of Aadhaar (one in
ten); `123-45-6789` in another country's numbering; a part number of two letters, six digits and a letter from A to D, or of eight
digits and the one of 23 letters that fits; `+` before nine digits and more, as in a diff; the id of a mail, which looks like an
address. What is not taken: a phone number as it is dialled at home or with `00` (`030/901820`), an address with its at sign spelt
out, names, and streets.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memtree.tree import checksums


class PiiClass(enum.Enum):
    """A kind of personal data. The value is its name in settings and in what stands in its place."""

    CARD = "card"
    IBAN = "iban"
    NATIONAL_ID = "national-id"
    PHONE = "phone"
    EMAIL = "email"


Accepts = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class PiiRule:
    """A shape of a number. `lead` characters of it stand before its first digits; `first` are how many digits that run may have.

    `before` is what stands right before that run: a letter (`A`), a `+`, a `(`, or anything else (a blank). `accepts` has the last
    word on the number, bare and in upper case. With a `keyword`, one must stand near.
    """

    kind: PiiClass
    before: str
    lead: int
    first: frozenset[int]
    expression: str
    accepts: Accepts
    keyword: str = ""

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """Where it stands in a folded text when its first run of digits begins at `at`."""
        found = _compiled(self.expression).match(text, at - self.lead) if at >= self.lead else None
        if found is None or (self.keyword and not self._is_named(text, *found.span())):
            return None
        return found if self.accepts(_MARKS.sub("", found[0]).upper()) else None

    def _is_named(self, text: str, start: int, end: int) -> bool:
        around = text[max(start - _BEFORE, 0) : start], text[end : end + _AFTER]
        return any(_compiled(f"(?i:{self.keyword})").search(part) for part in around)


_BEFORE, _AFTER = 40, 20  # characters in which a word names a number
_MARKS = re.compile(r"[^0-9A-Za-zñÑ&]")
LONGEST = 20  # runs of more digits are all asked about like one of these

# A number does not begin or end in the middle of a word, an id or a decimal number.
_START = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9]_)(?<![0-9][.-])"
_STOP = r"(?![A-Za-z0-9])(?!_[A-Za-z0-9])(?!\.[0-9])"
_END = _STOP + "(?!-[0-9])"


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def _any(_: str) -> bool:
    return True


_BRANDS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|220[0-4]\d{12,15}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11,16}|35(?:2[89]|[3-8]\d)\d{12,15}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|62\d{14,17}|(?:60|8[12])\d{14}"
    r"|508\d{13}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{9,15}",
    re.ASCII,
)


def _is_card(digits: str) -> bool:
    return _BRANDS.fullmatch(digits) is not None and len(set(digits)) > 1 and checksums.is_luhn(digits)


def _is_years(digits: str) -> bool:
    return all(group[:2] in ("19", "20") for group in (digits[:4], digits[4:8], digits[8:]))


def _is_grouped_aadhaar(digits: str) -> bool:
    return not _is_years(digits) and checksums.is_verhoeff(digits)


def _rule(kind: PiiClass, first: str, pattern: str, accepts: Accepts = _any, *, lead: str = "", near: str = "") -> PiiRule:
    """A rule; `first` is `4`, or `2 9 11`, or `13-19`, and `lead` shows what stands before, as `AA` or `+`."""
    lengths: set[int] = set()
    for one in first.split():
        least, _, most = one.partition("-")
        lengths.update(range(int(least), int(most or least) + 1))
    return PiiRule(kind, lead[-1:] or " ", len(lead), frozenset(lengths), pattern, accepts, near)


def _card(first: str, pattern: str, near: str = "") -> PiiRule:
    return _rule(PiiClass.CARD, first, f"{_START}{pattern}{_STOP}(?!@)", _is_card, near=near)


def _id(first: str, pattern: str, accepts: Accepts = _any, *, lead: str = "", near: str = "") -> PiiRule:
    return _rule(PiiClass.NATIONAL_ID, first, f"{_START}{pattern}{_END}", accepts, lead=lead, near=near)


def _phone(first: str, pattern: str, lead: str = "", near: str = "") -> PiiRule:
    return _rule(PiiClass.PHONE, first, f"{_START}{pattern}{_END}", lead=lead, near=near)


# What follows the four characters that every IBAN begins with, by country (the IBAN registry).
_IBAN_LENGTHS = {
    11: "NO",
    12: "BE",
    14: "DK FI FO GL NL SD FK",
    15: "MK SI",
    16: "AT BA EE KZ LT LU XK MN",
    17: "CH CR HR LI LV",
    18: "BG BH DE GB GE IE ME RS VA",
    19: "AE GI IL IQ OM TL SO",
    20: "AD CZ ES MD PK RO SA SE SK TN VG",
    21: "LY PT ST",
    22: "IS TR",
    23: "BI DJ FR GR IT MC MR SM",
    24: "AL AZ BY CY DO GT HU LB NI PL SV",
    25: "BR EG PS QA UA",
    26: "JO KW MU YE",
    27: "MT SC",
    29: "RU",
    28: "LC",
}


def _ibans(step: str, case: str) -> str:
    some = (f"(?:{names.replace(' ', '|')})[0-9]{{2}}(?:{step}[0-9A-Z]){{{n}}}" for n, names in _IBAN_LENGTHS.items())
    return f"{_START}(?{case}:{'|'.join(some)}){_STOP}"


_NANP_AREA, _NANP_EXCHANGE = "[2-9](?!11)[0-8][0-9]", "[2-9](?!11)[0-9]{2}"
# Codes of countries. One and seven are followed by ten digits, the others by at least seven.
_CODES = (
    r"(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
    r"|2[1-689][0-9]|3[578][0-9]|42[013]|5[09][0-9]|6[789][0-9]|8[05789][0-9]|9[679][0-9])"
)
_GAP = r"[ .()/-]{0,2}"
_ABROAD = rf"{_CODES}{_GAP}(?:[0-9]{_GAP}){{6,12}}[0-9]"
_AMERICA = rf"1[ .-]{{0,2}}\(?{_NANP_AREA}\)?[ .-]{{0,2}}{_NANP_EXCHANGE}[ .-]?[0-9]{{4}}"
_RUSSIA = rf"7{_GAP}(?:[0-9]{_GAP}){{9}}[0-9]"
_CALL = r"phone|mobile|\bcell|\bcall\b|\btel\b|\bfax|whatsapp|\bsms\b|手机|电话"

_NINO = "(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]"
_MONTH, _DAY = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
_OMITTED = "[0-9LMNP-V]"  # digits of a codice fiscale become letters when two people would have the same
_PAN = r"PAN\b|permanent account|income.?tax"

RULES: tuple[PiiRule, ...] = (
    _card("14-19", "[0-9]{14,19}"),
    _card("13", "[0-9]{13}", near="card|visa|credit|debit|kredit|tarjeta|cart[aeã]|卡"),
    _card("4", r"[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}"),
    _card("4", r"[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}\1[0-9]{1,3}"),
    _card("4", r"[0-9]{4}([ -])[0-9]{6}\1[0-9]{4,5}"),
    _card("4", r"[0-9]{4}([ -])[0-9]{3}\1[0-9]{3}\1[0-9]{3}"),
    _rule(PiiClass.IBAN, "2-20", _ibans("", "i"), checksums.is_iban, lead="AA"),
    _rule(PiiClass.IBAN, "2-20", _ibans("[ -]?", "-i"), checksums.is_iban, lead="AA"),
    # United States: no sum, so the form with dashes and the numbers that were never given; else its name.
    _id("3", r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}"),
    _id("3 9", r"(?!000|666|9)[0-9]{3}[ .]?(?!00)[0-9]{2}[ .]?(?!0000)[0-9]{4}", near=r"\bSSN|social.?security"),
    # Brazil
    _id("3", r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", checksums.is_cpf),
    _id("3 9 11", r"[0-9]{3}[ .]?[0-9]{3}[ .]?[0-9]{3}[ /-]?[0-9]{2}", checksums.is_cpf, near="CPF"),
    _id("2", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}/[0-9]{4}-[0-9]{2}", checksums.is_cnpj),
    _id("2 8 12 14", r"[0-9]{2}[ .]?[0-9]{3}[ .]?[0-9]{3}[ /]?[0-9]{4}[ -]?[0-9]{2}", checksums.is_cnpj, near="CNPJ"),
    # Argentina
    _id("2", "(?:2[03-7]|3[034])-[0-9]{8}-[0-9]", checksums.is_cuit),
    _id("2 11", r"(?:2[03-7]|3[034])[ -]?[0-9]{2}\.?[0-9]{3}\.?[0-9]{3}[ -]?[0-9]", checksums.is_cuit, near="CUI[TL]"),
    # India
    _id("4", r"(?<![0-9][ ])[2-9][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}(?![ -][0-9])", _is_grouped_aadhaar),
    _id("4 12", r"[2-9][0-9]{3}([ -]?)[0-9]{4}\1[0-9]{4}", checksums.is_verhoeff, near="aadh?aar|uidai|आधार"),
    _id("4", "[A-Z]{3}P[A-Z][0-9]{4}[A-Z]", lead="AAAAA"),
    _id("4", "[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]", lead="AAAAA", near=_PAN),
    # United Kingdom
    _id("6", f"{_NINO}[0-9]{{6}}[ ]?[A-D]", lead="AA"),
    _id("2 6", f"{_NINO}[ -][0-9]{{2}}([ -]?)[0-9]{{2}}\\1[0-9]{{2}}[ -]?[A-D]", lead="AA "),
    _id("2", f"{_NINO}[0-9]{{2}}([ -])[0-9]{{2}}\\1[0-9]{{2}}\\1[A-D]", lead="AA"),
    # Spain
    _id("8", "[0-9]{8}-?[A-HJ-NP-TV-Z]", checksums.is_dni),
    _id("2", r"[0-9]{2}\.[0-9]{3}\.[0-9]{3}-?[A-HJ-NP-TV-Z]", checksums.is_dni),
    _id("7", "[XYZ][0-9]{7}-?[A-HJ-NP-TV-Z]", checksums.is_dni, lead="A"),
    _id("7", "[XYZ]-[0-9]{7}-?[A-HJ-NP-TV-Z]", checksums.is_dni, lead="A "),
    # Korea, China, Japan
    _id("6", f"[0-9]{{2}}{_MONTH}{_DAY}-[1-8][0-9]{{6}}", checksums.is_rrn),
    _id("6 13", f"[0-9]{{2}}{_MONTH}{_DAY}[ -]?[1-8][0-9]{{6}}", checksums.is_rrn, near=r"주민|외국인등록|\bRRN\b|resident reg"),
    _id("17 18", "[1-9][0-9]{16}[0-9Xx]", checksums.is_resident),
    _id("4 12", r"[0-9]{4}([ -]?)[0-9]{4}\1[0-9]{4}", checksums.is_my_number, near="マイナンバー|個人番号|my.?number"),
    # Mexico
    _id("6-9", r"[A-ZÑ&]{4}[0-9]{6}[A-Z0-9]{2}[0-9A]", checksums.is_rfc, lead="AAAA"),
    _id("6-9", r"[A-ZÑ&]{3}[0-9]{6}[A-Z0-9]{2}[0-9A]", checksums.is_rfc, lead="AAA"),
    _id("6", "[A-Z]{4}[0-9]{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-ZÑ]{3}[0-9A-Z][0-9]", checksums.is_curp, lead="AAAA"),
    # France, Italy, Germany
    _id("1", rf"[12]([ ]?)[0-9]{{2}}\1{_MONTH}\1(?:[0-9]{{2}}|2[AB])\1[0-9]{{3}}\1[0-9]{{3}}[ ]?[0-9]{{2}}", checksums.is_nir),
    _id("6 13 15", rf"[12][0-9]{{2}}{_MONTH}(?:[0-9]{{2}}|2[AB])[0-9]{{6}}[ ]?[0-9]{{2}}", checksums.is_nir),
    _id(
        "2", f"[A-Z]{{6}}[0-9]{{2}}[A-EHLMPRST]{_OMITTED}{{2}}[A-Z]{_OMITTED}{{3}}[A-Z]", checksums.is_codice_fiscale, lead="AAAAAA"
    ),
    _id(
        "2 11",
        r"[1-9][0-9]([ ]?)[0-9]{3}\1[0-9]{3}\1[0-9]{3}",
        checksums.is_steuer_id,
        near=r"steuer|identifikationsnummer|\bIdNr|\bTIN\b|tax.?id",
    ),
    _phone("1-15", rf"\+(?:{_ABROAD}|{_AMERICA}|{_RUSSIA})", lead="+"),
    _phone("1-3", rf"\+\({_CODES}\){_GAP}(?:[0-9]{_GAP}){{6,12}}[0-9]", lead="+("),
    _phone("1 3", rf"(?:1[ .-])?{_NANP_AREA}([.-]){_NANP_EXCHANGE}\1[0-9]{{4}}"),
    _phone("1", rf"1[ .-]?\({_NANP_AREA}\)[ .-]?{_NANP_EXCHANGE}[ .-][0-9]{{4}}"),
    _phone("3", rf"\({_NANP_AREA}\)[ .-]?{_NANP_EXCHANGE}[ .-][0-9]{{4}}", lead="("),
    _phone("1 3", rf"(?:1 )?{_NANP_AREA} {_NANP_EXCHANGE}[ -][0-9]{{4}}", near=_CALL),
    # China: mobiles, as they are grouped there; bare digits only where they are named.
    _phone("3", r"1[3-9][0-9]([ -])[0-9]{4}\1[0-9]{4}(?![ -][0-9])"),
    _phone("11", "1[3-9][0-9]{9}", near=_CALL),
)
