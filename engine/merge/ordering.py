"""The order of a merged document.

Its anchors are what stands in its place on both sides. Between two anchors, what both sides added stands once, and what each has of
its own stays together as a run: sorted one by one, a person's lines would be torn apart, and again by every later merge. What a run
has before its first heading goes first, so that nothing falls under the other side's new heading.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from memtree.engine.merge.alignment import Alignment
from memtree.engine.merge.elements import Element, Sequences
from memtree.engine.merge.pairing import heaviest
from memtree.engine.merge.pieces import Piece
from memtree.engine.merge.registers import merge_piece
from memtree.tree.block_rules import BlockKind
from memtree.tree.matching import match_sequences

_MOST_PAIRS = 250_000
_HEAVY = 1 << 40  # more than all tie-breakers of one gap together
_LEVELS = 6


def arrange(sequences: Sequences, first: Alignment, second: Alignment) -> list[Element]:
    """All elements in the merged order, each once."""
    dropped = _later_places(sequences)
    rows = [
        [element for element in row if element not in gone]
        for row, gone in zip((sequences.one, sequences.two), dropped, strict=True)
    ]
    stretches = [_between_anchors(row, sequences.fixed) for row in rows]
    merged: list[Element] = []
    for (ones, anchor), (twos, _) in zip(*stretches, strict=True):
        merged += _concurrent(ones, twos, first, second)
        merged += [anchor] if anchor is not None else []
    return merged


def _between_anchors(row: Sequence[Element], fixed: set[Element]) -> list[tuple[list[Element], Element | None]]:
    stretches: list[tuple[list[Element], Element | None]] = []
    stretch: list[Element] = []
    for element in row:
        if element in fixed:
            stretches.append((stretch, element))
            stretch = []
        else:
            stretch.append(element)
    return [*stretches, (stretch, None)]


def _later_places(sequences: Sequences) -> tuple[set[Element], set[Element]]:
    """What both sides moved, to different gaps: the earlier place stays, the later one is dropped from its side."""
    gaps: list[dict[Element, int]] = [{}, {}]
    for row, gap in zip((sequences.one, sequences.two), gaps, strict=True):
        anchors = 0
        for element in row:
            if element in sequences.fixed:
                anchors += 1
            elif element.in_both:
                gap[element] = anchors
    one, two = gaps
    return {e for e in one if e in two and two[e] < one[e]}, {e for e in two if e in one and one[e] < two[e]}


def _concurrent(ones: list[Element], twos: list[Element], first: Alignment, second: Alignment) -> list[Element]:
    """What stands between two anchors."""
    if not ones or not twos:
        return ones or twos
    names = [_name(element, first.pieces, 1) for element in ones], [_name(element, second.pieces, 2) for element in twos]
    pairs = _common(*names)
    crossing = _crossing(names, pairs)
    gone: tuple[set[int], set[int]] = (set(), set())
    for here, there in (*pairs, *crossing):
        _unite(ones[here], twos[there], first, second)
    firsts, seconds = [one for one, _ in pairs], [two for _, two in pairs]
    for here, there in crossing:
        before, behind = (bisect_left(firsts, here), here), (bisect_left(seconds, there), there)
        # The earlier place stays.
        gone[before <= behind].add(there if before <= behind else here)
    merged: list[Element] = []
    at_one = at_two = 0
    for here, there in (*pairs, (len(ones), len(twos))):
        run_one = [element for n, element in enumerate(ones[at_one:here], at_one) if n not in gone[0]]
        run_two = [element for n, element in enumerate(twos[at_two:there], at_two) if n not in gone[1]]
        merged += _runs(run_one, run_two)
        merged += ones[here : here + 1]
        at_one, at_two = here + 1, there + 1
    return merged


def _name(element: Element, pieces: Sequence[Piece], side: int) -> Hashable:
    """What tells an element of one side to be the same as one of the other."""
    if element.in_both:
        return element
    if element.base is not None:
        return (side, element.base)
    return pieces[element.one if side == 1 else element.two].key  # type: ignore[index]


def _common(one: list[Hashable], two: list[Hashable]) -> list[tuple[int, int]]:
    """The longest common subsequence; ties break by what the texts are, so that the same pairs win in every merge."""
    shared = set(one) & set(two)
    here = [number for number, name in enumerate(one) if name in shared]
    there = [number for number, name in enumerate(two) if name in shared]
    if len(here) * len(there) > _MOST_PAIRS:
        return [(m.one + n, m.two + n) for m in match_sequences(one, two) for n in range(m.size)]
    weights = {name: float(_HEAVY + _lot(name)) for name in shared}
    table = [[weights[one[row]] if one[row] == two[column] else 0.0 for column in there] for row in here]
    return [(here[row], there[column]) for row, column in heaviest(table)]


def _lot(name: Hashable) -> int:
    text = name.key if isinstance(name, Element) else name
    return int.from_bytes(hashlib.sha256(text if isinstance(text, bytes) else b"").digest()[:3], "big")


def _crossing(names: tuple[list[Hashable], list[Hashable]], pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What both sides have in this gap, but in another order."""
    used = {here for here, _ in pairs}, {there for _, there in pairs}
    left: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, name in enumerate(names[1]):
        if number not in used[1]:
            left[name].append(number)
    found: list[tuple[int, int]] = []
    for number, name in enumerate(names[0]):
        if number not in used[0] and left.get(name):
            found.append((number, left[name].pop(0)))
    return found


