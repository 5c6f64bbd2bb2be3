"""The rule table: which content rule merges which file, by what it is called and where it lies.

A rule is asked about texts only: what is not UTF-8 or holds a NUL, and what is too large, stays in both versions.
"""

from __future__ import annotations

from collections.abc import Mapping

from memtree.engine.merge.generated import merge_fact, merge_generated
from memtree.engine.merge.goals import merge_goals
from memtree.engine.merge.keep_both import keep_both
from memtree.engine.merge.line_set import merge_line_set
from memtree.engine.merge.lines import merge_text
from memtree.engine.merge.outcome import ContentRule
from memtree.engine.merge.profile import merge_profile
from memtree.engine.merge.prose import merge_entries, merge_prose
from memtree.engine.merge.records import merge_records
from memtree.engine.merge.structured import merge_structured
from memtree.engine.scope import ALLOW_FILE, IGNORE_FILE
from memtree.tree.kinds import Kind, is_binary, is_markdown, kind_of
from memtree.tree.paths import RepoPath

_CURATED: Mapping[str, ContentRule] = {
    "MEMORY.md": merge_entries,
    "SKILL.md": merge_entries,
    "MEMORY_GOALS.md": merge_goals,
}
# In any folder; their lines are rules.
_BY_NAME: Mapping[str, ContentRule] = {
    ".gitignore": merge_line_set,
    ".gitattributes": merge_line_set,
    IGNORE_FILE: merge_line_set,
    ALLOW_FILE: merge_line_set,
}
# Named from what they hold, or never changed: in whatever format.
_NEVER_CHANGED: Mapping[Kind, ContentRule] = {
    Kind.EPISODE: keep_both,
    Kind.CHAT: keep_both,
    Kind.RAW: keep_both,
}
_MARKDOWN: Mapping[Kind, ContentRule] = {
    Kind.RECAP: merge_generated,
    Kind.WIKI: merge_generated,
    Kind.FACT: merge_fact,
    Kind.PROFILE: merge_profile,
    Kind.ENTITY: merge_prose,
    Kind.NOTE: merge_prose,
}
_DATA: Mapping[str, ContentRule] = {
    ".jsonl": merge_records,
    ".ndjson": merge_records,
    ".json": merge_structured,
    ".canvas": merge_structured,
    ".toml": merge_structured,
    ".yaml": merge_structured,
    ".yml": merge_structured,
}


def rule_of(path: RepoPath, content_root: str) -> ContentRule | None:
    """The rule of a path; None stands for keeping both versions as two files."""
    kind = kind_of(path, content_root)
    by_name = _CURATED.get(path) or _BY_NAME.get(path.name) or _NEVER_CHANGED.get(kind)
    if by_name is not None or is_binary(path):
        return by_name
    return _MARKDOWN[kind] if is_markdown(path) else _DATA.get(path.suffix, merge_text)
