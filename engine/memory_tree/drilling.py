"""drill_down: from a summary to what it tells of, level by level, down to the leaves."""

from __future__ import annotations

from collections.abc import Iterator

from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.choosing import Judged, hits, judged, summary
from memtree.engine.memory_tree.finding import Candidate, Finder, admitted_leaf
from memtree.engine.memory_tree.hits import BadRequest, Envelope, TreeHit
from memtree.engine.memory_tree.leaves import leaf, place_of, records_of
from memtree.engine.memory_tree.narrowing import admits_node
from memtree.engine.memory_tree.present import Present
from memtree.engine.memory_tree.scoring import Scorer
from memtree.engine.memory_tree.turns import in_context
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Child, Node, node_id_of

_TOLD = 5  # children that are named as gone


def drill_down(present: Present, asked: Asked) -> Envelope:
    """The children of a node, those of higher levels first; with a query by how much of it they answer.

    A leaf is a file, told by its first chunk, or the one that answers best. Raise BadRequest for an id that there is not.
    """
    node = _node(present, asked.node_id)
    if node is None:
        present.note(f"{asked.node_id.strip()[:200]} is a leaf: nothing is below it; fetch_leaves has its text")
        return Envelope((), 0, present.tip, "tree", notes=tuple(present.notes))
    below = [one for one in _below(present, node, asked.max_depth) if _is_admitted(present, one, asked)]
    if asked.query:
        found, total = _answering(present, asked, below)
    else:
        shown = [hit for one in below if (hit := _hit(present, one)) is not None]
        found, total = shown[: asked.limit], len(shown)
    return Envelope(tuple(found), total, present.tip, "tree", notes=tuple(present.notes))


def _node(present: Present, text: str) -> Node | None:
    """The summary of an id or a path; None for a leaf that there is."""
    wanted = text.strip()
    found = present.wiki.nodes.get(wanted.casefold())
    if found is not None:
        return found
    hint = "a summary's id has 32 hex digits, such as list_sources, walk and cover_window show; a leaf's is PATH#NUMBER"
    try:
        path = place_of(wanted, "node_id").path
    except BadRequest as error:
        raise BadRequest("node_id", f"there is no node {wanted[:80]!r}", hint) from error
    for name in (path, RepoPath(f"{path}.md")):
        if name in present.wiki.by_path:
            return present.wiki.by_path[name]
        if records_of(present, name):
            return None
    raise BadRequest("node_id", f"there is no node {wanted[:80]!r}", hint)


def _below(present: Present, top: Node, depth: int) -> Iterator[Node | RepoPath]:
    """What is below a node: nodes, and files of evidence; by levels, each in the order of its parent's list and once."""
    level: list[Node] = [top]
    seen: set[RepoPath] = {top.path}
    for _ in range(depth):
        following: list[Node] = []
        for node in level:
            _tell_of_changes(present, node)
            for path in node.children:
                if path in seen:
                    continue
                seen.add(path)
                child = present.wiki.by_path.get(path)
                if child is not None:
                    following.append(child)
                yield child if child is not None else path
        level = following


def _tell_of_changes(present: Present, node: Node) -> None:
    """Say what is not as it was when the node was made: children that are gone, or hold something else now."""
    gone, identities = [], []
    for path in node.children:
        child = present.wiki.by_path.get(path)
        entry = present.repo.entry(present.tip, path)
        if entry is None or not entry.is_file:
            gone.append(path)
        else:
            identities.append((Child(path, child.node_id) if child is not None else Child.leaf(path, entry.id)).identity)
    if gone:
        more = f" and {len(gone) - _TOLD} more" if len(gone) > _TOLD else ""
        present.note(f"gone since {node.node_id} was made: {', '.join(gone[:_TOLD])}{more}")
    elif node_id_of(node.namespace, node.level, identities) != node.node_id:
        present.note(f"some of what {node.node_id} tells of was changed since: memtree wiki build brings it up to date")


def _is_admitted(present: Present, one: Node | RepoPath, asked: Asked) -> bool:
    if isinstance(one, Node):
        return admits_node(asked.narrowed, one, present.sources)
    records = records_of(present, one)
    return bool(records) and admitted_leaf(present, records[0], asked.narrowed)


def _hit(present: Present, one: Node | RepoPath) -> TreeHit | None:
    if isinstance(one, Node):
        return summary(present, one)
    records = records_of(present, one)
    return leaf(present, records[0]) if records else None


def _answering(present: Present, asked: Asked, below: list[Node | RepoPath]) -> tuple[list[TreeHit], int]:
    finder, scorer = Finder(present, asked.query), Scorer(asked.query, present.words)
    candidates: list[Candidate] = []
    for one in below:
        path = one.path if isinstance(one, Node) else one
        node = one if isinstance(one, Node) else None
        candidates += (found._replace(node=node) for found in finder.with_cosines(records_of(present, path)))
    best: dict[RepoPath, Judged] = {}
    for judgement in judged(in_context(present, finder, scorer, candidates), scorer):
        best.setdefault(judgement.record.path, judgement)
    ranked = list(best.values())
    return hits(present, ranked, asked.limit, asked.narrowed, scorer), len(ranked)
