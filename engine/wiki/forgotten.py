"""Forgotten: a text that leaves a file leaves the summaries above it too, whatever words of it they were made of.

A node whose child changed is made anew of what is left, at once and on any machine: nobody waits for the librarian with this. A
text that a person wrote into a node stays theirs, and they are told that it may tell of what was forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtree.engine.store.report import CommitReport
from memtree.engine.tree_diff import diff_commits
from memtree.engine.wiki.building import Survey, Waiting, one_pass
from memtree.engine.wiki.drafts import Draft, Item
from memtree.engine.wiki.making import Maker
from memtree.engine.wiki.planning import OnlyInstead
from memtree.engine.wiki.view import WikiView
from memtree.tree.errors import Error
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Sealed

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_SUBJECT = "summaries without it"


def forget_in_summaries(workspace: Workspace, before: CommitId | None) -> tuple[CommitReport | None, tuple[str, ...]]:
    """Make anew what stands above files that changed since a commit; what a person should know.

    Answers with no commit where nothing stood above them. What goes wrong is told: where it stood, the text is forgotten anyway.
    """
    tip = workspace.repo.tip(workspace.settings.ref)
    old, view = WikiView.at(workspace, before), WikiView.at(workspace, tip)
    if not old.by_path and not view.by_path:
        return None, ()
    changed = {change.path for change in diff_commits(workspace.repo, before, tip)}
    above = _above(view, changed) | _above(old, changed)
    if not above:
        return None, ()
    # Where the text was taken out of a node too, its body is not the one that was signed: it is a person's only if it was before.
    ours = {path for path in above if path in old.by_path and not old.by_path[path].is_persons}
    notes = tuple(f"{path} was edited by hand and may still tell of it" for path in sorted(above & view.by_path.keys() - ours))
    try:
        report = one_pass(workspace, Waiting.of(workspace), OnlyInstead(), ours=ours, subject=_SUBJECT)
        renewed = _renewed(workspace, above, ours)
    except (Error, OSError) as error:
        return None, (*notes, f"summaries may still tell of it: {error}; memtree wiki build makes them anew")
    commit = report.commit if report.commit.changed else None
    if renewed.changed:
        commit = renewed if commit is None else commit.then(renewed)
    return commit, notes


def _renewed(workspace: Workspace, above: set[RepoPath], ours: set[RepoPath]) -> CommitReport:
    """Make the texts anew of nodes that are as they were because a person's node stands between them and what was forgotten."""
    tip = workspace.repo.tip(workspace.settings.ref)
    survey = Survey.at(workspace, tip, Waiting.of(workspace))
    known = {path: Item.of_leaf(leaf) for path, leaf in survey.leaves.by_path.items()}
    known |= {path: Item.of_node(node) for path, node in survey.view.by_path.items()}
    maker = Maker(workspace, survey.blobs())
    left = [node for path, node in survey.view.by_path.items() if path in above and (path in ours or not node.is_persons)]
    for node in sorted(left, key=lambda node: (node.level, node.path)):
        items = tuple(known[path] for path in node.children if path in known)
        sealed = Sealed(node.sealed) if node.sealed in [*Sealed] else Sealed.BUDGET
        draft = Draft(node.namespace, node.level, items, sealed, workspace.settings.content, node.source)
        if draft.path == node.path:
            maker.make(draft)

    def contents() -> Mapping[RepoPath, bytes | None]:
        now = WikiView.at_tip(workspace)
        same = {path for path in maker.made if path in now.by_path and now.by_path[path].blob == survey.view.by_path[path].blob}
        return {path: maker.made[path] for path in sorted(same)}

    if not maker.made:
        return CommitReport(tip, tip)
    return workspace.store.write(contents, message=f"{_SUBJECT}: {len(maker.made)} made anew\n\nMemtree-Writer: wiki\n")


def _above(view: WikiView, changed: set[RepoPath]) -> set[RepoPath]:
    """The nodes above these files, at any height."""
    found: set[RepoPath] = set()
    waiting = list(changed)
    while waiting:
        for node_id in view.covered(waiting.pop()):
            path = view.nodes[node_id].path
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found
