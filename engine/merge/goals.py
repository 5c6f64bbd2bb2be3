"""MEMORY_GOALS.md: the entries of a memory file whose labels stay unique.

Both sides number what they add. So goals are matched by label and text first, are merged as entries under keys of their own, and
get their labels back. Where one label is wanted twice, one goal gets the next label that was never given, the same one on every
machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memtree.engine.merge.line_ends import level, one_text
from memtree.engine.merge.outcome import Content
from memtree.engine.merge.prose import merge_entries
from memtree.engine.merge.three_way import pick
from memtree.tree.goals import Goal, goals_of, highest_comment, highest_label, split_goals, with_highest
from memtree.tree.paths import RepoPath

_KEYED = re.compile(rb"^([-*+][ \t]+)\[g_\] ([^\n]*?)(?: \^m-([0-9a-z]+))?((?:\n(?:  |\t)[^\n]+)*)(?:\n|\Z)", re.MULTILINE)
_BETWEEN = re.compile(rb"(^[-*+][ \t]+\[g_\][^\n]*\n(?:(?:  |\t)[^\n]+\n)*)(?:[ \t]*\n)+(?=[-*+][ \t]+\[g_\])", re.MULTILINE)
_OURS = (b"[g_]", b"^m-")  # what stands in for labels, and what would be taken for a key
_UNNUMBERED = 0
_ROUNDS = 3

Keys = dict[int, str]  # the key of each goal of a version, by its place in the file
_SAME: tuple[Callable[[Goal], Any], ...] = (lambda goal: (goal.label, goal.text), lambda goal: goal.text, lambda goal: goal.label)


@dataclass(frozen=True, slots=True)
class _Claim:
    """A goal of the merged file and the label it would like; of two that want one the smaller `rank` keeps it."""

    goal: Goal
    rank: tuple[int, int, bytes]


def merge_goals(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of MEMORY_GOALS.md."""
    same = one_text(base, ours, theirs)
    if same is not None:
        return Content(same)
    levelled = level(base, ours, theirs)
    old, sides = levelled.base or b"", sorted((levelled.ours, levelled.theirs))
    merged = _merged(path, old, *sides)
    data = _at_rest(lambda *versions: _merged(path, old, *sorted(versions)).data, sides, merged.data)
    return replace(merged, data=levelled.written(data))


def _at_rest(merge: Callable[[bytes, bytes], bytes], sides: Sequence[bytes], merged: bytes) -> bytes:
    """The result once merging a side into it again changes nothing; a few blank lines may come to that only the second time."""
    data = merged
    for _ in range(_ROUNDS):
        again = {merge(data, side) for side in sides if side != data} - {data}
        if not again:
            return data
        data = max(again)
    return merged


def _merged(path: RepoPath, base: bytes, one: bytes, two: bytes) -> Content:
    if base in (one, two):
        return Content(two if one == base else one)
    versions = [goals_of(data) for data in (base, one, two)]
    keys = _keys(*versions)
    if any(ours in data for ours in _OURS for data in (base, one, two)):
        return merge_entries(path, base, one, two)
    old, first, second = (_keyed(data, known) for data, known in zip((base, one, two), keys, strict=True))
    merged = merge_entries(path, old, *sorted((first, second))) if first != second else Content(first)
    highest = max(map(highest_label, (base, one, two)))
    text = merged.data if any(map(_is_loose, (one, two))) else _BETWEEN.sub(rb"\1", merged.data)
    wanted = _wanted(versions, keys, [highest_label(data) for data in (base, one, two)])
    data = _labelled(_without_known(text), wanted, highest)
    # Both sides only put the goals in another order, which the labels' order undoes: no merge may give the base again.
    return replace(merged, data=max(one, two) if data == base else data)


def _is_loose(data: bytes) -> bool:
    """Whether blank lines stand between the goals of a list."""
    parts = split_goals(data)
    return any(isinstance(part, bytes) and not part.strip() for part in parts[1:-1])


# -- keys


def _keys(base: Sequence[Goal], one: Sequence[Goal], two: Sequence[Goal]) -> tuple[Keys, Keys, Keys]:
    """One key for one goal, in whichever version it stands: after its place in the base, else after its text."""
    found: list[Keys] = [{at: f"b{at}" for at in range(len(base))}]
    for side in (one, two):
        match = _matches(base, side)
        known = {there: f"b{at}" for at, there in match.items()}
        found.append({at: known.get(at) or "n" + hashlib.sha256(goal.text).hexdigest()[:12] for at, goal in enumerate(side)})
    return found[0], found[1], found[2]


