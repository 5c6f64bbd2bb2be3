"""Secrets: finding passwords, tokens and keys in a text by their shapes, and taking them out.

What is found says where and by which rule, never what: a secret's value stays in the text that holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from memtree.tree.secret_rules import RULES, Rule

_DOMAIN = b"memtree secret"
_DIGITS = 16
FINGERPRINT = re.compile(f"[0-9a-f]{{{_DIGITS}}}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret that a text holds: by which rule, on which line (from 1), between which bytes.

    The fingerprint is the same wherever the same secret stands, and does not tell it.
    """

    rule: str
    line: int
    start: int
    end: int
    fingerprint: str


class _Match(NamedTuple):
    """Where a rule matched; of two in one place the one with the lower rank counts."""

    start: int
    end: int
    rank: int
    rule: Rule


@dataclass(frozen=True, slots=True)
class _Table:
    """Rules compiled for one pass: where any anchor stands, the rules of that anchor are asked."""

    anchors: re.Pattern[bytes]
    rules: Mapping[bytes, tuple[tuple[int, Rule], ...]]

    def matches(self, text: bytes) -> Iterator[_Match]:
        for found in self.anchors.finditer(text):
            for rank, rule in self.rules[found[0]]:
                match = rule.match(text, found.start())
                if match:
                    yield _Match(*_span(match), rank, rule)


def find_secrets(data: bytes | str) -> list[Secret]:
    """The secrets in a text, in order, none overlapping another. Offsets count the bytes of its UTF-8."""
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    exact, folded = _tables()
    matches = chain(exact.matches(text), folded.matches(text.lower()))
    found = [match for match in matches if match.rule.accepts(text[match.start : match.end])]
    return list(_told(text, _apart(sorted(found, key=lambda one: (one.start, one.rank)))))


def redacted(text: str) -> str:
    """The text with each secret replaced by the name of its rule; what stands around it stays, the host of an address too."""
    data = text.encode("utf-8", "surrogatepass")
    # Again, because taking one away can bring two halves of another together.
    while found := find_secrets(data):
        parts, at = [], 0
        for secret in found:
            parts += [data[at : secret.start], b"[secret: %s]" % secret.rule.encode()]
            at = secret.end
        data = b"".join((*parts, data[at:]))
    return data.decode("utf-8", "surrogatepass")


@cache
def _tables() -> tuple[_Table, _Table]:
    return _compiled(folded=False), _compiled(folded=True)


def _compiled(*, folded: bool) -> _Table:
    rules: dict[bytes, list[tuple[int, Rule]]] = {}
    for rank, rule in enumerate(RULES):
        if rule.folded is folded:
            for anchor in rule.anchors:
                rules.setdefault(anchor.encode(), []).append((rank, rule))
    longest_first = sorted(rules, key=lambda anchor: (-len(anchor), anchor))
    return _Table(re.compile(b"|".join(map(re.escape, longest_first))), {anchor: tuple(some) for anchor, some in rules.items()})


def _span(match: re.Match[bytes]) -> tuple[int, int]:
    for group in ("value", "quoted"):
        if match.re.groupindex.get(group) and match[group] is not None:
            return match.span(group)
    return match.span()


def _apart(found: Iterable[_Match]) -> list[_Match]:
    """The matches, sorted by start, without those that overlap a better one."""
    kept: list[_Match] = []
    for match in found:
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
        elif match.rank < kept[-1].rank:
            kept[-1] = match
    return kept


def _told(text: bytes, kept: Iterable[_Match]) -> Iterator[Secret]:
    line, at = 1, 0
    for match in kept:
        line += text.count(b"\n", at, match.start)
        at = match.start
        yield Secret(match.rule.name, line, match.start, match.end, _fingerprint(match.rule, text[match.start : match.end]))


def _fingerprint(rule: Rule, value: bytes) -> str:
    return sha256(b"\0".join((_DOMAIN, rule.name.encode(), rule.essence(value)))).hexdigest()[:_DIGITS]
