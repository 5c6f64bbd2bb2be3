"""A fact's state with what belongs to it: which of two states stands, what superseded the fact and why.

They are one value: a fact that one machine found superseded and another one retracted is retracted, for the reason that was given
for that. So the side whose state stands keeps these keys, and they are taken out of the other versions before the rest of the front
matter is merged key by key.
"""

from __future__ import annotations

from dataclasses import replace

from memtree.engine.merge.front_matter import word_of
from memtree.engine.merge.header_keys import HeaderKey, HeaderKeys
from memtree.tree.forgotten import forgets_more

TOGETHER = ("state", "superseded_by", "reason")
_STATES = (b"active", b"superseded", b"retracted")

_Group = tuple[bytes, ...]


def one_state(base: HeaderKeys, one: HeaderKeys, two: HeaderKeys) -> tuple[HeaderKeys, HeaderKeys, HeaderKeys]:
    """The three versions, with the keys of the state left only in the side whose state stands; as they are where both have one."""
    was, first, second = (_group(each) for each in (base, one, two))
    if first == second:
        return base, one, two
    stands = second if first == was else first if second == was else max(first, second, key=_finality)
    winner, loser = (one, two) if stands == first else (two, one)
    winner = _forgetting(base, winner, loser)
    stripped, given = _without(base), _without(loser)
    return (stripped, winner, given) if stands == first else (stripped, given, winner)


def _group(front: HeaderKeys) -> _Group:
    known = front.by_name()
    return tuple(known[name].text if name in known else b"" for name in TOGETHER)


def _finality(group: _Group) -> tuple[int, _Group]:
    """Of two groups that both sides changed the larger one stands. It says nothing of whose they are."""
    word = word_of(group[0])
    return _STATES.index(word) if word in _STATES else -1, group


def _forgetting(base: HeaderKeys, winner: HeaderKeys, loser: HeaderKeys) -> HeaderKeys:
    """The winner, with what the loser forgot of these keys forgotten in it."""
    was, other = base.by_name(), loser.by_name()
    keys = [
        replace(key, text=other[key.name].text)
        if key.name in TOGETHER and key.name in other and key.name in was and forgets_more(was[key.name].text, other[key.name].text)
        else key
        for key in winner.keys
    ]
    return replace(winner, keys=tuple(keys))


def _without(front: HeaderKeys) -> HeaderKeys:
    """The header without these keys; comments above them stand above what follows."""
    kept: list[HeaderKey] = []
    above = b""
    for key in front.keys:
        if key.name in TOGETHER:
            above += key.remarks
        else:
            kept.append(replace(key, remarks=above + key.remarks))
            above = b""
    return replace(front, keys=tuple(kept), remarks=above + front.remarks)
