"""Making: drafts become files. A child that cannot be read is passed over, and the node is made of the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memtree.engine.repo_errors import MissingObject
from memtree.engine.store.working_copy import FilterMissing
from memtree.engine.wiki.calendar import date_of, day_of, of_week
from memtree.engine.wiki.drafts import Draft
from memtree.engine.wiki.telling import Told, child_of, tell
from memtree.engine.wiki.view import LARGEST
from memtree.tree.document import Document
from memtree.tree.kinds import is_markdown, kind_of
from memtree.tree.objects import FILE, Entry
from memtree.tree.paths import RepoPath
from memtree.tree.secrets import find_secrets, redacted
from memtree.tree.summary import DAY, MONTH, WEEK, Summary, read_summary

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

NOTHING = "Nothing here is told in sentences."
_HEADING = re.compile(r"^#[ \t]+(\S[^\n]*)$", re.MULTILINE)
_HEX = re.compile(r"[0-9a-f]{16,}(?:-[0-9a-f]+)?", re.ASCII)


class Maker:
    """Makes the files of a pass, lower levels first: upper ones are made from the texts below."""

    def __init__(self, workspace: Workspace, blobs: Mapping[RepoPath, str]) -> None:
        """`blobs` are the files that children lie in, leaves and nodes that are there already."""
        self._workspace = workspace
        self._blobs = blobs
        self._redact = workspace.redactor.text
        self._known: dict[RepoPath, Told | None] = {}  # a leaf has a node above it in the tree of its source and one in its day's
        self.made: dict[RepoPath, bytes] = {}
        self.unreadable: list[RepoPath] = []

    def make(self, draft: Draft) -> None:
        """Make the file of a draft."""
        children = [child for item in draft.items if (child := self._told(item.path)) is not None]
        summary = Summary(
            draft.namespace,
            draft.level,
            tuple(item.child for item in draft.items),
            self._redact(title_of(draft)),
            tell(children) or NOTHING,
            draft.tokens,
            draft.sealed,
            draft.start,
            draft.end,
            draft.source,
        )
        self.made[draft.path] = harmless_file(summary)

    def _told(self, path: RepoPath) -> Told | None:
        if path not in self._known:
            self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: RepoPath) -> Told | None:
        if path in self.made:
            return told_of_node(path, self.made[path])
        blob = self._blobs.get(path)
        found = None if blob is None else told_of(self._workspace, path, blob)
        if found is None:
            self.unreadable.append(path)
        return found


def harmless_file(summary: Summary) -> bytes:
    """A node's file. What only looks like a secret once the parts stand together is taken out of the text."""
    data = summary.render()
    if not find_secrets(data):
        return data
    data = replace(summary, prose=redacted(summary.prose)).render()
    return data if not find_secrets(data) else replace(summary, prose=NOTHING).render()


def told_of(workspace: Workspace, path: RepoPath, blob: str) -> Told | None:
    """What a child says, freed of secrets; None when it cannot be read."""
    found = told_text(workspace, path, blob)
    return None if found is None else child_of(*found, kind_of(path, workspace.settings.content))


def told_text(workspace: Workspace, path: RepoPath, blob: str) -> tuple[str, str] | None:
    """A child's title ('' for none) and its text below front matter, freed of secrets; None when it cannot be read."""
    try:
        if workspace.repo.size(blob) > LARGEST:
            return None
        data = workspace.store.working_copy.contents(path, Entry(FILE, blob))
    except (FilterMissing, MissingObject):
        return None
    node = read_summary(path, data)
    if node is not None:
        return node.title, node.prose
    document = Document.parse(data)
    markdown = is_markdown(path)
    redact = workspace.redactor.text
    text = redact((document.body_bytes() if markdown else data).decode("utf-8", "replace"))
    title = document.front_matter().title if markdown else ""
    if not title and (heading := _HEADING.search(text[:2_000]) if markdown else None):
        title = heading[1].strip()
    return redact(title) or _stem(path), text


def told_of_node(path: RepoPath, data: bytes) -> Told | None:
    """What a node says, None for a file that is none."""
    node = read_summary(path, data)
    return None if node is None else child_of(node.title, node.prose)


def title_of(draft: Draft) -> str:
    """What a node's heading says: of which source or span of days it is. Numbers only, for readers of any language."""
    first, last = (day_of(time) for time in (draft.start, draft.end))
    if draft.namespace == WEEK and first is not None:
        monday, following = of_week(first)
        year, week, _ = date_of(monday).isocalendar()
        return f"{year}-W{week:02}, {_days(monday, following - 1)}"
    if draft.namespace == MONTH and first is not None:
        return f"{date_of(first):%Y-%m}"
    if draft.namespace == DAY:
        return _days(first, last)
    return ", ".join(filter(None, (draft.source, _days(first, last))))


def _days(first: int | None, last: int | None) -> str:
    if first is None or last is None:
        return ""
    one, two = date_of(first).isoformat(), date_of(last).isoformat()
    return one if one == two else f"{one} to {two}"


def _stem(path: RepoPath) -> str:
    """A name that a person gave; '' for one that is only a hash."""
    stem = path.name[: -len(path.suffix)] if path.suffix else path.name
    return "" if _HEX.fullmatch(stem) else stem
