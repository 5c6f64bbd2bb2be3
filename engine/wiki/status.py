"""Status of the summary tree: what there is, what waits, what is a person's. It looks and writes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtree.engine.librarian import librarian_of
from memtree.engine.wiki.building import Survey, Waiting
from memtree.engine.wiki.leaves import LeftOut
from memtree.tree.paths import RepoPath
from memtree.tree.summary import OF_A_SOURCE, namespace_of

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

ROLE = "summarization"


@dataclass(frozen=True, slots=True)
class NamespaceStatus:
    """One tree: `nodes` by level; of a source also how many of its leaves are covered and what the others come to."""

    namespace: str
    source: str
    nodes: dict[int, int]
    sealed_leaves: int = 0
    unsealed_leaves: int = 0
    unsealed_tokens: int = 0


@dataclass(frozen=True, slots=True)
class WikiStatus:
    """How the tree stands. `due` nodes would be made by a build now, `stale` ones are not what their children say any more.

    `for_a_model` have a text that no model has written; `model` says whether one is configured. `edited` are a person's, and
    `outdated` those of them that no longer tell of what lies below. `left_out` are files that cannot be leaves.
    """

    enabled: bool
    librarian: str
    here: bool
    namespaces: tuple[NamespaceStatus, ...]
    due: int
    stale: int
    for_a_model: int
    model: bool
    edited: tuple[RepoPath, ...]
    outdated: tuple[RepoPath, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def nodes(self) -> int:
        return sum(sum(one.nodes.values()) for one in self.namespaces)


def wiki_status(workspace: Workspace) -> WikiStatus:
    """The tree of HEAD; raise what reading the remotes raises."""
    survey = Survey.at(workspace, workspace.repo.tip(workspace.settings.ref), Waiting.of(workspace))
    plan = survey.plan(lambda drafts: all(map(survey.free, drafts)))
    nodes = survey.view.by_path.values()
    replaced = set(plan.removes)
    librarian = librarian_of(workspace)
    return WikiStatus(
        workspace.settings.wiki.enabled,
        librarian,
        librarian == workspace.device,
        tuple(_namespaces(survey)),
        len(plan.makes),
        sum(node.path in replaced for node in nodes),
        sum(node.may_get_better for node in nodes if node.path not in replaced),
        workspace.settings.models.named(ROLE) is not None,
        tuple(node.path for node in nodes if node.is_persons),
        tuple(node.path for node in plan.edited),
        survey.leaves.left_out,
    )


def _namespaces(survey: Survey) -> list[NamespaceStatus]:
    """All trees, those of sources first; a source whose leaves all wait has one without nodes."""
    levels: dict[str, Counter[int]] = {}
    sources = {namespace_of(leaf.source): leaf.source for leaf in survey.leaves.by_path.values()}
    covered: dict[str, set[RepoPath]] = {}
    for node in survey.view.by_path.values():
        levels.setdefault(node.namespace, Counter())[node.level] += 1
        if node.namespace.startswith(OF_A_SOURCE):
            sources.setdefault(node.namespace, node.source)
            covered.setdefault(node.namespace, set()).update(node.children)
    found = []
    for name in sorted(levels.keys() | sources.keys(), key=lambda name: (not name.startswith(OF_A_SOURCE), name)):
        mine = [leaf for leaf in survey.leaves.by_path.values() if name == namespace_of(leaf.source)]
        free = [leaf for leaf in mine if leaf.path not in covered.get(name, ())]
        nodes = dict(sorted(levels.get(name, Counter()).items()))
        tokens = sum(leaf.tokens for leaf in free)
        found.append(NamespaceStatus(name, sources.get(name, ""), nodes, len(mine) - len(free), len(free), tokens))
    return found
