"""Drafts: nodes that a plan wants, before their texts are made; and how children are put together under nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memtree.engine.wiki.leaves import Leaf
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Child, Node, Sealed, link_to, node_id_of, summary_path

MOST_CHILDREN = 500
MOST_LINKS = 128 * 1024  # characters: a header of twice that is not read any more


class Item(NamedTuple):
    """A leaf or a node, as what stands above it sees it. `key` orders them."""

    child: Child
    tokens: int
    start: int | None
    end: int | None

    @classmethod
    def of_leaf(cls, leaf: Leaf) -> Item:
        return cls(leaf.child, leaf.tokens, leaf.time, leaf.time)

    @classmethod
    def of_node(cls, node: Node) -> Item:
        return cls(Child(node.path, node.node_id), node.tokens, node.time_start, node.time_end)

    @property
    def path(self) -> RepoPath:
        return self.child.path

    @property
    def key(self) -> tuple[bool, int, RepoPath]:
        return self.start is None, self.start or 0, self.child.path


@dataclass(frozen=True, slots=True)
class Draft:
    """A node to be made of `items`. `replaces` are the paths of the nodes that it takes the place of."""

    namespace: str
    level: int
    items: tuple[Item, ...]
    sealed: Sealed
    content: str
    source: str = ""
    replaces: tuple[RepoPath, ...] = ()

    @property
    def node_id(self) -> str:
        return node_id_of(self.namespace, self.level, (item.child.identity for item in self.items))

    @property
    def path(self) -> RepoPath:
        return summary_path(self.namespace, self.level, self.node_id, self.content)

    @property
    def tokens(self) -> int:
        return sum(item.tokens for item in self.items)

    @property
    def start(self) -> int | None:
        return min((item.start for item in self.items if item.start is not None), default=None)

    @property
    def end(self) -> int | None:
        return max((item.end for item in self.items if item.end is not None), default=None)

    @property
    def item(self) -> Item:
        """The node as what stands above it will see it."""
        return Item(Child(self.path, self.node_id), self.tokens, self.start, self.end)


# Whether these may be made, all or none; asked in the order of the plan, lower levels first.
Allow = Callable[[Sequence[Draft]], bool]


@dataclass(slots=True)
class Plan:
    """What a pass does: nodes made and removed. `stale` are nodes that are not what their children say any more, and stay for now.

    `edited` are such that a person changed: they stay for good. `unsealed` are the leaves of each source that no node of its tree
    covers, in their order.
    """

    makes: list[Draft] = field(default_factory=list)
    removes: list[RepoPath] = field(default_factory=list)
    stale: list[Node] = field(default_factory=list)
    edited: list[Node] = field(default_factory=list)
    unsealed: dict[str, list[Leaf]] = field(default_factory=dict)

    def settled(self, there: Collection[RepoPath]) -> Plan:
        """The same without what goes and comes again, or is `there` and stays."""
        again = {draft.path for draft in self.makes} & set(self.removes)
        self.makes = [draft for draft in self.makes if draft.path not in there]
        self.removes = [path for path in self.removes if path not in again]
        return self

    def replace(self, old: Iterable[Node], new: Iterable[Draft]) -> None:
        """Nodes go, others come; what is the same stays."""
        coming = {draft.path: draft for draft in new}
        going = {node.path for node in old}
        self.makes += [draft for path, draft in coming.items() if path not in going]
        self.removes += sorted(going - coming.keys())


def parts(items: Sequence[Item], most_tokens: float) -> Iterator[list[Item]]:
    """The items in their order, in runs that each go under one node; an item that is larger than a node may be has its own."""
    run: list[Item] = []
    tokens = links = 0
    for item in items:
        size = len(link_to(item.path))
        if run and (tokens + item.tokens > most_tokens or len(run) == MOST_CHILDREN or links + size > MOST_LINKS):
            yield run
            run, tokens, links = [], 0, 0
        run.append(item)
        tokens += item.tokens
        links += size
    if run:
        yield run


def is_full(run: Sequence[Item], most_tokens: float) -> bool:
    """Whether nothing more will go under a node with these children."""
    links = sum(len(link_to(item.path)) for item in run)
    return sum(item.tokens for item in run) >= most_tokens or len(run) >= MOST_CHILDREN or links >= MOST_LINKS


def is_whole(node: Node, items: Sequence[Item]) -> bool:
    """Whether a node is what these children, which are all that is left of its own, make of it."""
    return node.node_id == node_id_of(node.namespace, node.level, (item.child.identity for item in items))
