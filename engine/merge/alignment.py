"""Where each piece of the base stands in a side: in its place, or moved.

Pieces are told by a token: the id that they carry, else their key. An id that any version holds twice tells nothing. A stub in a
side that forgot something is told by nothing but its place: there its text is every stub's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from memtree.engine.merge.pieces import Piece
from memtree.tree.conflict_callout import mint
from memtree.tree.forgotten import STUB, stubs
from memtree.tree.matching import match_sequences

Token = Hashable
_MOST_TRACED = 10_000  # pairs of callouts
# An entry's id stands at the end of a line of its own text, above what is nested in it; `p-` ones are those of profiles.
_ENTRY_ID = re.compile(rb"[ \t]+\^(m-[0-9A-Za-z]+|p-[0-9a-f]{10})[ \t]*$")
_INNER = re.compile(rb"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")


@dataclass(slots=True)
class Alignment:
    """One side. Each map leads from base pieces to the side's: `in_place`, `moved`, `edited`, and `linked` ones, which are edited
    and moved. `forgotten` are base pieces that the side lost where it put stubs.
    """

    pieces: Sequence[Piece]
    in_place: dict[int, int]
    moved: dict[int, int]
    edited: dict[int, int] = field(default_factory=dict)
    linked: dict[int, int] = field(default_factory=dict)
    forgotten: set[int] = field(default_factory=set)

    def of(self, base: int) -> int | None:
        """Where a base piece stands in the side, None when the side deleted it."""
        for found in (self.in_place, self.moved, self.edited, self.linked):
            if base in found:
                return found[base]
        return None

    def away(self, base: int) -> bool:
        """Whether the side put it somewhere else."""
        return base in self.moved or base in self.linked

    def known(self) -> dict[int, int]:
        """From the side's pieces to the base's."""
        every = {**self.in_place, **self.moved, **self.edited, **self.linked}
        return {there: here for here, there in every.items()}

    def new(self) -> list[int]:
        """What the side has that is neither in its place nor moved."""
        held = {*self.in_place.values(), *self.moved.values()}
        return [number for number in range(len(self.pieces)) if number not in held]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of the base and of both sides."""

    base: tuple[Token, ...]
    one: tuple[Token, ...]
    two: tuple[Token, ...]


def tokens_of(base: Sequence[Piece], one: Sequence[Piece], two: Sequence[Piece], *, entries: bool) -> Tokens:
    """Tell the pieces of three versions apart."""
    versions = (base, one, two)
    ids = [[piece_id(piece, entries=entries) for piece in pieces] for pieces in versions]
    for row, side in zip(ids[1:], versions[1:], strict=True):
        _trace_reopened(row, side, base)
    twice = {found for row in ids for found, count in Counter(row).items() if found and count > 1}
    rows = (
        tuple(found if found and found not in twice else piece.key for found, piece in zip(row, pieces, strict=True))
        for row, pieces in zip(ids, versions, strict=True)
    )
    return Tokens(*rows)


def _trace_reopened(row: list[tuple[str, bytes] | None], side: Sequence[Piece], base: Sequence[Piece]) -> None:
    """Give a callout that a merge opened again the id that it had before: it is the same place."""
    before = [piece.conflict.id for piece in base if piece.conflict]
    held = set(before)
    new = [(number, piece.conflict) for number, piece in enumerate(side) if piece.conflict and piece.conflict.id not in held]
    if len(new) * len(before) > _MOST_TRACED:
        return
    for number, callout in new:
        origin = next((known for known in before if callout.id == reopened_id(known, callout.variants)), None)
        row[number] = ("conflict", origin.encode()) if origin else row[number]


def reopened_id(before: str, variants: Iterable[bytes]) -> str:
    """The new id of a callout that opposite decisions opened again."""
    return mint(before.encode(), *sorted(variants))


def piece_id(piece: Piece, *, entries: bool) -> tuple[str, bytes] | None:
    """The id that a piece carries: a conflict callout's, and of entries an item's own."""
    if piece.conflict:
        return ("conflict", piece.conflict.id.encode())
    found = entry_id(piece.key) if entries and piece.is_item else None
    return ("entry", found) if found else None


def entry_id(text: bytes) -> bytes | None:
    """The id of an item without its `^`."""
    found = _id_line(text)
    return found[1] if found else None