def _matches(old: Sequence[Goal], new: Sequence[Goal]) -> dict[int, int]:
    """Which goal became which: the same label and text, else the same text (numbered anew), else the same label (an edit)."""
    found: dict[int, int] = {}
    used: set[int] = set()
    for same in _SAME:
        for at, goal in enumerate(old):
            if at not in found:
                there = next((n for n, other in enumerate(new) if n not in used and same(other) == same(goal)), None)
                if there is not None:
                    found[at] = there
                    used.add(there)
    return found


def _keyed(data: bytes, keys: Keys) -> bytes:
    """The file with keys in place of labels, each list in the order of its labels."""
    parts: list[bytes] = []
    at = 0
    for part in split_goals(data):
        if isinstance(part, bytes):
            parts.append(part)
            continue
        named = [(goal.label, goal.text, keys[at + n], goal.mark) for n, goal in enumerate(part)]
        at += len(part)
        for _, text, key, mark in sorted(named):
            first, more, rest = text.partition(b"\n")
            parts.append(mark + b"[g_] " + first + b" ^m-" + key.encode() + more + rest + b"\n")
    return with_highest(b"".join(parts), _UNNUMBERED)


# -- labels


def _wanted(versions: Sequence[Sequence[Goal]], keys: Sequence[Keys], highest: Sequence[int]) -> Mapping[str, int]:
    """The label that each key would like: the one that a side changed it to; of two the larger.

    What one side alone has may not keep a label that the other one gave too and took away again: it stood for another goal there.
    """
    labels = [{key: versions[n][at].label for at, key in known.items()} for n, known in enumerate(keys)]
    old, one, two = labels
    wanted: dict[str, int] = {}
    for key in {**one, **two}:
        mine, other = one.get(key), two.get(key)
        if mine is None or other is None:
            label, elsewhere = (other, 1) if mine is None else (mine, 2)
            gone = key not in old and highest[0] < (label or 0) <= highest[elsewhere] and label not in labels[elsewhere].values()
            wanted[key] = _UNNUMBERED if gone or label is None else label
        else:
            wanted[key] = pick(old.get(key), mine, other, lambda: max(mine, other)) or _UNNUMBERED  # noqa: B023
    return wanted


def _labelled(data: bytes, wanted: Mapping[str, int], highest: int) -> bytes:
    """The merged file with labels in place of keys, and the highest one remembered where the list does not show it."""
    found = list(_KEYED.finditer(data))
    claims = [_claim(match, wanted) for match in found]
    labels: dict[int, int] = {}
    for at, claim in sorted(enumerate(claims), key=lambda each: (each[1].rank, each[0])):
        label = claim.goal.label
        if label == _UNNUMBERED or label in labels.values():
            highest += 1
            label = highest
        labels[at] = label
    numbered = iter([replace(claim.goal, label=labels[at]) for at, claim in enumerate(claims)])
    data = b"".join(_in_order(_KEYED.sub(lambda _: next(numbered).render(), data)))
    highest = max([highest, *labels.values()])
    data = with_highest(data, highest)
    return data if highest_label(data) == highest else data + highest_comment(highest) + b"\n"


def _without_known(data: bytes) -> bytes:
    """The merged file without the versions that gave way and that one side already holds as goals of their own."""
    texts = {match[2] + match[4] for match in _KEYED.finditer(data) if match[3]}
    return _KEYED.sub(lambda match: match[0] if match[3] or match[2] + match[4] not in texts else b"", data)


def _claim(match: re.Match[bytes], wanted: Mapping[str, int]) -> _Claim:
    key = (match[3] or b"").decode()
    goal = Goal(wanted.get(key, _UNNUMBERED), match[2] + match[4], match[1])
    known = key.startswith("b")
    return _Claim(goal, (goal.label or 2**31, 0 if known else 1, key[1:].rjust(12, "0").encode() if known else goal.text))


def _in_order(data: bytes) -> Iterator[bytes]:
    for part in split_goals(data):
        if isinstance(part, bytes):
            yield part
        else:
            yield from (goal.render() for goal in sorted(part, key=lambda goal: goal.label))
