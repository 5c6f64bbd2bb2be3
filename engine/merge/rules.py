"""The rule table: which content rule merges which file, by where it lies and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memtree.engine.merge.outcome import ContentRule
from memtree.engine.merge.prose import merge_entries, merge_prose
from memtree.tree.kinds import CONTENT_ROOT, Kind, is_markdown, kind_of
from memtree.tree.paths import RepoPath

_CURATED: Mapping[str, ContentRule] = {
    "MEMORY.md": merge_entries,
    "SKILL.md": merge_entries,
}
_MARKDOWN: Mapping[Kind, ContentRule] = {
    Kind.NOTE: merge_prose,
    Kind.ENTITY: merge_prose,
}


def content_rules(content_root: str = CONTENT_ROOT) -> Callable[[RepoPath], ContentRule | None]:
    """Answer with the rule of a path; None stands for keeping both versions as two files."""

    def rule_for(path: RepoPath) -> ContentRule | None:
        if path in _CURATED:
            return _CURATED[path]
        return _MARKDOWN.get(kind_of(path, content_root)) if is_markdown(path) else None

    return rule_for
