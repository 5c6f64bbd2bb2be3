"""Wiki view: the summary tree as HEAD has it: which nodes there are, what each stands above, and what stands above it.

A view of the branch that reads only what changed: it remembers the nodes of the tree that it has seen, for a process and on the
disk, without their texts. It can be lost at any time.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memtree.engine.local_state import keep_state, read_state
from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.working_copy import FilterMissing
from memtree.engine.tree_diff import diff_trees
from memtree.tree.generated import Author
from memtree.tree.objects import FOLDER, CommitId, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Node, ReadSummary, read_summary, summaries_folder

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

STATE = "wiki"  # the folder below .git/memtree
LARGEST = 4 * 1024 * 1024  # bytes of a node that is read
_FORMAT = 1

_known: weakref.WeakKeyDictionary[Workspace, WikiView] = weakref.WeakKeyDictionary()


class WikiView:
    """The nodes of one tree of summaries. `tree` is its id, '' for none."""

    def __init__(self, nodes: Iterable[Node], tree: str = "") -> None:
        self.tree = tree
        self.by_path: Mapping[RepoPath, Node] = {node.path: node for node in sorted(nodes, key=lambda node: node.path)}

    @classmethod
    def at_tip(cls, workspace: Workspace) -> WikiView:
        """The view of the branch as it is now."""
        return cls.at(workspace, workspace.repo.tip(workspace.settings.ref))

    @classmethod
    def at(cls, workspace: Workspace, commit: CommitId | None) -> WikiView:
        """The view of a commit."""
        root = summaries_folder(workspace.settings.content)
        entry = workspace.repo.entry(commit, root)
        tree = entry.id if entry is not None and entry.mode == FOLDER else ""
        known = _known.get(workspace)
        if known is None or known.tree != tree:
            place = os.path.join(workspace.places.folder, STATE, "view.json")
            old = known if known is not None else _kept(place, root)
            known = old if old.tree == tree else _followed(workspace, old, root, tree)
            if known is not old:
                _keep(place, root, known)
            _known[workspace] = known
        return known

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes by their ids. Of files that a person copied within the tree the first by path counts."""
        return {node.node_id: node for node in reversed(list(self.by_path.values()))}

    @property
    def namespaces(self) -> list[str]:
        """All trees that there are."""
        return sorted({node.namespace for node in self.by_path.values()})

    def of(self, namespace: str, level: int = 0) -> list[Node]:
        """The nodes of a namespace, of one level of it or of all, by time and then by path."""
        found = (node for node in self._by_namespace.get(namespace, ()) if level in (0, node.level))
        return sorted(found, key=by_time)

    def covered(self, path: str) -> tuple[str, ...]:
        """The ids of the nodes that a file, a leaf or a node, is a child of."""
        return tuple(self._above.get(path, ()))

    def parents(self, node_id: str) -> tuple[str, ...]:
        """The ids of the nodes right above one, of whatever namespace."""
        node = self.nodes.get(node_id)
        return () if node is None else self.covered(node.path)

    def roots(self, namespace: str) -> list[Node]:
        """The nodes of a namespace that have none above them there, by time."""
        inside = {child for node in self._by_namespace.get(namespace, ()) for child in node.links.split("\n")}
        return [node for node in self.of(namespace) if node.path not in inside]

    @cached_property
    def _above(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for node_id, node in self.nodes.items():
            for child in node.links.split("\n"):
                if child in found:
                    found[child].append(node_id)
                else:
                    found[child] = [node_id]
        return found

    @cached_property
    def _by_namespace(self) -> Mapping[str, Sequence[Node]]:
        found: dict[str, list[Node]] = {}
        for node in self.by_path.values():
            found.setdefault(node.namespace, []).append(node)
        return found


def by_time(node: Node) -> tuple[bool, int, RepoPath]:
    """The order of nodes: by the time of their evidence, undated ones last, then by path."""
    return node.time_start is None, node.time_start or 0, node.path


def read_node(workspace: Workspace, path: RepoPath, entry: Entry | None) -> ReadSummary | None:
    """A node with its text, as a commit holds it; None for what is none, or cannot be read."""
    if entry is None or not entry.is_file:
        return None
    try:
        if workspace.repo.size(entry.id) > LARGEST:
            return None
        return read_summary(path, workspace.store.working_copy.contents(path, entry), entry.id)
    except (FilterMissing, MissingObject):
        return None


def text_of(workspace: Workspace, node: Node) -> str:
    """The body of a node of a view; '' when it cannot be read any more."""
    found = read_node(workspace, node.path, Entry(0o100644, node.blob))
    return "" if found is None else found.body


def _followed(workspace: Workspace, old: WikiView, root: RepoPath, tree: str) -> WikiView:
    """The view of another tree, read as far as it differs. Where the old tree is gone, everything does."""
    try:
        changes = list(diff_trees(workspace.repo, old.tree or None, tree or None))
    except MissingObject:
        old = WikiView(())
        changes = list(diff_trees(workspace.repo, None, tree or None))
    found = dict(old.by_path)
    for change in changes:
        path = RepoPath(f"{root}/{change.path}")
        node = read_node(workspace, path, change.after)
        if node is None:
            found.pop(path, None)
        else:
            found[path] = Node(*(getattr(node, name) for name in _FIELDS))
    return WikiView(found.values(), tree)


_FIELDS = tuple(Node.__dataclass_fields__)
_AUTHOR = _FIELDS.index("author")


def _keep(place: str, root: RepoPath, view: WikiView) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    keep_state(place, {"format": _FORMAT, "root": root, "tree": view.tree, "nodes": [_row(node) for node in view.by_path.values()]})


def _kept(place: str, root: RepoPath) -> WikiView:
    """The view that is kept on the disk; an empty one when it is lost, damaged, or another version's."""
    found = read_state(place)
    if found.get("format") != _FORMAT or found.get("root") != root or not isinstance(found.get("tree"), str):
        return WikiView(())
    try:
        return WikiView(map(_node, found["nodes"]), found["tree"])
    except (LookupError, TypeError, ValueError, AttributeError):
        return WikiView(())


def _row(node: Node) -> list[Any]:
    row = [getattr(node, name) for name in _FIELDS]
    row[_AUTHOR] = node.author.value
    return row


def _node(row: list[Any]) -> Node:
    if len(row) != len(_FIELDS) or not isinstance(row[0], str):
        raise ValueError("no node")
    row[0], row[_AUTHOR] = RepoPath(row[0]), Author(row[_AUTHOR])
    return Node(*row)
