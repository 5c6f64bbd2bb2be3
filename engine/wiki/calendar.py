"""Calendar: a node for each day that is over, one for each week, and one for each month, all in UTC.

A day's node stands above that day's leaves of all sources. A week's and a month's stand above the nodes of their days: a month is
no number of whole weeks, and so a span of time is always covered by whole months, weeks and days that do not overlap. What comes
late makes its day anew, and what stands above it. A day that holds very much has several nodes; a week or month with a single node
below has none of its own. Deciding is pure.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtree.engine.wiki.drafts import Allow, Draft, Item, Plan, is_whole, parts
from memtree.engine.wiki.leaves import Leaf
from memtree.engine.wiki_settings import WikiSettings
from memtree.tree.paths import RepoPath
from memtree.tree.summary import DAY, MONTH, WEEK, Node, Sealed

_SECONDS = 86_400
_EPOCH = dt.date(1970, 1, 1)
_FIRST, _LAST = (dt.date(1, 1, 8) - _EPOCH).days, (dt.date(9999, 11, 30) - _EPOCH).days  # with all of their weeks and months

Days = tuple[int, int]  # the first day of a span, and the first one behind it, from 1970 on


@dataclass(frozen=True, slots=True)
class Calendar:
    """What there is, and what is wanted. `now` is in epoch seconds."""

    settings: WikiSettings
    content: str
    now: float
    allow: Allow
    plan: Plan

    def seal(self, leaves: Iterable[Leaf], nodes: Mapping[str, Sequence[Node]]) -> None:
        """Write down in the plan what is due; `nodes` are those there are, by namespace."""
        dated = [Item.of_leaf(leaf) for leaf in leaves if day_of(leaf.time) is not None]
        days = self._level(DAY, 1, dated, nodes.get(DAY, ()), of_day)
        self._level(WEEK, 2, days, nodes.get(WEEK, ()), of_week)
        self._level(MONTH, 3, days, nodes.get(MONTH, ()), of_month)

    def _level(
        self, namespace: str, level: int, below: Sequence[Item], nodes: Sequence[Node], span_of: Callable[[int], Days]
    ) -> list[Item]:
        """What stands in a namespace then."""
        standing: list[Item] = []
        claimed: set[RepoPath] = set()
        known = {item.path: item for item in below}
        ours: dict[Days, list[Node]] = defaultdict(list)
        for node in nodes:
            if not node.is_persons:
                ours[span_of(_first_day(node))].append(node)
                continue
            mine = [known[path] for path in node.children if path in known]
            claimed.update(item.path for item in mine)
            standing.append(Item.of_node(node))
            if len(mine) < len(node.children) or not is_whole(node, mine):
                self.plan.edited.append(node)
        wanted: dict[Days, list[Item]] = defaultdict(list)
        for item in below:
            if item.path not in claimed:
                wanted[span_of(day_of(item.start) or 0)].append(item)
        for span in sorted(wanted.keys() | ours.keys()):
            standing += self._span(namespace, level, span, wanted[span], ours[span])
        return standing

    def _span(self, namespace: str, level: int, span: Days, items: list[Item], nodes: list[Node]) -> list[Item]:
        drafts = self._drafts(namespace, level, span, items, nodes)
        same = {node.path for node in nodes} & {draft.path for draft in drafts}
        if not self.allow([draft for draft in drafts if draft.path not in same]):
            self.plan.stale += [node for node in nodes if node.path not in same]
            return [Item.of_node(node) for node in nodes]
        self.plan.replace(nodes, drafts)
        return [draft.item for draft in drafts]

    def _drafts(self, namespace: str, level: int, span: Days, items: list[Item], nodes: list[Node]) -> list[Draft]:
        """The nodes of a day, week or month. One that has nodes already goes on having them, whatever the clock says now."""
        least = 1 if level == 1 else 2
        over = span[1] * _SECONDS <= self.now
        if len(items) < least or not (over or nodes):
            return []
        budget = self.settings.seal_tokens if level == 1 else float("inf")
        runs = parts(sorted(items, key=lambda item: item.key), budget)
        replaces = tuple(node.path for node in nodes)
        drafts = [Draft(namespace, level, tuple(run), Sealed.CALENDAR, self.content, replaces=replaces) for run in runs]
        if self.settings.calendar:
            return drafts
        there = {node.path for node in nodes}  # no new ones are wanted, and none that is out of date
        return [draft for draft in drafts if draft.path in there]


def day_of(seconds: int | None) -> int | None:
    """The day of a time, counted from 1970; None for no time, and for one that no calendar has."""
    day = None if seconds is None else seconds // _SECONDS
    return day if day is not None and _FIRST <= day <= _LAST else None


def of_day(day: int) -> Days:
    return day, day + 1


def of_week(day: int) -> Days:
    """The ISO week that a day lies in: from Monday on."""
    monday = day - (day + 3) % 7  # the first day of 1970 was a Thursday
    return monday, monday + 7


def of_month(day: int) -> Days:
    first = date_of(day).replace(day=1)
    following = (first + dt.timedelta(days=31)).replace(day=1)
    return (first - _EPOCH).days, (following - _EPOCH).days


def date_of(day: int) -> dt.date:
    return _EPOCH + dt.timedelta(days=day)


def _first_day(node: Node) -> int:
    return day_of(node.time_start) or 0
