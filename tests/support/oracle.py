"""The oracle of a fleet of machines: it follows every word ever written, and can tell a loss from a decision.

It knows nothing of how the engine merges. It knows which words a person or a program added, which they took away with their eyes on
them, what they had seen by then, and what was committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Act:
    """One change made on purpose, perhaps of a text that was read earlier."""

    device: str
    path: str
    since: int  # how many acts there had been when the text was read
    view: str  # the commit of its device then
    touched: set[bytes]  # the words of the passages that it changed
    removed: dict[bytes, set[bytes]]  # each word with all of its passage
    whole: bool = False  # it took the whole file
    moved_to: str = ""  # it gave the file another name
    done: bool = True  # for certain; a killed program's may have been, or not
    number: int = 0
    commit: str = ""  # on its device, by which the act was committed for certain


@dataclass(slots=True)
class Oracle:
    acts: list[Act] = field(default_factory=list)
    acknowledged: set[bytes] = field(default_factory=set)
    superseded: set[bytes] = field(default_factory=set)  # by somebody who had seen them
    headings: set[bytes] = field(default_factory=set)
    waiting: dict[str, set[bytes]] = field(default_factory=dict)  # added on a device, not acknowledged yet

    def add(self, act: Act, added: set[bytes]) -> None:
        act.number = len(self.acts)
        self.acts.append(act)
        self.superseded |= act.removed.keys()
        self.waiting.setdefault(act.device, set()).update(added)

    def owed(self) -> set[bytes]:
        return self.acknowledged - self.superseded

    def awaited(self, device: str) -> set[bytes]:
        """What was saved on a device and not acknowledged yet."""
        return self.waiting.get(device, set()) - self.superseded

    def acknowledge(self, device: str, tip: str) -> None:
        """Everything on the device's disk is in the commit."""
        self.acknowledged |= self.waiting.pop(device, set())
        for one in self.acts:
            if one.device == device and one.done and not one.commit:
                one.commit = tip

    def returned(self, final: set[bytes], contains: Callable[[str, str], bool]) -> set[bytes]:
        """Words that somebody took away, that nobody touched beside that or later, and that stand there all the same."""

        def before(one: Act, two: Act) -> bool:
            if one.device == two.device:
                return one.number < two.since
            return bool(one.commit) and contains(two.view, one.commit)

        found = set()
        for two in self.acts:
            words = two.removed.keys() & final - self.headings
            if words and two.commit:
                others = [one for one in self.acts if one is not two and not before(one, two)]
                found |= self._unexplained(two, words, others)
        return found

    def _unexplained(self, act: Act, words: set[bytes], others: list[Act]) -> set[bytes]:
        """Of some words that an act took away, those that no other act can have kept: an edit of their passage does."""
        names = self._names(act)
        # Where the file went as a whole, perhaps a little later, or got another name and too much of it changed for anybody to know
        # it again, an edit anywhere in it keeps all of it.
        whole = act.whole or len(names) > 1 or any(one.whole and (one.device == act.device or one.path in names) for one in others)
        touched = set().union(*(one.touched | one.removed.keys() for one in others))
        if whole and (any(one.path in names for one in others) or not touched.isdisjoint(act.removed)):
            return set()
        return {word for word in words if touched.isdisjoint(act.removed[word])}

    def _names(self, act: Act) -> set[str]:
        """All names that the file of an act ever had."""
        names = {act.path}
        for one in (*self.acts, *reversed(self.acts)):
            if one.moved_to and not names.isdisjoint((one.path, one.moved_to)):
                names |= {one.path, one.moved_to}
        return names
