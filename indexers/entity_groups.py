"""Groups: which ids mean one entity. Files under `entities/` say so, each for itself; groups that share an id are one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Declared(NamedTuple):
    """An id that a file under `entities/` names, with its number in the graph; `own` is the one that the file is about."""

    file: int
    id: str
    number: int
    own: bool


class Groups:
    """The groups of all files. An id that no file names is a group of its own."""

    def __init__(self, members: Mapping[str, frozenset[str]], heads: Mapping[str, str], numbers: Mapping[str, int]) -> None:
        self._members = members
        self._heads = heads
        self._numbers = {head: tuple(sorted(numbers[name] for name in names)) for head, names in members.items()}
        self._one = {number: found[0] for found in self._numbers.values() for number in found}
        self.numbers = self._one.keys()  # of all that a file names
        self._of_one = {found[0]: found for found in self._numbers.values()}

    def head(self, id: str) -> str:  # noqa: A002
        """The id that stands for the group: the smallest that a file is about, the same whatever order the files came in."""
        return self._heads.get(id, id)

    def members(self, id: str) -> frozenset[str]:  # noqa: A002
        """All ids that mean the same, this one with them."""
        return self._members.get(self.head(id)) or frozenset((id,))

    def one(self, number: int) -> int:
        """The least number of an entity's group: what stands for all of them."""
        return self._one.get(number, number)

    def all(self, number: int) -> tuple[int, ...]:
        """The numbers of a group, by its least one."""
        return self._of_one.get(number, (number,))


def grouped(declared: Iterable[Declared]) -> Groups:
    """Join what files declare (union-find)."""
    above: dict[str, str] = {}
    numbers: dict[str, int] = {}
    first: dict[int, str] = {}
    owns: set[str] = set()

    def root(name: str) -> str:
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for one in declared:
        above.setdefault(one.id, one.id)
        numbers[one.id] = one.number
        if one.own:
            owns.add(one.id)
        above[root(one.id)] = root(first.setdefault(one.file, one.id))
    members: dict[str, set[str]] = {}
    for name in above:
        members.setdefault(root(name), set()).add(name)
    heads = {name: min(group & owns or group) for group in members.values() for name in group}
    return Groups({heads[name]: frozenset(group) for name, group in members.items()}, heads, numbers)
