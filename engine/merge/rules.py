"""Asking for content rules: the table, with every way to merge, is loaded when the first file is merged."""

from __future__ import annotations

from collections.abc import Callable

from memtree.engine.merge.outcome import ContentRule
from memtree.tree.kinds import CONTENT_ROOT
from memtree.tree.paths import RepoPath


def content_rules(content_root: str = CONTENT_ROOT) -> Callable[[RepoPath], ContentRule | None]:
    """Answer with the rule of a path; None stands for keeping both versions as two files."""

    def rule_for(path: RepoPath) -> ContentRule | None:
        from memtree.engine.merge.rule_table import rule_of

        return rule_of(path, content_root)

    return rule_for
