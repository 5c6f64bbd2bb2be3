"""Sealing: the tree of a source. What has been sealed stays so; what comes later waits for the next node.

Leaves go under a node of level 1 when they come to the token budget; what has waited for long does too. From level 2 on a node is
made when there are as many as go under one: never earlier, because a chain of nodes with one child each tells nothing new. A node
whose leaves changed or went is made anew of what is left of them, and the nodes above follow. Deciding is pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memtree.engine.wiki.drafts import Allow, Draft, Item, Plan, is_full, is_whole, parts
from memtree.engine.wiki.leaves import Leaf
from memtree.engine.wiki_settings import WikiSettings
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Node, Sealed

DEEPEST = 32  # levels; of ten children each that is more than there are files


@dataclass(slots=True)
class SourceTree:
    """The tree of one source: what it has, what becomes of it. `waited` tells whether open leaves have for long enough."""

    namespace: str
    source: str
    leaves: Sequence[Leaf]
    nodes: Sequence[Node]
    settings: WikiSettings
    content: str
    allow: Allow
    plan: Plan
    waited: Callable[[Sequence[Leaf]], bool]
    _replaced: dict[RepoPath, list[RepoPath]] = field(default_factory=dict)

    def seal(self) -> None:
        """Write down in the plan what is due."""
        items = {leaf.path: Item.of_leaf(leaf) for leaf in self.leaves}
        standing, claimed = self._kept(1, items)
        free = [leaf for leaf in self.leaves if leaf.path not in claimed]
        sealed: set[RepoPath] = set()
        for draft in self._due(free):
            if self.allow((draft,)):
                self.plan.replace((), (draft,))
                standing.append(draft.item)
                sealed.update(item.path for item in draft.items)
        if self.leaves:
            self.plan.unsealed[self.source] = [leaf for leaf in free if leaf.path not in sealed]
        highest = max((node.level for node in self.nodes), default=1)
        for level in range(2, max(DEEPEST, highest) + 1):
            standing = self._above(level, standing)
            if not standing and level >= highest:
                break

    def _due(self, free: Sequence[Leaf]) -> Iterable[Draft]:
        """The nodes that leaves which no node covers come to."""
        budget = self.settings.seal_tokens
        large = [leaf for leaf in free if leaf.tokens >= budget]
        for leaf in large:
            yield self._draft(1, [Item.of_leaf(leaf)], Sealed.BUDGET)
        runs = list(parts([Item.of_leaf(leaf) for leaf in free if leaf.tokens < budget], budget))
        for number, run in enumerate(runs):
            if number < len(runs) - 1 or is_full(run, budget):
                yield self._draft(1, run, Sealed.BUDGET)
            elif self.waited(free):
                yield self._draft(1, run, Sealed.STALE)

    def _above(self, level: int, below: list[Item]) -> list[Item]:
        """What stands at a level when those below it do."""
        standing, claimed = self._kept(level, {item.path: item for item in below})
        if level > DEEPEST:
            return standing
        free = sorted((item for item in below if item.path not in claimed), key=lambda item: item.key)
        width = self.settings.fan_in
        for first in range(0, len(free) - width + 1, width):
            draft = self._draft(level, free[first : first + width], Sealed.FAN_IN)
            if self.allow((draft,)):
                self.plan.replace((), (draft,))
                standing.append(draft.item)
        return standing

    def _kept(self, level: int, below: Mapping[RepoPath, Item]) -> tuple[list[Item], set[RepoPath]]:
        """The nodes of a level as they stand then, those that are stale made anew; and which children they cover."""
        standing: list[Item] = []
        claimed: set[RepoPath] = set()
        broken: list[tuple[Node, list[Item]]] = []
        # A person's node covers its children first; of two that cover the same, the larger one.
        for node in sorted((node for node in self.nodes if node.level == level), key=_precedence):
            children = self._children(node)
            found = [below[path] for path in children if path in below]
            mine = [item for item in found if item.path not in claimed]
            whole = len(mine) == len(children) and is_whole(node, mine)
            if not whole and not node.is_persons:
                broken.append((node, found))
                continue
            if not whole:
                self.plan.edited.append(node)
            claimed.update(item.path for item in mine)
            standing.append(Item.of_node(node))
        for node, found in broken:
            standing += self._made_anew(node, found, claimed)
        return standing, claimed

    def _made_anew(self, node: Node, found: list[Item], claimed: set[RepoPath]) -> list[Item]:
        mine = sorted((item for item in found if item.path not in claimed), key=lambda item: item.key)
        overlaps = len(mine) < len(found)
        drafts: list[Draft] = []
        if mine and not overlaps and (node.level == 1 or len(mine) > 1):
            sealed = Sealed(node.sealed) if node.sealed in [*Sealed] else Sealed.BUDGET
            budget = self.settings.seal_tokens if node.level == 1 else float("inf")
            drafts = [self._draft(node.level, run, sealed, node) for run in parts(mine, budget)]
        if not self.allow(drafts):
            self.plan.stale.append(node)
            claimed.update(item.path for item in mine)
            return [Item.of_node(node)]
        self.plan.replace((node,), drafts)
        self._replaced[node.path] = [draft.path for draft in drafts]
        claimed.update(item.path for draft in drafts for item in draft.items)
        return [draft.item for draft in drafts]

    def _children(self, node: Node) -> list[RepoPath]:
        """A node's children as they are called now; a person's stay those that stand in it."""
        if node.is_persons:
            return list(node.children)
        return [path for child in node.children for path in self._replaced.get(child, [child])]

    def _draft(self, level: int, items: Sequence[Item], sealed: Sealed, instead_of: Node | None = None) -> Draft:
        replaces = () if instead_of is None else (instead_of.path,)
        return Draft(self.namespace, level, tuple(items), sealed, self.content, self.source, replaces)


def _precedence(node: Node) -> tuple[bool, int, bool, int, RepoPath]:
    return not node.is_persons, -node.links.count("\n"), node.time_start is None, node.time_start or 0, node.path