def _unite(one: Element, two: Element, first: Alignment, second: Alignment) -> None:
    """One element for what both sides added."""
    if one is two or one.one is None or two.two is None:
        return
    one.two, two.one = two.two, one.one
    one.value = two.value = merge_piece(None, first.pieces[one.one], second.pieces[two.two], words=False, entries=False).piece


def _runs(one: list[Element], two: list[Element]) -> list[Element]:
    """Two sides' additions in one place, each side's as a whole."""
    if not one or not two:
        return one or two
    if not any(element.value for element in one) or not any(element.value for element in two):
        # What is deleted only waits for its heading; of two such runs neither may jump over text.
        return [*two, *one] if any(element.value for element in one) else [*one, *two]
    cuts = [next((n for n, e in enumerate(run) if e.value and e.value.kind is BlockKind.HEADING), len(run)) for run in (one, two)]
    merged: list[Element] = []
    for pair in ((one[: cuts[0]], two[: cuts[1]]), (one[cuts[0] :], two[cuts[1] :])):
        for run in sorted(pair, key=lambda run: [element.key for element in run if element.value]):
            merged += run
    return merged


def with_headings(elements: Iterable[Element], base: Sequence[Piece], first: Alignment, second: Alignment) -> list[Element]:
    """What is left without the deleted. A deleted heading stays while something that its keeper added or edited is under it."""
    row = list(elements)
    end = len(row)
    evidence = [end, end]  # the next element that speaks for each side
    headings = [end] * (_LEVELS + 1)  # the next heading of each level or one above
    for place in range(end - 1, -1, -1):
        element = row[place]
        if element.value is None and element.base is not None and base[element.base].kind is BlockKind.HEADING:
            keeper = 0 if element.one is not None else 1
            kept = first.pieces[element.one] if element.one is not None else second.pieces[element.two or 0]
            if evidence[keeper] < headings[kept.level]:
                element.value = kept
        if element.value is None:
            continue
        for side, speaks in enumerate(_speaks(element, base, first, second)):
            evidence[side] = place if speaks else evidence[side]
        if element.value.kind is BlockKind.HEADING:
            for level in range(element.value.level, _LEVELS + 1):
                headings[level] = place
    return [element for element in row if element.value is not None]


def _speaks(element: Element, base: Sequence[Piece], first: Alignment, second: Alignment) -> tuple[bool, bool]:
    """Whether each side added or edited what stands here."""
    if element.one is None or element.two is None:
        return element.one is not None, element.two is not None
    one, two = first.pieces[element.one].key, second.pieces[element.two].key
    if one == two or element.base is None:
        return False, False
    return one != base[element.base].key, two != base[element.base].key