def without_entry_id(text: bytes) -> bytes:
    """The item without its own id."""
    found = _id_line(text)
    if found is None:
        return text
    lines = text.split(b"\n")
    ending = b"\r" if lines[found[0]].endswith(b"\r") else b""
    lines[found[0]] = _ENTRY_ID.sub(b"", lines[found[0]].removesuffix(b"\r")) + ending
    return b"\n".join(lines)


def _id_line(text: bytes) -> tuple[int, bytes] | None:
    """The line that holds an item's own id, and the id."""
    for number, line in enumerate(text.split(b"\n")):
        if number and (not line.strip() or _INNER.match(line)):
            break
        match = _ENTRY_ID.search(line.removesuffix(b"\r"))
        if match:
            return number, match[1]
    return None


def align(
    base: Sequence[Piece], one: Sequence[Piece], two: Sequence[Piece], tokens: Tokens, *, shared_first: bool
) -> tuple[Alignment, Alignment]:
    """Both sides against the base. With `shared_first` what the sides have in common is found first, so that they agree on it."""
    old = [_placed(base, side, tokens.base) for side in (one, two)]
    first, second = _own_stubs(base, one, tokens.one), _own_stubs(base, two, tokens.two)
    places = _shared_first(old, first, second) if shared_first else (matched(old[0], first), matched(old[1], second))
    return (
        Alignment(one, places[0], _moves(old[0], first, places[0])),
        Alignment(two, places[1], _moves(old[1], second, places[1])),
    )


def forgets(base: Sequence[Piece], side: Sequence[Piece]) -> bool:
    """Whether a side has more stubs than the base."""
    count = sum(stubs(piece.key) for piece in side if STUB in piece.key)
    return count > 0 and count > sum(stubs(piece.key) for piece in base if STUB in piece.key)


def _own_stubs(base: Sequence[Piece], side: Sequence[Piece], tokens: Sequence[Token]) -> list[Token]:
    """A side's tokens; its stubs are nobody's, to be paired by their place."""
    if not forgets(base, side):
        return list(tokens)
    return [
        (number, "stub") if STUB in piece.key else token for number, (piece, token) in enumerate(zip(side, tokens, strict=True))
    ]


def _placed(base: Sequence[Piece], side: Sequence[Piece], tokens: Sequence[Token]) -> list[Token]:
    if not forgets(base, side):
        return list(tokens)
    return [
        (number, "base") if STUB in piece.key else token for number, (piece, token) in enumerate(zip(base, tokens, strict=True))
    ]


def matched(old: Sequence[Token], new: Sequence[Token]) -> dict[int, int]:
    """The longest common subsequence. Of equal neighbours the last one is taken, always: the others were added before it."""
    pairs = [(match.one + n, match.two + n) for match in match_sequences(old, new) for n in range(match.size)]
    limit_old, limit_new = len(old), len(new)
    found: dict[int, int] = {}
    for here, there in reversed(pairs):
        while here + 1 < limit_old and old[here + 1] == old[here]:
            here += 1
        while there + 1 < limit_new and new[there + 1] == new[there]:
            there += 1
        found[here] = there
        limit_old, limit_new = here, there
    return dict(reversed(found.items()))


def _shared_first(
    old: Sequence[Sequence[Token]], one: Sequence[Token], two: Sequence[Token]
) -> tuple[dict[int, int], dict[int, int]]:
    shared = list(matched(one, two).items())
    spine = matched(old[0], [one[here] for here, _ in shared])
    found: tuple[dict[int, int], dict[int, int]] = ({}, {})
    begin = (0, 0, 0)
    for place, number in (*spine.items(), (len(old[0]), None)):
        ends = shared[number] if number is not None else (len(one), len(two))
        for tokens, old_tokens, start, end, known in zip((one, two), old, begin[1:], ends, found, strict=True):
            inner = matched(old_tokens[begin[0] : place], tokens[start:end])
            known.update({begin[0] + here: start + there for here, there in inner.items()})
            if number is not None:
                known[place] = end
        begin = (place + 1, ends[0] + 1, ends[1] + 1)
    return found


def _moves(old: Sequence[Token], new: Sequence[Token], places: dict[int, int]) -> dict[int, int]:
    """What stands elsewhere; only a token that each version holds once can tell."""
    counts, others = Counter(old), Counter(new)
    held = set(places.values())
    free = {token: number for number, token in enumerate(new) if number not in held}
    return {
        number: free[token]
        for number, token in enumerate(old)
        if number not in places and token in free and counts[token] == 1 == others[token]
    }
