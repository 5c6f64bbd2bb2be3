"""Refreshing: a model writes anew the texts of nodes that none has written. A person's text stays.

What the file holds is looked at again under the lock. It is called by what it is made of: where a child changed while the model
thought, or was forgotten, there is no such file any more, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtree.engine.wiki.leaves import Leaves
from memtree.engine.wiki.making import told_text
from memtree.engine.wiki.model_summary import ROLE, Piece, model_summary
from memtree.engine.wiki.view import WikiView, read_node
from memtree.tree.paths import RepoPath
from memtree.tree.secrets import find_secrets
from memtree.tree.summary import Child, Node, node_id_of, rewritten

if TYPE_CHECKING:
    from memtree.engine.llm.usage import Usage
    from memtree.engine.workspace import Workspace


def refreshable(workspace: Workspace) -> list[Node]:
    """The nodes whose text no model and no person has written, lower ones first, of these the newest."""
    found = [node for node in WikiView.at_tip(workspace).by_path.values() if node.may_get_better]
    return sorted(found, key=lambda node: (node.level, -(node.time_end or 0), node.path))


def refresh(workspace: Workspace, path: RepoPath) -> Usage | None:
    """Have a model write a node's text; what that cost, None where there is nothing to write.

    A node that is not what its children are any more is left to the next build. Raises what asking raises, and what the store does.
    """
    from memtree.engine.llm.asking import Asker
    from memtree.engine.llm.errors import BadReply
    from memtree.engine.llm.usage import trailers

    tip = workspace.repo.tip(workspace.settings.ref)
    node = WikiView.at(workspace, tip).by_path.get(path)
    if node is None or not node.may_get_better:
        return None
    pieces = _pieces(workspace, node)
    if pieces is None:
        return None
    asker = Asker(workspace, agent="wiki")
    settings = workspace.settings.wiki
    most = min(settings.summary_tokens, asker.models.ready(ROLE).model.max_tokens)
    made = model_summary(pieces, asker, most_input=settings.seal_tokens, most_output=most)
    prose = workspace.redactor.text(made.prose)

    def contents() -> Mapping[RepoPath, bytes | None]:
        entry = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), path)
        present = read_node(workspace, path, entry)
        if entry is None or present is None or not present.may_get_better:
            return {}
        data = rewritten(workspace.store.working_copy.contents(path, entry), prose, made.usage.model or "model")
        if find_secrets(data):
            raise BadReply("the summary looks like a secret", made.usage)
        return {path: data}

    subject = f"summary {node.node_id[:8]} of {node.namespace} written anew"
    workspace.store.write(contents, message=f"{subject}\n\nMemtree-Writer: wiki\n{trailers(made.usage)}")
    return made.usage


def _pieces(workspace: Workspace, node: Node) -> list[Piece] | None:
    """What a model is told of a node's children; None where these are not what the node was made of."""
    tip = workspace.repo.tip(workspace.settings.ref)
    leaves, view = Leaves.at(workspace, tip), WikiView.at(workspace, tip)
    children: list[Child] = []
    pieces: list[Piece] = []
    for path in node.children:
        leaf, below = leaves.by_path.get(path), view.by_path.get(path)
        if below is not None:
            child, blob = Child(path, below.node_id), below.blob
        elif leaf is not None:
            child, blob = leaf.child, leaf.blob
        else:
            return None
        children.append(child)
        told = told_text(workspace, path, blob)
        if told is not None:
            pieces.append(Piece(*told))
    whole = node.node_id == node_id_of(node.namespace, node.level, (child.identity for child in children))
    return pieces if whole else None
