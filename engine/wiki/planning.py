"""Planning: what the summary tree should become, from what is there. A pure function of leaves, nodes, settings and the time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memtree.engine.wiki.calendar import Calendar
from memtree.engine.wiki.drafts import Allow, Draft, Plan
from memtree.engine.wiki.leaves import Leaf, in_order
from memtree.engine.wiki.sealing import SourceTree
from memtree.engine.wiki_settings import WikiSettings
from memtree.tree.generated import Author
from memtree.tree.paths import RepoPath
from memtree.tree.summary import DAY, MONTH, OF_A_SOURCE, WEEK, Node, namespace_of

_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Wanted:
    """How to plan. `waited` tells of a source whether its open leaves have for long enough; `ours` are files that only seem a
    person's: a text was just forgotten in them.
    """

    settings: WikiSettings
    content: str
    now: float
    allow: Allow
    waited: Callable[[str, Sequence[Leaf]], bool]
    ours: Collection[RepoPath] = ()


def make_plan(leaves: Iterable[Leaf], nodes: Iterable[Node], wanted: Wanted) -> Plan:
    """What becomes of the tree. What stays is not told."""
    plan = Plan()
    ordered = in_order(leaves)
    by_namespace: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        mine = node.path in wanted.ours
        by_namespace[node.namespace].append(replace(node, author=Author.EXTRACTION, as_made=True) if mine else node)
    ours = {node.path: not node.is_persons for found in by_namespace.values() for node in found}

    def allow(drafts: Sequence[Draft]) -> bool:
        # A person may have changed what their node stands above: its file is theirs all the same. What is there is not made.
        new = [draft for draft in drafts if draft.path not in ours]
        return all(ours.get(draft.path, True) for draft in drafts) and (not new or wanted.allow(new))

    by_source: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in ordered:
        by_source[leaf.source].append(leaf)
    trees = {namespace_of(source): source for source in by_source}
    for namespace, found in by_namespace.items():
        if namespace.startswith(OF_A_SOURCE):
            trees.setdefault(namespace, found[0].source)  # nothing is left of what it told of, or a person moved it here
    for namespace, source in sorted(trees.items(), key=lambda tree: (tree[1], tree[0])):
        SourceTree(
            namespace,
            source,
            by_source[source] if namespace_of(source) == namespace else (),
            by_namespace.get(namespace, ()),
            wanted.settings,
            wanted.content,
            allow,
            plan,
            lambda open_leaves, source=source: wanted.waited(source, open_leaves),  # type: ignore[misc]
        ).seal()
    calendar = {name: by_namespace.get(name, ()) for name in (DAY, WEEK, MONTH)}
    Calendar(wanted.settings, wanted.content, wanted.now, allow, plan).seal(ordered, calendar)
    return plan.settled(ours)


def is_stale(leaves: Sequence[Leaf], since: float, now: float, days: int) -> bool:
    """Whether leaves have waited so long that no more are expected beside them.

    By the newest one's own time. Where one has none, or one that is still to come, by when they were first seen as they are.
    """
    times = [leaf.time for leaf in leaves]
    newest = max((time for time in times if time is not None), default=None)
    began = since if newest is None or None in times or newest > now + _DAY else newest
    return began + days * _DAY <= now


class Gate(Protocol):
    """Which drafts a pass may make. `refused` counts those that would be made by another one."""

    refused: int

    def __call__(self, drafts: Sequence[Draft]) -> bool: ...


class Allowance:
    """Lets so many nodes through; a group of more than that only as the first. `refused` counts the others."""

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self.refused = 0

    def __call__(self, drafts: Sequence[Draft]) -> bool:
        if len(drafts) > self._left and (self._left < self._most or not self._most):
            self.refused += len(drafts)
            return False
        self._left -= len(drafts)
        return True


class OnlyInstead:
    """Lets through what takes the place of a node, and no new ones."""

    refused = 0

    def __call__(self, drafts: Sequence[Draft]) -> bool:
        return all(draft.replaces for draft in drafts)
