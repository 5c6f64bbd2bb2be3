"""Logs of one JSON value a line: records that both sides appended all stay, each once; what both made of one record stays apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from memtree.engine.merge.keep_both import the_forgetting_side, two_files
from memtree.engine.merge.line_set import merge_line_set
from memtree.engine.merge.outcome import Content
from memtree.tree.paths import RepoPath

_KEYS = ("id", "uuid", "_id")


def merge_records(path: RepoPath, base: bytes | None, ours: bytes, theirs: bytes) -> Content:
    """The ContentRule of `.jsonl` and `.ndjson`.

    Lines are members of a set. Where that gives one id to two records, or a line is no JSON, there are two files.
    """
    versions = [text for text in (base, ours, theirs) if text is not None]
    ids = [_ids(text) for text in versions]
    forgetting = the_forgetting_side(base, ours, theirs)
    if forgetting is not None or None in ids:
        return forgetting or two_files(ours, theirs)
    merged = merge_line_set(path, base, ours, theirs)
    found = _ids(merged.data) if merged.second is None else None
    if found is None or _doubled(found) - set().union(*(_doubled(one) for one in ids if one is not None)):
        return two_files(ours, theirs)
    return merged


def _ids(text: bytes) -> list[str] | None:
    """The ids of the records; None where a line is no JSON."""
    try:
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    keys = (next((record[key] for key in _KEYS if key in record), None) for record in records if isinstance(record, dict))
    return [json.dumps(key) for key in keys if key is not None]


def _doubled(ids: Iterable[str]) -> set[str]:
    return {one for one, count in Counter(ids).items() if count > 1}
